"""A list of things to manage: each key does something to the one that is chosen. Gives what was wished for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from debugger.lenses.dialog import Dialog
from debugger.lenses.picker import Choice, line_of
from debugger.views.text import visible


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done, and to which; the id is empty where there is none."""

    verb: str
    id: str


class Lister(Dialog[Wish | None]):
    """`keys` says which key wishes for what; enter wishes for the first of them."""

    def __init__(
        self, title: str, rows: Sequence[Choice], keys: Mapping[str, str], *, nothing: str, start: int = 0
    ) -> None:
        super().__init__()
        self._title = title
        self._rows = rows
        self._keys = keys
        self._nothing = nothing
        self._start = start

    def compose(self) -> ComposeResult:
        width = min(60, max([cell_len(visible(row.name)) for row in self._rows], default=0))
        with Vertical(id="dialog"):
            yield Label(Text(visible(self._title)), id="title")
            if not self._rows:
                yield Label(Text(self._nothing))
            yield OptionList(*(Option(line_of(row, width), id=row.id) for row in self._rows))
            hint = "   ".join(f"{key} {verb}" for key, verb in self._keys.items())
            yield Label(Text(f"{hint}   escape closes"), id="hint")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.focus()
        if self._rows:
            options.highlighted = min(self._start, len(self._rows) - 1)

    def on_key(self, event: events.Key) -> None:
        options = self.query_one(OptionList)
        match event.key:
            case "escape" | "q":
                self.dismiss(None)
            case "j":
                options.action_cursor_down()
            case "k":
                options.action_cursor_up()
            case key if key in self._keys:
                self.dismiss(Wish(self._keys[key], self._chosen()))
            case _:
                return
        event.stop()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(Wish(next(iter(self._keys.values())), event.option.id or ""))

    def _chosen(self) -> str:
        options = self.query_one(OptionList)
        if options.highlighted is None:
            return ""
        return options.get_option_at_index(options.highlighted).id or ""
