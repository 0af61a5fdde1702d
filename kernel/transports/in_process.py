"""Subscribers in our own process: Python callables, for scripts, for stubs and for teaching.

A plain callable runs in a thread, so that it may block for as long as it likes: its deadline passes all the same. A
coroutine function runs on the dispatch's loop and costs next to nothing; while it blocks instead of awaiting, nothing
of ours goes on, and what it answers after its deadline has come too late.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from kernel.clock import NS_PER_MS, REAL
from kernel.far_side import perform
from kernel.subscriber import Call
from kernel.transports.callback_threads import in_thread, said
from kernel.values import Answered, Empty, Failed, Outcome, TimedOut

Callee: TypeAlias = Callable[[bytes], bytes | Awaitable[bytes | None] | None]
"""Takes a request in wire form and gives an answer in wire form, or nothing; plain or async.

Wire forms on both sides mean that nobody ever holds an object of somebody else's: a callee that changes what it was
given changes its own copy.
"""


class InProcessSubscriber:
    """A callable that is asked in our own process: in a thread, or on the loop if it is a coroutine function.

    `name` is what it is called where it does not come back; its own name if nothing is said.
    """

    def __init__(self, callee: Callee, name: str = "") -> None:
        self._callee = callee
        self._name = name or str(getattr(callee, "__qualname__", type(callee).__name__))
        self._stays = _is_async(callee)

    async def answer(self, call: Call) -> Outcome:
        if call.far_side is not None:
            return await perform(call, lambda: self._at_its_own_pace(call))
        if not self._stays or call.clock is not REAL:
            return await self._at_its_own_pace(call)
        outcome = await _heard(self._callee, call.request)
        return _in_time(call, outcome)

    async def _at_its_own_pace(self, call: Call) -> Outcome:
        with call.clock.outside():  # it keeps real time: a virtual clock must not jump over what it does
            outcome = await (_heard(self._callee, call.request) if self._stays else self._in_a_thread(call))
        return _in_time(call, outcome)

    async def _in_a_thread(self, call: Call) -> Outcome:
        def ask() -> object:
            try:
                return self._callee(call.request)
            except BaseException as error:  # noqa: BLE001  # a seam built for it; and no thread of ours is a person's
                return _Raised(error)

        answer = await in_thread(self._name, call.phase, call.dispatch, ask, call.printed)
        if isinstance(answer, _Raised):
            return Failed(type(answer.error).__name__, said(answer.error))
        return await _heard(lambda request: answer, b"") if inspect.isawaitable(answer) else _outcome(answer)


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a callee raised, on its way out of the thread."""

    error: BaseException


def _in_time(call: Call, outcome: Outcome) -> Outcome:
    """The outcome, unless its callee held the loop up beyond its deadline, so that nobody could end it in time."""
    if call.deadline_ns is None or (late_ns := call.clock.now_ns() - call.deadline_ns) <= 0:
        return outcome
    return TimedOut(late_ns / NS_PER_MS)


async def _heard(callee: Callable[[bytes], object], request: bytes) -> Outcome:
    """What comes of calling here what gives something to await."""
    try:
        answer = await callee(request)  # type: ignore[misc]  # it was looked at
    except (KeyboardInterrupt, GeneratorExit):
        raise  # not the callee's doing, wherever it struck
    except BaseException as error:
        # A seam built for it: the callee's trouble is an outcome, even if it wants to end the whole program.
        if isinstance(error, asyncio.CancelledError) and _is_being_ended():
            raise
        return Failed(type(error).__name__, said(error))
    return _outcome(answer)


def _outcome(answer: object) -> Outcome:
    if answer is None:
        return Empty()
    if not isinstance(answer, bytes):
        return Failed("TypeError", f"it answered with {type(answer).__name__}, not with bytes")
    return Answered(answer)


def _is_async(callee: Callee) -> bool:
    return inspect.iscoroutinefunction(callee) or inspect.iscoroutinefunction(type(callee).__call__)


def _is_being_ended() -> bool:
    """Whether somebody wants the task to end that asks, as opposed to a callee that cancels by itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
