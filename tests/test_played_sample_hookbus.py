"""The sample session of hookbus as it is played, and the page that tells of such sessions."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from debugger.scenario import report
from debugger.scenario.load import parse
from debugger.scenario.run import run
from kernel.dialects.hookbus.session import described

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_configs" / "hookbus"
PAGE = ROOT / "docs" / "sessions-hookbus.md"
NEEDS = pytest.mark.skipif(shutil.which("node") is None or shutil.which("bash") is None, reason="needs node and bash")


def play(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end, in a narrow terminal's environment."""
    return subprocess.run(
        [sys.executable, "-m", "debugger.cli", "play", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "120"},
        check=False,
    )


@NEEDS
def test_the_sample_session_is_told_to_its_end() -> None:
    """Rewritten, blocked, confirmed, latched, replaced for a worker too, asked anew after a reload, really called."""
    done = play(SAMPLE, SAMPLE / "session.json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    for expected in (
        "→ injection: stored by 50-project-context",
        "± before_tool_call  bash  modify  ± 10-input-rewriter  ✓ 20-command-guard  ┄ 30-push-confirmer",
        "⊘ before_tool_call  bash  BLOCK  ┄ 10-input-rewriter  ⊘ 20-command-guard  ┄ 30-push-confirmer",
        "→ bash (push): run by dana",
        "→ bash (tags): run by latch",
        "→ bash (show): replaced by 40-output-shrinker",
        "→ 30-push-confirmer: loaded by host",
        "→ bash (again): not run by nobody",
        "→ injection: left behind by host",
    ):
        assert expected in lines, expected
    assert any(line.startswith("✓ before_tool_call  50-project-context:agreement") for line in lines)
    assert lines[-1].startswith("COMPLETED: every step was played.")


@NEEDS
def test_the_facts_of_a_session_are_told_as_json() -> None:
    """What the model read of the tool that was really called is among them."""
    done = play(SAMPLE, SAMPLE / "session.json", "--json", "--answer", "once")
    assert done.returncode == 0
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    begun = {fact["dispatch"]: fact["name"] for fact in facts if fact["fact"] == "entered"}
    results = {
        begun[fact["dispatch"]]: fact["attributes"]["result"]
        for fact in facts
        if fact["fact"] == "left" and "result" in fact["attributes"]
    }
    assert results["50-project-context:agreement (agreed)"] == {
        "text": "Every change comes with a test.",
        "is_error": False,
    }
    assert results["bash (again)"] == {"text": "Everything up-to-date", "is_error": False}


def test_an_example_of_the_page_holds() -> None:
    """Whoever copies it gets what the page says."""
    [block] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.S)
    [loaded] = parse(block.encode(), PAGE.parent / "x.yaml")
    verdict = run(loaded)
    assert verdict.is_held, "\n".join(report.lines(verdict))


def test_the_page_names_every_key() -> None:
    """Of every part of a description."""
    page = PAGE.read_text()
    parts = (each for each in vars(described).values() if dataclasses.is_dataclass(each))
    keys = {field.name for part in parts for field in dataclasses.fields(part)}
    assert [key for key in sorted(keys) if f"`{key}`" not in page] == []
