"""A diff as blocks: what was on the left, what is on the right and what that means, in document order.

Every style of drawing is made from these. Unchanged stretches are counted, not drawn, so that a large payload
with a small change is cheap. What a block looks like in a column is decided in `diff_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, TypeAlias, assert_never

from debugger.diff import (
    Added,
    Diff,
    Moved,
    Outline,
    Path,
    Piece,
    PieceKind,
    Removed,
    Replaced,
    Subtle,
    dotted,
    namesakes,
    subtle,
)
from debugger.diff import outline as outline_of
from debugger.diff.compare import merged_keys
from debugger.views.json_lines import (
    ARROW,
    LINE_END,
    QUOTE,
    Row,
    Spot,
    closing_row,
    count_rows,
    cut_text,
    indent,
    opening_row,
    preview,
    rows,
)
from debugger.views.text import Emphasis, Kind, Segment, visible, visible_edit
from kernel.values import JSON

_AROUND = 60
"""Characters of unchanged text that are kept on each side of a changed word."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How to draw."""

    context: int | None
    """How many unchanged lines stay around a change; None for all."""
    is_inline: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """What is on the left, what is on the right, and what that means."""

    kind: Kind
    left: tuple[Row, ...] = ()
    """By the path after, as the right, unless it is only in the payload before."""
    right: tuple[Row, ...] = ()
    left_count: int | None = None
    """Lines of the payload that the left stands for, where that is not the rows."""
    right_count: int | None = None
    is_aside: bool = False
    """Inside something that moved: the left is not in its turn, so its lines have no numbers."""
    joined: tuple[Row, ...] = ()
    """Left and right in one, when drawn in line."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A value that both payloads have, still to be drawn."""

    before: JSON
    after: JSON
    path_before: Path
    spot: Spot
    is_aside: bool = False

    @property
    def spot_before(self) -> Spot:
        """Where the value before is drawn: as deep, but by its own path."""
        return replace(self.spot, path=self.path_before)


_Task: TypeAlias = Block | _Node


def blocks(before: JSON, after: JSON, diff: Diff, manner: Manner) -> Iterator[Block]:
    index = outline_of(diff)
    todo: list[_Task] = [_Node(before, after, (), Spot())]
    while todo:
        task = todo.pop()
        if isinstance(task, Block):
            yield task
            continue
        edit = index.replaced.get(task.spot.path)
        if edit is not None:
            yield from _edited(task, edit, manner)
        elif not index.is_touched(task.path_before, task.spot.path):
            yield from _same(task, manner)
        else:
            todo += reversed(_inside(task, index, manner))


def _same(node: _Node, manner: Manner) -> Iterator[Block]:
    """A value without changes: its first and last rows, and in between a count."""
    count = count_rows(node.after)
    if manner.context is None or count <= 2 * manner.context + 1:
        yield _same_rows(tuple(rows(node.after, node.spot)), is_aside=node.is_aside)
        return
    yield _same_rows(tuple(islice(rows(node.after, node.spot), manner.context)), is_aside=node.is_aside)
    yield _skipped(count - 2 * manner.context, is_aside=node.is_aside)
    ending = list(islice(rows(node.after, node.spot, backwards=True), manner.context))
    yield _same_rows(tuple(reversed(ending)), is_aside=node.is_aside)


def _same_rows(same: tuple[Row, ...], *, is_aside: bool) -> Block:
    return Block(Kind.SAME, same, same, is_aside=is_aside)


def _skipped(count: int, *, is_aside: bool) -> Block:
    return Block(Kind.FOLD, left_count=count, right_count=count, is_aside=is_aside)


def _inside(node: _Node, index: Outline, manner: Manner) -> list[_Task]:
    """A container in which something changed, one level down."""
    before, after = node.before, node.after
    if not before or not after:  # drawn on one line on this side and on several on that one
        return [
            Block(
                Kind.CHANGED,
                tuple(rows(before, node.spot)),
                tuple(rows(after, node.spot)),
                is_aside=node.is_aside,
            )
        ]
    match before, after:
        case dict(), dict():
            inside = _inside_object(node, before, after)
        case list(), list():
            inside = _inside_list(node, before, after, index)
        case _:
            raise ValueError(f"the diff is of other payloads: it has changes inside {dotted(node.spot.path)}")
    opening, closing = opening_row(node.spot, after), closing_row(node.spot, after)
    return [
        _same_rows((opening,), is_aside=node.is_aside),
        *_thinned(inside, index, manner),
        _same_rows((closing,), is_aside=node.is_aside),
    ]


def _inside_object(node: _Node, before: dict[str, JSON], after: dict[str, JSON]) -> list[_Task]:
    tasks: list[_Task] = []
    alike = namesakes(before, after)
    for key in merged_keys(before, after):
        if key not in after:
            spot = node.spot_before.inner(key)
            tasks.append(_removed(before[key], spot, is_aside=node.is_aside, is_namesake=key in alike))
        elif key not in before:
            tasks.append(_added(after[key], node.spot.inner(key), is_namesake=key in alike))
        else:
            tasks.append(_child(node, key, key, before[key], after[key]))
    return tasks


def _inside_list(node: _Node, before: list[JSON], after: list[JSON], index: Outline) -> list[_Task]:
    tasks: list[_Task] = []
    gone, come = set(index.gone.get(node.path_before, ())), set(index.come.get(node.spot.path, ()))
    left = right = 0
    while left < len(before) or right < len(after):
        if left in gone:
            move = index.moved_from.get((*node.path_before, left))
            spot = node.spot_before.inner(left)
            if move is None:
                tasks.append(_removed(before[left], spot, is_aside=node.is_aside))
            else:
                tasks.append(_moved_away(before[left], spot, move, is_aside=node.is_aside))
            left += 1
        elif right in come:
            move = index.moved_to.get((*node.spot.path, right))
            if move is None:
                tasks.append(_added(after[right], node.spot.inner(right)))
            else:
                tasks += _moved_here(before, after[right], node.spot.inner(right), move, index)
            right += 1
        elif left < len(before) and right < len(after):
            tasks.append(_child(node, left, right, before[left], after[right]))
            left, right = left + 1, right + 1
        else:
            raise ValueError(f"the diff is of other payloads: {dotted(node.spot.path)} has more items than it knows of")
    return tasks


def _child(node: _Node, step_before: str | int, step: str | int, before: JSON, after: JSON) -> _Node:
    return _Node(before, after, (*node.path_before, step_before), node.spot.inner(step), node.is_aside)


def _added(value: JSON, spot: Spot, *, is_namesake: bool = False) -> Block:
    return Block(Kind.ADDED, right=noted(tuple(rows(value, spot)), Added(spot.path, value, is_namesake).subtle))


def _removed(value: JSON, spot: Spot, *, is_aside: bool, is_namesake: bool = False) -> Block:
    left = noted(tuple(rows(value, spot)), Removed(spot.path, value, is_namesake).subtle)
    return Block(Kind.REMOVED, left=left, is_aside=is_aside)


def _moved_away(value: JSON, spot: Spot, move: Moved, *, is_aside: bool) -> Block:
    row = _move_row(spot, f"moved to {_position(move.path_after)}: ", value)
    return Block(Kind.MOVED, left=(row,), left_count=count_rows(value), is_aside=is_aside)


def _moved_here(before: list[JSON], value: JSON, spot: Spot, move: Moved, index: Outline) -> list[_Task]:
    """An item in its new place: one line, followed by its changes if it has any."""
    source = move.path_before[-1]
    assert isinstance(source, int), "only list items move"
    note = f"moved from {_position(move.path_before)}"
    if not index.is_touched(move.path_before, spot.path):
        row = _move_row(spot, f"{note}: ", value)
        return [Block(Kind.MOVED, right=(row,), right_count=count_rows(value))]
    heading = Row(spot.path, (*indent(spot.depth), Segment(f"{note}, and changed:", Emphasis.DIM)))
    return [
        Block(Kind.MOVED, right=(heading,), right_count=0),
        _Node(before[source], value, move.path_before, spot, is_aside=True),
    ]


def _move_row(spot: Spot, note: str, value: JSON) -> Row:
    return Row(spot.path, (*indent(spot.depth), Segment(note, Emphasis.DIM), *preview(value)))


def _position(path: Path) -> str:
    return f"[{path[-1]}]"


def _thinned(tasks: list[_Task], index: Outline, manner: Manner) -> Iterator[_Task]:
    """The same tasks with the middle of long unchanged runs only counted."""
    keep = manner.context
    run: list[_Node] = []
    for task in tasks:
        if keep is not None and isinstance(task, _Node) and not index.is_touched(task.path_before, task.spot.path):
            run.append(task)
            continue
        yield from _shortened(run, keep)
        run = []
        yield task
    yield from _shortened(run, keep)


def _shortened(run: list[_Node], keep: int | None) -> Iterator[_Task]:
    if keep is None or len(run) <= 2 * keep + 1:
        yield from run
        return
    middle = run[keep : len(run) - keep]
    yield from run[:keep]
    yield _skipped(sum(count_rows(node.after) for node in middle), is_aside=run[0].is_aside)
    yield from run[len(run) - keep :]


# --- edits ------------------------------------------------------------------------------------------------------


def _edited(node: _Node, edit: Replaced, manner: Manner) -> Iterator[Block]:
    if isinstance(edit.before, str) and isinstance(edit.after, str):
        yield from _edited_text(node, edit, manner)
        return
    left, right = tuple(rows(edit.before, node.spot)), tuple(rows(edit.after, node.spot))
    joined: tuple[Row, ...] = ()
    if manner.is_inline and len(left) == len(right) == 1:
        values = (*preview(edit.before), ARROW, *preview(edit.after))
        joined = noted((Row(node.spot.path, (*node.spot.head, *values)),), edit.subtle)
    yield Block(Kind.CHANGED, left, noted(right, edit.subtle), is_aside=node.is_aside, joined=joined)


@dataclass(slots=True)
class _Half:
    """One side of an edited text while it is being drawn."""

    path: Path
    line: list[Segment]
    done: list[Row] = field(default_factory=list)
    is_changed: bool = False

    def end_line(self, depth: int, *segments: Segment) -> None:
        """Finish the line and begin the next one, a level deeper than the text's own line."""
        self.done.append(Row(self.path, (*_elided(self.line, is_changed=self.is_changed), *segments)))
        self.line = list(indent(depth + 1))

    def take(self) -> tuple[Row, ...]:
        """The finished rows, which are the caller's from now on."""
        done, self.done, self.is_changed = tuple(self.done), [], False
        return done


class _EditedText:
    """Draws an edited text piece by piece: lines that are the same on both sides, and blocks of changed ones."""

    def __init__(self, node: _Node, manner: Manner) -> None:
        self._node = node
        self._manner = manner
        head = [*node.spot.head, QUOTE]
        self._left, self._right, self._joined = (_Half(node.spot.path, [*head]) for _ in range(3))
        self._notes: list[Subtle] = []

    def note(self, notes: Iterable[Subtle]) -> None:
        """Say on the line that is being drawn why its change is easy to overlook."""
        self._notes += [note for note in notes if note not in self._notes]

    def same(self, text: str) -> Iterator[Block]:
        """Text of both sides; every line end in it closes what went before."""
        lines = text.split("\n")
        skip_from, skip_to = self._stretch_to_skip(len(lines))
        for number, line in enumerate(lines):
            if skip_from <= number < skip_to:
                if number == skip_from:
                    yield _skipped(skip_to - skip_from, is_aside=self._node.is_aside)
                continue
            segments = [Segment(line, Emphasis.STRING)] if line else []
            for half in (self._left, self._right, self._joined):
                half.line += segments
            if number < len(lines) - 1:
                yield self._close_line(LINE_END)

    def removed(self, text: str, emphasis: Emphasis) -> None:
        """Text of the left side only."""
        self._change(self._left, text, emphasis)
        self._joined.line += [Segment("[-", Emphasis.DIM), *_edit(text, emphasis), Segment("-]", Emphasis.DIM)]

    def added(self, text: str, emphasis: Emphasis) -> None:
        """Text of the right side only."""
        self._change(self._right, text, emphasis)
        self._joined.line += [Segment("{+", Emphasis.DIM), *_edit(text, emphasis), Segment("+}", Emphasis.DIM)]

    def end(self) -> Block:
        """The closing quote and what is still open."""
        return self._close_line(QUOTE)

    def _stretch_to_skip(self, count: int) -> tuple[int, int]:
        """Which of so many unchanged lines are only counted: not those next to a change, nor the unfinished ends."""
        keep = self._manner.context
        if keep is None or count <= 2 * keep + 3:
            return 0, 0
        return keep + 1, count - keep - 1

    def _change(self, half: _Half, text: str, emphasis: Emphasis) -> None:
        self._left.is_changed = self._right.is_changed = self._joined.is_changed = True
        lines = text.split("\n")
        for number, line in enumerate(lines):
            half.line += _edit(line, emphasis)
            if number < len(lines) - 1:
                half.end_line(self._node.spot.depth, Segment("↵", emphasis))

    def _close_line(self, ending: Segment) -> Block:
        is_changed = self._left.is_changed or self._right.is_changed
        for half in (self._left, self._right, self._joined):
            half.end_line(self._node.spot.depth, ending)
        left, right, joined = self._left.take(), self._right.take(), self._joined.take()
        if not is_changed:
            return _same_rows(right, is_aside=self._node.is_aside)
        notes, self._notes = tuple(self._notes), []
        return Block(
            Kind.CHANGED,
            left,
            noted(right, notes),
            is_aside=self._node.is_aside,
            joined=noted(joined, notes) if self._manner.is_inline else (),
        )


def _edited_text(node: _Node, edit: Replaced, manner: Manner) -> Iterator[Block]:
    drawing = _EditedText(node, manner)
    pieces, flags = edit.words, edit.subtle
    drawing.note(flags)
    for number, piece in enumerate(pieces):
        before, after = _sides(pieces, number)
        found = subtle(before, after)
        if not flags:  # otherwise all has been said
            drawing.note(_in_words(found or _subtle_words(before, after)))
        match piece.kind:
            case PieceKind.SAME:
                yield from drawing.same(piece.text)
            case PieceKind.REMOVED:
                drawing.removed(piece.text, Emphasis.SUBTLE if found else Emphasis.REMOVED)
            case PieceKind.ADDED:
                drawing.added(piece.text, Emphasis.SUBTLE if found else Emphasis.ADDED)
            case _:
                assert_never(piece.kind)
    yield drawing.end()


def _sides(pieces: tuple[Piece, ...], number: int) -> tuple[str, str]:
    """A changed piece with its counterpart, if it has one; nothing for a piece that is the same."""
    piece = pieces[number]
    if piece.kind is PieceKind.REMOVED:
        following = pieces[number + 1] if number + 1 < len(pieces) else piece
        return piece.text, following.text if following.kind is PieceKind.ADDED else ""
    if piece.kind is PieceKind.ADDED:
        previous = pieces[number - 1] if number else piece
        return previous.text if previous.kind is PieceKind.REMOVED else "", piece.text
    return "", ""


def _subtle_words(before: str, after: str) -> tuple[Subtle, ...]:
    """What hides among plainly changed words: the third of these and the third of those, say."""
    old, new = before.split(), after.split()
    if len(old) != len(new):
        return ()
    return tuple(flag for pair in zip(old, new, strict=True) for flag in subtle(*pair))


def _in_words(flags: tuple[Subtle, ...]) -> tuple[Subtle, ...]:
    """Flags of a part of a text: where it ends is not where the line ends."""
    return tuple(Subtle.SPACING if flag is Subtle.TRAILING else flag for flag in flags)


def _edit(text: str, emphasis: Emphasis) -> tuple[Segment, ...]:
    """Changed text, visible and cut to what can be drawn."""
    if not text.strip(" "):
        return (Segment(visible_edit(text), emphasis),) if text else ()
    return cut_text(text, emphasis)


def _elided(line: list[Segment], *, is_changed: bool) -> Iterator[Segment]:
    """The line with long unchanged stretches shortened, so that what changed is never out of sight.

    Unchanged text comes here as it is in the payload and is made visible here, after cutting.
    """
    texts = [at for at, segment in enumerate(line) if segment.emphasis in _TEXTS and segment is not QUOTE]
    for at, segment in enumerate(line):
        if segment.emphasis is not Emphasis.STRING or segment is QUOTE:
            yield segment
        elif not is_changed:
            yield from cut_text(segment.text, Emphasis.STRING)
        else:  # a change borders on each of its ends, except at the beginning and the end of the line
            is_alone = len(texts) == 1
            keep_start, keep_end = is_alone or at != texts[0], is_alone or at != texts[-1]
            yield from _shortened_text(segment.text, keep_start=keep_start, keep_end=keep_end)


_TEXTS: Final = frozenset((Emphasis.STRING, Emphasis.ADDED, Emphasis.REMOVED, Emphasis.SUBTLE))


def _shortened_text(text: str, *, keep_start: bool, keep_end: bool) -> Iterator[Segment]:
    """Unchanged text with only its surroundings of a change kept."""
    start, end = _AROUND * keep_start, _AROUND * keep_end
    if len(text) <= 2 * _AROUND + 40:
        yield Segment(visible(text), Emphasis.STRING)
        return
    if start:
        yield Segment(visible(text[:start]), Emphasis.STRING)
    yield Segment(f"… {len(text) - start - end:,} characters …", Emphasis.DIM)
    if end:
        yield Segment(visible(text[-end:]), Emphasis.STRING)


def noted(drawn: tuple[Row, ...], notes: tuple[Subtle, ...]) -> tuple[Row, ...]:
    """The rows with a word at the end of the last one on why they are easy to overlook."""
    if not notes or not drawn:
        return drawn
    note = Segment("  ◂ " + ", ".join(notes), Emphasis.SUBTLE)
    return (*drawn[:-1], replace(drawn[-1], segments=(*drawn[-1].segments, note)))
