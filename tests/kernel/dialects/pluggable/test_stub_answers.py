"""Claims about answers in words: the notation of spec G, edits of the payload, and what no words can say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pluggable_answers import ANSWERS
from pluggable_payloads import VIEWS, payload
from scenario_texts import refusal

from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import Mode
from kernel.dialects.pluggable.stub_answers import answer_in_json, answer_in_words
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_response_pb2
from kernel.errors import BadInput
from kernel.values import JSON, Answered

M1, M2 = VIEWS["pre-model-call"]["messages"]  # type: ignore[index,call-overload]  # the payload has two


def request(point: str = "pre-model-call", mode: Mode = Mode.TRANSFORM) -> bytes:
    return payload(point).request(mode)


def edited(words: JSON, point: str = "pre-model-call") -> JSON:
    """The payload that the answer hands back."""
    answer = answer_in_words(words, "transform")(request(point))
    assert answer is not None
    return PLUGGABLE.proposed(payload(point), Answered(answer))


@pytest.mark.parametrize(
    ("words", "like"),
    [
        ("ack", "ack"),
        ("same", "same"),
        ("allow", "allow"),
        ("deny", "deny"),
        ("none", "none"),
        ({"append": "x"}, "+x"),
        ({"set": {"model.id": "another"}}, "change model"),
        ({"remove": "model"}, "clear model"),
        ({"remove": ["messages"]}, "no messages"),
        ({"set": {"messages": [M2, M1]}}, "reverse"),
        ({"set": {"messages[0].#99": [{"varint": 1}]}}, "unknown in message"),
        ({"set": {"#99": [{"varint": 1}]}}, "unknown beside messages"),
        ({"set": {"#payload.#99": [{"varint": 1}]}}, "unknown beside variant"),
        ({"payload": {**VIEWS["pre-model-call"], "model": {"provider": "p", "id": "another"}}}, "change model"),  # type: ignore[dict-item]
    ],
)
def test_words_say_what_the_notation_of_the_specification_says(words: JSON, like: str) -> None:
    """As messages, since their fields may stand in any order."""
    response = rpc_response_pb2.DispatchHookResponse
    answer, other = answer_in_words(words, "transform")(request()), ANSWERS[like](request())
    assert answer is not None
    assert other is not None
    assert response.FromString(answer) == response.FromString(other)


@pytest.mark.parametrize(("mode", "word"), [("observe", "ack"), ("transform", "same"), ("veto", "allow")])
def test_pass_lets_the_chain_go_on_in_every_mode(mode: str, word: str) -> None:
    """For whoever only wants somebody to sit there."""
    assert answer_in_words("pass", mode)(request()) == answer_in_words(word, mode)(request())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"append": ["x", {"id": "y"}]}, ["m1", "m2", "x", "y"]),
        ({"remove": ["messages[0]", "messages[0]"], "append": "x"}, ["x"]),
        ({"set": {"messages[1].id": "z", "messages[2]": {"id": "n"}}}, ["m1", "z", "n"]),
    ],
)
def test_edits_are_applied_in_the_order_in_which_they_stand(words: JSON, expected: list[str]) -> None:
    """Each sees what those before it did."""
    view = edited(words)
    assert isinstance(view, dict)
    assert [message["id"] for message in view["messages"]] == expected  # type: ignore[index,union-attr,call-overload]


def test_set_makes_the_objects_on_the_way() -> None:
    """Where a member is missing."""
    view = edited({"set": {"call.call_context.session_id": "s"}}, "pre-tool-call")
    assert isinstance(view, dict)
    assert view["call"]["call_context"] == {"session_id": "s"}  # type: ignore[index,call-overload]


def test_an_answer_never_changes_what_the_words_say() -> None:
    """The same words answer many requests."""
    words: JSON = {"append": {"id": "x"}, "set": {"messages[0]": {"id": "y"}}}
    answer = answer_in_words(words, "transform")
    assert answer(request()) == answer(request())
    assert words == {"append": {"id": "x"}, "set": {"messages[0]": {"id": "y"}}}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("akc", "no answer 'akc'; did you mean 'ack'?"),
        ("zzz", "no answer 'zzz'; there are pass, ack, same, allow, deny, none"),
        ({"appendd": 1}, "no edit 'appendd'; did you mean 'append'?"),
        ({}, "an answer is one of"),
        (None, "an answer is one of"),
        ({"set": "x"}, "'set' takes a mapping"),
        ({"payload": []}, "'payload' takes a mapping"),
        ({"remove": 3}, "'remove' takes a path"),
        ({"remove": [3]}, "3 is no path"),
        ({"remove": ""}, "'' is no path"),
        ({"set": {"a..b": 1}}, "'a..b' is no path"),
        ({"set": {"a[x]": 1}}, "'a[x]' is no path"),
    ],
)
def test_words_that_there_are_not_are_refused_at_once(words: JSON, sentence: str) -> None:
    """Before anybody is asked."""
    with pytest.raises(BadInput) as raised:
        answer_in_words(words, "transform")
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"remove": "messages[7]"}, "there is no messages[7] in this payload"),
        ({"remove": "nowhere"}, "there is no nowhere"),
        ({"remove": "messages.id"}, "there is no messages.id"),
        ({"set": {"messages[7].id": 1}}, "there is no messages[7].id"),
        ({"set": {"messages.id": 1}}, "there is no messages.id"),
        ({"set": {"modl.id": "x"}}, "no member 'modl'; did you mean 'model'"),
        ({"set": {"model": 3}}, "expected an object"),
    ],
)
def test_words_that_do_not_fit_the_request_are_refused_when_it_comes(words: JSON, sentence: str) -> None:
    """With what the payload lacks."""
    with pytest.raises(BadInput) as raised:
        edited(words)
    assert sentence in str(raised.value)


def test_what_cannot_be_decoded_cannot_be_handed_back() -> None:
    """A stub only sees requests of ours, but says so."""
    with pytest.raises(BadInput, match="cannot be decoded"):
        answer_in_words("same", "transform")(b"\xff")


def test_json_says_any_answer_of_the_wire() -> None:
    """The wrong variant included."""
    assert answer_in_json({"veto": {"decision": "HOOK_DECISION_DENY"}}) == bytes.fromhex("1a020802")
    assert answer_in_json({"veto": {"decision": 7}}) == bytes.fromhex("1a020807")
    with pytest.raises(BadInput, match="no member 'vto'"):
        answer_in_json({"vto": {}})


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6) | st.sampled_from(["messages", "messages[0].id"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["append", "set", "remove", "payload", "messages[0]", "model"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(_JSON)
def test_no_words_give_a_traceback(words: JSON) -> None:
    """An answer that can be decoded, or a sentence."""
    if (error := refusal(lambda: answer_in_words(words, "transform")(request()))) is not None:
        assert error.message
        return
    answer = answer_in_words(words, "transform")(request())
    assert answer is not None
    assert HookPayload.of(rpc_response_pb2.DispatchHookResponse.FromString(answer).transform.payload)
