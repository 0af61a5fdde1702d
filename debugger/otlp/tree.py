"""The spans of one trace in the order of a tree, whatever is late, missing, twice or in a circle. Pure.

Looks at ids and times only: a trace of a hundred thousand spans is put in order without reading what is in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Flag, auto
from operator import attrgetter
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


_ODDITIES: Final = tuple(Odd(number) for number in range(2 ** len(Odd)))
"""Every combination, made once: to combine two costs more than everything else that is done about a span."""
WORDS: Final = {
    Odd.MISSING: "missing parent",
    Odd.ORPHAN: "its parent was not sent",
    Odd.CUT: "cycle cut here",
    Odd.TWICE: "same id as another span",
    Odd.BEFORE_PARENT: "begins before its parent",
    Odd.AFTER_PARENT: "ends after its parent",
    Odd.BACKWARDS: "ends before it begins",
}
"""Each as a person is told."""


def words(odd: Odd) -> tuple[str, ...]:
    """All that is odd, as a person is told."""
    return tuple(word for each, word in WORDS.items() if each in odd)


@dataclass(frozen=True, slots=True)
class Bone:
    """What of a span decides about its place."""

    row: int
    """Grows with the order of arrival."""
    span_id: bytes
    parent_id: bytes
    start_ns: int
    end_ns: int
    copies: int = 1
    """How often exactly this span was sent."""


@dataclass(frozen=True, slots=True)
class Node:
    """A place in the tree."""

    row: int | None
    """None for a parent that is missing."""
    span_id: bytes
    depth: int
    odd: Odd = Odd.NOTHING
    children: int = 0
    """Right below it."""
    copies: int = 1


def grown(bones: Sequence[Bone]) -> tuple[Node, ...]:
    """Every span once, parents before their children, children by their beginning. Missing parents come last.

    Nothing recurses: a trace may be as deep as it has spans.
    """
    first: dict[bytes, Bone] = {}
    for bone in sorted(bones, key=attrgetter("row")):
        first.setdefault(bone.span_id, bone)
    by_time = sorted(bones, key=attrgetter("start_ns", "row"))
    below: dict[bytes, list[Bone]] = defaultdict(list)
    for bone in by_time:
        below[bone.parent_id].append(bone)
    roots = below.pop(b"", [])
    missing = sorted(below.keys() - first.keys(), key=lambda identity: below[identity][0].start_ns)
    growth = _Growth(first, below)
    growth.lay(roots, Odd.NOTHING)
    nodes, growth.nodes = growth.nodes, []
    for identity in missing:
        children = below.pop(identity)
        growth.nodes.append(Node(None, identity, 0, Odd.MISSING, len(children)))
        growth.lay(children, Odd.ORPHAN, depth=1)
    orphaned, growth.nodes = growth.nodes, nodes
    if len(growth.seen) < len(bones):  # whatever is left is in a circle, or below one
        for bone in by_time:
            if bone.row not in growth.seen:
                growth.lay([_on_circle(bone, first)], Odd.CUT)
    return (*growth.nodes, *orphaned)


def _on_circle(bone: Bone, first: dict[bytes, Bone]) -> Bone:
    """The earliest member of the circle to which a span's ancestors lead."""
    passed: set[int] = set()
    while bone.row not in passed:
        passed.add(bone.row)
        bone = first[bone.parent_id]
    circle, turn = [bone], first[bone.parent_id]
    while turn is not bone:
        circle.append(turn)
        turn = first[turn.parent_id]
    return min(circle, key=lambda each: (each.start_ns, each.row))


class _Growth:
    """The nodes so far, and what can still be laid below them: the children of an id go with whoever takes them."""

    def __init__(self, first: Mapping[bytes, Bone], below: dict[bytes, list[Bone]]) -> None:
        self.nodes: list[Node] = []
        self.seen: set[int] = set()
        self._first = first
        self._below = below

    def lay(self, tops: Sequence[Bone], odd: Odd, *, depth: int = 0) -> None:
        """Append spans, and after each of them all that is below it."""
        waiting: list[tuple[Bone, Bone | None, int]] = [(top, None, depth) for top in reversed(tops)]
        while waiting:
            bone, parent, depth = waiting.pop()
            self.seen.add(bone.row)
            found = odd.value if parent is None else 0
            children: list[Bone] = []
            if self._first[bone.span_id] is not bone:
                found |= Odd.TWICE.value
            elif bone.span_id in self._below:
                children = self._below.pop(bone.span_id)
                if odd is Odd.CUT:  # one of them may be the one at which the circle was cut
                    children = [child for child in children if child.row not in self.seen]
                waiting += [(child, bone, depth + 1) for child in reversed(children)]
            if _is_untimely(bone, parent):
                found |= _times(bone, parent)
            self.nodes.append(Node(bone.row, bone.span_id, depth, _ODDITIES[found], len(children), bone.copies))


def _is_untimely(bone: Bone, parent: Bone | None) -> bool:
    """Whether anything can be odd about when it was: what is asked of every span has to be quick."""
    if parent is None:
        return bone.end_ns < bone.start_ns
    return not parent.start_ns <= bone.start_ns <= bone.end_ns <= parent.end_ns


def _times(bone: Bone, parent: Bone | None) -> int:
    """What is odd about when it was. A span that has not ended, or was sent without times, says nothing."""
    found = 0
    if bone.end_ns and bone.end_ns < bone.start_ns:
        found |= Odd.BACKWARDS.value
    if parent is not None and bone.start_ns and parent.start_ns:
        if bone.start_ns < parent.start_ns:
            found |= Odd.BEFORE_PARENT.value
        if parent.end_ns and bone.end_ns > parent.end_ns:
            found |= Odd.AFTER_PARENT.value
    return found


def folded(bones: Sequence[Bone], alike: Sequence[Sequence[int]]) -> tuple[Bone, ...]:
    """With spans that were sent more than once, exactly alike, as one; `alike` names their rows, group by group."""
    copies = {min(group): len(group) for group in alike}
    later = {row for group in alike for row in group} - copies.keys()
    return tuple(
        replace(bone, copies=copies[bone.row]) if bone.row in copies else bone
        for bone in bones
        if bone.row not in later
    )
