"""Claims about answers in a word: every decision with every reach has one."""

from __future__ import annotations

import pytest

from kernel.asking import Answer, ReplyWord, Scope


@pytest.mark.parametrize(
    ("word", "allows", "scope"),
    [
        ("once", True, Scope.ONCE),
        ("session", True, Scope.SESSION),
        ("always", True, Scope.ALWAYS),
        ("deny", False, Scope.ONCE),
        ("deny-session", False, Scope.SESSION),
        ("deny-always", False, Scope.ALWAYS),
    ],
)
def test_an_answer_has_a_word(word: str, allows: bool, scope: Scope) -> None:
    """Decision and reach are independent of each other (pluggable spec D.4 step 4)."""
    answer = Answer(allows, scope, "eve")
    assert ReplyWord(word).as_answer("eve") == answer
    assert ReplyWord.of(answer) == word


def test_there_are_no_other_words() -> None:
    """Each is the answer of somebody in particular; a person is meant where nobody is named."""
    assert len(ReplyWord) == 2 * len(Scope)
    assert {word.as_answer().by for word in ReplyWord} == {"person"}
