"""Siblings that were under way at once, and where the next one had to wait for all of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from debugger.traces.skeleton import Skeleton

MOST_SIBLINGS: Final = 2_000
"""Children of one span beyond which no lanes are told: nobody could follow them, and each row would cost too much."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The place of one span among its siblings."""

    group: int
    """Siblings with the same number were under way at once, or joined by others that were; counts from 0."""
    lane: int
    """The lowest one that was free when it began; counts from 0."""
    lanes: int
    """How many its group needs."""
    is_first: bool
    is_last: bool
    """Of its group, in the order in which they are shown."""
    barrier_ns: int | None
    """When the last of the group before it ended, if that were several; None for the first group."""

    @property
    def mark(self) -> str:
        """For the gutter."""
        if self.lanes < 2:
            return "┴" if self.barrier_ns is not None else " "
        return "╭" if self.is_first else "╰" if self.is_last else "│"


ALONE: Final = Lane(0, 0, 1, True, True, None)


class Lanes:
    """The lanes of one skeleton, looked at family by family when they are first asked for."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        self._known: dict[int, dict[int, Lane]] = {}

    def of(self, place: int) -> Lane:
        """That of one span."""
        made = self._skeleton
        parent = made.parents[place]
        if parent < 0 or made.children[parent] < 2 or made.children[parent] > MOST_SIBLINGS:
            return ALONE
        if parent not in self._known:
            children = list(made.below(parent))
            spans = [(made.starts[child], made.ends[child]) for child in children]
            self._known[parent] = dict(zip(children, lanes(spans), strict=True))
        return self._known[parent][place]


def lanes(spans: Sequence[tuple[int, int]]) -> list[Lane]:
    """The lane of each span, given beginnings and ends in the order of beginning."""
    groups: list[list[int]] = []
    ends: list[int] = []
    for number, (start, end) in enumerate(spans):
        if groups and start < ends[-1]:
            groups[-1].append(number)
            ends[-1] = max(ends[-1], end)
        else:
            groups.append([number])
            ends.append(end)
    found: list[Lane] = []
    for at, members in enumerate(groups):
        chosen = _packed([spans[number] for number in members])
        is_behind_several = at > 0 and len(groups[at - 1]) > 1
        barrier = ends[at - 1] if is_behind_several else None
        count = max(chosen) + 1
        for place, lane in enumerate(chosen):
            is_last = place == len(chosen) - 1
            found.append(Lane(at, lane, count, place == 0, is_last, barrier if place == 0 else None))
    return found


def _packed(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The lowest free lane for each."""
    busy_until: list[int] = []
    chosen: list[int] = []
    for start, end in spans:
        free = next((lane for lane, until in enumerate(busy_until) if until <= start), len(busy_until))
        if free == len(busy_until):
            busy_until.append(end)
        else:
            busy_until[free] = end
        chosen.append(free)
    return chosen
