"""Questions that results leave open, in a debug session: they wait for a person, and whoever goes says no."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from asking_dialect import ASKING
from dispatch_runs import on_virtual_time, stub
from pluggable_payloads import payload
from session_runs import Desk

from debugger.runcontrol import Command, IllegalMove, Stance
from kernel.asking import Answer, Scope
from kernel.clock import VirtualClock

PLAN = "plan-ready"


def at_desk(body: Callable[[Desk], Awaitable[None]]) -> None:
    """Run with a session of one veto, in a dialect that asks about every result."""

    async def run(clock: VirtualClock) -> None:
        desk = Desk("A:v", {"A": stub("allow")}, clock, point=PLAN)
        desk.session.setup = replace(desk.session.setup, dialect=ASKING)
        await desk.session.start()
        try:
            await body(desk)
        finally:
            await desk.session.close()
        assert not desk.session.view.askings
        assert not desk.session.view.states

    on_virtual_time(run)


async def asked(desk: Desk) -> str:
    """Fire, and wait for the question; gives the dispatch."""
    dispatch = await desk.session.fire(PLAN, payload(PLAN))
    await desk.until(lambda: bool(desk.session.view.askings))
    return dispatch


@pytest.mark.parametrize(
    ("answer", "decision"),
    [(Answer(True, Scope.ALWAYS), "run"), (Answer(False), "blocked")],
)
def test_the_answer_of_a_person_is_what_the_host_acts_on(answer: Answer, decision: str) -> None:
    """The result is there before; the decision is told on the same dispatch after it."""

    async def body(desk: Desk) -> None:
        dispatch = await asked(desk)
        [asking] = desk.session.view.askings
        assert (asking.dispatch, asking.question.subject) == (dispatch, "shell.run")
        trace = desk.of(dispatch)
        assert trace.result is not None
        assert trace.decided == ()
        assert dispatch in desk.session.view.states, "it can still be stopped"
        desk.session.reply(asking, answer)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        [decided] = desk.of(dispatch).decided
        assert (decided.decision, decided.by) == (decision, "person")
        with pytest.raises(IllegalMove, match="no longer waits"):
            desk.session.reply(asking, answer)

    at_desk(body)


@pytest.mark.parametrize("way", ["stop", "close"])
def test_whoever_goes_while_asked_has_not_said_yes(way: str) -> None:
    """Stopping the dispatch or leaving fails closed."""

    async def body(desk: Desk) -> None:
        dispatch = await asked(desk)
        if way == "stop":
            desk.session.command(dispatch, Command.STOP)
        else:
            await desk.session.close()
        await desk.until(lambda: dispatch not in desk.session.view.states)
        [decided] = desk.of(dispatch).decided
        assert (decided.decision, decided.by) == ("blocked", "")

    at_desk(body)


def test_two_dispatches_ask_each_for_itself() -> None:
    """And are answered in any order."""

    async def body(desk: Desk) -> None:
        first, second = await desk.session.fire(PLAN, payload(PLAN)), await desk.session.fire(PLAN, payload(PLAN))
        await desk.until(lambda: len(desk.session.view.askings) == 2)
        askings = {asking.dispatch: asking for asking in desk.session.view.askings}
        desk.session.reply(askings[second], Answer(True))
        await desk.until(lambda: second not in desk.session.view.states)
        assert [asking.dispatch for asking in desk.session.view.askings] == [first]
        desk.session.reply(askings[first], Answer(False))
        await desk.until(lambda: not desk.session.view.states)
        assert [desk.of(each).decided[0].decision for each in (first, second)] == ["blocked", "run"]

    at_desk(body)


def test_a_cancelled_dispatch_asks_nothing() -> None:
    """There is nothing left to act on."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.session.fire(PLAN, payload(PLAN), Stance.TO_NEXT_SEAM)
        await desk.until(lambda: bool(desk.session.view.holds))
        desk.session.command(dispatch, Command.STOP)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        assert not desk.session.view.askings
        [decided] = desk.of(dispatch).decided
        assert decided.decision == "blocked"

    at_desk(body)
