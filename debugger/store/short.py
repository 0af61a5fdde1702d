"""What a list says of a dispatch, counted once, when it is stored. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from typing import Final

from debugger.trace import DispatchTrace, Trace
from kernel.facts import Asked, Changed, Event, Fork, Opened, Raised, Replied, Resolved, Rewound, Steered
from kernel.values import Answered, Crashed, Failed, Status

BAD: Final = (Status.ERROR, Status.TIMED_OUT)


class Steering(IntFlag):
    """What people, scripts, armed faults and restarts did to a dispatch, as far as a list shows it."""

    NONE = 0
    FAULT = 1
    EDIT = 2
    FORK = 4
    BACK = 8
    """Somebody went back in it."""
    AGAIN = 16
    """A question was delivered more than once: whatever it made a subscriber do, it did twice."""


@dataclass(frozen=True, slots=True)
class Short:
    """Counts of one dispatch."""

    changes: int = 0
    """Of the payload, by people and by subscribers."""
    errors: int = 0
    """Steps that failed, timed out, or raised an error."""
    denials: int = 0
    """Steps that said no."""
    steered: int = Steering.NONE


def of_trace(trace: DispatchTrace) -> Short:
    """The counts of a dispatch that is folded."""
    statuses = [(step.verdict.status if step.verdict is not None else None, step) for step in trace.steps]
    steered = Steering.NONE
    if any(each.what == "fault" for step in trace.steps for each in step.steered):
        steered |= Steering.FAULT
    if any(step.is_edited for step in trace.steps):
        steered |= Steering.EDIT
    if any(step.deliveries for step in trace.steps):
        steered |= Steering.AGAIN
    if trace.opened.fork is not None:
        steered |= Steering.FORK
    if trace.rewinds:
        steered |= Steering.BACK
    return Short(
        len(trace.changes),
        sum(status in BAD or bool(step.raised) for status, step in statuses),
        sum(status is Status.DENIED for status, _ in statuses),
        int(steered),
    )


def in_short(events: Sequence[Event]) -> Short:
    """The counts of a whole dispatch, without folding it where nobody steered: this is done for each one stored."""
    changed: set[tuple[int, bool]] = set()
    asked: set[int] = set()
    statuses: dict[int, Status] = {}
    raised: set[int] = set()
    for event in events:
        match event.fact:
            case Steered() | Rewound() | Opened(fork=Fork()):
                return _folded(events)
            case Replied(outcome=Answered() | Failed() | Crashed() as outcome) if len(outcome.deliveries) > 1:
                return _folded(events)
            case Asked(step):
                asked.add(step)
            case Changed(step):
                changed.add((step, step in asked))
            case Resolved(step, _, status):
                statuses[step] = status
            case Raised(step):
                raised.add(step)
    errors = raised | {step for step, status in statuses.items() if status in BAD}
    return Short(len(changed), len(errors), sum(status is Status.DENIED for status in statuses.values()))


def _folded(events: Sequence[Event]) -> Short:
    trace = Trace()
    for event in events:
        trace.take(event)
    [found] = trace.dispatches
    return of_trace(found)
