"""What an edit would meet is told before it is taken, and is what then happens."""

from __future__ import annotations

import pytest
from dispatch_runs import stub
from pluggable_answers import ACK, ALLOW, DENY
from pluggable_payloads import VIEWS
from session_at_desk import PLAN, PRE, at_desk, edited_view
from session_runs import Desk

from debugger.runcontrol import Command
from debugger.session.legality import of_answer, of_payload
from kernel.errors import BadInput
from kernel.values import Answered


@pytest.mark.parametrize(
    ("body", "is_fine"), [(ALLOW, True), (DENY, True), (ACK, False), (b"", False), (b"\xff", False)]
)
def test_the_rule_that_an_answer_would_meet_is_the_one_that_applies(body: bytes, is_fine: bool) -> None:
    """With every error that is then raised, word for word."""

    async def at(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.command(dispatch, Command.STEP)
        [hold] = desk.session.view.holds
        told = of_answer(hold, Answered(body))
        assert told is not None
        assert told.is_fine is is_fine
        desk.session.answer(dispatch, 0, Answered(body))
        await desk.until(lambda: dispatch not in desk.session.view.states)
        step = desk.of(dispatch).step(0)
        assert (step.verdict, step.raised) == (told.verdict, told.raised)
        assert str(told).startswith(f"{told.verdict.rule}: ")
        assert all(each.category in str(told) for each in told.raised)

    at_desk("A:v", at, point=PLAN)


def test_a_payload_that_the_subscriber_itself_could_not_have_given_is_said() -> None:
    """A person may put it there all the same; what the seat may change is nothing to tell of."""

    async def at(desk: Desk) -> None:
        dispatch = await desk.fire()
        dialect = desk.session.setup.dialect
        [hold] = desk.session.view.holds
        view = VIEWS[PRE]
        assert isinstance(view, dict)
        fine = dialect.payload_from_view(PRE, edited_view())
        assert of_payload(hold, dialect, fine) is None
        other = {**view, "model": {"provider": "another", "id": "x"}}
        told = of_payload(hold, dialect, dialect.payload_from_view(PRE, other))
        assert told is not None
        assert told.raised
        assert "model" in str(told)
        with pytest.raises(BadInput):
            of_payload(hold, dialect, dialect.payload_from_view(PLAN, VIEWS[PLAN]))
        await desk.command(dispatch, Command.FINISH)

    at_desk("A:t", at, A=stub("same"))


def test_an_observer_could_never_have_given_any() -> None:
    """So there is no rule to name."""

    async def at(desk: Desk) -> None:
        dispatch = await desk.fire()
        dialect = desk.session.setup.dialect
        [hold] = desk.session.view.holds
        assert of_payload(hold, dialect, dialect.payload_from_view(PRE, edited_view())) is None
        await desk.command(dispatch, Command.FINISH)

    at_desk("A:o", at)
