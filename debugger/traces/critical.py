"""The critical path: of every moment of a trace, the one span that the end had to wait for. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from debugger.traces.skeleton import Skeleton


@dataclass(frozen=True, slots=True)
class Stretch:
    """From when to when one span was what the end waited for."""

    place: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Path:
    """The critical path below one span: stretches without gap or overlap, in order, as long as the span."""

    top: int
    stretches: tuple[Stretch, ...]

    @property
    def total_ns(self) -> int:
        return sum(each.end_ns - each.start_ns for each in self.stretches)

    def by_place(self) -> Mapping[int, tuple[tuple[int, int], ...]]:
        """The stretches of each place that has any."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for each in self.stretches:
            found[each.place].append((each.start_ns, each.end_ns))
        return {place: tuple(stretches) for place, stretches in found.items()}


@dataclass(slots=True)
class _Frame:
    """A span that is being walked, from its end to its beginning."""

    place: int
    begin: int
    cursor: int
    children: Iterator[tuple[int, int]]
    """Ends and places, the latest end first."""


def critical_path(skeleton: Skeleton, top: int) -> Path:
    """Walks back from the end of a span: whoever ended last before a moment is what that moment waited for."""
    found: list[Stretch] = []
    frames = [_frame(skeleton, top, skeleton.starts[top], skeleton.ends[top])]
    while frames:
        frame = frames[-1]
        child = _next(skeleton, frame)
        if child is None:
            if frame.cursor > frame.begin:
                found.append(Stretch(frame.place, frame.begin, frame.cursor))
            frames.pop()
            continue
        place, end = child
        if end < frame.cursor:
            found.append(Stretch(frame.place, end, frame.cursor))
        frames.append(_frame(skeleton, place, max(frame.begin, skeleton.starts[place]), end))
        frame.cursor = frames[-1].begin
    return Path(top, tuple(reversed(found)))


def _frame(skeleton: Skeleton, place: int, begin: int, end: int) -> _Frame:
    children = sorted(((skeleton.ends[child], child) for child in skeleton.below(place)), reverse=True)
    return _Frame(place, begin, end, iter(children))


def _next(skeleton: Skeleton, frame: _Frame) -> tuple[int, int] | None:
    """The child that the present moment waited for, and until when; None if the rest is the span's own."""
    if frame.cursor <= frame.begin:
        return None
    for end, place in frame.children:
        if end <= frame.begin:
            return None
        start = max(frame.begin, skeleton.starts[place])
        if start < frame.cursor and start < min(end, frame.cursor):
            return place, min(end, frame.cursor)
    return None


def shares(path: Path, called: Callable[[int], str]) -> Sequence[tuple[str, int]]:
    """How many nanoseconds of the path are whose, the most first; `called` says what a place is called."""
    found: dict[str, int] = defaultdict(int)
    for each in path.stretches:
        found[called(each.place)] += each.end_ns - each.start_ns
    return sorted(found.items(), key=itemgetter(1), reverse=True)


def sentence(path: Path, called: Callable[[int], str], duration: Callable[[int], str]) -> str:
    """Whom most of the wait is due to, for people."""
    total = path.total_ns
    if not total:
        return f"{called(path.top)} took no time"
    [(most, ns), *others] = shares(path, called)
    share = round(100 * ns / total)
    said = f"{share} % of the wait is {most} ({duration(ns)} of {duration(total)})"
    if others and round(100 * others[0][1] / total) >= 10:
        said += f", {round(100 * others[0][1] / total)} % {others[0][0]}"
    return said
