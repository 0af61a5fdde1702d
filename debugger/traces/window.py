"""Which stretch of time a waterfall shows: zoom and pan, as values. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LEAST_NS: Final = 8
"""Nanoseconds that a window shows at least: below that there is nothing to see."""
ROOM: Final = 0.05
"""Share of a chosen span's length that is left free on either side of it."""
STEPS: Final = (1, 2, 5)
"""What the labels of an axis are multiples of, with their tens."""


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of a trace that takes `total_ns`. Always inside it, and never empty."""

    total_ns: int
    from_ns: int = 0
    to_ns: int = 0
    """0 for the end of the trace, which a growing one goes on showing."""

    @property
    def end_ns(self) -> int:
        return self.to_ns or max(self.total_ns, LEAST_NS)

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.from_ns

    @property
    def is_fit(self) -> bool:
        """Whether all of the trace is shown."""
        return self.from_ns == 0 and self.end_ns >= self.total_ns

    def of(self, total_ns: int) -> Window:
        """The same stretch of a trace that has grown, or shrunk."""
        if self.is_fit:
            return Window(total_ns)
        return _inside(total_ns, self.from_ns, self.length_ns)

    def zoomed(self, factor: float, around_ns: int | None = None) -> Window:
        """A window of `factor` times the length, in which a moment stays where it is: the middle, unless said."""
        middle = self.from_ns + self.length_ns / 2 if around_ns is None else around_ns
        middle = min(max(middle, self.from_ns), self.end_ns)
        share = (middle - self.from_ns) / self.length_ns
        length = max(LEAST_NS, round(self.length_ns * factor))
        return _inside(self.total_ns, round(middle - length * share), length)

    def panned(self, share: float) -> Window:
        """Moved by a share of its length; not beyond the ends of the trace."""
        return _inside(self.total_ns, self.from_ns + round(self.length_ns * share), self.length_ns)

    def fit(self) -> Window:
        """All of the trace."""
        return Window(self.total_ns)

    def onto(self, start_ns: int, end_ns: int) -> Window:
        """As close as possible to a span, with a little room around it."""
        length = max(LEAST_NS, end_ns - start_ns)
        room = round(length * ROOM)
        return _inside(self.total_ns, start_ns - room, length + 2 * room)

    def showing(self, start_ns: int, end_ns: int) -> Window:
        """The same length, moved so that a span is in it if none of it is."""
        if end_ns >= self.from_ns and start_ns <= self.end_ns:
            return self
        return _inside(self.total_ns, start_ns - self.length_ns // 4, self.length_ns)


def _inside(total_ns: int, from_ns: int, length_ns: int) -> Window:
    total = max(total_ns, LEAST_NS)
    if length_ns >= total:
        return Window(total_ns)
    start = max(0, min(from_ns, total - length_ns))
    return Window(total_ns, start, start + length_ns)


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled moment of an axis."""

    cell: int
    at_ns: int


def ticks(window: Window, width: int, *, apart: int = 12) -> tuple[Tick, ...]:
    """Round moments within a window, at least so many cells apart."""
    if width <= 0:
        return ()
    least = window.length_ns * apart / width
    step = _step(least)
    first = -(-window.from_ns // step) * step
    found: list[Tick] = []
    at = first
    while at < window.end_ns:
        found.append(Tick(int((at - window.from_ns) / window.length_ns * width), at))
        at += step
    return tuple(found)


def _step(least: float) -> int:
    tens = 1
    while True:
        for step in STEPS:
            if step * tens >= least:
                return step * tens
        tens *= 10


def precise(ns: int) -> str:
    """Nanoseconds for an axis: as short as it can be without losing anything that counts."""
    size = abs(ns)
    for unit, name in ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")):
        if size >= unit:
            return f"{_short(ns / unit)} {name}"
    return f"{ns} ns" if ns else "0"


def _short(figure: float) -> str:
    return f"{figure:.4g}" if abs(figure) < 10_000 else f"{figure:.0f}"


def labels(marks: Sequence[Tick], width: int, words: Sequence[str] | None = None) -> str:
    """The axis as one line of text, exactly `width` cells; `words` are other words for the ticks."""
    line = [" "] * max(0, width)
    for number, tick in enumerate(marks):
        word = "▏" + (precise(tick.at_ns) if words is None else words[number])
        end = marks[number + 1].cell if number + 1 < len(marks) else width
        if len(word) <= end - tick.cell:
            line[tick.cell : tick.cell + len(word)] = word
        elif tick.cell < width:
            line[tick.cell] = "▏"
    return "".join(line)
