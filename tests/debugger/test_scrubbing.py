"""Standing in a recorded dispatch: places, seams, speeds, and what is seen from there."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from recorded_runs import CHANGED, DENIED, told

from debugger.scrubbing import LEAST_S, MOST_S, SPEEDS, Reel, Scrub, in_words, paced
from debugger.trace import DispatchTrace, Trace
from kernel.facts import Asked, Event

EVENTS = tuple(told("d", CHANGED))


def folded(events: tuple[Event, ...]) -> DispatchTrace:
    trace = Trace()
    for event in events:
        trace.take(event)
    return trace.dispatches[0]


FULL = folded(EVENTS)
START = Scrub("d", EVENTS, 1)


def test_one_never_leaves_the_dispatch() -> None:
    """Neither before its beginning nor beyond its end, whatever the stride."""
    assert START.moved(-5) == START
    assert START.moved(1).told == 2
    end = START.moved(1000)
    assert end.is_at_end
    assert end.told == len(EVENTS)
    assert end.to(0) == START
    assert START.is_at_start
    assert end.wait_s == 0


def test_seams_are_where_somebody_is_asked() -> None:
    """Forwards to the next question, then to the end; backwards to the one before, then to the start."""
    first = START.to_seam(1)
    second = first.to_seam(1)
    assert [type(each.last.fact) for each in (first, second)] == [Asked, Asked]
    assert (first.step, second.step) == (0, 1)
    assert second.to_seam(1).is_at_end
    assert second.to_seam(-1) == first
    assert first.to_seam(-1) == START


def test_speeds_are_a_ladder_with_ends() -> None:
    """From a quarter to sixteen times."""
    assert [START.faster(by).speed for by in (-9, -1, 0, 1, 9)] == [0.25, 0.5, 1.0, 2.0, 16.0]
    assert min(SPEEDS) == 0.25
    assert max(SPEEDS) == 16.0


def test_gaps_are_made_such_that_people_can_see_them() -> None:
    """Neither over in a blink nor endless; then the speed counts."""
    assert paced(0.0001, 1) == LEAST_S
    assert paced(3600, 1) == MOST_S
    assert paced(1, 1) == 1
    assert paced(1, 4) == 0.25


@given(st.lists(st.integers(1, len(EVENTS)), min_size=1, max_size=30))
def test_what_is_seen_is_what_was_told_by_then(places: list[int]) -> None:
    """In whatever order one jumps about: as if only so much had ever been told."""
    reel = Reel()
    for place in places:
        assert reel.at(START.to(place), FULL) == folded(EVENTS[:place])


def test_the_number_is_that_of_the_recording() -> None:
    """Which the facts themselves do not say."""
    from dataclasses import replace

    full = replace(FULL, number=812)
    assert Reel().at(START.to(3), full).number == 812


def test_every_fact_has_words() -> None:
    """For the line on top."""
    said = [in_words(event.fact) for event in (*EVENTS, *told("d", DENIED))]
    assert all(said)
    assert "A is asked" in said
    assert "changed by B" in said
    assert said[-1] == "ended"
