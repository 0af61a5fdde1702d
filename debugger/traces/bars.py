"""Bars of a waterfall, drawn to an eighth of a cell. Pure.

A bar may have stretches of different looks: what is on the critical path, what is past a deadline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from debugger.traces.window import Window
from debugger.views.text import Emphasis, Segment

LEFT_BLOCKS: Final = " ▏▎▍▌▋▊▉█"
"""Filled from the left, in eighths. From the right there are an eighth, a half and all of a cell only."""
TICK: Final = "┃"
"""Where a deadline lies."""
BARRIER: Final = "┊"
"""Where everybody of a group has answered, and the next one is asked."""
INSTANT: Final = "◆"
"""A span that took no time at all."""
OFF_LEFT, OFF_RIGHT = "‹", "›"
"""Shown where a bar lies outside of the window."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What is to be drawn of one span; nanoseconds from the beginning of the trace."""

    start_ns: int
    end_ns: int
    emphasis: Emphasis = Emphasis.NUMBER
    deadline_ns: int | None = None
    """From its start."""
    barrier_ns: int | None = None
    """A moment to mark, if it is not under the bar."""
    strong: tuple[tuple[int, int], ...] | None = None
    """Stretches to stand out, in order; None = all of it does."""
    is_running: bool = False


def drawn(bar: Bar, window: Window, width: int) -> tuple[Segment, ...]:
    """A bar as segments of exactly `width` cells."""
    if width <= 0:
        return ()
    cells = [" "] * width
    looks = [Emphasis.NONE] * width
    if bar.barrier_ns is not None:
        _mark(cells, looks, window, bar.barrier_ns, BARRIER, Emphasis.DIM)
    first, last = _fill(cells, looks, bar, window)
    if bar.strong is not None:
        _weaken(cells, looks, bar, window, first, last)
    if bar.deadline_ns is not None:
        _mark(cells, looks, window, bar.start_ns + bar.deadline_ns, TICK, Emphasis.ERROR)
    return _joined(cells, looks)


def _fill(cells: list[str], looks: list[Emphasis], bar: Bar, window: Window) -> tuple[int, int]:
    """Draw the bar; gives its first cell and the one behind its last."""
    width = len(cells)
    scale = width / window.length_ns
    start, stop = (bar.start_ns - window.from_ns) * scale, (bar.end_ns - window.from_ns) * scale
    if stop < 0 or start >= width:
        is_left = stop < 0
        place = 0 if is_left else width - 1
        cells[place], looks[place] = (OFF_LEFT if is_left else OFF_RIGHT), Emphasis.DIM
        return 0, 0
    if bar.end_ns <= bar.start_ns and not bar.is_running:
        place = min(int(start), width - 1)
        cells[place], looks[place] = INSTANT, bar.emphasis
        return place, place + 1
    from_cell, to_cell = max(0.0, start), min(float(width), max(stop, start + 1 / 8))
    first = min(int(from_cell), width - 1)
    last = max(first, min(width, -int(-to_cell // 1)) - 1)
    for place in range(first, last + 1):
        cells[place], looks[place] = "█", bar.emphasis
    cells[first] = _glyph(from_cell - first, min(1.0, to_cell - first))
    if last > first:
        cells[last] = _glyph(0.0, to_cell - last)
    if bar.deadline_ns is not None:
        _redden(looks, bar, window, first, last + 1)
    if bar.is_running and stop >= width - 1 / 8:
        cells[last] = "▶"
    return first, last + 1


def _glyph(begin: float, end: float) -> str:
    """What covers a cell from one share of it to another."""
    if end <= 0 or end <= begin:
        return " "
    if begin < 1 / 8:
        return LEFT_BLOCKS[max(1, round(end * 8))]
    if end < 1:  # begins and ends within the cell: no block lies in the middle of one
        return LEFT_BLOCKS[max(1, round((end - begin) * 8))]
    return "█" if begin < 1 / 4 else "▐" if begin < 3 / 4 else "▕"


def _redden(looks: list[Emphasis], bar: Bar, window: Window, first: int, last: int) -> None:
    """What lies past the deadline."""
    assert bar.deadline_ns is not None
    over_ns = bar.start_ns + bar.deadline_ns
    if over_ns < bar.end_ns:
        over = (over_ns - window.from_ns) / window.length_ns * len(looks)
        for place in range(max(first, int(over)), last):
            looks[place] = Emphasis.ERROR


_WEAK: Final = str.maketrans({"█": "░", "▉": "░", "▊": "░", "▋": "░", "▐": "░"})
"""How full cells look that are not to stand out; thinner ones stay as they are."""


def _weaken(cells: list[str], looks: list[Emphasis], bar: Bar, window: Window, first: int, last: int) -> None:
    """Everything of the bar but the stretches that are to stand out."""
    assert bar.strong is not None
    scale = len(cells) / window.length_ns
    strong: set[int] = set()
    for start_ns, end_ns in bar.strong:
        begin = max(first, int((start_ns - window.from_ns) * scale))
        strong.update(range(begin, min(last, int(-(-(end_ns - window.from_ns) * scale // 1)))))
        if first <= begin < last:
            strong.add(begin)
    for place in range(first, last):
        if place not in strong:
            cells[place] = cells[place].translate(_WEAK)
            looks[place] = Emphasis.DIM if looks[place] is Emphasis.NUMBER else looks[place]


def _mark(cells: list[str], looks: list[Emphasis], window: Window, at_ns: int, mark: str, emphasis: Emphasis) -> None:
    if window.from_ns <= at_ns <= window.end_ns:
        place = min(len(cells) - 1, int((at_ns - window.from_ns) / window.length_ns * len(cells)))
        cells[place], looks[place] = mark, emphasis


def _joined(cells: Sequence[str], looks: Sequence[Emphasis]) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    start = 0
    for place in range(1, len(cells) + 1):
        if place == len(cells) or looks[place] is not looks[start]:
            segments.append(Segment("".join(cells[start:place]), looks[start]))
            start = place
    return tuple(segments)
