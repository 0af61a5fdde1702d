"""The whole trace on one line."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from traces_made import TRACES, text, trace

from debugger.traces.minimap import density, frame, strip
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window


def test_it_is_as_high_as_many_are_under_way() -> None:
    """And shows where an error began."""
    made = trace((1, 0, 0, 100), (2, 1, 50, 100), errors=[2])
    found = density(made, 4)
    assert found.active == (1, 1, 2, 2)
    assert found.errors == (0, 0, 1, 0)
    assert text(strip(found, 4)) == "▄▄✗█"
    assert text(strip(found, 8)) == "▄▄▄▄✗✗██"


def test_the_frame_is_around_what_the_window_shows() -> None:
    """A single mark where that is less than a cell."""
    assert frame(Window(1_000), 10) == "╰────────╯"
    assert frame(Window(1_000, 500, 1_000), 10) == "     ╰───╯"
    assert frame(Window(1_000, 500, 510), 10) == "     ┴    "


@settings(deadline=None)
@given(TRACES, st.integers(0, 200), st.integers(1, 40))
def test_it_takes_the_cells_that_there_are(made: Skeleton, width: int, buckets: int) -> None:
    """And counts nobody who is not there."""
    found = density(made, buckets)
    assert len(text(strip(found, width))) == width
    assert len(frame(Window(made.total_ns), width)) == width
    assert max(found.active) <= len(made)
    assert min(found.active) >= 0
