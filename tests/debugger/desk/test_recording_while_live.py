"""`open CONFIG -o FILE`: a live session is kept, with what a reader says of it; the list can be frozen and folded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from plugin_runs import until
from recorded_runs import FINE, written
from textual.pilot import Pilot
from textual.widgets import Input

from debugger.app import Hookscope
from debugger.lenses.lines import LineView
from debugger.lenses.prompt import Prompt
from debugger.opening import Opening
from debugger.store.recording import Recording
from sample_configs import FIRST_CHAIN


@asynccontextmanager
async def opened(opening: Opening) -> AsyncIterator[tuple[Hookscope, Pilot[int]]]:
    app = Hookscope(opening)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: app._desk is not None and app.desk.seen.is_started, 30)
        await pilot.pause()
        yield app, pilot


async def fire(app: Hookscope, pilot: Pilot[int], times: int) -> None:
    for _ in range(times):
        before = len(app.desk.trace.dispatches)
        await pilot.press("r")
        await until(lambda before=before: len(app.desk.trace.dispatches) == before + 1, 20)  # type: ignore[misc]
        await until(lambda: not app.desk.seen.states, 20)
    await pilot.pause()


def drawn(app: Hookscope) -> list[str]:
    pane = app.desk.query_one("#dispatches", LineView)
    lines = [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]
    return [line for line in lines if line]


async def test_a_live_session_is_recorded_with_what_is_said_of_it(tmp_path: Path) -> None:
    """Dispatches, a mark, a note; how many is told once the screen is gone."""
    file = tmp_path / "live.hookscope"
    async with opened(Opening(FIRST_CHAIN, output=file)) as (app, pilot):
        await fire(app, pilot, 2)
        await pilot.press("m")
        await pilot.press("semicolon")
        await until(lambda: isinstance(app.screen, Prompt), 20)
        app.screen.query_one(Input).value = "the second"
        await pilot.press("enter")
        await until(lambda: any("¶" in line for line in drawn(app)), 20)
        chosen = app.desk.choosing.dispatch
        assert chosen is not None
        await app.workers.wait_for_complete()
    assert "recorded 2 dispatches in" in app.problem
    with Recording(file) as recording:
        assert [row.number for row in recording.rows()] == [1, 2]
        assert recording.remarks()[chosen].text == "the second"
        assert recording.remarks()[chosen].is_marked
        assert recording.about["dialect"] == "pluggable"


async def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    """Nobody is started then."""
    file = written(tmp_path / "there", [FINE])
    app = Hookscope(Opening(FIRST_CHAIN, output=file))
    async with app.run_test():
        await until(lambda: bool(app.problem), 30)
    assert "is there already" in app.problem


async def test_the_list_can_be_frozen_and_folded() -> None:
    """What comes meanwhile is counted; runs that look alike are one line, until enter unfolds them."""
    async with opened(Opening(FIRST_CHAIN)) as (app, pilot):
        await fire(app, pilot, 2)
        await pilot.press("I")
        await fire(app, pilot, 2)
        assert len(drawn(app)) == 2
        assert "frozen, 2 unseen" in str(app.desk.query_one("#dispatches").border_subtitle)
        await pilot.press("F")
        await pilot.pause()
        assert len(drawn(app)) == 4
        await pilot.press("Z")
        await pilot.pause()
        [run] = drawn(app)
        assert run.startswith("▸ 4× ")
        await pilot.press("enter")
        await pilot.pause()
        assert len(drawn(app)) == 4
        await pilot.press("plus")
        assert app.desk.session is not None, "keys of recordings say where they mean something, and do nothing else"


async def test_what_a_limit_takes_from_the_recording_is_counted_on_the_screen(tmp_path: Path) -> None:
    """While it runs: whoever records with a limit has to know what will not be there afterwards."""
    file = tmp_path / "live.hookscope"
    async with opened(Opening(FIRST_CHAIN, output=file, limits=("dispatches=2",))) as (app, pilot):
        assert app.desk._header().alarm == ""
        await fire(app, pilot, 4)
        await until(lambda: app.desk._header().alarm == "2 gone from the recording", 20)
    assert "2 older dispatches had to go" in app.problem
