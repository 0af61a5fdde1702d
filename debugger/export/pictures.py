"""Which lines a picture shows: the panes and lenses of the application, drawn without it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from debugger.export import words
from debugger.export.material import Material
from debugger.export.svg import svg
from debugger.session import SessionView
from debugger.trace import DispatchTrace
from debugger.views import blame, chain, dispatches, inspect, spans
from debugger.views.diffs import DiffStyle
from debugger.views.lens import Lens, OneColumn, Subject, draw
from debugger.views.story import Story
from debugger.views.text import Emphasis, Kind, Line, Segment, crop, fit, wrap
from kernel.errors import BadInput

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan

Drawing: TypeAlias = list[tuple[Segment, ...]]

WIDTH = 100
"""Cells of a picture where nobody says."""
LEAST, MOST = 40, 300
LONGEST = 400
"""Lines of a picture; what is left out is said."""


class View(StrEnum):
    """What can be drawn."""

    ALL = "all"
    """Chain, spans, why and diff of a dispatch, one below the other."""
    DISPATCHES = "dispatches"
    CHAIN = "chain"
    SPANS = "spans"
    DIFF = "diff"
    SIDES = "sides"
    """The diff in two columns."""
    BLAME = "blame"
    PAYLOAD = "payload"
    ANSWER = "answer"
    WHY = "why"
    SPAN = "span"
    OUTPUT = "output"
    STORY = "story"


_LENSES = {
    View.DIFF: Lens.DIFF,
    View.SIDES: Lens.DIFF,
    View.PAYLOAD: Lens.PAYLOAD,
    View.ANSWER: Lens.ANSWER,
    View.WHY: Lens.WHY,
    View.SPAN: Lens.SPAN,
    View.OUTPUT: Lens.OUTPUT,
}
_OF_KIND = {
    Kind.ADDED: Emphasis.ADDED,
    Kind.REMOVED: Emphasis.REMOVED,
    Kind.CHANGED: Emphasis.CHANGED,
    Kind.MOVED: Emphasis.ACCENT,
    Kind.HUNK: Emphasis.ACCENT,
}
_GAP: Drawing = [()]
_NOBODY = SessionView()
"""Nothing is held and nothing is armed in a recording."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What a picture is to show."""

    view: View = View.ALL
    step: str = ""
    """A subscriber's name or the number of its step; empty for the dispatch as a whole."""
    width: int = WIDTH


def picture(material: Material, wish: Wish) -> str:
    """One dispatch as SVG; the list of dispatches, or of a story, for all of them. Raises BadInput."""
    if not LEAST <= wish.width <= MOST:
        raise BadInput(f"a picture is {LEAST} to {MOST} cells wide, not {wish.width}")
    if wish.view is View.DISPATCHES:
        marks = dispatches.Marks(remarks=material.remarks)
        rows = [dispatches.row(each, _NOBODY, wish.width, marks) for each in material.dispatches]
        return svg(f"{material.source}: {len(rows)} dispatches", _bounded(rows))
    if wish.view is View.STORY:
        return svg(f"{material.source}: what happened", _bounded(_drawn(tuple(_story(material)), wish.width)))
    if len(material.dispatches) != 1:
        raise BadInput(
            f"a picture shows one dispatch, and there are {len(material.dispatches)}",
            fix="name it with --dispatch, or draw the list with --view dispatches",
        )
    [trace] = material.dispatches
    step = _step(trace, wish.step)
    name = trace.point if step is None else trace.step(step).subscription.name
    return svg(f"#{trace.number} {name} · {wish.view}", _bounded(_of(material, trace, step, wish)))


def _step(trace: DispatchTrace, wanted: str) -> int | None:
    if not wanted:
        return None
    found = [each.step for each in trace.steps if wanted in (each.subscription.name, str(each.step))]
    if not found:
        names = ", ".join(f"{each.step} {each.subscription.name}" for each in trace.steps)
        raise BadInput(f"no step {wanted!r} in dispatch {trace.number}", fix=f"there are {names or 'none'}")
    return found[0]


def _of(material: Material, trace: DispatchTrace, step: int | None, wish: Wish) -> Drawing:
    match wish.view:
        case View.CHAIN:
            return _chain(trace, step, wish.width)
        case View.SPANS:
            return _spans(trace, wish.width)
        case View.BLAME:
            return _drawn(blame.blame(trace), wish.width)
        case View.ALL:
            why = _lens(material, trace, step, View.WHY, wish.width)
            parts = [_chain(trace, step, wish.width), _spans(trace, wish.width), why]
            if trace.changes or (step is not None and trace.step(step).outcome is not None):
                parts.append(_lens(material, trace, step, View.DIFF, wish.width))
            if said := words.remark(material.remarks.get(trace.id)):
                parts.insert(0, _drawn(wrap(inspect.line(inspect.said(said)), wish.width), wish.width))
            return [line for part in parts for line in (*part, *_GAP)][:-1]
        case _:
            return _lens(material, trace, step, wish.view, wish.width)


def _chain(trace: DispatchTrace, step: int | None, width: int) -> Drawing:
    """As many strips as it takes to show every seat."""
    view = chain.chain_view(trace, _NOBODY, None, step)
    room = max(1, (width - chain.RESULT_CELL - 2) // chain.MIN_CELL)
    drawn: Drawing = []
    for first in range(0, max(1, len(view.seats)), room):
        seats = view.seats[first : first + room]
        is_last = first + room >= len(view.seats)
        part = chain.ChainView(view.title, seats, view.verdict if is_last else None, view.detail)
        drawn += [*chain.render(part, width), *([] if is_last else _GAP)]
    return drawn


def _spans(trace: DispatchTrace, width: int) -> Drawing:
    rows = spans.rows(trace, _NOBODY, None)
    scale = spans.scale_of(rows)
    return [spans.render(row, scale, width) for row in rows]


def _lens(material: Material, trace: DispatchTrace, step: int | None, view: View, width: int) -> Drawing:
    style = DiffStyle.SIDE_BY_SIDE if view is View.SIDES else DiffStyle.UNIFIED
    subject = Subject(trace, step, None, _LENSES[view], style, is_wide=view is View.SIDES)
    span = _span(material, trace, step) if view is View.SPAN else None
    drawn = draw(subject, material.dialect(trace), span)
    if isinstance(drawn, OneColumn):
        return _drawn(drawn.lines, width)
    half = (width - 3) // 2
    return [(*_half(left, half), Segment(" │ ", Emphasis.DIM), *_half(right, half)) for left, right in drawn.pairs]


def _half(line: Line | None, width: int) -> tuple[Segment, ...]:
    if line is None:
        return (Segment(" " * width),)
    shown = crop(line, width - 2)
    blanks = fit("", width - 2 - len(fit(shown.text, width - 2).rstrip()))
    return (_mark(line), *shown.segments, Segment(blanks if shown.text.strip() else fit("", width - 2)))


def _drawn(lines: Sequence[Line], width: int) -> Drawing:
    return [(_mark(row), *row.segments) for line in lines[: LONGEST + 1] for row in wrap(line, width - 2)]


def _mark(line: Line) -> Segment:
    return Segment(f"{line.mark} ", _OF_KIND.get(line.kind, Emphasis.DIM))


def _bounded(lines: Drawing) -> Drawing:
    if len(lines) <= LONGEST:
        return lines
    return [*lines[:LONGEST], (Segment(f"… {len(lines) - LONGEST} more lines", Emphasis.DIM),)]


def _story(material: Material) -> Iterator[Line]:
    story = Story(material.trace, lambda payload: "", ())
    known = {*material.stretches, *(each.id for each in material.dispatches)}
    for event in material.events:
        parent = getattr(event.fact, "parent", None)
        if parent is not None and parent not in known and event.number == 0:
            yield from story.of(event.dispatch)


def _span(material: Material, trace: DispatchTrace, step: int | None) -> ReadableSpan | None:
    """The span as the host would export it, made again from what was told."""
    from debugger.scenario.measure import measured

    events = [event for event in material.events if event.dispatch == trace.id]
    roots = measured(events, material.dialect(trace)).roots
    if not roots or step is None:
        return roots[0].span if roots else None
    asked = sorted(
        (each for each in trace.steps if each.asked_at_ns is not None), key=lambda each: each.asked_at_ns or 0
    )
    place = next((place for place, each in enumerate(asked) if each.step == step), None)
    children = roots[0].children
    return children[place].span if place is not None and place < len(children) else None
