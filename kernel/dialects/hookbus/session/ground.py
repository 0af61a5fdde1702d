"""What every part of a played session stands on: where it is told, how it emits, and when it gives up."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from types import MappingProxyType
from typing import TypeVar

from kernel.asking import Answer, Question, Resolver
from kernel.clock import Caller, Limit, sleep
from kernel.dialects.hookbus.dialect import HOOKBUS
from kernel.dialects.hookbus.payload import HookPayload
from kernel.dialects.hookbus.session.described import Described
from kernel.dialects.hookbus.session.loaded import Loaded
from kernel.facts import Decided
from kernel.playing import Course, Stage
from kernel.stretch import Stretch, Stretches
from kernel.values import Chain, Ending, Result

T = TypeVar("T")
_NO_SWITCH: Mapping[str, bool] = MappingProxyType({})


class SessionEnded(Exception):
    """The session cannot go on."""

    def __init__(self, status: str, rule: str, why: str) -> None:
        super().__init__(why)
        self.status, self.rule, self.why = status, rule, why


class Ground:
    """The stage of one session, and which extensions are loaded on it."""

    def __init__(self, stage: Stage, described: Described) -> None:
        self.stage = stage
        self.described = described
        self.stretches = Stretches(HOOKBUS.name, stage.probes, stage.clock, new_id=stage.new_id)
        self.loaded = Loaded(missing=stage.refused)
        self.session = described.session
        """Its id, which is another one after a compaction."""

    @property
    def shown_session(self) -> str | None:
        """The id as tool and message events of the foreground tell it."""
        return self.session if self.described.tells_session_id else None

    def chain(self, kind: str) -> Chain:
        """Who hooks a kind by now."""
        return self.loaded.chain(self.stage.chain(kind))

    async def emitted(
        self,
        parent: Stretch,
        event: HookPayload,
        *,
        is_of_worker: bool = False,
        switches: Mapping[str, bool] = _NO_SWITCH,
        caller: Caller | None = None,
    ) -> Result:
        """Emit, in the way of the kind. Raises SessionEnded where the caller gave up, and where a panic goes through.

        With a caller of its own, an emit that this one gives up on is a result like any other.
        """
        thrown = {**switches, "worker_view": True} if is_of_worker else switches
        course = Course(thrown, self.loaded.chain)
        result = await self.stage.fire(event.kind, event, parent.id, caller or self.stage.caller, course)
        match result.ending:
            case Ending.FINISHED:
                return result
            case Ending.CANCELLED if caller is not None:
                return result
            case Ending.CANCELLED:
                raise SessionEnded("cancelled", "HB-CANCELLED", f"{event.kind}: {result.error}")
            case Ending.ABORTED | Ending.REFUSED:
                raise SessionEnded("failed", result.rule, f"{event.kind}: {result.error}")

    async def wait(self, ms: float) -> None:
        """Let time go by, unless the caller gives up."""
        if ms > 0:
            await self.unless_cancelled(sleep(self.stage.clock, ms))

    async def unless_cancelled(self, work: Awaitable[T]) -> T:
        """Wait for something as long as the caller does."""
        with Limit(self.stage.clock, None, self.stage.caller):
            return await work
        raise self.cancelled()

    def cancelled(self) -> SessionEnded:
        return SessionEnded("cancelled", "HB-CANCELLED", f"the caller gave up: {self.stage.caller.reason}")


class AsLong:
    """Somebody to ask for as long as the caller of the session waits."""

    def __init__(self, ground: Ground, resolver: Resolver) -> None:
        self._ground = ground
        self._resolver = resolver

    async def resolve(self, question: Question) -> Answer:
        return await self._ground.unless_cancelled(self._resolver.resolve(question))


def told(stretch: Stretch, decided: Decided | None) -> None:
    """Tell a decision of the host, if there is one, as part of a stretch."""
    if decided is not None:
        stretch.decided(decided.subject, decided.decision, by=decided.by, rule=decided.rule, why=decided.why)
