"""What a session is played on, whatever its dialect."""

from __future__ import annotations

from dispatch_runs import Told, chain, on_virtual_time, stub
from pluggable_payloads import payload

from kernel import Caller, Probes, VirtualClock
from kernel.dialects.pluggable import PLUGGABLE
from kernel.facts import Opened
from kernel.asking import Answer, Nobody, Question
from kernel.playing import fire_with
from kernel.values import Ending


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
