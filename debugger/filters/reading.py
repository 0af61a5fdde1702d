"""What each field reads from a trace. Small functions, in the order of the table in `fields.py`; none knows a dialect.

A reader gives everything there is by now, cheapest first, and nothing where there is nothing. Whether more may come is
said in the table.
"""

from __future__ import annotations

from collections.abc import Iterator

from debugger.filters.gist import (
    Keyed,
    Searchable,
    decided_texts,
    dispatch_things,
    dispatch_words,
    error_texts,
    one,
    step_things,
    step_words,
)
from debugger.filters.sight import Sight
from debugger.trace import DispatchTrace, StepTrace, StretchTrace
from kernel.clock import NS_PER_MS
from kernel.facts import Changed, Decided
from kernel.values import (
    Answered,
    Cancelled,
    Crashed,
    Empty,
    Ending,
    Failed,
    Outcome,
    Skipped,
    TimedOut,
)

OUTCOMES: dict[type[Outcome], str] = {
    Answered: "answered",
    Empty: "empty",
    Failed: "failed",
    Crashed: "crashed",
    TimedOut: "timed out",
    Cancelled: "cancelled",
    Skipped: "skipped",
}


def step_status(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[str, ...]:
    if step.not_reached is not None:
        return ("not reached",)
    if step.verdict is not None:
        return (step.verdict.status.value,)
    if dispatch.result is not None:
        return ()
    return ("running",) if step.asked_at_ns is not None else ("waiting",)


def dispatch_status(sight: Sight, dispatch: DispatchTrace) -> tuple[str, ...]:
    result = dispatch.result
    if result is None:
        return ("running",)
    if result.ending is Ending.FINISHED:
        return (result.status.value,)
    return (result.status.value, result.ending.value)


def step_by(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> Iterator[str]:
    yield from (steered.by for steered in step.steered)
    yield from (change.by for change in step.changes)
    if step.not_reached is not None:
        yield step.not_reached.because_of
    if dispatch.result is not None and dispatch.result.decided_by == step.subscription.name:
        yield step.subscription.name


def dispatch_by(sight: Sight, dispatch: DispatchTrace) -> Iterator[str]:
    if dispatch.result is not None and dispatch.result.decided_by:
        yield dispatch.result.decided_by
    yield from (decided.by for decided in dispatch.decided)


def step_rule(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> Iterator[str]:
    if step.verdict is not None and step.verdict.rule:
        yield step.verdict.rule
    yield from (raised.rule for raised in step.raised if raised.rule)
    yield from (change.rule for change in (step.changed, step.amended) if change is not None and change.rule)
    if step.not_reached is not None and step.not_reached.rule:
        yield step.not_reached.rule


def dispatch_rule(sight: Sight, dispatch: DispatchTrace) -> Iterator[str]:
    if dispatch.result is not None and dispatch.result.rule:
        yield dispatch.result.rule
    yield from (decided.rule for decided in dispatch.decided if decided.rule)


def step_outcome(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[str, ...]:
    return () if step.outcome is None else (OUTCOMES[type(step.outcome)],)


def step_error(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> Iterator[str]:
    return error_texts(step)


def step_share(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[int, ...]:
    """Time taken, in millionths of one per cent of the deadline."""
    deadline_ms = step_deadline_ms(step)
    if not deadline_ms or step.took_ns is None or step.outcome is None:
        return ()
    took_ns = step.took_ns
    if isinstance(step.outcome, TimedOut):  # its own time, where a hold of somebody else's went on
        took_ns = max(int(step.outcome.after_ms * NS_PER_MS), deadline_ms * NS_PER_MS)
    return (took_ns * 100 // deadline_ms,)


def step_deadline_ms(step: StepTrace) -> int | None:
    """The deadline it was given, or, before that, the one of its seat."""
    return step.timeout_ms if step.asked_at_ns is not None else step.subscription.timeout_ms


def step_deadline(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[int, ...]:
    deadline_ms = step_deadline_ms(step)
    return () if deadline_ms is None else (deadline_ms * NS_PER_MS,)


def step_changes(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[Changed, ...]:
    return step.changes


def step_in(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[Keyed, ...]:
    return () if step.given is None else ((("", step.given.digest), step.given),)


def step_out(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> tuple[Keyed, ...]:
    if not isinstance(step.outcome, Answered):
        return ()
    return (((dispatch.opened.dialect, step.outcome.body), step.outcome),)


def dispatch_in(sight: Sight, dispatch: DispatchTrace) -> tuple[Keyed, ...]:
    return ((("", dispatch.opened.payload.digest), dispatch.opened.payload),)


def dispatch_out(sight: Sight, dispatch: DispatchTrace) -> tuple[Keyed, ...]:
    if dispatch.result is None or dispatch.result.payload is None:
        return ()
    return ((("", dispatch.result.payload.digest), dispatch.result.payload),)


def step_text(sight: Sight, dispatch: DispatchTrace, step: StepTrace) -> Iterator[str | Searchable]:
    """Everything that is said of a step: who, what about, what came of it, and the payloads."""
    yield from step_words(dispatch, step)
    for key, thing in step_things(dispatch, step):
        yield sight.text_of_thing(key, thing)


def dispatch_text(sight: Sight, dispatch: DispatchTrace) -> Iterator[str | Searchable]:
    """What is said of a dispatch itself, beside its steps."""
    yield from dispatch_words(dispatch)
    for key, thing in dispatch_things(dispatch):
        yield sight.text_of_thing(key, thing)


def decisions_of(stretch: StretchTrace) -> Iterator[Decided]:
    """What the host decided in a stretch itself."""
    yield from (content for content in stretch.contents if isinstance(content, Decided))


def stretch_text(sight: Sight, stretch: StretchTrace) -> Iterator[str]:
    yield from (stretch.entered.kind, stretch.entered.name, stretch.entered.dialect)
    for key, value in stretch.attributes.items():
        yield from (key, value if isinstance(value, str) else str(value))
    if stretch.left is not None:
        yield from one(stretch.left.error)
    yield from decided_texts(decisions_of(stretch))
