"""Claims about comparing JSON values with what is expected of them."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenario_texts import refusal

from debugger.scenario import matching
from debugger.scenario.parts import Match
from kernel.errors import BadInput
from kernel.values import JSON


@pytest.mark.parametrize(
    ("expected", "actual", "is_equal", "is_part"),
    [
        (1, 1.0, True, True),
        (1, True, False, False),
        (0, False, False, False),
        (None, False, False, False),
        ("a", "ab", False, False),
        ([1, 2], [1, 2], True, True),
        ([1], [0, 1, 2], False, True),
        ([2, 1], [1, 2], False, False),
        ([], [1], False, True),
        ({"a": 1}, {"a": 1, "b": 2}, False, True),
        ({"a": None}, {}, False, False),
        ({"a": {"b": [2]}}, {"a": {"b": [1, 2], "c": 3}}, False, True),
        ([{"a": 1}, {"b": 2}], [{"a": 1, "x": 0}, {}, {"b": 2}], False, True),
        ({"a": True}, {"a": 1}, False, False),
        ([], {}, False, False),
    ],
)
def test_equal_and_part(expected: JSON, actual: JSON, is_equal: bool, is_part: bool) -> None:
    """Objects by members, lists by items in order, numbers by value, and true is no number."""
    assert matching.is_equal(expected, actual) is is_equal
    assert matching.is_part(expected, actual) is is_part


@pytest.mark.parametrize(
    ("expected", "actual", "holds"),
    [("b", "abc", True), ("b", ["a", "b"], True), ("b", ["abc"], False), ({"a": 1}, [{}, {"a": 1, "b": 2}], True),
     ([2], [1, 2], True), (1, 1, True), ("1", 1, False)],
)  # fmt: skip
def test_contains_looks_into_text_and_lists_too(expected: JSON, actual: JSON, holds: bool) -> None:
    """One item is enough where a list was found."""
    assert matching.contains(expected, actual) is holds


VALUE: JSON = {"messages": [{"id": "m1"}, {"id": "m2"}], "n": 3}


@pytest.mark.parametrize(
    ("match", "holds"),
    [
        ({"is": VALUE}, True),
        ({"contains": {"n": 3}}, True),
        ({"jmespath": "messages[].id", "is": ["m1", "m2"]}, True),
        ({"jmespath": "messages[].id", "contains": "m2"}, True),
        ({"jmespath": "nowhere", "is": None}, True),
        ({"jmespath": "length(messages)", "is": 2, "contains": 2}, True),
        ({"jmespath": "n", "is": 3, "contains": 4}, False),
    ],
)
def test_every_key_of_a_claim_holds(match: dict[str, Any], holds: bool) -> None:
    """Of the part that the expression selects."""
    claim = msgspec.convert(match, Match)
    assert matching.holds(claim, matching.selected(claim, VALUE)) is holds


def test_no_expression_is_bad_input_and_no_answer_is_none() -> None:
    """One is the writer's mistake, the other may be the kernel's."""
    with pytest.raises(BadInput, match="not JMESPath"):
        matching.selected(Match(jmespath="a[[", is_=1), VALUE)
    with pytest.raises(matching.Unfit):
        matching.selected(Match(jmespath="length(n)", is_=1), VALUE)


@given(st.text(max_size=30))
def test_no_expression_gives_a_traceback(expression: str) -> None:
    """JMESPath or not."""
    with contextlib.suppress(matching.Unfit):
        error = refusal(lambda: matching.selected(Match(jmespath=expression, is_=1), VALUE))
        assert error is None or error.message


def test_all_of_several_claims_have_to_hold() -> None:
    """One that cannot be asked of the value does not."""
    value: JSON = {"a": 1, "b": "x"}
    held, missed = Match(jmespath="a", is_=1), Match(jmespath="length(a)", is_=1)
    assert matching.all_hold([held, Match(jmespath="b", is_="x")], value)
    assert matching.all_hold([], value)
    assert not matching.all_hold([held, missed], value)
    assert not matching.all_hold(missed, value)


def test_the_texts_in_a_value_are_its_own_not_its_keys() -> None:
    """Numbers and keys are not among them."""
    assert matching.text_in({"key": ["one", {"other": "two"}, 3, None, True, ""]}) == "one\ntwo"
