"""How many of the last dispatches a filter, or a breakpoint with it, would have hit: to be told while it is typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from debugger.filters.compiled import Predicate
from debugger.trace import DispatchTrace


@dataclass(frozen=True, slots=True)
class Hits:
    """What would have been hit."""

    dispatches: int
    of: int
    """So many dispatches were looked at."""
    steps: int = 0
    """Steps that were hit, where steps were looked at."""
    unknown: int = 0
    """Dispatches of which it is not known, most of them still under way."""

    def __str__(self) -> str:
        if self.of == 0:
            return "nothing to try it on yet"
        text = f"would have hit {self.dispatches} of the last {self.of}"
        if self.steps > self.dispatches:
            text += f", {self.steps} steps"
        return f"{text}, {self.unknown} not known" if self.unknown else text


def hits(predicate: Predicate, dispatches: Sequence[DispatchTrace], *, most: int = 200, of_steps: bool = False) -> Hits:
    """What it hits of the last `most` dispatches, given oldest first; with `of_steps` as a breakpoint at each step."""
    hit = steps = unknown = 0
    looked_at = dispatches[-most:] if most > 0 else ()
    for dispatch in looked_at:
        if of_steps:
            truths = [predicate.matches_step(dispatch, step) for step in dispatch.steps]
            truth = True if True in truths else None if None in truths else False
            steps += truths.count(True)
        else:
            truth = predicate.matches(dispatch)
        hit += truth is True
        unknown += truth is None
    return Hits(hit, len(looked_at), steps, unknown)
