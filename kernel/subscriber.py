"""What a transport offers to the dispatch loop: somebody who can be asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from kernel.clock import Clock
from kernel.faults import FarSide
from kernel.values import Outcome


class CameLate(Protocol):
    """Takes an outcome that comes when its call is over, perhaps long after the dispatch that it belonged to."""

    def __call__(self, outcome: Outcome, in_ms: float = 0.0) -> None:
        """`in_ms` is how long it would still have taken, where somebody who held it back is ended early."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    """One asking, in the words of a transport."""

    point: str
    request: bytes
    deadline_ns: int | None
    """On `clock`; None = none."""
    clock: Clock
    printed: Callable[[str, str], None]
    """To be told (stream, line) of what the subscriber prints during the call."""
    far_side: FarSide | None = None
    """Trouble to make on the far side, if any."""
    phase: str = ""
    """What is asked for, in dialects that ask one subscriber more than one thing."""
    dispatch: str = ""
    """Id of the dispatch; what happens because of this call names it as parent."""
    seat: str = ""
    """Id of the subscription, where subscribers of one name are told apart by it."""
    late: CameLate | None = None
    """To be told what came, or would have, after nobody waited any more; None where nobody wants to know."""
    room: dict[str, object] = field(default_factory=dict)
    """One for each dispatch: what subscribers in our own process keep for one another while it lasts."""


class Subscriber(Protocol):
    """Somebody who can be asked, however far away.

    One that ends calls without a fault on the real clock at their deadline by itself, with TimedOut, may say so by an
    attribute `keeps_deadlines = True`: the loop then spares its own timer. One that declared which tools it has says
    their names by `tools: Collection[str]`; whoever has no such attribute can be asked for any.
    """

    async def answer(self, call: Call) -> Outcome:
        """Ask, and turn everything that goes wrong over there into an outcome.

        The loop ends this with cancellation at the deadline; it need not watch the clock itself.
        """
        ...
