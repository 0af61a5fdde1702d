"""Keys about places of the payload: watched expressions, and the history of one place."""

from __future__ import annotations

import asyncio

from debugger.desk.place import Deeds, Place
from debugger.diff import Path
from debugger.expressions import expression
from debugger.filters.paths import Item, Key, path_pattern
from kernel.errors import BadInput


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def watch() -> None:
        await _watch(place)

    async def field() -> None:
        await _field(place)

    return {"watch": watch, "field": field}


async def _watch(place: Place) -> None:
    """The pinned expressions, again and again until the reader leaves them."""
    from debugger.desk.breakpoints import keep
    from debugger.desk.writing import path_text
    from debugger.lenses.lister import Lister
    from debugger.lenses.picker import Choice

    keys = {"enter": "change", "n": "pin", "d": "take away", "s": "keep in the project file"}
    nothing = "Nothing is pinned. n pins a path such as $.messages[0], or JMESPath such as length(messages)."
    while True:
        trace = place.chosen
        rows = [
            Choice(str(number), each.text, "" if trace is None else each.shown(trace.payload.view))
            for number, each in enumerate(place.book.watches)
        ]
        wish = await place.host.push_screen_wait(Lister("Watched", rows, keys, nothing=nothing))
        if wish is None:
            place.follow()
            return
        watches = list(place.book.watches)
        if wish.verb.startswith("keep"):
            await keep(place)
            continue
        if wish.verb == "pin":
            text = await path_text(place, "Watch", "")
            if text is not None:
                watches.append(expression(text))
        elif wish.id and wish.verb == "take away":
            del watches[int(wish.id)]
        elif wish.id:
            text = await path_text(place, "Watch", watches[int(wish.id)].text)
            if text is not None:
                watches[int(wish.id)] = expression(text)
        place.book.watches = tuple(watches)


async def _field(place: Place) -> None:
    from debugger.desk.writing import path_text
    from debugger.lenses.help import AskingPage
    from debugger.views.watches import history

    trace = place.chosen
    if trace is None:
        place.say("Choose a dispatch first.")
        return
    text = await path_text(place, "What became of which place?", "$.")
    if text is None:
        return
    try:
        path = plain_path(text)
        dispatches = place.trace.dispatches
        lines = await asyncio.to_thread(history, trace, path, dispatches)
    except BadInput as error:
        place.say(str(error), severity="warning")
        return
    except KeyError:
        place.say(f"#{trace.number} has nothing at {text} in the end.", severity="warning")
        return
    await place.host.push_screen_wait(AskingPage(f"{text}", lines))


def plain_path(text: str) -> Path:
    """A path that names one place; raises BadInput for one that may name several."""
    if not text.strip().startswith("$"):
        raise BadInput(f"{text!r} names no place", fix="a path begins with $, such as $.messages[0].id")
    expression(text)
    steps: list[str | int] = []
    for part in path_pattern(text.strip()).parts:
        match part:
            case Key(name):
                steps.append(name)
            case Item(number):
                steps.append(number)
            case _:
                raise BadInput(f"{text!r} names many places", fix="name one, such as $.messages[0].id")
    return tuple(steps)
