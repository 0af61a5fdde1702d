"""The span tree of one dispatch with its waterfall: who was asked when, and for how long. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debugger.session import SessionView
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.states import AGAIN, LOOKS, duration, name_of, state_of, verdict_of
from debugger.views.text import Emphasis, Segment, fit
from kernel.clock import NS_PER_MS

EIGHTHS = " ▏▎▍▌▋▊▉█"
ROOMY = 44
"""Cells from which a row has room for a wide column of durations."""
LEAST_BAR = 8
"""Cells below which a bar says nothing."""


@dataclass(frozen=True, slots=True)
class SpanRow:
    """One line of the tree. Times are nanoseconds from the start of the dispatch."""

    step: int | None
    """None for the dispatch itself."""
    name: str
    glyph: str
    emphasis: Emphasis
    from_ns: int | None
    to_ns: int | None
    deadline_ns: int | None
    note: str
    is_running: bool = False
    is_detail: bool = False
    """Whether it is a part of the row before."""


def rows(trace: DispatchTrace, session: SessionView, now_ns: int | None) -> tuple[SpanRow, ...]:
    """The dispatch, then every seat of its chain."""
    verdict = verdict_of(trace, session.hold_of(trace.id) is not None)
    end = _end(trace, now_ns) - trace.opened_at_ns
    top = SpanRow(None, trace.point, verdict.glyph, verdict.emphasis, 0, end, None, duration(end))
    steps = (each for step in trace.steps for each in (_row(trace, step, session, now_ns), *_deliveries(trace, step)))
    return (top, *steps)


def _deliveries(trace: DispatchTrace, step: StepTrace) -> Iterator[SpanRow]:
    """Each handing over of a question that was handed over more than once, below the step."""
    start = 0 if step.asked_at_ns is None else step.asked_at_ns - trace.opened_at_ns
    for place, each in enumerate(step.deliveries):
        is_last = place == len(step.deliveries) - 1
        emphasis = LOOKS[state_of(step, None)].emphasis if is_last else Emphasis.ERROR
        since = start + round(each.at_ms * NS_PER_MS)
        took = round(each.took_ms * NS_PER_MS)
        name = f"request {each.request_id}"
        yield SpanRow(step.step, name, AGAIN, emphasis, since, since + took, None, duration(took), is_detail=True)


def _end(trace: DispatchTrace, now_ns: int | None) -> int:
    if trace.ended_at_ns is not None:
        return trace.ended_at_ns
    known = [step.replied_at_ns for step in trace.steps if step.replied_at_ns is not None]
    return max([trace.opened_at_ns, *known, *([now_ns] if now_ns is not None else [])])


def _row(trace: DispatchTrace, step: StepTrace, session: SessionView, now_ns: int | None) -> SpanRow:
    state = state_of(step, session.hold_of(trace.id, step.step))
    look = LOOKS[state]
    start = None if step.asked_at_ns is None else step.asked_at_ns - trace.opened_at_ns
    stop = None if start is None or now_ns is None else now_ns - trace.opened_at_ns
    if start is not None and step.took_ns is not None:
        stop = start + step.took_ns
    deadline = None if start is None or step.timeout_ms is None else start + step.timeout_ms * NS_PER_MS
    note = str(state) if start is None else duration(None if stop is None else stop - start)
    name = name_of(trace, step)
    return SpanRow(step.step, name, look.glyph, look.emphasis, start, stop, deadline, note, step.is_running)


def scale_of(rows: Sequence[SpanRow]) -> int:
    """Nanoseconds that the full width of the bars stands for: the dispatch, and the deadline that is running."""
    running = [row.deadline_ns for row in rows if row.is_running and row.deadline_ns is not None]
    return max([row.to_ns or 0 for row in rows] + running, default=0)


def longest_name(rows: Sequence[SpanRow]) -> int:
    """Cells that the names of these rows need."""
    return max((len(row.name) + (0 if row.step is None else 4 if row.is_detail else 2) for row in rows), default=0)


def render(row: SpanRow, scale_ns: int, width: int, names: int = 0) -> tuple[Segment, ...]:
    """A row as one line: glyph, name, bar, duration. `scale_ns` is what the full width of the bars stands for, `names`
    how many cells names need, as far as there is room.
    """
    is_roomy = width >= ROOMY
    note_width = 11 if is_roomy else 9
    widest = width - note_width - LEAST_BAR - 4
    wanted = min(widest, max(names, (width - note_width) // 2 - 2)) if is_roomy else widest
    name_width = max(10, min(20, wanted))
    bar_width = max(4, width - name_width - note_width - 4)
    indent = "" if row.step is None else "    " if row.is_detail else "  "
    return (
        Segment(f"{indent}{row.glyph} ", row.emphasis),
        Segment(fit(row.name, name_width - len(indent)), Emphasis.STRONG if row.step is None else Emphasis.NONE),
        Segment(bar(row, scale_ns, bar_width), row.emphasis),
        Segment(fit(row.note.rjust(note_width), note_width), Emphasis.DIM),
    )


def bar(row: SpanRow, scale_ns: int, width: int) -> str:
    """A bar drawn to an eighth of a cell, with a tick where the deadline lies."""
    if row.from_ns is None or row.to_ns is None or scale_ns <= 0:
        return " " * width
    start = min(row.from_ns / scale_ns, 1.0) * width
    stop = min(row.to_ns / scale_ns, 1.0) * width
    first = min(int(start), width - 1)
    cells = [" "] * width
    length = max(stop - start, 1 / 8)
    for place in range(first, width):
        filled = min(1.0, length - (place - first))
        if filled <= 0:
            break
        cells[place] = EIGHTHS[max(1, round(filled * 8))]
    if row.deadline_ns is not None and row.deadline_ns <= scale_ns:
        tick = min(width - 1, int(row.deadline_ns / scale_ns * width))
        cells[tick] = "┃" if cells[tick] == " " else cells[tick]
    return "".join(cells)
