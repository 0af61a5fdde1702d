"""Deadlines of calls that come one after the other, on the real clock, without a timer for each of them."""

from __future__ import annotations

import asyncio
from types import TracebackType

from kernel.clock import REAL, Timer


class Watchdog:
    """Ends the block inside it at a deadline and says so, like `kernel.clock.Limit`; one block at a time.

    The timer of one block is left for the next, whose deadline is nearly always later: it looks who is there when it
    goes off. A timer of the loop costs more than everything else that a call does with time.
    """

    def __init__(self) -> None:
        self.expired = False
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._deadline_ns = 0
        self._timer: Timer | None = None
        self._timer_ns = 0

    @property
    def is_busy(self) -> bool:
        """Whether there is a block that it watches."""
        return self._task is not None

    def until(self, deadline_ns: int) -> Watchdog:
        """The deadline of the block that begins now."""
        assert self._task is None, "it watches one block at a time"
        self._deadline_ns = deadline_ns
        return self

    def __enter__(self) -> Watchdog:
        task = asyncio.current_task()
        assert task is not None, "a watchdog guards a task"
        self._task = task
        self._cancelling = task.cancelling()
        self.expired = False
        if self._timer is None or self._timer_ns > self._deadline_ns:
            self.close()
            self._arm()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        task, self._task = self._task, None
        if not self.expired or task is None:
            return False
        is_ours = task.uncancel() <= self._cancelling  # as in Limit: unless somebody else wants the task to end, too
        return is_ours and kind is not None and issubclass(kind, asyncio.CancelledError)

    def close(self) -> None:
        """Leave no timer behind."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        self._timer_ns = self._deadline_ns
        self._timer = REAL.call_at(self._deadline_ns, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._task is None or self.expired:
            return
        if REAL.now_ns() < self._deadline_ns:
            self._arm()
        else:
            self.expired = True
            self._task.cancel()
