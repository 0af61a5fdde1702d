"""Claims about places in JSON, as rules files name them."""

from __future__ import annotations

import pytest

from debugger.redaction.places import Path, pattern, shown
from kernel.errors import BadInput


@pytest.mark.parametrize(
    ("written", "path"),
    [
        ("a.b", ("a", "b")),
        ("$.a.b", ("a", "b")),
        ("a[0].b", ("a", 0, "b")),
        ("a[*].b", ("a", 7, "b")),
        ("a.*", ("a", "anything")),
        ("**.ssn", ("deep", 3, "down", "ssn")),
        ("**.ssn", ("ssn",)),
        ("$..ssn", ("x", "ssn")),
        ("a.**.b", ("a", "b")),
        ("/a/0/b", ("a", 0, "b")),
        ("/a~1b/c~0d", ("a/b", "c~d")),
        ("a['odd.key']", ("a", "odd.key")),
        ('["a b"]', ("a b",)),
    ],
)
def test_a_place_is_meant(written: str, path: Path) -> None:
    """By its key, its position, anything, or at any depth."""
    assert pattern(written).fits(path)


@pytest.mark.parametrize(
    ("written", "path"),
    [("a.b", ("a",)), ("a.b", ("a", "b", "c")), ("a[0]", ("a", 1)), ("*", ("a", "b")), ("**.ssn", ("ssn", "x"))],
)
def test_another_place_is_not(written: str, path: Path) -> None:
    """Neither around it nor below it: what is below is told by whoever walks down."""
    assert not pattern(written).fits(path)


@pytest.mark.parametrize("written", ["", "$", "a..", "a[", "a[x]", "a b c]", "]"])
def test_what_names_no_place_is_refused(written: str) -> None:
    """With what is wrong."""
    with pytest.raises(BadInput, match="place"):
        pattern(written)


def test_alike_places_are_shown_alike() -> None:
    """Positions do not count, so that a hundred messages are one line."""
    assert shown(("messages", 3, "content", 0)) == shown(("messages", 9, "content", 7)) == "messages[*].content[*]"
