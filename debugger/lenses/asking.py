"""A question to a person in front of everything else: all that is known of it, and what can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Label, Static

from debugger.lenses.picker import Choice, Picker
from debugger.views.text import visible


class Asking(Picker):
    """Gives the id of the answer, or None. Nothing of the question is left out: what has no room is scrolled to."""

    DEFAULT_CSS = """
    Asking #dialog #title { max-height: 3; }
    Asking #details { height: auto; max-height: 40vh; }
    Asking #details Static { width: 100%; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown,space", "read('down')", "Read on", priority=True),
        Binding("pageup,b", "read('up')", "Read back", priority=True),
    ]

    def __init__(self, title: str, details: Sequence[str], choices: Sequence[Choice], escape: str) -> None:
        super().__init__(title, choices)
        self._details = details
        self._escape = escape

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield self.heading()
            with VerticalScroll(id="details", can_focus=False):
                yield Static(Text("\n".join(map(visible, self._details))))
            yield self.options()
            yield Label(f"enter answers, escape {self._escape}, page up and page down read all of it", id="hint")

    def action_read(self, way: str) -> None:
        details = self.query_one("#details", VerticalScroll)
        if way == "down":
            details.scroll_page_down(animate=False)
        else:
            details.scroll_page_up(animate=False)
