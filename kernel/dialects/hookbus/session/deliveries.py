"""Notifications of a played session: tasks that nobody waits for, at most so many at once (spec 2.10)."""

from __future__ import annotations

import asyncio
from collections import Counter

from kernel.dialects.hookbus.bus import MOST_IN_FLIGHT
from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.payload import Delivery
from kernel.dialects.hookbus.rules import RULES
from kernel.dialects.hookbus.session.described import Notice, built
from kernel.dialects.hookbus.session.ground import Ground, SessionEnded
from kernel.stretch import Stretch


class Deliveries:
    """Those of one session, which waits for them at its very end, so that nothing of it is told later."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._tasks: set[asyncio.Task[None]] = set()
        self.counts: Counter[str] = Counter()

    def start(self, parent: Stretch, notice: Notice) -> None:
        """Start the deliveries of a notice, or drop them; comes back at once."""
        for _ in range(notice.times):
            if not KINDS[notice.kind].is_notification:
                self._dropped(parent, notice.kind, "HB-NOTIFY-KIND")
            elif not self._ground.chain(notice.kind).subscriptions:
                self._dropped(parent, notice.kind, "HB-NOTIFY-NOBODY")
            elif len(self._tasks) >= MOST_IN_FLIGHT:
                self._dropped(parent, notice.kind, "HB-NOTIFY-FULL")
            else:
                self.counts["deliveries"] += 1
                task = asyncio.create_task(self._deliver(parent, notice), name=f"delivery of {notice.kind}")
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    async def drained(self) -> None:
        """Come back once none is under way any more; raises what went wrong on our side in one of them."""
        while self._tasks:
            done, _ = await asyncio.wait(tuple(self._tasks))
            for task in done:
                task.result()

    async def close(self) -> None:
        """End those that are under way."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _dropped(self, parent: Stretch, kind: str, rule: str) -> None:
        self.counts["dropped"] += 1
        with self._ground.stretches.entered("delivery", kind, parent) as stretch:
            stretch.decided(kind, "dropped", by="bus", rule=rule, why=RULES[rule].text)

    async def _deliver(self, parent: Stretch, notice: Notice) -> None:
        with self._ground.stretches.entered("delivery", notice.kind, parent) as stretch:
            try:
                await self._ground.wait(notice.takes_ms)
                if notice.error:
                    stretch.fail(notice.error)
                    return
                events = built(notice)
                is_single = len(events) == 1 and events[0].kind == notice.kind
                stretch.note({"events": len(events)})
                await self._ground.emitted(stretch, events[0] if is_single else Delivery(notice.kind, events))
            except SessionEnded as ended:  # the session hears of it elsewhere, and waits for us no longer
                stretch.fail(ended.why)
