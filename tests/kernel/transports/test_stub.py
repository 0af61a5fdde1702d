"""Claims about subscribers that do not exist."""

from __future__ import annotations

import asyncio

import pytest
from dispatch_runs import on_virtual_time

from kernel import VirtualClock
from kernel.clock import NS_PER_MS, sleep
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse
from kernel.subscriber import Call
from kernel.transports.stub import Stub
from kernel.values import Answered, Crashed, Empty, Failed, Outcome


def echo(request: bytes) -> bytes:
    return request


def call(clock: VirtualClock, act: FarSide | None = None) -> Call:
    return Call("session-end", b"ask", 100 * NS_PER_MS, clock, lambda stream, line: None, act)


@pytest.mark.parametrize(
    ("stub", "brings", "outcome", "at_ms"),
    [
        (Stub(echo), None, Answered(b"ask"), 0),
        (Stub(echo, 30), None, Answered(b"ask"), 30),
        (Stub(lambda request: None), None, Empty(), 0),
        (Stub(lambda request: None, 30), None, Empty(), 30),
        (Stub(echo, 30, Late(5)), None, Answered(b"ask"), 35),
        (Stub(echo, 30, LateBy(5)), None, Answered(b"ask"), 105),
        (Stub(echo, 30, Die()), None, Crashed("killed by signal 9"), 0),
        (Stub(echo, 30, Refuse("ABORTED")), None, Failed("ABORTED", ""), 0),
        (Stub(echo, 30, Alter(lambda answer: b"!")), None, Answered(b"!"), 30),
        (Stub(echo, 30), Late(7), Answered(b"ask"), 37),
        (Stub(echo, 0, Hang()), Refuse("INTERNAL", "no"), Failed("INTERNAL", "no"), 0),
    ],
)
def test_a_stub_answers_or_fails_as_it_was_told(
    stub: Stub, brings: FarSide | None, outcome: Outcome, at_ms: float
) -> None:
    """Each act, its own or brought by the call, which goes first; times are exact."""

    async def body(clock: VirtualClock) -> None:
        assert await stub.answer(call(clock, brings)) == outcome
        assert clock.now_ns() == at_ms * NS_PER_MS

    on_virtual_time(body)


def test_a_hanging_stub_never_answers() -> None:
    """It is there until it is cancelled."""

    async def body(clock: VirtualClock) -> None:
        hanging = asyncio.ensure_future(Stub(echo, 0, Hang()).answer(call(clock)))
        await sleep(clock, 3_600_000)
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging

    on_virtual_time(body)


def test_a_stub_serves_several_calls_at_once() -> None:
    """It keeps nothing between calls."""

    async def body(clock: VirtualClock) -> None:
        stub = Stub(echo, 20)
        assert await asyncio.gather(*(stub.answer(call(clock)) for _ in range(5))) == [Answered(b"ask")] * 5
        assert clock.now_ns() == 20 * NS_PER_MS

    on_virtual_time(body)
