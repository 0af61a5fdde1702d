"""What a session is played on, whatever its dialect."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dispatch_runs import Told, chain, on_virtual_time, stub
from pluggable_payloads import payload

from kernel import Caller, Probes, VirtualClock
from kernel.asking import Answer, Nobody, Question
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Opened
from kernel.playing import USUAL, Course, Stage, fire_with
from kernel.values import Ending, Payload, Result


def test_dispatches_name_the_stretch_they_happen_in() -> None:
    """A point without a chain is dispatched too: to nobody, with the dialect's own result."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        chains = {"plan-ready": chain("plan-ready", "A:v")}
        fire = fire_with(PLUGGABLE, chains, {"A": stub("deny")}, probes=Probes(told), clock=clock)
        denied = await fire("plan-ready", payload("plan-ready"), "here", Caller())
        assert (denied.decision, denied.decided_by) == ("deny", "A")
        assert [fact.parent for fact in told.facts if isinstance(fact, Opened)] == ["here"]
        empty = await fire("session-end", payload("session-end"), "here", Caller())
        assert (empty.ending, empty.rule) == (Ending.FINISHED, "PL-CHAIN-EMPTY")

    on_virtual_time(body)


def test_a_caller_of_several_dispatches_gives_up_on_all_of_them() -> None:
    """Whoever gave up once is not asked for the next one either."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        fire = fire_with(
            PLUGGABLE, {"plan-ready": chain("plan-ready", "A:v")}, {"A": stub("hang")}, probes=Probes(), clock=clock
        )
        clock.call_at(1_000, lambda: caller.cancel("enough"))
        for _ in range(2):
            result = await fire("plan-ready", payload("plan-ready"), "", caller)
            assert result.ending is Ending.CANCELLED

    on_virtual_time(body)


async def test_nobody_says_no() -> None:
    """A question that nobody can answer is a no, and says so."""
    assert await Nobody().resolve(Question("s", "fs.write", {}, "policy:default")) == Answer(allows=False, by="nobody")


def test_a_course_is_for_one_dispatch_only() -> None:
    """Other switches and seats than the configuration's; the switches are told, so that a record can be replayed."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        chains = {"session-end": chain("session-end", "A:o B:o")}
        live = {"A": stub("ack", 10), "B": stub("ack", 10)}
        fire = fire_with(PLUGGABLE, chains, live, probes=Probes(told), clock=clock)
        given = payload("session-end")
        await fire("session-end", given, "here", Caller())
        assert clock.now_ns() == 20_000_000
        together = Course({"concurrent_observe": True})
        await fire("session-end", given, "here", Caller(), together)
        assert clock.now_ns() == 30_000_000
        alone = Course(seats=lambda chain: replace(chain, subscriptions=chain.subscriptions[1:]))
        await fire("session-end", given, "here", Caller(), alone)
        opened = [fact for fact in told.facts if isinstance(fact, Opened)]
        assert [dict(each.switches) for each in opened] == [{}, {"concurrent_observe": True}, {}]
        assert [len(each.chain.subscriptions) for each in opened] == [2, 2, 1]

    on_virtual_time(body)


async def test_a_stage_may_have_nobody() -> None:
    """Nobody to bring is our mistake; nobody to load has no process."""

    async def fire(point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL) -> Result:
        raise AssertionError("nothing is fired")

    stage = Stage(fire)
    assert await stage.load("A", is_wanted=True) == ""
    with pytest.raises(KeyError, match="no live subscriber for 'A'"):
        await stage.bring("A")
