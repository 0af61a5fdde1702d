"""When a fault befalls a call, as people write it."""

from __future__ import annotations

import pytest

from debugger.befalling import when, written
from debugger.session import ONCE, Only, When
from kernel.errors import BadInput


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("next", ONCE), ("every", When()), ("first 3", When(Only.FIRST, 3)), ("first 3 ", When(Only.FIRST, 3)),
        ("call 4", When(Only.NTH, 4)), ("nth 4", When(Only.NTH, 4)), ("NEXT", ONCE), ("every call", When()),
        ("first", ONCE), ("next call", ONCE),
    ],
)  # fmt: skip
def test_calls_are_read_and_written(text: str, found: When) -> None:
    """And what is written reads the same."""
    assert when(text) == found
    assert when(written(found)) == found


def test_chance_and_seed_are_numbers() -> None:
    """Per cent, with or without the sign."""
    assert when("every", "30", "7") == When(chance=0.3, seed=7)
    assert when("every", " 2.5% ", "-1") == When(chance=0.025, seed=-1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("sometimes",), "next, every, first 3 or call 3"), (("call 0",), "is no calls"), (("every 3",), "no number"),
        (("",), "is no calls"), (("next", "x"), "is no chance"), (("next", "0"), "a chance of 0 %"),
        (("next", "101"), "at most 100 %"), (("next", "nan"), "a chance of nan %"), (("next", "50", "x"), "is no seed"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(given: tuple[str, ...], words: str) -> None:
    """With the way out."""
    with pytest.raises(BadInput) as refusal:
        when(*given)
    assert words in str(refusal.value)
