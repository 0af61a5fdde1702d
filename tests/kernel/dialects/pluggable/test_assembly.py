"""Described providers of context in played sessions: deadlines, and what rewriting comes to (spec B.11)."""

from __future__ import annotations

import pytest
from played_runs import run, script, session

from kernel.dialects.pluggable.agent_hcl.settings import Settings


@pytest.mark.parametrize(("takes_ms", "took_ms", "status"), [(249, 249, "completed"), (251, 250, "failed")])
def test_a_described_provider_has_the_deadline_of_a_plugin(takes_ms: int, took_ms: int, status: str) -> None:
    """Each call has its own, and one that is late fails the turn as it does for a plugin."""
    context = [{"name": "slow", "takes_ms": takes_ms, "sections": [{"label": "l", "text": "late"}]}]
    seen = run(script(session(context=context), settings=Settings(default_hook_timeout_ms=250)))
    assert seen.played is not None
    assert (seen.played.status, seen.took_ms) == (status, took_ms)
    assert ("PL-CONTEXT-TIMEOUT" in seen.rules) is (status == "failed")
    [(_, left, *_)] = seen.stretches("context.contribute")
    assert left.attributes.get("failure") == ("timed_out" if status == "failed" else None)
    assert seen.played.why == (
        "slow failed: no answer within its deadline (250 ms)" if status == "failed" else seen.played.why
    )


def test_sections_of_somebody_who_also_rewrites_count() -> None:
    """The conversation stays, and that is told; the host has no counter for it."""
    context = [{"name": "a", "sections": [{"label": "l", "text": "mine"}], "rewrites": [{"text": "short"}]}]
    seen = run(script(session(context=context)))
    assert [left.attributes["sections"] for _, left, *_ in seen.stretches("context.assemble")] == [1]
    assert "a/rewritten_history dropped context:history" in seen.decided
    assert seen.payloads("pre-model-call")[0]["messages"][0]["content"][0]["text"]["text"] == "hello"
    assert "context.contribution.violations" not in seen.metrics


def test_what_is_rewritten_is_rewritten_once() -> None:
    """In the first turn: later ones go on from there, with what was said since."""
    context = [{"name": "short", "compactor": True, "rewrites": [{"text": "so far"}]}]
    seen = run(script(session("fs.read d", "fs.read e", context=context)))
    assert [len(each["messages"]) for each in seen.payloads("pre-model-call")] == [1, 3, 5]
