"""The one seam for steering: asked before a subscriber is called and after it has answered, says how to go on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kernel.faults import Fault
from kernel.values import Ask, Outcome, Payload
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Seam:
    """A place between two movements of a dispatch."""

    dispatch: str
    walk: Walk
    ask: Ask
    outcome: Outcome | None = None
    """None before the subscriber is called."""


@dataclass(frozen=True, slots=True)
class Proceed:
    """Go on as the dialect wants. Before the call perhaps with another payload, or with trouble on the far side."""

    payload: Payload | None = None
    fault: Fault | None = None
    by: str = "person"
    """Who wants it, for the record."""


@dataclass(frozen=True, slots=True)
class Instead:
    """Take this outcome: before the call the subscriber is not called, after it its own is set aside."""

    outcome: Outcome
    by: str = "person"


@dataclass(frozen=True, slots=True)
class Skip:
    """Leave this subscriber out, as if it were not in the chain: not asked, or what it answered set aside."""

    by: str = "person"


@dataclass(frozen=True, slots=True)
class Stop:
    """End the dispatch, the way a caller that gives up would."""

    by: str = "person"


Directive: TypeAlias = Proceed | Instead | Skip | Stop
PROCEED = Proceed()


class Control(Protocol):
    """Steers dispatches. May take as long as it likes; several seams of one dispatch may be open at once."""

    async def before(self, seam: Seam) -> Directive: ...

    async def after(self, seam: Seam) -> Directive: ...
