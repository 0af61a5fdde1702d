"""The trace screens at size: until a list of traces is painted, until a whole tree is, and from a key to the screen.

Everything is measured from outside, over a pseudo-terminal. The floors are an application with one word on its screen,
and one that draws a number on each of as many lines. Recordings are written with the writer of `listen`.
"""

from __future__ import annotations

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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bench.measure import Absolute, Row, Times, row
from bench.startup_bench import COLUMNS, PAINT_S, ROOT, ROWS

ROUNDS: Final = 5
KEYS: Final = 120
"""Keys of one run."""
QUIET_S: Final = 0.03
"""After so long without output the screen is as it will be."""
IN_ONE: Final = 100_000
"""Spans of the trace that is opened whole."""
IN_ALL: Final = 1_000_000
"""Spans of the large recording: traces of 32, and one of `IN_ONE`."""


def rows() -> list[Row]:
    """Opening, then keys."""
    with tempfile.TemporaryDirectory() as folder:
        one, many = Path(folder) / "one.hookscope", Path(folder) / "many.hookscope"
        write(one, 0)
        write(many, IN_ALL - IN_ONE)
        return [*_opening(one, "100,000"), *_opening(many, "1,000,000"), *_keys(one, many)]


def write(path: Path, others: int) -> None:
    """A recording of one large trace, the newest, and of so many spans in small ones before it."""
    from bench.otlp_bench import SPANS, body
    from debugger.otlp import protobuf
    from debugger.otlp.sink import Batch
    from debugger.otlp.span_writer import SpanWriter

    with SpanWriter(path) as writer:
        for number in range((others + IN_ONE) // SPANS):
            whose = bytes(range(16)) if number >= others // SPANS else None
            batch = Batch(protobuf.decoded(body(number, trace=whose)), "bench", 1, 1)
            while not writer.take(batch):
                writer.settle()


def _opening(path: Path, size: str) -> list[Row]:
    listed: list[float] = []
    firsts: list[float] = []
    trees: list[float] = []
    empty: list[float] = []
    for _ in range(ROUNDS):
        with screen(["-m", "bench.traces_app", str(path)]) as terminal:
            listed.append(terminal.until(b"bench: span"))
            terminal.settle()
            terminal.press(b"\r")
            firsts.append(terminal.until(b"reading on"))
            trees.append(terminal.until(b"of the wait is"))
        with screen(["-m", "bench.empty_app"]) as terminal:
            empty.append(terminal.until(b"Painted"))
    return [
        row(f"open {size} spans, list painted / empty application", "ms", listed, empty, Times(2.5)),
        row(f"of {size}: first spans of a trace of 100,000", "ms", firsts, empty, Absolute(200)),
        row(f"of {size}: all of it, and its path told", "ms", trees, empty, Absolute(1000)),
    ]


def _keys(one: Path, many: Path) -> list[Row]:
    figures: dict[str, list[float]] = {name: [] for name in ("tree", "list", "floor")}
    for _ in range(ROUNDS):
        with screen(["-m", "bench.traces_app", str(one)]) as terminal:
            terminal.until(b"bench: span")
            terminal.settle()
            terminal.press(b"\r")
            terminal.until(b"of the wait is")
            terminal.settle()
            figures["tree"].append(terminal.latency(b"j"))
        with screen(["-m", "bench.traces_app", str(many)]) as terminal:
            terminal.until(b"bench: span")
            terminal.settle()
            figures["list"].append(terminal.latency(b"k"))
        with screen(["-m", "bench.traces_app", str(IN_ALL)]) as terminal:
            terminal.until(b"Painted")
            terminal.settle()
            figures["floor"].append(terminal.latency(b"j"))
    floor = figures["floor"]
    return [
        row("a key in a tree of 100,000 spans, p95 / bare list", "ms", figures["tree"], floor, Absolute(20)),
        row("a key in a list of 1,000,000 spans, p95 / bare list", "ms", figures["list"], floor, Absolute(20)),
    ]


class Screen:
    """A program on a pseudo-terminal."""

    def __init__(self, ours: int, since_ns: int) -> None:
        self._ours = ours
        self._since_ns = since_ns
        self._seen = b""

    def press(self, keys: bytes) -> None:
        self._seen = b""
        self._since_ns = time.perf_counter_ns()
        os.write(self._ours, keys)

    def until(self, *signs: bytes) -> float:
        """Milliseconds from the start, or the last key, until all of these were drawn."""
        end = time.monotonic() + PAINT_S
        while not all(sign in self._seen for sign in signs):
            if not select.select([self._ours], [], [], max(0.0, end - time.monotonic()))[0]:
                raise RuntimeError(f"{signs!r} did not appear within {PAINT_S:g} s")
            try:
                self._seen += os.read(self._ours, 65536)
            except OSError as error:  # how the end of the other side shows
                raise RuntimeError(f"it ended: {self._seen[-2000:]!r}") from error
        return (time.perf_counter_ns() - self._since_ns) / 1e6

    def settle(self, quiet_s: float = 0.4) -> None:
        """Read until nothing comes any more."""
        while select.select([self._ours], [], [], quiet_s)[0]:
            os.read(self._ours, 65536)

    def latency(self, key: bytes) -> float:
        """Milliseconds from a key to the first byte of what it changes: the 95th of a hundred."""
        taken: list[float] = []
        for _ in range(KEYS):
            started = time.perf_counter_ns()
            os.write(self._ours, key)
            if not select.select([self._ours], [], [], PAINT_S)[0]:
                raise RuntimeError(f"{key!r} changed nothing within {PAINT_S:g} s")
            os.read(self._ours, 65536)
            taken.append((time.perf_counter_ns() - started) / 1e6)
            self.settle(QUIET_S)
        return statistics.quantiles(taken, n=20)[-1]


@contextmanager
def screen(arguments: Sequence[str]) -> Iterator[Screen]:
    """A Python program with a terminal of its own; it is ended with ctrl+q, and killed if it does not."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    since_ns = time.perf_counter_ns()
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    try:
        yield Screen(ours, since_ns)
    finally:
        os.write(ours, b"\x11")
        end = time.monotonic() + 10
        while process.poll() is None and time.monotonic() < end:
            if select.select([ours], [], [], 0.05)[0]:
                try:
                    os.read(ours, 65536)
                except OSError:  # how the end of the other side shows
                    break
        if process.poll() is None:
            process.terminate()
        process.wait(10)
        os.close(ours)
