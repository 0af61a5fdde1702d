"""A place of the tree as one line: what it is called on the left, its bar on the right. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from debugger.otlp.forest import Odd
from debugger.traces.bars import Bar, drawn
from debugger.traces.hooks import Hook, closeness
from debugger.traces.lanes import Lanes
from debugger.traces.naming import called, clock, oddities
from debugger.traces.outline import Marker, Outline
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window, precise
from debugger.views.text import Emphasis, Segment, fit

ROOMY: Final = 100
"""Cells from which a line has room for a column of beginnings."""
TOOK: Final = 10
BEGAN: Final = 13
SKEWED: Final = Odd.BEFORE_PARENT | Odd.AFTER_PARENT


@dataclass(frozen=True, slots=True)
class Columns:
    """How the cells of a line are shared out."""

    name: int
    bar: int
    began: int
    took: int = TOOK


def columns(width: int) -> Columns:
    """For a line of so many cells. One cell between name and bar is the gutter of the lanes."""
    began = BEGAN if width >= ROOMY else 0
    name = max(18, min(58, width * 2 // 5))
    return Columns(name, max(0, width - name - began - TOOK - 1), began)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that a line depends on."""

    outline: Outline
    window: Window
    lanes: Lanes
    hooks: Mapping[int, Hook] = field(default_factory=dict)
    own: Sequence[int] = ()
    """Own times by place; empty as long as nobody has counted them."""
    path: Mapping[int, tuple[tuple[int, int], ...]] | None = None
    """The critical path, while it is shown."""
    shows_own: bool = False
    is_absolute: bool = False

    @property
    def skeleton(self) -> Skeleton:
        return self.outline.skeleton


def line(drawing: Drawing, row: int, width: int) -> tuple[Segment, ...]:
    """One row, exactly `width` cells."""
    share = columns(width)
    marker = drawing.outline.marker(row)
    if marker is not None:
        return _marker(marker, drawing, share)
    place = drawing.outline.place(row)
    made = drawing.skeleton
    lane = drawing.lanes.of(place)
    hook = drawing.hooks.get(place)
    took = _took(drawing, place)
    bar = Bar(
        made.starts[place],
        made.ends[place],
        _emphasis(made, place, hook),
        hook.deadline_ns if hook is not None else None,
        lane.barrier_ns,
        None if drawing.path is None else drawing.path.get(place, ()),
        bool(made.running[place]),
    )
    return (
        *_name(drawing, place, hook, share.name),
        Segment(lane.mark, Emphasis.RUNNING if lane.lanes > 1 else Emphasis.DIM),
        *drawn(bar, drawing.window, share.bar),
        *_began(drawing, place, share),
        Segment(f"{took:>{share.took}}", Emphasis.DIM if drawing.shows_own else Emphasis.NONE),
    )


def _took(drawing: Drawing, place: int) -> str:
    made = drawing.skeleton
    if drawing.shows_own:
        return precise(drawing.own[place]) if drawing.own else "..."
    return f"{precise(made.took(place))}{'+' if made.running[place] else ''}"


def _began(drawing: Drawing, place: int, share: Columns) -> tuple[Segment, ...]:
    if not share.began:
        return ()
    made = drawing.skeleton
    began = clock(made.base_ns + made.starts[place]) if drawing.is_absolute else f"+{precise(made.starts[place])}"
    return (Segment(f"{began:>{share.began}}", Emphasis.DIM),)


def _emphasis(made: Skeleton, place: int, hook: Hook | None) -> Emphasis:
    """Of a bar: an error, a deadline that is close or past, or nothing of the kind."""
    if made.errors[place] or (hook is not None and hook.is_timeout):
        return Emphasis.ERROR
    if made.keys[place] < 0:
        return Emphasis.DIM
    if hook is not None and (close := closeness(made.took(place), hook.deadline_ns)) is not None:
        return close if close is Emphasis.HELD else Emphasis.NUMBER  # what is past it is red, and only that
    return Emphasis.RUNNING if made.running[place] else Emphasis.NUMBER


def _name(drawing: Drawing, place: int, hook: Hook | None, width: int) -> tuple[Segment, ...]:
    made = drawing.skeleton
    head = _indent(made.depths[place], width) + _fold(drawing.outline, place)
    glyph, emphasis = _glyph(drawing, place, hook)
    badge = f"{hook.badge} " if hook is not None and hook.badge else ""
    text = called(made, place, drawing.hooks)
    service = made.services[place]
    parent = made.parents[place]
    if service and hook is None and (parent < 0 or made.services[parent] != service) and made.keys[place] >= 0:
        text = f"{service}: {text}"
    word = f" {hook.word}" if hook is not None and hook.word not in ("", "ok") else ""
    odd = oddities(made, place)
    said = f" ! {', '.join(odd)}" if odd else ""
    room = width - len(head) - 2 - len(badge)
    return (
        Segment(head, Emphasis.DIM),
        Segment(f"{glyph} ", emphasis),
        Segment(badge, Emphasis.ACCENT),
        *_parts(text, word, said, emphasis, room),
    )


def _parts(text: str, word: str, said: str, emphasis: Emphasis, room: int) -> tuple[Segment, ...]:
    """A name with what is said behind it, in so many cells. The name has precedence, up to a point."""
    if room <= 0:
        return (Segment(fit("", 0)),)
    behind = word + said
    text_room = (
        max(min(len(text), room), room - len(behind))
        if not behind
        else max(min(len(text), room * 2 // 3), min(len(text), room - len(behind)))
    )
    first = fit(text, text_room)
    left = room - text_room
    word_room = min(len(word), left)
    return (
        Segment(first, Emphasis.STRONG if not said and emphasis is not Emphasis.NONE else Emphasis.NONE),
        Segment(fit(word, word_room), emphasis),
        Segment(fit(said, left - word_room), Emphasis.CHANGED),
    )


def _glyph(drawing: Drawing, place: int, hook: Hook | None) -> tuple[str, Emphasis]:
    made = drawing.skeleton
    if made.keys[place] < 0:
        return "?", Emphasis.CHANGED
    if hook is not None and hook.point:
        return hook.glyph, hook.emphasis
    if made.errors[place]:
        return "✗", Emphasis.ERROR
    if drawing.path is not None and place in drawing.path:
        return "◆", Emphasis.ACCENT
    return ("▶", Emphasis.RUNNING) if made.running[place] else ("·", Emphasis.NONE)


def _fold(outline: Outline, place: int) -> str:
    if not outline.skeleton.children[place]:
        return "  "
    return "▸ " if outline.is_folded(place) else "▾ "


def _indent(depth: int, width: int) -> str:
    """Two cells for each level, as far as there is room; then the number of the level."""
    most = max(4, width // 2 - 4)
    if depth * 2 <= most:
        return "  " * depth
    number = f"{depth}… "
    return " " * max(0, most - len(number)) + number


def _marker(marker: Marker, drawing: Drawing, share: Columns) -> tuple[Segment, ...]:
    errors = f"  ✗ {marker.errors:,} with errors" if marker.errors else ""
    emphasis = Emphasis.ERROR if marker.errors else Emphasis.DIM
    said = f"{_indent(marker.depth, share.name)}┄ {marker.spans:,} hidden{errors}"
    names = f" {', '.join(marker.names)}"
    return (
        Segment(fit(said, share.name + 1), emphasis),
        Segment(fit(names, share.bar + share.began + share.took), Emphasis.DIM),
    )
