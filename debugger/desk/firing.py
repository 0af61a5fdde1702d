"""Keys that fire: the same again, another point, another payload."""

from __future__ import annotations

from dataclasses import replace

from debugger.desk.place import STARTING, Deeds, Place
from debugger.runcontrol import Stance
from debugger.session import Session
from kernel.errors import HookscopeError
from kernel.values import Payload


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def fire_again() -> None:
        await fire(place, place.point, Stance.TO_BREAKPOINT)

    async def fire_held() -> None:
        await fire(place, place.point, Stance.TO_NEXT_SEAM)

    async def choose() -> None:
        await _choose_point(place)

    return {
        "fire": fire_again,
        "fire_held": fire_held,
        "another": fire_again,
        "another_held": fire_held,
        "choose_point": choose,
        "choose_another": choose,
    }


async def fire(place: Place, point: str, stance: Stance, payload: Payload | None = None) -> None:
    """Fire at a point; without a payload, the one that was fired there last, or else the usual one."""
    session = place.session
    if session is None or not session.view.is_started or not point:
        place.say(STARTING, severity="warning")
        return
    try:
        fired = payload or await payload_for(place, session, point)
        place.payloads[point] = fired
        place.point = point
        place.choosing = replace(place.choosing, is_following=True)
        await place.ask(session.fire(point, fired, stance))
    except HookscopeError as error:
        place.say(str(error), severity="error")


async def payload_for(place: Place, session: Session, point: str) -> Payload:
    """The payload that was fired there last, or else the usual one. Raises BadInput."""
    from debugger.payloads import default

    known = place.payloads.get(point)
    return known if known is not None else await place.call(lambda: default(session.setup, point))


async def _choose_point(place: Place) -> None:
    from debugger import dialogs

    if place.session is None:
        return
    try:
        firing = await dialogs.firing(place.host, place.session.setup)
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    if firing is not None:
        await fire(place, firing.point, Stance.TO_BREAKPOINT, firing.payload)
