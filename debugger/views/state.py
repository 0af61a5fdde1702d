"""What a session file says, as lines: the session, its events, what failed, what was decided, what it cost. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from debugger.views.inspect import line, said
from debugger.views.text import Emphasis, Line, Segment, fit
from kernel.stored import CostTotal, Decoded, HookFailure, PlanItemRow, SessionMeta, StoredEvent, Undecodable
from kernel.values import Producer

_HEAD = 12
"""Cells of the names in front of values."""
LONGEST = 300
"""Characters of a summary that are shown."""
_DECIDED = {"allow": ("✓", Emphasis.OK), "deny": ("⊘", Emphasis.DENIED)}


def session(meta: SessionMeta | None, kinds: Mapping[str, int]) -> Iterable[Line]:
    """The session as a whole, and how many events of which kinds there are."""
    if meta is None:
        yield line(Segment("There is no row about the session: the agent had not written it yet.", Emphasis.DIM))
    else:
        yield _named("session", meta.session_id, Emphasis.STRONG)
        if meta.parent_session_id is not None:
            yield _named("parent", f"{meta.parent_session_id}, at depth {meta.depth}")
        yield _named("profile", meta.profile)
        yield _named("status", meta.status)
        yield _named("started", meta.started_at)
        yield _named("ended", _ended(meta))
    counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    yield _named("events", f"{sum(kinds.values())}{': ' if counts else ''}{counts}")


def _ended(meta: SessionMeta) -> str:
    """When it ended; where that is not stored, the status says whether it did."""
    if meta.ended_at is not None:
        return meta.ended_at
    return "at a time that is not stored" if meta.is_over else "still going on when this was read"


def _named(name: str, value: str, emphasis: Emphasis = Emphasis.NONE) -> Line:
    return line(Segment(fit(name, _HEAD), Emphasis.DIM), said(value, emphasis))


def left_out(shown: int, of: int, kind: str | None) -> Iterable[Line]:
    """How many events are not shown, if some are not; `of` counts those that could be."""
    if of > shown:
        those = "events" if kind is None else f"events of kind {kind}"
        yield line(Segment(f"… {of - shown} earlier ", Emphasis.DIM), said(those, Emphasis.DIM))


def no_events(kind: str | None, kinds: Mapping[str, int]) -> Line:
    """What stands in the place of a list without events."""
    if kind is None or not kinds:
        return line(Segment("No event is stored.", Emphasis.DIM))
    return line(said(f"No event is of kind {kind}; there are {', '.join(kinds)}.", Emphasis.DIM))


def event(stored: StoredEvent) -> Line:
    """One event in a list: sequence, time, kind, producer, what it says."""
    summary = stored.payload.summary
    shown = summary if len(summary) <= LONGEST else f"{summary[:LONGEST]}…"
    return line(
        Segment(f"{stored.sequence:>6}  "),
        Segment(f"{fit(stored.timestamp, 24)}  ", Emphasis.DIM),
        Segment(f"{fit(stored.kind, 20)}  ", Emphasis.STRONG),
        Segment(f"{fit(producer(stored.producer), 26)}  ", Emphasis.DIM),
        said(shown, _EMPHASIS[type(stored.payload)]),
    )


_EMPHASIS = {Decoded: Emphasis.NONE, HookFailure: Emphasis.ERROR, Undecodable: Emphasis.SUBTLE}


def producer(by: Producer) -> str:
    """`category/name/version`, as far as it is known."""
    return "/".join(part for part in (by.category, by.name, by.version) if part) or "nobody"


def hook_error(stored: StoredEvent) -> Iterable[Line]:
    """A failed subscriber in full."""
    match stored.payload:
        case HookFailure() as failure:
            yield line(
                Segment("✗ ", Emphasis.ERROR),
                said(failure.category, Emphasis.ERROR),
                said(f"  {failure.mode} at {failure.point}  "),
                Segment(f"event {stored.sequence}  ", Emphasis.DIM),
                said(stored.timestamp, Emphasis.DIM),
            )
            yield _inner("producer", producer(stored.producer))
            if producer(failure.subscriber) != producer(stored.producer):
                yield _inner("subscriber", f"{producer(failure.subscriber)}, says the error itself")
            for number, each in enumerate(failure.message.splitlines() or ["(no message)"]):
                yield _inner("message" if number == 0 else "", each)
        case other:
            yield line(
                Segment("✗ ", Emphasis.ERROR), said(other.summary), Segment(f"  event {stored.sequence}", Emphasis.DIM)
            )
            yield _inner("producer", producer(stored.producer))


def _inner(name: str, value: str) -> Line:
    return line(Segment(f"    {fit(name, _HEAD)}", Emphasis.DIM), said(value))


def plan_item(row: PlanItemRow) -> Line:
    """One decision: what it was about, and who made it."""
    glyph, emphasis = _DECIDED.get(row.decision, ("?", Emphasis.SUBTLE))
    return line(
        Segment(f"{glyph} {fit(row.decision, 6)} ", emphasis),
        Segment(f"{fit(f'{row.provider}.{row.operation}', 30)}  ", Emphasis.STRONG),
        Segment(f"{fit(row.decided_by, 34)}  "),
        said(f"call {row.call_id}, turn {row.turn_id}, event {row.event_sequence}", Emphasis.DIM),
    )


def costs(totals: Sequence[CostTotal]) -> Iterable[Line]:
    """A row for each provider and model, and their sum if there are several."""
    heads = ("answers", "input", "output", "cache read", "cache write")
    yield line(
        Segment(f"{'':<34}" + "".join(f"{head:>13}" for head in heads) + f"{'USD':>14}", Emphasis.DIM),
    )
    for total in totals:
        yield _cost(f"{total.provider}/{total.model}", [total])
    if len(totals) > 1:
        yield _cost("together", totals)


def _cost(name: str, totals: Sequence[CostTotal]) -> Line:
    counts = (
        sum(each.answers for each in totals),
        sum(each.input_tokens for each in totals),
        sum(each.output_tokens for each in totals),
        sum(each.cache_read_tokens for each in totals),
        sum(each.cache_write_tokens for each in totals),
    )
    usd = sum(each.cost_usd for each in totals)
    return line(Segment(fit(name, 34), Emphasis.STRONG), "".join(f"{count:>13,}" for count in counts), f"{usd:>14.6f}")
