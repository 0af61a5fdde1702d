"""The lines below the header that must not be overlooked: as many as there is something to say, often none."""

from __future__ import annotations

from debugger.lenses.lines import LineView
from debugger.views.banner import drawn
from debugger.views.text import Segment


class Banner(LineView, can_focus=False):
    """Draws what views/banner.py says."""

    def __init__(self) -> None:
        super().__init__(id="banner")
        self._said: tuple[Segment, ...] = ()

    def set_lines(self, said: tuple[Segment, ...]) -> None:
        """Draw other lines, if they are others."""
        if said != self._said:
            if len(said) != len(self._said):
                self.styles.height = len(said)
                self.display = bool(said)
            self._said = said
            self.show(len(said))

    def on_mount(self) -> None:
        self.display = False

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        return (drawn(self._said[index], width),)
