"""Runs of dispatches that look alike, folded into one line. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

LEAST: Final = 3
"""Alike in a row before they are folded: two say as much as the line that would stand for them."""


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbours that look alike: by the place of the first, and how many."""

    start: int
    count: int


class Folds(Sequence[Run]):
    """Places in lines: a run of one is a line of its own."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._runs = runs
        self._starts = [run.start for run in runs]

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, line: int) -> Run:  # type: ignore[override]  # nobody cuts them
        return self._runs[line]

    def line_of(self, place: int) -> int:
        """The line that a place is on; the places are those of the runs."""
        return max(0, bisect_right(self._starts, place) - 1)


def folded(looks: Iterable[Hashable], is_open: Collection[int] = frozenset()) -> Folds:
    """The lines for dispatches of these looks. None folds nothing, nor does a run whose first place is open."""
    runs: list[Run] = []
    start, before, place = 0, None, -1
    for place, look in enumerate(looks):
        if place and (look is None or look != before):
            runs += _lines(start, place - start, is_open)
            start = place
        before = look
    if place >= 0:
        runs += _lines(start, place + 1 - start, is_open)
    return Folds(runs)


def _lines(start: int, count: int, is_open: Collection[int]) -> list[Run]:
    if count >= LEAST and start not in is_open:
        return [Run(start, count)]
    return [Run(place, 1) for place in range(start, start + count)]
