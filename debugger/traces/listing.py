"""A trace as one line of a list. Pure."""

from __future__ import annotations

from debugger.traces.naming import clock
from debugger.traces.seam import SortKey, TraceRow, Wish
from debugger.traces.window import precise
from debugger.views.text import Emphasis, Segment, fit

WIDE = 100
"""Cells from which a line has room for the id."""
GONE = "dropped meanwhile"


def heading(wish: Wish, width: int) -> tuple[Segment, ...]:
    """The names of the columns, with an arrow at the one that orders them."""

    def word(key: SortKey, text: str) -> str:
        return f"{text} {'▼' if wish.is_descending else '▲'}" if wish.key is key else text

    name = word(SortKey.ARRIVAL, "trace") if wish.key is SortKey.ARRIVAL else word(SortKey.NAME, "trace")
    said = (
        f" {word(SortKey.START, 'start'):<13}{word(SortKey.TOOK, 'took'):>10}"
        f"{word(SortKey.SPANS, 'spans'):>10}{word(SortKey.ERRORS, 'errors'):>9}  {name}"
    )
    return (Segment(fit(said, width), Emphasis.DIM),)


def line(row: TraceRow | None, width: int) -> tuple[Segment, ...]:
    """Exactly `width` cells; None for a trace that was dropped meanwhile."""
    if row is None:
        return (Segment(fit(f" {GONE}", width), Emphasis.DIM),)
    spans = f"{row.spans:,}{'+' if row.is_least else ''}"
    errors = f"✗ {row.errors:,}" if row.errors else ""
    named = f"{row.service}: {row.root}" if row.service else row.root
    named += "" if row.has_root else "  (its root has not come)"
    identity = 18 if width >= WIDE else 0
    took = precise(row.took_ns) if row.start_ns else "-"
    return (
        Segment(f" {clock(row.start_ns) if row.start_ns else '-':<13}", Emphasis.DIM),
        Segment(f"{took:>10}", Emphasis.STRONG),
        Segment(f"{spans:>10}"),
        Segment(f"{errors:>9}  ", Emphasis.ERROR),
        Segment(fit(named, max(0, width - 45 - identity))),
        *((Segment(fit(f"  {row.id[:16]}", identity), Emphasis.DIM),) if identity else ()),
    )
