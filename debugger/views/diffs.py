"""What one step, or a whole chain, did to the payload: which two payloads to compare, in which style. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from debugger.breakpoints import Side
from debugger.diff import diff, patch
from debugger.ignoring import Ignored, seen
from debugger.session import Hold
from debugger.trace import DispatchTrace, StepTrace
from debugger.views.diff_lines import SidePair, inline, side_by_side, tree, unified
from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, visible
from kernel.dialect import Dialect
from kernel.values import JSON, Answered, Outcome, Status

NARROW = 64
"""Cells below which two columns cannot be read."""


class DiffStyle(StrEnum):
    """How a diff is drawn."""

    UNIFIED = "unified"
    INLINE = "inline"
    SIDE_BY_SIDE = "side by side"
    TREE = "changed paths"
    PATCH = "JSON Patch"
    """RFC 6902, to be copied."""

    @property
    def following(self) -> DiffStyle:
        """The style that the key turns to."""
        styles = list(DiffStyle)
        return styles[(styles.index(self) + 1) % len(styles)]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two payloads and what one has to know about the difference."""

    before: JSON
    after: JSON
    heading: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What of a chain is compared, where that is not the usual."""

    since: int | None = None
    """The step from before which one looks, up to behind the chosen one; None for each step by itself."""
    ignored: tuple[Ignored, ...] = ()
    """Places that are not looked at."""


USUAL = Scope()


def comparisons(
    trace: DispatchTrace, step: int | None, dialect: Dialect, hold: Hold | None, scope: Scope = USUAL
) -> list[Comparison]:
    """What there is to compare: for a step what a person edited and what it changed, for a dispatch first to last."""
    places = [each for each in scope.ignored if each.point in ("", trace.point)]
    if scope.since is not None and step is not None:
        found = [_between(trace, *sorted((scope.since, step)))]
    else:
        found = _comparisons(trace, step, dialect, hold)
    if not places:
        return found
    note = Segment(f"  less {', '.join(visible(each.text) for each in places)}", Emphasis.DIM)
    return [Comparison(seen(one.before, places), seen(one.after, places), (*one.heading, note)) for one in found]


def _between(trace: DispatchTrace, first: int, last: int) -> Comparison:
    """From before one step to behind another, whoever changed anything there."""
    before = after = trace.opened.payload
    for each in trace.steps:
        for change in each.changes:
            if each.step < first:
                before = change.after
            if each.step <= last:
                after = change.after
    names = [trace.step(place).subscription.name for place in (first, last)]
    heading = (said(f"From before {names[0]} to behind {names[1]}", Emphasis.STRONG),)
    return Comparison(before.view, after.view, heading)


def _comparisons(trace: DispatchTrace, step: int | None, dialect: Dialect, hold: Hold | None) -> list[Comparison]:
    if step is None:
        names = ", ".join(change.by for change in trace.changes)
        reach = "First to last" if trace.result is not None else "So far"
        whole = (Segment(reach, Emphasis.STRONG), said(f"  changed by {names}" if names else ""))
        return [Comparison(trace.opened.payload.view, trace.payload.view, whole)]
    seat = trace.step(step)
    found: list[Comparison] = []
    heading: tuple[Segment, ...]
    if hold is not None and hold.edited is not None:
        heading = (Segment("✎ Your edit, not yet sent", Emphasis.HELD),)
        found.append(Comparison(hold.ask.payload.view, hold.edited.view, heading))
    elif hold is not None and hold.side is Side.BEFORE and hold.ask.payload != trace.opened.payload:
        heading = (said(f"So far, before {seat.subscription.name}", Emphasis.STRONG),)
        found.append(Comparison(trace.opened.payload.view, hold.ask.payload.view, heading))
    if seat.edited is not None:
        heading = (said(f"✎ Edited by the {seat.edited.by} before it was asked", Emphasis.HELD),)
        found.append(Comparison(seat.edited.before.view, seat.edited.after.view, heading))
    if hold is not None and hold.side is Side.AFTER:
        return [*found, *_while_held(seat, hold, dialect)]
    return [*found, *_own(seat, dialect), *_amended(seat, dialect)]


def _own(seat: StepTrace, dialect: Dialect) -> Iterator[Comparison]:
    """What a subscriber itself made of the payload, or would have."""
    name = said(seat.subscription.name, Emphasis.STRONG)
    if seat.changed is not None:
        yield Comparison(seat.changed.before.view, seat.changed.after.view, (name, said(" changed the payload")))
        return
    is_set_aside = seat.replaced is not None
    proposed = _proposed(seat, seat.replaced if is_set_aside else seat.outcome, dialect)
    if proposed is None or seat.given is None or seat.verdict is None:
        return
    if is_set_aside:
        heading = (name, said(" itself answered with this; another answer was put in its place", Emphasis.DIM))
        yield Comparison(seat.given.view, proposed, heading)
    elif seat.verdict.status is Status.ERROR and not _is_answered_for(seat):
        yield Comparison(seat.given.view, proposed, (name, said(" wanted this, and it was rejected", Emphasis.ERROR)))


def _amended(seat: StepTrace, dialect: Dialect) -> Iterator[Comparison]:
    """What whoever steered made of an answer, or answered in a subscriber's place."""
    name = seat.subscription.name
    what = f"✎ The answer of {name} edited" if seat.replaced is not None else f"✎ {name} answered for"
    if (change := seat.amended) is not None:
        yield Comparison(change.before.view, change.after.view, (said(f"{what} by the {change.by}", Emphasis.HELD),))
    elif seat.given is not None and seat.verdict is not None and seat.verdict.status is Status.ERROR:
        proposed = _proposed(seat, seat.outcome, dialect)
        if proposed is not None and (seat.replaced is not None or _is_answered_for(seat)):
            by = seat.steered[-1].by
            heading = (said(f"{what} by the {by}", Emphasis.HELD), said(", and it was rejected", Emphasis.ERROR))
            yield Comparison(seat.given.view, proposed, heading)


def _while_held(seat: StepTrace, hold: Hold, dialect: Dialect) -> Iterator[Comparison]:
    """What came, which is not yet accepted, and what a person would rather have."""
    given, name = hold.ask.payload.view, said(seat.subscription.name, Emphasis.STRONG)
    own = None if hold.answer is None else dialect.proposed(hold.ask.payload, hold.answer)
    if own is not None:
        yield Comparison(given, own, (name, said(" answered with this; it is not yet accepted", Emphasis.HELD)))
    if hold.edited_answer is not None:
        edited = dialect.proposed(hold.ask.payload, hold.edited_answer)
        before, after = (given if each is None else each for each in (own, edited))
        yield Comparison(before, after, (Segment("✎ Your edit of the answer, not yet sent", Emphasis.HELD),))


def _proposed(seat: StepTrace, outcome: Outcome | None, dialect: Dialect) -> JSON:
    if seat.given is None or not isinstance(outcome, Answered):
        return None
    return dialect.proposed(seat.given, outcome)


def _is_answered_for(seat: StepTrace) -> bool:
    return any(each.what == "answered" for each in seat.steered)


def lines(found: Sequence[Comparison], style: DiffStyle, nothing: str) -> tuple[Line, ...]:
    """Every comparison in one column."""
    if style is DiffStyle.PATCH:
        return tuple(_patches(found)) or (line(said(nothing, Emphasis.DIM)),)
    drawn: list[Line] = []
    for each in found:
        difference = diff(each.before, each.after)
        drawn += [line(*each.heading, Segment(f"   {difference.summary}", Emphasis.ACCENT)), line()]
        match style:
            case DiffStyle.UNIFIED | DiffStyle.SIDE_BY_SIDE if difference:
                drawn += unified(each.before, each.after, difference)
            case DiffStyle.INLINE if difference:
                drawn += inline(each.before, each.after, difference)
            case DiffStyle.TREE if difference:
                drawn += tree(difference)
            case _:
                pass
        drawn.append(line())
    return tuple(drawn[:-1]) or (line(said(nothing, Emphasis.DIM)),)


def _patches(found: Sequence[Comparison]) -> Iterator[Line]:
    """Each as it can be copied: one operation a line, and no word beside it where there is only one comparison."""
    for each in found:
        if len(found) > 1:
            yield line(*each.heading)
        operations = [json.dumps(one, ensure_ascii=False) for one in patch(diff(each.before, each.after))]
        yield line("[" if operations else "[]")
        for place, text in enumerate(operations, 1):
            yield line("  ", said(f"{text}{',' if place < len(operations) else ''}"))
        if operations:
            yield line("]")


def pairs(found: Sequence[Comparison]) -> tuple[SidePair, ...]:
    """Every comparison in two columns."""
    drawn: list[SidePair] = []
    for each in found:
        difference = diff(each.before, each.after)
        heading = line(*each.heading)
        summary = line(Segment(str(difference.summary), Emphasis.ACCENT))
        drawn += [(heading, summary), (line(), line()), *side_by_side(each.before, each.after, difference)]
        drawn.append((line(), line()))
    return tuple(drawn[:-1])


def nothing_to_compare(trace: DispatchTrace, step: int) -> str:
    """Why there is no diff for a step."""
    seat = trace.step(step)
    if seat.not_reached is not None:
        return f"Never asked, because of {seat.not_reached.because_of}: it had no chance to change anything."
    if seat.verdict is None and seat.outcome is not None:
        return f"{seat.subscription.name} has answered, and proposes no change."
    if seat.verdict is None:
        return "It has not answered yet, and nothing has changed before it."
    return f"{seat.subscription.name} changed nothing."
