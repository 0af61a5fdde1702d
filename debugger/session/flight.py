"""One dispatch under way: its clock, its state, and what lets each held step go on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from debugger.breakpoints import Compiled
from debugger.runcontrol import RunState, Stance
from kernel.clock import Caller, HeldClock
from kernel.control import Directive
from kernel.values import Answered, Payload
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Edit:
    """What stood at a hold before somebody edited it."""

    step: int
    since_ns: int
    """Tells this hold of the step from others."""
    payload: Payload | None
    answer: Answered | None


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
    walks: list[Walk] = field(default_factory=list)
    """Those that its seams have shown, the first one first: where one can go back to."""
    edits: list[Edit] = field(default_factory=list)
    """What was edited at its holds, the last one last."""
    goal: Compiled | None = None
    """Where a run is to end."""

    def keep_time(self, step: int, *, is_stopped: bool) -> None:
        """Have the clock stand still for a held step, or no longer."""
        if is_stopped and step not in self.stops:
            self.stops.add(step)
            self.clock.hold()
        elif not is_stopped and step in self.stops:
            self.stops.remove(step)
            self.clock.release()

    def came_to(self, walk: Walk) -> None:
        """Remember a walk that a seam shows."""
        if not any(each is walk for each in self.walks):
            self.walks.append(walk)

    def earlier(self, walk: Walk) -> Walk | None:
        """The walk before one; None for the first."""
        before = None
        for each in self.walks:
            if each is walk:
                return before
            before = each
        return None

    def rewound(self, walk: Walk) -> None:
        """Forget what came after a walk."""
        place = next((place for place, each in enumerate(self.walks) if each is walk), len(self.walks))
        del self.walks[place + 1 :]
