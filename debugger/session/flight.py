"""One dispatch under way: its clock, its state, and what lets each held step go on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from debugger.runcontrol import RunState, Stance
from kernel.clock import Caller, HeldClock
from kernel.control import Directive


@dataclass(slots=True)
class Flight:
    """A dispatch under way. Only the session's own parts change it, on the kernel's loop."""

    clock: HeldClock
    caller: Caller
    stance: Stance
    state: RunState = RunState.RUNNING
    releases: dict[int, asyncio.Future[Directive]] = field(default_factory=dict)
    """What lets each held step go on."""
    stops: set[int] = field(default_factory=set)
    """Held steps for which the clock stands still."""

    def keep_time(self, step: int, *, is_stopped: bool) -> None:
        """Have the clock stand still for a held step, or no longer."""
        if is_stopped and step not in self.stops:
            self.stops.add(step)
            self.clock.hold()
        elif not is_stopped and step in self.stops:
            self.stops.remove(step)
            self.clock.release()
