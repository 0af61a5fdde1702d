"""The widget of all panes: lines that somebody else knows how to draw, one of them chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message

from debugger.lenses.lines import LineView
from debugger.views.text import Emphasis, Segment, fit

Draw = Callable[[int, int], tuple[Segment, ...]]
"""From the number of a line and the cells that there are to what it says."""


class Rows(LineView):
    """A list on the line API: only what is visible is ever drawn, or asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,right", "nothing", show=False),  # a scroll view would take them; they are the screen's
    ]

    class AtEnd(Message):
        """Whether the reader has come to the last line, or has left it."""

        def __init__(self, sender: Rows, *, is_at_end: bool) -> None:
            super().__init__()
            self.sender = sender
            self.is_at_end = is_at_end

    def __init__(self, *, id: str, hint: str = "", can_focus: bool = True) -> None:
        super().__init__(id=id)
        self._drawer: Draw | None = None
        self._cursor_before: int | None = None
        self._was_at_end = True
        self._base_style: Style | None = None
        self.hint = hint
        """What an empty list says, on one line or several."""
        self.can_focus = can_focus

    def set_rows(self, count: int, draw: Draw, cursor: int | None) -> None:
        """Show so many lines, one of them chosen."""
        self._drawer = draw if count else None
        lines = count or len(self._hinted)
        is_resized = self.count != lines
        self.show(lines)
        if is_resized:
            self.call_after_refresh(self._show_cursor)  # a list that just grew cannot scroll that far yet
        chosen = None if cursor is None or not count else max(0, min(cursor, count - 1))
        if chosen != self.cursor:
            self.cursor = chosen
        else:
            self._show_cursor()

    def set_hint(self, hint: str) -> None:
        """Say something else while there is nothing to list."""
        if hint == self.hint:
            return
        self.hint = hint
        if self._drawer is None:
            self.show(len(self._hinted))

    @property
    def _hinted(self) -> list[str]:
        return self.hint.split("\n")

    @property
    def chosen(self) -> int | None:
        """The number of the chosen line; None of an empty list."""
        return None if self._drawer is None else self.cursor

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        if self._drawer is None:
            return (Segment(fit(f" {self._hinted[index]}", width), Emphasis.DIM),)
        return self._drawer(index, width)

    def action_nothing(self) -> None:
        pass

    @property
    def rich_style(self) -> Style:
        """Made once, and again whenever styles change: it takes longer than everything else about a line."""
        if self._base_style is None:
            self._base_style = super().rich_style
        return self._base_style

    def notify_style_update(self) -> None:
        self._base_style = None
        super().notify_style_update()

    def watch_cursor(self, cursor: int | None) -> None:
        """Draw two lines anew instead of all: who holds a key down waits for nothing else."""
        self._show_cursor()
        for line in (self._cursor_before, cursor):
            if line is not None:
                self.refresh_line(line)
        self._cursor_before = cursor

    def _go(self, index: int) -> None:
        super()._go(index)
        is_at_end = self.cursor == self.count - 1
        if is_at_end or self._was_at_end:
            self.post_message(self.AtEnd(self, is_at_end=is_at_end))
        self._was_at_end = is_at_end


class Strip(Rows, can_focus=False):
    """Lines that are only looked at."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id, can_focus=False)

    def set_lines(self, count: int, draw: Draw) -> None:
        self.set_rows(count, draw, None)
