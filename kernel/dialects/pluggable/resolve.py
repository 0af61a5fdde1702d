"""What one subscriber's outcome means for the rest of a pluggable chain: the mode rules of spec B.3 to B.6. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from google.protobuf.message import DecodeError

from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import BY_FIELD, Mode
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2, types_pb2
from kernel.values import Answered, Cancelled, Crashed, Effect, Empty, Failed, Outcome, Skipped, Status, TimedOut


class Category(StrEnum):
    """Category of a hook_error record (spec B.6)."""

    TRANSFORM_FAILED = "TRANSFORM_FAILED"
    VETO_FAILED = "VETO_FAILED"
    TIMEOUT = "TIMEOUT"
    INVALID_RESPONSE = "INVALID_RESPONSE"
    PROCESS_CRASHED = "PROCESS_CRASHED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A failure of the subscriber, to be recorded as a hook_error."""

    category: Category
    message: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """The verdict on one outcome."""

    status: Status
    effect: Effect
    rule: str
    why: str
    payload: HookPayload | None = None
    """Set exactly when `effect` is REPLACE."""
    trouble: Trouble | None = None


@dataclass(frozen=True, slots=True)
class _Rejected:
    """An answer that breaks a rule of its mode."""

    rule: str
    why: str


_ACKNOWLEDGED = Resolution(Status.OK, Effect.CONTINUE, "PL-OBSERVE-ACK", "it acknowledged; observers change nothing")
_SAME = Resolution(Status.OK, Effect.CONTINUE, "PL-TRANSFORM-SAME", "it handed back the payload as it was")
_ALLOWED = Resolution(Status.OK, Effect.CONTINUE, "PL-VETO-ALLOW", "it answered ALLOW")
_PLAIN = {(Mode.OBSERVE, b"\x0a\x00"): _ACKNOWLEDGED, (Mode.VETO, b"\x1a\x02\x08\x01"): _ALLOWED}
"""What nearly every answer comes to, by its bytes: nothing else need be known of them."""


def resolve(mode: Mode, payload: HookPayload, outcome: Outcome) -> Resolution:
    """Say what one outcome means for the rest of the chain."""
    match outcome:
        case Answered(body):
            return _answered(mode, payload, body)
        case Empty():
            rejected = _Rejected(f"PL-{mode.name}-INVALID", "it came back without any response")
            return _rejected(mode, rejected)
        case TimedOut(after_ms):
            why = f"no answer within its deadline ({after_ms:.0f} ms)" if after_ms else "its deadline was already over"
            return _failed(mode, "TIMEOUT", Trouble(Category.TIMEOUT, why), Status.TIMED_OUT)
        case Failed("DEADLINE_EXCEEDED", message):
            why = _sentence("it ended the call with DEADLINE_EXCEEDED itself", message)
            return _failed(mode, "TIMEOUT", Trouble(Category.TIMEOUT, why), Status.TIMED_OUT)
        case Crashed(message):
            return _failed(mode, "CRASHED", Trouble(Category.PROCESS_CRASHED, _sentence("its process died", message)))
        case Failed("UNAVAILABLE", message):
            why = _sentence("the call ended UNAVAILABLE, which counts as a dead process", message)
            return _failed(mode, "CRASHED", Trouble(Category.PROCESS_CRASHED, why))
        case Failed(code, message):
            return _failed(mode, "FAILED", Trouble(_OTHERWISE[mode], _sentence(f"it failed with {code}", message)))
        case Skipped(by):
            return Resolution(Status.SKIPPED, Effect.CONTINUE, "PL-SKIPPED", f"left out by {by}")
        case Cancelled(reason):
            return Resolution(Status.CANCELLED, Effect.ABORT, "PL-CANCELLED", f"the caller gave up: {reason}")
        case _:
            assert_never(outcome)


_OTHERWISE = {
    Mode.OBSERVE: Category.UNKNOWN,
    Mode.TRANSFORM: Category.TRANSFORM_FAILED,
    Mode.VETO: Category.VETO_FAILED,
}
"""Category of a failure that no other row of spec B.6 names."""

_MEANING = {
    Mode.OBSERVE: (Effect.CONTINUE, "the chain goes on"),
    Mode.TRANSFORM: (Effect.ABORT, "the chain is aborted"),
    Mode.VETO: (Effect.STOP, "that counts as DENY"),
}
"""What any failure amounts to in each mode (spec B.3)."""


def _failed(mode: Mode, kind: str, trouble: Trouble, status: Status = Status.ERROR) -> Resolution:
    effect, meaning = _MEANING[mode]
    return Resolution(status, effect, f"PL-{mode.name}-{kind}", f"{trouble.message}; {meaning}", None, trouble)


def _rejected(mode: Mode, rejected: _Rejected) -> Resolution:
    effect, meaning = _MEANING[mode]
    trouble = Trouble(Category.INVALID_RESPONSE, rejected.why)
    return Resolution(Status.ERROR, effect, rejected.rule, f"{rejected.why}; {meaning}", None, trouble)


def _answered(mode: Mode, payload: HookPayload, body: bytes) -> Resolution:
    if (plain := _PLAIN.get((mode, body))) is not None:
        return plain
    if mode is Mode.TRANSFORM and body == payload.handed_back:  # the same bytes mean the same; most often it is so
        return _SAME
    try:
        response = rpc_response_pb2.DispatchHookResponse.FromString(body)
    except DecodeError:
        # A gRPC host never sees such an answer: its codec ends the call with INTERNAL before the dispatcher looks.
        trouble = Trouble(_OTHERWISE[mode], f"its answer cannot be decoded ({len(body)} bytes)")
        return _failed(mode, "FAILED", trouble)
    member = response.WhichOneof("outcome")
    if member != mode:
        said = f"it answered with {member}" if member else "it answered without an outcome"
        return _rejected(mode, _Rejected(f"PL-{mode.name}-INVALID", f"{said} where {mode.value} was asked for"))
    match mode:
        case Mode.OBSERVE:
            return _ACKNOWLEDGED
        case Mode.TRANSFORM:
            return _transformed(payload, response.transform)
        case Mode.VETO:
            return _judged(response.veto.decision)
        case _:
            assert_never(mode)


def _judged(decision: int) -> Resolution:
    if decision == types_pb2.HOOK_DECISION_ALLOW:
        return _ALLOWED
    if decision == types_pb2.HOOK_DECISION_DENY:
        return Resolution(Status.DENIED, Effect.STOP, "PL-VETO-DENY", "it answered DENY")
    if decision == types_pb2.HOOK_DECISION_UNSPECIFIED:
        return _rejected(Mode.VETO, _Rejected("PL-VETO-UNSPECIFIED", "it left its decision unspecified"))
    why = f"it answered with the unknown decision {decision}, which counts as DENY"
    return Resolution(Status.DENIED, Effect.STOP, "PL-VETO-UNKNOWN-DECISION", why)


def _transformed(given: HookPayload, result: rpc_response_pb2.DispatchHookResponse.TransformResult) -> Resolution:
    if given.is_like(result.payload):  # which has a variant, so the answer has one, and passes every check
        return _SAME
    if (rejected := _broken_rule(given, result)) is not None:
        return _rejected(Mode.TRANSFORM, rejected)
    changed = HookPayload.of(result.payload)  # a copy: nobody shares an object with a subscriber (spec B.5)
    mutable = " and ".join(sorted(BY_FIELD[given.field].mutable))
    return Resolution(Status.CHANGED, Effect.REPLACE, "PL-TRANSFORM-CHANGED", f"it changed {mutable}", changed)


def _broken_rule(given: HookPayload, result: rpc_response_pb2.DispatchHookResponse.TransformResult) -> _Rejected | None:
    """The first of the acceptance checks of spec B.5 that a transform's answer fails, if it changes anything."""
    if not result.HasField("payload"):
        return _Rejected("PL-TRANSFORM-NO-PAYLOAD", "it handed back no payload")
    field = result.payload.WhichOneof("payload")
    if field is None:
        return _Rejected("PL-TRANSFORM-NO-PAYLOAD", "it handed back a payload without a variant")
    if field != given.field:
        return _Rejected("PL-TRANSFORM-OTHER-POINT", f"it handed back {field} where it was given {given.field}")
    mutable = BY_FIELD[field].mutable
    if not mutable:
        return _Rejected("PL-TRANSFORM-IMMUTABLE", f"it changed the payload, and {field} allows no change")
    before, after = _without(given.message, field, mutable), _without(result.payload, field, mutable)
    if before == after:
        return None
    for name in getattr(before, field).DESCRIPTOR.fields_by_name:
        if name not in mutable and not _has_equal(getattr(before, field), getattr(after, field), name):
            return _Rejected(
                "PL-TRANSFORM-MODEL", f"it changed {name}, and only {', '.join(sorted(mutable))} may change"
            )
    return _Rejected("PL-TRANSFORM-UNKNOWN-FIELD", f"it added or dropped an unknown field beside {', '.join(mutable)}")


def _without(message: events_pb2.HookPayload, field: str, members: frozenset[str]) -> events_pb2.HookPayload:
    copy = events_pb2.HookPayload()
    copy.CopyFrom(message)
    for member in members:
        getattr(copy, field).ClearField(member)
    return copy


def _has_equal(before: events_pb2.PreModelCallPayload, after: events_pb2.PreModelCallPayload, name: str) -> bool:
    return before.HasField(name) == after.HasField(name) and getattr(before, name) == getattr(after, name)


def _sentence(what: str, detail: str) -> str:
    return f"{what}: {detail}" if detail else what
