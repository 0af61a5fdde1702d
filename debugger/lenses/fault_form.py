"""The settings of one fault, whom it befalls, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from debugger.befalling import WORDS, when
from debugger.lenses.dialog import Dialog
from debugger.lenses.filter_input import Complete, FilterInput, offered
from debugger.lenses.prompt import visible_lines
from debugger.session import ONCE, When
from debugger.views.text import visible
from kernel.errors import BadInput
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Arming:
    """What was decided."""

    params: Mapping[str, JSON]
    where: str
    """A filter."""
    when: When


Check = Callable[[Arming], str | None]
"""What is wrong with it in a sentence, or None."""


class FaultForm(Dialog[Arming | None]):
    """Asks for the settings; the buttons say for which calls, or as it is written."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close", priority=True)]

    def __init__(self, title: str, defaults: Mapping[str, JSON], where: str, complete: Complete, check: Check) -> None:
        super().__init__()
        self._title = title
        self._defaults = defaults
        self._where = where
        self._complete = complete
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Label(Text(visible(self._title)), id="title")
            for name, default in self._defaults.items():
                with Horizontal(classes="row"):
                    yield Label(f"{name} ", classes="name")
                    is_number = isinstance(default, int)
                    yield Input(str(default), id=f"param-{name}", type="number" if is_number else "text", compact=True)
            with Horizontal(classes="row"):
                yield Label("befalls ", classes="name")
                yield FilterInput(self._where, self._complete, id="where", compact=True)
            with Horizontal(classes="row"):
                yield Label("calls ", classes="name")
                yield Input("every", id="when", compact=True, placeholder=WORDS)
                yield Label(" chance % ")
                yield Input("100", id="chance", compact=True)
                yield Label(" seed ")
                yield Input("0", id="seed", compact=True)
            yield Label(id="offered")
            yield Label(id="problem")
            with Horizontal(id="buttons"):
                yield Button("Next call", id="once", variant="primary")
                yield Button("Every call", id="always")
                yield Button("As written", id="written")

    def on_mount(self) -> None:
        self.query_one("#once").focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        is_setting = (event.input.id or "").startswith("param-")
        self._decide("once" if is_setting else "written")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self._decide(event.button.id or "")

    def on_filter_input_offered(self, event: FilterInput.Offered) -> None:
        has_focus = self.query_one(FilterInput).has_focus
        said = offered(event.candidates, event.pointed_at) if has_focus else ""
        self.query_one("#offered", Label).update(Text(visible_lines(said)))

    def _decide(self, which: str) -> None:
        params: dict[str, JSON] = {}
        for name, default in self._defaults.items():
            typed = self._typed(f"param-{name}")
            params[name] = _number(typed) if isinstance(default, int) else typed
        try:
            arming = Arming(params, self._typed("where").strip(), self._when(which))
            problem = self._check(arming)
        except BadInput as error:
            problem = str(error)
        if problem is None:
            self.dismiss(arming)
            return
        shown = self.query_one("#problem", Label)
        shown.add_class("wrong")
        shown.update(Text(visible_lines(problem)))

    def _when(self, which: str) -> When:
        match which:
            case "once":
                return ONCE
            case "always":
                return When()
            case _:
                return when(self._typed("when"), self._typed("chance"), self._typed("seed"))

    def _typed(self, name: str) -> str:
        return self.query_one(f"#{name}", Input).value


def _number(typed: str) -> JSON:
    try:
        return int(typed)
    except ValueError:
        try:
            return float(typed)
        except ValueError:
            return typed
