"""What was told, by one dispatch or by a whole session: errors, rules, questions, decisions, lines and facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from msgspec import UNSET, UnsetType

from debugger.fact_json import to_json
from debugger.scenario import matching
from debugger.scenario.answers import Questioned
from debugger.scenario.document import Path
from debugger.scenario.expected import DecisionOne, ErrorOne, PrintedOne, QuestionOne
from debugger.scenario.judge.claims import Claims
from kernel.dialect import Dialect
from kernel.facts import Decided, Ended, Event, Printed, Raised
from kernel.values import JSON

Kind = TypeVar("Kind")


def of_kind(events: Iterable[Event], kind: type[Kind]) -> list[Kind]:
    """The facts of one kind, in order."""
    return [event.fact for event in events if isinstance(event.fact, kind)]


def errors(claims: Claims, expected: list[ErrorOne] | UnsetType, events: Sequence[Event]) -> None:
    """Every error record, in order."""
    if expected is UNSET:
        return
    told = of_kind(events, Raised)
    if len(expected) != len(told):
        claims.say(("errors",), [_raised(each) for each in told])
        return
    for place, (one, raised) in enumerate(zip(expected, told, strict=True)):
        here: Path = ("errors", place)
        claims.equal((*here, "subscriber"), one.subscriber, raised.subscription.name)
        claims.equal((*here, "mode"), one.mode, raised.subscription.mode)
        claims.equal((*here, "category"), one.category, raised.category)
        claims.within((*here, "message"), one.message, raised.message)
        claims.equal((*here, "rule"), one.rule, raised.rule)


def _raised(fact: Raised) -> JSON:
    return {
        "subscriber": fact.subscription.name,
        "mode": fact.subscription.mode,
        "category": fact.category,
        "message": fact.message,
    }


def rules(claims: Claims, expected: list[str] | UnsetType, events: Sequence[Event]) -> None:
    """Rules that are named by some fact, or by a result."""
    if expected is UNSET:
        return
    named = {str(getattr(event.fact, "rule", "")) for event in events}
    named |= {ended.result.rule for ended in of_kind(events, Ended)}
    actual: list[JSON] = [*sorted(named - {""})]
    for place, rule in enumerate(expected):
        if rule not in named:
            claims.say(("rules", place), actual)


def questions(claims: Claims, expected: Sequence[str | QuestionOne] | UnsetType, asked: Sequence[Questioned]) -> None:
    """Everything that a person was asked, in order."""
    if expected is UNSET:
        return
    wanted = [QuestionOne(subject=each) if isinstance(each, str) else each for each in expected]
    if [each.subject for each in wanted] != [each.question.subject for each in asked]:
        claims.say(("questions",), [_questioned(each) for each in asked])
        return
    for place, (one, seen) in enumerate(zip(wanted, asked, strict=True)):
        here: Path = ("questions", place)
        claims.equal((*here, "asked_by"), one.asked_by, seen.question.asked_by)
        claims.matches((*here, "details"), one.details, dict(seen.question.details))
        claims.equal((*here, "answer"), one.answer, seen.word)
        claims.equal((*here, "by"), one.by, "" if seen.answer is None else seen.answer.by)


def _questioned(seen: Questioned) -> JSON:
    by = "" if seen.answer is None else seen.answer.by
    return {"subject": seen.question.subject, "asked_by": seen.question.asked_by, "answer": seen.word, "by": by}


def decisions(claims: Claims, expected: list[DecisionOne] | UnsetType, events: Sequence[Event]) -> None:
    """Everything that the host decided itself, in order."""
    if expected is UNSET:
        return
    told = of_kind(events, Decided)
    if len(expected) != len(told):
        claims.say(("decisions",), [_decided(each) for each in told])
        return
    for place, (one, decided) in enumerate(zip(expected, told, strict=True)):
        for key in ("subject", "decision", "by", "rule"):
            claims.equal(("decisions", place, key), getattr(one, key), getattr(decided, key))
        claims.within(("decisions", place, "why"), one.why, decided.why)


def _decided(fact: Decided) -> JSON:
    return {"subject": fact.subject, "decision": fact.decision, "by": fact.by, "rule": fact.rule}


def printed(claims: Claims, expected: Sequence[str | PrintedOne] | UnsetType, events: Sequence[Event]) -> None:
    """Lines among those that were written, in order; none at all where none is expected."""
    if expected is UNSET:
        return
    told = of_kind(events, Printed)
    lines: list[JSON] = [f"{each.subscriber} on {each.stream}: {each.text}" for each in told]
    if not expected and told:
        claims.say(("printed",), lines)
    rest = iter(told)
    for place, one in enumerate(expected):
        wanted = PrintedOne(text=one) if isinstance(one, str) else one
        if not any(_is_line(wanted, each) for each in rest):
            claims.say(("printed", place), lines)
            return


def _is_line(wanted: PrintedOne, printed: Printed) -> bool:
    return (
        wanted.subscriber in (UNSET, printed.subscriber)
        and wanted.stream in (UNSET, printed.stream)
        and (wanted.text is UNSET or wanted.text in printed.text)
    )


def facts(
    claims: Claims, expected: list[dict[str, JSON]] | UnsetType, events: Sequence[Event], dialect: Dialect
) -> None:
    """Facts among those that were told, in order."""
    if expected is UNSET:
        return
    told = [to_json(event, dialect) for event in events]
    rest = iter(told)
    for place, one in enumerate(expected):
        if not any(matching.is_part(one, fact) for fact in rest):
            claims.say(("facts", place), [_short(fact, one) for fact in told])
            return


def _short(fact: dict[str, JSON], like: dict[str, JSON]) -> JSON:
    """Of a fact what the expected one speaks of, and what tells it from others."""
    return {key: value for key, value in fact.items() if key in like or key in ("fact", "subscriber")}
