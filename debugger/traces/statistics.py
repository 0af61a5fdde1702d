"""Figures for each point and subscriber, or for each service and name of spans that are no hook host's. Pure."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from debugger.traces.critical import critical_path
from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton

WHOLE: Final = "(whole dispatch)"


class Column(StrEnum):
    """What a table of statistics can be ordered by; each is the heading of its column."""

    WHERE = "point, service"
    WHO = "subscriber, span"
    COUNT = "count"
    P50 = "p50"
    P95 = "p95"
    P99 = "p99"
    TIMEOUTS = "timeout"
    ERRORS = "error"
    CHANGED = "changed"
    DENIED = "denied"
    SHARE = "of wait"


@dataclass(frozen=True, slots=True)
class Statistic:
    """One row. Durations are nanoseconds."""

    where: str
    """The point; the service of a span that is no hook host's."""
    who: str
    """The subscriber; the name of such a span."""
    mode: str
    """In which the subscriber was asked."""
    tooks: Sequence[int]
    """All of them, in order."""
    timeouts: int = 0
    errors: int = 0
    changed: int = 0
    denied: int = 0
    share: float = 0.0
    """Of all that the ends of the traces had to wait for: see `critical`."""

    @property
    def count(self) -> int:
        return len(self.tooks)

    def percentile(self, share: float) -> int:
        return percentile(self.tooks, share)


def percentile(ordered: Sequence[int], share: float) -> int:
    """The smallest value that at least such a share of them does not exceed; 0 of none."""
    if not ordered:
        return 0
    return ordered[min(len(ordered) - 1, max(0, -int(-len(ordered) * share // 1) - 1))]


@dataclass(slots=True)
class _Group:
    tooks: array[int] = field(default_factory=lambda: array("q"))
    timeouts: int = 0
    errors: int = 0
    changed: int = 0
    denied: int = 0
    waited: int = 0


class Tally:
    """Takes traces one by one; `statistics` is a frozen snapshot of what was taken so far."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, str], _Group] = defaultdict(_Group)
        self._waited = 0
        self.traces = 0
        self.spans = 0

    def take(self, skeleton: Skeleton, hooks: Mapping[int, Hook]) -> None:
        """Count every span of a trace. What is still under way has no duration yet."""
        groups = self._groups
        starts, ends, running = skeleton.starts, skeleton.ends, skeleton.running
        for place, key in enumerate(skeleton.keys):
            if key < 0 or running[place]:
                continue
            hook = hooks.get(place) if hooks else None
            group = groups[_whose(skeleton, place, hook)]
            group.tooks.append(ends[place] - starts[place])
            if hook is not None and hook.point:
                group.timeouts += hook.is_timeout
                group.errors += hook.is_error
                group.changed += hook.is_changed
                group.denied += hook.is_denied
            elif skeleton.errors[place]:
                group.errors += 1
        for top in skeleton.below(-1):
            for stretch in critical_path(skeleton, top).stretches:
                if skeleton.keys[stretch.place] < 0:
                    continue
                took = stretch.end_ns - stretch.start_ns
                groups[_whose(skeleton, stretch.place, hooks.get(stretch.place))].waited += took
                self._waited += took
        self.traces += 1
        self.spans += len(skeleton)

    def statistics(self) -> tuple[Statistic, ...]:
        """By share of the wait, the largest first."""
        whole = self._waited or 1
        found = [
            Statistic(
                where,
                who,
                mode,
                array("q", sorted(group.tooks)),
                group.timeouts,
                group.errors,
                group.changed,
                group.denied,
                group.waited / whole,
            )
            for (where, who, mode), group in self._groups.items()
        ]
        return ordered(found, Column.SHARE, is_descending=True)


def _whose(skeleton: Skeleton, place: int, hook: Hook | None) -> tuple[str, str, str]:
    if hook is None or not hook.point:
        return skeleton.services[place], skeleton.names[place], ""
    return hook.point, (hook.subscriber or hook.mode if hook.is_step else WHOLE), hook.mode


def ordered(rows: Sequence[Statistic], column: Column, *, is_descending: bool) -> tuple[Statistic, ...]:
    """The rows by one column; those that are alike in it by name."""
    by_name = sorted(rows, key=lambda row: (row.where, row.who, row.mode))
    return tuple(sorted(by_name, key=lambda row: _figure(row, column), reverse=is_descending))


def _figure(row: Statistic, column: Column) -> tuple[str, int | float]:
    match column:
        case Column.WHERE:
            return row.where, 0
        case Column.WHO:
            return row.who, 0
        case Column.COUNT:
            return "", row.count
        case Column.P50:
            return "", row.percentile(0.5)
        case Column.P95:
            return "", row.percentile(0.95)
        case Column.P99:
            return "", row.percentile(0.99)
        case Column.TIMEOUTS:
            return "", row.timeouts
        case Column.ERRORS:
            return "", row.errors
        case Column.CHANGED:
            return "", row.changed
        case Column.DENIED:
            return "", row.denied
        case Column.SHARE:
            return "", row.share
