"""Why a dispatch came to what it came to: the smallest single changes that would have altered it."""

from __future__ import annotations

from collections.abc import Iterator

from debugger.trace import DispatchTrace, StepTrace
from debugger.whatif.alternatives import (
    Alternative,
    Gave,
    Patient,
    Thrown,
    Unedited,
    What,
    Without,
    alternative,
    verdict,
)
from kernel.clock import NS_PER_MS
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.values import JSON, Answered, Effect, Empty, Outcome, Skipped, Status, TimedOut

TROUBLE = frozenset({Status.ERROR, Status.TIMED_OUT, Status.DENIED})


def reasons(trace: DispatchTrace, dialect: Dialect) -> tuple[Alternative, ...]:
    """Every single change that would have made another verdict, or may have where the recorded answers do not tell.

    For a dispatch that is over. Answers in the place of failures and denials come first, then deadlines that a late
    answer would have kept, edits left undone, subscribers left out, and switches of the dialect.
    """
    assert trace.result is not None, "only what is over can be explained"
    found = []
    for what in _single_changes(trace, dialect):
        other = alternative(trace, what, dialect)
        if other.rerun is None or (other.result is not None and verdict(other.result) == verdict(trace.result)):
            continue
        found.append(other)
    return tuple(found)


def _single_changes(trace: DispatchTrace, dialect: Dialect) -> Iterator[What]:
    asked = [step for step in trace.steps if step.verdict is not None and step.outcome is not None]
    for step in asked:
        if step.verdict is not None and (
            step.verdict.effect in (Effect.STOP, Effect.ABORT) or step.verdict.status in TROUBLE
        ):
            yield from other_answers(step, dialect)
    for step in asked:
        if isinstance(step.outcome, TimedOut) and step.late and step.step < len(trace.opened.chain.subscriptions):
            yield Patient(step.step, step.late[0].took_ns // NS_PER_MS + 1)
    for step in trace.steps:
        if step.is_edited:
            yield Unedited(step.step)
    for step in asked:
        if step.step < len(trace.opened.chain.subscriptions) and not isinstance(step.outcome, Skipped):
            yield Without(step.step)
    for name, is_on in dialect.switches.items():
        yield Thrown(name, not is_on)


def other_answers(step: StepTrace, dialect: Dialect) -> Iterator[Gave]:
    """What is usually answered in this seat, each in the place of what came."""
    late = " in time" if isinstance(step.outcome, TimedOut) else ""
    for said in dialect.staging.usual(step.subscription, step.phase):
        try:
            body = dialect.staging.answer_in_words(said, step.subscription.mode)(step.request)
        except BadInput:
            continue  # an answer that does not fit this payload
        outcome: Outcome = Empty() if body is None else Answered(body)
        if outcome != step.outcome:
            yield Gave(step.step, outcome, f"{in_short(said)}{late}")


def in_short(said: JSON) -> str:
    """An answer in the dialect's words, as people write it: `deny`, `block no`."""
    match said:
        case dict():
            return ", ".join(f"{key} {in_short(value)}" for key, value in said.items())
        case _:
            return str(said)
