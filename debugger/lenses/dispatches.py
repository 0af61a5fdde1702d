"""The list of dispatches, newest last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from textual.message import Message

from debugger.lenses.lines import LineView
from debugger.views.text import Emphasis, Segment, fit

DrawLine: TypeAlias = Callable[[int, int], tuple[Segment, ...]]
"""From a line and a width in cells to what the line says."""


class DispatchList(LineView):
    """One line for each dispatch, or for a run of them; empty, it says what fills it."""

    class Entered(Message):
        """The reader pressed enter on a line."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = 0
        self._draw_line: DrawLine = lambda index, width: ()
        self._hint: Sequence[str] = ()
        self._edition: object = None
        self._drawn_cursor: int | None = None

    def set_rows(
        self, rows: int, draw_line: DrawLine, chosen: int | None, hint: Sequence[str], *, edition: object = None
    ) -> None:
        """Show other lines, one of them chosen. Lines of an `edition` that is equal to the one before are the same."""
        is_other = rows != self._rows
        is_same = not is_other and edition is not None and edition == self._edition and rows > 0
        self._rows, self._draw_line, self._hint, self._edition = rows, draw_line, hint, edition
        if not is_same:
            self.show(rows or len(hint))
        if chosen != self.cursor:
            self.cursor = chosen
        elif is_other and chosen is not None:
            self.watch_cursor(chosen)

    def watch_cursor(self, cursor: int | None) -> None:
        """Draws two lines and not all of them, unless it has to scroll."""
        before, self._drawn_cursor = self._drawn_cursor, cursor
        for line in (before, cursor):
            if line is not None and line < self.count:
                self.refresh_line(line)
        if cursor is not None:
            self._show_cursor()
            self.call_after_refresh(self._show_cursor)  # a list that just grew cannot scroll that far yet

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        if not self._rows:
            return (Segment(fit(self._hint[index], width), Emphasis.DIM),)
        return self._draw_line(index, width)

    def action_choose(self) -> None:
        if self.cursor is not None and self._rows:
            self.post_message(self.Entered(self.cursor))
