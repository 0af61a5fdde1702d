"""Own time against the time of what is below."""

from __future__ import annotations

from hypothesis import given, settings
from traces_made import TRACES, trace

from debugger.traces.durations import Split, own_times, split
from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton


def test_own_time_is_when_nothing_below_is_under_way() -> None:
    """However many are so at once."""
    made = trace((1, 0, 0, 100), (2, 1, 10, 40), (3, 1, 30, 60), (4, 3, 35, 45))
    assert own_times(made) == [50, 30, 20, 10]


def test_what_lies_outside_of_the_parent_does_not_count() -> None:
    """Clocks differ, or nobody waited for it."""
    made = trace((1, 0, 50, 100), (2, 1, 0, 60), (3, 1, 90, 200))
    assert own_times(made) == [30, 60, 110]


@settings(deadline=None)
@given(TRACES)
def test_own_time_is_what_a_count_of_moments_says(made: Skeleton) -> None:
    """Nanosecond by nanosecond."""
    for place, own in enumerate(own_times(made)):
        below = [(made.starts[child], made.ends[child]) for child in made.below(place)]
        moments = range(made.starts[place], made.ends[place])
        assert own == sum(not any(start <= moment < end for start, end in below) for moment in moments)


STEP = Hook("point", "redactor", "transform")


def test_a_dispatch_is_split_by_who_had_the_time() -> None:
    """Transport and subscriber are told apart where the subscriber sends spans of its own."""
    made = trace((1, 0, 0, 100), (2, 1, 10, 40), (3, 1, 50, 90))
    hooks = {0: Hook("point"), 1: STEP, 2: STEP}
    assert split(made, 0, own_times(made), hooks) == Split(30, None, None, 70)
    deeper = trace((1, 0, 0, 100), (2, 1, 10, 40), (3, 1, 50, 90), (4, 2, 15, 35), (5, 3, 55, 85))
    hooks = {0: Hook("point"), 1: STEP, 3: STEP}
    assert split(deeper, 0, own_times(deeper), hooks) == Split(30, 20, 50, 70)
    assert split(deeper, 1, own_times(deeper), hooks) == Split(0, 10, 20, 30)
    assert split(deeper, 2, own_times(deeper), hooks) is None, "no part of a hook chain"
