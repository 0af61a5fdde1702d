"""The operation itself, where nobody else plays it: it ends as its payload says, or as its context makes it."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kernel.clock import sleep
from kernel.dialects.rig.context import Canceled, DeadlineExceeded
from kernel.dialects.rig.error_view import error_view
from kernel.dialects.rig.payload import members, read
from kernel.dialects.rig.snapshot_view import encoded
from kernel.dialects.rig.words import operation_answer
from kernel.far_side import perform
from kernel.faults import Late
from kernel.subscriber import Call
from kernel.values import JSON, Answered, Outcome


@dataclass(frozen=True, slots=True)
class OperationItself:
    """Plays the seat of the operation."""

    wall_ns: Callable[[], int] = time.time_ns

    async def answer(self, call: Call) -> Outcome:
        """What the question's `body` says in words. Without any, it completes unless its context is cancelled."""
        return await troubled(call, lambda: self._ended(call))

    async def _ended(self, call: Call) -> Outcome:
        asked = members(read(call.request))
        words = asked.get("body")
        ended = members(asked.get("context")).get("cancelled")
        said = _ended_by(str(ended)) if words is None and ended else operation_answer(words)
        return Answered(encoded({"ended_at": self.wall_ns(), **said}))


async def troubled(call: Call, operate: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """An operation under the trouble that its call says. One that is delayed begins later, and so ends later."""
    match call.far_side:
        case Late(ms):
            await sleep(call.clock, ms)
            return await operate()
        case _:
            return await perform(call, operate)


def _ended_by(ended: str) -> dict[str, JSON]:
    """An operation that ends with the error of its context (spec D.4)."""
    error = DeadlineExceeded() if ended == str(DeadlineExceeded()) else Canceled(ended)
    return {"error": dict(error_view(error))}
