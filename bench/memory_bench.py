"""How much memory a long session takes: what a live application keeps of it, and a recording beside."""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from bench.measure import Absolute, Row
from bench.travel_bench import POINT, Nobodies
from debugger.session import Session
from debugger.spans import SpanBook
from debugger.store.writer import Writer
from debugger.trace import Trace
from kernel.dialects.pluggable import PLUGGABLE
from kernel.setup import Setup
from kernel.values import Chain, Payload, Subscription

DISPATCHES: Final = 100_000
PAYLOAD_BYTES: Final = 10_000
DIFFERENT: Final = 10
"""Every tenth payload is one that was not there before."""
BEHIND: Final = 500
"""Dispatches that may wait for the disk."""
TARGET_MB: Final = 300.0


def rows(*, dispatches: int = DISPATCHES) -> list[Row]:
    """Megabytes that a process of its own had at most; the floor is what it had before the first dispatch."""
    return [
        _row(f"memory, {dispatches:,} dispatches of 10 KB", dispatches, is_paced=True),
        _row(f"memory, {dispatches // 5:,} without waiting for the disk", dispatches // 5, is_paced=False),
    ]


def _row(name: str, dispatches: int, *, is_paced: bool) -> Row:
    command = [sys.executable, "-m", "bench.memory_bench", str(dispatches), "paced" if is_paced else "unpaced"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    floor, figure = map(float, ran.stdout.split())
    return Row(name, "MB", figure, floor, figure / floor, Absolute(TARGET_MB))


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def _most_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _payload(number: int) -> Payload:
    text = f"{number if number % DIFFERENT == 0 else 0} " + "x" * (PAYLOAD_BYTES - 100)
    message = {"role": "ROLE_USER", "content": [{"text": {"text": text}}], "id": "m"}
    return PLUGGABLE.payload_from_view(POINT, {"messages": [message]})


async def _session(dispatches: int, *, is_paced: bool) -> tuple[float, float]:
    """As the application holds one: session, spans and trace, every event taken in, everything recorded; or, where
    nobody waits for the disk, as much as the writer takes.
    """
    chain = Chain(POINT, (Subscription("watch", POINT, "observe", 1000),))
    with tempfile.TemporaryDirectory() as folder, Writer(Path(folder) / "run.hookscope") as writer:
        book, trace = SpanBook({PLUGGABLE.name: PLUGGABLE}), Trace()
        session = Session(
            Setup(Path("agent.hcl"), (), PLUGGABLE, {POINT: chain}), lambda: None, book, writer, host=Nobodies(chain)
        )
        await session.start()
        before = _resident_mb()
        for number in range(dispatches):
            await session.fire(POINT, _payload(number))
            while session.view.states:  # noqa: ASYNC110  # to be woken would be measured as well
                await asyncio.sleep(0)
            while is_paced and number - writer.kept.dispatches > BEHIND:  # noqa: ASYNC110  # as real subscribers make one wait
                await asyncio.sleep(0.01)
            while session.events:
                trace.take(session.events.popleft())
        after = _most_mb()
        await session.close()
    return before, after


if __name__ == "__main__":
    print(*asyncio.run(_session(int(sys.argv[1]), is_paced=sys.argv[2] == "paced")))
