"""Claims about single outcomes: the mode rules of spec B.3 to B.6 as a grid, and for any bytes at all."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_answers import ANSWERS, hand_back
from pluggable_messages import messages, payloads
from pluggable_payloads import VIEWS, payload

from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import Mode
from kernel.dialects.pluggable.resolve import Category, Resolution, resolve
from kernel.dialects.pluggable.rules import RULES
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_response_pb2
from kernel.values import Answered, Cancelled, Crashed, Effect, Empty, Failed, Outcome, Skipped, Status, TimedOut

OBSERVE, TRANSFORM, VETO = Mode.OBSERVE, Mode.TRANSFORM, Mode.VETO
WEIGHT = {OBSERVE: Effect.CONTINUE, TRANSFORM: Effect.ABORT, VETO: Effect.STOP}
"""What any failure amounts to (spec B.3)."""
OTHERWISE = {OBSERVE: "UNKNOWN", TRANSFORM: "TRANSFORM_FAILED", VETO: "VETO_FAILED"}
"""Category of a failure without a row of its own (spec B.6)."""


def request(point: str = "pre-model-call") -> bytes:
    return payload(point).request(TRANSFORM)


def said(name: str, point: str = "pre-model-call") -> Answered:
    answer = ANSWERS[name](request(point))
    assert answer is not None
    return Answered(answer)


FAILURES: list[tuple[Outcome, str, str, Status]] = [
    (TimedOut(50), "TIMEOUT", "TIMEOUT", Status.TIMED_OUT),
    (TimedOut(0), "TIMEOUT", "TIMEOUT", Status.TIMED_OUT),
    (Failed("DEADLINE_EXCEEDED", ""), "TIMEOUT", "TIMEOUT", Status.TIMED_OUT),
    (Crashed("killed"), "CRASHED", "PROCESS_CRASHED", Status.ERROR),
    (Failed("UNAVAILABLE", "gone"), "CRASHED", "PROCESS_CRASHED", Status.ERROR),
    (Failed("INTERNAL", "oops"), "FAILED", "", Status.ERROR),
    (Failed("UNIMPLEMENTED", ""), "FAILED", "", Status.ERROR),
    (Failed("CANCELLED", ""), "FAILED", "", Status.ERROR),
    (Failed("INVALID_ARGUMENT", "transform_payload_mutated"), "FAILED", "", Status.ERROR),
    (Failed("ValueError", "in process"), "FAILED", "", Status.ERROR),
    (Answered(b"\xff"), "FAILED", "", Status.ERROR),
    (Empty(), "INVALID", "INVALID_RESPONSE", Status.ERROR),
    (Answered(b""), "INVALID", "INVALID_RESPONSE", Status.ERROR),
]
"""Outcome, end of the rule's id, category (empty: the mode's own) and status: alike in every mode, effect apart."""


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize(("outcome", "rule", "category", "status"), FAILURES, ids=lambda part: str(part)[:40])
def test_a_failure_weighs_as_much_as_its_mode(
    mode: Mode, outcome: Outcome, rule: str, category: str, status: Status
) -> None:
    """An observer's is recorded, a transform's aborts, a veto's closes the gate; each leaves a record."""
    got = resolve(mode, payload("pre-model-call"), outcome)
    assert (got.effect, got.status, got.rule, got.payload) == (WEIGHT[mode], status, f"PL-{mode.name}-{rule}", None)
    assert got.trouble is not None
    assert got.trouble.category == (category or OTHERWISE[mode])
    assert got.trouble.message
    assert got.why.startswith(got.trouble.message)


GRID: list[tuple[str, str, str | None, str | None, str | None]] = [
    # point, answer, and what it means to observe, transform and veto: rule, or None for the mode's INVALID rule
    ("pre-model-call", "ack", "PL-OBSERVE-ACK", None, None),
    ("pre-model-call", "same", None, "PL-TRANSFORM-SAME", None),
    ("pre-model-call", "+x", None, "PL-TRANSFORM-CHANGED", None),
    ("pre-model-call", "reverse", None, "PL-TRANSFORM-CHANGED", None),
    ("pre-model-call", "no messages", None, "PL-TRANSFORM-CHANGED", None),
    ("pre-model-call", "edit inside", None, "PL-TRANSFORM-CHANGED", None),
    ("pre-model-call", "unknown in message", None, "PL-TRANSFORM-CHANGED", None),
    ("pre-model-call", "change model", None, "PL-TRANSFORM-MODEL", None),
    ("pre-model-call", "clear model", None, "PL-TRANSFORM-MODEL", None),
    ("pre-model-call", "unknown beside messages", None, "PL-TRANSFORM-UNKNOWN-FIELD", None),
    ("pre-model-call", "unknown beside variant", None, "PL-TRANSFORM-UNKNOWN-FIELD", None),
    ("pre-model-call", "no payload", None, "PL-TRANSFORM-NO-PAYLOAD", None),
    ("pre-model-call", "payload without variant", None, "PL-TRANSFORM-NO-PAYLOAD", None),
    ("pre-model-call", "plan_ready payload", None, "PL-TRANSFORM-OTHER-POINT", None),
    ("plan-ready", "same", None, "PL-TRANSFORM-SAME", None),
    ("plan-ready", "struct keys reordered", None, "PL-TRANSFORM-SAME", None),
    ("pre-tool-call", "change arguments", None, "PL-TRANSFORM-IMMUTABLE", None),
    ("post-tool-call", "result to error", None, "PL-TRANSFORM-IMMUTABLE", None),
    ("post-apply", "drop item", None, "PL-TRANSFORM-IMMUTABLE", None),
    ("session-end", "unknown in session_end", None, "PL-TRANSFORM-IMMUTABLE", None),
    ("session-end", "unknown beside variant", None, "PL-TRANSFORM-IMMUTABLE", None),
    ("plan-ready", "allow", None, None, "PL-VETO-ALLOW"),
    ("plan-ready", "deny", None, None, "PL-VETO-DENY"),
    ("plan-ready", "decision 7", None, None, "PL-VETO-UNKNOWN-DECISION"),
    ("plan-ready", "unspecified", None, None, "PL-VETO-UNSPECIFIED"),
    ("plan-ready", "observe then veto", None, None, "PL-VETO-DENY"),
]
MEANING = {
    "PL-OBSERVE-ACK": (Status.OK, Effect.CONTINUE, ""),
    "PL-TRANSFORM-SAME": (Status.OK, Effect.CONTINUE, ""),
    "PL-TRANSFORM-CHANGED": (Status.CHANGED, Effect.REPLACE, ""),
    "PL-TRANSFORM-MODEL": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-TRANSFORM-UNKNOWN-FIELD": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-TRANSFORM-NO-PAYLOAD": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-TRANSFORM-OTHER-POINT": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-TRANSFORM-IMMUTABLE": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-VETO-ALLOW": (Status.OK, Effect.CONTINUE, ""),
    "PL-VETO-DENY": (Status.DENIED, Effect.STOP, ""),
    "PL-VETO-UNKNOWN-DECISION": (Status.DENIED, Effect.STOP, ""),
    "PL-VETO-UNSPECIFIED": (Status.ERROR, Effect.STOP, "INVALID_RESPONSE"),
    "PL-OBSERVE-INVALID": (Status.ERROR, Effect.CONTINUE, "INVALID_RESPONSE"),
    "PL-TRANSFORM-INVALID": (Status.ERROR, Effect.ABORT, "INVALID_RESPONSE"),
    "PL-VETO-INVALID": (Status.ERROR, Effect.STOP, "INVALID_RESPONSE"),
}
"""What each rule makes of an answer: status, effect, category of the record."""


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("row", GRID, ids=lambda row: f"{row[1]} at {row[0]}")
def test_an_answer_means_what_its_mode_makes_of_it(
    mode: Mode, row: tuple[str, str, str | None, str | None, str | None]
) -> None:
    """Every answer in every mode: its rule, and what that rule says about status, effect and record (spec B.4, B.5)."""
    point, answer, *rules = row
    rule = dict(zip(Mode, rules, strict=True))[mode] or f"PL-{mode.name}-INVALID"
    got = resolve(mode, payload(point), said(answer, point))
    category = "" if got.trouble is None else got.trouble.category.value
    assert (got.rule, (got.status, got.effect, category)) == (rule, MEANING[rule])
    assert (got.payload is not None) is (got.effect is Effect.REPLACE)
    assert got.why


@pytest.mark.parametrize("mode", Mode)
def test_leaving_out_and_giving_up_blame_nobody(mode: Mode) -> None:
    """Skipped goes on in every mode, cancelled aborts in every mode, and neither leaves a record."""
    skipped = resolve(mode, payload("plan-ready"), Skipped("person"))
    assert skipped == Resolution(Status.SKIPPED, Effect.CONTINUE, "PL-SKIPPED", "left out by person")
    cancelled = resolve(mode, payload("plan-ready"), Cancelled("enough"))
    assert cancelled == Resolution(Status.CANCELLED, Effect.ABORT, "PL-CANCELLED", "the caller gave up: enough")


@pytest.mark.parametrize("point", sorted(VIEWS))
def test_only_messages_at_pre_model_call_may_change(point: str) -> None:
    """Each member of each payload, cleared or set anew one at a time, is refused, but for that one."""
    given_payload = payload(point)
    variant = getattr(given_payload.message, given_payload.field)
    for name in variant.DESCRIPTOR.fields_by_name:
        other = HookPayload.parse(given_payload.body).message
        member = getattr(other, given_payload.field)
        if any(field.name == name for field, _ in member.ListFields()):
            member.ClearField(name)
        elif variant.DESCRIPTOR.fields_by_name[name].message_type is not None:
            getattr(member, name).SetInParent()
        else:
            setattr(member, name, "")
        got = resolve(TRANSFORM, given_payload, Answered(hand_back(other)))
        is_free = (point, name) == ("pre-model-call", "messages")
        assert (got.effect is Effect.REPLACE) is is_free, name


def test_an_accepted_payload_is_the_subscribers_own_words() -> None:
    """What goes on is what came back, and a copy of it."""
    answer = said("+x")
    got = resolve(TRANSFORM, payload("pre-model-call"), answer)
    assert got.payload is not None
    assert got.payload.is_like(rpc_response_pb2.DispatchHookResponse.FromString(answer.body).transform.payload)
    assert got.why == "it changed messages"


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (TimedOut(49.6), "no answer within its deadline (50 ms); that counts as DENY"),
        (TimedOut(0), "its deadline was already over; that counts as DENY"),
        (Failed("INTERNAL", "oops"), "it failed with INTERNAL: oops; that counts as DENY"),
        (Failed("INTERNAL", ""), "it failed with INTERNAL; that counts as DENY"),
        (Failed("DEADLINE_EXCEEDED", ""), "it ended the call with DEADLINE_EXCEEDED itself; that counts as DENY"),
        (Crashed("killed by signal 9"), "its process died: killed by signal 9; that counts as DENY"),
        (Empty(), "it came back without any response; that counts as DENY"),
        (Answered(b"\xff"), "its answer cannot be decoded (1 bytes); that counts as DENY"),
        (Answered(b""), "it answered without an outcome where veto was asked for; that counts as DENY"),
        (Answered(b"\x0a\x00"), "it answered with observe where veto was asked for; that counts as DENY"),
        (Answered(b"\x1a\x02\x08\x07"), "it answered with the unknown decision 7, which counts as DENY"),
    ],
)
def test_why_is_a_sentence_with_the_particulars(outcome: Outcome, why: str) -> None:
    """What a person reads says what came and what it amounts to."""
    assert resolve(VETO, payload("plan-ready"), outcome).why == why


def check(mode: Mode, given_payload: HookPayload, body: bytes) -> None:
    """What holds for every resolution of an answer."""
    got = resolve(mode, given_payload, Answered(body))
    assert got.rule in RULES
    assert got.why
    assert (got.payload is not None) is (got.effect is Effect.REPLACE)
    try:
        member = rpc_response_pb2.DispatchHookResponse.FromString(body).WhichOneof("outcome")
    except DecodeError:
        assert got.trouble is not None
        assert got.trouble.category == OTHERWISE[mode]
        return
    if member != mode.value:
        assert got.trouble is not None
        assert got.trouble.category is Category.INVALID_RESPONSE
    if got.trouble is not None:
        assert got.effect is WEIGHT[mode]


@given(st.sampled_from(Mode), st.sampled_from(sorted(VIEWS)), st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_resolve(mode: Mode, point: str, body: bytes) -> None:
    """Never an exception: whatever a subscriber sends is an outcome with a rule."""
    check(mode, payload(point), body)


@given(st.sampled_from(Mode), payloads(), messages(rpc_response_pb2.DispatchHookResponse.DESCRIPTOR))
@settings(max_examples=200, deadline=None)
def test_any_answer_to_any_payload_resolves(
    mode: Mode, given_payload: HookPayload, answer: rpc_response_pb2.DispatchHookResponse
) -> None:
    """Well-formed answers with anything in them, unknown fields and odd enums included."""
    check(mode, given_payload, answer.SerializeToString())


@given(payloads())
@settings(max_examples=150, deadline=None)
def test_handing_back_what_was_given_is_always_right(given_payload: HookPayload) -> None:
    """Whatever the payload holds, an untouched one changes nothing."""
    body = hand_back(given_payload.message)
    assert resolve(TRANSFORM, given_payload, Answered(body)).rule == "PL-TRANSFORM-SAME"


@given(payloads(), payloads())
@settings(max_examples=150, deadline=None)
def test_what_is_accepted_differs_in_messages_only(given_payload: HookPayload, other: HookPayload) -> None:
    """An accepted change with its messages taken away equals the given payload without its own (spec B.5)."""
    got = resolve(TRANSFORM, given_payload, Answered(hand_back(other.message)))
    if got.payload is None:
        return
    assert given_payload.point == "pre-model-call"
    before, after = HookPayload.parse(given_payload.body).message, HookPayload.parse(got.payload.body).message
    before.pre_model_call.ClearField("messages")
    after.pre_model_call.ClearField("messages")
    assert before == after
