"""`hookscope play` as it is run: the sample session with real processes, exit codes, answers, and clean pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from plugin_configs import write_config
from plugin_runs import ROOT, processes_mentioning, until_now

SAMPLE = ROOT / "sample_configs" / "coding_session"
SESSION = SAMPLE / "session.json"
COMMAND = (sys.executable, "-m", "debugger.cli", "play")
ENV = {**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)}


def play(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=ROOT, env=ENV, check=False
    )


def write_session(folder: Path, **more: Any) -> Path:
    """A small session: one call that is asked about, then an answer."""
    view = {
        "profile": "test",
        "models": [{"provider": "p", "id": "m"}],
        "messages": [{"text": "hello"}],
        "tools": [{"name": "fs.write", "kind": "resource"}],
        "turns": [{"calls": [{"tool": "fs.write", "id": "w"}]}, {"says": "done"}],
        **more,
    }
    path = folder / "session.json"
    path.write_text(json.dumps(view))
    return path


def configure(folder: Path, hooks: dict[str, tuple[str, str]] | None = None, point: str = "plan-ready") -> Path:
    """A configuration with a profile that grants the session's tool."""
    config = write_config(folder, point, hooks or {})
    config.write_text(config.read_text() + 'agent_profile "test" {\n  tools = ["fs.*"]\n}\n')
    return config


@pytest.fixture(scope="module")
def sample() -> subprocess.CompletedProcess[str]:
    """The sample session, played once."""
    return play(SAMPLE, SESSION)


def test_the_sample_session_is_told_to_its_end(sample: subprocess.CompletedProcess[str]) -> None:
    """Four turns, eight subscribers, a secret redacted, a command denied, a slow one and one that crashed once."""
    assert sample.returncode == 0
    assert [line for line in sample.stderr.splitlines() if line.startswith("hookscope: ")] == [
        "hookscope: file-index had died and was started again"
    ]
    lines = [line.strip() for line in sample.stdout.splitlines()]
    assert [line.split("  ")[0] for line in lines if line.startswith("turn ")] == [f"turn {n}" for n in range(1, 5)]
    for expected in (
        "✓ pre-model-call  allow  ✓ audit-log  ✓ token-counter  ± redactor  ± injector",
        "→ fs.read (toolu_02): deny by hook-veto:path-guard",
        "⊘ plan-ready  DENY  ⊘ policy-bot  ┄ audit-log",
        "→ fs.write (toolu_04): deny by hook-veto:policy-bot",
        "→ shell.run (toolu_05): deny by hook-veto:policy-bot",
        "→ shell.run (toolu_08): allow by policy:commands+resolver:dana",
        "→ git.push (toolu_09): deny by policy:nothing-critical",
        "✓ post-tool-call  search  allow  ✗ file-index",
        "✓ post-model-response  allow  ◷ spell-check",
        "COMPLETED: the model called no tool, so it is done.  turns 4  cost_usd 0.0322",
    ):
        assert expected in lines
    said = [line for line in lines if line.startswith("context.contribute file-index")]
    kept = [line.partition("sections ")[2] for line in said]
    assert kept == ["0  tokens 0", "2  tokens 33", "0  tokens 0", "2  tokens 20"], "it forgets with its process"
    assert sample.stdout.count("✗ file-index") == 1
    assert "\x1b" not in sample.stdout


def test_sessions_inside_of_the_delegated_one_are_told() -> None:
    """Two, one after the other, each within the call that begins it; a third would be too deep."""
    run = play(SAMPLE, SAMPLE / "delegated.json")
    assert (run.returncode, run.stderr) == (0, "")
    lines = [line.strip() for line in run.stdout.splitlines()]
    for expected in (
        "→ agent.ask (toolu_tests): waits by max_concurrent_subagents",
        "→ agent.ask (toolu_deeper): deny by max_depth",
        "COMPLETED: the model called no tool, so it is done.  turns 2  cost_usd 0.0065  sub_sessions 2",
    ):
        assert expected in lines
    assert [line.split("  ")[0] for line in lines if line.startswith("session ")] == [
        "session delegated", "session delegated/toolu_code", "session delegated/toolu_tests",
    ]  # fmt: skip
    assert lines.count("✓ session-end  allow  nobody is asked") == 3


def test_the_sample_session_as_facts() -> None:
    """One object a line; secrets do not get past the redactor, and every dispatch is inside the session."""
    run = play(SAMPLE, SESSION, "--json")
    assert run.returncode == 0
    facts = [json.loads(line) for line in run.stdout.splitlines()]
    stretches = {fact["dispatch"] for fact in facts if fact["fact"] == "entered"}
    entered = {fact["dispatch"]: fact["attributes"] for fact in facts if fact["fact"] == "entered"}
    assert all(fact["parent"] in stretches for fact in facts if fact["fact"] == "opened")
    given = [fact for fact in facts if fact["fact"] == "changed" and fact["by"] == "redactor"]
    assert len(given) == 4
    for fact in given:
        text = json.dumps(fact["payload"])
        assert "sk-a1B2c3D4" not in text
        assert "ghp_16C7" not in text
    contributed = [fact for fact in facts if fact["fact"] == "left" and "rpc.method" in entered[fact["dispatch"]]]
    assert len(contributed) == 4
    assert "ghp_16C7" not in json.dumps(contributed)
    raised = [(fact["subscriber"], fact["category"]) for fact in facts if fact["fact"] == "raised"]
    assert raised == [("file-index", "PROCESS_CRASHED"), ("spell-check", "TIMEOUT")]
    assert (facts[0]["fact"], facts[-1]["fact"]) == ("entered", "left")
    assert facts[-1]["attributes"]["session.status"] == "completed"


@pytest.mark.parametrize(
    ("answer", "code", "said"),
    [
        (None, 0, "deny by policy:default+resolver:nobody"),
        ("once", 0, "allow by policy:default+resolver:--answer"),
        ("session", 0, "allow by policy:default+resolver:--answer"),
        ("deny", 0, "deny by policy:default+resolver:--answer"),
        ("always", 1, "FAILED: ErrPolicyPersistenceUnavailable"),
    ],
)
def test_what_is_asked_is_answered_as_wished(tmp_path: Path, answer: str | None, code: int, said: str) -> None:
    """Without a wish, and without an answer in the description, nobody is there, and that is a no."""
    options = [] if answer is None else ["--answer", answer]
    run = play(configure(tmp_path), write_session(tmp_path), *options)
    assert (run.returncode, run.stderr) == (code, "")
    assert said in run.stdout


@pytest.mark.parametrize(
    ("session", "words"),
    [
        ("{", "session.json:1:"),
        ('{"turns": [], "mesages": []}', "did you mean 'messages'?"),
        ('{"turns": [], "messages": []}', "names a model"),
        (None, "cannot be read"),
    ],
)
def test_a_session_that_cannot_be_used_is_exit_code_2(tmp_path: Path, session: str | None, words: str) -> None:
    """One sentence on stderr, nothing on stdout."""
    path = tmp_path / "session.json"
    if session is not None:
        path.write_text(session)
    run = play(configure(tmp_path), path)
    assert (run.returncode, run.stdout) == (2, "")
    [line] = run.stderr.splitlines()
    assert words in line


ABORTS = """
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("breaker")

@plugin.transform("pre-model-call")
def fail(payload):
    raise ValueError("no")

if __name__ == "__main__":
    plugin.serve()
"""


def test_a_session_that_fails_is_exit_code_1(tmp_path: Path) -> None:
    """With the point and the reason, and no process left."""
    config = configure(tmp_path, {"breaker": ("transform", ABORTS)}, "pre-model-call")
    run = play(config, write_session(tmp_path))
    assert run.returncode == 1
    assert "FAILED: pre-model-call: ErrTransformFailed" in run.stdout
    assert "✓ session-end" in run.stdout
    until_now(lambda: not processes_mentioning(f"breaker_{tmp_path.name}.py"))


def test_an_interrupt_cancels_the_session(tmp_path: Path) -> None:
    """Its end is told, and the exit code says that it did not complete."""
    session = write_session(tmp_path, turns=[{"takes_ms": 60_000}])
    command = [*COMMAND, str(configure(tmp_path)), str(session), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV, cwd=ROOT) as run:
        try:
            assert run.stdout is not None
            for line in run.stdout:
                if json.loads(line).get("kind") == "model.attempt":
                    break
            run.terminate()
            out, err = run.communicate(timeout=30)
        finally:
            run.kill()
    assert (run.returncode, err) == (1, "")
    facts = [json.loads(line) for line in out.splitlines()]
    assert facts[-1]["attributes"]["session.status"] == "cancelled"
    assert [fact["point"] for fact in facts if fact["fact"] == "opened"] == ["session-end"]


def test_a_switch_of_the_dialect_can_be_thrown(tmp_path: Path) -> None:
    """Off by default; one that there is not is refused with those that there are."""
    step = {"calls": [{"tool": "shell", "id": "x", "gate": {"capture_fails": "no review"}}]}
    tools = [{"name": "shell", "access": "prompt"}]
    session = tmp_path / "session.json"
    session.write_text(json.dumps({"tools": tools, "inputs": [{"user": "go", "steps": [step]}]}))
    config = ROOT / "sample_configs" / "rig"
    assert "RG-NEVER-FINISHED" not in play(config, session).stdout
    assert "RG-NEVER-FINISHED" in play(config, session, "--switch", "capture_leak").stdout
    refused = play(config, session, "--switch", "capture_leaks")
    assert (refused.returncode, refused.stderr) == (
        2,
        "hookscope: rig has no switch 'capture_leaks'; there is capture_leak\n",
    )
