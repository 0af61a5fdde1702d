"""What stands in front of everything while the terminal has no room for the panes."""

from __future__ import annotations

from typing import Final

from textual.widgets import Static

LEAST_WIDTH: Final = 60
LEAST_HEIGHT: Final = 16
"""Cells below which panes are too small to say anything; debugger/app.py gives screens a class for it."""


class TooSmall(Static):
    """A sentence with the way out. The panes stay as they are behind it, focus included."""

    def __init__(self) -> None:
        super().__init__(id="small", markup=False)

    def on_resize(self) -> None:
        self.update(told(*self.app.size))


def told(width: int, height: int) -> str:
    """What is wrong with a size in cells, and what would be right."""
    return (
        f"This terminal is {width}x{height}, too small to show anything. Make it about {LEAST_WIDTH}x{LEAST_HEIGHT} "
        "or larger. q leaves."
    )
