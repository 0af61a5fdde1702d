"""The span tree of one dispatch with its waterfall."""

from __future__ import annotations

from collections.abc import Sequence

from debugger.lenses.lines import LineView
from debugger.views.spans import SpanRow, longest_name, render, scale_of
from debugger.views.states import duration
from debugger.views.text import Emphasis, Segment, fit


class SpanTree(LineView):
    """The dispatch, then every seat of its chain, each with its bar."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[SpanRow] = ()

    def set_rows(self, rows: Sequence[SpanRow], chosen: int | None) -> None:
        """Show other rows; `chosen` is a step, None the dispatch itself."""
        cursor = next((place for place, row in enumerate(rows) if row.step == chosen), 0) if rows else None
        if rows == self._rows and cursor == self.cursor and self.count:
            return
        self._rows = rows
        self.border_subtitle = duration(scale_of(rows)) if rows else ""
        self.show(len(rows) or 1)
        self.cursor = cursor

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        if not self._rows:
            return (Segment(fit("r fires, and the spans show here", width), Emphasis.DIM),)
        return render(self._rows[index], scale_of(self._rows), width, longest_name(self._rows))
