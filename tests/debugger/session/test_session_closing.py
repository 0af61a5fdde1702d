"""A debugger that goes away lets go: whatever is held or under way ends, and everybody who watches is told how."""

from __future__ import annotations

from pathlib import Path

from dispatch_runs import stub
from session_at_desk import PLAN, at_desk
from session_runs import Desk

from debugger.runcontrol import Stance
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel.values import Ending


def test_closing_ends_what_is_held_and_what_runs(tmp_path: Path) -> None:
    """Before a subscriber, behind one, and while one hangs; a recording has the end of each."""

    async def body(desk: Desk) -> None:
        before = await desk.fire()
        behind = await desk.fire(Stance.TO_NEXT_SEAM)
        hanging = await desk.session.fire(PLAN, desk.of(before).opened.payload, Stance.TO_END)
        await desk.until(lambda: any(name == "B" for name, _ in desk.host.calls))
        assert len(desk.session.view.holds) == 2
        await desk.session.close()
        for dispatch in (before, behind, hanging):
            result = desk.of(dispatch).result
            assert result is not None
            assert result.ending is Ending.CANCELLED
            assert "hookscope is closing" in result.error
        assert not desk.session.view.holds
        assert not desk.session.view.states

    with Writer(tmp_path / "r") as writer:
        at_desk("A:v B:v", body, point=PLAN, probes=(writer,), B=stub("hang"))
    with Recording(tmp_path / "r") as recording:
        assert [row.ending for row in recording.rows(after=0)] == ["cancelled"] * 3


def test_a_hold_that_is_forgotten_lets_go_by_itself() -> None:
    """After the time that was set, and not before; the dispatch goes on as if nobody had held it."""

    async def body(desk: Desk) -> None:
        desk.session.let_go_after(300)
        dispatch = await desk.fire()
        held = desk.places(dispatch)
        assert held == ["before A"]
        await desk.until(lambda: dispatch not in desk.session.view.states)
        result = desk.of(dispatch).result
        assert result is not None
        assert result.decision == "allow"
        assert any("let go by itself after 300 s" in note for note in desk.notes)

    at_desk("A:v", body, point=PLAN)
