"""What recording costs: computing of the writer's own thread, and what whoever tells it pays, for each subscriber."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Final

import msgspec

from bench.measure import Absolute, Row, row
from bench.recordings import _KINDS, SEATS, _events, _ran
from debugger.store.writer import Writer
from kernel.facts import Event

ROUNDS: Final = 5
DISPATCHES: Final = 5_000
CHARACTERS: Final = 200
TARGET_US: Final = 50.0


def rows() -> list[Row]:
    """Microseconds for each dispatch and subscriber; the floor is msgpack alone, a small value for each event."""
    templates = [asyncio.run(_ran(CHARACTERS + 7 * each, kind)) for each, kind in enumerate(_KINDS * 4)]
    events = list(_events(templates, DISPATCHES))
    costs = [_costs(events) for _ in range(ROUNDS)]
    floor = [_floor(events) for _ in range(ROUNDS)]
    return [
        row("recording, a dispatch and subscriber", "us", [cost for cost, _ in costs], floor, Absolute(TARGET_US)),
        row("recording, what the dispatch waits for", "us", [seen for _, seen in costs], floor, Absolute(TARGET_US)),
    ]


def _costs(events: list[Event]) -> tuple[float, float]:
    spent_ns: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        writer = _Timed(Path(folder) / "run.hookscope", spent_ns)
        begun = time.thread_time_ns()
        for event in events:
            writer.see(event)
        seen_ns = time.thread_time_ns() - begun
        writer.close()
    return _each_us(sum(spent_ns)), _each_us(seen_ns)


class _Timed(Writer):
    """Notes what its thread computes."""

    def __init__(self, path: Path, spent_ns: list[int]) -> None:
        self._spent_ns = spent_ns
        super().__init__(path)

    def _write(self, batch: list[Event]) -> None:
        begun = time.thread_time_ns()
        super()._write(batch)
        self._spent_ns.append(time.thread_time_ns() - begun)


def _floor(events: list[Event]) -> float:
    """A dictionary of five short values for each event, encoded."""
    encode, plain = msgspec.msgpack.Encoder().encode, {"a": 1, "b": "text", "c": None, "d": 2.5, "e": "more text"}
    begun = time.thread_time_ns()
    for _ in events:
        encode(dict(plain))
    return _each_us(time.thread_time_ns() - begun)


def _each_us(spent_ns: int) -> float:
    return spent_ns / 1e3 / DISPATCHES / len(SEATS)
