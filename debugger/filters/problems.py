"""What is wrong with a filter, where, and what to write instead."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

from debugger.filters.syntax import Span
from kernel.errors import BadInput


class BadFilter(BadInput):
    """A text that is no filter. Carries the text and the stretch of it that is to blame."""

    def __init__(self, message: str, text: str, at: Span, *, fix: str = "", is_unfinished: bool = False) -> None:
        super().__init__(message, fix=fix)
        self.text = text
        self.at = at
        self.is_unfinished = is_unfinished
        """Whether more text behind its end could make it right."""

    @property
    def shown(self) -> tuple[str, str, str]:
        """Three lines: the sentence, the text, and a caret under each cell that is to blame."""
        return (str(self), *pointed(self.text, self.at))


class Unfit(Exception):
    """A value that a field cannot be compared with. Knows the text of the value only; the parser knows where it is."""

    def __init__(self, message: str, fix: str = "", *, may_grow: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix
        self.may_grow = may_grow
        """Whether more text behind it could make it right."""


def pointed(text: str, at: Span) -> tuple[str, str]:
    """A text in one line of printable characters, and a line of carets under a part of it, at least one."""
    shown = "".join(each if each.isprintable() else " " for each in text)
    start = min(at.start, len(text))
    carets = "^" * max(1, _cells(shown[start : at.end]))
    return shown, " " * _cells(shown[:start]) + carets


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    return sum(_width(each) for each in text)


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def nearest(word: str, known: Iterable[str]) -> str:
    """The way out after a word that does not exist: the nearest that does, or all of them."""
    known = tuple(known)
    if not known:
        return "there are none yet"
    if close := difflib.get_close_matches(word.lower(), known, 1, 0.6):
        return f"did you mean {close[0]}?"
    if within := [each for each in known if word and (word.lower() in each or each in word.lower())]:
        return f"did you mean {within[0]}?"
    return f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}"
