"""Subscribers in our own process: Python callables, for scripts, for stubs and for teaching."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from kernel.subscriber import Call
from kernel.transports.far_side import perform
from kernel.values import Answered, Empty, Failed, Outcome

Callee: TypeAlias = Callable[[bytes], bytes | Awaitable[bytes | None] | None]
"""Takes a request in wire form and gives an answer in wire form, or nothing; plain or async.

Wire forms on both sides mean that nobody ever holds an object of somebody else's: a callee that changes what it was
given changes its own copy.
"""


class InProcessSubscriber:
    """A callable that is asked directly, on the dispatch's loop: a plain one that blocks, blocks the dispatch."""

    def __init__(self, callee: Callee) -> None:
        self._callee = callee

    async def answer(self, call: Call) -> Outcome:
        if call.far_side is None:
            return await self._call(call.request)
        return await perform(call, lambda: self._call(call.request))

    async def _call(self, request: bytes) -> Outcome:
        try:
            answer = self._callee(request)
            if inspect.isawaitable(answer):
                answer = await answer
        except (KeyboardInterrupt, GeneratorExit):
            raise  # not the callee's doing, wherever it struck
        except BaseException as error:
            # A seam built for it: the callee's trouble is an outcome, even if it wants to end the whole program.
            if isinstance(error, asyncio.CancelledError) and _is_being_ended():
                raise
            return Failed(type(error).__name__, str(error))
        if answer is None:
            return Empty()
        if not isinstance(answer, bytes):
            return Failed("TypeError", f"it answered with {type(answer).__name__}, not with bytes")
        return Answered(answer)


def _is_being_ended() -> bool:
    """Whether somebody wants the task to end that asks, as opposed to a callee that cancels by itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
