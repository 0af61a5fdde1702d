"""Subscribers in our own process: Python callables, for scripts, for stubs and for teaching."""

from __future__ import annotations

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
        except Exception as error:  # noqa: BLE001  # a seam built for it: the callee's trouble is an outcome
            return Failed(type(error).__name__, str(error))
        return Empty() if answer is None else Answered(answer)
