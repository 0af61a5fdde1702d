"""The inspector: one lens at a time on what is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import ContentSwitcher

from debugger.lenses.lines import LineView, SideBySide, TextView
from debugger.views.lens import Drawn, Lens, OneColumn, Subject
from debugger.views.text import Emphasis, Line, Segment, fit, visible


class LensTabs(LineView, can_focus=False):
    """The names of the lenses, on one line."""

    class Chosen(Message):
        """The reader wants another lens."""

        def __init__(self, lens: Lens) -> None:
            super().__init__()
            self.lens = lens

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self._lens = Lens.DIFF

    def set_lens(self, lens: Lens) -> None:
        """Point out another one."""
        self._lens = lens
        self.show(1)

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        return tuple(
            Segment(label, Emphasis.SELECTED if lens is self._lens else Emphasis.DIM)
            for lens, label in self._labels(width)
        )

    def _labels(self, width: int) -> list[tuple[Lens, str]]:
        """The names, each with its key if there is room; where there is too little, those around the chosen one."""
        numbered = [(lens, f" {key} {lens.capitalize()} ") for key, lens in enumerate(Lens, 1)]
        if _length(numbered) <= width:
            return numbered
        plain = [(lens, f" {lens.capitalize()} ") for lens in Lens]
        while _length(plain) > width and len(plain) > 1:
            chosen = next(place for place, (lens, _) in enumerate(plain) if lens is self._lens)
            del plain[0 if chosen > len(plain) // 2 else -1]
        return plain

    def on_click(self, event: events.Click) -> None:
        start = 0
        for lens, label in self._labels(self.size.width):
            start += len(label)
            if event.x < start:
                self.post_message(self.Chosen(lens))
                return


def _length(labels: Sequence[tuple[Lens, str]]) -> int:
    return sum(len(label) for _, label in labels)


class Inspector(Vertical):
    """Tabs, a line saying what is looked at, and the lens."""

    def compose(self) -> ComposeResult:
        yield LensTabs()
        with ContentSwitcher(initial="text"):
            yield TextView(id="text")
            yield SideBySide(id="pairs")

    def show(self, subject: Subject, drawn: Drawn, *, keep_place: bool) -> None:
        """Show a subject as it was drawn."""
        if isinstance(drawn, OneColumn):
            self.show_lines(subject.lens, subject.title, drawn.lines, keep_place=keep_place)
        else:
            self._turn_to(subject.lens, subject.title, "pairs")
            self.query_one(SideBySide).set_pairs(drawn.pairs, keep_place=keep_place)

    def show_lines(self, lens: Lens, title: str, lines: Sequence[Line], *, keep_place: bool) -> None:
        """Show lines through a lens."""
        self._turn_to(lens, title, "text")
        self.query_one(TextView).set_lines(lines, keep_place=keep_place)

    def _turn_to(self, lens: Lens, title: str, view: str) -> None:
        self.query_one(LensTabs).set_lens(lens)
        self.border_title = Text(fit(title, min(cell_len(visible(title)), max(10, self.size.width - 6))))
        switcher = self.query_one(ContentSwitcher)
        if switcher.current != view:
            had_focus = self.has_pseudo_class("focus-within")
            switcher.current = view
            if had_focus:
                self.query_one(f"#{view}").focus()
