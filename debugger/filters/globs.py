"""Texts with `*` in them, which stands for any text. One pass over what is searched, however many stars there are."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Glob:
    """The pieces between the stars, the first and the last perhaps empty; a text without a star is one piece."""

    pieces: tuple[str, ...]

    def fits(self, text: str) -> bool:
        """Whether it describes the whole text."""
        first, last = self.pieces[0], self.pieces[-1]
        if len(self.pieces) == 1:
            return text == first
        end = len(text) - len(last)
        if not (text.startswith(first) and text.endswith(last) and len(first) <= end):
            return False
        return _in_order(self.pieces[1:-1], text, len(first), end)

    def is_in(self, text: str) -> bool:
        """Whether it describes some part of the text."""
        return _in_order(self.pieces, text, 0, len(text))


def _in_order(pieces: tuple[str, ...], text: str, start: int, end: int) -> bool:
    """Whether the pieces stand in this stretch one after another. The first place of each leaves most to the others."""
    for piece in pieces:
        found = text.find(piece, start, end)
        if found < 0:
            return False
        start = found + len(piece)
    return True


def glob(text: str) -> Glob:
    """A text as it was written, with its stars."""
    return Glob(tuple(re.split(r"\*+", text)))
