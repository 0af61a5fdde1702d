"""Who plays the seat of an operation in a session: its owner, whose body has further operations inside of it.

The owner decides how the operation ends, and acts as well where a guard blocks it (spec D.1 to D.4).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from kernel.dialects.rig.context import Context
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.error_view import error_from_view, error_view
from kernel.dialects.rig.errors import Denial
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.own import troubled
from kernel.dialects.rig.payload import members, read
from kernel.dialects.rig.room import room_of
from kernel.dialects.rig.session.errors import HostRaise, SessionEnded, panicked
from kernel.dialects.rig.snapshot_view import encoded
from kernel.dialects.rig.wire import Phase
from kernel.subscriber import Call as Asking
from kernel.values import JSON, Answered, Crashed
from kernel.values import Outcome as Given


@dataclass(frozen=True, slots=True)
class Inside:
    """Where in a host something happens."""

    parent: str
    """Id of the dispatch or stretch around it."""
    context: Context

    def under(self, context: Context) -> Inside:
        """The same place under another context."""
        return Inside(self.parent, context)


@dataclass(frozen=True, slots=True)
class Close:
    """How an owner closes its operation."""

    error: BaseException | None = None
    terminal: Mapping[str, JSON] = field(default_factory=lambda: MappingProxyType({}))
    """Fields of the payload that are known only now."""
    outcome: Outcome | None = None
    """Where the owner does not leave it to the classifier."""
    leaks: bool = False
    """It never calls the finish."""


@dataclass(frozen=True, slots=True)
class Block:
    """Why an operation must not happen."""

    error: BaseException
    is_denied: bool
    by: str
    """The guard."""

    @property
    def reason(self) -> str:
        """What the denial says; empty where a guard failed."""
        return self.error.reason if isinstance(self.error, Denial) else ""


Act: TypeAlias = Callable[[Inside], Awaitable[Close]]
"""What happens inside of an operation, under the context that its begins left."""
Refuse: TypeAlias = Callable[[Block, Inside], Awaitable[Close]]
"""What the owner does where a guard blocks it; only the terminal fields of what it gives count."""


async def refuse_silently(block: Block, inside: Inside) -> Close:
    """Of an operation of which nobody outside is told."""
    return Close()


class Owner:
    """Plays the seat of one operation in one dispatch."""

    def __init__(self, operation: Operation, act: Act, refuse: Refuse, ended_at: Callable[[], int]) -> None:
        self._operation = operation
        self._act = act
        self._refuse = refuse
        self._ended_at = ended_at
        self.close: Close | None = None
        """How it closed; None where somebody else played the seat."""
        self.block: Block | None = None
        self.raised: HostRaise | SessionEnded | None = None
        """What goes on out of the operation once its finishes are over."""

    async def answer(self, call: Asking) -> Given:
        return await troubled(call, lambda: self._operated(call))

    async def _operated(self, call: Asking) -> Given:
        asked = members(read(call.request))
        room = room_of(call.room, call.clock)
        inside = Inside(call.dispatch, room.context(asked.get("context")))
        try:
            if asked.get("phase") == Phase.BLOCKED:
                self.block = _block(members(asked.get("result")))
                close = await self._refuse(self.block, inside)
            else:
                close = await self._act(inside)
        except HostRaise as raised:
            self.raised, close = raised, Close(panicked(self._operation))
        except SessionEnded as ended:  # the thread of whoever waits for this is gone as well
            self.raised = ended
            return Crashed(str(ended))
        self.close = close
        return Answered(encoded(self._said(close, room.keep_error, is_blocked=asked.get("phase") == Phase.BLOCKED)))

    def _said(self, close: Close, keep: Callable[[BaseException], None], *, is_blocked: bool) -> dict[str, JSON]:
        said: dict[str, JSON] = {"ended_at": self._ended_at()}
        if close.terminal:
            said["result"] = dict(close.terminal)
        if is_blocked:
            return said
        if close.error is not None:
            keep(close.error)  # finishes are told this very object
            said["error"] = error_view(close.error)
        said["outcome"] = int(outcome_of(close.error) if close.outcome is None else close.outcome)
        return said | ({"finish": False} if close.leaks else {})


def _block(result: Mapping[str, JSON]) -> Block:
    found = error_from_view(result.get("error"), "$.result.error")
    error = found if isinstance(found, BaseException) else Exception(found)
    return Block(error, result.get("outcome") == int(Outcome.DENIED), str(result.get("by", "")))
