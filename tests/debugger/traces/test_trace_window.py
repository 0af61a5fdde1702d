"""Zoom and pan."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.traces.window import LEAST_NS, Window, labels, precise, ticks

TOTALS = st.integers(LEAST_NS, 10**15)
WINDOWS = st.builds(
    lambda total, factor, share: Window(total).zoomed(factor).panned(share),
    TOTALS,
    st.floats(0.0001, 4),
    st.floats(-3, 3),
)


def is_sound(window: Window) -> bool:
    return 0 <= window.from_ns < window.end_ns <= max(window.total_ns, LEAST_NS)


@given(WINDOWS, st.floats(0.01, 100), st.floats(-10, 10), st.integers(0, 10**15))
def test_no_key_leads_out_of_the_trace(window: Window, factor: float, share: float, total: int) -> None:
    """Nor to a window without a length."""
    assert all(map(is_sound, (window, window.zoomed(factor), window.panned(share), window.fit(), window.of(total))))


@given(st.integers(10**6, 10**12), st.integers(1, 12))
def test_zooming_out_leads_back(total: int, times: int) -> None:
    """As many times as one zoomed in, all of the trace is there again."""
    window = Window(total)
    for _ in range(times):
        window = window.zoomed(0.5)
    assert window.length_ns < total
    for _ in range(times + 1):
        window = window.zoomed(2)
    assert window.is_fit


@given(WINDOWS)
def test_panning_there_and_back_changes_nothing_inside(window: Window) -> None:
    """As long as neither end is met."""
    there = window.panned(0.25)
    step = round(window.length_ns * 0.25)
    if there.from_ns == window.from_ns + step:
        assert there.panned(-0.25) == window


@given(WINDOWS, st.floats(0, 1))
def test_zooming_keeps_a_moment_where_it_is(window: Window, share: float) -> None:
    """Within a nanosecond or so, unless an end of the trace is met."""
    moment = window.from_ns + int(window.length_ns * share)
    closer = window.zoomed(0.5, moment)
    if closer.length_ns > 1000:
        before = (moment - window.from_ns) / window.length_ns
        after = (moment - closer.from_ns) / closer.length_ns
        assert after == pytest.approx(before, abs=0.01)


def test_a_window_onto_a_span_has_room_around_it() -> None:
    """And shows all of it, also where it takes no time."""
    window = Window(10_000).onto(4_000, 5_000)
    assert (window.from_ns, window.end_ns) == (3_950, 5_050)
    assert Window(10_000).onto(4_000, 4_000).length_ns == LEAST_NS


def test_a_window_that_shows_everything_goes_on_doing_so() -> None:
    """When the trace grows; another one stays where it is."""
    assert Window(100).of(1_000) == Window(1_000)
    assert Window(100).onto(20, 40).of(1_000) == Window(1_000, 19, 41)


def test_what_is_chosen_comes_into_the_window() -> None:
    """If nothing of it is there yet."""
    window = Window(1_000, 0, 100)
    assert window.showing(50, 60) == window
    assert window.showing(500, 510) == Window(1_000, 475, 575)


@given(WINDOWS, st.integers(1, 300))
def test_ticks_are_round_and_inside(window: Window, width: int) -> None:
    """And apart from one another."""
    marks = ticks(window, width)
    assert all(0 <= tick.cell < width and window.from_ns <= tick.at_ns < window.end_ns for tick in marks)
    assert all(later.cell - tick.cell >= 11 for tick, later in pairwise(marks))
    assert len(labels(marks, width)) == width


@pytest.mark.parametrize(
    ("ns", "said"),
    [(0, "0"), (7, "7 ns"), (1_500, "1.5 us"), (120_480_000, "120.5 ms"), (2_407_513_432, "2.408 s"), (-5, "-5 ns")],
)
def test_durations_are_as_short_as_they_can_be(ns: int, said: str) -> None:
    """Four digits tell spans apart that differ."""
    assert precise(ns) == said
