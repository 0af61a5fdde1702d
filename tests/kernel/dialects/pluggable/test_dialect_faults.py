"""Claims about the fault catalogue: performed on the far side, each is found out as its description promises."""

from __future__ import annotations

import base64

import pytest
from dispatch_runs import Scripted, Told, chain, on_virtual_time, stub
from pluggable_answers import given
from pluggable_payloads import VIEWS, payload

from kernel import VirtualClock
from kernel.clock import NS_PER_MS
from kernel.control import Proceed
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.faults import FAULTS, GRPC_CODES
from kernel.dialects.pluggable.points import BY_LABEL, Mode
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_response_pb2
from kernel.errors import BadInput
from kernel.facts import Raised, Replied, Resolved
from kernel.faults import Alter, Fault, Refuse, find
from kernel.values import JSON, Answered, Ask, Crashed, Failed, Outcome, TimedOut

SOUND = {Mode.OBSERVE: "ack", Mode.TRANSFORM: "same", Mode.VETO: "allow"}
TIMEOUT_MS = 1000

PROMISES: dict[str, tuple[Outcome | type, str, str]] = {
    # kind: outcome (or its class), end of the rule's id (in {} by mode), category ("" = none, "*" = the mode's own)
    "hang": (TimedOut(TIMEOUT_MS), "TIMEOUT", "TIMEOUT"),
    "delay": (Answered, "ACK SAME ALLOW", ""),
    "late_answer": (TimedOut(TIMEOUT_MS), "TIMEOUT", "TIMEOUT"),
    "crash": (Crashed("killed by signal 9"), "CRASHED", "PROCESS_CRASHED"),
    "grpc_status": (Failed("INTERNAL", "injected"), "FAILED", "*"),
    "wrong_variant": (Answered, "INVALID", "INVALID_RESPONSE"),
    "no_outcome": (Answered(b""), "INVALID", "INVALID_RESPONSE"),
    "garbage": (Answered(b"\xff\xff\xff\xff"), "FAILED", "*"),
    "raw_answer": (Answered(b""), "INVALID", "INVALID_RESPONSE"),
    "no_payload": (Answered(b"\x12\x00"), "NO-PAYLOAD", "INVALID_RESPONSE"),
    "other_point": (Answered, "OTHER-POINT", "INVALID_RESPONSE"),
    "mutate_immutable": (Answered, "IMMUTABLE", "INVALID_RESPONSE"),
    "unknown_field": (Answered, "IMMUTABLE", "INVALID_RESPONSE"),
    "unspecified_decision": (Answered(b"\x1a\x00"), "UNSPECIFIED", "INVALID_RESPONSE"),
    "unknown_decision": (Answered(b"\x1a\x02\x08\x07"), "UNKNOWN-DECISION", ""),
}
AT_PRE_MODEL_CALL = {"mutate_immutable": "MODEL", "unknown_field": "UNKNOWN-FIELD"}
"""Where one member may change, breaking the rule about the others has its own names."""
OTHERWISE = {Mode.OBSERVE: "UNKNOWN", Mode.TRANSFORM: "TRANSFORM_FAILED", Mode.VETO: "VETO_FAILED"}

CASES = [
    (entry.kind, mode, point)
    for entry in FAULTS
    for mode in Mode
    if entry.modes is None or mode in entry.modes
    for point in BY_LABEL
    if mode is not Mode.VETO or BY_LABEL[point].bears_veto
]


def suffer(fault: Fault, mode: Mode, point: str, does: str | None = None) -> Told:
    """One subscriber in that mode at that point, sound but for the fault."""

    async def body(clock: VirtualClock) -> Told:
        subscribers = {"A": stub(does or SOUND[mode])}
        control = Scripted(before_A=Proceed(fault=fault))
        seats = f"A:{mode.value[0]}"
        return await Told().run(seats, subscribers, clock, point=point, control=control, timeout_ms=TIMEOUT_MS)

    return on_virtual_time(body)


@pytest.mark.parametrize(("kind", "mode", "point"), CASES)
def test_a_fault_is_found_out_as_its_description_promises(kind: str, mode: Mode, point: str) -> None:
    """The dialect meets the outcome that a host would, and makes of it what its rules say; nothing is short-cut."""
    told = suffer(Fault(kind), mode, point)
    [replied] = [fact for fact in told.facts if isinstance(fact, Replied)]
    [resolved] = [fact for fact in told.facts if isinstance(fact, Resolved)]
    outcome, rule, category = PROMISES[kind]
    if isinstance(outcome, type):
        assert isinstance(replied.outcome, outcome)
    else:
        assert replied.outcome == outcome
    by_mode = rule.split()
    rule = by_mode[list(Mode).index(mode)] if len(by_mode) > 1 else rule
    if point == "pre-model-call":
        rule = AT_PRE_MODEL_CALL.get(kind, rule)
    assert resolved.rule == f"PL-{mode.name}-{rule}"
    raised = [fact.category for fact in told.facts if isinstance(fact, Raised)]
    assert raised == ([] if not category else [OTHERWISE[mode] if category == "*" else category])


def test_every_entry_has_a_promise_and_a_case() -> None:
    """A fault that nobody saw happen is not in the catalogue."""
    assert list(PROMISES) == [entry.kind for entry in FAULTS]
    assert {kind for kind, _, _ in CASES} == set(PROMISES)
    assert PLUGGABLE.faults is FAULTS


def test_an_acknowledging_observer_that_gets_to_deny_does_not_stop_anything() -> None:
    """`wrong_variant` sends a DENY for an observer, and for the others an acknowledgement."""
    answers = {}
    for mode in Mode:
        [replied] = [f for f in suffer(Fault("wrong_variant"), mode, "plan-ready").facts if isinstance(f, Replied)]
        assert isinstance(replied.outcome, Answered)
        answers[mode] = rpc_response_pb2.DispatchHookResponse.FromString(replied.outcome.body).WhichOneof("outcome")
    assert answers == {Mode.OBSERVE: "veto", Mode.TRANSFORM: "observe", Mode.VETO: "observe"}


@pytest.mark.parametrize("code", GRPC_CODES)
@pytest.mark.parametrize("mode", Mode)
def test_every_grpc_status_is_told_by_its_name(code: str, mode: Mode) -> None:
    """Two of them have categories of their own (spec B.6), whatever case the code was written in."""
    told = suffer(Fault("grpc_status", {"code": code.lower(), "message": "m"}), mode, "plan-ready")
    [raised] = [fact for fact in told.facts if isinstance(fact, Raised)]
    special = {"DEADLINE_EXCEEDED": "TIMEOUT", "UNAVAILABLE": "PROCESS_CRASHED"}
    assert raised.category == special.get(code, OTHERWISE[mode])
    assert Replied(0, Failed(code, "m")) in told.facts


def test_the_grpc_codes_are_grpcs() -> None:
    """All of them but OK, which refuses nothing."""
    import grpc

    assert {code.name for code in grpc.StatusCode} - {"OK"} == set(GRPC_CODES)


@pytest.mark.parametrize(
    ("ms", "is_late"), [(0, False), (TIMEOUT_MS - 1, False), (TIMEOUT_MS, True), (TIMEOUT_MS + 1, True)]
)
def test_a_delay_is_late_from_the_deadline_on(ms: float, is_late: bool) -> None:
    """An answer at the very deadline is too late, as the deadline was set first."""
    told = suffer(Fault("delay", {"ms": ms}), Mode.VETO, "plan-ready")
    assert ("A timedout" in told.story) is is_late
    assert told.events[-1].at_ns == min(ms, TIMEOUT_MS) * NS_PER_MS


def test_faults_of_a_transform_build_on_its_true_answer() -> None:
    """The message that the transform added is still there beside what the fault did."""
    for kind in ("mutate_immutable", "unknown_field"):
        [replied] = [
            fact
            for fact in suffer(Fault(kind), Mode.TRANSFORM, "pre-model-call", "+x").facts
            if isinstance(fact, Replied)
        ]
        assert isinstance(replied.outcome, Answered)
        sent = rpc_response_pb2.DispatchHookResponse.FromString(replied.outcome.body).transform.payload
        assert [message.id for message in sent.pre_model_call.messages][-1] == "x"


def ask(mode: Mode, point: str, view: JSON | None = None) -> Ask:
    found = payload(point) if view is None else PLUGGABLE.payload_from_view(point, view)
    walk, _ = PLUGGABLE.open(chain(point, f"A:{mode.value[0]}"), found)
    return walk.asks[0]


def rewritten(kind: str, point: str, true_answer: bytes, view: JSON | None = None) -> bytes:
    act = find(FAULTS, kind).plan(Fault(kind))(ask(Mode.TRANSFORM, point, view))
    assert isinstance(act, Alter)
    return act.rewrite(true_answer)


@pytest.mark.parametrize("point", sorted(VIEWS))
@pytest.mark.parametrize("kind", ["mutate_immutable", "unknown_field", "other_point"])
@pytest.mark.parametrize("true_answer", [b"", b"\xff", b"\x0a\x00", b"\x12\x00"])
def test_a_fault_of_the_answer_is_made_although_there_is_no_good_one(kind: str, point: str, true_answer: bytes) -> None:
    """From nothing, from garbage or from another variant, it falls back on what the transform was given."""
    sent = rpc_response_pb2.DispatchHookResponse.FromString(rewritten(kind, point, true_answer)).transform.payload
    start = payload(point).message
    assert sent != start
    assert (sent.WhichOneof("payload") == start.WhichOneof("payload")) is (kind != "other_point")


@pytest.mark.parametrize("point", sorted(VIEWS))
def test_something_immutable_is_changed_even_in_an_empty_payload(point: str) -> None:
    """Where nothing is set there is still something to tamper with."""
    before = ask(Mode.TRANSFORM, point, {})
    sent = rpc_response_pb2.DispatchHookResponse.FromString(rewritten("mutate_immutable", point, b"", {}))
    assert sent.transform.payload != given(before.request)


@pytest.mark.parametrize(
    ("kind", "params", "message"),
    [
        ("grpc_status", {"code": "OK"}, "no gRPC status 'OK'; there are CANCELLED, UNKNOWN"),
        ("grpc_status", {"code": "NO"}, "no gRPC status 'NO'"),
        ("grpc_status", {"code": 13}, "code must be text, not 13"),
        ("grpc_status", {"message": None}, "message must be text, not None"),
        ("raw_answer", {"base64": "?"}, "base64 must be base64 text"),
        ("raw_answer", {"base64": "\u00e9"}, "base64 must be base64 text"),
        ("raw_answer", {"base64": 1}, "base64 must be text, not 1"),
        ("garbage", {"base64": ""}, "fault 'garbage' has no setting 'base64'; it has none"),
    ],
)
def test_settings_of_the_dialects_faults_are_checked(kind: str, params: dict[str, JSON], message: str) -> None:
    """Before anything goes wrong."""
    with pytest.raises(BadInput, match=message):
        find(FAULTS, kind).plan(Fault(kind, params))


def test_settings_reach_the_far_side() -> None:
    """The bytes that were written, the status that was named."""
    bytes_fault = Fault("raw_answer", {"base64": base64.b64encode(b"\x0a\x00").decode()})
    act = find(FAULTS, "raw_answer").plan(bytes_fault)(ask(Mode.VETO, "plan-ready"))
    assert isinstance(act, Alter)
    assert act.rewrite(b"whatever") == b"\x0a\x00"
    status_fault = Fault("grpc_status", {"code": "ABORTED"})
    assert find(FAULTS, "grpc_status").plan(status_fault)(ask(Mode.VETO, "plan-ready")) == Refuse("ABORTED", "injected")
