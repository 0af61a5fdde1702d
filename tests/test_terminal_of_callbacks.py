"""The real program in a pseudo-terminal, with callbacks that want the terminal for themselves."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_terminal import assert_left_tidy, terminal

CALLBACKS = """
import subprocess, sys

def reads(context, call):
    print("PRINTED BY IT")
    return Exception(input("what? "))

def stops(context, call):
    breakpoint()

def starts(context, call):
    subprocess.run("echo PAINTED OVER; echo AS WELL >&2; cat", shell=True)
"""


@pytest.mark.parametrize(("callback", "shown"), [("reads", "FAILED"), ("stops", "completed"), ("starts", "completed")])
def test_a_callback_gets_neither_the_keyboard_nor_the_screen(callback: str, shown: str, tmp_path: Path) -> None:
    """It reads the end, what it prints is told of its step, what its programs print goes nowhere; keys still work."""
    (tmp_path / "calls.py").write_text(CALLBACKS)
    config = tmp_path / "a.rig.yaml"
    config.write_text(f"policy_revision: v1\nguards: [{{operation: Turn, check: calls.py:{callback}}}]\n")
    with terminal("open", str(config)) as screen:
        screen.wait_for("Dispatches", "ready")
        screen.press("r")
        screen.wait_for("#1", shown)
        screen.press("r")
        screen.wait_for("#2")
        screen.press("q")
        assert screen.end() == 0
        assert b"PAINTED OVER" not in screen.output
        assert b"AS WELL" not in screen.output
        assert_left_tidy(screen)
