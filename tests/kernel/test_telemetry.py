"""Claims about spans and metrics made from facts: their times, their nesting, and what has none."""

from __future__ import annotations

import time

import pytest
from dispatch_runs import Scripted, Told, chain, on_virtual_time, stub
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span
from pluggable_payloads import payload

from kernel import Caller, Chain, HeldClock, Probes, VirtualClock, dispatch
from kernel.clock import NS_PER_MS, sleep
from kernel.control import PROCEED, Directive, Instead, Seam, Skip
from kernel.dialects.pluggable import Pluggable
from kernel.dialects.pluggable.payload import HookPayload
from kernel.facts import Ended, Entered, Event, Left, Opened
from kernel.stretch import Stretches
from kernel.telemetry import Telemetry
from kernel.values import Answered


class Exports:
    """Telemetry into memory."""

    def __init__(self) -> None:
        self._exported = InMemorySpanExporter()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(self._exported))
        self._reader = InMemoryMetricReader()
        self.probe = Telemetry({"pluggable": Pluggable()}, tracers, MeterProvider([self._reader]))

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exported.get_finished_spans())

    @property
    def metrics(self) -> dict[str, list[object]]:
        data = self._reader.get_metrics_data()
        return {
            metric.name: list(metric.data.data_points)
            for resource in (data.resource_metrics if data else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


def root_of(spans: list[ReadableSpan]) -> ReadableSpan:
    [root] = [span for span in spans if span.parent is None]
    return root


def steps_of(spans: list[ReadableSpan]) -> list[ReadableSpan]:
    return sorted((span for span in spans if span.parent is not None), key=lambda span: span.start_time or 0)


def length_ms(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return (span.end_time - span.start_time) / NS_PER_MS


def test_spans_nest_and_have_the_times_of_the_facts() -> None:
    """One span a dispatch, one child a subscriber that was asked, none for one that was not reached."""

    async def body(clock: VirtualClock) -> None:
        exports, before = Exports(), time.time_ns()
        subscribers = {"A": stub("ack", 10), "B": stub("deny", 20), "C": stub("ack")}
        await Told().run("A:o B:v C:o", subscribers, clock, point="plan-ready", watchers=(exports.probe,))
        root, children = root_of(exports.spans), steps_of(exports.spans)
        assert [(span.name, span.kind) for span in (root, *children)] == [
            ("hook.dispatch", SpanKind.INTERNAL),
            ("hook.subscriber", SpanKind.INTERNAL),
            ("hook.subscriber", SpanKind.INTERNAL),
        ]
        assert [length_ms(span) for span in (root, *children)] == [30, 10, 20]
        assert root.context is not None
        for child in children:
            assert child.parent is not None
            assert child.parent.span_id == root.context.span_id
            assert child.status.status_code is StatusCode.OK
            assert not child.status.description
        assert before <= (root.start_time or 0) <= time.time_ns(), "times are since the epoch"
        assert children[0].start_time == root.start_time
        assert not get_current_span().get_span_context().is_valid, "nothing ambient is set"

    on_virtual_time(body)


def test_a_failed_step_is_an_error_with_its_message_and_a_denied_one_is_not() -> None:
    """The error is recorded as an exception event at the end of the span (spec F.1)."""

    async def body(clock: VirtualClock) -> None:
        exports = Exports()
        subscribers = {"A": stub("garbage"), "B": stub("hang")}
        await Told().run("A:o B:v", subscribers, clock, point="plan-ready", timeout_ms=10, watchers=(exports.probe,))
        root, (a, b) = root_of(exports.spans), steps_of(exports.spans)
        assert root.status.is_ok, "after a deny the dispatch is fine, failed closed or not"
        for span, message in ((a, "its answer cannot be decoded"), (b, "no answer within its deadline (10 ms)")):
            assert span.status.status_code is StatusCode.ERROR
            assert message in (span.status.description or "")
            [event] = span.events
            assert event.name == "exception"
            assert event.timestamp == span.end_time
            assert event.attributes is not None
            assert message in str(event.attributes["exception.message"])

    on_virtual_time(body)


def test_held_time_is_in_no_span() -> None:
    """Minutes of looking at both seams of both steps leave the spans as they would have been."""

    async def body(base: VirtualClock) -> None:
        clock, exports = HeldClock(base), Exports()

        async def look(seam: Seam) -> Directive:
            clock.hold()
            await sleep(base, 60_000)
            clock.release()
            return PROCEED

        control = Scripted(before_A=look, after_A=look, before_B=look, after_B=look)
        subscribers = {"A": stub("ack", 10), "B": stub("+x", 20)}
        await Told().run("A:o B:t", subscribers, clock, control=control, watchers=(exports.probe,))
        root, children = root_of(exports.spans), steps_of(exports.spans)
        assert [length_ms(span) for span in (root, *children)] == [30, 10, 20]
        [duration] = exports.metrics["pluggableharness.hook.dispatch.duration"]
        assert duration.sum == pytest.approx(0.030)  # type: ignore[attr-defined]

    on_virtual_time(body)


def test_what_was_made_of_an_answer_afterwards_does_not_lengthen_its_span() -> None:
    """A subscriber's span ends with its reply, although the person thinks about it on a running clock."""

    async def body(clock: VirtualClock) -> None:
        exports = Exports()

        async def think(seam: Seam) -> Directive:
            await sleep(clock, 500)
            return Instead(Answered(b""))

        control = Scripted(after_A=think)
        await Told().run("A:o", {"A": stub("ack", 10)}, clock, control=control, watchers=(exports.probe,))
        [step] = steps_of(exports.spans)
        assert length_ms(step) == 10
        assert not step.status.is_ok, "its status is that of the answer which counted"

    on_virtual_time(body)


def test_a_refused_payload_has_no_span_and_no_duration() -> None:
    """Spec B.3: without a variant there is no dispatch to trace."""

    async def body(clock: VirtualClock) -> None:
        exports = Exports()
        place = chain("session-end", "A:o")
        await dispatch(
            Pluggable(), place, HookPayload(b""), {"A": stub("ack")}, probes=Probes(exports.probe), clock=clock
        )
        assert (exports.spans, exports.metrics) == ([], {})

    on_virtual_time(body)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_cancelled_dispatch_is_an_error_and_so_is_the_child_that_was_waited_for(parallel: bool) -> None:
    """Whoever was being asked when the caller left has a span that ends there; whoever was not has none."""

    async def body(clock: VirtualClock) -> None:
        exports, caller = Exports(), Caller()
        caller.give_up_at(clock, 15 * NS_PER_MS, "enough")
        subscribers = {name: stub("hang") for name in "AB"}
        await Told().run("A:o B:o", subscribers, clock, caller=caller, parallel=parallel, watchers=(exports.probe,))
        children = steps_of(exports.spans)
        assert len(children) == (2 if parallel else 1)
        for span in (root_of(exports.spans), *children):
            assert span.status.status_code is StatusCode.ERROR
            assert "enough" in (span.status.description or "")
            assert length_ms(span) == 15
        assert "pluggableharness.hook.errors" not in exports.metrics, "no subscriber is to blame"

    on_virtual_time(body)


def test_a_skipped_subscriber_has_no_span() -> None:
    """Spec B.12: a child exists for each subscriber that was invoked."""

    async def body(clock: VirtualClock) -> None:
        exports = Exports()
        subscribers = {"A": stub("ack"), "B": stub("ack", 5)}
        control = Scripted(before_A=Skip())
        await Told().run("A:o B:o", subscribers, clock, control=control, watchers=(exports.probe,))
        assert [length_ms(span) for span in steps_of(exports.spans)] == [5]

    on_virtual_time(body)


def test_errors_are_counted_by_point_and_mode() -> None:
    """One for each failure, with exactly two attributes (spec B.7)."""

    async def body(clock: VirtualClock) -> None:
        exports = Exports()
        subscribers = {"A": stub("none"), "B": stub("none"), "C": stub("none")}
        await Told().run("A:o B:o C:t", subscribers, clock, watchers=(exports.probe,))
        counted = {
            (point.attributes["pluggableharness.subscriber.mode"], len(point.attributes)): point.value  # type: ignore[attr-defined]
            for point in exports.metrics["pluggableharness.hook.errors"]
        }
        assert counted == {("observe", 2): 2, ("transform", 2): 1}

    on_virtual_time(body)


def test_spans_without_meters_are_fine() -> None:
    """Whoever brings no meter provider gets spans only."""

    async def body(clock: VirtualClock) -> None:
        exported = InMemorySpanExporter()
        tracers = TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(exported))
        watcher = Telemetry({"pluggable": Pluggable()}, tracers)
        await Told().run("A:o", {"A": stub("none")}, clock, watchers=(watcher,))
        assert len(exported.get_finished_spans()) == 2

    on_virtual_time(body)


def test_dispatches_in_flight_together_keep_their_spans_apart() -> None:
    """Facts of two dispatches may come in any order; each child belongs to its own parent."""
    exports = Exports()
    told: dict[str, list[Event]] = {}

    async def body(clock: VirtualClock) -> None:
        for name in ("one", "two"):
            each = await Told().run("A:o", {"A": stub("ack", 5)}, clock)
            told[name] = [Event(name, event.number, event.at_ns, event.fact) for event in each.events]

    on_virtual_time(body)
    for pair in zip(*told.values(), strict=True):
        for event in pair:
            exports.probe.see(event)
    spans = exports.spans
    assert len({span.context.trace_id for span in spans if span.context}) == 2
    roots = {span.context.span_id: span for span in spans if span.parent is None and span.context}
    assert {span.parent.span_id for span in spans if span.parent is not None} == set(roots)


def test_whoever_comes_in_the_middle_makes_no_span_of_half_a_dispatch() -> None:
    """Facts of a dispatch whose beginning was not seen are left alone, and so is what comes after an end."""
    exports = Exports()

    async def body(clock: VirtualClock) -> Told:
        return await Told().run("A:o", {"A": stub("ack")}, clock)

    told = on_virtual_time(body)
    for event in told.events[1:]:
        exports.probe.see(event)
    assert exports.spans == []
    for event in (*told.events, told.events[2]):
        exports.probe.see(event)
    assert len(exports.spans) == 2
    assert isinstance(told.facts[0], Opened)
    assert isinstance(told.facts[-1], Ended)
    assert told.facts[0].chain == Chain("pre-model-call", told.facts[0].chain.subscriptions)


def test_stretches_are_spans_around_dispatches_and_may_overlap() -> None:
    """Two turns open side by side keep their dispatches apart; held time is in none of them."""

    async def body(base: VirtualClock) -> None:
        clock, exports = HeldClock(base), Exports()
        probes = Probes(exports.probe)
        stretches = Stretches("pluggable", probes, clock)

        async def one(parent: str) -> None:
            place = chain("session-end", "A:o")
            await dispatch(
                Pluggable(), place, payload("session-end"), {"A": stub("ack", 5)},
                probes=probes, clock=clock, parent=parent,
            )  # fmt: skip

        with stretches.entered("session", "s", None, {"session.id": "s", "other": 1}) as session:
            with (
                stretches.entered("turn", "1", session) as first,
                stretches.entered("tool.execute", "2", session) as second,
            ):
                await one(first.id)
                clock.hold()
                await sleep(base, 60_000)
                clock.release()
                await one(second.id)
            session.note({"session.status": "completed"})
            session.fail("sadly")
        names = {span.context.span_id: span.name for span in exports.spans if span.context}
        tree = {(span.name, names[span.parent.span_id] if span.parent else "") for span in exports.spans}
        assert tree == {
            ("session", ""),
            ("turn", "session"),
            ("tool.execute", "session"),
            ("hook.dispatch", "turn"),
            ("hook.dispatch", "tool.execute"),
            ("hook.subscriber", "hook.dispatch"),
        }
        assert {span.name: length_ms(span) for span in exports.spans if span.name != "hook.dispatch"} == {
            "session": 10, "turn": 10, "tool.execute": 10, "hook.subscriber": 5,
        }  # fmt: skip
        root = root_of(exports.spans)
        prefix = "pluggableharness.session"
        assert dict(root.attributes or {}) == {f"{prefix}.id": "s", f"{prefix}.status": "completed"}
        assert root.status.description == "sadly"
        last = max(span.end_time or 0 for span in exports.spans)
        assert last == root.end_time, "everything inside is timed from its beginning"

    on_virtual_time(body)


def test_a_stretch_whose_parent_was_not_seen_is_a_root() -> None:
    """Whoever comes in the middle makes the best of it; an end without a beginning is let go."""
    exports = Exports()
    exports.probe.see(Event("a", 0, 0, Entered("pluggable", "turn", "1", "unseen", 17)))
    exports.probe.see(Event("b", 0, 5, Left()))
    exports.probe.see(Event("a", 1, 9, Left()))
    [span] = exports.spans
    assert (span.parent, span.start_time, span.end_time) == (None, 17, 26)
