"""Keys about breakpoints: set, written, listed, turned off, kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.breakpoints.ready import READY
from debugger.desk.place import CHOOSE_FIRST, Deeds, Place
from debugger.session import Session
from kernel.errors import HookscopeError

KEYS = {"enter": "edit", "e": "edit", "n": "new", "r": "ready ones", "space": "on/off", "d": "delete",
        "s": "keep in the project file"}  # fmt: skip


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def breakpoints() -> None:
        await _listed(place)

    async def break_where() -> None:
        await _new(place)

    return {
        "break_before": lambda: _toggle(place, Side.BEFORE),
        "break_after": lambda: _toggle(place, Side.AFTER),
        "breakpoints": breakpoints,
        "break_where": break_where,
        "mute": lambda: _mute(place),
    }


def _toggle(place: Place, side: Side) -> None:
    seat = place.seat
    if seat is None:
        place.say(CHOOSE_FIRST)
        return
    breakpoint = at_seat(seat.name, seat.point, side)
    verb = "no longer holds" if place.seen.breakpoint_like(breakpoint) else "holds"
    place.wish(lambda session: session.toggle_breakpoint(breakpoint))
    place.say(f"{verb} {side} {seat.name} at {seat.point}", timeout=2)


def _mute(place: Place) -> None:
    are_on = not place.seen.are_breakpoints_on
    place.wish(lambda session: session.turn_breakpoints(are_on))
    place.say("Breakpoints hold again." if are_on else "No breakpoint holds; none is forgotten.", timeout=3)


async def _new(place: Place) -> None:
    from debugger.desk.writing import breakpoint_written

    seat = place.seat
    start = Breakpoint("") if seat is None else at_seat(seat.name, seat.point)
    written = await breakpoint_written(place, "Hold, or tell, where", start)
    if written is not None:
        await _do(place, lambda session: session.add_breakpoint(written))


async def _listed(place: Place) -> None:
    """The list, again and again until the reader leaves it."""
    from debugger.desk.writing import breakpoint_written
    from debugger.lenses.lister import Lister
    from debugger.lenses.picker import Choice
    from debugger.views.breakpoints import breakpoint_row

    start = 0
    while place.session is not None:
        known = place.session.view.breakpoints
        rows = [Choice(str(each.number), *breakpoint_row(each)) for each in known]
        title = "Breakpoints" if place.session.view.are_breakpoints_on else "Breakpoints, all of them off (M)"
        nothing = "None yet. b holds before the chosen subscriber, n writes one, r has ready ones."
        wish = await place.host.push_screen_wait(Lister(title, rows, KEYS, nothing=nothing, start=start))
        if wish is None:
            return
        chosen = next((each for each in known if str(each.number) == wish.id), None)
        start = 0 if chosen is None else known.index(chosen)
        if wish.verb == "new":
            await _new(place)
        elif wish.verb == "ready ones":
            await _ready(place)
        elif wish.verb.startswith("keep"):
            await keep(place)
        elif chosen is None:
            continue
        elif wish.verb == "delete":
            number = chosen.number
            await _do(place, partial(Session.remove_breakpoint, number=number))
        else:
            changed: Breakpoint | None = replace(chosen.breakpoint, is_on=not chosen.breakpoint.is_on)
            if wish.verb == "edit":
                changed = await breakpoint_written(place, "Change this breakpoint", chosen.breakpoint)
            if changed is not None:
                number, now = chosen.number, changed
                await _do(place, partial(Session.change_breakpoint, number=number, breakpoint=now))


async def _ready(place: Place) -> None:
    from debugger.desk.writing import breakpoint_written
    from debugger.lenses.picker import Choice, Picker

    choices = [Choice(where, name, f"{summary}: {where}") for name, where, summary in READY]
    where = await place.host.push_screen_wait(Picker("Hold after a subscriber when ...", choices))
    if where is None:
        return
    written = await breakpoint_written(place, "Hold, or tell, where", Breakpoint(where, Side.AFTER))
    if written is not None:
        await _do(place, lambda session: session.add_breakpoint(written))


async def keep(place: Place) -> None:
    """Write breakpoints and watches to the project file."""
    if place.session is None:
        return
    breakpoints = [each.breakpoint for each in place.session.view.breakpoints]
    try:
        await asyncio.to_thread(place.book.keep, breakpoints, place.book.watches)
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    place.say(f"Kept in {place.book.file}.", timeout=3)


async def _do(place: Place, doing: Callable[[Session], object]) -> None:
    """Have it done before the list is shown again; what is refused is said."""
    session = place.session
    assert session is not None
    try:
        await place.call(lambda: doing(session))
    except HookscopeError as error:
        place.say(str(error), severity="error")
