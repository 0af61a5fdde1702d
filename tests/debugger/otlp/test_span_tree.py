"""The order of a trace's spans, whatever is late, missing, twice, deep or in a circle."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from otlp_made import identity

from debugger.otlp.tree import Bone, Node, Odd, folded, grown, words


def bone(row: int, span: int, parent: int = 0, start: int = 1, end: int = 100) -> Bone:
    return Bone(row, identity(span), identity(parent) if parent else b"", start, end)


def drawn(nodes: tuple[Node, ...]) -> list[str]:
    """Each as its depth, its number, what is odd."""
    return ["  " * node.depth + "; ".join((str(int.from_bytes(node.span_id)), *words(node.odd))) for node in nodes]


@pytest.mark.parametrize(
    ("bones", "lines"),
    [
        ([], []),
        ([bone(1, 1), bone(2, 2, 1, 7), bone(3, 3, 1, 5), bone(4, 4, 3, 6)], ["1", "  3", "    4", "  2"]),
        ([bone(1, 4, 3, 6), bone(2, 2, 1, 7), bone(3, 3, 1, 5), bone(4, 1)], ["1", "  3", "    4", "  2"]),
        ([bone(1, 1, start=9), bone(2, 2, start=3)], ["2", "1"]),
        (
            [bone(1, 1), bone(2, 2, 9), bone(3, 3, 9), bone(4, 4, 2)],
            [
                "1",
                "9; missing parent",
                "  2; its parent was not sent",
                "    4",
                "  3; its parent was not sent",
            ],
        ),
        ([bone(1, 1, 1)], ["1; cycle cut here"]),
        (
            [bone(1, 1, 3, 5), bone(2, 2, 1, 4), bone(3, 3, 2, 6), bone(4, 4, 3, 8)],
            ["2; cycle cut here", "  3", "    1; begins before its parent", "    4"],
        ),
        (
            [bone(1, 1), bone(2, 2, 1, 2), bone(3, 2, 1, 3), bone(4, 4, 2, 5)],
            ["1", "  2", "    4", "  2; same id as another span"],
        ),
        ([bone(1, 1, 0, 5, 9), bone(2, 2, 1, 4, 9)], ["1", "  2; begins before its parent"]),
        ([bone(1, 1, 0, 5, 9), bone(2, 2, 1, 5, 10)], ["1", "  2; ends after its parent"]),
        ([bone(1, 1, 0, 5, 9), bone(2, 2, 1, 4, 3)], ["1", "  2; begins before its parent; ends before it begins"]),
        ([bone(1, 1, 0, 5, 0), bone(2, 2, 1, 6, 0)], ["1", "  2"]),
        (
            [bone(1, 7, 2), bone(2, 2, 7), bone(3, 7, 3, 2), bone(4, 3, 3)],
            ["7; cycle cut here", "  2", "3; cycle cut here", "  7; same id as another span"],
        ),
    ],
)
def test_the_order_of_a_tree(bones: list[Bone], lines: list[str]) -> None:
    """Parents before children, children by their beginning, and a word for whatever is odd."""
    assert drawn(grown(bones)) == lines


def test_an_orphan_finds_its_parent_once_that_arrives() -> None:
    """The tree is made of what is there; it does not matter when it came."""
    late = bone(9, 9, 1)
    assert drawn(grown([bone(1, 1), bone(2, 2, 9)])) == ["1", "9; missing parent", "  2; its parent was not sent"]
    assert drawn(grown([bone(1, 1), bone(2, 2, 9), late])) == ["1", "  9", "    2"]


def test_a_trace_may_be_as_deep_as_it_is_long() -> None:
    """Nothing recurses."""
    nodes = grown([bone(row, row, row - 1) for row in range(1, 20_001)])
    assert [node.depth for node in nodes] == list(range(20_000))


def test_what_was_sent_twice_is_shown_once() -> None:
    """With the number of copies."""
    bones = folded([bone(1, 1), bone(2, 2, 1), bone(5, 2, 1), bone(7, 2, 1), bone(8, 2, 1)], [[2, 7], [5, 8]])
    assert [(node.row, node.copies) for node in grown(bones)] == [(1, 1), (2, 2), (5, 2)]


BONES = st.lists(
    st.tuples(st.integers(1, 8), st.integers(0, 9), st.integers(0, 5), st.integers(0, 5)), max_size=14
).map(lambda rows: [bone(row, *fields) for row, fields in enumerate(rows)])


@settings(deadline=None)
@given(BONES, st.randoms())
def test_no_span_is_lost_or_shown_twice(bones: list[Bone], chance: object) -> None:
    """Whatever was sent, in whatever order; and a child is right below its parent's level."""
    nodes = grown(bones)
    assert sorted(node.row for node in nodes if node.row is not None) == [each.row for each in bones]
    by_row = {each.row: each for each in bones}
    path: list[Node] = []
    for node in nodes:
        del path[node.depth :]
        assert len(path) == node.depth
        if node.row is not None and node.depth:
            assert by_row[node.row].parent_id == path[-1].span_id
        if node.row is not None and not node.depth:
            assert by_row[node.row].parent_id == b"" or Odd.CUT in node.odd
        path.append(node)
    shuffled = list(bones)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert grown(shuffled) == nodes


@settings(deadline=None)
@given(BONES)
def test_the_number_of_children_is_that_below(bones: list[Bone]) -> None:
    """What a fold would hide, right below."""
    nodes = grown(bones)
    for at, node in enumerate(nodes):
        below = 0
        for later in nodes[at + 1 :]:
            if later.depth <= node.depth:
                break
            below += later.depth == node.depth + 1
        assert node.children == below
