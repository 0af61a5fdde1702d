"""Plots made of text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from traces_made import text

from debugger.traces.merged import Moment
from debugger.traces.plots import box, histogram, over_time, scale_of
from debugger.views.text import Emphasis

TOOKS = st.lists(st.integers(0, 10**12), max_size=60).map(sorted)


def test_a_histogram_is_as_high_as_many_are_alike() -> None:
    """On a logarithmic scale, with median and 95th percentile marked."""
    lines = histogram([1, 1, 1, 1, 100], 10, 2)
    assert [text(line) for line in lines[:2]] == ["█         ", "█        ▄"]
    assert lines[0][0].emphasis is Emphasis.HELD


def test_a_box_is_around_the_middle_half() -> None:
    """From the least to the most."""
    tooks = [1, 10, 10, 100, 1_000, 1_000, 10_000]
    assert box(tooks, scale_of(tooks, 9)) == "├─██┃██─┤"
    assert box([], scale_of([], 9)) == " " * 9


def test_durations_over_time_have_their_longest_marked() -> None:
    """Where an error was, it is seen too."""
    moments = [Moment(0, 100, False), Moment(1, 10, False), Moment(2, 10, False), Moment(90, 50, True)]
    lines = over_time(moments, 10, 2)
    assert [text(line) for line in lines[:2]] == ["•         ", "▂        █"]
    assert lines[1][9].emphasis is Emphasis.ERROR
    assert over_time([], 10, 2) == ()


@given(TOOKS, st.integers(1, 120), st.integers(1, 8))
def test_plots_take_the_cells_that_there_are(tooks: list[int], width: int, height: int) -> None:
    """Whatever the durations are."""
    lines = histogram(tooks, width, height)
    assert len(lines) == height + 1
    assert {len(text(line)) for line in lines} == {width}
    assert len(box(tooks, scale_of(tooks, width))) == width
    moments = [Moment(at * 7, took, False) for at, took in enumerate(tooks)]
    assert {len(text(line)) for line in over_time(moments, width, height)} <= {width}


@given(TOOKS.filter(bool), st.integers(1, 120))
def test_a_longer_duration_is_no_further_left(tooks: list[int], width: int) -> None:
    """And all of them are on the scale."""
    scale = scale_of(tooks, width)
    cells = [scale.cell(took) for took in tooks]
    assert cells == sorted(cells)
    assert all(0 <= cell < width for cell in cells)
