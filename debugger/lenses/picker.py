"""A list to pick one thing from, in front of everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from debugger.lenses.dialog import Dialog
from debugger.views.text import fit, visible


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to pick."""

    id: str
    name: str
    summary: str


class Picker(Dialog[str | None]):
    """Gives the id of what was picked, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "Close"),
        Binding("j", "move('down')", show=False),
        Binding("k", "move('up')", show=False),
    ]

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield self.heading()
            yield self.options()
            yield Label("enter picks, escape closes", id="hint")

    def heading(self) -> Label:
        """What is to be picked."""
        return Label(Text("\n".join(map(visible, self._title.split("\n")))), id="title")

    def options(self) -> OptionList:
        """Everything that can be picked."""
        width = max([cell_len(visible(choice.name)) for choice in self._choices], default=0)
        return OptionList(*(Option(line_of(choice, width), id=choice.id) for choice in self._choices))

    def action_move(self, way: str) -> None:
        options = self.query_one(OptionList)
        if way == "down":
            options.action_cursor_down()
        else:
            options.action_cursor_up()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)


def line_of(choice: Choice, width: int) -> Text:
    """A choice on one line, its name as wide as that of the others."""
    line = Text.assemble((fit(choice.name, width), "bold"), f"  {visible(choice.summary)}")
    line.no_wrap, line.overflow = True, "ellipsis"
    return line
