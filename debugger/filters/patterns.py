"""Regular expressions that cannot hang us: bounded in length, and every search has a time limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Final

import regex  # type: ignore[import-untyped]  # the standard library's has no time limit

from debugger.filters.problems import Unfit

MOST_PATTERN: Final = 300
"""Characters of one expression."""
MOST_REPEATS: Final = 20_000
"""A count is written out when an expression is compiled, a count of counts so many times."""
_REPEAT: Final = re.compile(r"\{([0-9]*),?([0-9]*)\}")
SECONDS: Final = 0.05
"""For one search. A sane one over a megabyte takes a fifth of it."""
MOST_GIVEN_UP: Final = 4
"""Searches that ran out of time before an expression is given up altogether, so that a list is never held up long."""


@lru_cache(maxsize=200)
def _compiled(text: str) -> regex.Pattern:
    if len(text) > MOST_PATTERN:
        raise Unfit(f"an expression of {len(text)} characters", f"{MOST_PATTERN} are read")
    counts = (int(count) for found in _REPEAT.findall(text) for count in found if count)
    if prod(max(count, 1) for count in counts) > MOST_REPEATS:
        raise Unfit("repeats too much", f"counts in {{ }}, multiplied, may come to {MOST_REPEATS}")
    try:
        return regex.compile(text, regex.V0)
    except (regex.error, OverflowError, RecursionError) as error:
        said = str(error).splitlines()[0]
        raise Unfit(f"no regular expression: {said}", "quote it where it has spaces or parentheses") from None


def check_pattern(text: str) -> None:
    """Raises Unfit for what is no regular expression."""
    _compiled(text)


def searcher(text: str, give_up: Callable[[str], None]) -> Callable[[str], bool | None]:
    """Whether the expression finds anything; None where that takes too long, which `give_up` is told. Raises Unfit.

    After a few such searches it does not try any more.
    """
    pattern = _compiled(text)
    given_up = 0

    def search(subject: str) -> bool | None:
        nonlocal given_up
        if given_up >= MOST_GIVEN_UP:
            return None
        try:
            return pattern.search(subject, timeout=SECONDS) is not None
        except TimeoutError:
            given_up += 1
            give_up(text)
            return None

    return search
