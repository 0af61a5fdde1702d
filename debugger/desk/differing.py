"""Keys about what diffs compare: from where on, and what they do not look at."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from debugger.desk.place import CHOOSE_FIRST, Deeds, Place
from debugger.ignoring import ignored
from debugger.lenses.prompt import Judgement
from kernel.errors import BadInput, HookscopeError


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def ignore() -> None:
        await _ignore(place)

    return {"diff_from": lambda: _diff_from(place), "ignore": ignore}


def _diff_from(place: Place) -> None:
    choosing, seat = place.choosing, place.seat
    if choosing.since is not None:
        place.choose(replace(choosing, since=None))
        place.say("Each subscriber is compared by itself.", timeout=2)
    elif choosing.step is None or seat is None or place.chosen is None:
        place.say(CHOOSE_FIRST)
    else:
        place.choose(replace(choosing, since=choosing.step))
        place.say(f"Diffs begin before {seat.name}; [ and ] choose where they end.", timeout=3)


async def _ignore(place: Place) -> None:
    """The list of places, again and again until the reader leaves it."""
    from debugger.lenses.lister import Lister
    from debugger.lenses.picker import Choice

    keys = {"enter": "change", "n": "add", "d": "take away", "s": "keep in the project file"}
    nothing = "Diffs look at everything. n leaves out a place such as $.turn_id, or pre-model-call $.messages[*].id."
    while True:
        rows = [Choice(str(at), each.text, each.point or "every point") for at, each in enumerate(place.book.ignored)]
        wish = await place.host.push_screen_wait(Lister("Ignored in diffs", rows, keys, nothing=nothing))
        if wish is None:
            place.follow()
            return
        places = list(place.book.ignored)
        if wish.verb.startswith("keep"):
            await _keep(place)
            continue
        if wish.verb == "add":
            text = await _written(place, "$.")
            places += [] if text is None else [ignored(text)]
        elif wish.id and wish.verb == "take away":
            del places[int(wish.id)]
        elif wish.id:
            text = await _written(place, places[int(wish.id)].text)
            if text is not None:
                places[int(wish.id)] = ignored(text)
        place.book.ignored = tuple(dict.fromkeys(places))


async def _written(place: Place, start: str) -> str | None:
    """A place that can be left out; None while the reader leaves it."""
    from debugger.lenses.prompt import Prompt

    place.book.learn(place.trace.dispatches)

    def judge(text: str) -> Judgement:
        try:
            ignored(text)
        except BadInput as error:
            return Judgement(str(error), is_wrong=bool(text.strip(" $.")), can_be_taken=False)
        return Judgement("✓")

    hint = "enter takes it   tab completes   escape leaves it"
    return await place.host.push_screen_wait(
        Prompt("What shall diffs not look at?", start, judge, complete=place.book.complete_path, hint=hint)
    )


async def _keep(place: Place) -> None:
    try:
        await asyncio.to_thread(place.book.keep_ignored)
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    place.say(f"Kept in {place.book.file}.", timeout=3)
