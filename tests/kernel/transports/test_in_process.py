"""Claims about callables as subscribers: whatever they do is an outcome, and nothing they do reaches us."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

import pytest
from dispatch_runs import Told, on_virtual_time

from kernel import VirtualClock
from kernel.clock import NS_PER_MS, REAL, Clock, sleep
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse
from kernel.subscriber import Call
from kernel.transports.callback_threads import stuck
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


async def takes_nothing() -> bytes:
    return b""


class Speechless(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no")


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
        (takes_nothing, Failed("TypeError", "takes 0 positional arguments")),
        (raises(Speechless()), Failed("Speechless", "")),
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


async def test_a_keyboard_interrupt_on_the_loop_is_a_persons() -> None:
    """Somebody who wants to end us may, even while a callee runs; in a thread it can be the callee's own alone."""

    async def interrupted(request: bytes) -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await InProcessSubscriber(interrupted).answer(call())
    outcome = await InProcessSubscriber(raises(KeyboardInterrupt())).answer(call())
    assert outcome == Failed("KeyboardInterrupt", "")


async def test_a_plain_callee_runs_off_the_loop_and_a_coroutine_function_on_it() -> None:
    """Also where an object is the callee, and where a plain one hands on something to await."""
    found: dict[str, threading.Thread] = {}

    def plain(request: bytes) -> bytes:
        found["plain"] = threading.current_thread()
        return request

    async def on_the_loop(request: bytes) -> bytes:
        found["coroutine"] = threading.current_thread()
        return request

    class Thing:
        async def __call__(self, request: bytes) -> bytes:
            found["object"] = threading.current_thread()
            return request

    def hands_on(request: bytes) -> Awaitable[bytes]:
        found["handing on"] = threading.current_thread()
        return on_the_loop(request)

    for callee in (plain, on_the_loop, Thing(), hands_on):
        assert await InProcessSubscriber(callee).answer(call()) == Answered(b"ask")
    here = threading.current_thread()
    assert {name: thread is here for name, thread in found.items()} == {
        "plain": False,
        "coroutine": True,
        "object": True,
        "handing on": False,
    }


@pytest.mark.parametrize("is_virtual", [True, False])
def test_a_plain_callee_that_blocks_is_timed_out_at_its_deadline(is_virtual: bool) -> None:
    """However long it blocks, on either clock; it is abandoned, and told of as long as it has not come back."""
    let_go = threading.Event()

    def blocks(request: bytes) -> bytes:
        let_go.wait(60)
        return b"\x0a\x00"

    async def body(clock: Clock) -> None:
        subscribers = {"A": InProcessSubscriber(blocks, "A"), "B": InProcessSubscriber(lambda request: b"\x0a\x00")}
        told = await Told().run("A:o B:o", subscribers, clock, timeout_ms=20)
        assert told.story[2:5] == ["A timedout", "A is timed out", "A raised TIMEOUT"]
        assert told.story[-1] == "ended finished"
        [left] = [each for each in stuck() if each.subscriber == "A"]
        assert left.is_abandoned

    try:
        if is_virtual:
            on_virtual_time(body)
        else:
            asyncio.run(body(REAL))
    finally:
        let_go.set()


def test_a_caller_need_not_wait_for_a_plain_callee_that_blocks() -> None:
    """Without any deadline, too."""
    let_go = threading.Event()

    async def body() -> None:
        asking = asyncio.ensure_future(InProcessSubscriber(lambda request: let_go.wait(60)).answer(call()))  # type: ignore[arg-type,return-value]
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    try:
        asyncio.run(body())
    finally:
        let_go.set()


@pytest.mark.parametrize("is_virtual", [True, False])
@pytest.mark.parametrize("then", ["answers", "raises"])
def test_a_coroutine_that_held_the_loop_up_comes_too_late(then: str, is_virtual: bool) -> None:
    """Nobody could end it at its deadline, and what it says after that counts as little as ever."""

    async def body(clock: Clock) -> None:
        async def holds_up(request: bytes) -> bytes:
            until = time.monotonic_ns() + 2 * NS_PER_MS
            while time.monotonic_ns() < until:
                pass
            if then == "raises":
                raise ValueError("too late as well")
            return b"\x0a\x00"

        told = await Told().run("A:o", {"A": InProcessSubscriber(holds_up)}, clock, timeout_ms=1)
        assert told.story[2:5] == ["A timedout", "A is timed out", "A raised TIMEOUT"]

    if is_virtual:
        on_virtual_time(body)
    else:
        asyncio.run(body(REAL))


def test_a_virtual_clock_does_not_jump_while_a_coroutine_waits_for_something_real() -> None:
    """It would jump to the deadline otherwise, however far away that is."""

    async def body(clock: VirtualClock) -> None:
        async def waits(request: bytes) -> bytes:
            await asyncio.sleep(0.002)
            return b"\x0a\x00"

        told = await Told().run("A:o", {"A": InProcessSubscriber(waits)}, clock, timeout_ms=3_600_000)
        assert told.story[2:4] == ["A answered", "A is ok"]

    on_virtual_time(body)


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
