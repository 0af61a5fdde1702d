"""A session shows who does not come back, notes whoever was given up on, and lets everybody be."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app_at_desk import stub_reader
from dispatch_runs import stub
from session_at_desk import at_desk
from session_runs import Desk

from debugger.session.board import Board
from debugger.session.stuck_watch import StuckWatch
from debugger.stuck import LONG_NS, NS_PER_S
from kernel.transports.callback_threads import Stuck

BUDGET = Stuck("budget", "", "d", 1, 5 * NS_PER_S, False, ("/me/budget.py:12 in check: wait()",))
GIVEN_UP = replace(BUDGET, is_abandoned=True)


def test_the_view_shows_who_is_stuck_and_those_given_up_on_are_noted_once() -> None:
    """However often it is looked; who came back is gone from the view."""
    here: list[Stuck] = []
    board = Board(lambda: None)
    watch = StuckWatch(board, lambda ns: tuple(each for each in here if each.for_ns >= ns))
    here[:] = [BUDGET, replace(BUDGET, subscriber="new", for_ns=LONG_NS - 1)]
    watch.look()
    assert (board.view.stuck, list(board.notes)) == ((BUDGET,), [])
    here[:] = [GIVEN_UP]
    watch.look()
    watch.look()
    [note] = board.notes
    assert note.text == "budget has been stuck for 0:05 in budget.py:12, although its dispatch has given up on it"
    assert not note.is_trouble
    here[:] = []
    watch.look()
    assert (board.view.stuck, len(board.notes)) == ((), 1)


def test_a_session_looks_from_its_start_to_its_end() -> None:
    """Also while nothing is fired."""

    async def body(desk: Desk) -> None:
        desk.host.not_back = (BUDGET,)
        await desk.until(lambda: desk.session.view.stuck == (BUDGET,))
        desk.host.not_back = ()
        await desk.until(lambda: desk.session.view.stuck == ())

    at_desk("A:o", body)


async def test_the_screen_says_who_is_stuck_where_and_for_how_long(tmp_path: Path) -> None:
    """In the banner, with the number of the dispatch; Why has the stack. Giving up stays with the person."""
    async with stub_reader("A:o", {"A": stub("hang")}, tmp_path, timeout_ms=600_000) as reader:
        await reader.press("r")
        await reader.until(lambda: any(trace.steps[0].is_running for trace in reader.desk.trace.dispatches))
        trace = reader.desk.trace.dispatches[-1]
        reader.host.not_back = (replace(BUDGET, subscriber="A", dispatch=trace.id),)
        await reader.until(lambda: "#1 A stuck 0:05 in budget.py:12" in reader.drawn("#banner"))
        await reader.press("right_square_bracket", "5")
        await reader.until(lambda: "/me/budget.py:12 in check: wait()" in reader.inspected())
        assert "stuck for 0:05" in reader.inspected()
        await reader.press("X")
        await reader.over(1)
        reader.host.not_back = (replace(GIVEN_UP, subscriber="A", dispatch=trace.id),)
        await reader.until(lambda: any("given up on it" in note.text for note in reader.desk.told))
        assert "stuck" not in reader.drawn("#banner")
