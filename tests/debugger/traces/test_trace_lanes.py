"""Siblings that were under way at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces_made import trace

from debugger.traces.lanes import MOST_SIBLINGS, Lanes, lanes

Spans = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([], ""),
        ([(0, 10), (10, 20)], "  "),
        ([(0, 10), (5, 20)], "╭╰"),
        ([(0, 30), (5, 20), (6, 40)], "╭│╰"),
        ([(0, 30), (5, 20), (30, 40)], "╭╰┴"),
        ([(0, 30), (5, 20), (30, 40), (35, 50)], "╭╰╭╰"),
        ([(0, 10), (10, 20), (15, 30), (31, 40)], " ╭╰┴"),
    ],
)
def test_the_gutter(spans: Spans, said: str) -> None:
    """A bracket around those that were under way at once, a barrier at whoever waited for all of them."""
    assert "".join(lane.mark for lane in lanes(spans)) == said


def test_a_barrier_is_when_the_last_of_the_group_ended() -> None:
    """Told at the first one of the next group."""
    found = lanes([(0, 30), (5, 20), (33, 40), (50, 60)])
    assert [lane.barrier_ns for lane in found] == [None, None, 30, None]


SPANS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)), max_size=12).map(
    lambda drawn: sorted((start, start + took) for start, took in drawn)
)


@given(SPANS)
def test_nobody_shares_a_lane_while_under_way(spans: Spans) -> None:
    """And no group needs more lanes than it has members."""
    found = lanes(spans)
    for at, (lane, (_, end)) in enumerate(zip(found, spans, strict=True)):
        for other, (start, _) in list(zip(found, spans, strict=True))[at + 1 :]:
            if (lane.group, lane.lane) == (other.group, other.lane):
                assert end <= start
        assert lane.lane < lane.lanes <= sum(each.group == lane.group for each in found)


def test_lanes_are_those_of_siblings() -> None:
    """Whatever is below them or beside their parent."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 50), (3, 2, 0, 50), (4, 1, 10, 60))
    found = Lanes(made)
    assert [found.of(place).mark for place in range(4)] == [" ", "╭", " ", "╰"]


def test_a_crowd_has_no_lanes() -> None:
    """Nobody could follow them."""
    made = trace((1, 0, 0, 100), *((number, 1, 0, 90) for number in range(2, MOST_SIBLINGS + 3)))
    assert Lanes(made).of(5).lanes == 1
