"""`hookscope fire` with callbacks in our own process: what it says of those that end badly, or never begin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from plugin_runs import ROOT

CALLBACKS = """
import sys

def ends(context, call):
    return context, lambda result: sys.exit(3)

def begins(context, call):
    print("BEGAN")
    return context, None
"""


def hookscope(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    argv = [sys.executable, "-m", "debugger.cli", *map(str, arguments)]
    env = {**os.environ, "COLUMNS": "120"}
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, cwd=ROOT, env=env, check=False)


def configured(tmp_path: Path, begin: str) -> Path:
    """Two arounds on one operation, the second one by this name."""
    (tmp_path / "calls.py").write_text(CALLBACKS)
    config = tmp_path / "a.rig.yaml"
    entries = "".join(f"\n- {{operation: ToolCall, begin: calls.py:{each}}}" for each in ("begins", begin))
    config.write_text(f"around:{entries}\n")
    return config


def test_a_finish_that_ends_its_thread_is_the_step_that_is_explained(tmp_path: Path) -> None:
    """And not the begin of the same callback, which was fine."""
    done = hookscope("fire", configured(tmp_path, "ends"), "ToolCall")
    assert done.returncode == 1
    assert "ends, finish at ToolCall" in done.stdout
    assert "It ended its thread" in done.stdout
    assert "ends, around at ToolCall" not in done.stdout


def test_a_set_with_a_callback_that_is_not_there_is_told_and_refused(tmp_path: Path) -> None:
    """Nobody is asked, and a scenario made of it says the same."""
    recording = tmp_path / "run.hookscope"
    done = hookscope("fire", configured(tmp_path, "nothing"), "ToolCall", "-o", recording)
    assert done.returncode == 1
    assert "has no attribute 'nothing'" in done.stderr
    assert "RG-NOT-LOADED" in done.stdout
    assert "BEGAN" not in done.stdout
    assert hookscope("replay", recording).returncode == 0
    scenario = tmp_path / "made.scenario.yaml"
    assert hookscope("export", recording, "--as", "scenario", "-o", scenario).returncode == 0
    assert "RG-NOT-LOADED" in scenario.read_text()
    assert hookscope("run", scenario).returncode == 0
