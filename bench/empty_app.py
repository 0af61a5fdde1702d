"""The floor of a first paint: a Textual application with one word on its screen."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    """Shows a word and ends on q."""

    BINDINGS = [("q", "quit", "Quit")]  # noqa: RUF012  # typed so by Textual

    def compose(self) -> ComposeResult:
        yield Static("Painted")


if __name__ == "__main__":
    Empty().run()
