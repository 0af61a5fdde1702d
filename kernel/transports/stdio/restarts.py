"""How often an extension was started again, and what its host makes of that (spec 4.7). Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

MOST: Final = 3
"""Attempts in a row. One more, and there is no attempt."""
FIRST_DELAY_MS: Final = 250
LONGEST_DELAY_MS: Final = 5000


class State(StrEnum):
    """How an extension is, in its host's words."""

    RUNNING = "running"
    """Never started again."""
    RESTARTING = "restarting"
    """Was started again, and now there is no process."""
    DEGRADED = "degraded"
    """Was started again, and there is one."""
    FAILED = "failed"
    """Too many attempts in a row. A call that is answered all the same mends it."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """The two counters."""

    in_a_row: int = 0
    """Since the last call that was answered with a result."""
    ever: int = 0

    def one_more(self) -> Restarts:
        """Another attempt, whatever comes of it."""
        return Restarts(self.in_a_row + 1, self.ever + 1)

    def answered(self) -> Restarts:
        """A call was answered with a result. That a process came up and shook hands is not enough."""
        return replace(self, in_a_row=0)

    @property
    def is_spent(self) -> bool:
        """Whether this attempt is one too many."""
        return self.in_a_row > MOST

    @property
    def delay_ms(self) -> int:
        """How long to wait before this attempt."""
        return int(min(FIRST_DELAY_MS * 2 ** min(self.in_a_row - 1, 30), LONGEST_DELAY_MS))

    def state(self, has_process: bool) -> State:
        """The health that these counters come to."""
        if self.ever == 0:
            return State.RUNNING
        if self.in_a_row >= MOST:
            return State.FAILED
        return State.DEGRADED if has_process else State.RESTARTING
