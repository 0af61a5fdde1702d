"""Claims about spans and metrics of a dispatch: made by the kernel's telemetry out of what was told."""

from __future__ import annotations

from scenario_texts import scenario, verdict

from debugger.scenario.measure import Measurement, measured

CHAIN = """
  - {name: A, point: session-end, mode: observe, stub: {status: INTERNAL, after_ms: 3}}
  - {name: B, point: session-end, mode: observe, stub: {answer: ack, after_ms: 2}}"""


def test_spans_are_found_by_step_and_metrics_by_name() -> None:
    """With the times of the facts."""
    [fired] = verdict(scenario(CHAIN)).fired
    found = measured(fired.events, fired.dialect)
    [root] = found.roots
    assert (root.title, root.span.name) == ("hook.dispatch", "hook.dispatch")
    assert [node.title for node in root.children] == ["A", "B"]
    lengths = [(node.span.end_time or 0) - (node.span.start_time or 0) for node in root.children]
    assert lengths == [3_000_000, 2_000_000]
    point = {"pluggableharness.hook.point": "session-end"}
    assert {each.name: each for each in found.metrics} == {
        "pluggableharness.hook.errors": Measurement(
            "pluggableharness.hook.errors", {**point, "pluggableharness.subscriber.mode": "observe"}, 1, None
        ),
        "pluggableharness.hook.dispatch.duration": Measurement(
            "pluggableharness.hook.dispatch.duration", point, None, 1
        ),
    }


def test_a_refused_payload_has_neither() -> None:
    """Nothing was opened."""
    [fired] = verdict(scenario(fire="{point: session-end, payload_bytes: '', payload_point: ''}")).fired
    found = measured(fired.events, fired.dialect)
    assert (found.roots, found.metrics) == ((), ())
