"""Beside other terminal viewers: `python -m bench.peers`, or `make bench-peers`, which installs them first.

Measured of each in the same run, on a terminal of 120x40: how long until its first screen stands, how many spans a
second it takes over HTTP with that screen attached, and how long a key takes to change the screen with those spans on
it. Each of them listens on its usual port, so nothing else may listen there meanwhile.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.otlp_bench import SPANS, body

ROOT: Final = Path(__file__).parent.parent
PEERS: Final = ROOT / ".venv-peers" / "bin"
RESULTS: Final = Path(__file__).with_name("peers.json")
PORT: Final = 4318
ROWS, COLUMNS = 40, 120
BATCHES: Final = 100
PAINTS: Final = 7
KEYS: Final = 200
STANDS_S: Final = 30.0
QUIET_S: Final = 0.5
STILL_S: Final = 0.03
LONGEST_KEY_S: Final = 1.0
"""After which a key counts as having changed nothing."""


@dataclass(frozen=True, slots=True)
class Viewer:
    """A program that shows traces in a terminal."""

    name: str
    argv: tuple[str, ...]
    sign: bytes
    """What its first screen has on it."""
    keys: tuple[bytes, ...] = (b"\x1b[B", b"\x1b[A")
    """What is pressed in turn: down and up in its list, which has the focus from the beginning."""


VIEWERS: Final = (
    Viewer(
        "hookscope", (sys.executable, "-m", "debugger.cli", "listen", "--screen"), b"hookscope", (b"\x1b[B", b"\x1b[A")
    ),
    Viewer("sonar-tui 0.1.0", (str(PEERS / "sonar"),), b"sonar", (b"\x1b[B", b"\x1b[A")),
    Viewer("trace-view 0.1.0", (str(PEERS / "tv"),), b"race", (b"\x1b[B", b"\x1b[A")),
)


class Terminal:
    """A pseudo terminal with a program on it; a thread keeps reading, as a terminal does."""

    def __init__(self, argv: tuple[str, ...], folder: str) -> None:
        self._ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONPATH": str(ROOT)}
        self.started_ns = time.perf_counter_ns()
        self._process = subprocess.Popen(
            argv, cwd=folder, env=env, stdin=its, stdout=its, stderr=its, start_new_session=True
        )
        os.close(its)
        self._seen = bytearray()
        self._news = threading.Condition()
        self._changed_ns = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError):  # how the end of the other side shows
            while piece := os.read(self._ours, 65536):
                with self._news:
                    self._changed_ns = time.perf_counter_ns()
                    self._seen += piece
                    self._news.notify_all()

    def until(self, sign: bytes) -> float:
        """Milliseconds from the start to when it is there."""
        with self._news:
            if not self._news.wait_for(lambda: sign in self._seen, STANDS_S):
                raise RuntimeError(f"{sign!r} did not appear within {STANDS_S:g} s: {bytes(self._seen[-300:])!r}")
            return (self._changed_ns - self.started_ns) / 1e6

    def settle(self) -> None:
        """Wait until the screen has not changed for a moment, or for some seconds where it never stands still."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            with self._news:
                if not self._news.wait(QUIET_S):
                    return

    def press(self, keys: bytes) -> float | None:
        """Milliseconds from a key to the first change of the screen; None where nothing changes."""
        with self._news:
            while self._news.wait(STILL_S):
                pass  # the rest of what the key before it changed
            pressed_ns = time.perf_counter_ns()
            os.write(self._ours, keys)
            if not self._news.wait_for(lambda: self._changed_ns > pressed_ns, LONGEST_KEY_S):
                return None
            return (self._changed_ns - pressed_ns) / 1e6

    def end(self) -> None:
        for key in (b"q", b"\x03"):
            with contextlib.suppress(OSError):
                os.write(self._ours, key)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(3)
                break
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        os.close(self._ours)


@contextmanager
def shown(viewer: Viewer) -> Iterator[tuple[Terminal, float]]:
    """A viewer on a terminal, and how long its first screen took."""
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(viewer.argv, folder)
        try:
            yield terminal, terminal.until(viewer.sign)
        finally:
            terminal.end()


def measure(viewer: Viewer) -> dict[str, float]:
    """Everything about one of them."""
    paints = []
    for _ in range(PAINTS):
        with shown(viewer) as (_, painted):
            paints.append(painted)
    with shown(viewer) as (terminal, _):
        _wait_for_port()
        bodies = [body(number) for number in range(BATCHES)]
        started = time.perf_counter()
        for each in bodies:
            post(each)
        rate = BATCHES * SPANS / (time.perf_counter() - started)
        terminal.settle()
        took = [terminal.press(viewer.keys[number % len(viewer.keys)]) for number in range(KEYS)]
        answered = sorted(each for each in took if each is not None)
    return {
        "first paint, ms": statistics.median(paints),
        "spans/s over HTTP": rate,
        "key p50, ms": statistics.median(answered) if answered else float("nan"),
        "key p95, ms": answered[int(len(answered) * 0.95)] if answered else float("nan"),
        "keys that changed nothing": float(KEYS - len(answered)),
    }


def _wait_for_port() -> None:
    import socket

    for _ in range(200):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", PORT), 1):
            return
        time.sleep(0.05)
    raise RuntimeError(f"nobody listens on {PORT}")


def post(spans: bytes) -> None:
    """One request, as an SDK sends it."""
    headers = {"Content-Type": "application/x-protobuf"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/v1/traces", spans, headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        response.read()


def main() -> int:
    """Measure all of them, print the table, write peers.json beside this file."""
    if missing := [each.name for each in VIEWERS if not Path(each.argv[0]).exists()]:
        print(f"not installed: {', '.join(missing)}; `make bench-peers` does it", file=sys.stderr)
        return 2
    measured = {viewer.name: measure(viewer) for viewer in VIEWERS}
    print(f"{'':28}" + "".join(f"{name:>20}" for name in measured))
    for figure in next(iter(measured.values())):
        print(f"{figure:28}" + "".join(f"{each[figure]:20.1f}" for each in measured.values()))
    RESULTS.write_text(json.dumps(measured, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
