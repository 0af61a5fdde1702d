"""Watched expressions along a chain: what each is before and after every step, and who changed it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from debugger.expressions import Expression
from debugger.trace import DispatchTrace
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Reading:
    """What an expression is from a moment on."""

    step: int | None
    """After which step; None as fired."""
    by: str
    """Who changed the payload there; empty as fired."""
    shown: str
    is_changed: bool
    """Whether it is another one than before."""


@dataclass(frozen=True, slots=True)
class Watched:
    """One expression, read along a dispatch."""

    text: str
    readings: tuple[Reading, ...]
    """As fired, then after every change of the payload."""

    def at(self, step: int | None) -> Reading:
        """What it is at a step, its own change included; for the whole dispatch at the end."""
        past = [each for each in self.readings if step is None or each.step is None or each.step <= step]
        return past[-1]


def watched(trace: DispatchTrace, expressions: Sequence[Expression], held: JSON = None) -> Iterator[Watched]:
    """Each expression along a dispatch; `held` is a payload that a person has edited and not sent yet."""
    for each in expressions:
        shown = each.shown(trace.opened.payload.view)
        readings = [Reading(None, "", shown, is_changed=False)]
        for change in trace.changes:
            now = each.shown(change.after.view)
            readings.append(Reading(change.step, change.by, now, is_changed=now != shown))
            shown = now
        if held is not None:
            now = each.shown(held)
            readings.append(Reading(None, "your edit", now, is_changed=now != shown))
        yield Watched(each.text, tuple(readings))
