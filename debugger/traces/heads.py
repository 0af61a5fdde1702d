"""What stands above a tree: the trace in a sentence, its map, and the axis of the bars. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len

from debugger.traces import minimap, rows
from debugger.traces.minimap import Density
from debugger.traces.naming import clock, iso, plural
from debugger.traces.outline import Hide
from debugger.traces.rows import Drawing
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import labels, precise, ticks
from debugger.views.text import Emphasis, Segment, fit

LINES: Final = 3
"""Of the map: how busy it was, what the window shows, the axis."""
CLOSE_NS: Final = 50_000_000
"""Length of a window up to which the times of day on its axis need microseconds."""


def about(skeleton: Skeleton, hidden: Iterable[Hide]) -> str:
    """How long a trace took, what is in it, and what of that is hidden."""
    made = skeleton
    read = (
        f"the first {len(made):,} of at least {max(made.all_spans, len(made)):,} spans"
        if made.all_spans
        else plural(len(made), "span")
    )
    errors = made.errors.count(1)
    failed = f", {errors:,} with errors" if errors else ""
    noise = ", ".join(sorted(hide.value for hide in hidden))
    return f" {precise(made.total_ns)}, {read}{failed}{f', {noise} hidden' if noise else ''}"


def story(what: str, sentence: str, width: int) -> tuple[Segment, ...]:
    """The same, and what its wait was made of: exactly `width` cells."""
    head = fit(what, min(cell_len(what), max(0, width - 2)))
    return Segment(head, Emphasis.STRONG), Segment(fit(f"  {sentence}", max(0, width - cell_len(head))))


def map_line(drawing: Drawing, density: Density | None, index: int, width: int, below: int) -> tuple[Segment, ...]:
    """One line of the map, `width` cells; what is drawn on it is above the bars of lines that have `below` cells."""
    share = rows.columns(below)
    made, window = drawing.skeleton, drawing.window
    head = fit(_words(drawing, index), share.name + 1)
    behind = Segment(" " * max(0, width - share.name - 1 - share.bar))
    match index:
        case 0 if density is not None:
            return (Segment(head), *minimap.strip(density, share.bar), behind)
        case 1:
            return Segment(head, Emphasis.DIM), Segment(minimap.frame(window, share.bar)), behind
        case 2:
            axis = labels(ticks(window, share.bar), share.bar)
            if drawing.is_absolute:
                digits = 3 if window.length_ns > CLOSE_NS else 6
                marks = ticks(window, share.bar, apart=11 + digits)
                axis = labels(marks, share.bar, [clock(made.base_ns + tick.at_ns, digits) for tick in marks])
            return Segment(head, Emphasis.DIM), Segment(axis, Emphasis.DIM), behind
        case _:
            return Segment(head), Segment(" " * share.bar), behind


def _words(drawing: Drawing, index: int) -> str:
    """What stands on the left of a line of the map."""
    window, made = drawing.window, drawing.skeleton
    match index:
        case 0:
            return f" {iso(made.base_ns)}" if drawing.is_absolute else f" began {clock(made.base_ns)}"
        case 1:
            shown = "all of it" if window.is_fit else f"{precise(window.length_ns)} of {precise(made.total_ns)}"
            return f" shown: {shown}"
        case _:
            path = "critical path: full bars" if drawing.path is not None else ""
            return f" {', '.join(filter(None, (path, 'own times' * drawing.shows_own)))}"
