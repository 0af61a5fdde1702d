"""The floor of the trace screens: an application whose only widget draws a number on each of its lines."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip


class _Numbers(ScrollView, can_focus=True):
    BINDINGS = [("j", "go(1)", "Down"), ("k", "go(-1)", "Up")]  # noqa: RUF012  # typed so by Textual

    def __init__(self, count: int) -> None:
        super().__init__()
        self._chosen = 0
        self.virtual_size = Size(0, count)

    def action_go(self, by: int) -> None:
        self._chosen += by
        self.scroll_to(y=max(0, self._chosen - self.size.height + 1), animate=False)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        from rich.segment import Segment
        from rich.style import Style

        style = Style(reverse=number == self._chosen)
        return Strip([Segment(f"Painted {number}", style)]).adjust_cell_length(self.size.width)


class BareList(App[None]):
    """Ends on q."""

    BINDINGS = [("q", "quit", "Quit")]  # noqa: RUF012  # typed so by Textual

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def compose(self) -> ComposeResult:
        yield _Numbers(self._count)
