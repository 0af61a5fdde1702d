"""Keys that break subscribers, start them again, and throw switches of the dialect."""

from __future__ import annotations

from functools import partial

from debugger.breakpoints.breakpoint import in_mode
from debugger.breakpoints.compiled import read
from debugger.desk.place import CHOOSE_FIRST, Deeds, Place


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def fault() -> None:
        await _fault(place)

    async def switches() -> None:
        await _switches(place)

    async def restart() -> None:
        await _restart(place)

    async def armed() -> None:
        await _armed(place)

    return {
        "fault": fault,
        "armed": armed,
        "disarm": lambda: place.wish(lambda session: session.disarm()),
        "switches": switches,
        "restart_processes": restart,
    }


async def _fault(place: Place) -> None:
    """Choose a fault for the chosen subscriber, and arm it."""
    from debugger import dialogs

    seat, session = place.seat, place.session
    if seat is None or session is None:
        place.say(CHOOSE_FIRST)
        return
    is_armed = any(armed.where == in_mode(seat.name, seat.mode) for armed in place.seen.armed)
    place.book.learn(place.trace.dispatches)
    saved = place.book.saved
    trouble = await dialogs.trouble(
        place.host,
        seat,
        session.setup.dialect,
        place.book.complete,
        lambda where: read(where, saved),
        is_armed=is_armed,
    )
    if trouble is None:
        return
    fault, where, when = trouble.fault, trouble.where, trouble.when
    if fault is None:
        place.wish(lambda session: session.disarm(seat))
    else:
        place.wish(lambda session: session.arm_where(where, fault, when))


async def _armed(place: Place) -> None:
    """Everything that is armed, again and again until the reader leaves it."""
    from debugger.lenses.lister import Lister
    from debugger.lenses.picker import Choice
    from debugger.views.breakpoints import armed_row

    while place.session is not None:
        armed = place.session.view.armed
        rows = [Choice(each.where, *armed_row(each)) for each in armed]
        keys = {"d": "take away", "X": "take away all"}
        nothing = "No fault is armed. x arms one for the chosen subscriber."
        wish = await place.host.push_screen_wait(Lister("Armed faults", rows, keys, nothing=nothing))
        if wish is None:
            return
        session, where = place.session, wish.id
        if wish.verb == "take away all":
            await place.call(session.disarm)
        elif where:
            await place.call(partial(session.disarm_where, where))


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
