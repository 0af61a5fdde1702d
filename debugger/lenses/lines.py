"""Lines on the line API: only what is visible is drawn, whether there are ten lines or a million."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, zip_longest
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment as RichSegment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from debugger.diff import Path
from debugger.views.text import Emphasis, Kind, Line, Segment, crop, dedent, wrap

MANY = 20_000
"""Lines beyond which long ones are cut instead of wrapped: wrapping has to know them all."""

ROOMY = 56
"""Cells from which lines keep all of their indentation."""

_OF_KIND = {
    Kind.ADDED: Emphasis.ADDED,
    Kind.REMOVED: Emphasis.REMOVED,
    Kind.CHANGED: Emphasis.CHANGED,
    Kind.MOVED: Emphasis.ACCENT,
    Kind.HUNK: Emphasis.ACCENT,
    Kind.FOLD: Emphasis.DIM,
    Kind.SAME: Emphasis.DIM,
}


class LineView(ScrollView, can_focus=True):
    """A column of lines to read. Who wants a list to choose from, overrides `segments` and sets `cursor`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"line--{emphasis}" for emphasis in Emphasis} | {
        "line--cursor",
        "line--cursor-blurred",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "Down", show=False),
        Binding("k,up", "move(-1)", "Up", show=False),
        Binding("ctrl+d,pagedown", "page(1)", "Half a page down", show=False),
        Binding("ctrl+u,pageup", "page(-1)", "Half a page up", show=False),
        Binding("g,home", "to(0)", "To the top", show=False),
        Binding("G,end", "to(-1)", "To the end", show=False),
        Binding("enter", "choose", "Choose", show=False),
    ]

    cursor: reactive[int | None] = reactive(None)
    """The line that is chosen, in lists; None where there is nothing to choose."""

    class Moved(Message):
        """The reader moved to another line."""

        def __init__(self, sender: LineView, index: int) -> None:
            super().__init__()
            self.sender = sender
            self.index = index

        @property
        def control(self) -> LineView:
            return self.sender

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._count = 0
        self._styles: dict[str, Style] = {}

    @property
    def count(self) -> int:
        """How many lines there are."""
        return self._count

    def show(self, count: int) -> None:
        """Say how many lines there are now, and draw the visible ones anew."""
        self._count = count
        if self.virtual_size.height != count:
            self.virtual_size = Size(0, count)
        self.refresh()

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        """What a line says."""
        raise NotImplementedError("a list says what its lines are")

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index = y + self.scroll_offset.y
        if not 0 <= index < self._count:
            return Strip.blank(width, self.rich_style)
        base = self.rich_style
        if index == self.cursor:
            base += self._style("cursor" if self.has_focus else "cursor-blurred")
        drawn = [
            RichSegment(
                segment.text, base if segment.emphasis is Emphasis.NONE else base + self._style(segment.emphasis)
            )
            for segment in self.segments(index, width)
        ]
        return Strip(drawn).adjust_cell_length(width, base)

    def _style(self, name: str) -> Style:
        """Only what a component says itself: its background would hide the cursor's."""
        found = self._styles.get(name)
        if found is None:
            found = self._styles[name] = self.get_component_rich_style(f"line--{name}", partial=True)
        return found

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def watch_cursor(self, cursor: int | None) -> None:
        if cursor is not None:
            self._show_cursor()
            self.call_after_refresh(self._show_cursor)  # a list that just grew cannot scroll that far yet
        self.refresh()

    def _show_cursor(self) -> None:
        if self.cursor is not None:
            self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False)

    def action_move(self, by: int) -> None:
        if self.cursor is None:
            self.scroll_relative(y=by, animate=False)
        elif self._count:
            self._go(self.cursor + by)

    def action_page(self, pages: int) -> None:
        rows = max(1, self.scrollable_content_region.height // 2) * pages
        self.action_move(rows)

    def action_to(self, index: int) -> None:
        last = max(0, self._count - 1)
        if self.cursor is None:
            self.scroll_to(y=0 if index == 0 else last, animate=False)
        elif self._count:
            self._go(index if index >= 0 else last)

    def action_choose(self) -> None:
        if self.cursor is not None:
            self.post_message(self.Moved(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        index = event.y + self.scroll_offset.y
        if self.cursor is not None and 0 <= index < self._count:
            self._go(index)

    def _go(self, index: int) -> None:
        index = max(0, min(index, self._count - 1))
        if index != self.cursor:
            self.cursor = index
            self.post_message(self.Moved(self, index))


class TextView(LineView):
    """Lines of text with a gutter for their marks; long ones go on in the next row."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()
        self._rows: Sequence[Line] = ()
        self._wrapped_at = 0
        self._starts: Sequence[int] = ()
        """The row with which each line begins."""
        self._pointed_at: int | None = None
        """The row that was clicked, or found, last."""

    @property
    def here(self) -> Path:
        """The place that was clicked or found, or else the one on top once one has scrolled; else the root."""
        if self._pointed_at is None and not self.scroll_offset.y:
            return ()
        first = self.scroll_offset.y if self._pointed_at is None else self._pointed_at
        found = (row.path for row in self._rows[first : first + self.size.height] if row.path is not None)
        return next(found, ())

    def on_click(self, event: events.Click) -> None:
        self._point_at(event.y + self.scroll_offset.y)

    def find(self, text: str) -> bool:
        """Go to the next line that has a text in it, from the one that is pointed at, round the end; False = none has.

        Case counts only if the text has capital letters.
        """
        has_case = text != text.lower()
        here = -1 if self._pointed_at is None else bisect_right(self._starts, self._pointed_at) - 1
        for step in range(1, len(self._lines) + 1):
            at = (here + step) % len(self._lines)
            line = self._lines[at].text
            if text in (line if has_case else line.lower()):
                row = self._starts[at]
                self._point_at(row)
                self.scroll_to(y=max(0, row - self.size.height // 3), animate=False)
                return True
        return False

    def _point_at(self, row: int) -> None:
        self._pointed_at = row
        self.refresh()

    def set_lines(self, lines: Sequence[Line], *, keep_place: bool) -> None:
        """Show other lines; from the top, unless they are about the same thing as before."""
        if lines == self._lines:
            return
        self._lines = lines
        self._lay_out()
        if not keep_place:
            self.scroll_to(y=0, animate=False)

    @property
    def text(self) -> str:
        """Everything, as text."""
        return "\n".join(f"{line.mark} {line.text}".rstrip() for line in self._lines)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_at:
            self._lay_out()

    def _lay_out(self) -> None:
        width = self._wrapped_at = self.scrollable_content_region.width
        self._pointed_at = None  # rows are other ones from now on
        room = max(8, width - 2)
        if len(self._lines) > MANY:
            self._rows, self._starts = self._lines, range(len(self._lines))
        else:
            lines = self._lines if room >= ROOMY else dedent(self._lines)
            wrapped = [wrap(line, room) for line in lines]
            self._rows = [row for rows in wrapped for row in rows]
            self._starts = [0, *accumulate(len(rows) for rows in wrapped)][:-1]
        self.show(len(self._rows))

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        row = self._rows[index]
        is_here = index == self._pointed_at
        mark = Segment("▸ ", Emphasis.STRONG) if is_here else Segment(f"{row.mark} ", _OF_KIND[row.kind])
        return (mark, *crop(row, max(0, width - 2)).segments)


class SideBySide(LineView):
    """Pairs of lines, before on the left and after on the right; long ones go on in the next row of their half."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._pairs: Sequence[tuple[Line | None, Line | None]] = ()
        self._rows: Sequence[tuple[Line | None, Line | None]] = ()
        self._wrapped_at = 0

    def set_pairs(self, pairs: Sequence[tuple[Line | None, Line | None]], *, keep_place: bool) -> None:
        """Show other pairs; from the top, unless they are about the same thing as before."""
        if pairs == self._pairs:
            return
        self._pairs = pairs
        self._lay_out()
        if not keep_place:
            self.scroll_to(y=0, animate=False)

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self._wrapped_at:
            self._lay_out()

    def _lay_out(self) -> None:
        self._wrapped_at = self.scrollable_content_region.width
        room = max(8, (self._wrapped_at - 3) // 2 - 2)
        if len(self._pairs) > MANY:
            self._rows = self._pairs
        else:
            halves = ([() if half is None else wrap(half, room) for half in pair] for pair in self._pairs)
            self._rows = [row for left, right in halves for row in zip_longest(left, right)]
        self.show(len(self._rows))

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        half = (width - 3) // 2
        left, right = self._rows[index]
        return (*_half(left, half), Segment(" │ ", Emphasis.DIM), *_half(right, half))


def _half(line: Line | None, width: int) -> tuple[Segment, ...]:
    if line is None:
        return (Segment(" " * width),)
    shown = crop(line, width - 2)
    missing = width - 2 - _cells(shown)
    return (Segment(f"{line.mark} ", _OF_KIND[line.kind]), *shown.segments, Segment(" " * missing))


def _cells(line: Line) -> int:
    return cell_len(line.text)
