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
    is_its_own: bool = False
    """Whether the subscriber itself came to it once: then what it changes is the subscriber's work, and not `by`'s."""
    payload: Payload | None = None
    """Before the call: another payload first, as if that one had been asked about."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Leave this subscriber out, as if it were not in the chain: not asked, or what it answered set aside."""

    by: str = "person"


@dataclass(frozen=True, slots=True)
class Stop:
    """End the dispatch, the way a caller that gives up would."""

    by: str = "person"


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask the same subscriber once more about the same payload, seams included; only after it has answered."""

    by: str = "person"


@dataclass(frozen=True, slots=True)
class Back:
    """Go on from an earlier walk of this dispatch: what came since is void, and nobody is called to get there.

    Calls of siblings that are under way are cancelled.
    """

    walk: Walk
    """One that a seam of this dispatch has shown; anything else is a BadInput that ends the dispatch."""
    by: str = "person"


Directive: TypeAlias = Proceed | Instead | Skip | Stop | Retry | Back
PROCEED = Proceed()


class Control(Protocol):
    """Steers dispatches. May take as long as it likes; several seams of one dispatch may be open at once."""

    async def before(self, seam: Seam) -> Directive: ...

    async def after(self, seam: Seam) -> Directive: ...
