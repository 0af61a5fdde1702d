"""What a subscriber of this dialect can answer wrongly, and every gRPC status it can end a call with."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from types import MappingProxyType

from google.protobuf.message import DecodeError, Message

from kernel.dialects.pluggable.points import BY_FIELD, BY_LABEL, Mode
from kernel.dialects.pluggable.view import varint
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2, rpc_response_pb2
from kernel.errors import BadInput
from kernel.faults import COMMON, Alter, FarSide, FaultKind, Plan, Refuse, always, text
from kernel.values import JSON, Ask, Subscription

GRPC_CODES = (
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
)

_TRANSFORM = frozenset({Mode.TRANSFORM.value})
_VETO = frozenset({Mode.VETO.value})
_UNKNOWN_FIELD = varint(99 << 3) + varint(1)


def _grpc_status(params: Mapping[str, JSON]) -> Plan:
    code = text(params, "code").upper()
    if code not in GRPC_CODES:
        raise BadInput(f"no gRPC status {code!r}; there are {', '.join(GRPC_CODES)}")
    return always(Refuse(code, text(params, "message")))


def _sends(answer: bytes) -> Callable[[Mapping[str, JSON]], Plan]:
    return lambda params: always(Alter(lambda true_answer: answer))


def _for_the_call(plan: Plan) -> Callable[[Mapping[str, JSON]], Plan]:
    """A fault without settings that depends on what was asked."""
    return lambda params: plan


def _wrong_variant(ask: Ask) -> FarSide:
    """A member that was not asked for: an observer gets to deny, everybody else only acknowledges."""
    return Alter(lambda true_answer: b"\x1a\x02\x08\x02" if ask.subscription.mode == Mode.OBSERVE else b"\x0a\x00")


def _raw(params: Mapping[str, JSON]) -> Plan:
    try:
        answer = base64.b64decode(text(params, "base64"), validate=True)
    except (binascii.Error, ValueError):
        raise BadInput("base64 must be base64 text") from None
    return always(Alter(lambda true_answer: answer))


def _given(ask: Ask) -> events_pb2.HookPayload:
    return rpc_request_pb2.DispatchHookRequest.FromString(ask.request).payload


def _handed_back(true_answer: bytes, ask: Ask) -> events_pb2.HookPayload:
    """The payload in a transform's answer, or the one it was given where the answer has none."""
    try:
        response = rpc_response_pb2.DispatchHookResponse.FromString(true_answer)
    except DecodeError:
        return _given(ask)
    return response.transform.payload if response.transform.payload.WhichOneof("payload") else _given(ask)


def _transform(payload: events_pb2.HookPayload) -> bytes:
    response = rpc_response_pb2.DispatchHookResponse()
    response.transform.payload.CopyFrom(payload)
    return response.SerializeToString()


def _mutates_immutable(ask: Ask) -> FarSide:
    def rewrite(true_answer: bytes) -> bytes:
        payload = _handed_back(true_answer, ask)
        variant = payload.WhichOneof("payload") or BY_LABEL[ask.subscription.point].field
        _touch_first(getattr(payload, variant), BY_FIELD[variant].mutable)
        return _transform(payload)

    return Alter(rewrite)


def _touch_first(message: Message, mutable: frozenset[str]) -> None:
    """Change one text, the first that may not change, wherever it is nested."""
    for field in message.DESCRIPTOR.fields:
        if field.name in mutable or field.is_repeated:
            continue
        if field.type == field.TYPE_STRING:
            setattr(message, field.name, getattr(message, field.name) + "-tampered")
            return
        if field.message_type is not None and field.message_type.full_name.startswith("pluggableharness."):
            _touch_first(getattr(message, field.name), frozenset())
            return


def _other_point(ask: Ask) -> FarSide:
    def rewrite(true_answer: bytes) -> bytes:
        payload = events_pb2.HookPayload()
        other = payload.plan_ready if ask.subscription.point != "plan-ready" else payload.post_apply
        other.SetInParent()
        return _transform(payload)

    return Alter(rewrite)


def _adds_unknown_field(ask: Ask) -> FarSide:
    def rewrite(true_answer: bytes) -> bytes:
        payload = _handed_back(true_answer, ask)
        variant = payload.WhichOneof("payload") or BY_LABEL[ask.subscription.point].field
        getattr(payload, variant).MergeFromString(_UNKNOWN_FIELD)
        return _transform(payload)

    return Alter(rewrite)


FAULTS: tuple[FaultKind, ...] = (
    *COMMON,
    FaultKind(
        "grpc_status", "ends the call with a gRPC status", _grpc_status, {"code": "INTERNAL", "message": "injected"}
    ),
    FaultKind("wrong_variant", "answers with an outcome that its mode does not have", _for_the_call(_wrong_variant)),
    FaultKind("no_outcome", "answers without any outcome", _sends(b"")),
    FaultKind("garbage", "answers with bytes that are no protobuf message", _sends(b"\xff\xff\xff\xff")),
    FaultKind("raw_answer", "answers with these bytes", _raw, {"base64": ""}),
    FaultKind("no_payload", "hands back no payload", _sends(b"\x12\x00"), modes=_TRANSFORM),
    FaultKind("other_point", "hands back the payload of another point", _for_the_call(_other_point), modes=_TRANSFORM),
    FaultKind(
        "mutate_immutable", "changes a member that may not change", _for_the_call(_mutates_immutable), modes=_TRANSFORM
    ),
    FaultKind(
        "unknown_field", "adds an unknown field to the payload", _for_the_call(_adds_unknown_field), modes=_TRANSFORM
    ),
    FaultKind("unspecified_decision", "leaves its decision unspecified", _sends(b"\x1a\x00"), modes=_VETO),
    FaultKind("unknown_decision", "answers with decision number 7", _sends(b"\x1a\x02\x08\x07"), modes=_VETO),
)
"""The catalogue. Every entry is performed on the far side, so that the rules above see what a host would see."""


def exercises(kind: str, seat: Subscription) -> frozenset[str]:
    """The rule that resolves a step with a fault of this kind in its usual settings; empty for a mere delay."""
    mode = seat.mode.upper()
    if kind in _WHATEVER_MODE:
        suffix = _WHATEVER_MODE[kind]
        return frozenset({f"PL-{mode}-{suffix}"} if suffix else ())
    if kind in ("mutate_immutable", "unknown_field") and not BY_LABEL[seat.point].mutable:
        return frozenset({"PL-TRANSFORM-IMMUTABLE"})
    return frozenset({_ONE_MODE[kind]})


_WHATEVER_MODE: Mapping[str, str] = MappingProxyType(
    {
        "hang": "TIMEOUT",
        "late_answer": "TIMEOUT",
        "delay": "",
        "crash": "CRASHED",
        "grpc_status": "FAILED",
        "garbage": "FAILED",
        "wrong_variant": "INVALID",
        "no_outcome": "INVALID",
        "raw_answer": "INVALID",
    }
)
_ONE_MODE: Mapping[str, str] = MappingProxyType(
    {
        "no_payload": "PL-TRANSFORM-NO-PAYLOAD",
        "other_point": "PL-TRANSFORM-OTHER-POINT",
        "mutate_immutable": "PL-TRANSFORM-MODEL",
        "unknown_field": "PL-TRANSFORM-UNKNOWN-FIELD",
        "unspecified_decision": "PL-VETO-UNSPECIFIED",
        "unknown_decision": "PL-VETO-UNKNOWN-DECISION",
    }
)
