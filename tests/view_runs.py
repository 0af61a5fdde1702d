"""What tests of the views share: traces of real dispatches on virtual time, whole or cut off, and lines as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from dispatch_runs import Told, on_virtual_time, stub

from debugger.breakpoints import Side
from debugger.session import Hold, SessionView
from debugger.trace import DispatchTrace, Trace
from debugger.views.text import Segment
from kernel.clock import VirtualClock
from kernel.dialects.pluggable import Pluggable
from kernel.subscriber import Subscriber
from kernel.values import Answered

LITERAL = ("[bold]x[/]", "\x1b[31mred", "日本語のなまえ", "a\u202eb\tc")
"""Names that a terminal or a markup language would take for something else."""


def run(
    seats: str, stubs: Mapping[str, Subscriber | str], *, until: str | None = None, number: int = 1, **options: object
) -> DispatchTrace:
    """The trace of a dispatch; cut off after the event that the story of the run tells as `until`."""

    async def body(clock: VirtualClock) -> Told:
        subscribers = {name: stub(each) if isinstance(each, str) else each for name, each in stubs.items()}
        return await Told().run(seats, subscribers, clock, **options)  # type: ignore[arg-type]

    told = on_virtual_time(body)
    last = len(told.events) if until is None else told.story.index(until) + 1
    trace = Trace()
    for earlier in range(number - 1):
        for event in told.events:
            trace.take(replace(event, dispatch=f"earlier {earlier}"))
    for event in told.events[:last]:
        trace.take(event)
    return trace.dispatches[-1]


def held(trace: DispatchTrace, step: int, side: Side = Side.BEFORE, **changes: object) -> SessionView:
    """The session while it holds this step of a trace."""
    return SessionView(holds=(hold(trace, step, side, **changes),))


def hold(trace: DispatchTrace, step: int, side: Side = Side.BEFORE, **changes: object) -> Hold:
    """A hold of a step, before it is asked or after it answered."""
    walk, _ = Pluggable().open(trace.opened.chain, trace.payload)
    seat = trace.steps[step].subscription
    ask = replace(walk.asks[0], step=step, subscription=seat)
    outcome = trace.steps[step].outcome
    found = Hold(trace.id, step, seat.name, side, 0, ask, outcome if isinstance(outcome, Answered) else None)
    return replace(found, **changes)  # type: ignore[arg-type]


def as_text(lines: Iterable[Iterable[Segment]]) -> list[str]:
    """Lines of segments as lines of text, without the blanks at their ends."""
    return ["".join(segment.text for segment in line).rstrip() for line in lines]
