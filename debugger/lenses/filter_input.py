"""A line in which a filter is written: completed from what was seen, with a history. Says what it offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from debugger.filters import Candidate, Completion

Complete = Callable[[str, int], Completion]
"""From the text and the place of the cursor to what may stand there."""
SHOWN = 6
"""Candidates that are shown at once."""


class FilterInput(Input):
    """`tab` takes the candidate that is pointed at, or goes on to the next widget; up and down choose."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "take_candidate", show=False),
        Binding("down", "point(1)", show=False),
        Binding("up", "point(-1)", show=False),
    ]

    class Offered(Message):
        """Other candidates are there, or another one is pointed at."""

        def __init__(self, candidates: Sequence[Candidate], pointed_at: int) -> None:
            super().__init__()
            self.candidates = candidates
            self.pointed_at = pointed_at

    def __init__(
        self,
        value: str,
        complete: Complete,
        history: Sequence[str] = (),
        *,
        id: str | None = None,
        compact: bool = False,
    ) -> None:
        super().__init__(value, id=id, select_on_focus=False, compact=compact)
        self._complete = complete
        self._history = history
        self._in_history = -1
        """Which of the earlier ones is shown; -1 for what is being typed."""
        self._typed = value
        self._offered: tuple[Candidate, ...] = ()
        self._completion: Completion | None = None
        self._pointed_at = 0

    def on_mount(self) -> None:
        self.cursor_position = len(self.value)
        self._offer()

    def on_input_changed(self) -> None:
        self._offer()

    def _offer(self) -> None:
        self._completion = self._complete(self.value, self.cursor_position)
        self._offered = self._completion.candidates
        self._pointed_at = 0
        self.post_message(self.Offered(self._offered, 0))

    def action_point(self, by: int) -> None:
        """The next candidate; above the first one, earlier filters."""
        if by < 0 and self._pointed_at == 0:
            self._go_back(1)
        elif by > 0 and self._in_history >= 0:
            self._go_back(-1)
        elif self._offered:
            self._pointed_at = max(0, min(self._pointed_at + by, len(self._offered) - 1))
            self.post_message(self.Offered(self._offered, self._pointed_at))

    def _go_back(self, by: int) -> None:
        if self._in_history < 0:
            self._typed = self.value
        place = self._in_history + by
        if place >= len(self._history):
            return
        self._in_history = place
        self.value = self._typed if place < 0 else self._history[place]
        self.cursor_position = len(self.value)

    def action_take_candidate(self) -> None:
        completion = self._completion
        if completion is None or not self._offered or not self.value[completion.start :].strip():
            self.screen.focus_next()
            return
        candidate = self._offered[self._pointed_at]
        text, cursor = completion.taken(self.value, candidate)
        if text == self.value:
            self.screen.focus_next()
            return
        self.value, self.cursor_position = text, cursor


def offered(candidates: Sequence[Candidate], pointed_at: int) -> str:
    """Candidates one a line, the one that is pointed at marked."""
    first = max(0, min(pointed_at - SHOWN + 1, len(candidates) - SHOWN))
    shown = list(enumerate(candidates))[first : first + SHOWN]
    width = max((len(each.text) for _, each in shown), default=0)
    lines = [
        f"{'▸' if place == pointed_at else ' '} {each.text:<{min(width, 30)}}  {each.detail}".rstrip()
        for place, each in shown
    ]
    return "\n".join(lines)
