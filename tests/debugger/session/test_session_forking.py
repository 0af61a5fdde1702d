"""What-ifs against live subscribers, as dispatches of the session: who is asked, and that they can be held."""

from __future__ import annotations

from dispatch_runs import stub
from session_at_desk import PLAN, at_desk
from session_runs import Desk

from debugger.runcontrol import Command, Stance
from debugger.whatif.alternatives import Patient, Swapped, Without, prepared
from kernel.facts import Fork
from kernel.faults import Fault


def test_a_fork_asks_only_those_whose_question_is_new() -> None:
    """Without the transform the one before answers from the record, the one behind is asked anew."""

    async def body(desk: Desk) -> None:
        session = desk.session
        trace = desk.of(await desk.fire(Stance.TO_END))
        assert desk.asked() == "A B C"
        ready = prepared(trace, Without(1), session.setup.dialect)
        fork = await session.fork(ready)
        await desk.until(lambda: fork not in session.view.states)
        assert desk.asked() == "A B C C"
        forked = desk.of(fork)
        assert [step.subscription.name for step in forked.steps] == ["A", "C"]
        assert [[each.by for each in step.steered] for step in forked.steps] == [["what-if"], []]
        assert forked.opened.fork == Fork(trace.id, 1, "without B")
        assert forked.fork_of == trace.number
        assert forked.result is not None

    at_desk("A:o B:t C:t", body, B=stub("+x"))


def test_a_fork_can_be_held_edited_and_steered() -> None:
    """At every seam, those included that answer from the record; a person's word counts more than the record."""

    async def body(desk: Desk) -> None:
        session = desk.session
        trace = desk.of(await desk.fire(Stance.TO_END))
        fork = await session.fork(prepared(trace, Swapped(0), session.setup.dialect), Stance.TO_NEXT_SEAM)
        desk._known[fork] = []
        await desk.settled(fork)
        assert desk.places(fork) == ["before B"]
        await desk.command(fork, Command.STEP)
        assert desk.places(fork) == ["after B"]
        await desk.command(fork, Command.NEXT)
        assert desk.places(fork) == ["before A"]
        await desk.command(fork, Command.SKIP)
        await desk.until(lambda: fork not in session.view.states)
        assert desk.asked() == "A B"
        assert desk.of(fork).steps[1].steered[0].what == "skipped"

    at_desk("A:v B:v", body, point=PLAN)


def test_armed_faults_befall_only_who_is_really_asked() -> None:
    """A deadline that is another one asks live; the recorded one keeps its answer and the fault waits."""

    async def body(desk: Desk) -> None:
        session = desk.session
        trace = desk.of(await desk.fire(Stance.TO_END))
        for name in (0, 1):
            session.arm(session.setup.chains[PLAN].subscriptions[name], Fault("hang"), is_once=True)
        _, result = await session.forked(prepared(trace, Patient(1, 50), session.setup.dialect))
        assert result.decision == "deny"
        assert [next(iter(each.seats))[0] for each in session.view.armed] == ["A"]
        assert desk.asked() == "A B B"

    at_desk("A:v B:v", body, point=PLAN)
