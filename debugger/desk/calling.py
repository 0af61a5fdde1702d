"""Keys about the call of one subscriber: what travelled, and asking it alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from debugger.desk.place import CHOOSE_FIRST, STARTING, Deeds, Place
from debugger.runcontrol import Stance
from debugger.session import Session
from debugger.session.alone import alone
from kernel.errors import HookscopeError
from kernel.facts import Fork
from kernel.values import Payload, Subscription

MADE_UP = 3
"""Payloads that are offered where none was prepared."""


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def into() -> None:
        await _into(place)

    async def by_itself() -> None:
        await _alone(place)

    return {"into": into, "alone": by_itself}


async def _into(place: Place) -> None:
    from debugger.lenses.help import AskingPage
    from debugger.views.frames import frames

    trace, dialect, step = place.chosen, place.dialect, place.choosing.step
    if trace is None or dialect is None or step is None:
        place.say(CHOOSE_FIRST)
        return
    lines = await asyncio.to_thread(frames, trace.step(step), dialect)
    await place.host.push_screen_wait(
        AskingPage(f"#{trace.number} the call of {trace.step(step).subscription.name}", lines)
    )


async def _alone(place: Place) -> None:
    seat, session = place.seat, place.session
    if seat is None or session is None:
        place.say(CHOOSE_FIRST)
        return
    if not session.view.is_started:
        place.say(STARTING, severity="warning")
        return
    try:
        payload = await _payload(place, session, seat)
        if payload is None:
            return
        trace, step = place.chosen, place.choosing.step
        fork = None if trace is None else Fork(trace.id, step, f"{seat.name} alone")
        place.choosing = replace(place.choosing, is_following=True)
        course = alone(seat, session.setup.dialect.own)
        await place.ask(session.fire(seat.point, payload, Stance.TO_BREAKPOINT, course=course, fork=fork))
    except HookscopeError as error:
        place.say(str(error), severity="warning")


async def _payload(place: Place, session: Session, seat: Subscription) -> Payload | None:
    """What it is to be asked about; None while the reader leaves it."""
    from debugger import dialogs
    from debugger.lenses.picker import Choice, Picker

    offered = await place.call(lambda: _offered(place, session, seat))
    choices = [Choice(str(number), name, "") for number, (name, _) in enumerate(offered)]
    choices.append(Choice("json", "JSON ...", "the first of these, edited"))
    picked = await place.host.push_screen_wait(Picker(f"Ask {seat.name} alone, about what?", choices))
    if picked is None:
        return None
    if picked != "json":
        return await place.call(offered[int(picked)][1])
    first = await place.call(offered[0][1])
    dialect, point = session.setup.dialect, seat.point
    edited = await dialogs.edited(
        place.host,
        f"Ask {seat.name} alone about this",
        first.view,
        lambda view: dialect.payload_from_view(point, view),
        shape=dialect.payload_shape(point),
    )
    return None if edited is None else dialect.payload_from_view(point, edited[0])


def _offered(place: Place, session: Session, seat: Subscription) -> list[tuple[str, Callable[[], Payload]]]:
    """Payloads by what they are: the one it was asked about, those that were prepared, and some made up."""
    from debugger import payloads

    dialect, point = session.setup.dialect, seat.point
    offered: list[tuple[str, Callable[[], Payload]]] = []
    trace, step = place.chosen, place.choosing.step
    if trace is not None and step is not None:
        given = trace.step(step).given or trace.opened.payload
        words = "what it was asked about" if trace.step(step).given is not None else "what was fired"
        offered.append((f"{words} in #{trace.number}", lambda: given))
    for sample in payloads.samples(session.setup):
        if sample.point == point:
            path = sample.path
            offered.append((path.name, lambda path=path: payloads.read(dialect, point, path)))  # type: ignore[misc]
    for seed in range(MADE_UP):
        words = f"made up for {point}, seed {seed}"
        offered.append((words, lambda seed=seed: dialect.sample_payload(point, seed)))  # type: ignore[misc]
    return offered
