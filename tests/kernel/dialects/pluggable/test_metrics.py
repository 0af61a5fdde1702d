"""What the host counts and times, by name, unit and attributes (spec B.7, B.12, F.1, F.2)."""

from __future__ import annotations

from typing import Any

import pytest
from played_runs import PolicyRule, Run, run, script, session

from kernel.dialects.pluggable.metrics import measures
from kernel.facts import Entered, Left
from kernel.measures import Instrument
from kernel.transports.stub import Stub

NS_PER_S = 10**9


def instruments(seen: Run) -> dict[str, tuple[str, str]]:
    """Kind and unit of each metric, by name."""
    data = seen.reader.get_metrics_data()
    return {
        metric.name.removeprefix("pluggableharness."): (type(metric.data).__name__, metric.unit)
        for resource in (data.resource_metrics if data else [])
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


BUSY: dict[str, Any] = {
    "takes_ms": 500,
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_read_tokens": 7,
    "cache_write_tokens": 3,
    "cost_usd": 0.25,
    "calls": [
        {"tool": "fs.read", "id": "d", "takes_ms": 250},
        {"tool": "fs.read", "id": "e", "error": {"message": "gone"}},
        {"tool": "ui.ask", "id": "i", "takes_ms": 1000},
        {"tool": "fs.write", "id": "w", "takes_ms": 750},
        {"tool": "shell.run", "id": "s"},
    ],
}
RULES = (PolicyRule("no", "deny", provider="shell"), PolicyRule("f", "allow", provider="fs"))


def test_a_busy_session_is_measured_to_the_last_token() -> None:
    """Every metric with exactly these values and attributes; nothing else is recorded."""
    seen = run(
        script(session(BUSY), rules=RULES),
        {"pre-tool-call": "A:v allow, B:o none"},
        stubs={"B": Stub(lambda request: b"", 0)},
    )
    assert seen.metrics == {
        "sessions.started": {"": 1},
        "sessions.active": {"": 0},
        "sessions.ended": {"session.status=completed": 1},
        "turns": {"": 2},
        "turn.duration": {"outcome=ok": (2, 0.5 + 0.25 + 1.0 + 0.75)},
        "model.call.duration": {"outcome=ok": (2, 0.5)},
        "tokens": {"token.type=input": 100, "token.type=output": 20, "token.type=cache_read": 7,
                   "token.type=cache_write": 3},
        "cost.usd": {"": 0.25},
        "tool.calls": {
            "outcome=ok tool.kind=data_source": 1,
            "outcome=error tool.kind=data_source": 1,
            "outcome=ok tool.kind=interactive": 1,
            "outcome=ok tool.kind=resource": 1,
        },
        "tool.duration": {
            "outcome=ok tool.kind=data_source": (1, 0.25),
            "outcome=error tool.kind=data_source": (1, 0.0),
            "outcome=ok tool.kind=interactive": (1, 1.0),
            "outcome=ok tool.kind=resource": (1, 0.75),
        },
        "interactive.resolutions": {"outcome=ok tool.name=ask": 1},
        "policy.decisions": {"policy.decision=allow": 4, "policy.decision=deny": 1},
        "hook.dispatch.duration": {
            "hook.point=session-start": (1, 0.0),
            "hook.point=pre-model-call": (2, 0.0),
            "hook.point=post-model-response": (2, 0.0),
            "hook.point=pre-tool-call": (5, 0.0),
            "hook.point=plan-ready": (1, 0.0),
            "hook.point=post-tool-call": (5, 0.0),
            "hook.point=post-apply": (1, 0.0),
            "hook.point=session-end": (1, 0.0),
        },
        "hook.errors": {"hook.point=pre-tool-call subscriber.mode=observe": 5},
    }  # fmt: skip


def test_metrics_have_the_instruments_and_units_of_the_specification() -> None:
    """Counters grow, the number of sessions goes both ways, durations are seconds, costs are dollars."""
    seen = run(script(session(BUSY), rules=RULES), {"pre-tool-call": "A:o none"})
    found = instruments(seen)
    assert {name for name, (kind, unit) in found.items() if (kind, unit) == ("Histogram", "s")} == {
        "turn.duration", "model.call.duration", "tool.duration", "hook.dispatch.duration",
    }  # fmt: skip
    assert found["cost.usd"] == ("Sum", "{USD}")
    assert {unit for name, (kind, unit) in found.items() if kind == "Sum" and name != "cost.usd"} == {""}
    [entered] = [Entered("pluggable", "session", "s", "", 0)]
    up = [each for each in measures(entered, entered, 0) if each.metric.instrument is Instrument.UP_DOWN]
    down = [each for each in measures(entered, Left(), 0) if each.metric.instrument is Instrument.UP_DOWN]
    assert [(each.metric.name, each.value) for each in (*up, *down)] == [
        ("pluggableharness.sessions.active", 1), ("pluggableharness.sessions.active", -1),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("bounds", "bound"),
    [
        ({"max_turns": 1}, "max_turns"),
        ({"max_cost_usd": 0.1}, "max_cost_usd"),
        ({"max_wall_clock_s": 1}, "max_wall_clock_s"),
    ],
)
def test_a_bound_that_ends_a_session_is_counted(bounds: dict[str, Any], bound: str) -> None:
    """Once, under its own name."""
    seen = run(script(session(BUSY, "fs.read x"), **bounds))
    assert seen.metrics["bounds.fired"] == {f"bound={bound}": 1}
    assert "doomloop.detected" not in seen.metrics
    status = {"max_turns": "max_turns", "max_cost_usd": "max_budget_usd", "max_wall_clock_s": "max_wall_clock"}[bound]
    assert seen.metrics["sessions.ended"] == {f"session.status=error_{status}": 1}


def test_a_doom_loop_is_counted() -> None:
    """Once, and it is no bound."""
    again = {"calls": [{"tool": "fs.read", "arguments": {"path": "a"}}]}
    seen = run(script(session(again, again, again, again)))
    assert seen.metrics["doomloop.detected"] == {"": 1}
    assert "bounds.fired" not in seen.metrics


def test_what_fails_is_measured_as_an_error() -> None:
    """A model that gives up: its call, its turn and its session say so; no tokens were used."""
    seen = run(script({**session(), "turns": [{"fails": ["auth"], "input_tokens": 5}]}))
    assert seen.metrics["model.call.duration"] == {"outcome=error": (1, 0.0)}
    assert seen.metrics["turn.duration"] == {"outcome=error": (1, 0.0)}
    assert seen.metrics["sessions.ended"] == {"session.status=failed": 1}
    assert "tokens" not in seen.metrics


def test_a_crash_is_counted_with_whose_plugin_it_was() -> None:
    """Beside the hook's error, which knows no names."""
    seen = run(script(session()), {"post-model-response": "A:o crash"})
    assert seen.metrics["plugin.crashes"] == {
        "producer.category=CATEGORY_TOOL producer.name=a producer.version=1": 1,
    }
    assert seen.metrics["hook.errors"] == {"hook.point=post-model-response subscriber.mode=observe": 1}


def test_every_answer_of_policy_is_a_decision() -> None:
    """Ask at the gate is one; what somebody then answered is none of policy's."""
    answers = [{"answer": "once"}]
    seen = run(script(session("fs.write a, fs.read d", answers=answers), rules=()))
    assert seen.metrics["policy.decisions"] == {"policy.decision=ask": 1, "policy.decision=allow": 1}


def test_a_refused_payload_is_not_timed() -> None:
    """What has no span has no duration either (spec B.3)."""
    entered = Entered("pluggable", "turn", "1", "", 0)
    assert [each.metric.name for each in measures(entered, entered, 0)] == []
    assert [(each.metric.name, each.value) for each in measures(entered, Left("bad"), 3 * NS_PER_S)] == [
        ("pluggableharness.turns", 1), ("pluggableharness.turn.duration", 3.0),
    ]  # fmt: skip
