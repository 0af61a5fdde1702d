"""The story of a played session, as lines."""

from __future__ import annotations

from played_runs import PolicyRule, Run, run, script, session

from debugger.trace import Trace
from debugger.views.story import Story
from kernel.facts import Entered


def told(seen: Run) -> list[str]:
    """Every line of the story of a session."""
    trace = Trace()
    for event in seen.events:
        trace.take(event)
    [root] = [e.dispatch for e in seen.events if isinstance(e.fact, Entered) and not e.fact.parent]
    playable = script(session())
    return [line.text.rstrip() for line in Story(trace, playable.label, playable.details).of(root)]


def test_a_session_is_told_in_order_with_every_why() -> None:
    """Points with who was asked, what the model said, decisions with rule and reason, the end."""
    rules = (PolicyRule("reads", "allow", kind="data_source"),)
    answer = {"says": "Let me\nsee.", "cost_usd": 0.25, "calls": [
        {"tool": "fs.read", "id": "r", "takes_ms": 5}, {"tool": "fs.write", "id": "w"},
    ]}  # fmt: skip
    chains = {"plan-ready": "A:v deny, B:o ack", "post-tool-call": "C:o crash"}
    lines = told(run(script(session(answer), rules=rules), chains))
    text = "\n".join(lines)
    assert lines[0] == "session s  5.0 ms  session.status completed  turns 2  cost_usd 0.25"
    for expected in (
        "  ✓ session-start  allow  nobody is asked",
        "  turn 1  5.0 ms  cost_usd 0.25  session_cost_usd 0.25",
        "      “Let me see.”",
        "    ✓ pre-tool-call  write  allow  nobody is asked",
        "      → fs.read (r): allow by policy:reads",
        "          rule 'reads' says allow  PL-POLICY-RULE",
        "    tool.execute fs.read  5.0 ms  outcome ok",
        "      ⊘ plan-ready  DENY  ⊘ A  ┄ B",
        "          A: it answered DENY  PL-VETO-DENY",
        "      → fs.write (w): deny by hook-veto:A",
        "    ✓ post-tool-call  read  allow  ✗ C",
        "  → session: completed",
    ):
        assert expected in lines
    assert "PL-OBSERVE-CRASHED" in text
    assert "model.attempt" not in text


def test_what_went_wrong_is_told_where_it_did() -> None:
    """A detail that failed is no detail any more, and a stretch that failed says with what."""
    text = "\n".join(told(run(script({**session(), "turns": [{"fails": ["auth"]}]}))))
    assert "model.attempt 1" not in text
    assert "✗ auth" in text
    assert "✗ the model failed with auth, which is not retried" in text


def test_text_from_outside_is_shown_literally() -> None:
    """Names and words cannot steer a terminal."""
    text = "\n".join(told(run(script({**session(), "turns": [{"says": "\x1b[31mred"}]}))))
    assert "\x1b" not in text


def test_what_is_not_in_the_trace_is_not_told() -> None:
    """Dropped dispatches leave no line."""
    assert list(Story(Trace(), lambda payload: "", ()).of("gone")) == []
