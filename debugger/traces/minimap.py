"""The whole trace on one line: how many spans were under way when, where the errors are, and what the window shows.
Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window
from debugger.views.text import Emphasis, Segment

BUCKETS: Final = 600
"""More than any terminal has cells: counted once, and drawn at any width."""
HEIGHTS: Final = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, slots=True)
class Density:
    """How many spans were under way in each of the buckets into which a trace is cut, and how many errors began."""

    active: tuple[int, ...]
    errors: tuple[int, ...]


def density(skeleton: Skeleton, buckets: int = BUCKETS) -> Density:
    """Looks at every span once."""
    total = max(1, skeleton.total_ns)
    change, errors = [0] * (buckets + 1), [0] * buckets
    last, scale = buckets - 1, buckets / total
    for start, end in zip(skeleton.starts, skeleton.ends, strict=True):
        first = int(start * scale)
        change[first if first < last else last] += 1
        until = int(end * scale)
        change[(until if until < last else last) + 1] -= 1
    if any(skeleton.errors):
        for place, is_error in enumerate(skeleton.errors):
            if is_error:
                errors[min(last, int(skeleton.starts[place] * scale))] += 1
    return Density(tuple(accumulate(change[:buckets])), tuple(errors))


def strip(made: Density, width: int) -> tuple[Segment, ...]:
    """Blocks as high as the number of spans under way; where an error began, one that says so."""
    if width <= 0:
        return ()
    buckets = len(made.active)
    tallest = max(made.active, default=0) or 1
    out: list[Segment] = []
    for cell in range(width):
        begin = cell * buckets // width
        end = max(begin + 1, (cell + 1) * buckets // width)
        active = max(made.active[begin:end], default=0)
        height = 0 if not active else max(1, round(active / tallest * 8))
        has_error = any(made.errors[begin:end])
        glyph = "✗" if has_error else HEIGHTS[height]
        out.append(Segment(glyph, Emphasis.ERROR if has_error else Emphasis.NUMBER))
    return tuple(out)


def frame(window: Window, width: int) -> str:
    """What the window shows of the whole, below the strip: exactly `width` cells."""
    if width <= 0:
        return ""
    total = max(1, window.total_ns, window.end_ns)
    first = min(width - 1, int(window.from_ns / total * width))
    last = max(first, min(width - 1, -(-window.end_ns * width // total) - 1))
    if first == last:
        return " " * first + "┴" + " " * (width - first - 1)
    return " " * first + "╰" + "─" * (last - first - 1) + "╯" + " " * (width - last - 1)
