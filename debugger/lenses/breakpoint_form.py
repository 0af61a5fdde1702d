"""A breakpoint to write: its filter with what it would have hit, a count of hits, and a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Button, Input, Label

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.counts import ALWAYS
from debugger.lenses.dialog import Dialog
from debugger.lenses.filter_input import Complete, FilterInput, offered
from debugger.lenses.prompt import PAUSE_S, Judgement, visible_lines
from debugger.views.text import visible


@dataclass(frozen=True, slots=True)
class Written:
    """What was written, as texts."""

    where: str
    side: Side
    count: str
    log: str


@dataclass(frozen=True, slots=True)
class Looks:
    """How a breakpoint is judged while it is written."""

    complete: Complete
    judge: Callable[[Written], Judgement]
    """Quick."""
    count: Callable[[str], str]
    """Slower: what the filter would have hit."""
    side: Callable[[str], Side | None]
    """The side at which a filter can be known; None where it cannot be read."""
    history: Sequence[str] = ()
    """Filters that were used before, the newest first."""


class BreakpointForm(Dialog[Written | None]):
    """Gives what was written once it can be taken, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close", priority=True)]

    def __init__(self, title: str, start: Breakpoint, looks: Looks) -> None:
        super().__init__()
        self._title = title
        self._start = start
        self._looks = looks
        self._pending: Timer | None = None

    def compose(self) -> ComposeResult:
        count = "" if self._start.count == ALWAYS else str(self._start.count)
        with Vertical(id="dialog"):
            yield Label(Text(visible(self._title)), id="title")
            yield Label("filter")
            yield FilterInput(self._start.where, self._looks.complete, self._looks.history, id="where")
            yield Label(id="problem")
            yield Label(id="counted")
            yield Label(id="offered")
            with Horizontal(classes="row"):
                yield Label("hits ", classes="name")
                yield Input(count, id="count", compact=True, placeholder="every one; or =3, >=3, %3")
            with Horizontal(classes="row"):
                yield Label("tells ", classes="name")
                yield Input(
                    self._start.log, id="log", compact=True, placeholder="nothing: it holds; or {sub} took {dur}"
                )
            with Horizontal(id="buttons"):
                yield Button("Hold before", id="before")
                yield Button("Hold after", id="after")

    def on_mount(self) -> None:
        self.query_one(FilterInput).focus()
        self._say()

    def on_input_changed(self) -> None:
        self._say()

    def on_filter_input_offered(self, event: FilterInput.Offered) -> None:
        self.query_one("#offered", Label).update(Text(visible_lines(offered(event.candidates, event.pointed_at))))

    def on_input_submitted(self) -> None:
        self._take(self._side())

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self._take(Side(event.button.id or ""))

    def _written(self, side: Side) -> Written:
        where, count, log = (self.query_one(f"#{name}", Input).value for name in ("where", "count", "log"))
        return Written(where.strip(), side, count, log)

    def _side(self) -> Side:
        """As it was, or the first side at which the filter can be known."""
        where = self.query_one("#where", Input).value
        if where == self._start.where and where:
            return self._start.side
        return self._looks.side(where) or Side.BEFORE

    def _take(self, side: Side) -> None:
        written = self._written(side)
        if self._looks.judge(written).can_be_taken:
            self.dismiss(written)
        else:
            self.app.bell()

    def _say(self) -> None:
        side = self._side()
        for each in Side:
            button = self.query_one(f"#{each}", Button)
            button.variant = "primary" if each is side else "default"
            verb = "Tell" if self.query_one("#log", Input).value else "Hold"
            button.label = f"{verb} {each}{' ⏎' if each is side else ''}"
        written = self._written(side)
        judgement = self._looks.judge(written)
        shown = self.query_one("#problem", Label)
        shown.set_class(judgement.is_wrong, "wrong")
        shown.update(Text(visible_lines(judgement.words)))
        self.query_one("#counted", Label).update("")
        if self._pending is not None:
            self._pending.stop()
        if judgement.can_be_taken:
            self._pending = self.set_timer(PAUSE_S, lambda: self._begin_counting(written.where))

    def _begin_counting(self, where: str) -> None:
        self.run_worker(lambda: self._counted(where), thread=True, exclusive=True, group="count", exit_on_error=False)

    def _counted(self, where: str) -> None:
        said = self._looks.count(where)

        def show() -> None:
            if self.is_mounted and self.query_one("#where", Input).value.strip() == where:
                self.query_one("#counted", Label).update(Text(visible(said)))

        self.app.call_from_thread(show)
