"""Watched expressions as lines, and the history of one place of the payload. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from debugger.blame import Blame, Touch
from debugger.diff import Path
from debugger.expressions import Expression
from debugger.session import Hold
from debugger.trace import DispatchTrace
from debugger.views.blame import name_of
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment
from debugger.watching import Watched, watched
from kernel.values import JSON

MOST_TOUCHES = 500
"""Dispatches that the history of a place lists; the newest are kept."""

NO_WATCHES = (
    line(Segment("Nothing is watched. W pins an expression: a path such as $.messages[0],", Emphasis.DIM)),
    line(Segment("or JMESPath such as length(messages).", Emphasis.DIM)),
)


def watches(
    trace: DispatchTrace, step: int | None, expressions: Sequence[Expression], hold: Hold | None
) -> tuple[Line, ...]:
    """Every watched expression: what it is where one stands, and each step at which it became another one."""
    if not expressions:
        return NO_WATCHES
    edited = None if hold is None or hold.edited is None else hold.edited.view
    return tuple(_lines(watched(trace, expressions, edited), step))


def _lines(found: Iterable[Watched], step: int | None) -> Iterable[Line]:
    for each in found:
        here = each.at(step)
        changes = [reading for reading in each.readings if reading.is_changed]
        mark = Segment("~ " if here.is_changed else "  ", Emphasis.CHANGED)
        yield line(mark, said(each.text, Emphasis.ACCENT))
        yield line("    ", said(here.shown, Emphasis.CHANGED if here.is_changed else Emphasis.STRING))
        if changes:
            yield line(Segment("    as fired        ", Emphasis.DIM), said(each.readings[0].shown, Emphasis.DIM))
        for reading in changes:
            is_here = reading is here
            pointer = "  ▸ " if is_here else "    "
            yield line(
                Segment(pointer, Emphasis.STRONG),
                said(f"{reading.by:<15} ", Emphasis.CHANGED),
                said(reading.shown, Emphasis.STRONG if is_here else Emphasis.NONE),
            )
        yield line()


def history(trace: DispatchTrace, path: Path, found: Sequence[Touch]) -> tuple[Line, ...]:
    """What became of one place through the chain, and who wrote to it in all dispatches."""
    return tuple(_history(trace, path, found))


def _history(trace: DispatchTrace, path: Path, found: Sequence[Touch]) -> Iterable[Line]:
    yield line(Segment(f"In #{trace.number} {trace.point}", Emphasis.STRONG))
    try:
        states = Blame(trace).history(path)
    except KeyError:
        states = ()
        yield line(Segment("  nothing is there in the end", Emphasis.DIM))
    for written in states:
        yield line(
            said(f"  {name_of(written.writer):<16} ", Emphasis.CHANGED if written.writer.by else Emphasis.DIM),
            said(_short(written.value)),
            Segment(f"  {written.writer.rule}", Emphasis.ACCENT),
        )
    yield line()
    yield line(Segment(f"Written in {_count(found)}", Emphasis.STRONG))
    for touch in found[-MOST_TOUCHES:]:
        yield line(
            Segment(f"  #{touch.number:<5}", Emphasis.DIM),
            said(f"{touch.point:<20} "),
            said(touch.writer.by, Emphasis.CHANGED),
            Segment(f"  {touch.writer.rule}", Emphasis.ACCENT),
        )


def jumps(found: Sequence[Touch]) -> Iterable[tuple[str, str, str]]:
    """Whom one can go to, the newest first: number in `found`, the dispatch and who wrote, and by which rule."""
    for place, touch in reversed(list(enumerate(found))[-MOST_TOUCHES:]):
        yield str(place), f"#{touch.number} {touch.point}  {touch.writer.by}", touch.writer.rule


def _count(found: Sequence[Touch]) -> str:
    if not found:
        return "no dispatch"
    number = len({touch.dispatch for touch in found})
    return f"{number} dispatch{'es' if number > 1 else ''}"


def _short(value: JSON) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:159]}…"
