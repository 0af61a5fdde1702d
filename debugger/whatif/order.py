"""The order lab: every pair of neighbours of a chain the other way round, and whether anybody could tell."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.diff import Diff, diff
from debugger.trace import DispatchTrace
from debugger.whatif.alternatives import Swapped, verdict
from kernel.values import Result


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours, and what came out with them the other way round."""

    step: int
    """Place of the first."""
    first: str
    second: str
    result: Result | None
    """None where nobody knows: one of them would be asked something else than it was."""
    is_same_verdict: bool = False
    difference: Diff | None = None
    """From the payload that came out to the one that would have; None where there is nothing to compare."""

    @property
    def commutes(self) -> bool | None:
        """None where nobody knows."""
        if self.result is None:
            return None
        return self.is_same_verdict and (self.difference is None or not self.difference.changes)


def swaps(trace: DispatchTrace) -> tuple[Swapped, ...]:
    """The adjacent swaps of a dispatch that are worth trying: both were asked."""
    places = range(len(trace.opened.chain.subscriptions) - 1)
    return tuple(Swapped(place) for place in places if trace.step(place).verdict and trace.step(place + 1).verdict)


def pair(trace: DispatchTrace, swap: Swapped, result: Result | None) -> Pair:
    """What a swap came to, given the result of the dispatch with it."""
    assert trace.result is not None, "only what is over can be tried in another order"
    seats = trace.opened.chain.subscriptions
    names = seats[swap.step].name, seats[swap.step + 1].name
    if result is None:
        return Pair(swap.step, *names, None)
    before, after = trace.result.payload, result.payload
    is_same = verdict(trace.result) == verdict(result) and (before is None) == (after is None)
    difference = None if before is None or after is None else diff(before.view, after.view)
    return Pair(swap.step, *names, result, is_same, difference)
