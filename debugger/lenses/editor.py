"""An editor for JSON that checks while one types and never loses what was typed."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widgets import Label, TextArea

from debugger.lenses.dialog import Dialog
from debugger.lenses.json_area import LARGE, JsonArea, Offering, shown
from debugger.views.text import visible

PAUSE_S = 0.4
"""How long a reader has to stop typing before a large text is looked at."""

Check = Callable[[str], str | None]
"""Takes the text; gives what is wrong with it in a sentence, or None."""
Warn = Callable[[str], str]
"""Takes a text that can be taken; gives what it would meet, or nothing."""


class Editor(Dialog[str | None]):
    """Gives the text once it is right and taken, or None when the reader leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "take", "Take it", priority=True),
        Binding("ctrl+e", "outside", "Your editor", priority=True),
        Binding("escape", "leave", "Leave it", priority=True),
    ]

    def __init__(
        self, title: str, text: str, check: Check, warn: Warn | None = None, offering: Offering | None = None
    ) -> None:
        super().__init__()
        self._title = title
        self._start = text
        self._check = check
        self._warn = warn
        self._offering = offering
        self._is_leaving = False
        self._pending: Timer | None = None

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog", classes="tall"):
            yield Label(Text(visible(self._title)), id="title")
            yield JsonArea(self._start, self._offering)
            yield Label(id="offered")
            yield Label(id="problem")
            keys = "ctrl+s takes it   ctrl+e your editor   escape leaves it"
            yield Label(keys if self._offering is None else f"tab offers   {keys}", id="hint")

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()
        self._judge()

    def on_json_area_offered(self, event: JsonArea.Offered) -> None:
        self.query_one("#offered", Label).update(shown(event.open, self.query_one(JsonArea).size.width))

    def on_text_area_changed(self) -> None:
        self._is_leaving = False
        if len(self.query_one(TextArea).text) <= LARGE:
            self._judge()
            return
        self._say("… is looked at once you stop typing")  # looking takes longer than the next key
        if self._pending is not None:
            self._pending.stop()
        self._pending = self.set_timer(PAUSE_S, self._judge)

    def _judge(self) -> str | None:
        text = self.query_one(TextArea).text
        problem = self._check(text)
        warning = self._warn(text) if problem is None and self._warn is not None else ""
        self._say(problem or warning or "✓ can be taken", is_wrong=bool(problem or warning))
        return problem

    def _say(self, words: str, *, is_wrong: bool = False) -> None:
        shown = self.query_one("#problem", Label)
        shown.set_class(is_wrong, "wrong")
        shown.update(Text(visible(words)))

    def action_take(self) -> None:
        """Take it, after whatever was typed before this key: it may still be on its way to the text."""
        self.query_one(TextArea).call_later(self._take)

    def _take(self) -> None:
        problem = self._judge()
        if problem is None:
            self.dismiss(self.query_one(TextArea).text)
        else:
            self.app.bell()

    def action_leave(self) -> None:
        """Leave, but only on a second press where something was typed."""
        self.query_one(TextArea).call_later(self._leave)

    def _leave(self) -> None:
        area = self.query_one(JsonArea)
        if area.is_offering:
            area.close()
            return
        if self.query_one(TextArea).text == self._start or self._is_leaving:
            self.dismiss(None)
            return
        self._is_leaving = True
        self._say("You changed something: escape again throws it away, ctrl+s takes it.", is_wrong=True)

    def action_outside(self) -> None:
        """Edit in the editor of HOOKSCOPE_EDITOR, VISUAL or EDITOR."""
        self.query_one(TextArea).call_later(self._outside)

    def _outside(self) -> None:
        command = next(
            (os.environ[name] for name in ("HOOKSCOPE_EDITOR", "VISUAL", "EDITOR") if os.environ.get(name)), ""
        )
        if not command:
            self.notify("Set HOOKSCOPE_EDITOR, VISUAL or EDITOR to the editor you want.", severity="warning")
            return
        area = self.query_one(TextArea)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "edit.json"
            path.write_text(area.text)
            try:
                with self.app.suspend():
                    subprocess.run([*shlex.split(command), str(path)], check=True)
                area.load_text(path.read_text())
            except (OSError, ValueError, subprocess.CalledProcessError, SuspendNotSupported) as error:
                self.notify(
                    f"{command!r} did not work: {error}. Your text is still here.", severity="error", markup=False
                )
        self._judge()
