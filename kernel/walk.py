"""The walk: one dispatch in progress, as an immutable value. Everything that runs a dispatch drives one of these.

Several dialects, one protocol. One asks a subscriber after another, or a run of observers together; one emits in order,
all at once, or a sequence per handler; one asks begins, guards, the operation itself and finishes in reverse. They
differ in what their walks hold, not in who drives them.
"""

from __future__ import annotations

from typing import Protocol

from kernel.facts import Fact
from kernel.values import Ask, Outcome, Payload, Result


class Walk(Protocol):
    """Where one dispatch stands. Pure: no clock, no I/O, no randomness."""

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Whom to ask now. Several may be asked together; empty exactly when the walk is over.

        An ask keeps its `step` from one walk to the next until it has been resolved by `after`.
        """
        ...

    @property
    def payload(self) -> Payload:
        """What the chain is about at this moment."""
        ...

    @property
    def result(self) -> Result | None:
        """What the caller gets; set once the walk is over."""
        ...

    def after(self, ask: Ask, outcome: Outcome) -> tuple[Walk, tuple[Fact, ...]]:
        """The walk one step on, and what the dialect says about it."""
        ...

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[Walk, tuple[Fact, ...]]:
        """The walk with another payload from `ask` on, put there by whoever steers.

        Raises BadInput when the payload could not have been at this place at all.
        """
        ...
