"""Keys that change what flows: what is held, or the payload of another dispatch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from debugger.breakpoints import Side
from debugger.desk.firing import fire, payload_for
from debugger.desk.place import Deeds, Place
from debugger.runcontrol import Stance
from debugger.session import Hold, Session, legality
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.shapes import Shape
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Edit:
    """What can be edited at a hold."""

    title: str
    start: JSON
    check: Callable[[JSON], object]
    """Raises BadInput for what cannot be taken."""
    take: Callable[[Session, JSON], None]
    warn: Callable[[JSON], str] = lambda view: ""
    """What something that can be taken would meet; nothing where that is nothing to speak of."""
    shape: Shape | None = None
    """What can be written."""


def edit_of(hold: Hold, dialect: Dialect) -> Edit | None:
    """What goes in, before a subscriber; what came out, after it. None where nothing came that could be edited."""
    point = hold.ask.subscription.point
    if hold.side is Side.BEFORE:
        return Edit(
            f"What {hold.subscriber} is asked about",
            (hold.edited or hold.ask.payload).view,
            lambda view: dialect.payload_from_view(point, view),
            lambda session, view: session.edit_payload(hold.dispatch, hold.step, view),
            lambda view: _warning_of_payload(hold, dialect, view),
            dialect.payload_shape(point),
        )
    if hold.answer is None:
        return None
    return Edit(
        f"What {hold.subscriber} answered",
        dialect.answer_view(hold.edited_answer or hold.answer),
        lambda view: dialect.answer_from_view(hold.ask, view),
        lambda session, view: session.edit_answer(hold.dispatch, hold.step, view),
        lambda view: _warning_of_answer(hold, dialect, view),
        dialect.answer_shape(hold.ask),
    )


def _warning_of_payload(hold: Hold, dialect: Dialect, view: JSON) -> str:
    payload = dialect.payload_from_view(hold.ask.subscription.point, view)
    try:
        broken = legality.of_payload(hold, dialect, payload)
    except BadInput as error:
        return f"✗ {error}"
    return "" if broken is None else f"✓ you may; {hold.subscriber} itself would break {broken}"


def _warning_of_answer(hold: Hold, dialect: Dialect, view: JSON) -> str:
    met = legality.of_answer(hold, dialect.answer_from_view(hold.ask, view))
    return "" if met is None or met.is_fine else f"✓ can be sent, and meets {met}"


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def edit() -> None:
        await _edit(place)

    async def edit_fire() -> None:
        await _edit_fire(place)

    return {"edit": edit, "edit_fire": edit_fire}


async def _edit(place: Place) -> None:
    from debugger import dialogs

    hold, session = place.choosing.any_hold(place.seen), place.session
    if hold is None or session is None:
        return
    edit = edit_of(hold, session.setup.dialect)
    if edit is None:
        place.say(f"{hold.subscriber} gave no answer that could be edited.", severity="warning")
        return
    edited = await dialogs.edited(place.host, edit.title, edit.start, edit.check, edit.warn, shape=edit.shape)
    if edited is not None:
        place.wish(lambda session: edit.take(session, edited[0]))


async def _edit_fire(place: Place) -> None:
    from debugger import dialogs

    trace, session = place.chosen, place.session
    if session is None or not place.point:
        return
    point = place.point if trace is None else trace.point
    payload = await payload_for(place, session, point) if trace is None else trace.opened.payload
    dialect = session.setup.dialect
    edited = await dialogs.edited(
        place.host,
        f"Fire {point} with this payload",
        payload.view,
        lambda view: dialect.payload_from_view(point, view),
        shape=dialect.payload_shape(point),
    )
    if edited is not None:
        await fire(place, point, Stance.TO_BREAKPOINT, dialect.payload_from_view(point, edited[0]))
