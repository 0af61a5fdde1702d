"""What every format says of a dispatch in the same words. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from debugger.diff import diff
from debugger.store.notes import Remark
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.diffs import Comparison
from debugger.views.dispatches import MARK, NOTE
from debugger.views.states import SeatState, Verdict, duration, state_of, verdict_of
from debugger.whatif.reasons import reasons
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.values import Result, Status

TELLING = frozenset({SeatState.CHANGED, SeatState.DENIED, SeatState.ERROR, SeatState.TIMED_OUT, SeatState.CANCELLED})
"""States of a step that a reader wants the reason for."""
MOST_REASONS = 5


def verdict(trace: DispatchTrace) -> Verdict:
    """How a dispatch ended."""
    return verdict_of(trace, is_held=False)


def is_trouble(trace: DispatchTrace) -> bool:
    """Whether somebody would look at this dispatch first."""
    if trace.result is None or trace.result.error or trace.result.status is not Status.OK:
        return True
    return any(state_of(step, None) in TELLING - {SeatState.CHANGED} for step in trace.steps)


def remark(said: Remark | None) -> str:
    """What a reader said of a dispatch; empty where nobody did."""
    if said is None:
        return ""
    return " ".join(filter(None, (MARK if said.is_marked else NOTE, said.text)))


def by_whom(result: Result | None) -> str:
    """Who decided; empty where nobody in particular did."""
    return "" if result is None else result.decided_by


def duty(step: StepTrace) -> str:
    """The mode of a seat, and what exactly it is asked for where that says more."""
    mode = step.subscription.mode
    return f"{mode} {step.phase}" if step.phase and step.phase != mode else mode


def note(step: StepTrace) -> str:
    """How long it took, or because of whom it was not asked."""
    if step.not_reached is not None:
        return f"because of {step.not_reached.because_of}"
    return "" if step.took_ns is None else duration(step.took_ns)


def why(step: StepTrace) -> tuple[str, str]:
    """The sentence about a step and the rule behind it; both empty where nothing is known."""
    if step.verdict is not None:
        return step.verdict.why, step.verdict.rule
    if step.not_reached is not None:
        return f"never asked, because of {step.not_reached.because_of}", step.not_reached.rule
    return "", ""


def otherwise(trace: DispatchTrace, dialect: Dialect) -> Iterator[str]:
    """The smallest changes that would have made another verdict; only of what went wrong, and a few."""
    if not is_trouble(trace) or trace.result is None:
        return
    try:
        found = reasons(trace, dialect)
    except (BadInput, KeyError, ValueError):
        return  # once redacted, not every payload can be dispatched again
    for each in found[:MOST_REASONS]:
        if each.result is not None:
            yield f"{each.words}: {each.result.decision if each.result.decision else each.result.ending}"
        elif each.open_at:
            yield f"{each.words}: one would have to ask {each.open_at}"
        else:
            yield f"{each.words}: {each.refusal}"


def is_different(comparison: Comparison) -> bool:
    """Whether there is anything to show."""
    return bool(diff(comparison.before, comparison.after))
