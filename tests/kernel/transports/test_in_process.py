"""Claims about callables as subscribers: whatever they do is an outcome, and nothing they do reaches us."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from dispatch_runs import Told, on_virtual_time

from kernel import VirtualClock
from kernel.clock import REAL, sleep
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse
from kernel.subscriber import Call
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Answered, Crashed, Empty, Failed, Outcome


class Outrage(BaseException):
    """Something that is not an Exception."""


def raises(error: BaseException) -> Callable[[bytes], bytes]:
    def callee(request: bytes) -> bytes:
        raise error

    return callee


def raises_later(error: BaseException) -> Callable[[bytes], object]:
    async def callee(request: bytes) -> bytes:
        await asyncio.sleep(0)
        raise error

    return callee


def call(act: FarSide | None = None, clock: object = REAL) -> Call:
    return Call("session-end", b"ask", None, clock, lambda stream, line: None, act)  # type: ignore[arg-type]


async def echo_later(request: bytes) -> bytes:
    await asyncio.sleep(0)
    return request


@pytest.mark.parametrize(
    ("callee", "outcome"),
    [
        (lambda request: request, Answered(b"ask")),
        (lambda request: b"", Answered(b"")),
        (lambda request: None, Empty()),
        (echo_later, Answered(b"ask")),
        (raises(ValueError("bad luck")), Failed("ValueError", "bad luck")),
        (raises(TimeoutError()), Failed("TimeoutError", "")),
        (raises(SystemExit(3)), Failed("SystemExit", "3")),
        (raises(Outrage("no")), Failed("Outrage", "no")),
        (raises(asyncio.CancelledError()), Failed("CancelledError", "")),
        (raises_later(ValueError("bad luck")), Failed("ValueError", "bad luck")),
        (raises_later(asyncio.CancelledError()), Failed("CancelledError", "")),
        (lambda request: "text", Failed("TypeError", "it answered with str, not with bytes")),
        (lambda request: bytearray(b"x"), Failed("TypeError", "it answered with bytearray, not with bytes")),
        (lambda: b"", Failed("TypeError", "takes 0 positional arguments")),
    ],
)
async def test_whatever_a_callee_does_is_an_outcome(callee: Callable[[bytes], bytes | None], outcome: Outcome) -> None:
    """Plain or async; answers, nothing, anything raised, and things that are no answers at all."""
    got = await InProcessSubscriber(callee).answer(call())
    if isinstance(got, Failed) and isinstance(outcome, Failed):
        assert got.code == outcome.code
        assert outcome.message in got.message
    else:
        assert got == outcome


async def test_a_keyboard_interrupt_is_a_persons() -> None:
    """Somebody who wants to end us may, even while a callee runs."""
    subscriber = InProcessSubscriber(raises(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        await subscriber.answer(call())


async def test_a_cancellation_by_us_passes_through() -> None:
    """A callee that is being ended is not at fault."""

    async def never(request: bytes) -> bytes:
        await asyncio.get_running_loop().create_future()
        raise AssertionError("not reached")

    asking = asyncio.ensure_future(InProcessSubscriber(never).answer(call()))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.parametrize(
    ("act", "outcome"),
    [
        (Late(5), Answered(b"ask")),
        (LateBy(5), Answered(b"ask")),
        (Die(9), Crashed("killed by signal 9")),
        (Refuse("INTERNAL", "no"), Failed("INTERNAL", "no")),
        (Alter(lambda answer: answer[::-1]), Answered(b"ksa")),
    ],
)
def test_a_callee_suffers_every_act(act: FarSide, outcome: Outcome) -> None:
    """The same trouble as anywhere else, performed around it."""

    async def body(clock: VirtualClock) -> None:
        assert await InProcessSubscriber(lambda request: request).answer(call(act, clock)) == outcome

    on_virtual_time(body)


def test_a_callee_that_hangs_is_ended_at_its_deadline() -> None:
    """Hung by a fault or by itself, it is cancelled and has timed out, also where it answers its cancellation."""

    async def body(clock: VirtualClock) -> None:
        async def stubborn(request: bytes) -> bytes:
            try:
                await sleep(clock, 3_600_000)
            except asyncio.CancelledError:
                raise RuntimeError("I will not be ended") from None
            raise AssertionError("not reached")

        told = await Told().run("A:o", {"A": InProcessSubscriber(stubborn)}, clock, timeout_ms=20)
        assert told.story[2:4] == ["A timedout", "A is timed out"]
        hanging = asyncio.ensure_future(InProcessSubscriber(stubborn).answer(call(Hang(), clock)))
        await sleep(clock, 50)
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging

    on_virtual_time(body)


def test_a_callee_that_cancels_does_not_end_the_dispatch() -> None:
    """An observer that raises CancelledError has failed, and the chain goes on."""

    async def body(clock: VirtualClock) -> None:
        subscribers = {
            "A": InProcessSubscriber(raises(asyncio.CancelledError())),
            "B": InProcessSubscriber(lambda request: b"\x0a\x00"),
        }
        told = await Told().run("A:o B:o", subscribers, clock)
        assert told.story[2:5] == ["A failed", "A is error", "A raised UNKNOWN"]
        assert told.story[-1] == "ended finished"

    on_virtual_time(body)
