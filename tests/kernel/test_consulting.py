"""Asking somebody outside of any chain: outcomes, deadlines and callers are those of a dispatch."""

from __future__ import annotations

import pytest
from dispatch_runs import on_virtual_time, stub

from kernel import Caller, VirtualClock
from kernel.clock import NS_PER_MS
from kernel.consulting import consult
from kernel.faults import Die, FarSide, Hang, Refuse
from kernel.subscriber import Call
from kernel.transports.stub import Stub
from kernel.values import Answered, Cancelled, Crashed, Empty, Failed, Outcome, TimedOut


@pytest.mark.parametrize(
    ("trouble", "after_ms", "outcome", "took_ms"),
    [
        (None, 0, Answered(b"said"), 0),
        (None, 99, Answered(b"said"), 99),
        (None, 150, TimedOut(100), 100),
        (Hang(), 0, TimedOut(100), 100),
        (Refuse("ABORTED", "no"), 0, Failed("ABORTED", "no"), 0),
    ],
)
def test_an_outcome_is_what_a_dispatch_would_get(
    trouble: FarSide | None, after_ms: float, outcome: Outcome, took_ms: float
) -> None:
    """The deadline counts from the asking; what comes after it is lost."""

    async def body(clock: VirtualClock) -> None:
        asked = Stub(lambda request: b"said", after_ms, trouble)
        assert await consult(asked, "p", b"", timeout_ms=100, clock=clock) == outcome
        assert clock.now_ns() == took_ms * NS_PER_MS

    on_virtual_time(body)


def test_a_dead_one_and_one_that_says_nothing() -> None:
    """Both are outcomes, too."""

    async def body(clock: VirtualClock) -> None:
        assert isinstance(
            await consult(Stub(lambda request: b"", 0, Die()), "p", b"", timeout_ms=9, clock=clock), Crashed
        )
        assert await consult(Stub(lambda request: None), "p", b"", timeout_ms=9, clock=clock) == Empty()

    on_virtual_time(body)


def test_a_caller_who_gives_up_gets_nothing_more() -> None:
    """At that moment, or before anything is asked."""

    async def body(clock: VirtualClock) -> None:
        caller = Caller()
        caller.give_up_at(clock, 10 * NS_PER_MS, "enough")
        said = await consult(stub("hang"), "p", b"", timeout_ms=100, clock=clock, caller=caller)
        assert (said, clock.now_ns()) == (Cancelled("enough"), 10 * NS_PER_MS)
        again = await consult(stub("hang"), "p", b"", timeout_ms=100, clock=clock, caller=caller)
        assert (again, clock.now_ns()) == (Cancelled("enough"), 10 * NS_PER_MS)

    on_virtual_time(body)


def test_the_call_says_where_and_until_when() -> None:
    """And hears what is printed meanwhile."""
    calls: list[Call] = []
    heard: list[tuple[str, str]] = []

    class Speaks:
        async def answer(self, call: Call) -> Outcome:
            calls.append(call)
            call.printed("stderr", "hello")
            return Answered(call.request)

    async def body(clock: VirtualClock) -> None:
        said = await consult(
            Speaks(), "context-assemble", b"ask", timeout_ms=7, clock=clock,
            printed=lambda stream, line: heard.append((stream, line)),
        )  # fmt: skip
        assert said == Answered(b"ask")

    on_virtual_time(body)
    [call] = calls
    assert (call.point, call.request, call.deadline_ns) == ("context-assemble", b"ask", 7 * NS_PER_MS)
    assert heard == [("stderr", "hello")]
