"""Keys about dispatches as they might have been: what-ifs, the order lab, and two dispatches beside each other."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from debugger.comparing import compare
from debugger.desk.place import Deeds, Place
from debugger.runcontrol import Stance
from debugger.session import Session
from debugger.trace import DispatchTrace
from debugger.views import whatif as views
from debugger.views.text import Line
from debugger.whatif.alternatives import Fired, Patient, Prepared, Swapped, What, alternative, prepared
from debugger.whatif.choices import offers
from debugger.whatif.order import Pair, pair, swaps
from debugger.whatif.traced import traced
from kernel.dialect import Dialect
from kernel.errors import BadInput, HookscopeError

LIVE, HELD = "ask live", "ask live, held"
NO_DISPATCH = "Choose a dispatch that is over first."


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def what_if() -> None:
        await _what_if(place)

    async def order() -> None:
        await _order(place)

    async def compared() -> None:
        await _compare(place)

    return {"what_if": what_if, "order": order, "compare": compared}


def _over(place: Place) -> tuple[DispatchTrace, Dialect] | None:
    """The chosen dispatch, once it is over, and its dialect."""
    trace, dialect = place.chosen, place.dialect
    if trace is None or trace.result is None or dialect is None:
        place.say(NO_DISPATCH)
        return None
    return trace, dialect


# -- one thing changed ---------------------------------------------------------------------------------------------


async def _what_if(place: Place) -> None:
    if (over := _over(place)) is None:
        return
    (trace, dialect), session = over, place.session
    step = place.choosing.step
    what = await _chosen(place, trace, step, dialect)
    if what is None:
        return
    try:
        ready, lines, open_at = await asyncio.to_thread(_tried, trace, what, dialect, _room(place))
    except BadInput as error:
        place.say(f"That would not have begun: {error}", severity="warning")
        return
    from debugger.lenses.help import AskingPage

    keys = {} if session is None else {"f": LIVE, "F": HELD}
    title = f"#{trace.number} {ready.words}{' (open)' if open_at else ''}"
    picked = await place.host.push_screen_wait(AskingPage(title, lines, keys))
    if session is None:
        return
    if picked == HELD:
        place.choosing = replace(place.choosing, is_following=True)
        await place.ask(session.fork(ready, Stance.TO_NEXT_SEAM))
    elif picked == LIVE:
        await _forked(place, session, trace, ready)


async def _chosen(place: Place, trace: DispatchTrace, step: int | None, dialect: Dialect) -> What | None:
    """Which change a reader wants to see."""
    from debugger.lenses.picker import Choice, Picker

    offered = await asyncio.to_thread(offers, trace, step, dialect)
    choices = [Choice(str(number), each.words, each.verdict) for number, each in enumerate(offered)]
    seats = trace.opened.chain.subscriptions
    if step is not None and step < len(seats):
        choices.append(Choice("deadline", f"{seats[step].name}: another deadline ...", ""))
    choices.append(Choice("payload", "another payload ...", "fired instead"))
    about = f"#{trace.number} {trace.point}" if step is None else trace.step(step).subscription.name
    picked = await place.host.push_screen_wait(Picker(f"What if, at {about}", choices))
    if picked is None:
        return None
    if picked == "deadline" and step is not None:
        from debugger.desk.writing import number

        ms = await number(place, f"Deadline of {seats[step].name} in ms", str(seats[step].timeout_ms or 1000))
        return None if ms is None else Patient(step, ms)
    if picked == "payload":
        from debugger import dialogs

        edited = await dialogs.edited(
            place.host,
            "What if this had been fired",
            trace.opened.payload.view,
            lambda view: dialect.payload_from_view(trace.point, view),
            shape=dialect.payload_shape(trace.point),
        )
        return None if edited is None else Fired(dialect.payload_from_view(trace.point, edited[0]))
    return offered[int(picked)].what


def _room(place: Place) -> int:
    """Cells for a line of a page in front of the screen."""
    from debugger.lenses.help import room

    return room(place.host.size.width)


def _tried(trace: DispatchTrace, what: What, dialect: Dialect, width: int) -> tuple[Prepared, Sequence[Line], str]:
    """The change prepared, what is known of it beside the original, and whom one would have to ask."""
    ready = prepared(trace, what, dialect)
    other = traced(ready, trace)
    open_at = alternative(trace, what, dialect).open_at
    return ready, views.beside(ready.words, compare(trace, other), open_at, width=width), open_at


async def _forked(place: Place, session: Session, trace: DispatchTrace, ready: Prepared) -> None:
    """Ask those live whose question is new, then show both."""
    from debugger.lenses.help import AskingPage

    try:
        fork, _ = await place.ask(session.forked(ready))
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    place.follow()
    found = place.trace.find(fork)
    if found is not None:
        width = _room(place)
        lines = await asyncio.to_thread(lambda: views.beside(ready.words, compare(trace, found), width=width))
        title = f"#{trace.number} beside #{found.number} {ready.words}"
        await place.host.push_screen_wait(AskingPage(title, lines))


# -- the order lab ---------------------------------------------------------------------------------------------------


async def _order(place: Place) -> None:
    from debugger.lenses.help import AskingPage

    if (over := _over(place)) is None:
        return
    (trace, dialect), session = over, place.session
    pairs = await asyncio.to_thread(_pairs, trace, dialect)
    unknown = [each for each in pairs if each.result is None]
    keys = {"f": LIVE} if unknown and session is not None else {}
    title = f"Order of {trace.point}, as in #{trace.number}"
    picked = await place.host.push_screen_wait(AskingPage(title, views.order(pairs), keys))
    if picked is None or session is None:
        return
    for each in unknown:
        try:
            ready = prepared(trace, Swapped(each.step), dialect)
            _, result = await place.ask(session.forked(ready))
        except HookscopeError as error:
            place.say(str(error), severity="error")
            return
        tried = pair(trace, Swapped(each.step), result)
        pairs = [tried if known.step == each.step else known for known in pairs]
    await place.host.push_screen_wait(AskingPage(title, views.order(pairs)))


def _pairs(trace: DispatchTrace, dialect: Dialect) -> list[Pair]:
    return [pair(trace, swap, alternative(trace, swap, dialect).result) for swap in swaps(trace)]


# -- two dispatches --------------------------------------------------------------------------------------------------


async def _compare(place: Place) -> None:
    from debugger.lenses.help import AskingPage

    second = place.chosen
    if second is None:
        place.say(NO_DISPATCH)
        return
    first = place.trace.find(place.listing.marked) if place.listing.marked else place.listing.before(second)
    if first is None or first.id == second.id:
        place.say("Mark another dispatch with m first, to compare this one with it.")
        return
    words = f"#{second.number} {second.point}"
    width, places = _room(place), place.book.ignored
    dialect = place.dialect if first.opened.dialect == second.opened.dialect else None
    lines = await asyncio.to_thread(lambda: views.beside(words, compare(first, second, dialect, places), width=width))
    aside = f", but for {', '.join(each.text for each in places)}" if places else ""
    await place.host.push_screen_wait(AskingPage(f"#{first.number} beside #{second.number}{aside}", lines))
