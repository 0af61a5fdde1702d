"""Rounds, medians, rows: how every figure of this folder is taken. Knows nothing of what is measured."""

from __future__ import annotations

import asyncio
import gc
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

TURNS: Final = 3
"""Of the loop, after which nothing that was put off is left."""
Act: TypeAlias = Callable[[], float]
"""Does something once and says how long it took, in any unit."""


@dataclass(frozen=True, slots=True)
class Times:
    """The most that a figure may be of its floor."""

    most: float

    def __str__(self) -> str:
        return f"≤ {self.most:g}x"


@dataclass(frozen=True, slots=True)
class Absolute:
    """The most that a figure may be by itself, in the unit of its row."""

    most: float

    def __str__(self) -> str:
        return f"≤ {self.most:g}"


@dataclass(frozen=True, slots=True)
class Row:
    """One promise, measured."""

    name: str
    unit: str
    figure: float
    floor: float
    ratio: float
    target: Times | Absolute

    @property
    def holds(self) -> bool:
        return (self.ratio if isinstance(self.target, Times) else self.figure) <= self.target.most


def row(name: str, unit: str, figures: Sequence[float], floors: Sequence[float], target: Times | Absolute) -> Row:
    """A row from what was taken side by side.

    The ratio is the median of the ratios within each round, not the ratio of the medians: a busy stretch of the machine
    falls on both sides of a round, and on whole rounds only.
    """
    ratio = statistics.median(figure / floor for figure, floor in zip(figures, floors, strict=True))
    return Row(name, unit, statistics.median(figures), statistics.median(floors), ratio, target)


def interleaved(rounds: int, *acts: Act) -> list[list[float]]:
    """What each act took, round by round. Each round begins with another act; a first one does not count."""
    for act in acts:
        act()
    taken: list[list[float]] = [[] for _ in acts]
    for number in range(rounds):
        gc.collect()
        for turn in range(len(acts)):
            place = (number + turn) % len(acts)
            taken[place].append(acts[place]())
    return taken


async def timed(act: Callable[[], Awaitable[object]], times: int) -> float:
    """Microseconds that one of several runs in a row takes."""
    started = time.perf_counter_ns()
    for _ in range(times):
        await act()
    return (time.perf_counter_ns() - started) / times / 1e3


async def computed(act: Callable[[], Awaitable[object]], times: int) -> float:
    """Microseconds of computing that one of several runs in a row takes, with what it put off for a turn or two.

    For what never waits for anybody else: then nobody else's computing is in the figure.
    """
    started = time.thread_time_ns()
    for _ in range(times):
        await act()
    for _ in range(TURNS):
        await asyncio.sleep(0)
    return (time.thread_time_ns() - started) / times / 1e3


def stopwatch(act: Callable[[], object]) -> Act:
    """An act that says its milliseconds."""

    def timed_act() -> float:
        started = time.perf_counter_ns()
        act()
        return (time.perf_counter_ns() - started) / 1e6

    return timed_act
