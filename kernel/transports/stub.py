"""A subscriber that does not exist: it answers, or fails to, as it was told. No process; the same path otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kernel.clock import sleep
from kernel.far_side import perform
from kernel.faults import FarSide
from kernel.subscriber import Call
from kernel.values import Answered, Empty, Outcome


@dataclass(frozen=True, slots=True)
class Stub:
    """What a stub does each time it is asked."""

    reply: Callable[[bytes], bytes | None]
    """From a request to an answer, both in wire form; None = comes back with nothing."""
    after_ms: float = 0.0
    """How long it takes, on the dispatch's clock."""
    trouble: FarSide | None = None
    """What goes wrong each time, unless the call brings trouble of its own."""

    async def answer(self, call: Call) -> Outcome:
        return await perform(replace(call, far_side=call.far_side or self.trouble), lambda: self._take_its_time(call))

    async def _take_its_time(self, call: Call) -> Outcome:
        if self.after_ms:
            await sleep(call.clock, self.after_ms)
        answer = self.reply(call.request)
        return Empty() if answer is None else Answered(answer)
