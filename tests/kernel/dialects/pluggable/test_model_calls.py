"""Which model serves, how long is waited for it, and that no number breaks that (spec C.7, D.2)."""

from __future__ import annotations

import pytest
from played_runs import calls, run, script, session

from kernel.dialects.pluggable.agent_hcl.settings import DoomLoop, ModelChoice, ModelRef, Retry, Settings
from kernel.dialects.pluggable.session.model_calls import delay_ms


def chosen(*refs: str) -> ModelChoice:
    """The models of a profile; all are p's."""
    first, *others = (ModelRef("p", ref) for ref in refs)
    return ModelChoice(first, tuple(others))


@pytest.mark.parametrize(
    ("refs", "model"), [(("absent", "m"), "m"), (("m", "absent"), "m"), (("absent", "gone", "m"), "m")]
)
def test_a_model_that_is_not_there_is_skipped(refs: tuple[str, ...], model: str) -> None:
    """Whether it is the primary one or a fallback (C.7)."""
    seen = run(script(session(), model=chosen(*refs)))
    assert [each["model"]["id"] for each in seen.payloads("pre-model-call")] == [model]


def test_where_no_model_is_there_the_session_fails() -> None:
    """Before anybody is asked for context, which is made for a model."""
    seen = run(script(session(context=[{"name": "c"}]), model=chosen("absent", "gone")))
    assert (seen.rules, seen.hooks) == (["PL-MODEL-NONE"], ["session-start", "session-end"])
    assert not seen.stretches("context.contribute")


@pytest.mark.parametrize(
    ("retry", "attempt", "waits_ms"),
    [
        (Retry(10, 1.5, 5), 1, 10),
        (Retry(10, 1.5, 5), 3, 22.5),
        (Retry(10, 1e200, 5), 2, 1e9),
        (Retry(10, 1e200, 5), 4, 1e9),
        (Retry(10, -1e200, 5), 4, 0),
        (Retry(10, -1e200, 5), 5, 1e9),
        (Retry(0, 1e200, 5), 9, 0),
        (Retry(0, float("inf"), 5), 2, 0),
        (Retry(10, float("inf"), 5), 2, 1e9),
        (Retry(10, float("-inf"), 5), 2, 0),
        (Retry(-10, 1e200, 5), 9, 0),
        (Retry(-10, 2, 5), 1, 0),
        (Retry(2**63 - 1, 2**63 - 1, 20), 20, 1e9),
    ],
)
def test_no_factor_is_too_large_to_wait_for(retry: Retry, attempt: int, waits_ms: float) -> None:
    """As long as any time that can be described, and never less than nothing."""
    assert delay_ms(retry, attempt) == waits_ms


@pytest.mark.parametrize("number", [-1, -(2**63), 2**63 - 1])
def test_no_number_of_a_configuration_breaks_a_session(number: int) -> None:
    """Every number that the host takes, at once: the session ends, whichever way."""
    settings = Settings(
        default_tool_timeout_ms=number,
        max_depth=number,
        retry=Retry(number, float(number), number),
        doom_loop=DoomLoop(max(number, 3), 3),
    )
    bounds = ("max_turns", "max_cost_usd", "max_wall_clock_s", "max_depth", "max_concurrent_subagents")
    answer = {"calls": calls("fs.write a, fs.read b, ui.ask c"), "fails": ["overloaded"]}
    inner = {"tool": "fs.read", "session": {"messages": [], "turns": [{"says": "x"}]}}
    seen = run(script(session({"calls": [inner]}, answer), settings=settings, **dict.fromkeys(bounds, number)))
    assert seen.played is not None
    assert seen.hooks[-1] == "session-end"
