"""One trace in columns."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from otlp_made import identity
from traces_made import TRACES, columns, named, trace

from debugger.otlp.forest import Odd
from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton, skeleton


def test_places_are_in_the_order_of_the_tree() -> None:
    """With times from the beginning, whatever the order of arrival."""
    found = trace((3, 2, 30, 40), (2, 1, 20, 90), (1, 0, 0, 100), (4, 1, 10, 15))
    assert named(found, range(len(found))) == [1, 4, 2, 3]
    assert (found.starts, found.ends, found.total_ns) == ([0, 10, 20, 30], [100, 15, 90, 40], 100)
    assert (found.depths, list(found.below(0)), found.ancestors(3)) == ([0, 1, 1, 2], [1, 2], [2, 0])


def test_what_is_under_way_lasts_until_the_end_of_the_trace() -> None:
    """As far as that is known."""
    found = trace((1, 0, 0, -1), (2, 1, 10, 70))
    assert (found.ends, list(found.running)) == ([70, 70], [1, 0])


def test_a_span_that_was_sent_without_times_is_at_the_beginning() -> None:
    """And takes none."""
    made = columns([(1, 0, 0, 10), (2, 1, 0, 0)])
    made = replace(made, starts_ns=[made.starts_ns[0], 0], ends_ns=[made.ends_ns[0], 0])
    found = skeleton(made)
    assert (found.starts, found.ends, found.total_ns) == ([0, 0], [10, 0], 10)


def test_a_missing_parent_lasts_as_long_as_those_who_name_it() -> None:
    """It stands for a span that may still come, under the id by which that will be known."""
    found = trace((1, 0, 0, 10), (2, 9, 20, 30), (3, 9, 40, 60))
    place = found.ids.index(identity(9))
    assert found.keys[place] < 0
    assert (found.starts[place], found.ends[place]) == (20, 60)
    assert Odd.MISSING in found.oddities(place)


def test_hooks_go_with_their_spans() -> None:
    """Whatever the tree makes of the order."""
    made = columns([(2, 1, 5, 6), (1, 0, 0, 10)])
    found = skeleton(made, hooks=[Hook("point", "who"), None])
    assert found.hooks == {1: Hook("point", "who")}


@settings(deadline=None)
@given(TRACES)
def test_columns_agree_with_one_another(found: Skeleton) -> None:
    """Children lie within what their parent takes; nothing ends before it begins."""
    for place in range(len(found)):
        below = list(found.below(place))
        assert len(below) == found.children[place]
        assert all(found.parents[child] == place for child in below)
        assert found.sizes[place] == 1 + sum(found.sizes[child] for child in below)
        assert 0 <= found.starts[place] <= found.ends[place] <= found.total_ns
