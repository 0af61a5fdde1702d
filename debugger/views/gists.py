"""A dispatch in short, as a list shows it: made from what is folded, or from the row of a recording. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from debugger.store.recording import Row
from debugger.store.short import Steering, of_trace
from debugger.trace import DispatchTrace
from debugger.views import forks

Look: TypeAlias = tuple[str, str, str, str, int, int, str]
"""All that makes a dispatch look like another one: point, ending, decision, status, changes, steering, decided."""


@dataclass(frozen=True, slots=True)
class Gist:
    """What a line of the list tells of a dispatch."""

    id: str
    number: int
    point: str
    took_ns: int | None
    """None while it is under way."""
    ending: str = ""
    """Empty while it is under way."""
    decision: str = ""
    status: str = ""
    decided: str = ""
    """What the host then did."""
    changes: int = 0
    steered: int = Steering.NONE
    fork: str = ""
    """Of what it is a fork, in words; empty for one in its own right."""

    @property
    def look(self) -> Look:
        """Equal for dispatches that may be folded into one line."""
        return self.point, self.ending, self.decision, self.status, self.changes, self.steered, self.decided

    @property
    def is_over(self) -> bool:
        return bool(self.ending)


def gist_of(trace: DispatchTrace) -> Gist:
    """Of a dispatch that is folded."""
    short, result = of_trace(trace), trace.result
    decided = trace.decided[-1].decision if trace.decided else ""
    fork = forks.in_short(trace)
    if result is None:
        return Gist(trace.id, trace.number, trace.point, None, changes=short.changes, steered=short.steered, fork=fork)
    return Gist(
        trace.id,
        trace.number,
        trace.point,
        trace.took_ns,
        str(result.ending),
        result.decision,
        str(result.status),
        decided,
        short.changes,
        short.steered,
        fork,
    )


def gist_of_row(row: Row) -> Gist | None:
    """Of a dispatch in a recording; None where the recording says too little, and it has to be folded."""
    if row.changes is None or row.steered is None or row.decided is None or row.steered & Steering.FORK:
        return None
    told = (row.ending, row.decision, row.status, row.decided)
    return Gist(row.id, row.number, row.point, row.took_ns, *told, row.changes, row.steered)
