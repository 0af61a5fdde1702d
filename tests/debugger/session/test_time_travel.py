"""Going back, once more, and elsewhere: what a person does to the course of a dispatch beyond stepping through it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from dispatch_runs import stub
from pluggable_answers import ALLOW, DENY
from session_at_desk import PLAN, PRE, at_desk, edited_view
from session_runs import Desk

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.runcontrol import Command, IllegalMove, Stance
from kernel.errors import BadInput
from kernel.values import Answered, Ending, Outcome, Skipped, TimedOut

NEXT, STEP, FINISH, CONTINUE = Command.NEXT, Command.STEP, Command.FINISH, Command.CONTINUE


async def led(desk: Desk, doing: Command | Callable[[], None], dispatch: str) -> None:
    """Do it, and wait for another hold than before, be it at the same place, or for the end."""
    before = set(map(id, desk.session.view.holds))
    kept = desk.session.view.holds  # as long as they are kept, no other has their identity
    if isinstance(doing, Command):
        desk.session.command(dispatch, doing)
    else:
        doing()
    await desk.until(
        lambda: (
            any(id(hold) not in before for hold in desk.session.view.holds) or dispatch not in desk.session.view.states
        )
    )
    del kept


@pytest.mark.parametrize(
    ("commands", "led_to", "asked"),
    [
        ("step back step", "after A, before A, after A", "A A"),
        ("next back back", "before B, before A, refused", "A"),
        ("next next back back next", "before B, before C, before B, before A, before B", "A B A"),
        ("next step back back", "before B, after B, before B, before A", "A B"),
        ("next next restart", "before B, before C, before A", "A B"),
        ("step restart", "after A, before A", "A"),
        ("next next step restart", "before B, before C, after C, before A", "A B C"),
        ("back", "refused", ""),
        ("restart", "refused", ""),
        ("retry", "refused", ""),
        ("step retry retry next", "after A, after A, after A, before B", "A A A"),
    ],
)
def test_the_way_back_asks_nobody(commands: str, led_to: str, asked: str) -> None:
    """Each back is one seam earlier; whoever is asked again is asked because somebody goes on from there."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        found = []
        for word in commands.split():
            try:
                await led(desk, Command(word), dispatch)
                found.append(" + ".join(desk.places(dispatch)))
            except IllegalMove:
                found.append("refused")
        assert (", ".join(found), desk.asked()) == (led_to, asked)

    at_desk("A:o B:o C:o", body)


def test_what_was_changed_on_the_void_way_is_void() -> None:
    """Back before the transform, its change is gone from the trace; onward it changes again."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await led(desk, NEXT, dispatch)
        assert len(desk.of(dispatch).changes) == 1
        await led(desk, Command.BACK, dispatch)
        assert desk.of(dispatch).changes == ()
        assert desk.of(dispatch).rewinds == 1
        await led(desk, FINISH, dispatch)
        trace = desk.of(dispatch)
        assert [change.by for change in trace.changes] == ["A"]
        assert trace.result is not None

    at_desk("A:t B:o", body, A=stub("+x"))


def test_an_edit_is_a_walk_of_its_own_on_the_way_back() -> None:
    """Behind the answer to an edited payload: back keeps the edit, once more and it is gone."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.edit_payload(dispatch, 0, edited_view())
        await led(desk, STEP, dispatch)
        await led(desk, Command.BACK, dispatch)
        [hold] = desk.session.view.holds
        assert hold.ask.payload.view == edited_view()
        await led(desk, Command.BACK, dispatch)
        [hold] = desk.session.view.holds
        assert hold.ask.payload.view != edited_view()
        await led(desk, FINISH, dispatch)

    at_desk("A:o", body)


def test_parallel_siblings_go_back_together() -> None:
    """From behind one of them, all that were asked together are held before their calls again."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        assert desk.places(dispatch) == ["before A", "before B"]
        desk.session.command(dispatch, STEP, 0)
        await desk.until(lambda: desk.places(dispatch) == ["after A", "before B"])
        desk.session.command(dispatch, Command.BACK, 0)
        await desk.until(lambda: desk.places(dispatch) == ["before A", "before B"])
        await led(desk, FINISH, dispatch)
        assert desk.of(dispatch).result is not None

    at_desk("A:o B:o", body, parallel=True)


@pytest.mark.parametrize("is_asked", [True, False])
@pytest.mark.parametrize(
    ("outcome", "decision"), [(Answered(DENY), "deny"), (Answered(ALLOW), "allow"), (TimedOut(1000), "deny")]
)
def test_a_person_answers_for_a_subscriber(outcome: Outcome, decision: str, is_asked: bool) -> None:
    """Before it, it is not called at all; after it, its own answer is set aside."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        if is_asked:
            await led(desk, STEP, dispatch)
        await led(desk, lambda: desk.session.answer(dispatch, None, outcome), dispatch)
        trace = desk.of(dispatch)
        assert trace.result is not None
        assert trace.result.decision == decision
        assert desk.asked() == ("A" if is_asked else "")
        assert [each.what for each in trace.steps[0].steered] == ["replaced answer" if is_asked else "answered"]

    at_desk("A:v", body, point=PLAN)


def test_a_run_goes_to_a_subscriber_or_to_where_a_filter_holds() -> None:
    """Or to a breakpoint on the way; a goal that is never reached is the end."""

    async def body(desk: Desk) -> None:
        for goal, led_to in (
            (Breakpoint("sub:C"), ["before C"]),
            (Breakpoint("status:denied", Side.AFTER), ["after B"]),
            (Breakpoint("sub:nobody"), []),
        ):
            dispatch = await desk.fire()
            await led(desk, partial(desk.session.run_to, dispatch, goal), dispatch)
            assert desk.places(dispatch) == led_to
            if led_to == ["before C"]:
                await led(desk, Command.BACK, dispatch)
            if led_to:
                await led(desk, FINISH, dispatch)
        desk.session.toggle_breakpoint(at_seat("B", PLAN))
        dispatch = await desk.fire()
        await led(desk, lambda: desk.session.run_to(dispatch, Breakpoint("sub:C")), dispatch)
        assert desk.places(dispatch) == ["before B"]
        with pytest.raises(BadInput):
            desk.session.run_to(dispatch, Breakpoint("sub:"))
        assert desk.places(dispatch) == ["before B"], "a bad goal lets nobody go"
        desk.session.turn_breakpoints(are_on=False)
        await led(desk, FINISH, dispatch)
        with pytest.raises(IllegalMove):
            desk.session.run_to(dispatch, Breakpoint("sub:C"))

    at_desk("A:v B:v C:o", body, point=PLAN, B=_Alternating())


class _Alternating:
    """Denies the third time."""

    def __init__(self) -> None:
        self._calls = 0

    async def answer(self, call: object) -> Outcome:
        self._calls += 1
        return Answered(DENY if self._calls == 3 else ALLOW)


def test_a_seat_is_left_out_until_it_is_taken_back_in() -> None:
    """In every dispatch, at its point, without anybody holding it."""

    async def body(desk: Desk) -> None:
        [seat, _] = desk.session.setup.chains[PRE].subscriptions
        desk.session.toggle_skipping(seat)
        trace = desk.of(await desk.fire(Stance.TO_END))
        assert trace.steps[0].verdict is not None
        assert trace.steps[0].verdict.status == "skipped"
        assert [each.by for each in trace.steps[0].steered] == ["skip list"]
        dispatch = await desk.fire()
        assert desk.places(dispatch) == ["before B"]
        await led(desk, Command.BACK, dispatch)
        assert desk.places(dispatch) == ["before B"], "on the way back it is left out again"
        await led(desk, FINISH, dispatch)
        desk.session.toggle_skipping(seat)
        assert desk.session.view.skipping == frozenset()
        await desk.fire(Stance.TO_END)
        assert desk.asked() == "B B A B"
        assert isinstance(desk.of(dispatch).steps[0].outcome, Skipped | None)

    at_desk("A:o B:o", body)


def test_a_hold_lets_go_by_itself_after_a_while() -> None:
    """Also one that was there before the time was set; every later hold counts from its own beginning."""

    async def body(desk: Desk) -> None:
        clock = desk.session.clock
        dispatch = await desk.fire()
        began_ns = clock.now_ns()
        await led(desk, lambda: desk.session.let_go_after(30), dispatch)
        assert desk.of(dispatch).result is not None
        assert clock.now_ns() - began_ns == 30 * 10**9
        assert desk.notes == ["let go by itself after 30 s: held before A"]
        desk.session.toggle_breakpoint(at_seat("B", PRE))
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.of(dispatch).result is None
        desk.session.let_go_after(None)
        assert desk.session.view.release_after_s is None
        await led(desk, FINISH, dispatch)
        assert clock.now_ns() - began_ns == 30 * 10**9, "nobody waited for the second one"
        for wrong in (0, -1, 1e9):
            with pytest.raises(BadInput):
                desk.session.let_go_after(wrong)

    at_desk("A:o B:o", body)


def test_edits_are_undone_one_by_one() -> None:
    """The last first; what has been sent cannot be undone, and says so."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        with pytest.raises(IllegalMove, match="no edit to undo"):
            desk.session.undo(dispatch)
        for word in ("one", "two"):
            desk.session.edit_payload(dispatch, 0, edited_view(word))
        [hold] = desk.session.view.holds
        assert hold.undoable == 2
        desk.session.undo(dispatch)
        [hold] = desk.session.view.holds
        assert hold.edited is not None
        assert (hold.edited.view, hold.undoable) == (edited_view("one"), 1)
        desk.session.undo(dispatch)
        assert desk.session.view.holds[0].edited is None
        desk.session.edit_payload(dispatch, 0, edited_view("sent"))
        await led(desk, NEXT, dispatch)
        with pytest.raises(IllegalMove, match="back goes"):
            desk.session.undo(dispatch)
        await led(desk, FINISH, dispatch)
        assert desk.of(dispatch).result is not None
        assert desk.of(dispatch).result.ending is Ending.FINISHED  # type: ignore[union-attr]

    at_desk("A:o B:o", body)
