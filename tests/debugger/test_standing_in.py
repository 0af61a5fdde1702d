"""Answers on a subscriber's behalf: what is offered at a hold, and that each would meet what it says."""

from __future__ import annotations

import pytest
from session_at_desk import PLAN, PRE, at_desk
from session_runs import Desk

from debugger.runcontrol import Command
from debugger.standing_in import answers, start_of
from kernel.values import Answered


@pytest.mark.parametrize(
    ("seats", "point", "words"),
    [
        ("A:v", PLAN, "allow, deny, no answer in time, an error of its own, its process dies"),
        ("A:o", PRE, "ack, no answer in time, an error of its own, its process dies"),
        ("A:t", PRE, "same, no answer in time, an error of its own, its process dies"),
    ],
)
@pytest.mark.parametrize("is_asked", [True, False])
def test_every_answer_comes_to_what_it_says(seats: str, point: str, words: str, is_asked: bool) -> None:
    """Rule and sentence are those that then apply, before the call and after it."""

    async def body(desk: Desk) -> None:
        dialect = desk.session.setup.dialect
        count = len(words.split(", "))
        for number in range(count):
            dispatch = await desk.fire()
            if is_asked:
                await desk.command(dispatch, Command.STEP)
            [hold] = desk.session.view.holds
            offered = answers(hold, dialect)
            assert ", ".join(each.words for each in offered) == words
            assert isinstance(start_of(hold, dialect), Answered)
            desk.session.answer(dispatch, 0, offered[number].outcome)
            await desk.until(lambda dispatch=dispatch: dispatch not in desk.session.view.states)  # type: ignore[misc]
            verdict = desk.of(dispatch).step(0).verdict
            assert verdict is not None
            assert offered[number].meets.startswith(f"{verdict.rule}: {verdict.why}")

    at_desk(seats, body, point=point)
