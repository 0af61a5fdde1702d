"""What every part of a played session stands on: where it is told, how it dispatches, and when it gives up."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from kernel.clock import Limit, sleep
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.payload import from_view
from kernel.dialects.pluggable.session.stops import Status, Stop
from kernel.playing import Stage
from kernel.stretch import Stretch, Stretches
from kernel.values import JSON, Ending, Result

T = TypeVar("T")


class SessionEnded(Exception):
    """The session cannot go on."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.why)
        self.stop = stop


class Ground:
    """The stage of one session, and which of its turns it is in."""

    def __init__(self, stage: Stage, session: str, working_directory: str, parent: str = "") -> None:
        self.stage = stage
        self.session = session
        self.working_directory = working_directory
        self.parent = parent
        """Id of the session around it, if any."""
        self.stretches = Stretches(PLUGGABLE.name, stage.probes, stage.clock, new_id=stage.new_id)
        self.turn_id = ""

    @property
    def call_context(self) -> dict[str, JSON]:
        """Where a call of a tool happens, as tools and hooks are told."""
        return {"session_id": self.session, "turn_id": self.turn_id, "working_directory": self.working_directory}

    async def fired(self, stretch: Stretch, point: str, view: JSON) -> Result:
        """Dispatch within a turn, where an end without a verdict ends the session."""
        result = await self.stage.fire(point, from_view(point, view), stretch.id, self.stage.caller)
        match result.ending:
            case Ending.FINISHED:
                self.go_on()
                return result
            case Ending.CANCELLED:
                raise SessionEnded(Stop(Status.CANCELLED, "", "PL-STOP-CANCELLED", f"{point}: {result.error}"))
            case Ending.ABORTED | Ending.REFUSED:
                raise SessionEnded(Stop(Status.FAILED, "", "PL-TURN-ABORTED", f"{point}: {result.error}"))

    async def pass_time(self, ms: float) -> None:
        """Let time go by, unless the caller gives up."""
        if ms > 0:
            await self.unless_cancelled(sleep(self.stage.clock, ms))

    async def wait(self, ms: float) -> None:
        """Let time go by, or less of it where the caller gives up: `is_left` says so."""
        with Limit(self.stage.clock, None, self.stage.caller):
            await sleep(self.stage.clock, ms)

    async def unless_cancelled(self, work: Awaitable[T]) -> T:
        """Wait for something as long as the caller does."""
        with Limit(self.stage.clock, None, self.stage.caller) as limit:
            found = await work
        if limit.given_up:
            raise self.cancelled()
        return found

    @property
    def is_left(self) -> bool:
        """Whether the caller gave up."""
        self.stage.caller.look()
        return self.stage.caller.reason is not None

    def go_on(self) -> None:
        """Unless the caller gave up."""
        if self.is_left:
            raise self.cancelled()

    def cancelled(self) -> SessionEnded:
        why = f"the caller gave up: {self.stage.caller.reason}"
        return SessionEnded(Stop(Status.CANCELLED, "", "PL-STOP-CANCELLED", why))
