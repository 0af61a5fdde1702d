"""The line on top: what is open, how it stands, what is held and for how long, what is armed."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.lenses.lines import LineView
from debugger.views.text import Emphasis, Segment, fit


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What the header says."""

    title: str
    state: str
    state_emphasis: Emphasis
    clock: str = ""
    alarm: str = ""
    """Something that must not be overlooked."""


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
        room = max(8, width - len(view.state) - len(right) - 5)
        title = fit(view.title, min(room, len(view.title)))
        gap = max(2, width - len(title) - len(view.state) - len(right) - 4)
        return (
            Segment(f" {title}", Emphasis.STRONG),
            Segment(f"  {view.state}", view.state_emphasis),
            Segment(" " * gap),
            Segment(view.clock, Emphasis.HELD),
            Segment("  " if view.clock and view.alarm else ""),
            Segment(view.alarm, Emphasis.ERROR),
        )
