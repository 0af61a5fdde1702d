"""Keys about what a reader says of dispatches: marks and notes."""

from __future__ import annotations

import time
from dataclasses import replace

from debugger.choosing import Choosing
from debugger.desk.place import Deeds, Place
from debugger.lenses.prompt import Judgement
from debugger.store.notes import LONGEST, Remark
from debugger.trace import DispatchTrace

NO_DISPATCH = "Choose a dispatch first."


def deeds(place: Place) -> Deeds:
    """By the ids of their actions."""

    async def mark() -> None:
        await _mark(place)

    async def note() -> None:
        await _note(place)

    return {"mark": mark, "note": note, "marked.next": lambda: _next(place)}


def _remark(place: Place, trace: DispatchTrace) -> Remark:
    known = place.listing.remarks.get(trace.id, Remark(trace.id, False, "", 0))
    return replace(known, wall_ns=time.time_ns())


async def _keep(place: Place, remark: Remark) -> None:
    if remark.is_empty:
        place.listing.remarks.pop(remark.dispatch, None)
    else:
        place.listing.remarks[remark.dispatch] = remark
    place.follow()
    waiting = place.remark(remark)
    if waiting is not None:
        await waiting


async def _mark(place: Place) -> None:
    """On, or off; the one that was marked last is what others are compared with."""
    trace = place.chosen
    if trace is None:
        place.say(NO_DISPATCH)
        return
    known = _remark(place, trace)
    remark = replace(known, is_marked=not known.is_marked)
    if remark.is_marked:
        place.listing.marked = trace.id
        place.say(f"★ #{trace.number}; = compares with it now.", timeout=3)
    else:
        left = [each for each in place.listing.remarks.values() if each.is_marked and each.dispatch != trace.id]
        place.listing.marked = max(left, key=lambda each: each.wall_ns).dispatch if left else ""
        place.say(f"#{trace.number} is not marked any more.", timeout=3)
    await _keep(place, remark)


async def _note(place: Place) -> None:
    from debugger.lenses.prompt import Prompt

    trace = place.chosen
    if trace is None:
        place.say(NO_DISPATCH)
        return

    def judge(text: str) -> Judgement:
        if len(text) > LONGEST:
            return Judgement(f"{len(text)} of at most {LONGEST} characters", is_wrong=True, can_be_taken=False)
        return Judgement("" if text.strip() else "an empty note takes it away")

    known = _remark(place, trace)
    text = await place.host.push_screen_wait(Prompt(f"A note about #{trace.number} {trace.point}", known.text, judge))
    if text is not None:
        await _keep(place, replace(known, text=text.strip()))


def _next(place: Place) -> None:
    """Round and round among those with a mark or a note."""
    found = [place.trace.find(each) for each in place.listing.remarks]
    traces = sorted((each for each in found if each is not None), key=lambda each: each.number)
    if not traces:
        place.say("Nothing is marked: m marks, ; writes a note.", timeout=3)
        return
    here = 0 if place.chosen is None else place.chosen.number
    trace = next((each for each in traces if each.number > here), traces[0])
    place.choose(Choosing(trace.id, None, is_following=False))
