"""A played session beside what is expected of it: how it ended, its dispatches, and the host's own work around them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.expected import ExpectDispatch, ExpectPlayed, PointOne, StretchOne
from debugger.scenario.fired import Fired, Session, around
from debugger.scenario.judge import dispatch, telemetry, told
from debugger.scenario.judge.claims import Claims, is_error, is_time
from debugger.scenario.measure import measured
from debugger.scenario.parts import Which
from debugger.scenario.selection import Selector
from debugger.trace import StretchTrace
from kernel.playing import Played
from kernel.values import JSON


def judge(claims: Claims, expect: ExpectPlayed, session: Session, played: Played) -> None:
    """Judge every key of an expectation."""
    for key in ("status", "reason", "is_fine"):
        claims.equal((key,), getattr(expect, key), getattr(played, key))
    claims.within(("why",), expect.why, played.why)
    claims.matches(("totals",), expect.totals, dict(played.totals))
    _points(claims, expect.points, session.dispatches)
    _dispatches(claims, expect.dispatches, session)
    told.questions(claims, expect.questions, session.questions)
    told.decisions(claims, expect.decisions, session.events)
    _stretches(claims, expect.stretches, session)
    told.errors(claims, expect.errors, session.events)
    told.rules(claims, expect.rules, session.events)
    if expect.spans is not UNSET or expect.metrics is not UNSET:
        seen = measured(session.events, session.dialect)
        telemetry.spans(claims, expect.spans, seen.roots)
        telemetry.metrics(claims, expect.metrics, seen.metrics)
    told.printed(claims, expect.printed, session.events)
    claims.time(("took_ms",), expect.took_ms, session.took_ns)
    told.facts(claims, expect.facts, session.events, session.dialect)


def _points(claims: Claims, expected: Sequence[str | PointOne] | UnsetType, dispatches: Sequence[Fired]) -> None:
    if expected is UNSET:
        return
    wanted = [PointOne(point=each) if isinstance(each, str) else each for each in expected]
    if [each.point for each in wanted] != [each.trace.point for each in dispatches]:
        claims.say(("points",), [each.trace.point for each in dispatches])
        return
    for place, (one, fired) in enumerate(zip(wanted, dispatches, strict=True)):
        claims.inside(place, "points", place).equal(("label",), one.label, fired.label)


def _dispatches(claims: Claims, expected: list[ExpectDispatch] | UnsetType, session: Session) -> None:
    """Every dispatch in order, or those that are selected."""
    if expected is UNSET:
        return
    are_selected = any(each.in_ is not UNSET for each in expected)
    if not are_selected and len(expected) != len(session.dispatches):
        claims.say(("dispatches",), [each.trace.point for each in session.dispatches])
        return
    for place, one in enumerate(expected):
        if one.in_ is UNSET:
            _dispatch(claims, one, session.dispatches[place], place, place)
            continue
        found = _selected(claims, one.in_, session, place)
        for number in found:
            _dispatch(claims, one, session.dispatches[number], number, place)
        if not found:
            claims.say(("dispatches", place, "in"), f"none of these: {_listed(session.dispatches)}")


def _selected(claims: Claims, which: Which, session: Session, place: int) -> list[int]:
    path: Path = ("dispatches", place, "in")
    if which.point and which.point not in session.dialect.points:
        raise claims.wrong((*path, "point"), session.dialect.staging.no_point(which.point))
    selector = Selector(which, claims.loaded, (*claims.path, *path))
    return [
        number
        for number, each in enumerate(session.dispatches)
        if selector.takes(each.payload, each.trace.point, each.label)
    ]


def _dispatch(claims: Claims, one: ExpectDispatch, fired: Fired, number: int, place: int) -> None:
    inside = claims.inside(number, "dispatches", place)
    inside.equal(("point",), one.point, fired.trace.point)
    inside.equal(("label",), one.label, fired.label)
    inside.equal(("parent",), one.parent, fired.parent)
    dispatch.judge(inside, one, fired)


def _listed(dispatches: Sequence[Fired]) -> str:
    return ", ".join(f"{each.trace.point} {each.label}".rstrip() for each in dispatches) or "there was no dispatch"


def _stretches(claims: Claims, expected: list[StretchOne] | UnsetType, session: Session) -> None:
    """Stretches among those that were entered, in order."""
    if expected is UNSET:
        return
    entered = session.trace.stretches
    rest = iter(entered)
    for place, one in enumerate(expected):
        if not any(_is_stretch(one, each, session) for each in rest):
            alike = [each for each in entered if one.kind in (UNSET, each.entered.kind)] or entered
            claims.say(("stretches", place), [_stretch(each, session) for each in alike])
            return


def _is_stretch(one: StretchOne, stretch: StretchTrace, session: Session) -> bool:
    known: dict[str, JSON] = dict(stretch.attributes)
    return (
        one.kind in (UNSET, stretch.entered.kind)
        and one.name in (UNSET, stretch.entered.name)
        and one.parent in (UNSET, around(session.trace, stretch.entered.parent))
        and (one.error is UNSET or is_error(one.error, _error(stretch)))
        and all(
            key not in known if value is None else key in known and matching.is_part(value, known[key])
            for key, value in ({} if one.attributes is UNSET else one.attributes).items()
        )
        and is_time(one.took_ms, stretch.took_ns or 0)
    )


def _stretch(stretch: StretchTrace, session: Session) -> JSON:
    return {
        "kind": stretch.entered.kind,
        "name": stretch.entered.name,
        "parent": around(session.trace, stretch.entered.parent),
        "error": _error(stretch),
        "attributes": dict(stretch.attributes),
    }


def _error(stretch: StretchTrace) -> str:
    return "" if stretch.left is None else stretch.left.error
