"""Trouble on the far side for subscribers that live in our own process: the same acts, performed around the callee."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import NoReturn, assert_never

from kernel.clock import NS_PER_MS, Clock, sleep
from kernel.errors import BadInput
from kernel.faults import Alter, Die, Hang, Late, LateBy, Refuse, Rewire
from kernel.subscriber import Call
from kernel.values import Answered, Crashed, Empty, Failed, Outcome


async def perform(call: Call, answer: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """Let the callee answer under the trouble that the call says."""
    match call.far_side:
        case None:
            return await answer()
        case Hang():
            return await forever()
        case Late(ms):
            return await held_back(call, await answer(), ms)
        case LateBy(ms):
            outcome = await answer()
            return await held_back(call, outcome, ms + until_deadline_ms(call.deadline_ns, call.clock))
        case Die(signal=number):
            return Crashed(f"killed by signal {number}")
        case Refuse(code, message):
            return Failed(code, message)
        case Alter(rewrite):
            match await answer():
                case Answered(body):
                    return Answered(rewrite(body))
                case Empty():
                    return Answered(rewrite(b""))
                case no_answer:
                    return no_answer  # there is nothing to alter
        case Rewire():
            raise no_frames("a subscriber in our own process")
        case never:
            assert_never(never)


async def held_back(call: Call, outcome: Outcome, ms: float) -> Outcome:
    """The outcome, so many milliseconds later; whoever made the call is told what it was if that is too late."""
    end_ns = call.clock.now_ns() + round(ms * NS_PER_MS)
    try:
        await sleep(call.clock, ms)
    except asyncio.CancelledError:
        if call.late is not None:
            call.late(outcome, max(0.0, (end_ns - call.clock.now_ns()) / NS_PER_MS))
        raise
    return outcome


def no_frames(who: str) -> BadInput:
    """Why an act on frames cannot be performed."""
    return BadInput(
        f"this fault happens to frames on a pipe, and {who} sends none",
        fix="arm it for a subscriber that runs over stdio, or arm a fault of the answer itself",
    )


def until_deadline_ms(deadline_ns: int | None, clock: Clock) -> float:
    """Milliseconds that are left; 0 where there is no deadline or none is left."""
    return 0.0 if deadline_ns is None else max(0.0, (deadline_ns - clock.now_ns()) / NS_PER_MS)


async def forever() -> NoReturn:
    """Never come back, except by cancellation."""
    await asyncio.get_running_loop().create_future()
    raise AssertionError("nobody completes that future")
