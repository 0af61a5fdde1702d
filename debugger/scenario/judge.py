"""What happened beside what was expected. Pure: values in, misses out; a key that is absent is not judged."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from msgspec import UNSET, UnsetType

from debugger.diff import diff
from debugger.fact_json import outcome_json, to_json
from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.fired import Fired
from debugger.scenario.load import Loaded
from debugger.scenario.measure import Measured, Measurement, measured
from debugger.scenario.model import (
    AskedOne,
    Attributes,
    ErrorOne,
    Expect,
    Match,
    Matches,
    MetricOne,
    Missed,
    PayloadWord,
    PrintedOne,
    Range,
    SpanOne,
    SpanWord,
    StepOne,
)
from debugger.scenario.stubs import hexadecimal
from debugger.views import diff_lines
from kernel.clock import NS_PER_MS
from kernel.errors import BadInput
from kernel.facts import Asked, NotReached, Printed, Raised, Replied, Resolved
from kernel.values import JSON, Answered, Payload, Place

Kind = TypeVar("Kind")
MOST_DIFFERENCES = 20
"""Lines of a difference that a person reads; the values are there as well."""


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that does not hold."""

    path: Path
    """Of the key in its scenario."""
    place: Place
    expected: JSON
    """As it was written."""
    actual: JSON
    difference: tuple[str, ...] = ()
    """From the expected to the actual, where both are too large to compare by eye."""


def misses(loaded: Loaded, fired: tuple[Fired, ...], refusal: BadInput | None) -> tuple[Miss, ...]:
    """Every expectation that does not hold; raises BadInput for one that cannot be judged."""
    scenario = loaded.scenario
    if scenario.config_error is not UNSET:
        return tuple(_of_refusal(loaded, refusal))
    found: list[Miss] = []
    for place, each in enumerate(fired):
        if each.is_given_up:
            limit = f"it ends within {scenario.at_most_s:g} s"
            found.append(_miss(loaded, ("fire", place), limit, "nobody ended it: no deadline was left to wait for"))
        if scenario.expect is not UNSET:
            judge = _Judge(loaded, each, ("expect", place))
            judge.judge(scenario.expect[place])
            found += judge.misses
    return tuple(found)


def _miss(loaded: Loaded, path: Path, expected: JSON, actual: JSON, difference: tuple[str, ...] = ()) -> Miss:
    return Miss(path, loaded.node.place_of(path), expected, actual, difference)


def _of_refusal(loaded: Loaded, refusal: BadInput | None) -> Iterable[Miss]:
    expected = loaded.scenario.config_error
    assert expected is not UNSET
    here: Path = ("config_error",)
    if refusal is None:
        yield _miss(loaded, here, loaded.written(here), "it was accepted")
        return
    said = str(refusal)
    if expected.code is not UNSET and not re.search(rf"(?:\A|: ){re.escape(expected.code)}\b", said):
        yield _miss(loaded, (*here, "code"), expected.code, said)
    if expected.message is not UNSET and expected.message not in said:
        yield _miss(loaded, (*here, "message"), expected.message, said)
    if expected.at is not UNSET and not _is_at(str(expected.at), refusal.place):
        yield _miss(loaded, (*here, "at"), expected.at, said)


def _is_at(at: str, place: Place | None) -> bool:
    """Whether `line`, `line:column`, `file:line` or `file:line:column` is the place."""
    parts = re.fullmatch(r"(?:(.*[^0-9:].*?):)?([0-9]+)(?::([0-9]+))?", at)
    if place is None or parts is None:
        return False
    file, line, column = parts.groups()
    is_file = file is None or place.file == file or place.file.endswith(f"/{file}")
    return is_file and int(line) == place.line and column in (None, str(place.column))


class _Judge:
    """Judges one dispatch."""

    def __init__(self, loaded: Loaded, fired: Fired, path: Path) -> None:
        self.misses: list[Miss] = []
        self._loaded = loaded
        self._fired = fired
        self._path = path

    def judge(self, expect: Expect) -> None:
        result = self._fired.result
        for key in ("decision", "decided_by", "ending", "rule"):
            self._equal((key,), getattr(expect, key), getattr(result, key))
        self._error(expect.error)
        self._payload(("payload",), expect.payload, result.payload)
        self._matches(("extras",), expect.extras, dict(result.extras))
        self._asked(expect.asked)
        self._together(expect.together)
        self._not_reached(expect.not_reached)
        self._steps(expect.steps)
        self._errors(expect.errors)
        self._rules(expect.rules)
        self._spans(expect.spans)
        self._metrics(expect.metrics)
        self._printed(expect.printed)
        self._time(("took_ms",), expect.took_ms, self._fired.took_ns)
        self._facts(expect.facts)

    # -- claims of a kind ----------------------------------------------------------------------------------------

    def _say(self, path: Path, actual: JSON, difference: tuple[str, ...] = ()) -> None:
        """The claim at this path does not hold."""
        path = (*self._path, *path)
        self.misses.append(_miss(self._loaded, path, self._loaded.written(path), actual, difference))

    def _equal(self, path: Path, expected: JSON | UnsetType, actual: JSON) -> None:
        if expected is not UNSET and expected != actual:
            self._say(path, actual)

    def _within(self, path: Path, expected: str | UnsetType, actual: str) -> None:
        if expected is not UNSET and expected not in actual:
            self._say(path, actual)

    def _matches(self, path: Path, expected: Matches | UnsetType, actual: JSON) -> None:
        if expected is UNSET:
            return
        if isinstance(expected, list):
            for place, match in enumerate(expected):
                self._match((*path, place), match, actual)
        else:
            self._match(path, expected, actual)

    def _match(self, path: Path, match: Match, whole: JSON) -> None:
        try:
            actual = matching.selected(match, whole)
        except BadInput as error:
            raise self._loaded.wrong((*self._path, *path, "jmespath"), error) from None
        except matching.Unfit as unfit:
            self._say(path, f"no answer: {unfit}")
            return
        if not matching.holds(match, actual):
            self._say(path, actual, () if match.is_ is UNSET else _difference(match.is_, actual))

    def _payload(self, path: Path, expected: PayloadWord | Matches | UnsetType, payload: Payload | None) -> None:
        view = None if payload is None else payload.view
        fired = self._fired.payload
        match expected:
            case PayloadWord.NONE:
                if payload is not None:
                    self._say(path, view)
            case PayloadWord.UNCHANGED:
                if payload is None or payload.digest != fired.digest:
                    self._say(path, view, () if payload is None else _difference(fired.view, view))
            case Match() | list():
                self._matches(path, expected, view)

    def _time(self, path: Path, expected: float | Range | UnsetType, took_ns: int) -> None:
        took_ms = took_ns / NS_PER_MS
        match expected:
            case Range():
                is_held = expected.at_least <= took_ms and (expected.at_most is UNSET or took_ms <= expected.at_most)
            case int() | float():
                is_held = math.isclose(expected, took_ms, abs_tol=1e-6)
            case _:
                return
        if not is_held:
            self._say(path, took_ms)

    def _attributes(
        self, path: Path, expected: Attributes | UnsetType, every: Attributes | UnsetType, actual: dict[str, JSON]
    ) -> None:
        if expected is not UNSET and not _has(expected, actual):
            self._say((*path, "attributes"), actual)
        if every is not UNSET and every != actual:
            self._say((*path, "all_attributes"), actual)

    # -- facts ---------------------------------------------------------------------------------------------------

    def _told(self, kind: type[Kind]) -> list[Kind]:
        return [event.fact for event in self._fired.events if isinstance(event.fact, kind)]

    def _error(self, expected: str | UnsetType) -> None:
        actual = self._fired.result.error
        if expected is not UNSET and (expected not in actual or (actual and not expected)):
            self._say(("error",), actual)

    def _asked(self, expected: Sequence[str | AskedOne] | UnsetType) -> None:
        if expected is UNSET:
            return
        told = self._told(Asked)
        if [_name(each) for each in expected] != [each.subscription.name for each in told]:
            self._say(("asked",), [each.subscription.name for each in told])
            return
        for place, (one, asked) in enumerate(zip(expected, told, strict=True)):
            if isinstance(one, AskedOne):
                here: Path = ("asked", place)
                self._equal((*here, "mode"), one.mode, asked.subscription.mode)
                self._equal((*here, "phase"), one.phase, asked.phase)
                self._equal((*here, "timeout_ms"), one.timeout_ms, asked.timeout_ms)
                self._payload((*here, "payload"), one.payload, asked.payload)
                self._request((*here, "request"), one.request, asked.request)

    def _request(self, path: Path, expected: str | UnsetType, actual: bytes) -> None:
        if expected is UNSET:
            return
        try:
            body = hexadecimal(expected)
        except BadInput as error:
            raise self._loaded.wrong((*self._path, *path), error) from None
        if body != actual:
            self._say(path, actual.hex(" "))

    def _together(self, expected: list[list[str]] | UnsetType) -> None:
        if expected is not UNSET:
            actual: list[JSON] = [list(group) for group in _together(self._fired)]
            if [sorted(group) for group in expected] != [sorted(group) for group in _together(self._fired)]:
                self._say(("together",), actual)

    def _not_reached(self, expected: Sequence[str | Missed] | UnsetType) -> None:
        if expected is UNSET:
            return
        told = self._told(NotReached)
        if [_name(each) for each in expected] != [each.subscription.name for each in told]:
            self._say(("not_reached",), [each.subscription.name for each in told])
            return
        for place, (one, missed) in enumerate(zip(expected, told, strict=True)):
            if isinstance(one, Missed):
                self._equal(("not_reached", place, "because_of"), one.because_of, missed.because_of)
                self._equal(("not_reached", place, "rule"), one.rule, missed.rule)

    def _steps(self, expected: list[StepOne]) -> None:
        asked = {fact.step: fact for fact in self._told(Asked)}
        replied = {fact.step: fact for fact in self._told(Replied)}
        left = self._told(Resolved)
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
                self._say(("steps", place), "there is no such step")
            else:
                left.remove(found)
                self._step(("steps", place), one, found, replied.get(found.step))

    def _step(self, path: Path, one: StepOne, resolved: Resolved, replied: Replied | None) -> None:
        self._equal((*path, "status"), one.status, resolved.status)
        self._equal((*path, "effect"), one.effect, resolved.effect)
        self._equal((*path, "rule"), one.rule, resolved.rule)
        self._within((*path, "why"), one.why, resolved.why)
        dialect = self._fired.dialect
        outcome = None if replied is None else replied.outcome
        answer = dialect.answer_view(outcome) if isinstance(outcome, Answered) else None
        self._matches((*path, "answer"), one.answer, answer)
        if one.outcome:
            actual = None if outcome is None else outcome_json(outcome, dialect)
            if not matching.is_part(one.outcome, actual):
                self._say((*path, "outcome"), actual)
        self._time((*path, "took_ms"), one.took_ms, 0 if replied is None else replied.took_ns)

    def _errors(self, expected: list[ErrorOne] | UnsetType) -> None:
        if expected is UNSET:
            return
        told = self._told(Raised)
        if len(expected) != len(told):
            self._say(("errors",), [_raised(each) for each in told])
            return
        for place, (one, raised) in enumerate(zip(expected, told, strict=True)):
            here: Path = ("errors", place)
            self._equal((*here, "subscriber"), one.subscriber, raised.subscription.name)
            self._equal((*here, "mode"), one.mode, raised.subscription.mode)
            self._equal((*here, "category"), one.category, raised.category)
            self._within((*here, "message"), one.message, raised.message)
            self._equal((*here, "rule"), one.rule, raised.rule)

    def _rules(self, expected: list[str]) -> None:
        named = {str(getattr(event.fact, "rule", "")) for event in self._fired.events} | {self._fired.result.rule}
        actual: list[JSON] = [*sorted(named - {""})]
        for place, rule in enumerate(expected):
            if rule not in self._fired.dialect.rules:
                close = difflib.get_close_matches(rule, self._fired.dialect.rules, 1)
                fix = f"did you mean {close[0]}?" if close else "`hookscope explain --all` lists them"
                unknown = f"{self._fired.dialect.name} has no rule {rule!r}; {fix}"
                raise self._loaded.wrong((*self._path, "rules", place), unknown)
            if rule not in named:
                self._say(("rules", place), actual)

    def _printed(self, expected: Sequence[str | PrintedOne] | UnsetType) -> None:
        if expected is UNSET:
            return
        told = self._told(Printed)
        lines: list[JSON] = [f"{each.subscriber} on {each.stream}: {each.text}" for each in told]
        if not expected and told:
            self._say(("printed",), lines)
        rest = iter(told)
        for place, one in enumerate(expected):
            wanted = PrintedOne(text=one) if isinstance(one, str) else one
            if not any(_is_line(wanted, each) for each in rest):
                self._say(("printed", place), lines)
                return

    def _facts(self, expected: list[dict[str, JSON]]) -> None:
        if not expected:
            return
        told = [to_json(event, self._fired.dialect) for event in self._fired.events]
        rest = iter(told)
        for place, one in enumerate(expected):
            if not any(matching.is_part(one, fact) for fact in rest):
                self._say(("facts", place), [_short(fact, one) for fact in told])
                return

    # -- telemetry -----------------------------------------------------------------------------------------------

    @cached_property
    def _measured(self) -> Measured:
        return measured(self._fired)

    def _spans(self, expected: SpanWord | SpanOne | UnsetType) -> None:
        if expected is UNSET:
            return
        root = self._measured.root
        if expected is SpanWord.NONE:
            if root is not None:
                self._say(("spans",), root.name)
        elif root is None:
            self._say(("spans",), "there is no span")
        else:
            self._span(("spans",), expected, None)

    def _span(self, path: Path, one: SpanOne, step: int | None) -> None:
        span = self._measured.root if step is None else self._measured.steps[step]
        assert span is not None
        self._equal((*path, "name"), one.name, span.name)
        self._equal((*path, "status"), one.status, span.status.status_code.name.lower())
        self._within((*path, "error"), one.error, span.status.description or "")
        actual: dict[str, JSON] = dict(span.attributes or {})  # type: ignore[arg-type]  # plain values
        self._attributes(path, one.attributes, one.all_attributes, actual)
        if one.children is UNSET:
            return
        names = {fact.step: fact.subscription.name for fact in self._told(Asked)}
        steps = sorted(self._measured.steps) if step is None else []
        wanted = [SpanOne(subscriber=each) if isinstance(each, str) else each for each in one.children]
        if len(wanted) != len(steps) or any(
            child.subscriber not in (UNSET, names[inner]) for child, inner in zip(wanted, steps, strict=True)
        ):
            self._say((*path, "children"), [names[inner] for inner in steps])
            return
        for place, (child, inner) in enumerate(zip(wanted, steps, strict=True)):
            self._span((*path, "children", place), child, inner)

    def _metrics(self, expected: list[MetricOne]) -> None:
        for place, one in enumerate(expected):
            path: Path = ("metrics", place)
            named = [point for point in self._measured.metrics if point.name == one.name]
            fitting = [point for point in named if _is_point(one, point)]
            is_nothing = one.value == 0 or one.count == 0
            is_held = not fitting if is_nothing else len(fitting) == 1
            if is_held and fitting:
                [point] = fitting
                is_held = one.value in (UNSET, point.value) and one.count in (UNSET, point.count)
            if not is_held:
                self._say(path, [_point(point) for point in named])


def _name(one: str | AskedOne | Missed) -> str:
    return one if isinstance(one, str) else one.subscriber


def _raised(fact: Raised) -> JSON:
    return {
        "subscriber": fact.subscription.name,
        "mode": fact.subscription.mode,
        "category": fact.category,
        "message": fact.message,
    }


def _short(fact: dict[str, JSON], like: dict[str, JSON]) -> JSON:
    """Of a fact what the expected one speaks of, and what tells it from others."""
    return {key: value for key, value in fact.items() if key in like or key in ("fact", "subscriber")}


def _is_line(wanted: PrintedOne, printed: Printed) -> bool:
    return (
        wanted.subscriber in (UNSET, printed.subscriber)
        and wanted.stream in (UNSET, printed.stream)
        and (wanted.text is UNSET or wanted.text in printed.text)
    )


def _has(expected: Attributes, actual: dict[str, JSON]) -> bool:
    return all(
        key not in actual if value is None else key in actual and matching.is_equal(value, actual[key])
        for key, value in expected.items()
    )


def _is_point(one: MetricOne, point: Measurement) -> bool:
    actual = dict(point.attributes)
    is_some = one.attributes is UNSET or _has(one.attributes, actual)
    return is_some and (one.all_attributes is UNSET or one.all_attributes == actual)


def _point(point: Measurement) -> JSON:
    said: dict[str, JSON] = {"value": point.value} if point.count is None else {"count": point.count}
    return {**said, "attributes": dict(point.attributes)}


def _together(fired: Fired) -> list[tuple[str, ...]]:
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


def _difference(expected: JSON, actual: JSON) -> tuple[str, ...]:
    """A diff from the expected value to the actual one, where both have parts."""
    if not (isinstance(expected, dict | list) and isinstance(actual, dict | list)):
        return ()
    lines = diff_lines.unified(expected, actual, diff(expected, actual), context=1)
    shown = tuple(f"{line.mark} {line.text}".rstrip() for line in lines[:MOST_DIFFERENCES])
    return shown if len(lines) <= MOST_DIFFERENCES else (*shown, f"... and {len(lines) - MOST_DIFFERENCES} lines more")
