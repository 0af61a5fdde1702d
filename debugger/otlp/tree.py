"""The spans of one trace in the order of a tree, whatever is late, missing, twice or in a circle. Pure.

Looks at ids and times only: a trace of a hundred thousand spans is put in order without reading what is in them. The
order itself is made by `forest`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from debugger.otlp.forest import NOBODY, Odd, planted

__all__ = ["ODDITIES", "WORDS", "Bone", "Node", "Odd", "folded", "grown", "words"]

ODDITIES: Final = tuple(Odd(number) for number in range(2 ** len(Odd)))
"""Every combination by its value, made once: to combine two costs more than everything else about a span."""
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
    """Every span once, parents before their children, children by their beginning. Missing parents come last."""
    bones = sorted(bones, key=attrgetter("row"))
    forest = planted(
        [bone.span_id for bone in bones],
        [bone.parent_id for bone in bones],
        [bone.start_ns for bone in bones],
        [bone.end_ns for bone in bones],
    )
    return tuple(
        Node(None, forest.missing[place], 0, Odd.MISSING, children)
        if span == NOBODY
        else Node(bones[span].row, bones[span].span_id, depth, ODDITIES[odd], children, bones[span].copies)
        for place, (span, depth, odd, children) in enumerate(
            zip(forest.spans, forest.depths, forest.odd, forest.children, strict=True)
        )
    )


def folded(bones: Sequence[Bone], alike: Sequence[Sequence[int]]) -> tuple[Bone, ...]:
    """With spans that were sent more than once, exactly alike, as one; `alike` names their rows, group by group."""
    copies = {min(group): len(group) for group in alike}
    later = {row for group in alike for row in group} - copies.keys()
    return tuple(
        replace(bone, copies=copies[bone.row]) if bone.row in copies else bone
        for bone in bones
        if bone.row not in later
    )
