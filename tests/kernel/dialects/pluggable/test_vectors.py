"""The vectors of spec G.1 to G.6, once against stubs on a virtual clock and, where a process can show them, for real.

A row reads like the specification: point, chain, expected outcome, hook_error records, spans. Numbers are the spec's;
rows with a letter are further cases of the same prose.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pluggable_answers import ANSWERS, user_message
from pluggable_payloads import payload

from kernel import Caller, Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.clock import NS_PER_MS, REAL, Clock
from kernel.dialects.pluggable import Pluggable
from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import COOKIE, METHOD
from kernel.facts import Asked, Ended, Event, NotReached, Opened, Raised, Replied, Resolved
from kernel.faults import Die, FarSide, Hang, Refuse
from kernel.reach import GoPlugin
from kernel.subscriber import Subscriber
from kernel.telemetry import Telemetry
from kernel.transports.stub import Stub
from kernel.values import Ending, Producer, Result

MODES = {"o": "observe", "t": "transform", "v": "veto"}


@dataclass(frozen=True)
class Vector:
    """One row of the specification.

    `chain` is "A:o ack, B:t +x after 40 @50": local name, mode, what it does, [after ms], [@timeout ms].
    `ends` is "allow", "deny by A", "abort" or "cancelled"; `payload` names the messages added to P0, "changed" or
    "none"; `errors` is "A TIMEOUT, B UNKNOWN"; `spans` is "D ok, A err".
    """

    number: str
    point: str
    chain: str
    ends: str
    payload: str = "P0"
    errors: str = ""
    spans: str = ""
    asked: str | None = None
    parallel: bool = False
    takes_ms: float | None = None
    caller_gives_up_ms: float | None = None
    rule: str | None = None


# fmt: off
VECTORS = [
    Vector("1", "pre-model-call", "", "allow", spans="D ok", rule="PL-CHAIN-EMPTY"),
    Vector("3", "pre-model-call", "A:o ack", "allow", spans="D ok, A ok", rule="PL-OBSERVE-ACK"),
    Vector("5", "pre-model-call", "A:t +x", "allow", "x", spans="D ok, A ok", rule="PL-TRANSFORM-CHANGED"),
    Vector("7", "pre-model-call", "A:o ack, B:t +x, C:o ack", "allow", "x",
           spans="D ok, A ok, B ok, C ok", asked="A P0, B P0, C x"),
    Vector("9", "plan-ready", "A:v allow", "allow", spans="D ok, A ok", rule="PL-VETO-ALLOW"),
    Vector("11", "plan-ready", "A:v deny, B:o ack, C:v allow", "deny by A",
           spans="D ok, A ok", asked="A P0", rule="PL-AFTER-DENY"),
    Vector("13", "plan-ready", "A:v allow, B:v deny, C:v allow", "deny by B",
           spans="D ok, A ok, B ok", asked="A P0, B P0"),
    Vector("15", "pre-tool-call", "A:v allow, B:t same, C:o ack", "allow",
           spans="D ok, A ok, B ok, C ok", asked="A P0, B P0, C P0", rule="PL-CHAIN-END"),
    Vector("17", "pre-model-call", "B:t +b, A:t +a", "allow", "b a", spans="D ok, B ok, A ok", asked="B P0, A b"),

    Vector("19", "pre-model-call", "A:o E INTERNAL", "allow", errors="A UNKNOWN",
           spans="D ok, A err", rule="PL-OBSERVE-FAILED"),
    Vector("21", "pre-model-call", "A:o hang @50, B:t +x", "allow", "x", "A TIMEOUT", "D ok, A err, B ok",
           asked="A P0, B P0", takes_ms=50, rule="PL-OBSERVE-TIMEOUT"),
    Vector("23", "plan-ready", "A:o deny", "allow", errors="A INVALID_RESPONSE",
           spans="D ok, A err", rule="PL-OBSERVE-INVALID"),
    Vector("23a", "pre-model-call", "A:o same", "allow", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("23b", "plan-ready", "A:o observe then veto", "allow", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("25", "post-apply", "A:o none", "allow", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("25a", "post-apply", "A:o nothing", "allow", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("25b", "post-apply", "A:o garbage", "allow", errors="A UNKNOWN", spans="D ok, A err"),
    Vector("27", "pre-model-call", "A:o crash", "allow", errors="A PROCESS_CRASHED",
           spans="D ok, A err", rule="PL-OBSERVE-CRASHED"),
    Vector("27a", "pre-model-call", "A:o E UNAVAILABLE", "allow", errors="A PROCESS_CRASHED", spans="D ok, A err"),
    Vector("29", "pre-model-call", "A:o E UNIMPLEMENTED", "allow", errors="A UNKNOWN", spans="D ok, A err"),
    Vector("31", "session-end", "A:o E DEADLINE_EXCEEDED", "allow", errors="A TIMEOUT", spans="D ok, A err"),

    Vector("33", "pre-model-call", "A:t same", "allow", spans="D ok, A ok", rule="PL-TRANSFORM-SAME"),
    Vector("35", "pre-model-call", "A:t change model", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-MODEL"),
    Vector("37", "pre-model-call", "A:t clear model", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-MODEL"),
    Vector("39", "pre-model-call", "A:t reverse", "allow", "changed", spans="D ok, A ok"),
    Vector("39a", "pre-model-call", "A:t no messages", "allow", "changed", spans="D ok, A ok"),
    Vector("41", "pre-model-call", "A:t edit inside", "allow", "changed", spans="D ok, A ok"),
    Vector("43", "pre-model-call", "A:t plan_ready payload", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-OTHER-POINT"),
    Vector("45", "pre-model-call", "A:t no payload", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-NO-PAYLOAD"),
    Vector("45a", "pre-model-call", "A:t payload without variant", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-NO-PAYLOAD"),
    Vector("47", "pre-tool-call", "A:t change arguments, B:v allow", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", asked="A P0", rule="PL-TRANSFORM-IMMUTABLE"),
    Vector("49", "post-tool-call", "A:t result to error", "abort", "none", "A INVALID_RESPONSE", "D err, A err"),
    Vector("51", "post-apply", "A:t drop item", "abort", "none", "A INVALID_RESPONSE", "D err, A err"),
    Vector("53", "plan-ready", "A:t struct keys reordered", "allow", spans="D ok, A ok"),
    Vector("55", "session-end", "A:t unknown in session_end", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-IMMUTABLE"),
    Vector("57", "pre-model-call", "A:t unknown in message, B:t same", "allow", "changed", spans="D ok, A ok, B ok"),
    Vector("57a", "pre-model-call", "A:t unknown beside messages", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-UNKNOWN-FIELD"),
    Vector("57b", "pre-model-call", "A:t unknown beside variant", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-UNKNOWN-FIELD"),
    Vector("59", "pre-model-call", "A:t E INTERNAL, B:o ack, C:t +y", "abort", "none", "A TRANSFORM_FAILED",
           "D err, A err", asked="A P0", rule="PL-AFTER-ABORT"),
    Vector("59a", "pre-model-call", "A:t +x, B:t E INTERNAL, C:o ack", "abort", "none", "B TRANSFORM_FAILED",
           "D err, A ok, B err", asked="A P0, B x", rule="PL-TRANSFORM-FAILED"),
    Vector("59b", "pre-model-call", "A:t garbage", "abort", "none", "A TRANSFORM_FAILED", "D err, A err"),
    Vector("61", "pre-model-call", "A:t hang @60", "abort", "none", "A TIMEOUT", "D err, A err",
           takes_ms=60, rule="PL-TRANSFORM-TIMEOUT"),
    Vector("63", "pre-model-call", "A:t crash", "abort", "none", "A PROCESS_CRASHED",
           "D err, A err", rule="PL-TRANSFORM-CRASHED"),
    Vector("65", "pre-model-call", "A:t ack", "abort", "none", "A INVALID_RESPONSE",
           "D err, A err", rule="PL-TRANSFORM-INVALID"),
    Vector("65a", "plan-ready", "A:t allow", "abort", "none", "A INVALID_RESPONSE", "D err, A err"),
    Vector("67", "pre-model-call", "A:t none", "abort", "none", "A INVALID_RESPONSE", "D err, A err"),
    Vector("67a", "pre-model-call", "A:t nothing", "abort", "none", "A INVALID_RESPONSE", "D err, A err"),
    Vector("69", "pre-tool-call", "A:v allow, B:t E INTERNAL, C:v deny", "abort", "none", "B TRANSFORM_FAILED",
           "D err, A ok, B err", asked="A P0, B P0"),
    Vector("71", "pre-model-call", "A:t E INVALID_ARGUMENT", "abort", "none", "A TRANSFORM_FAILED", "D err, A err"),

    Vector("73", "plan-ready", "A:v E INTERNAL", "deny by A", errors="A VETO_FAILED",
           spans="D ok, A err", rule="PL-VETO-FAILED"),
    Vector("75", "plan-ready", "A:v hang @100", "deny by A", errors="A TIMEOUT", spans="D ok, A err",
           takes_ms=100, rule="PL-VETO-TIMEOUT"),
    Vector("77", "plan-ready", "A:v crash, B:o ack", "deny by A", errors="A PROCESS_CRASHED",
           spans="D ok, A err", asked="A P0", rule="PL-VETO-CRASHED"),
    Vector("79", "plan-ready", "A:v unspecified", "deny by A", errors="A INVALID_RESPONSE",
           spans="D ok, A err", rule="PL-VETO-UNSPECIFIED"),
    Vector("81", "plan-ready", "A:v ack", "deny by A", errors="A INVALID_RESPONSE",
           spans="D ok, A err", rule="PL-VETO-INVALID"),
    Vector("81a", "plan-ready", "A:v same", "deny by A", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("81b", "plan-ready", "A:v garbage", "deny by A", errors="A VETO_FAILED", spans="D ok, A err"),
    Vector("81c", "plan-ready", "A:v observe then veto", "deny by A", spans="D ok, A ok", rule="PL-VETO-DENY"),
    Vector("83", "plan-ready", "A:v none", "deny by A", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("83a", "plan-ready", "A:v nothing", "deny by A", errors="A INVALID_RESPONSE", spans="D ok, A err"),
    Vector("85", "plan-ready", "A:v decision 7, B:v allow", "deny by A", spans="D ok, A ok",
           asked="A P0", rule="PL-VETO-UNKNOWN-DECISION"),
    Vector("87", "plan-ready", "A:v E DEADLINE_EXCEEDED", "deny by A", errors="A TIMEOUT", spans="D ok, A err"),
    Vector("89", "plan-ready", "A:v E CANCELLED", "deny by A", errors="A VETO_FAILED", spans="D ok, A err"),

    Vector("91", "session-end", "A:o hang @200, B:o hang @50", "allow", errors="A TIMEOUT, B TIMEOUT",
           spans="D ok, A err, B err", takes_ms=250),
    Vector("93", "plan-ready", "A:v allow @0", "deny by A", errors="A TIMEOUT", spans="D ok, A err", takes_ms=0),
    Vector("95", "pre-model-call", "A:o ack after 40 @50, B:o ack after 40 @50", "allow",
           spans="D ok, A ok, B ok", takes_ms=80),
    Vector("97", "pre-model-call", "A:t +x after 100 @50", "abort", "none", "A TIMEOUT", "D err, A err", takes_ms=50),
    Vector("99", "plan-ready", "A:v hang", "cancelled", spans="D err, A err",
           caller_gives_up_ms=20, takes_ms=20, rule="PL-CANCELLED"),
    Vector("101", "plan-ready", "A:v hang @100", "cancelled", spans="D err, A err", caller_gives_up_ms=30, takes_ms=30),
    Vector("101a", "session-end", "A:o hang, B:o hang", "cancelled", spans="D err, A err, B err", parallel=True,
           caller_gives_up_ms=30, takes_ms=30),

    Vector("103", "pre-model-call", "A:o ack after 50, B:o ack after 50, C:t +x", "allow", "x",
           spans="D ok, A ok, B ok, C ok", asked="A P0, B P0, C P0", parallel=True, takes_ms=50),
    Vector("105", "session-end", "A:o E INTERNAL after 80, B:o E INTERNAL after 10", "allow",
           errors="A UNKNOWN, B UNKNOWN", spans="D ok, A err, B err", parallel=True, takes_ms=80),
    Vector("107", "plan-ready", "A:v allow after 30, B:v allow after 30", "allow",
           spans="D ok, A ok, B ok", parallel=True, takes_ms=60),
    Vector("107a", "pre-model-call", "A:o ack, B:t +x, C:o ack, D2:o ack", "allow", "x",
           spans="D ok, A ok, B ok, C ok, D2 ok", asked="A P0, B P0, C x, D2 x", parallel=True),
]
# fmt: on


@dataclass
class Seen:
    """Everything that one run of a vector showed."""

    events: list[Event] = field(default_factory=list)
    result: Result | None = None
    took_ms: float = 0.0

    def see(self, event: Event) -> None:
        self.events.append(event)

    def facts(self, *kinds: type) -> list[object]:
        return [event.fact for event in self.events if isinstance(event.fact, kinds)]


def seats(vector: Vector) -> list[tuple[Subscription, str, float]]:
    """The chain's subscriptions, each with what it does and after how many milliseconds."""
    found = []
    for seat in filter(None, vector.chain.split(", ")):
        label, _, does = seat.partition(" ")
        name, _, mode = label.partition(":")
        does, _, timeout = does.partition(" @")
        does, _, after = does.partition(" after ")
        producer = Producer(name.lower(), "1", category="tool")
        subscription = Subscription(name, vector.point, MODES[mode], int(timeout or 1000), producer)
        found.append((subscription, does, float(after or 0)))
    return found


def stub(does: str, after_ms: float) -> Stub:
    trouble: FarSide | None = None
    if does == "crash":
        trouble = Die()
    elif does == "hang":
        trouble = Hang()
    elif does.startswith("E "):
        code = does.removeprefix("E ")
        return Stub(lambda request: None, after_ms, None) if not code else _Refusing(code, after_ms)
    return Stub(ANSWERS.get(does, lambda request: None), after_ms, trouble)


class _Refusing(Stub):
    """Ends its calls with a status, after a while."""

    def __init__(self, code: str, after_ms: float) -> None:
        super().__init__(lambda request: b"", after_ms, None)
        object.__setattr__(self, "_code", code)

    async def answer(self, call):  # type: ignore[no-untyped-def]
        await self._take_its_time(call)
        return await Stub(self.reply, 0, Refuse(self._code, "as told")).answer(call)


async def run(
    vector: Vector, subscribers: Mapping[str, Subscriber], clock: Clock, seen: Seen, telemetry: Telemetry
) -> None:
    caller = Caller()
    start = clock.now_ns()
    if vector.caller_gives_up_ms is not None:
        caller.give_up_at(clock, start + round(vector.caller_gives_up_ms * NS_PER_MS), "the caller's deadline passed")
    chain = Chain(vector.point, tuple(subscription for subscription, _, _ in seats(vector)))
    seen.result = await dispatch(
        Pluggable(concurrent_observe=vector.parallel),
        chain,
        payload(vector.point),
        subscribers,
        probes=Probes(seen, telemetry),
        clock=clock,
        caller=caller,
    )
    seen.took_ms = (clock.now_ns() - start) / NS_PER_MS


class Exports:
    """Telemetry into memory."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        self.metrics = InMemoryMetricReader()
        self.meters = MeterProvider([self.metrics])
        self.telemetry = Telemetry({"pluggable": Pluggable()}, tracers, self.meters)

    def points(self, metric: str) -> list[object]:
        found = self.metrics.get_metrics_data()
        return [
            point
            for resource in (found.resource_metrics if found else [])
            for scope in resource.scope_metrics
            for each in scope.metrics
            if each.name == metric
            for point in each.data.data_points
        ]


def is_payload(found: HookPayload | None, words: str, vector: Vector) -> bool:
    start = payload(vector.point)
    match words:
        case "none":
            return found is None
        case "P0":
            return found is not None and found.digest == start.digest
        case "changed":
            return found is not None and not found.is_like(start.message) and found.point == start.point
    expected = start.message.__class__.FromString(start.body)
    for word in words.split():
        expected.pre_model_call.messages.append(user_message(word))
    return found is not None and found.is_like(expected)


def judge(vector: Vector, seen: Seen, exports: Exports) -> None:
    result = seen.result
    assert result is not None
    endings = {
        "abort": (Ending.ABORTED, "unspecified", ""),
        "cancelled": (Ending.CANCELLED, "unspecified", ""),
        "allow": (Ending.FINISHED, "allow", ""),
    }
    by = vector.ends.removeprefix("deny by ")
    assert (result.ending, result.decision, result.decided_by) == endings.get(
        vector.ends, (Ending.FINISHED, "deny", by)
    )
    assert bool(result.error) == (vector.ends in ("abort", "cancelled"))
    assert is_payload(result.payload, vector.payload, vector)  # type: ignore[arg-type]

    raised = [f"{fact.subscription.name} {fact.category}" for fact in seen.facts(Raised)]
    assert ", ".join(raised) == vector.errors
    assert all(fact.message for fact in seen.facts(Raised))

    asked = seen.facts(Asked)
    if vector.asked is not None:
        expected = [entry.split(" ", 1) for entry in vector.asked.split(", ")]
        assert [fact.subscription.name for fact in asked] == [name for name, _ in expected]
        assert all(is_payload(fact.payload, words, vector) for fact, (_, words) in zip(asked, expected, strict=True))
    steps = len(seats(vector))
    assert len(asked) + len(seen.facts(NotReached)) == steps, "everybody was asked, or is said not to have been reached"
    assert len(seen.facts(Resolved)) == len(asked) == len(seen.facts(Replied))

    spans = {_letter(span, vector): span for span in exports.spans.get_finished_spans()}
    shown = {letter: "ok" if span.status.is_ok else "err" for letter, span in spans.items()}
    assert shown == dict(entry.split(" ") for entry in vector.spans.split(", "))
    root = spans["D"]
    assert root.name == "hook.dispatch"
    assert dict(root.attributes or {}) == {"pluggableharness.hook.point": vector.point}
    assert root.instrumentation_scope is not None
    assert root.instrumentation_scope.name == "pluggableharness-agent/kernel"
    for subscription, _, _ in seats(vector):
        if (span := spans.get(subscription.name)) is not None:
            assert span.parent is not None
            assert span.parent.span_id == root.context.span_id
            assert dict(span.attributes or {}) == {
                "pluggableharness.subscriber.mode": subscription.mode,
                "pluggableharness.producer.category": "CATEGORY_TOOL",
                "pluggableharness.producer.name": subscription.name.lower(),
                "pluggableharness.producer.version": "1",
            }
    [duration] = exports.points("pluggableharness.hook.dispatch.duration")
    assert (duration.count, dict(duration.attributes)) == (1, {"pluggableharness.hook.point": vector.point})
    counted = sum(point.value for point in exports.points("pluggableharness.hook.errors"))
    assert counted == len(raised)

    if vector.rule is not None:
        rules = [fact.rule for fact in seen.facts(Resolved, Raised, NotReached)] + [result.rule]
        assert vector.rule in rules
    assert isinstance(seen.events[0].fact, Opened)
    assert isinstance(seen.events[-1].fact, Ended)
    assert [event.number for event in seen.events] == list(range(len(seen.events)))


def _letter(span: ReadableSpan, vector: Vector) -> str:
    if span.name == "hook.dispatch":
        return "D"
    name = str((span.attributes or {})["pluggableharness.producer.name"])
    return next(subscription.name for subscription, _, _ in seats(vector) if subscription.name.lower() == name)


def on_virtual_time(body: Callable[[VirtualClock], Awaitable[None]]) -> None:
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(body(clock))  # type: ignore[arg-type]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"G{vector.number}")
def test_a_chain_of_stubs_ends_as_the_specification_says(vector: Vector) -> None:
    """Every vector of G.1 to G.6 holds against stubs, with exact times on a virtual clock."""
    seen, exports = Seen(), Exports()
    subscribers = {subscription.name: stub(does, after) for subscription, does, after in seats(vector)}
    on_virtual_time(lambda clock: run(vector, subscribers, clock, seen, exports.telemetry))
    judge(vector, seen, exports)
    if vector.takes_ms is not None:
        assert seen.took_ms == vector.takes_ms


SLOWER = 5


def slower(vector: Vector) -> Vector:
    """The same in real time, where the sheet's milliseconds are too close together for a machine that is busy."""

    def more(ms: float | None) -> float | None:
        return None if ms is None else ms * SLOWER

    chain = re.sub(r"(@| after )([0-9]+)", lambda found: f"{found[1]}{int(found[2]) * SLOWER}", vector.chain)
    return replace(
        vector, chain=chain, takes_ms=more(vector.takes_ms), caller_gives_up_ms=more(vector.caller_gives_up_ms)
    )


def test_slower_is_the_same_with_other_numbers() -> None:
    """Deadlines and delays, not what is answered."""
    vector = Vector("0", "p", "A:o ack after 40 @50, B:v decision 7 @9, C:t +x after 3", "allow", takes_ms=8)
    assert slower(vector).chain == "A:o ack after 200 @250, B:v decision 7 @45, C:t +x after 15"
    assert (slower(vector).takes_ms, slower(vector).caller_gives_up_ms) == (40, None)


PROCESS_VECTORS = [slower(vector) for vector in VECTORS if vector.chain and "nothing" not in vector.chain]


@pytest.mark.parametrize("vector", PROCESS_VECTORS, ids=lambda vector: f"G{vector.number}")
async def test_a_chain_of_processes_ends_as_the_specification_says(vector: Vector) -> None:
    """What a process can show holds against real plugins over gRPC, in real time."""
    from kernel.transports.goplugin import start

    def reach(does: str, after: float) -> GoPlugin:
        behaviour = (
            does if does in ("crash", "hang") else f"status {does[2:]}" if does[:2] == "E " else f"answer {does}"
        )
        script = Path(__file__).parents[3] / "plugins" / "behave.py"
        env = (("HOOKSCOPE_BEHAVIOUR", f"{behaviour} after {after}" if after else behaviour),)
        return GoPlugin((sys.executable, str(script)), METHOD, COOKIE, env=env)

    seen, exports = Seen(), Exports()
    places = seats(vector)
    plugins = await asyncio.gather(
        *(start(each.name, reach(does, after), on_output=lambda stream, line: None) for each, does, after in places)
    )
    try:
        subscribers = {each.name: plugin for (each, _, _), plugin in zip(places, plugins, strict=True)}
        await run(vector, subscribers, REAL, seen, exports.telemetry)
    finally:
        await asyncio.gather(*(plugin.stop() for plugin in plugins))
    judge(vector, seen, exports)
    if vector.takes_ms is not None:
        assert vector.takes_ms <= seen.took_ms < vector.takes_ms + 500


def test_observers_in_a_parallel_run_overlap_and_vetoes_do_not() -> None:
    """G103 and G107 by their times: siblings overlap, judges come one after the other."""
    by_number = {vector.number: vector for vector in VECTORS}
    for number, overlaps in (("103", True), ("107", False)):
        vector, seen, exports = by_number[number], Seen(), Exports()
        subscribers = {each.name: stub(does, after) for each, does, after in seats(vector)}
        on_virtual_time(lambda clock: run(vector, subscribers, clock, seen, exports.telemetry))  # noqa: B023
        times = {event.fact.step: event.at_ns for event in seen.events if isinstance(event.fact, Asked)}
        ends = {event.fact.step: event.at_ns for event in seen.events if isinstance(event.fact, Replied)}
        assert (times[1] < ends[0]) is overlaps


def test_a_payload_without_a_variant_is_refused_without_a_span() -> None:
    """G117: nobody is called, no span and no duration exist."""
    seen, exports = Seen(), Exports()

    async def refused(clock: VirtualClock) -> None:
        chain = Chain("session-end", (Subscription("A", "session-end", "observe", 1000),))
        probes = Probes(seen, exports.telemetry)
        seen.result = await dispatch(
            Pluggable(), chain, HookPayload(b""), {"A": stub("ack", 0)}, probes=probes, clock=clock
        )

    on_virtual_time(refused)
    assert seen.result is not None
    assert (seen.result.ending, seen.result.payload) == (Ending.REFUSED, None)
    assert seen.result.error.startswith("ErrNoHookPoint")
    assert not seen.facts(Asked)
    assert not exports.spans.get_finished_spans()
    assert not exports.points("pluggableharness.hook.dispatch.duration")


def test_an_observer_cannot_reach_the_payload_that_others_see() -> None:
    """G109: what an in-process subscriber does to the object it received stays with it."""
    from kernel.transports.in_process import InProcessSubscriber

    def scribble(request: bytes) -> bytes:
        from pluggable_answers import given

        given(request).pre_model_call.ClearField("messages")
        return ANSWERS["ack"](request) or b""

    vector = Vector("109", "pre-model-call", "A:o ack, B:t same", "allow", spans="D ok, A ok, B ok", asked="A P0, B P0")
    seen, exports = Seen(), Exports()
    subscribers = {"A": InProcessSubscriber(scribble), "B": stub("same", 0)}
    on_virtual_time(lambda clock: run(vector, subscribers, clock, seen, exports.telemetry))
    judge(vector, seen, exports)
