"""Filters with names."""

from __future__ import annotations

import pytest

from debugger.filters import BadFilter, Everything, check_name, parse, printed, resolved
from kernel.errors import BadInput

SAVED = {
    "slow": "slow:>80%",
    "vetoes": "mode:veto",
    "slow-vetoes": "@slow @vetoes",
    "either": "@slow | @vetoes",
    "me": "a @me",
    "one": "@two",
    "two": "!(@three | x)",
    "three": "some(@one)",
    "lost": "sub:a @nowhere",
    "odd": "status:denyed",
    "empty": "  ",
}


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("@slow", "slow:>80%"),
        ("!@slow sub:a", "!slow:>80% sub:a"),
        ("@slow-vetoes", "slow:>80% mode:veto"),
        ("!@slow-vetoes", "!(slow:>80% mode:veto)"),
        ("@either sub:a", "(slow:>80% | mode:veto) sub:a"),
        ("@either | sub:a", "slow:>80% | mode:veto | sub:a"),
        ("@slow-vetoes @vetoes", "slow:>80% mode:veto mode:veto"),
        ("some(@slow) every(@vetoes)", "some(slow:>80%) every(mode:veto)"),
        ("", ""),
        ("sub:a", "sub:a"),
    ],
)
def test_a_name_stands_for_its_filter(text: str, means: str) -> None:
    """As if it stood in parentheses; the result can be written and read like any other."""
    found = resolved(parse(text), SAVED, text)
    assert printed(found) == means
    assert parse(means) == found


@pytest.mark.parametrize(
    ("text", "blamed", "within", "says"),
    [
        ("x @slwo", "@slwo", "x @slwo", "did you mean slow"),
        ("@me", "@me", SAVED["me"], "in @me: @me uses itself: @me → @me"),
        ("@one", "@one", SAVED["three"], "@one uses itself: @one → @two → @three → @one"),
        ("@lost", "@nowhere", SAVED["lost"], "in @lost: no filter is saved as @nowhere"),
        ("@odd", "denyed", SAVED["odd"], "in @odd: status: no status 'denyed'; did you mean denied?"),
        ("@empty", "", SAVED["empty"], "@empty is empty"),
    ],
)
def test_a_name_that_leads_nowhere_is_told(text: str, blamed: str, within: str, says: str) -> None:
    """In which text, and where in it."""
    with pytest.raises(BadFilter) as caught:
        resolved(parse(text), SAVED, text)
    error = caught.value
    assert error.text == within
    assert error.text[error.at.start : error.at.end] == blamed
    assert says in str(error)


def test_names_that_stand_for_ever_more_are_refused() -> None:
    """A few of them can stand for more than fits into any memory."""
    saved = {"f0": "a b"} | {f"f{number}": " ".join([f"@f{number - 1}"] * 10) for number in range(1, 12)}
    with pytest.raises(BadFilter, match="more than 2000 claims"):
        resolved(parse("@f11"), saved)


def test_nobody_has_saved_anything() -> None:
    """Then the way out is not a list of nothing."""
    with pytest.raises(BadFilter, match="there are none yet"):
        resolved(parse("@x"), {}, "@x")
    assert resolved(Everything(), {}) == Everything()


@pytest.mark.parametrize("name", ["a", "slow-vetoes", "Ü_1.2", "9"])
def test_what_can_be_a_name(name: str) -> None:
    """Whatever can be written behind an @."""
    check_name(name)
    assert printed(parse(f"@{name}")) == f"@{name}"


@pytest.mark.parametrize("name", ["", "a b", "-a", "a|b", "@a", "a(", "x" * 61, "a\n"])
def test_what_cannot_be_a_name(name: str) -> None:
    """Said before it is saved."""
    with pytest.raises(BadInput, match="cannot be the name"):
        check_name(name)
