"""Keys about described sessions that are played, and about whatever waits for a person to decide."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from debugger.desk.place import STARTING, Deeds, Place
from debugger.opening import Opening
from kernel.asking import Answer
from kernel.errors import HookscopeError


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def play_chosen() -> None:
        await _play_chosen(place)

    async def answer() -> None:
        await reply(place)

    return {"play": play_chosen, "reply": answer}


async def _play_chosen(place: Place) -> None:
    from debugger import dialogs

    if place.session is None or not place.seen.is_started:
        place.say(STARTING, severity="warning")
        return
    try:
        path = await dialogs.session_file(place.host, place.session.setup)
    except HookscopeError as error:
        place.say(str(error), severity="warning")
        return
    if path is not None:
        await play(place, path)


async def play(place: Place, path: Path) -> None:
    """Play the session that a file describes."""
    from debugger import payloads

    session, opening = place.session, place.opening
    assert session is not None
    assert isinstance(opening, Opening), "where there is a session, it is one of a configuration"
    options = opening.options
    try:
        playable = await place.call(lambda: payloads.session(session.setup.path, path, options))
        await place.call(lambda: session.play(playable))
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    place.playable = playable
    place.choosing = replace(place.choosing, is_following=True)


async def reply(place: Place) -> None:
    """Ask the reader what is asked. A question about a result does not wait: to leave it is to say no."""
    from debugger import dialogs

    if not place.seen.askings:
        place.say("Nothing is asked.")
        return
    asking = place.seen.askings[0]
    answer = await dialogs.reply(place.host, asking.question, can_wait=not asking.dispatch)
    if answer is None and not asking.dispatch:
        place.say("The session waits; a brings the question back.")
        return
    place.wish(lambda session: session.reply(asking, answer or Answer(allows=False)))
