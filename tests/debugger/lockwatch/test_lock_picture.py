"""The box that is drawn over a screen that cannot draw."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from debugger.lockwatch.picture import drawn, lines
from kernel.transports.callback_threads import Stuck


def stuck(name: str, phase: str = "guard", stack: tuple[str, ...] = ("/a/holds.py:7 in endless",)) -> Stuck:
    return Stuck(name, phase, "", 0, 65 * 10**9, is_abandoned=False, stack=stack)


def test_one_suspect_holds_the_lock() -> None:
    """Who, asked for what, for how long, where; then the stack, and the way out."""
    assert lines([stuck("greedy")])[:2] == (
        "greedy (guard) has held Python's lock for 1:05 in holds.py:7",
        "  holds.py:7 in endless",
    )
    assert lines([stuck("greedy")])[-1].startswith("ctrl+c ends hookscope")


def test_of_several_one_does() -> None:
    """Which one cannot be seen; not all of a crowd are named."""
    found = lines([stuck(f"s{number}") for number in range(5)])
    assert found[0] == "One of 5 callables holds Python's lock:"
    assert found[1] == "s0 (guard), running for 1:05 in holds.py:7"
    assert found[4] == "and 2 more"


@pytest.mark.parametrize(("width", "height"), [(120, 40), (80, 24), (30, 8), (5, 3)])
def test_it_fits_into_the_terminal(width: int, height: int) -> None:
    """And nothing that a name contains steers the terminal."""
    picture = drawn(lines([stuck("\x1b[2Jgreedy 宽")]), width, height, has_colours=True).decode()
    assert "\x1b[2J" not in picture
    rows = re.findall(r"\x1b\[(\d+);(\d+)H\x1b\[[0-9;]*m([^\x1b]*)", picture)
    assert 2 < len(rows) <= height
    assert {cell_len(text) for _, _, text in rows} == {cell_len(rows[0][2])}
    for row, column, text in rows:
        assert 1 <= int(row) <= height
        assert 1 <= int(column) <= width - cell_len(text) + 1


def test_nothing_is_drawn_where_there_is_no_room() -> None:
    assert drawn(lines([stuck("greedy")]), 4, 2, has_colours=False) == b""
