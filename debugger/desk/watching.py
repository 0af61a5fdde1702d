"""Keys about places of the payload: watched expressions, and the history of one place."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Sequence
from typing import Final

from debugger.blame import Touch, touches
from debugger.choosing import Choosing
from debugger.desk.place import Deeds, Place
from debugger.diff import Path, dotted
from debugger.expressions import MOST, expression
from debugger.filters.paths import Item, Key, path_pattern, places
from kernel.errors import BadInput
from kernel.values import JSON

GO: Final = "go to one"


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def watch() -> None:
        await _watch(place)

    async def field() -> None:
        await _field(place)

    looked_for = [""]

    async def find() -> None:
        looked_for[0] = await _find(place, looked_for[0])

    return {"watch": watch, "field": field, "find": find}


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


async def _find(place: Place, last: str) -> str:
    """To the next line of the inspector with a text; gives the text, for the next time."""
    from debugger.lenses.lines import TextView
    from debugger.lenses.prompt import Judgement, Prompt

    hint = "enter goes to the next one   escape leaves it"
    prompt = Prompt("Find in the inspector", last, lambda text: Judgement("", can_be_taken=bool(text)), hint=hint)
    text = await place.host.push_screen_wait(prompt)
    if text is None:
        return last
    if not place.host.screen.query_one("#text", TextView).find(text):
        place.say(f"The inspector says nothing of {text!r} here.", timeout=3)
    return text


async def _field(place: Place) -> None:
    from debugger.desk.writing import path_text
    from debugger.lenses.help import AskingPage
    from debugger.lenses.lines import TextView
    from debugger.views.watches import history

    trace = place.chosen
    if trace is None:
        place.say("Choose a dispatch first.")
        return
    start = written(place.host.screen.query_one("#text", TextView).here)
    text = await path_text(place, "What became of which place?", start)
    if text is None:
        return
    path = await _one_place(place, text)
    if path is None:
        return
    dispatches, outlines = place.listing.around(trace), place.book.outlines
    found = await asyncio.to_thread(lambda: list(touches(dispatches, path, outlines)))
    lines = await asyncio.to_thread(history, trace, path, found)
    keys = {"enter": GO} if found else {}
    if await place.host.push_screen_wait(AskingPage(text, lines, keys)) == GO:
        await _go(place, found)


async def _go(place: Place, found: Sequence[Touch]) -> None:
    """To one of those who wrote there."""
    from debugger.lenses.picker import Choice, Picker
    from debugger.views.watches import jumps

    picked = await place.host.push_screen_wait(Picker("Who wrote it", [Choice(*each) for each in jumps(found)]))
    if picked is not None:
        touch = found[int(picked)]
        place.choose(Choosing(touch.dispatch, touch.writer.step, is_following=False))


async def _one_place(place: Place, text: str) -> Path | None:
    """The place that a path names; one of those that it names, as the reader picks; None for none."""
    from debugger.lenses.picker import Choice, Picker

    with contextlib.suppress(BadInput):
        return plain_path(text)
    trace = place.chosen
    payload = None if trace is None else trace.payload.view
    try:
        found = await asyncio.to_thread(places_of, text, payload)
    except BadInput as error:
        place.say(str(error), severity="warning")
        return None
    if not found:
        place.say(f"Nothing stands at {text} in this dispatch.", severity="warning")
        return None
    choices = [Choice(str(number), written(path), short) for number, (path, short) in enumerate(found)]
    picked = await place.host.push_screen_wait(Picker(f"Which of the places of {text}?", choices))
    return None if picked is None else found[int(picked)][0]


def places_of(text: str, payload: JSON) -> list[tuple[Path, str]]:
    """Every place that a path names in a payload, with what stands there; raises BadInput for what is no path."""
    if not text.strip().startswith("$"):
        raise BadInput(f"{text!r} names no place", fix="a path begins with $, such as $.messages[0].id")
    expression(text)
    found = itertools.islice(places(path_pattern(text.strip()).parts, payload), MOST)
    shown = ((path, json.dumps(value, ensure_ascii=False)) for path, value in found)
    return [(path, said if len(said) <= 80 else f"{said[:79]}…") for path, said in shown]


def written(path: Path) -> str:
    """A path as one would write it; `$` for the payload itself."""
    text = dotted(path)
    return "$" if not path else f"${text}" if text.startswith("[") else f"$.{text}"


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
