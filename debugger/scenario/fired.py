"""What one dispatch of a scenario came to, as the judge and the reports see it."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.trace import DispatchTrace
from kernel.dialect import Dialect
from kernel.facts import Event
from kernel.values import Payload, Result


@dataclass(frozen=True, slots=True)
class Fired:
    """One dispatch, over."""

    dialect: Dialect
    payload: Payload
    """What was fired."""
    events: tuple[Event, ...]
    trace: DispatchTrace
    result: Result
    took_ns: int
    """On the scenario's clock."""
    is_given_up: bool = False
    """Whether it was we who ended it, because nobody else did."""
