"""One dispatch beside what is expected of it: its result, who was asked about what, and how each step went."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from debugger.fact_json import outcome_json
from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.expected import AskedOne, Expect, Missed, StepOne
from debugger.scenario.fired import Fired
from debugger.scenario.judge import telemetry, told
from debugger.scenario.judge.claims import Claims
from debugger.scenario.measure import measured
from kernel.dialect import Dialect
from kernel.facts import Asked, NotReached, Replied, Resolved
from kernel.values import JSON, Answered


def judge(claims: Claims, expect: Expect, fired: Fired) -> None:
    """Judge every key of an expectation."""
    result, events, dialect = fired.result, fired.events, fired.dialect
    for key in ("decision", "decided_by", "ending", "rule"):
        claims.equal((key,), getattr(expect, key), getattr(result, key))
    claims.error(("error",), expect.error, result.error)
    claims.payload(("payload",), expect.payload, result.payload, fired.payload)
    claims.matches(("extras",), expect.extras, dict(result.extras))
    _asked(claims, expect.asked, fired)
    _together(claims, expect.together, fired)
    _not_reached(claims, expect.not_reached, fired)
    _steps(claims, expect.steps, fired)
    told.errors(claims, expect.errors, events)
    told.questions(claims, expect.questions, fired.questions)
    told.decisions(claims, expect.decisions, events)
    told.rules(claims, expect.rules, events)
    if expect.spans is not UNSET or expect.metrics is not UNSET:
        seen = measured(events, dialect)
        telemetry.spans(claims, expect.spans, seen.roots)
        telemetry.metrics(claims, expect.metrics, seen.metrics)
    told.printed(claims, expect.printed, events)
    claims.time(("took_ms",), expect.took_ms, fired.took_ns)
    told.facts(claims, expect.facts, events, dialect)


def _asked(claims: Claims, expected: Sequence[str | AskedOne] | UnsetType, fired: Fired) -> None:
    if expected is UNSET:
        return
    seen = told.of_kind(fired.events, Asked)
    if [_name(each) for each in expected] != [each.subscription.name for each in seen]:
        claims.say(("asked",), [each.subscription.name for each in seen])
        return
    for place, (one, asked) in enumerate(zip(expected, seen, strict=True)):
        if isinstance(one, AskedOne):
            here: Path = ("asked", place)
            claims.equal((*here, "mode"), one.mode, asked.subscription.mode)
            claims.equal((*here, "phase"), one.phase, asked.phase)
            claims.equal((*here, "timeout_ms"), one.timeout_ms, asked.timeout_ms)
            claims.payload((*here, "payload"), one.payload, asked.payload, fired.payload)
            claims.bytes((*here, "request"), one.request, asked.request)


def _together(claims: Claims, expected: list[list[str]] | UnsetType, fired: Fired) -> None:
    if expected is not UNSET:
        groups = _groups(fired)
        if [sorted(group) for group in expected] != [sorted(group) for group in groups]:
            claims.say(("together",), [list(group) for group in groups])


def _groups(fired: Fired) -> list[tuple[str, ...]]:
    """The groups of subscribers whose calls overlapped, directly or through others, in the order of their steps."""
    begins = {
        event.fact.step: (event.number, event.fact.subscription.name)
        for event in fired.events
        if isinstance(event.fact, Asked)
    }
    ends = {event.fact.step: event.number for event in fired.events if isinstance(event.fact, Replied)}
    groups: list[list[int]] = []
    latest = -1
    for step, (number, _) in sorted(begins.items(), key=lambda entry: entry[1]):
        if groups and number < latest:
            groups[-1].append(step)
        else:
            groups.append([step])
        latest = max(latest, ends.get(step, len(fired.events)))
    return [tuple(begins[step][1] for step in sorted(group)) for group in groups if len(group) > 1]


def _not_reached(claims: Claims, expected: Sequence[str | Missed] | UnsetType, fired: Fired) -> None:
    if expected is UNSET:
        return
    seen = told.of_kind(fired.events, NotReached)
    if [_name(each) for each in expected] != [each.subscription.name for each in seen]:
        claims.say(("not_reached",), [each.subscription.name for each in seen])
        return
    for place, (one, missed) in enumerate(zip(expected, seen, strict=True)):
        if isinstance(one, Missed):
            claims.equal(("not_reached", place, "because_of"), one.because_of, missed.because_of)
            claims.equal(("not_reached", place, "rule"), one.rule, missed.rule)


def _steps(claims: Claims, expected: list[StepOne] | UnsetType, fired: Fired) -> None:
    if expected is UNSET:
        return
    asked = {fact.step: fact for fact in told.of_kind(fired.events, Asked)}
    replied = {fact.step: fact for fact in told.of_kind(fired.events, Replied)}
    left = told.of_kind(fired.events, Resolved)
    left.sort(key=lambda fact: fact.step)
    for place, one in enumerate(expected):
        phase = one.phase
        found = next(
            (
                fact
                for fact in left
                if fact.subscription.name == one.subscriber
                and (phase is UNSET or (fact.step in asked and asked[fact.step].phase == phase))
            ),
            None,
        )
        if found is None:
            claims.say(("steps", place), "there is no such step")
        else:
            left.remove(found)
            _step(claims, ("steps", place), one, found, replied.get(found.step), fired.dialect)


def _step(
    claims: Claims, path: Path, one: StepOne, resolved: Resolved, replied: Replied | None, dialect: Dialect
) -> None:
    claims.equal((*path, "status"), one.status, resolved.status)
    claims.equal((*path, "effect"), one.effect, resolved.effect)
    claims.equal((*path, "rule"), one.rule, resolved.rule)
    claims.within((*path, "why"), one.why, resolved.why)
    outcome = None if replied is None else replied.outcome
    answer = dialect.answer_view(outcome) if isinstance(outcome, Answered) else None
    claims.matches((*path, "answer"), one.answer, answer)
    if one.outcome is not UNSET:
        actual: JSON = None if outcome is None else outcome_json(outcome, dialect)
        if not matching.is_part(one.outcome, actual):
            claims.say((*path, "outcome"), actual)
    claims.time((*path, "took_ms"), one.took_ms, 0 if replied is None else replied.took_ns)


def _name(one: str | AskedOne | Missed) -> str:
    return one if isinstance(one, str) else one.subscriber
