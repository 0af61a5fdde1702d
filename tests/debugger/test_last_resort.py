"""A callback that holds the interpreter: the first signal cannot be handled, the second one ends the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALLBACKS = """
import ctypes, os, re, time

told, library, endless = int(os.environ["TOLD"]), ctypes.PyDLL(None), re.compile(r"(a+)+$")

def holds(context, call):
    library.write(told, b"x", 1)  # without letting go of the interpreter, as what follows does not either
    endless.match("a" * 60 + "b")

def waits(context, call):
    os.write(told, b"x")
    time.sleep(60)
"""


def fired(tmp_path: Path, callback: str) -> tuple[subprocess.Popen[str], int]:
    """The command, once it is in the callback."""
    (tmp_path / "calls.py").write_text(CALLBACKS)
    config = tmp_path / "a.rig.yaml"
    config.write_text(f"policy_revision: v1\nguards: [{{operation: ToolCall, check: calls.py:{callback}}}]\n")
    ours, theirs = os.pipe()
    program = subprocess.Popen(
        [sys.executable, "-m", "debugger.cli", "fire", str(config), "ToolCall"],
        cwd=ROOT, env={**os.environ, "TOLD": str(theirs)}, pass_fds=(theirs,),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    os.close(theirs)
    assert os.read(ours, 1) == b"x"
    os.close(ours)
    return program, program.pid


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of another system")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_second_signal_ends_what_cannot_handle_the_first(number: signal.Signals, tmp_path: Path) -> None:
    """Nothing of ours runs, so it is the kernel that ends it."""
    program, pid = fired(tmp_path, "holds")
    try:
        os.kill(pid, number)
        with pytest.raises(subprocess.TimeoutExpired):  # and by then that signal has been taken
            program.wait(timeout=0.5)
        os.kill(pid, number)
        assert program.wait(timeout=30) == -number
    finally:
        program.kill()
        program.communicate()


def test_the_first_signal_is_handled_where_it_can_be(tmp_path: Path) -> None:
    """A callback that merely waits is abandoned, and the dispatch told to its end; further signals change nothing."""
    program, pid = fired(tmp_path, "waits")
    try:
        os.kill(pid, signal.SIGTERM)
        out, _ = program.communicate(timeout=30)
        assert program.returncode == 1
        assert "RG-CANCELLED" in out
    finally:
        program.kill()
        program.wait()
