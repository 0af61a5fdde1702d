"""Keys that look for dispatches: a filter, what fits it, and the next error, denial or change."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from debugger.choosing import Here, Jump, here
from debugger.desk.place import Deeds, Place
from debugger.filters.saved import check_name
from debugger.lenses.prompt import Judgement
from kernel.errors import BadInput, HookscopeError

JUMPS = {"e": Jump.ERROR, "v": Jump.DENIAL, "c": Jump.CHANGE}


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def filter_() -> None:
        await _filter(place)

    async def save() -> None:
        await _save(place)

    async def jump_on() -> None:
        await _jump(place, 1)

    async def jump_back() -> None:
        await _jump(place, -1)

    return {
        "filter": filter_,
        "suspend": lambda: _suspend(place),
        "highlight": lambda: _highlight(place),
        "save_filter": save,
        "match.next": _to_match(place, 1),
        "match.previous": _to_match(place, -1),
        "jump.next": jump_on,
        "jump.previous": jump_back,
    }


async def _filter(place: Place) -> None:
    from debugger.desk.writing import filter_text

    text = await filter_text(
        place, "Show the dispatches that fit", place.listing.finding.text, of_steps=False, may_be_empty=True
    )
    if text is not None:
        try:
            place.find(place.listing.finding.with_text(text))
        except HookscopeError as error:
            place.say(str(error), severity="error")


def _suspend(place: Place) -> None:
    if place.listing.finding.text:
        place.find(replace(place.listing.finding, is_suspended=not place.listing.finding.is_suspended))
    else:
        place.say("There is no filter; / writes one.")


def _highlight(place: Place) -> None:
    finding = replace(place.listing.finding, is_highlight=not place.listing.finding.is_highlight)
    place.find(finding)
    place.say("What fits is marked with ◆." if finding.is_highlight else "Only what fits is shown.", timeout=2)


async def _save(place: Place) -> None:
    from debugger.lenses.prompt import Prompt

    text = place.listing.finding.text
    if not text:
        place.say("There is no filter to save; / writes one.")
        return

    def judge(name: str) -> Judgement:
        try:
            check_name(name)
        except BadInput as error:
            return Judgement(str(error), is_wrong=bool(name), can_be_taken=False)
        return Judgement(f"replaces {place.book.saved[name]}" if name in place.book.saved else "✓")

    name = await place.host.push_screen_wait(Prompt(f"A name for {text}", "", judge))
    if name is None:
        return
    try:
        await asyncio.to_thread(place.book.keep_filter, name, text)
    except HookscopeError as error:
        place.say(str(error), severity="error")
        return
    saved = place.book.saved
    place.wish(lambda session: session.use_saved_filters(saved))
    place.say(f"@{name} is kept in {place.book.file}.", timeout=3)


def _to_match(place: Place, by: int) -> Callable[[], None]:
    def go() -> None:
        found = place.listing.matched(_here(place), by)
        if found is not None:
            place.choose(found)
        elif not place.listing.finding.is_on:
            place.say("There is no filter; / writes one.")
        else:
            place.say("No further dispatch fits.", timeout=2)

    return go


def _here(place: Place) -> Here:
    return here(place.chosen, place.choosing.step)


async def _jump(place: Place, by: int) -> None:
    from debugger.lenses.help import AskingPage
    from debugger.views.inspect import line

    keys = {key: str(jump) for key, jump in JUMPS.items()}
    title = "To the next ..." if by > 0 else "To the last ..."
    lines = [line("errors, denials and changes of all dispatches that are listed")]
    picked = await place.host.push_screen_wait(AskingPage(title, lines, keys, is_short=True))
    if picked is None:
        return
    found = await asyncio.to_thread(place.listing.jumped, _here(place), Jump(picked), by)
    if found is None:
        place.say(f"There is no further {picked}.", timeout=2)
    else:
        place.choose(found)
