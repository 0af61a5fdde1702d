"""One line to write, judged while it is typed: filters, expressions, names, numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Input, Label

from debugger.filters import Completion
from debugger.lenses.dialog import Dialog
from debugger.lenses.filter_input import Complete, FilterInput, offered
from debugger.views.text import visible

PAUSE_S = 0.15
"""How long a reader has to stop typing before something is counted."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is to be said of a text while it is typed."""

    words: str
    """May be several lines: a sentence, the text, a caret below it."""
    is_wrong: bool = False
    can_be_taken: bool = True


Judge = Callable[[str], Judgement]
"""Quick: it is asked with every key."""
Count = Callable[[str], str]
"""Slower: asked in a thread of its own once typing stops, of a text that can be taken. Gives a sentence."""


def nothing(text: str, cursor: int) -> Completion:
    """Offers nothing."""
    return Completion(cursor, cursor, ())


class Prompt(Dialog[str | None]):
    """Gives the text, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close", priority=True)]

    def __init__(
        self,
        title: str,
        text: str,
        judge: Judge,
        *,
        complete: Complete = nothing,
        history: Sequence[str] = (),
        count: Count | None = None,
        hint: str = "enter takes it, escape leaves it",
    ) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._judge = judge
        self._complete = complete
        self._history = history
        self._count = count
        self._hint = hint
        self._pending: Timer | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Label(Text(visible(self._title)), id="title")
            yield FilterInput(self._text, self._complete, self._history, id="line")
            yield Label(id="problem")
            yield Label(id="counted")
            yield Label(id="offered")
            yield Label(self._hint, id="hint")

    def on_mount(self) -> None:
        self.query_one(FilterInput).focus()
        self._say()

    def on_input_changed(self) -> None:
        self._say()

    def on_filter_input_offered(self, event: FilterInput.Offered) -> None:
        self.query_one("#offered", Label).update(Text(visible_lines(offered(event.candidates, event.pointed_at))))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if self._judge(event.value).can_be_taken:
            self.dismiss(event.value)
        else:
            self.app.bell()

    def _say(self) -> None:
        text = self.query_one(FilterInput).value
        judgement = self._judge(text)
        shown = self.query_one("#problem", Label)
        shown.set_class(judgement.is_wrong, "wrong")
        shown.update(Text(visible_lines(judgement.words)))
        if self._count is None:
            return
        self.query_one("#counted", Label).update("")
        if self._pending is not None:
            self._pending.stop()
        if judgement.can_be_taken:
            self._pending = self.set_timer(PAUSE_S, lambda: self._begin_counting(text))

    def _begin_counting(self, text: str) -> None:
        self.run_worker(lambda: self._counted(text), thread=True, exclusive=True, group="count", exit_on_error=False)

    def _counted(self, text: str) -> None:
        assert self._count is not None
        said = self._count(text)

        def show() -> None:
            if self.is_mounted and self.query_one(FilterInput).value == text:
                self.query_one("#counted", Label).update(Text(visible(said)))

        self.app.call_from_thread(show)


def visible_lines(text: str) -> str:
    """Text of several lines, each made visible."""
    return "\n".join(map(visible, text.split("\n")))
