"""A dispatch driven without asking anybody: the walk against answers that are known already. Pure.

What-ifs, the order lab and the reasons for a verdict are computed with it, never told by prose alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.dialect import Dialect
from kernel.facts import Changed, Fact
from kernel.values import Ask, Chain, Outcome, Payload, Result, Skipped
from kernel.walk import Walk

Known: TypeAlias = Callable[[Ask], Outcome | None]
"""The outcome of asking, if it is known; None where somebody would have to be asked."""
Edits: TypeAlias = Callable[[Ask], Changed | None]
"""What somebody put in the place of the payload before this was asked; None where nobody did."""
MOST_ASKS = 100_000
"""Far more than any chain has: a walk that still asks then never ends."""


@dataclass(frozen=True, slots=True)
class Rerun:
    """How far a dispatch came."""

    walk: Walk
    facts: tuple[Fact, ...]
    """What the dialect said; what the loop tells of calls is not among it, since nobody was called."""
    asked: tuple[tuple[Ask, Outcome], ...]
    """In order, with what was known."""
    unknown: Ask | None = None
    """Whom it would have to ask to go on."""

    @property
    def result(self) -> Result | None:
        """Set unless it came to somebody whose answer is not known."""
        return self.walk.result


UNASKED: Final = "what-if"
"""Who leaves out somebody who is not asked, because it could change nothing."""


def known_or_void(dialect: Dialect, known: Known, ask: Ask) -> Outcome | None:
    """What is known, or where that is nothing and cannot matter, that it was left out; None where it may matter."""
    outcome = known(ask)
    if outcome is None and not dialect.counts(ask.subscription):
        return Skipped(UNASKED)
    return outcome


def rerun(dialect: Dialect, chain: Chain, payload: Payload, known: Known, edits: Edits = lambda ask: None) -> Rerun:
    """Drive a walk as far as it goes; whoever may be asked together is asked in the walk's order.

    Raises BadInput where the dialect would not begin at all.
    """
    walk, facts = dialect.open(chain, payload)
    told, asked = [*facts], list[tuple[Ask, Outcome]]()
    while walk.result is None:
        ask = walk.asks[0]
        if (edited := edits(ask)) is not None:
            walk, facts = walk.edited(ask, edited.after, edited.by)
            told += facts
            ask = walk.asks[0]
        outcome = known_or_void(dialect, known, ask)
        if outcome is None:
            return Rerun(walk, tuple(told), tuple(asked), ask)
        asked.append((ask, outcome))
        assert len(asked) < MOST_ASKS, f"{dialect.name}: this walk does not end"
        walk, facts = walk.after(ask, outcome)
        told += facts
    return Rerun(walk, tuple(told), tuple(asked))
