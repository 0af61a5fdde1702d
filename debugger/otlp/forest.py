"""The spans of one trace put in order, in columns: a hundred thousand of them take a fraction of a second. Pure.

`tree` has the same as one value for each span, and the words for what is odd. Nothing recurses: a trace may be as deep
as it has spans.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag, auto
from typing import Final


class Odd(Flag):
    """What is odd about a place in the tree; several may be."""

    NOTHING = 0
    MISSING = auto()
    """No span: stands for the parent that others name and nobody has sent, so far."""
    ORPHAN = auto()
    """Its parent is not there."""
    CUT = auto()
    """It is its own ancestor: the circle was cut here, and it is shown as if it had no parent."""
    TWICE = auto()
    """Another span, sent before, has the same id. Whoever names that id as parent is shown below the earlier one."""
    BEFORE_PARENT = auto()
    """It begins before its parent does: clocks that differ."""
    AFTER_PARENT = auto()
    """It ends after its parent has: work that was not waited for, or clocks that differ."""
    BACKWARDS = auto()
    """It ends before it begins."""


_ORPHAN, _CUT, _TWICE = Odd.ORPHAN.value, Odd.CUT.value, Odd.TWICE.value
_BEFORE, _AFTER, _BACKWARDS = Odd.BEFORE_PARENT.value, Odd.AFTER_PARENT.value, Odd.BACKWARDS.value
NOBODY: Final = -1
"""Stands for no span, and for no place."""


@dataclass(frozen=True, slots=True)
class Forest:
    """The places of a trace's tree, in order: every column has one entry for each place."""

    spans: Sequence[int]
    """Which of the given spans is there, NOBODY for a parent that is missing."""
    parents: Sequence[int]
    """Place of what it is right below; NOBODY on top."""
    depths: Sequence[int]
    odd: Sequence[int]
    """Values of `Odd`."""
    children: Sequence[int]
    """How many are right below."""
    sizes: Sequence[int]
    """How many places it and everything below it take: the next one that is not below it is that much further on."""
    missing: dict[int, bytes]
    """Ids of the parents that are missing, by place."""


def planted(
    ids: Sequence[bytes], parent_ids: Sequence[bytes], starts_ns: Sequence[int], ends_ns: Sequence[int]
) -> Forest:
    """Every span once, parents before their children, children by their beginning; missing parents come last.

    Spans are given in order of arrival, all columns alike long. An end of 0 is none.
    """
    count = len(ids)
    first = dict(zip(reversed(ids), range(count - 1, -1, -1), strict=True))
    find = first.get
    above = [find(parent, -2) if parent else NOBODY for parent in parent_ids]
    by_time = sorted(range(count), key=starts_ns.__getitem__)
    youngest, elder = [NOBODY] * count, [NOBODY] * count  # of each span's children the last, and who comes before whom
    tops: list[int] = []
    orphans: dict[bytes, list[int]] = {}
    for span in by_time:
        parent = above[span]
        if parent >= 0:
            elder[span] = youngest[parent]
            youngest[parent] = span
        elif parent == NOBODY:
            tops.append(span)
        else:
            orphans.setdefault(parent_ids[span], []).append(span)
    growth = _Growth(first if len(first) < count else None, ids, above, youngest, elder, starts_ns, ends_ns)
    growth.lay(tops, 0)
    laid = len(growth.spans) + sum(map(len, orphans.values()))
    if laid < count:  # what is left hangs below an orphan, or is in a circle or below one
        growth.lay_circles(by_time, orphans)
    for identity, children in orphans.items():
        growth.lay_orphans(identity, children)
    return growth.forest()


class _Growth:
    """What was laid so far."""

    def __init__(
        self,
        first: dict[bytes, int] | None,
        ids: Sequence[bytes],
        above: Sequence[int],
        youngest: Sequence[int],
        elder: Sequence[int],
        starts_ns: Sequence[int],
        ends_ns: Sequence[int],
    ) -> None:
        self._first = first
        """None where no id is there twice."""
        self._ids, self._above, self._youngest, self._elder = ids, above, youngest, elder
        self._starts_ns, self._ends_ns = starts_ns, ends_ns
        self.spans: list[int] = []
        self._parents: list[int] = []
        self._depths: list[int] = []
        self._odd: list[int] = []
        self._missing: dict[int, bytes] = {}
        self._place_of = [NOBODY] * len(ids)

    def lay(self, tops: Sequence[int], odd: int, *, around: int = NOBODY) -> None:
        """Append spans, and after each of them all that is below it; `around` is the place of a missing parent."""
        youngest, elder, above, place_of = self._youngest, self._elder, self._above, self._place_of
        starts, ends, depths = self._starts_ns, self._ends_ns, self._depths
        add_span, add_parent, add_depth, add_odd = (
            self.spans.append,
            self._parents.append,
            depths.append,
            self._odd.append,
        )
        place = len(self.spans)
        for top in tops:
            waiting = [top]
            while waiting:
                span = waiting.pop()
                place_of[span] = place
                add_span(span)
                start, end = starts[span], ends[span]
                found = 0
                if span == top:
                    found = odd | (_BACKWARDS if end and end < start else 0)
                    add_parent(around)
                    add_depth(0 if around < 0 else 1)
                else:
                    parent = above[span]
                    parent_place = place_of[parent]
                    add_parent(parent_place)
                    add_depth(depths[parent_place] + 1)
                    if not starts[parent] <= start <= end <= ends[parent]:
                        found = _times(start, end, starts[parent], ends[parent])
                if self._first is not None and self._first[self._ids[span]] != span:
                    found |= _TWICE
                add_odd(found)
                place += 1
                child = youngest[span]
                while child >= 0:
                    if child != top:  # of a circle that was cut there
                        waiting.append(child)
                    child = elder[child]

    def lay_orphans(self, identity: bytes, children: Sequence[int]) -> None:
        """A missing parent, and below it whoever names it."""
        around = len(self.spans)
        self._missing[around] = identity
        self.spans.append(NOBODY)
        self._parents.append(NOBODY)
        self._depths.append(0)
        self._odd.append(Odd.MISSING.value)
        self.lay(children, _ORPHAN, around=around)

    def lay_circles(self, by_time: Sequence[int], orphans: dict[bytes, list[int]]) -> None:
        """Whatever is in a circle, or below one."""
        hung = self._hung([span for children in orphans.values() for span in children])
        for span in by_time:
            if self._place_of[span] < 0 and span not in hung:
                self.lay([self._on_circle(span)], _CUT)

    def _hung(self, tops: Sequence[int]) -> set[int]:
        """These spans and everything below them."""
        found: set[int] = set()
        waiting = list(tops)
        while waiting:
            span = waiting.pop()
            found.add(span)
            child = self._youngest[span]
            while child >= 0:
                waiting.append(child)
                child = self._elder[child]
        return found

    def _on_circle(self, span: int) -> int:
        """The earliest member of the circle to which a span's ancestors lead."""
        passed: set[int] = set()
        while span not in passed:
            passed.add(span)
            span = self._above[span]
        circle, turn = [span], self._above[span]
        while turn != span:
            circle.append(turn)
            turn = self._above[turn]
        return min(circle, key=lambda each: (self._starts_ns[each], each))

    def forest(self) -> Forest:
        parents = self._parents
        sizes, children = [1] * len(parents), [0] * len(parents)
        for place in range(len(parents) - 1, -1, -1):
            parent = parents[place]
            if parent >= 0:
                sizes[parent] += sizes[place]
                children[parent] += 1
        return Forest(self.spans, parents, self._depths, self._odd, children, sizes, self._missing)


def _times(start_ns: int, end_ns: int, parent_start_ns: int, parent_end_ns: int) -> int:
    """What is odd about when it was. A span that has not ended, or was sent without times, says nothing."""
    found = _BACKWARDS if end_ns and end_ns < start_ns else 0
    if start_ns and parent_start_ns:
        if start_ns < parent_start_ns:
            found |= _BEFORE
        if parent_end_ns and end_ns > parent_end_ns:
            found |= _AFTER
    return found
