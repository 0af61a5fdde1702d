"""What was delivered twice, and what came too late, wherever a reader may look: strip, list, spans, why, exports."""

from __future__ import annotations

from pathlib import Path

from exported_runs import material, recorded, told
from pluggable_answers import ALLOW
from view_runs import as_text

from debugger.choosing import Choosing
from debugger.export.formats import Format, written
from debugger.export.markdown import markdown
from debugger.export.mermaid import mermaid
from debugger.otlp.outward import recorded as recorded_spans
from debugger.session import SessionView
from debugger.store.short import Steering, in_short
from debugger.trace import DispatchTrace, Trace
from debugger.traces.source import Wish, recording_source
from debugger.views import inspect, spans
from debugger.views.chain import chain_view, render
from debugger.views.dispatches import row
from debugger.views.header import header_view
from debugger.whatif.reasons import reasons
from kernel.clock import sleep
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Event, Late
from kernel.faults import LateBy
from kernel.host import Health
from kernel.subscriber import Call
from kernel.transports.stub import Stub
from kernel.values import Answered, Delivery, Outcome

TWICE = (Delivery(2, pid=7, took_ms=10), Delivery(4, "it died", 1, 250.0, 8, 300.0, 5.0, 1))


class Revived:
    """Answers after its host has started it again."""

    async def answer(self, call: Call) -> Outcome:
        await sleep(call.clock, 305)
        return Answered(ALLOW, TWICE)


def again() -> list[Event]:
    return told("d", "A:v", {"A": Revived()}, point="plan-ready")


def late() -> list[Event]:
    return told("d", "A:v", {"A": Stub(lambda request: ALLOW, 5, LateBy(50))}, point="plan-ready")


def traced(events: list[Event]) -> DispatchTrace:
    kept = Trace()
    for event in events:
        kept.take(event)
    [found] = kept.dispatches
    return found


def lines_of(*lines: object) -> str:
    return "\n".join(str(getattr(line, "text", line)) for line in lines)


def test_a_second_delivery_is_seen_in_the_list_the_strip_and_the_spans() -> None:
    """A sign in both, how often it was asked, and a bar for each delivery where it happened."""
    trace, free = traced(again()), SessionView()
    assert "⟳" in "".join(segment.text for segment in row(trace, free, 46))
    strip = as_text(render(chain_view(trace, free, None, None), 80))
    assert strip[0].startswith(" ⟳ A")
    assert "305 ms, asked 2×" in strip[3]
    rows = spans.rows(trace, free, None)
    assert [(each.name, each.from_ns, each.to_ns) for each in rows if each.is_detail] == [
        ("request 2", 0, 10_000_000),
        ("request 4", 300_000_000, 305_000_000),
    ]
    assert [each.step for each in rows] == [None, 0, 0, 0], "their step is chosen with them"
    assert in_short(again()).steered & Steering.AGAIN
    assert not in_short(late()).steered & Steering.AGAIN


def test_why_of_the_dispatch_says_why_it_was_delivered_again() -> None:
    """Without anybody looking at the step."""
    said = lines_of(*inspect.why(traced(again()), None, PLUGGABLE, None))
    assert "⟳ A was asked again, after restart 1: it died" in said


def test_a_second_delivery_is_in_every_export(tmp_path: Path) -> None:
    """As arrows in a sequence diagram, as events of a span; in the trace screens as well."""
    path = recorded(tmp_path / "r.hookscope", again())
    drawn = "".join(mermaid(material(path)))
    assert "s0--xhost: it died" in drawn
    assert "restart 1 after 250 ms" in drawn
    assert "the same again#44; as request 4" in drawn or "the same again, as request 4" in drawn
    [step] = [span for span in recorded_spans(path) if span.name == "hook.subscriber"]
    events = [(event.time_ns - step.start_ns, dict(event.attributes)) for event in step.events]
    assert events == [
        (0, {"request.id": 2, "restart_count": 0, "process.pid": 7}),
        (300_000_000, {
            "request.id": 4, "restart_count": 1, "process.pid": 8, "because": "it died", "restart.attempt": 1,
        }),
    ]  # fmt: skip
    source = recording_source(path)
    try:
        skeleton = source.skeleton(source.order(Wish())[0])
        span = source.span(skeleton, 1)
        assert span is not None
        assert [event.name for event in span.events] == ["delivery", "delivery"]
    finally:
        source.close()


def test_the_header_says_who_was_started_again() -> None:
    """In the host's own words, beside who is not running at all."""
    degraded = Health("a", True, "pid 1", "degraded", 2)
    gone = Health("b", False, "it exited", "failed", 4)
    view = header_view("x", SessionView(is_started=True, health=(degraded,)), Choosing(), 0)
    assert view.state == "a degraded (2⟳)"
    assert view.alarm == ""
    view = header_view("x", SessionView(is_started=True, health=(degraded, gone)), Choosing(), 0)
    assert view.state == "✗ not running: b; a degraded (2⟳); b failed (4⟳)"


def test_a_late_answer_stays_with_its_call(tmp_path: Path) -> None:
    """In Answer, in Why, in exports; and Why says what it would have come to."""
    events = late()
    [came] = [event.fact for event in events if isinstance(event.fact, Late)]
    assert (came.outcome, came.took_ns) == (Answered(ALLOW), 1_050_000_000)
    trace = traced(events)
    step = trace.step(0)
    answer = lines_of(*inspect.answer(step, PLUGGABLE, None))
    assert answer.startswith("no answer after 1000 ms")
    assert "too late, 1050 ms after it was asked; it counts for nothing" in answer
    assert "HOOK_DECISION_ALLOW" in answer
    assert "came late  4 bytes after 1050 ms" in lines_of(*inspect.why(trace, 0, PLUGGABLE, None))
    found = {each.words: each.result for each in reasons(trace, PLUGGABLE)}
    patient = found["A given 1051 ms"]
    assert patient is not None
    assert patient.decision == "allow"
    path = recorded(tmp_path / "r.hookscope", events)
    assert "too late to count" in "".join(markdown(material(path)))
    assert "too late" in "".join(mermaid(material(path)))
    assert "too late, 1050 ms after it was asked" in "".join(written(Format.HTML, material(path), None))  # type: ignore[arg-type]
