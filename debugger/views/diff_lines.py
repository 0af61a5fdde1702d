"""A diff as lines: unified, word by word in line, side by side, or as a list of what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Generic, TypeAlias, TypeVar, assert_never

from debugger.diff import Added, Change, Diff, Moved, Path, PieceKind, Removed, Replaced, dotted
from debugger.views.diff_blocks import Block, Manner, blocks, noted
from debugger.views.json_lines import ARROW, QUOTE, Row, plural, preview
from debugger.views.text import Emphasis, Kind, Line, Segment, visible, visible_edit
from kernel.values import JSON

SidePair: TypeAlias = tuple[Line | None, Line | None]
"""What stands left and right; None where one side has nothing."""


def unified(before: JSON, after: JSON, diff: Diff, *, context: int | None = 2) -> tuple[Line, ...]:
    """One column: what was in lines marked `-`, what is in lines marked `+`, the words that differ emphasised.

    `context` is how many unchanged lines stay around a change; None folds nothing.
    """
    return _one_column(blocks(before, after, diff, Manner(context)), context)


def inline(before: JSON, after: JSON, diff: Diff, *, context: int | None = 2) -> tuple[Line, ...]:
    """One column with each edit on one line marked `~`: `[-was-]{+is+}` in text, `was → is` elsewhere."""
    return _one_column(blocks(before, after, diff, Manner(context, is_inline=True)), context)


def side_by_side(before: JSON, after: JSON, diff: Diff, *, context: int | None = 2) -> tuple[SidePair, ...]:
    """Two columns whose lines stand level. A fold or a hunk is the same line on both sides."""
    entries = _two_columns(blocks(before, after, diff, Manner(context)))
    return tuple(_folded(entries, context, lambda line: (line, line)))


def tree(diff: Diff) -> tuple[Line, ...]:
    """One line for each change: the path, then what was and what is."""
    return tuple(_tree_line(change) for change in diff.changes)


# --- columns ----------------------------------------------------------------------------------------------------

Drawn = TypeVar("Drawn", Line, SidePair)


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Drawn]):
    """A line, or so many that are not drawn; those that are the same may be folded."""

    drawn: Drawn | None
    is_same: bool = False
    hidden: int = 0
    path: Path | None = None


class _Numbers:
    """Line numbers of both sides, counted up as blocks go by."""

    def __init__(self) -> None:
        self._left = self._right = 1

    def of(self, block: Block) -> tuple[list[int | None], list[int | None]]:
        """A number for each row of the block. A row that stands for several lines has that of the first."""
        left: list[int | None] = [None] * len(block.left)
        if not block.is_aside:
            left = [self._left + step for step in range(len(block.left))]
            self._left += len(block.left) if block.left_count is None else block.left_count
        right: list[int | None] = [self._right + step for step in range(len(block.right))]
        if block.right_count == 0:
            right = [None] * len(block.right)
        self._right += len(block.right) if block.right_count is None else block.right_count
        return left, right


def _one_column(drawn: Iterator[Block], context: int | None) -> tuple[Line, ...]:
    return tuple(_folded(_one_column_entries(drawn), context, lambda line: line))


def _one_column_entries(drawn: Iterator[Block]) -> Iterator[_Entry[Line]]:
    numbers = _Numbers()
    for block in drawn:
        left, right = numbers.of(block)
        if block.kind is Kind.FOLD:
            yield _Entry(None, is_same=True, hidden=block.right_count or 0)
        elif block.kind is Kind.SAME:
            for row, old_no, new_no in zip(block.right, left, right, strict=True):
                yield _Entry(Line(Kind.SAME, old_no, new_no, row.segments, row.path), is_same=True)
        elif block.joined:
            for number, row in enumerate(block.joined):
                old_no, new_no = (left[0], right[0]) if number == 0 else (None, None)
                yield _Entry(Line(Kind.CHANGED, old_no, new_no, row.segments, row.path), path=row.path)
        else:
            is_edit = block.kind is Kind.CHANGED
            for row, old_no in zip(block.left, left, strict=True):
                kind = Kind.REMOVED if is_edit else block.kind
                yield _Entry(Line(kind, old_no, None, row.segments, row.path), path=row.path)
            for row, new_no in zip(block.right, right, strict=True):
                kind = Kind.ADDED if is_edit else block.kind
                yield _Entry(Line(kind, None, new_no, row.segments, row.path), path=row.path)


def _two_columns(drawn: Iterator[Block]) -> Iterator[_Entry[SidePair]]:
    numbers = _Numbers()
    for block in drawn:
        left_numbers, right_numbers = numbers.of(block)
        if block.kind is Kind.FOLD:
            yield _Entry(None, is_same=True, hidden=block.right_count or 0)
            continue
        lefts = [
            Line(block.kind, number, None, row.segments, row.path)
            for row, number in zip(block.left, left_numbers, strict=True)
        ]
        rights = [
            Line(block.kind, None, number, row.segments, row.path)
            for row, number in zip(block.right, right_numbers, strict=True)
        ]
        for left, right in zip_longest(lefts, rights):
            shown = right or left
            path = shown.path if shown else None
            yield _Entry((left, right), is_same=block.kind is Kind.SAME, path=path)


def _folded(entries: Iterable[_Entry[Drawn]], context: int | None, draw: Callable[[Line], Drawn]) -> Iterator[Drawn]:
    """The entries with long unchanged stretches folded, and after each fold the place of what follows."""
    stretch: list[_Entry[Drawn]] = []
    is_first = True
    for entry in entries:
        if entry.is_same:
            stretch.append(entry)
            continue
        yield from _fold(stretch, context, draw, after_change=not is_first, next_path=entry.path)
        stretch, is_first = [], False
        if entry.drawn is not None:
            yield entry.drawn
    yield from _fold(stretch, context, draw, after_change=not is_first, next_path=None)


def _fold(
    stretch: list[_Entry[Drawn]],
    context: int | None,
    draw: Callable[[Line], Drawn],
    *,
    after_change: bool,
    next_path: Path | None,
) -> Iterator[Drawn]:
    """One unchanged stretch between two changes."""
    if context is None:
        start = end = len(stretch)
    else:
        start = context if after_change else 0
        end = max(start, len(stretch) - (context if next_path is not None else 0))
    yield from (entry.drawn for entry in stretch[:start] if entry.drawn is not None)
    middle = stretch[start:end]
    if len(middle) == 1 and middle[0].drawn is not None:  # a fold would take as much room
        yield middle[0].drawn
    elif middle:
        count = sum(entry.hidden if entry.drawn is None else 1 for entry in middle)
        fold = Segment(f"… {plural(count, 'unchanged line')}", Emphasis.DIM)
        yield draw(Line(Kind.FOLD, None, None, (fold,)))
        if next_path is not None:
            place = Segment(visible(dotted(next_path)), Emphasis.KEY)
            yield draw(Line(Kind.HUNK, None, None, (place,), next_path))
    yield from (entry.drawn for entry in stretch[end:] if entry.drawn is not None)


# --- the list of changes ----------------------------------------------------------------------------------------


def _tree_line(change: Change) -> Line:
    where = Segment(visible(dotted(change.path)), Emphasis.KEY)
    gap = Segment("  ")
    match change:
        case Added():
            kind, segments = Kind.ADDED, (where, gap, *preview(change.value))
        case Removed():
            kind, segments = Kind.REMOVED, (where, gap, *preview(change.value))
        case Replaced():
            kind, segments = Kind.CHANGED, (where, gap, *_old_and_new(change))
        case Moved():
            source = Segment(visible(dotted(change.path_before)), Emphasis.KEY)
            kind, segments = Kind.MOVED, (source, ARROW, where, gap, *preview(change.value))
        case _:
            assert_never(change)
    row = noted((Row(change.path, segments),), change.subtle)[0]
    return Line(kind, None, None, row.segments, row.path)


def _old_and_new(change: Replaced) -> tuple[Segment, ...]:
    """Words in their surroundings where most of a text stayed; otherwise the two values."""
    pieces = change.words
    if not any(piece.kind is PieceKind.SAME and piece.text.strip() for piece in pieces):
        return (*preview(change.before), ARROW, *preview(change.after))
    segments: list[Segment] = [QUOTE]
    for number, piece in enumerate(pieces):
        if number == _PIECES:
            segments.append(Segment("…", Emphasis.DIM))
            break
        match piece.kind:
            case PieceKind.SAME:
                segments += _around(piece.text, is_first=number == 0, is_last=number == len(pieces) - 1)
            case PieceKind.REMOVED:
                segments += _bracketed("[-", piece.text, "-]", Emphasis.REMOVED)
            case PieceKind.ADDED:
                segments += _bracketed("{+", piece.text, "+}", Emphasis.ADDED)
            case _:
                assert_never(piece.kind)
    return (*segments, QUOTE)


_NEAR = 20
"""Characters of unchanged text, on each side of a change, that the list of changes shows."""
_WORDS = 40
"""Characters of changed text that it shows."""
_PIECES = 12
"""Pieces of one text that it shows."""


def _around(text: str, *, is_first: bool, is_last: bool) -> Iterator[Segment]:
    if len(text) <= 2 * _NEAR:
        yield Segment(visible(text), Emphasis.STRING)
        return
    if not is_first:
        yield Segment(visible(text[:_NEAR]), Emphasis.STRING)
    yield Segment("…", Emphasis.DIM)
    if not is_last:
        yield Segment(visible(text[-_NEAR:]), Emphasis.STRING)


def _bracketed(opening: str, text: str, closing: str, emphasis: Emphasis) -> Iterator[Segment]:
    shown = text if len(text) <= _WORDS else text[: _WORDS - 1] + "…"
    yield Segment(opening, Emphasis.DIM)
    yield Segment(visible_edit(shown), emphasis)
    yield Segment(closing, Emphasis.DIM)
