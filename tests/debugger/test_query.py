"""Claims about JMESPath: whatever is typed gives an answer, or a reason on one line."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from debugger.query import NoAnswer, NoQuery, query


@given(st.text(max_size=30), st.sampled_from([None, 1, "x", [1, "a"], {"a": {"b": [1, 2]}}]))
@example("``", {})
@example("max([`1`, 'a'])", {})
def test_no_text_gives_anything_but_an_answer_or_a_reason(text: str, value: object) -> None:
    """Warnings of the library are errors here; nobody who types an expression can do anything about them."""
    reasons: list[str] = []
    try:
        query(text).of(value)  # type: ignore[arg-type]
    except NoQuery as error:
        reasons += [str(error), error.short]
    except NoAnswer as error:
        reasons.append(str(error))
    assert all(reason and "\n" not in reason for reason in reasons)


def test_it_selects_and_says_what_it_cannot_answer() -> None:
    """Nothing is null; a question that makes no sense for a value is told apart from it."""
    assert query("a.b[0]").of({"a": {"b": [1, 2]}}) == 1
    assert query("a.c").of({"a": {"b": [1, 2]}}) is None
    with pytest.raises(NoAnswer, match="length"):
        query("length(a)").of({"a": 1})


@pytest.mark.parametrize(("text", "may_grow"), [("a[?b == ", True), ("a]", False), ("foo(", True)])
def test_what_may_become_an_expression_is_told_from_what_cannot(text: str, may_grow: bool) -> None:
    """A prompt says nothing against what is half typed."""
    with pytest.raises(NoQuery) as caught:
        query(text)
    assert caught.value.may_grow is may_grow
