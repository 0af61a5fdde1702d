"""The line on top: what is open, how it stands, what is held and for how long, what is armed."""

from __future__ import annotations

from rich.cells import cell_len

from debugger.lenses.lines import LineView
from debugger.views.header import HeaderView
from debugger.views.text import Emphasis, Segment, fit, visible


class Header(LineView, can_focus=False):
    """Draws a HeaderView on one line."""

    def __init__(self) -> None:
        super().__init__(id="header")
        self._view = HeaderView("hookscope", "", Emphasis.NONE)

    def set_view(self, view: HeaderView) -> None:
        """Draw another view, if it is another one."""
        if view != self._view or not self.count:
            self._view = view
            self.show(1)

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        view = self._view
        right = "  ".join(filter(None, (view.clock, view.alarm)))
        state = visible(view.state)
        taken = cell_len(state) + cell_len(right)
        title = fit(view.title, min(max(8, width - taken - 5), cell_len(visible(view.title))))
        gap = max(2, width - cell_len(title) - taken - 4)
        return (
            Segment(f" {title}", Emphasis.STRONG),
            Segment(f"  {state}", view.state_emphasis),
            Segment(" " * gap),
            Segment(view.clock, Emphasis.HELD),
            Segment("  " if view.clock and view.alarm else ""),
            Segment(view.alarm, Emphasis.ERROR),
        )
