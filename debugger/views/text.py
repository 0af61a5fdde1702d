"""Lines as values: what the views make, before anybody decides on colours, widths or widgets.

Text from outside is shown literally. Whatever could steer a terminal, hide, or turn the reading direction is
written out by `visible`, and nothing here is ever read as markup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from rich.cells import cell_len

from debugger.diff import Path


class Kind(StrEnum):
    """What a line says; each kind has a mark, so that colour is never the only sign."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"
    HUNK = "hunk"
    """Names the place where the following lines are."""
    FOLD = "fold"
    """Stands for lines that are left out."""


MARKS: Final = {
    Kind.SAME: " ",
    Kind.ADDED: "+",
    Kind.REMOVED: "-",
    Kind.CHANGED: "~",
    Kind.MOVED: ">",
    Kind.HUNK: "@",
    Kind.FOLD: " ",
}
"""The gutter sign of every kind. A fold's own text begins with an ellipsis."""


class Emphasis(StrEnum):
    """What a stretch of a line is, for whoever chooses colours."""

    NONE = "none"
    ADDED = "added"
    REMOVED = "removed"
    SUBTLE = "subtle"
    """Easy to overlook, and pointed out for that reason."""
    DIM = "dim"
    """Not part of the payload: arrows, line ends, what was left out."""
    KEY = "key"
    STRING = "string"
    NUMBER = "number"
    CONSTANT = "constant"
    """null, true, false."""
    STRONG = "strong"
    SELECTED = "selected"
    """What the keys act on."""
    ACCENT = "accent"
    """A name to look up: a rule, a key to press."""
    OK = "ok"
    CHANGED = "changed"
    DENIED = "denied"
    ERROR = "error"
    RUNNING = "running"
    HELD = "held"
    ALARM = "alarm"
    """What nobody may overlook, such as trouble that waits."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one line, already fit to be shown."""

    text: str
    emphasis: Emphasis = Emphasis.NONE


@dataclass(frozen=True, slots=True)
class Line:
    """One line to draw. The mark and the numbers are not in the segments: they belong in a gutter."""

    kind: Kind
    left_no: int | None
    """Line number in the payload before, from 1."""
    right_no: int | None
    """Line number in the payload after, from 1."""
    segments: tuple[Segment, ...]
    path: Path | None = None
    """What the line belongs to: its path after, or its path before when it is only there."""

    @property
    def mark(self) -> str:
        """The sign for the gutter."""
        return MARKS[self.kind]

    @property
    def text(self) -> str:
        """The line without gutter and emphasis."""
        return "".join(segment.text for segment in self.segments)


def plain(lines: Sequence[Line]) -> str:
    """The lines as text to print or copy: the mark, a space, the line."""
    return "\n".join(f"{line.mark} {line.text}".rstrip() for line in lines)


class _Visible(dict[int, str]):
    """What each character is shown as, filled in as characters turn up."""

    def __missing__(self, code: int) -> str:
        shown = self[code] = _shown(code)
        return shown


_BLANKS = frozenset((0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0))


def _shown(code: int) -> str:
    character = chr(code)
    is_selector = 0xFE00 <= code < 0xFE0F or 0xE0100 <= code <= 0xE01EF  # the last of the first range is in emoji
    if character.isprintable() and code not in _BLANKS and not is_selector:
        return character
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0xA0 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


_VISIBLE = _Visible()


def visible(text: str) -> str:
    """The text with everything that cannot be seen written out: ESC as `␛`, other characters as `\\u2028`.

    What can be seen stays as it is, backslashes included.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_VISIBLE)


def visible_edit(text: str) -> str:
    """The same for text that was added or removed: if it is nothing but spaces they are shown as dots."""
    return "·" * len(text) if text and not text.strip(" ") else visible(text)


def fit(text: str, width: int) -> str:
    """Text made visible and brought to exactly `width` cells: cut with an ellipsis, or filled up with blanks."""
    shown = visible(text)
    needed = cell_len(shown)
    if needed <= width:
        return shown + " " * (width - needed)
    if width <= 0:
        return ""
    kept = shown[: _fitting(shown, width - 1)]
    return kept + "…" + " " * (width - 1 - cell_len(kept))


def dedent(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines without the blanks that all in one stretch begin with, for where there is little room.

    A stretch is what stands between folds and hunks.
    """
    out: list[Line] = []
    stretch: list[Line] = []
    for line in (*lines, None):
        if line is not None and line.kind not in (Kind.FOLD, Kind.HUNK):
            stretch.append(line)
            continue
        indents = [len(each.text) - len(each.text.lstrip(" ")) for each in stretch if each.text.strip(" ")]
        out += [replace(each, segments=_cut(each.segments, min(indents, default=0))[1]) for each in stretch]
        stretch = []
        if line is not None:
            out.append(line)
    return tuple(out)


def crop(line: Line, width: int) -> Line:
    """The line, ending in an ellipsis if it needs more than `width` cells."""
    if cell_len(line.text) <= width:
        return line
    kept, _ = _split(line.segments, max(width - 1, 0))
    ellipsis = (Segment("…", Emphasis.DIM),) if width > 0 else ()
    return replace(line, segments=(*kept, *ellipsis))


def wrap(line: Line, width: int) -> tuple[Line, ...]:
    """The line as lines of at most `width` cells, broken between words where that is possible.

    Only the first keeps the numbers. What goes on is indented like the line itself, if there is room for that.
    """
    lines: list[Line] = []
    rest = line.segments
    width = max(width, 2)  # below two cells a wide character would never fit
    blanks = len(line.text) - len(line.text.lstrip(" "))
    hang = (Segment(" " * blanks),) if 0 < blanks <= width - 10 else ()
    while rest:
        head = hang if lines else ()
        room = width - (blanks if head else 0)
        kept, rest = _split(rest, room)
        if rest:
            kept, rest = _between_words(kept, rest)
        kept = (*head, *kept)
        lines.append(replace(line, segments=kept) if not lines else Line(line.kind, None, None, kept, line.path))
    return tuple(lines) or (line,)


def _between_words(
    kept: tuple[Segment, ...], rest: tuple[Segment, ...]
) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Move what was begun of a word to the rest, unless that would leave less than half of the line."""
    text = "".join(segment.text for segment in kept)
    cut = text.rfind(" ") + 1
    if cut <= max(len(text) // 2, len(text) - len(text.lstrip(" "))):
        return kept, rest
    before, moved = _cut(kept, cut)
    return before, (*moved, *rest)


def _cut(segments: tuple[Segment, ...], at: int) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Segments up to a character, and from it on."""
    left = at
    for number, segment in enumerate(segments):
        if len(segment.text) <= left:
            left -= len(segment.text)
            continue
        head = (Segment(segment.text[:left], segment.emphasis),) if left else ()
        return (*segments[:number], *head), (Segment(segment.text[left:], segment.emphasis), *segments[number + 1 :])
    return segments, ()


def _split(segments: tuple[Segment, ...], width: int) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """What fits into `width` cells, and the rest."""
    left = width
    for number, segment in enumerate(segments):
        needed = cell_len(segment.text)
        if needed <= left:
            left -= needed
            continue
        cut = _fitting(segment.text, left)
        head = (Segment(segment.text[:cut], segment.emphasis),) if cut else ()
        return (*segments[:number], *head), (Segment(segment.text[cut:], segment.emphasis), *segments[number + 1 :])
    return segments, ()


def _fitting(text: str, width: int) -> int:
    """How many characters from the start fit into `width` cells."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if cell_len(text[:middle]) <= width:
            low = middle
        else:
            high = middle - 1
    return low
