"""Durations as plots made of text: histograms, boxes, and durations over time. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from debugger.traces.merged import Moment
from debugger.traces.naming import clock
from debugger.traces.statistics import percentile
from debugger.traces.window import precise
from debugger.views.text import Emphasis, Segment

HEIGHTS: Final = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale from one duration to another, over so many cells."""

    least_ns: int
    most_ns: int
    width: int

    def cell(self, ns: int) -> int:
        """Where a duration lies: from 0 to the last cell."""
        if self.most_ns <= self.least_ns:
            return 0
        share = math.log(max(ns, self.least_ns) / self.least_ns) / math.log(self.most_ns / self.least_ns)
        return min(self.width - 1, max(0, int(share * self.width)))

    def at(self, cell: int) -> int:
        """Where a cell begins, in nanoseconds."""
        return int(self.least_ns * math.pow(self.most_ns / self.least_ns, cell / max(1, self.width)))


def scale_of(ordered: Sequence[int], width: int) -> Scale:
    """A scale for these durations, which are in order. 0 counts as a nanosecond."""
    least = max(1, ordered[0]) if ordered else 1
    return Scale(least, max(least + 1, ordered[-1] if ordered else 1), max(1, width))


def histogram(ordered: Sequence[int], width: int, height: int) -> tuple[tuple[Segment, ...], ...]:
    """Bars over a logarithmic scale, `height` lines of them, and the scale below; each exactly `width` cells."""
    if width <= 0 or height <= 0:
        return ()
    scale = scale_of(ordered, width)
    counts = [0] * width
    for took in ordered:
        counts[scale.cell(took)] += 1
    marks = {scale.cell(percentile(ordered, 0.5)), scale.cell(percentile(ordered, 0.95))} if ordered else set()
    return (*_columns(counts, height, marks), axis(scale))


def _columns(counts: Sequence[float], height: int, marks: set[int]) -> list[tuple[Segment, ...]]:
    tallest = max(counts, default=0) or 1
    filled = [0 if not count else max(1, round(count / tallest * height * 8)) for count in counts]
    looks = [Emphasis.HELD if cell in marks else Emphasis.NUMBER for cell in range(len(counts))]
    return [
        tuple(
            Segment(HEIGHTS[min(8, max(0, eighths - level * 8))], look)
            for eighths, look in zip(filled, looks, strict=True)
        )
        for level in range(height - 1, -1, -1)
    ]


def axis(scale: Scale) -> tuple[Segment, ...]:
    """A few durations at their places."""
    line = [" "] * scale.width
    step = max(1, scale.width // max(1, scale.width // 16))
    for cell in range(0, scale.width, step):
        word = "▏" + precise(scale.at(cell))
        if cell + len(word) <= min(scale.width, cell + step):
            line[cell : cell + len(word)] = word
    return (Segment("".join(line), Emphasis.DIM),)


def box(ordered: Sequence[int], scale: Scale) -> str:
    """From the least to the most, the middle half thick, the median marked: exactly as wide as the scale."""
    cells = [" "] * scale.width
    if ordered:
        least, most = scale.cell(ordered[0]), scale.cell(ordered[-1])
        for cell in range(least, most + 1):
            cells[cell] = "─"
        cells[least], cells[most] = "├", "┤"
        for cell in range(scale.cell(percentile(ordered, 0.25)), scale.cell(percentile(ordered, 0.75)) + 1):
            cells[cell] = "█"
        cells[scale.cell(percentile(ordered, 0.5))] = "┃"
    return "".join(cells)


def over_time(moments: Sequence[Moment], width: int, height: int) -> tuple[tuple[Segment, ...], ...]:
    """Medians as columns and the longest as dots, from the first moment to the last; then the times below."""
    if width <= 0 or height <= 0 or not moments:
        return ()
    first, last = moments[0].at_ns, moments[-1].at_ns
    length = max(1, last - first)
    buckets: list[list[Moment]] = [[] for _ in range(width)]
    for moment in moments:
        buckets[min(width - 1, (moment.at_ns - first) * width // length)].append(moment)
    medians = [percentile(sorted(each.took_ns for each in bucket), 0.5) for bucket in buckets]
    most = [max((each.took_ns for each in bucket), default=0) for bucket in buckets]
    failed = [any(each.is_error for each in bucket) for bucket in buckets]
    tallest = max(most) or 1
    lines: list[tuple[Segment, ...]] = []
    for level in range(height - 1, -1, -1):
        segments = []
        for cell in range(width):
            eighths = 0 if not medians[cell] else max(1, round(medians[cell] / tallest * height * 8))
            glyph = HEIGHTS[min(8, max(0, eighths - level * 8))]
            top = -(-most[cell] * height // tallest) - 1
            is_dot = top == level and glyph == " "
            look = Emphasis.ERROR if failed[cell] else Emphasis.HELD if is_dot else Emphasis.NUMBER
            segments.append(Segment("•" if is_dot else glyph, look))
        lines.append(tuple(segments))
    left, right = clock(first), clock(last)
    gap = max(1, width - len(left) - len(right))
    return (*lines, (Segment((left + " " * gap + right)[:width].ljust(width), Emphasis.DIM),))
