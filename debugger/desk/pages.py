"""Keys that show something to read in front of the desk, or leave it."""

from __future__ import annotations

import asyncio

from debugger.desk.place import Deeds, Place
from debugger.opening import Opening
from debugger.views import inspect
from debugger.views.text import Emphasis, Segment
from kernel.errors import HookscopeError


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def state() -> None:
        await _state(place)

    return {
        "notes": lambda: _notes(place),
        "state": state,
        "help": lambda: _help(place),
        "quit": lambda: place.host.exit(0),
    }


def _notes(place: Place) -> None:
    from debugger.lenses.help import Page

    nothing = [inspect.line(Segment("Nothing so far.", Emphasis.DIM))]
    lines = [
        inspect.line(inspect.said(note.text, Emphasis.ERROR if note.is_trouble else Emphasis.NONE))
        for note in place.told
    ]
    place.host.push_screen(Page("What hookscope had to tell", lines or nothing))


async def _state(place: Place) -> None:
    """The agent's session file, as it is now."""
    from debugger import state
    from debugger.lenses.help import Page

    path = place.opening.state if isinstance(place.opening, Opening) else None
    if path is None:
        place.say("Open hookscope with --state FILE to read a session file of the agent here.")
        return
    try:
        lines = await asyncio.to_thread(state.page, path)
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    place.host.push_screen(Page(f"What the agent stored: {path.name}", lines))


def _help(place: Place) -> None:
    from debugger.lenses.help import Page, help_lines

    focused = place.host.screen.focused
    pane = [] if focused is None else [binding for _, binding in focused._bindings if binding.description]
    place.host.push_screen(Page("hookscope: keys", help_lines(place.actions, pane)))
