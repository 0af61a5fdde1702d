"""The settings of one fault, and for how long it is armed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from debugger.lenses.dialog import Dialog
from debugger.views.text import visible
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Arming:
    """What was decided."""

    params: Mapping[str, JSON]
    is_once: bool


class FaultForm(Dialog[Arming | None]):
    """Asks for the settings and whether the fault befalls the next call or every call."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Close")]

    def __init__(
        self, title: str, defaults: Mapping[str, JSON], check: Callable[[Mapping[str, JSON]], str | None]
    ) -> None:
        super().__init__()
        self._title = title
        self._defaults = defaults
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Label(Text(visible(self._title)), id="title")
            for name, default in self._defaults.items():
                yield Label(name)
                yield Input(str(default), id=f"param-{name}", type="number" if isinstance(default, int) else "text")
            yield Label(id="problem")
            with Horizontal(id="buttons"):
                yield Button("Next call", id="once", variant="primary")
                yield Button("Every call", id="always")

    def on_mount(self) -> None:
        self.query_one("#once").focus()

    def on_input_submitted(self) -> None:
        self._decide(is_once=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self._decide(is_once=event.button.id == "once")

    def _decide(self, *, is_once: bool) -> None:
        params: dict[str, JSON] = {}
        for name, default in self._defaults.items():
            typed = self.query_one(f"#param-{name}", Input).value
            params[name] = _number(typed) if isinstance(default, int) else typed
        problem = self._check(params)
        if problem is None:
            self.dismiss(Arming(params, is_once))
        else:
            shown = self.query_one("#problem", Label)
            shown.add_class("wrong")
            shown.update(Text(visible(problem)))


def _number(typed: str) -> JSON:
    try:
        return int(typed)
    except ValueError:
        try:
            return float(typed)
        except ValueError:
            return typed
