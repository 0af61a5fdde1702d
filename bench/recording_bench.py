"""Opening recordings of 100,000 and of 1,000,000 spans, and how long a key takes to the screen there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.measure import Absolute, Row, interleaved, row
from bench.recordings import build
from bench.startup_bench import COLUMNS, ROOT, ROWS, first_paint

ROUNDS: Final = 5
KEYS: Final = 60
PATIENCE_S: Final = 30.0
SIZES: Final = ((100_000, 1_000), (1_000_000, 2_000))
"""Spans, and milliseconds until the first screen."""


def rows() -> list[Row]:
    """Each size beside an empty application; then the keys at the larger one."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="hookscope-bench-") as folder:
        for spans, most_ms in SIZES:
            path = Path(folder) / f"{spans}.hookscope"
            build(path, spans)
            opened, empty = interleaved(
                ROUNDS, _opening(path), lambda: first_paint([sys.executable, "-m", "bench.empty_app"], b"Painted")
            )
            found.append(row(f"open {spans:,} spans / empty application", "ms", opened, empty, Absolute(most_ms)))
            times = key_times(path)
            found.append(
                row(
                    f"key to screen at {spans:,} spans, p95",
                    "ms",
                    [_p95(times)],
                    [statistics.median(times)],
                    Absolute(20),
                )
            )
    return found


def _opening(path: Path) -> Callable[[], float]:
    return lambda: first_paint([sys.executable, "-m", "debugger.cli", "open", str(path)], b"pre-tool-call #1")


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95)]


def key_times(path: Path) -> list[float]:
    """Milliseconds from a key to the dispatch that it chooses being on the terminal, key after key."""
    with _opened(path) as terminal:
        _read_until(terminal, b"pre-tool-call #1")
        time.sleep(1.0)  # until it has drawn everything, and nothing but the keys is measured
        _drain(terminal)
        times = []
        for number in range(2, KEYS + 2):
            begun = time.perf_counter_ns()
            os.write(terminal, b"j")
            _read_until(terminal, f"pre-tool-call #{number}".encode())
            times.append((time.perf_counter_ns() - begun) / 1e6)
            time.sleep(0.05)
            _drain(terminal)
        return times


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    argv = [sys.executable, "-m", "debugger.cli", "open", str(path)]
    process = subprocess.Popen(argv, cwd=ROOT, env=env, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    try:
        yield ours
    finally:
        os.write(ours, b"q")
        with contextlib.suppress(OSError):  # it is gone, and its terminal with it
            while process.poll() is None:
                _drain(ours)
        process.wait()
        os.close(ours)


def _drain(terminal: int) -> None:
    while select.select([terminal], [], [], 0.02)[0]:
        os.read(terminal, 65536)


def _read_until(terminal: int, sign: bytes) -> None:
    seen = b""
    end = time.monotonic() + PATIENCE_S
    while sign not in seen:
        ready, _, _ = select.select([terminal], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            raise RuntimeError(f"{sign!r} did not appear within {PATIENCE_S:g} s")
        seen += os.read(terminal, 65536)
