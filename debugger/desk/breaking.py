"""Keys that hold subscribers, break them, start them again, and throw switches of the dialect."""

from __future__ import annotations

from debugger.desk.place import CHOOSE_FIRST, Deeds, Place
from debugger.runcontrol import Breakpoint, Side


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def fault() -> None:
        await _fault(place)

    async def switches() -> None:
        await _switches(place)

    async def restart() -> None:
        await _restart(place)

    return {
        "break_before": lambda: _toggle_breakpoint(place, Side.BEFORE),
        "break_after": lambda: _toggle_breakpoint(place, Side.AFTER),
        "fault": fault,
        "disarm": lambda: place.wish(lambda session: session.disarm()),
        "switches": switches,
        "restart": restart,
    }


def _toggle_breakpoint(place: Place, side: Side) -> None:
    seat = place.seat
    if seat is None:
        place.say(CHOOSE_FIRST)
        return
    breakpoint = Breakpoint(seat.name, seat.point, side)
    verb = "no longer holds" if breakpoint in place.seen.breakpoints else "holds"
    place.wish(lambda session: session.toggle_breakpoint(breakpoint))
    place.say(f"{verb} {side} {seat.name} at {seat.point}", timeout=2)


async def _fault(place: Place) -> None:
    """Choose a fault for the chosen subscriber, and arm it."""
    from debugger import dialogs

    seat, session = place.seat, place.session
    if seat is None or session is None:
        place.say(CHOOSE_FIRST)
        return
    is_armed = any(armed.befalls(seat) for armed in place.seen.armed)
    trouble = await dialogs.trouble(place.host, seat, session.setup.dialect, is_armed=is_armed)
    if trouble is None:
        return
    fault, is_once = trouble.fault, trouble.is_once
    if fault is None:
        place.wish(lambda session: session.disarm(seat))
    else:
        place.wish(lambda session: session.arm(seat, fault, is_once=is_once))


async def _switches(place: Place) -> None:
    from debugger import dialogs

    if place.session is None:
        return
    picked = await dialogs.switch(place.host, place.session.setup.dialect)
    if picked is not None:
        is_on = not place.session.setup.dialect.switches[picked]
        place.wish(lambda session: session.switch(picked, is_on))
        place.say(f"{picked} is {'on' if is_on else 'off'} from the next dispatch on", timeout=3)


async def _restart(place: Place) -> None:
    session = place.session
    if session is not None and place.seen.is_started:
        await place.ask(session.restart([each.name for each in place.seen.health]))
        place.say("Every subscriber was started again.", timeout=3)
