"""Bars, to an eighth of a cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces_made import text

from debugger.traces.bars import BARRIER, INSTANT, LEFT_BLOCKS, OFF_LEFT, OFF_RIGHT, TICK, Bar, drawn
from debugger.traces.window import Window
from debugger.views.text import Emphasis

WINDOW = Window(80)
BARS = st.builds(
    lambda start, took, deadline, barrier, is_running: Bar(
        start, start + took, Emphasis.NUMBER, deadline, barrier, None, is_running
    ),
    st.integers(0, 200),
    st.integers(0, 200),
    st.none() | st.integers(1, 300),
    st.none() | st.integers(0, 300),
    st.booleans(),
)


@pytest.mark.parametrize(
    ("bar", "said"),
    [
        (Bar(0, 80), "██████████"),
        (Bar(0, 40), "█████     "),
        (Bar(0, 41), "█████▏    "),
        (Bar(0, 47), "█████▉    "),
        (Bar(8, 24), " ██       "),
        (Bar(12, 24), " ▐█       "),
        (Bar(15, 24), " ▕█       "),
        (Bar(33, 35), "    ▎     "),
        (Bar(40, 40), f"     {INSTANT}    "),
        (Bar(79, 80), "         ▕"),
        (Bar(0, 8, deadline_ns=40), f"█    {TICK}    "),
        (Bar(16, 32, barrier_ns=8), f" {BARRIER}██      "),
        (Bar(0, 80, is_running=True), "█████████▶"),
        (Bar(0, 80, strong=((16, 32),)), "░░██░░░░░░"),
        (Bar(0, 80, strong=()), "░░░░░░░░░░"),
    ],
)
def test_a_bar(bar: Bar, said: str) -> None:
    """Eighty nanoseconds on ten cells: each is eight."""
    assert text(drawn(bar, WINDOW, 10)) == said


def test_what_lies_outside_of_the_window_says_where() -> None:
    """So that nobody looks for it in vain."""
    window = Window(1_000, 400, 480)
    assert text(drawn(Bar(0, 100), window, 10)) == OFF_LEFT + " " * 9
    assert text(drawn(Bar(900, 950), window, 10)) == " " * 9 + OFF_RIGHT
    assert text(drawn(Bar(0, 1_000), window, 10)) == "█" * 10


def test_past_its_deadline_a_bar_is_red() -> None:
    """From the deadline on, where a tick is."""
    segments = drawn(Bar(0, 80, deadline_ns=40), WINDOW, 10)
    assert [(segment.text, segment.emphasis) for segment in segments] == [
        ("█████", Emphasis.NUMBER),
        (f"{TICK}████", Emphasis.ERROR),
    ]


@given(BARS, st.integers(0, 120), st.integers(0, 150), st.integers(8, 200))
def test_a_bar_stays_inside_its_track(bar: Bar, width: int, start: int, length: int) -> None:
    """Whatever is drawn, it takes exactly the cells that there are."""
    window = Window(400, start, start + length)
    assert len(text(drawn(bar, window, width))) == width


@given(st.integers(0, 7_000), st.integers(1, 1_000), st.integers(4, 100))
def test_a_bar_is_as_long_as_its_span(start: int, took: int, width: int) -> None:
    """To within a cell, wherever it begins."""
    line = text(drawn(Bar(start, start + took), Window(8_000), width))
    shares = {glyph: place / 8 for place, glyph in enumerate(LEFT_BLOCKS)} | {"▐": 0.5, "▕": 1 / 8}
    assert abs(sum(shares[glyph] for glyph in line) - took / 8_000 * width) <= 0.63
    assert line.strip() != ""


@given(st.lists(st.integers(0, 8_000), min_size=2, max_size=2), st.integers(4, 100))
def test_whoever_begins_later_is_drawn_no_further_left(starts: list[int], width: int) -> None:
    """The order in time is the order on the screen."""
    first, second = (text(drawn(Bar(start, start + 500), Window(9_000), width)) for start in sorted(starts))
    assert len(first) - len(first.lstrip()) <= len(second) - len(second.lstrip())
