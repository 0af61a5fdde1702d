"""How long whole processes take: to say a version, to paint a screen. Each is started anew for every figure."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.measure import Absolute, Row, Times, interleaved, row, stopwatch

ROOT: Final = Path(__file__).parent.parent
ROUNDS: Final = 15
ROWS, COLUMNS = 40, 120
PAINT_S: Final = 30.0
"""After which a screen that is still empty counts as a failure."""
ENDING_S: Final = 10.0


def rows() -> list[Row]:
    """The command line, then the screen."""
    python, hookscope = [sys.executable], [sys.executable, "-m", "debugger.cli"]
    version, nothing = interleaved(
        ROUNDS,
        stopwatch(lambda: _run([*hookscope, "--version"])),
        stopwatch(lambda: _run([*python, "-c", "pass"])),
    )
    painted, empty = interleaved(
        ROUNDS,
        lambda: first_paint(hookscope, b"Dispatches"),
        lambda: first_paint([*python, "-m", "bench.empty_app"], b"Painted"),
    )
    return [
        row("hookscope --version / python -c pass", "ms", version, nothing, Absolute(150)),
        row("first paint / empty Textual application", "ms", painted, empty, Times(1.3)),
    ]


def _run(argv: Sequence[str]) -> None:
    subprocess.run(argv, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def first_paint(argv: Sequence[str], sign: bytes) -> float:
    """Milliseconds from the start of a process to a word on its terminal; then it is told to quit."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    started = time.perf_counter_ns()
    process = subprocess.Popen(argv, cwd=ROOT, env=env, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    try:
        _read_until(ours, sign)
        return (time.perf_counter_ns() - started) / 1e6
    finally:
        os.write(ours, b"q")
        _let_end(process, ours)
        os.close(ours)


def _read_until(terminal: int, sign: bytes) -> None:
    seen = b""
    end = time.monotonic() + PAINT_S
    while sign not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            raise RuntimeError(f"{sign!r} did not appear within {PAINT_S:g} s")
        seen += os.read(terminal, 65536)


def _let_end(process: subprocess.Popen[bytes], terminal: int) -> None:
    """Read on, or it could not write its last frame, until it has ended."""
    end = time.monotonic() + ENDING_S
    while process.poll() is None and time.monotonic() < end:
        if select.select([terminal], [], [], 0.05)[0]:
            with contextlib.suppress(OSError):  # how the end of the other side shows
                os.read(terminal, 65536)
    if process.poll() is None:
        process.kill()
        process.wait()
