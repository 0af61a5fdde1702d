"""What one outcome of a question comes to, and the rule and the sentence that say why. Decides by `verdict.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernel.dialects.rig.context_view import ContextKind, ContextView, Given, onward
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.error_view import error_view
from kernel.dialects.rig.errors import Denial, GuardError, Panic
from kernel.dialects.rig.operation import Outcome as Ended
from kernel.dialects.rig.operation import is_outcome
from kernel.dialects.rig.payload import RigPayload
from kernel.dialects.rig.verdict import FINISH_PANICKED, Gave, begun, blocked, guard_panicked
from kernel.dialects.rig.wire import (
    BeginSaid,
    Raised,
    begin_said,
    finish_said,
    guard_said,
    operation_said,
)
from kernel.errors import BadInput
from kernel.values import JSON, Answered, Cancelled, Crashed, Empty, Failed, Outcome, Skipped, Status, TimedOut


@dataclass(frozen=True, slots=True)
class BeginRead:
    status: Status
    rule: str
    why: str
    context: ContextView
    """The one for whoever comes next."""
    given: Given | None = None
    """Set where it took the place of the one before."""
    registers: bool = False
    log: str = ""


@dataclass(frozen=True, slots=True)
class GuardRead:
    status: Status
    rule: str
    why: str
    error: Denial | GuardError | None = None
    now: ContextView | None = None


@dataclass(frozen=True, slots=True)
class OperationRead:
    status: Status
    rule: str
    why: str
    outcome: int
    error: str = ""
    shown: JSON = None
    payload: RigPayload | None = None
    """The call with its terminal fields."""
    ended_at: int | None = None
    now: ContextView | None = None
    is_finished: bool = True
    """False where its owner never calls the finish."""


@dataclass(frozen=True, slots=True)
class BlockedRead:
    status: Status
    rule: str
    why: str
    payload: RigPayload | None = None
    """The call with what its owner tells of its end."""
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class FinishRead:
    status: Status
    rule: str
    why: str
    log: str = ""


def read_begin(before: ContextView, outcome: Outcome) -> BeginRead:
    """What a begin comes to, given the context that it was asked under."""
    said: BeginSaid | Raised
    match outcome:
        case Answered(body):
            try:
                said = begin_said(body)
            except BadInput as error:
                said = Raised("TypeError", f"what it gave cannot be taken for a context and a finish: {error}")
        case Empty():
            said = BeginSaid(Given(ContextKind.NONE), has_finish=False)
        case Skipped(by):
            return BeginRead(Status.SKIPPED, "RG-SKIPPED", f"left out by {by}", before)
        case _:
            said = _raised(outcome)
    if isinstance(said, Raised):
        log = begun(Gave.RAISED, has_finish=False).log
        return BeginRead(Status.ERROR, "RG-BEGIN-RAISED", f"it raised {said}; it has no finish", before, log=log)
    before = said.now or before
    meaning = begun(_GAVE.get(said.given.kind, Gave.OTHER), has_finish=said.has_finish)
    ending = "; its finish will run" if meaning.registers else "; it has no finish"
    if not meaning.takes_over:
        if meaning.log:
            why = f"it gave no context, so the old one stays{ending}"
            return BeginRead(
                Status.ERROR, "RG-BEGIN-NO-CONTEXT", why, before, registers=meaning.registers, log=meaning.log
            )
        why = f"it gave the same context back{ending}"
        return BeginRead(Status.OK, "RG-BEGIN-SAME", why, before, registers=meaning.registers)
    after = onward(before, said.given)
    rule, why = "RG-BEGIN-CONTEXT", f"it gave a {said.given.kind} context"
    if said.given.kind is ContextKind.HOSTILE:
        rule, why = "RG-BEGIN-HOSTILE", "it gave something that raises when it is asked, so the context before answers"
    elif after.view.cancelled and not before.cancelled:
        rule, why = "RG-BEGIN-CANCELLED", f"it gave a context that is cancelled already ({after.view.cancelled})"
    elif after.lost:
        rule, why = "RG-BEGIN-LOST", f"it gave a detached context, and {', '.join(after.lost)} lost"
    elif after.is_linked:
        rule, why = "RG-BEGIN-LINKED", f"it gave a {said.given.kind} context, which still ends with the one before"
    if after.lost and "lost" in why:
        why += " with the one before" if not after.is_linked else "; it still ends with the one before"
    return BeginRead(Status.OK, rule, why + ending, after.view, said.given, meaning.registers)


_GAVE = {ContextKind.SAME: Gave.SAME, ContextKind.NONE: Gave.NONE}


def read_guard(operation: int, index: int, outcome: Outcome) -> GuardRead:
    """What a guard's answer comes to."""
    match outcome:
        case Answered(body):
            try:
                said = guard_said(body)
            except BadInput as error:
                said = Raised("TypeError", f"what it returned cannot be read: {error}")
        case Empty():
            return GuardRead(Status.OK, "RG-GUARD-PASS", "it returned nothing")
        case Skipped(by):
            return GuardRead(Status.SKIPPED, "RG-SKIPPED", f"left out by {by}")
        case _:
            said = _raised(outcome)
    if isinstance(said, Raised):
        why = f"it raised {said}, which is dropped; a guard that fails blocks"
        return GuardRead(Status.ERROR, "RG-GUARD-RAISED", why, guard_panicked(operation, index))
    found = blocked(operation, index, said.error)
    if found is None:
        return GuardRead(Status.OK, "RG-GUARD-PASS", "it returned nothing", now=said.now)
    if isinstance(found, Denial):
        why = f"it denied with {found.code}: {found.reason}"
        return GuardRead(Status.DENIED, "RG-GUARD-DENIED", why, found, said.now)
    if isinstance(found.cause, Panic):
        why = "it returned an error that raises when it is looked into; a guard that fails blocks"
        return GuardRead(Status.ERROR, "RG-GUARD-HOSTILE", why, found, said.now)
    why = f"it returned {_named(said.shown)}, which is no well-formed denial; a guard that fails blocks"
    return GuardRead(Status.ERROR, "RG-GUARD-FAILED", why, found, said.now)


def _named(shown: Mapping[str, JSON]) -> str:
    """An error by its view."""
    type_name, message = str(shown.get("type", "Exception")), str(shown.get("message", ""))
    return f"{type_name} ({message})" if message not in ("", type_name) else type_name


def read_operation(payload: RigPayload, outcome: Outcome) -> OperationRead:
    """What the operation itself comes to."""
    match outcome:
        case Answered(body):
            try:
                said = operation_said(body)
                after = None if isinstance(said, Raised) or said.result is None else payload.with_terminal(said.result)
            except BadInput as error:
                said, after = Raised("TypeError", f"its answer cannot be read: {error}"), None
        case Empty():
            return OperationRead(Status.OK, "RG-COMPLETED", "it ended without an error", int(Ended.COMPLETED))
        case Skipped(by):
            return OperationRead(Status.SKIPPED, "RG-SKIPPED", f"left out by {by}", int(Ended.COMPLETED))
        case _:
            said, after = _raised(outcome), None
    if isinstance(said, Raised):
        error_text = f"loop: operation {payload.operation} panicked"
        shown: JSON = {"type": "Panic", "message": error_text}
        return OperationRead(Status.ERROR, "RG-BODY-RAISED", f"it raised {said}", int(Ended.FAILED), error_text, shown)
    by_error = outcome_of(said.error)
    rule = _BY_ERROR[by_error] if said.outcome == by_error else "RG-OUTCOME"
    status = _STATUSES.get(said.outcome, Status.OK)
    word = Ended(said.outcome).word if is_outcome(said.outcome) else f"outcome {said.outcome}, which is none"
    told = dict(said.error_view) if isinstance(said.error_view, dict) else error_view(said.error)
    shown = None if said.error is None else told
    why = f"it ended as {word}" + ("" if shown is None else f": {_named(told)}")
    message = "" if shown is None else str(told.get("message", ""))
    if not said.is_finished:
        rule, why = "RG-NEVER-FINISHED", f"{why}, and its owner never calls the finish"
    return OperationRead(
        status, rule, why, said.outcome, message, shown, after, said.ended_at, said.now, said.is_finished
    )


_BY_ERROR = {
    Ended.COMPLETED: "RG-COMPLETED",
    Ended.DENIED: "RG-DENIED",
    Ended.FAILED: "RG-FAILED",
    Ended.CANCELED: "RG-CANCELED",
}
_STATUSES: dict[int, Status] = {
    int(Ended.DENIED): Status.DENIED,
    int(Ended.FAILED): Status.ERROR,
    int(Ended.CANCELED): Status.CANCELLED,
}


def read_blocked(payload: RigPayload, outcome: Outcome) -> BlockedRead:
    """What the owner of a blocked operation makes known of it; how it ends is decided already."""
    rule, why = "RG-OWNER-BLOCKED", "its owner says what it comes to; the finishes run now"
    match outcome:
        case Answered(body):
            try:
                said = operation_said(body)
                if isinstance(said, Raised):
                    return BlockedRead(Status.ERROR, rule, f"its owner raised {said}; the finishes run all the same")
                after = None if said.result is None else payload.with_terminal(said.result)
            except BadInput as error:
                return BlockedRead(Status.ERROR, rule, f"what its owner says cannot be read: {error}")
            return BlockedRead(Status.OK, rule, why, after, said.ended_at)
        case Empty():
            return BlockedRead(Status.OK, rule, why)
        case Skipped(by):
            return BlockedRead(Status.SKIPPED, "RG-SKIPPED", f"left out by {by}")
        case _:
            return BlockedRead(Status.ERROR, rule, f"its owner raised {_raised(outcome)}; the finishes run")


def read_finish(outcome: Outcome) -> FinishRead:
    """What a finish comes to."""
    match outcome:
        case Answered(body):
            try:
                said = finish_said(body)
            except BadInput as error:
                return FinishRead(Status.OK, "RG-FINISH", f"it ran; what it gave back is of no interest ({error})")
        case Empty():
            return FinishRead(Status.OK, "RG-FINISH", "it ran")
        case Skipped(by):
            return FinishRead(Status.SKIPPED, "RG-SKIPPED", f"left out by {by}")
        case _:
            said = _raised(outcome)
    if isinstance(said, Raised):
        why = f"it raised {said}; the others still run"
        return FinishRead(Status.ERROR, "RG-FINISH-RAISED", why, FINISH_PANICKED)
    return FinishRead(Status.OK, "RG-FINISH", "it ran")


def _raised(outcome: Outcome) -> Raised:
    match outcome:
        case Failed(code, message):
            return Raised(code, message)
        case TimedOut(after_ms):
            return Raised("TimedOut", f"no answer within {after_ms:.0f} ms, where this dialect knows no deadline")
        case Cancelled() | Crashed():
            raise AssertionError("these end the dispatch")
        case _:
            raise AssertionError(f"{outcome!r} is no raise")
