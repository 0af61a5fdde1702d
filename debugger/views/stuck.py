"""The stacks of callables that do not come back. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from debugger.stuck import clock, in_short, own_part, place_of
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, visible
from kernel.clock import NS_PER_MS
from kernel.transports.callback_threads import Stuck


def stack_lines(trace: DispatchTrace, step: int | None, stuck: Iterable[Stuck]) -> Iterable[Line]:
    """The whole stack of whoever is stuck in a step, and since when; of a dispatch, everybody in a line."""
    for each in stuck:
        if each.dispatch != trace.id:
            continue
        if step is None:
            yield line()
            yield line(said(in_short(each), Emphasis.RUNNING))
        elif _is_it(trace.step(step), each):
            yield from _stack(trace, trace.step(step), each)


def _is_it(step: StepTrace, stuck: Stuck) -> bool:
    return (step.subscription.name, step.phase) == (stuck.subscriber, stuck.phase) and (
        step.is_running or stuck.is_abandoned
    )


def _stack(trace: DispatchTrace, step: StepTrace, stuck: Stuck) -> Iterable[Line]:
    since = ""
    if step.asked_at_ns is not None:
        since = f", since {(step.asked_at_ns - trace.opened_at_ns) / NS_PER_MS:.0f} ms after the dispatch began"
    yield line()
    yield line(Segment(f"stuck for {clock(stuck.for_ns)}", Emphasis.RUNNING), since)
    if stuck.is_abandoned:
        yield line("The dispatch has given up on it; its thread is still there.")
    yield line(Segment("its stack, where it is now last:", Emphasis.DIM))
    innermost = place_of(stuck.stack)
    for each in own_part(stuck.stack):
        is_place = bool(innermost) and place_of((each,)) == innermost
        yield line("  ", Segment(visible(each), Emphasis.STRONG if is_place else Emphasis.NONE))
