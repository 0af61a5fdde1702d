"""What stands above a tree, and how the next error or word is found."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from traces_made import TRACES, text, trace

from debugger.traces import heads
from debugger.traces.hooks import Hook
from debugger.traces.lanes import Lanes
from debugger.traces.minimap import density
from debugger.traces.outline import By, Hide, Outline
from debugger.traces.rows import Drawing, columns
from debugger.traces.seeking import next_error, next_match
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window

MADE = trace((1, 0, 0, 100), (2, 1, 0, 50), (3, 1, 50, 90), (4, 3, 50, 60), errors=[2, 4], names=["a", "b", "c", "b"])


def test_a_trace_in_a_sentence() -> None:
    """How much of it is there, what failed, what is hidden."""
    assert heads.about(MADE, ()) == " 100 ns, 4 spans, 2 with errors"
    part = replace(MADE, all_spans=9_000)
    hidden = [Hide(By.NAME, "ping"), Hide(By.SERVICE, "cache")]
    assert (
        heads.about(part, hidden) == " 100 ns, the first 4 of at least 9,000 spans, 2 with errors, cache, ping hidden"
    )
    assert text(heads.story(" x", "y", 8)) == " x  y   "


def drawing(made: Skeleton, **settings: object) -> Drawing:
    return Drawing(Outline(made), Window(made.total_ns), Lanes(made), **settings)  # type: ignore[arg-type]


def test_the_map_is_above_the_bars() -> None:
    """To the cell, also where there is no room for it to be as wide."""
    lines = [text(heads.map_line(drawing(MADE), density(MADE), index, 80, 79)) for index in range(heads.LINES)]
    share = columns(79)
    assert [line[share.name + 1 :].rstrip()[0] for line in lines] == ["✗", "╰", "▏"]
    assert lines[1].rstrip().endswith("╯")
    assert len(lines[1].rstrip()) == share.name + 1 + share.bar
    assert lines[0].startswith(" began ")
    assert lines[1].startswith(" shown: all of it")


def test_the_map_says_how_bars_are_to_be_read() -> None:
    """The critical path, own times, times of day."""
    looked_at = drawing(MADE, path={}, shows_own=True, is_absolute=True)
    lines = [text(heads.map_line(looked_at, None, index, 120, 119)) for index in range(heads.LINES)]
    assert "2023-11-14T22:13:20" in lines[0]
    assert "critical path: full bars, own times" in lines[2]
    assert ":20.000000" in lines[2]


@settings(deadline=None)
@given(TRACES, st.integers(60, 200), st.booleans(), st.integers(0, 2))
def test_the_map_takes_the_cells_that_there_are(made: Skeleton, width: int, is_absolute: bool, index: int) -> None:
    """Whatever the trace is."""
    line = heads.map_line(drawing(made, is_absolute=is_absolute), density(made), index, width, width - 1)
    assert cell_len(text(line)) == width


@pytest.mark.parametrize(
    ("place", "is_forward", "found"), [(0, True, 1), (1, True, 3), (3, True, 1), (0, False, 3), (3, False, 1)]
)
def test_the_next_error_is_found_round_the_ends(place: int, is_forward: bool, found: int) -> None:
    """Of a trace without any there is none."""
    assert next_error(MADE, place, is_forward=is_forward) == found
    assert next_error(trace((1, 0, 0, 1)), 0, is_forward=is_forward) is None


@pytest.mark.parametrize(
    ("needle", "place", "is_forward", "found"),
    [
        ("B", 0, True, 1),
        ("b", 2, True, 3),
        ("b", 3, True, 1),
        ("b", 0, False, 3),
        ("c", 2, True, 2),
        ("shop", -1, True, 0),
        ("bot", 0, True, 2),
        ("PLAN", 3, True, 2),
        ("nobody", 0, True, None),
    ],
)
def test_words_are_found_in_names_services_and_hooks(
    needle: str, place: int, is_forward: bool, found: int | None
) -> None:
    """The place where one is comes last."""
    hooks = {2: Hook("plan-ready", "bot", "veto")}
    assert next_match(MADE, hooks, needle, place, is_forward=is_forward) == found
