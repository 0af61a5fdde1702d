"""Claims about trouble performed in our own process: each act really happens around the callee, on the call's clock."""

from __future__ import annotations

import asyncio

import pytest
from dispatch_runs import on_virtual_time

from kernel import VirtualClock
from kernel.clock import NS_PER_MS, Caller, Limit, sleep
from kernel.far_side import forever, perform, until_deadline_ms
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse
from kernel.subscriber import Call
from kernel.values import Answered, Crashed, Empty, Failed, Outcome

TAKES_MS = 10
DEADLINE_MS = 100


def reverse(answer: bytes) -> bytes:
    return answer[::-1]


@pytest.mark.parametrize(
    ("act", "callee_says", "outcome", "at_ms", "was_asked"),
    [
        (None, Answered(b"ab"), Answered(b"ab"), 10, True),
        (None, Empty(), Empty(), 10, True),
        (Late(25), Answered(b"ab"), Answered(b"ab"), 35, True),
        (Late(25), Failed("X", "x"), Failed("X", "x"), 35, True),
        (Late(500), Answered(b"ab"), Answered(b"ab"), 510, True),
        (LateBy(5), Answered(b"ab"), Answered(b"ab"), 105, True),
        (LateBy(0), Empty(), Empty(), 100, True),
        (Die(15), Answered(b"ab"), Crashed("killed by signal 15"), 0, False),
        (Refuse("ABORTED", "no"), Answered(b"ab"), Failed("ABORTED", "no"), 0, False),
        (Alter(reverse), Answered(b"ab"), Answered(b"ba"), 10, True),
        (Alter(lambda answer: answer + b"!"), Empty(), Answered(b"!"), 10, True),
        (Alter(reverse), Failed("X", "x"), Failed("X", "x"), 10, True),
        (Alter(reverse), Crashed("gone"), Crashed("gone"), 10, True),
    ],
)
def test_each_act_does_what_it_says(
    act: FarSide | None, callee_says: Outcome, outcome: Outcome, at_ms: float, was_asked: bool
) -> None:
    """What comes back, when, and whether the callee was asked at all; it takes 10 ms, the deadline is at 100 ms."""

    async def body(clock: VirtualClock) -> None:
        asked = []

        async def callee() -> Outcome:
            asked.append(clock.now_ns())
            await sleep(clock, TAKES_MS)
            return callee_says

        call = Call("session-end", b"", DEADLINE_MS * NS_PER_MS, clock, lambda stream, line: None, act)
        assert await perform(call, callee) == outcome
        assert clock.now_ns() == at_ms * NS_PER_MS
        assert bool(asked) is was_asked

    on_virtual_time(body)


def test_hanging_takes_the_request_and_never_comes_back() -> None:
    """Only cancellation ends it."""

    async def body(clock: VirtualClock) -> None:
        async def callee() -> Outcome:
            raise AssertionError("a hanging subscriber answers nothing")

        call = Call("session-end", b"", None, clock, lambda stream, line: None, Hang())
        hanging = asyncio.ensure_future(perform(call, callee))
        await sleep(clock, 3_600_000)
        assert not hanging.done()
        hanging.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hanging

    on_virtual_time(body)


@pytest.mark.parametrize(
    ("deadline_ms", "at_ms", "left_ms"), [(None, 0, 0), (50, 0, 50), (50, 20, 30), (50, 50, 0), (50, 80, 0)]
)
def test_what_is_left_until_the_deadline_is_never_negative(
    deadline_ms: int | None, at_ms: float, left_ms: float
) -> None:
    """Without a deadline nothing is left, so a late answer is late by its own milliseconds."""

    async def body(clock: VirtualClock) -> None:
        await sleep(clock, at_ms)
        assert until_deadline_ms(None if deadline_ms is None else deadline_ms * NS_PER_MS, clock) == left_ms

    on_virtual_time(body)


async def test_for_ever_ends_by_cancellation() -> None:
    """It holds nothing that keeps a loop from closing."""
    waiting = asyncio.ensure_future(forever())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@pytest.mark.parametrize(("act", "in_ms"), [(Late(500), 410.0), (LateBy(5), 5.0)])
def test_what_is_held_back_too_long_is_told_to_whoever_asked(act: FarSide, in_ms: float) -> None:
    """The deadline is at 100 ms: what would have come, and how much later."""
    told: list[tuple[Outcome, float]] = []

    async def body(clock: VirtualClock) -> None:
        async def callee() -> Outcome:
            await sleep(clock, TAKES_MS)
            return Answered(b"ab")

        def late(outcome: Outcome, in_ms: float = 0.0) -> None:
            told.append((outcome, in_ms))

        deadline_ns = DEADLINE_MS * NS_PER_MS
        call = Call("session-end", b"", deadline_ns, clock, lambda stream, line: None, act, late=late)
        with Limit(clock, deadline_ns, Caller()) as limit:
            await perform(call, callee)
        assert limit.expired

    on_virtual_time(body)
    assert told == [(Answered(b"ab"), in_ms)]
