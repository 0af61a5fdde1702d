"""Filters, expressions and breakpoints that a reader writes, judged while they are typed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from debugger.breakpoints import Breakpoint, Side, compiled, side_for
from debugger.breakpoints.compiled import read
from debugger.breakpoints.counts import parsed
from debugger.breakpoints.message import message
from debugger.desk.place import Place
from debugger.expressions import expression
from debugger.filters import (
    Bad,
    BadFilter,
    Complete,
    Everything,
    Sight,
    Unfinished,
    hits,
    resolved,
    typed,
)
from debugger.filters import compiled as compiled_filter
from debugger.lenses.breakpoint_form import BreakpointForm, Looks, Written
from debugger.lenses.prompt import Judgement, Prompt
from debugger.session import Note
from debugger.trace import DispatchTrace
from kernel.errors import BadInput

MOST = 200
"""Dispatches that a filter is tried on while it is typed."""


def judged_filter(text: str, saved: Mapping[str, str], *, may_be_empty: bool = False) -> Judgement:
    """What is to be said of a filter that is being typed: a caret below what is wrong."""
    match typed(text):
        case Unfinished(error):
            return Judgement("\n".join(error.shown), can_be_taken=False)
        case Bad(error):
            return Judgement("\n".join(error.shown), is_wrong=True, can_be_taken=False)
        case Complete(Everything()):
            return Judgement("everything" if may_be_empty else "write a filter", can_be_taken=may_be_empty)
        case Complete(filter_):
            try:
                resolved(filter_, saved, text)
            except BadFilter as error:
                return Judgement("\n".join(error.shown), is_wrong=True, can_be_taken=False)
            return Judgement("✓")


def would_hit(text: str, saved: Mapping[str, str], dispatches: Sequence[DispatchTrace], *, of_steps: bool) -> str:
    """How many of the last dispatches a filter fits. For a thread of its own: it looks with its own eyes."""
    try:
        predicate = compiled_filter(read(text, saved), Sight())
    except BadInput:
        return ""
    return str(hits(predicate, dispatches, most=MOST, of_steps=of_steps))


async def filter_text(
    place: Place, title: str, start: str, *, of_steps: bool, may_be_empty: bool = False
) -> str | None:
    """A filter that can be used; None while the reader leaves it."""
    place.book.learn(place.trace.dispatches)
    saved, dispatches = place.book.saved, place.trace.dispatches
    await asyncio.to_thread(place.book.history.load)
    text = await place.host.push_screen_wait(
        Prompt(
            title,
            start,
            lambda text: judged_filter(text, saved, may_be_empty=may_be_empty),
            complete=place.book.complete,
            history=place.book.history.texts,
            count=lambda text: would_hit(text, saved, dispatches, of_steps=of_steps),
            hint="enter takes it   tab completes   up: earlier ones   escape leaves it",
        )
    )
    if text is not None and text.strip():
        await _remember(place, text)
    return None if text is None else text.strip()


async def _remember(place: Place, text: str) -> None:
    """Keep a filter for the next time, in this run or another."""
    history = place.book.history
    was_kept = not history.problem
    history.use(text)
    await asyncio.to_thread(history.keep)
    if history.problem and was_kept:
        place.told.append(Note(f"filters are remembered for this run only: {history.problem}"))


async def path_text(place: Place, title: str, start: str) -> str | None:
    """An expression that reads something; None while the reader leaves it."""
    place.book.learn(place.trace.dispatches)
    trace = place.chosen

    def judge(text: str) -> Judgement:
        try:
            read = expression(text)
        except BadInput as error:
            return Judgement(str(error), is_wrong=bool(text.strip()), can_be_taken=False)
        return Judgement("✓" if trace is None else f"here: {read.shown(trace.payload.view)}")

    hint = "enter takes it   tab completes   escape leaves it"
    return await place.host.push_screen_wait(Prompt(title, start, judge, complete=place.book.complete_path, hint=hint))


async def number(place: Place, title: str, start: str, *, least: int = 1) -> int | None:
    """A whole number."""

    def judge(text: str) -> Judgement:
        is_fine = text.strip().isdecimal() and int(text) >= least
        return Judgement("✓" if is_fine else f"a whole number from {least} on", not is_fine, is_fine)

    text = await place.host.push_screen_wait(Prompt(title, start, judge))
    return None if text is None else int(text)


async def breakpoint_written(place: Place, title: str, start: Breakpoint) -> Breakpoint | None:
    """A breakpoint that can be set; None while the reader leaves it."""
    place.book.learn(place.trace.dispatches)
    saved, dispatches = place.book.saved, place.trace.dispatches
    await asyncio.to_thread(place.book.history.load)

    def judge(written: Written) -> Judgement:
        judgement = judged_filter(written.where, saved)
        if not judgement.can_be_taken:
            return judgement
        try:
            parsed(written.count)
            message(written.log)
            compiled(Breakpoint(written.where), Sight(), saved)
        except BadInput as error:
            return Judgement(str(error), is_wrong=True, can_be_taken=False)
        if written.side is Side.BEFORE and side_for(written.where, saved) is Side.AFTER:
            return Judgement("✓ before a subscriber is asked this may not be known yet")
        return judgement

    def side(text: str) -> Side | None:
        try:
            return side_for(text, saved)
        except BadInput:
            return None

    looks = Looks(
        place.book.complete,
        judge,
        lambda text: would_hit(text, saved, dispatches, of_steps=True),
        side,
        place.book.history.texts,
    )
    written = await place.host.push_screen_wait(BreakpointForm(title, start, looks))
    if written is None:
        return None
    await _remember(place, written.where)
    return Breakpoint(written.where, written.side, parsed(written.count), written.log, start.is_on)
