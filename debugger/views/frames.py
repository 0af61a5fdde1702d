"""One call as it travels: the question, the answer, and each handing over of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from debugger.trace import StepTrace
from debugger.views.inspect import answer, line, said, wire
from debugger.views.json_lines import json_lines
from debugger.views.states import duration
from debugger.views.text import Emphasis, Line, Segment
from kernel.dialect import Dialect


def frames(step: StepTrace, dialect: Dialect) -> tuple[Line, ...]:
    """Both messages as JSON and as bytes, with what is known of the call around them."""
    return tuple(_frames(step, dialect))


def _frames(step: StepTrace, dialect: Dialect) -> Iterable[Line]:
    if step.asked_at_ns is None:
        why = "" if step.not_reached is None else f", because of {step.not_reached.because_of}"
        yield line(said(f"{step.subscription.name} was not asked{why}: nothing travelled.", Emphasis.DIM))
        return
    deadline = "no deadline" if step.timeout_ms is None else f"deadline {step.timeout_ms} ms"
    phase = f"  {step.phase}" if step.phase else ""
    head = f"  {len(step.request)} bytes  {deadline}{phase}"
    yield line(Segment(f"→ to {step.subscription.name}", Emphasis.STRONG), said(head, Emphasis.DIM))
    for steered in step.steered:
        if steered.fault is not None:
            yield line(Segment("↯ ", Emphasis.ERROR), said(f"{steered.fault}: it befalls the far side of this call"))
    yield from json_lines(dialect.request_view(step.request))
    yield line()
    yield from wire(step.request)
    yield line()
    took = "" if step.took_ns is None else f"  after {duration(step.took_ns)}"
    yield line(Segment(f"← from {step.subscription.name}", Emphasis.STRONG), Segment(took, Emphasis.DIM))
    yield from answer(step, dialect, None)
    for printed in step.printed:
        yield line(said(f"{printed.stream} │ ", Emphasis.DIM), said(printed.text))
