"""A breakpoint as it is written, kept and shared: texts only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from debugger.breakpoints.counts import ALWAYS, Count
from debugger.filters.printer import quoted


class Side(StrEnum):
    """Which seam of a step."""

    BEFORE = "before"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A place at which every dispatch is held, or of which is told."""

    where: str
    """A filter, asked about the step."""
    side: Side = Side.BEFORE
    count: Count = ALWAYS
    log: str = ""
    """A log point: what is told when it is hit, without holding anything. Empty for one that holds."""
    is_on: bool = True

    def __str__(self) -> str:
        count = "" if self.count == ALWAYS else f" {self.count}"
        log = f" log {self.log!r}" if self.log else ""
        return f"{self.side} {self.where}{count}{log}"


def at_seat(subscriber: str, point: str, side: Side = Side.BEFORE) -> Breakpoint:
    """A breakpoint at whoever sits somewhere."""
    return Breakpoint(f"point:={_value(point)} sub:={_value(subscriber)}", side)


def in_mode(subscriber: str, mode: str) -> str:
    """A filter for whoever has a name and a mode, at any point."""
    return f"sub:={_value(subscriber)} mode:={_value(mode)}"


def _value(text: str) -> str:
    is_plain = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return text if is_plain else quoted(text)
