"""What the inspector shows: which lens, in which style, and drawing it, elsewhere where that takes long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.screen import Screen

from debugger.lenses.inspector import Inspector
from debugger.session import Hold
from debugger.trace import DispatchTrace
from debugger.views import inspect
from debugger.views.diffs import NARROW, DiffStyle
from debugger.views.lens import Drawn, Lens, Subject, draw
from debugger.views.text import Emphasis, Segment
from kernel.dialect import Dialect

if TYPE_CHECKING:  # see debugger/desk/screen.py
    from debugger.spans import SpanBook


@dataclass(frozen=True, slots=True)
class Sources:
    """What drawing needs beside the subject."""

    dialect: Dialect
    spans: SpanBook | None


class Inspecting:
    """Draws a subject when it is another one than before. On the screen's loop."""

    def __init__(self, desk: Screen[None]) -> None:
        self.lens = Lens.DIFF
        self.style = DiffStyle.UNIFIED
        self._desk = desk
        self._shown: Subject | None = None

    def show_nothing(self) -> None:
        """There is no dispatch yet."""
        hint = inspect.line(Segment("What a dispatch did shows here once one was fired.", Emphasis.DIM))
        self._inspector.show_lines(self.lens, "Inspector", (hint,), keep_place=False)

    def show(
        self,
        trace: DispatchTrace,
        step: int | None,
        hold: Hold | None,
        sources: Sources,
        *,
        more: Callable[[Subject], Subject] = lambda subject: subject,
    ) -> None:
        """Show what is chosen; `more` puts in what only some lenses look at."""
        is_wide = self._inspector.size.width >= NARROW
        subject = more(Subject(trace, step, hold, self.lens, self.style, is_wide))
        if subject == self._shown:
            return
        keep_place = subject.is_about(self._shown)
        self._shown = subject
        if not subject.is_slow:
            self._inspector.show(subject, _drawn(subject, sources), keep_place=keep_place)
            return
        if not keep_place:
            wait = inspect.line(Segment("… this takes a moment", Emphasis.DIM))
            self._inspector.show_lines(subject.lens, subject.title, (wait,), keep_place=False)
        self._desk.run_worker(
            lambda: self._draw_elsewhere(subject, sources, keep_place),
            thread=True,
            exclusive=True,
            group="draw",
            exit_on_error=False,
        )

    @property
    def _inspector(self) -> Inspector:
        return self._desk.query_one(Inspector)

    def _draw_elsewhere(self, subject: Subject, sources: Sources, keep_place: bool) -> None:
        drawn = _drawn(subject, sources)

        def show() -> None:
            if self._shown is subject:
                self._inspector.show(subject, drawn, keep_place=keep_place)

        self._desk.app.call_from_thread(show)


def _drawn(subject: Subject, sources: Sources) -> Drawn:
    span = None if sources.spans is None else sources.spans.span(subject.trace.id, subject.step)
    return draw(subject, sources.dialect, span)
