"""The help page: what the keys do, from the table of actions and from the pane that had the focus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Label

from debugger.actions import Action, Group
from debugger.lenses.dialog import Dialog
from debugger.lenses.lines import TextView
from debugger.views.inspect import line
from debugger.views.text import Emphasis, Line, Segment, visible

KEY_NAMES = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "question_mark": "?",
    "slash": "/",
    "backslash": "\\",
    "asterisk": "*",
    "at": "@",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "right_curly_bracket": "}",
    "left_curly_bracket": "{",
    "equals_sign": "=",
    "semicolon": ";",
    "apostrophe": "'",
    "plus": "+",
    "minus": "-",
    "dollar_sign": "$",
    "exclamation_mark": "!",
}


def key_name(keys: str) -> str:
    """Keys as they are printed on a keyboard."""
    return " ".join(KEY_NAMES.get(key, key) for key in keys.split(","))


def help_lines(actions: Sequence[Action], pane: Sequence[BindingType]) -> tuple[Line, ...]:
    """The whole page; `pane` are the keys of the pane in focus."""
    return tuple(_lines(actions, pane))


def _lines(actions: Sequence[Action], pane: Sequence[BindingType]) -> Iterable[Line]:
    for group in Group:
        of_group = [action for action in actions if action.group is group]
        if not of_group:
            continue
        yield line(Segment(group.value, Emphasis.STRONG))
        for action in of_group:
            yield line(Segment(f"  {key_name(action.key):<10}", Emphasis.ACCENT), action.help)
        yield line()
    yield line(Segment("In the pane that had the focus", Emphasis.STRONG))
    for binding in pane:
        assert isinstance(binding, Binding)
        yield line(Segment(f"  {key_name(binding.key):<18}", Emphasis.ACCENT), binding.description)
    yield line()
    yield line(Segment("Everywhere", Emphasis.STRONG))
    yield line(Segment("  tab       ", Emphasis.ACCENT), "To the next pane")
    yield line(Segment("  ctrl+p    ", Emphasis.ACCENT), "Palette with every action and theme")


def room(screen: int) -> int:
    """Cells for a line of a page, on a screen of this width: what the dialog's frame and the gutter leave."""
    return min(110, screen * 96 // 100) - 8


class AskingPage(Dialog[str | None]):
    """Some lines to read, and keys to say what is to be done then; gives the key's word, or None."""

    def __init__(
        self,
        title: str,
        lines: Sequence[Line],
        keys: Mapping[str, str] = MappingProxyType({}),
        *,
        is_short: bool = False,
    ) -> None:
        super().__init__()
        self._title = title
        self._lines = lines
        self._keys = keys
        self._is_short = is_short

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="" if self._is_short else "tall"):
            yield Label(Text(visible(self._title)), id="title")
            page = TextView(id="page")
            if self._is_short:
                page.styles.height = len(self._lines)
            yield page
            said = "   ".join(f"{key} {word}" for key, word in self._keys.items())
            yield Label(Text(f"{said}   escape closes".strip()), id="hint")

    def on_mount(self) -> None:
        page = self.query_one(TextView)
        page.set_lines(self._lines, keep_place=False)
        page.focus()

    def on_key(self, event: events.Key) -> None:
        if event.key in self._keys:
            event.stop()
            self.dismiss(self._keys[event.key])
        elif event.key in ("escape", "q"):
            event.stop()
            self.dismiss(None)


class Page(Dialog[None]):
    """Some lines to read, in front of everything else."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,f1,N,D", "dismiss(None)", "Close")]

    def __init__(self, title: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Label(self._title, id="title")
            yield TextView(id="page")
            yield Label("j and k scroll, escape closes", id="hint")

    def on_mount(self) -> None:
        page = self.query_one(TextView)
        page.set_lines(self._lines, keep_place=False)
        page.focus()
