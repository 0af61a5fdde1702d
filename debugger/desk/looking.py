"""Keys that give a pane all the room, or take along what it shows."""

from __future__ import annotations

from textual.screen import Screen
from textual.widget import Widget

from debugger.lenses.lines import TextView

PANES = ("chain", "dispatches", "spans", "inspector")


def zoom(desk: Screen[None]) -> None:
    """Give the pane in focus the room of all, or take it back."""
    panes = [desk.query_one(f"#{name}", Widget) for name in PANES]
    is_zoomed = any(pane.has_class("hidden") for pane in panes)
    focused = [pane for pane in panes if pane.has_focus or pane.has_pseudo_class("focus-within")]
    left = desk.query_one("#left", Widget)
    for pane in panes:
        pane.set_class(not is_zoomed and bool(focused) and pane not in focused, "hidden")
        pane.set_class(not is_zoomed and pane in focused, "zoomed")
    is_left_empty = all(pane.has_class("hidden") for pane in panes[1:3])
    left.set_class(is_left_empty, "hidden")
    left.set_class(not is_zoomed and not is_left_empty and bool(focused), "zoomed")
    desk.query_one("#main").set_class(is_left_empty and panes[3].has_class("hidden"), "hidden")


def copied(desk: Screen[None]) -> str:
    """Copy what the inspector says; gives a sentence about it."""
    text = desk.query_one("#text", TextView).text
    desk.app.copy_to_clipboard(text)
    return f"{len(text)} characters were sent to the terminal's clipboard (OSC 52)."
