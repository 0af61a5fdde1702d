"""Many traces as one tree: spans with the same name below the same names become one, with count, sum and median. Pure.

Drawn like a flame graph that lies on its side: a bar is as long as everything of its name took together.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from debugger.traces.durations import own_times
from debugger.traces.hooks import Hook
from debugger.traces.naming import called
from debugger.traces.skeleton import Skeleton
from debugger.traces.statistics import percentile

MOST_DEPTH: Final = 200
"""Levels that are told apart; what is deeper counts for the last one."""


@dataclass(frozen=True, slots=True)
class MergedRow:
    """All spans of one name below the same names."""

    name: str
    depth: int
    count: int
    total_ns: int
    own_ns: int
    p50_ns: int
    errors: int
    size: int
    """Rows that it takes with everything below it."""
    offset_ns: int
    """Where its bar begins: behind those of its elder siblings, at the beginning of its parent's."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One of the spans that were merged on top: when it began, since the epoch, and how long it took."""

    at_ns: int
    took_ns: int
    is_error: bool


@dataclass(slots=True)
class _Node:
    name: str
    depth: int
    tooks: array[int] = field(default_factory=lambda: array("q"))
    own: int = 0
    errors: int = 0
    below: dict[str, _Node] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.tooks)


class Merging:
    """Takes traces one by one. `only` is what spans on top are to be called: a point, a subscriber, a span's name."""

    def __init__(self, only: str | None = None) -> None:
        self.only = only
        self._root = _Node("", -1)
        self._moments: list[Moment] = []
        self.traces = 0

    def take(self, skeleton: Skeleton, hooks: Mapping[int, Hook]) -> None:
        """Merge a trace in; of what is called `only` below another one of that name only the outer one is on top."""
        own = own_times(skeleton)
        nodes: dict[int, _Node] = {}
        for place, parent in enumerate(skeleton.parents):
            above = nodes.get(parent)
            if above is None:
                if self.only is not None and not self._is_wanted(skeleton, place, hooks):
                    continue
                above = self._root
                if skeleton.keys[place] >= 0 and not skeleton.running[place]:
                    at_ns = skeleton.base_ns + skeleton.starts[place]
                    self._moments.append(Moment(at_ns, skeleton.took(place), bool(skeleton.errors[place])))
            name = called(skeleton, place, hooks)
            node = above if above.depth >= MOST_DEPTH else above.below.get(name)
            if node is None:
                node = above.below[name] = _Node(name, above.depth + 1)
            nodes[place] = node
            node.tooks.append(skeleton.took(place))
            node.own += own[place]
            node.errors += skeleton.errors[place]
        self.traces += 1

    def _is_wanted(self, skeleton: Skeleton, place: int, hooks: Mapping[int, Hook]) -> bool:
        hook = hooks.get(place)
        if called(skeleton, place, hooks) == self.only:
            return True
        return hook is not None and not hook.is_step and hook.point == self.only

    def rows(self) -> tuple[MergedRow, ...]:
        """The tree in order: whatever took longest together comes first among its siblings."""
        found: list[MergedRow] = []
        waiting = self._children(self._root, 0)
        while waiting:
            node, offset = waiting.pop()
            total = node.total
            found.append(
                MergedRow(
                    node.name,
                    node.depth,
                    len(node.tooks),
                    total,
                    node.own,
                    percentile(sorted(node.tooks), 0.5),
                    node.errors,
                    1,
                    offset,
                )
            )
            waiting += self._children(node, offset)
        return _sized(found)

    def _children(self, node: _Node, offset: int) -> list[tuple[_Node, int]]:
        """Each with its offset, the first one last."""
        placed: list[tuple[_Node, int]] = []
        for child in sorted(node.below.values(), key=lambda each: (-each.total, each.name)):
            placed.append((child, offset))
            offset += child.total
        return placed[::-1]

    def moments(self) -> tuple[Moment, ...]:
        """The spans on top, in order of their beginning."""
        return tuple(sorted(self._moments, key=lambda moment: moment.at_ns))


def _sized(rows: list[MergedRow]) -> tuple[MergedRow, ...]:
    """With the number of rows that each takes."""
    sizes = [1] * len(rows)
    open_at: list[int] = []
    for place, row in enumerate(rows):
        while open_at and rows[open_at[-1]].depth >= row.depth:
            open_at.pop()
        for above in open_at:
            sizes[above] += 1
        open_at.append(place)
    return tuple(replace(row, size=size) for row, size in zip(rows, sizes, strict=True))
