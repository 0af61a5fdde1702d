"""Claims about text, JSON and bytes that are redacted."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.redaction import Redactor, Rules
from debugger.redaction.ledger import PLACEHOLDER
from kernel.values import JSON

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def test_equal_secrets_stay_equal_and_different_ones_different() -> None:
    """A reader can still see that it is the same key twice."""
    redactor = Redactor()
    text = redactor.text("password=hunter2 then password=hunter3, then password=hunter2", "text")
    assert text == (
        "password=[redacted:assigned#1] then password=[redacted:assigned#2], then password=[redacted:assigned#1]"
    )
    assert redactor.json({"password": "hunter3"}, "payload") == {"password": "[redacted:assigned#2]"}
    assert redactor.secrets == 2


def test_what_was_learnt_in_one_place_is_found_everywhere() -> None:
    """Also before, also encoded, also where nothing around it tells."""
    redactor, secret = Redactor(), "Zebra!77"
    everything: JSON = [
        f"early {secret}",
        {"token": secret},
        base64.b64encode(secret.encode()).decode(),
        secret.encode().hex(),
        f"?x={secret.replace('!', '%21')}",
    ]
    redactor.json(everything, "payload")
    redactor.settle()
    found = redactor.json(everything, "payload")
    assert json.dumps(found).count("[redacted:token#1]") == 5
    assert [(each.rule, each.kind, each.place, each.times, each.values) for each in redactor.counts] == [
        ("token", "payload", "[*]", 4, 1),
        ("token", "payload", "[*].token", 1, 1),
    ]


def test_a_common_word_under_a_key_is_not_hunted_everywhere() -> None:
    """`password: letmein` does not turn every other letmein into a riddle; the one under the key is gone."""
    redactor = Redactor()
    everything: JSON = {"password": "welcome", "text": "you are welcome"}
    redactor.json(everything, "payload")
    redactor.settle()
    assert redactor.json(everything, "payload") == {"password": "[redacted:password#1]", "text": "you are welcome"}


def test_a_short_secret_is_not_found_inside_of_words() -> None:
    """Where it stands alone it is."""
    redactor = Redactor(Rules().knowing(["abcd"]))
    assert redactor.text("abcd abcde xabcd (abcd)", "text") == "[redacted:value#1] abcde xabcd ([redacted:value#1])"


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"a": [1, None, True, "x"]}, {"a": [1, None, True, "x"]}),
        ({"password": None}, {"password": None}),
        ({"password": True}, {"password": True}),
        ({"password": ""}, {"password": ""}),
        ({"password": 12}, {"password": 12}),
        ({"password": 123456}, {"password": "[redacted:password#1]"}),
        ({"input_tokens": 123456}, {"input_tokens": 123456}),
        ({"Authorization": "Bearer abc"}, {"Authorization": "Bearer [redacted:authorization#1]"}),
        ({"name": "API_KEY", "value": "v"}, {"name": "API_KEY", "value": "v"}),
        ({"name": "API_KEY", "value": "vvv-1"}, {"name": "API_KEY", "value": "[redacted:api-key#1]"}),
        (["x", "--password", "abc1"], ["x", "--password", "[redacted:password#1]"]),
        (["--password", "--other"], ["--password", "--other"]),
        ([["Cookie", "id=Q1"]], [["Cookie", "[redacted:cookie#1]"]]),
        (["password", "email", "name"], ["password", "email", "name"]),
        ({"credentials": {"user": "bob-7", "n": [1]}}, {"credentials": {"user": "[redacted:secret#1]", "n": [1]}}),
        ({"ghp_R4nd0mR4nd0mR4nd0mR4": 1}, {"[redacted:api-key#1]": 1}),
        ('{"token": "abc1"}', '{"token": "[redacted:token#1]"}'),
    ],
)
def test_json_is_redacted_by_key_by_neighbour_and_by_text(value: JSON, redacted: JSON) -> None:
    """Its shape stays; what is no secret stays as it is."""
    assert Redactor().json(value, "payload") == redacted


def test_a_secret_in_base64_leaves_base64() -> None:
    """Whoever decodes it finds the placeholder."""
    found = Redactor().json({"blob": base64.b64encode(b"\x00password=hunter2 \xff").decode()}, "payload")
    assert isinstance(found, dict)
    assert base64.b64decode(str(found["blob"])) == b"\x00password=[redacted:assigned#1] \xff"


@given(json_values)
def test_what_has_no_secret_is_the_very_same_value(value: JSON) -> None:
    """And what has one comes back with another one of the same shape."""
    redactor = Redactor()
    found = redactor.json(value, "payload")
    if redactor.secrets == 0:
        assert found is value or found == value
    assert _shape(found) == _shape(value) or redactor.secrets


def _shape(value: JSON) -> object:
    match value:
        case dict():
            return [_shape(each) for each in value.values()]
        case list():
            return [_shape(each) for each in value]
        case _:
            return type(value)


@given(st.binary(max_size=300))
def test_any_bytes_are_redacted_without_a_complaint(body: bytes) -> None:
    """Those without a secret come back as they are."""
    redactor = Redactor()
    found = redactor.wire(body, "answer")
    assert redactor.secrets or found == body


def test_placeholders_of_an_earlier_redaction_stay_and_keep_their_numbers() -> None:
    """A new secret gets a number that none of them has."""
    redactor = Redactor()
    text = "password=hunter2 and password=[redacted:assigned#1] and [redacted:assigned#7]"
    redactor.text(text, "text")
    redactor.settle()
    assert redactor.text(text, "text") == (
        "password=[redacted:assigned#8] and password=[redacted:assigned#1] and [redacted:assigned#7]"
    )
    once = redactor.text(text, "text")
    assert Redactor().text(once, "text") == once


def test_a_placeholder_cannot_be_made_up_to_hide_something() -> None:
    """Only its exact form is one."""
    assert PLACEHOLDER.fullmatch("[redacted:x#1]")
    assert PLACEHOLDER.fullmatch("[redacted:Bearer abc#1]") is None
    assert "hunter2" not in Redactor().text("password=[redacted:hunter2]hunter2", "text").replace(
        "[redacted:hunter2]", ""
    )


def test_what_is_too_deep_is_cut_off() -> None:
    """Instead of being let through, or breaking us."""
    value: JSON = "password=hunter2"
    for _ in range(400):
        value = [value]
    assert "hunter2" not in repr(Redactor().json(value, "payload"))
