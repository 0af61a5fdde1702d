"""What a scenario expects, as values. A key that is absent is not judged; one that would judge nothing is refused.

Nothing here is one dialect's: its words (points, modes, decisions, rules) are plain text, and compared as such.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from debugger.scenario.parts import Matches, Milliseconds, Name, Part, Range, Timeout, Which
from kernel.asking import ReplyWord
from kernel.values import Effect, Ending, Status

Members: TypeAlias = Annotated[dict[str, Any], Meta(min_length=1)]
"""Some members of a JSON object. None would be had by all."""


class PayloadWord(StrEnum):
    """What can be said of a payload without showing it."""

    UNCHANGED = "unchanged"
    """It is the payload that was fired."""
    NONE = "none"
    """There is none."""


class AskedOne(Part, frozen=True):
    """Somebody was asked."""

    subscriber: Name
    mode: str | UnsetType = UNSET
    phase: str | UnsetType = UNSET
    payload: Annotated[PayloadWord | Matches | UnsetType, Meta(description="What it was asked about.")] = UNSET
    request: Annotated[str | UnsetType, Meta(description="The bytes of the request, in hexadecimal.")] = UNSET
    timeout_ms: Timeout | UnsetType | None = UNSET


class Missed(Part, frozen=True):
    """Somebody was not reached."""

    subscriber: Name
    because_of: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET


class StepOne(Part, frozen=True):
    """How asking one subscriber went."""

    subscriber: Name
    phase: str | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    effect: Effect | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    why: Annotated[Name | UnsetType, Meta(description="The reason contains this.")] = UNSET
    answer: Annotated[Matches | UnsetType, Meta(description="The answer, as JSON of its wire form.")] = UNSET
    outcome: Annotated[Members | UnsetType, Meta(description="Members of the outcome, as docs/facts.md has them.")] = (
        UNSET
    )
    took_ms: Milliseconds | Range | UnsetType = UNSET


class ErrorOne(Part, frozen=True):
    """An error record of the dialect."""

    subscriber: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    category: str | UnsetType = UNSET
    message: Annotated[Name | UnsetType, Meta(description="The message contains this.")] = UNSET
    rule: str | UnsetType = UNSET


class SpanStatus(StrEnum):
    """Status of a span."""

    OK = "ok"
    ERROR = "error"


Attributes: TypeAlias = dict[str, str | int | float | bool | None]
SomeAttributes: TypeAlias = Annotated[Attributes, Meta(min_length=1)]


class SpanOne(Part, frozen=True):
    """A span, and those inside of it."""

    subscriber: Annotated[str | UnsetType, Meta(description="Whose step it is.")] = UNSET
    name: str | UnsetType = UNSET
    kind: Annotated[str | UnsetType, Meta(description="internal, client and so on.")] = UNSET
    status: SpanStatus | UnsetType = UNSET
    error: Annotated[Name | UnsetType, Meta(description="The status says this, among other things.")] = UNSET
    attributes: Annotated[SomeAttributes | UnsetType, Meta(description="It has these; null: it has none such.")] = UNSET
    all_attributes: Annotated[Attributes | UnsetType, Meta(description="It has these and no others.")] = UNSET
    children: Annotated[
        list[str | SpanOne] | UnsetType,
        Meta(description="All of them, in order; a text is a step's subscriber, or another span's name."),
    ] = UNSET


class MetricOne(Part, frozen=True):
    """A measurement. Exactly one has this name and these attributes."""

    name: Name
    value: Annotated[float | UnsetType, Meta(description="Of a counter; 0: nothing was counted.")] = UNSET
    count: Annotated[int | UnsetType, Meta(description="Of a histogram: how often it was recorded; 0: never.")] = UNSET
    attributes: Annotated[SomeAttributes | UnsetType, Meta(description="It has these; null: it has none such.")] = UNSET
    all_attributes: Annotated[Attributes | UnsetType, Meta(description="It has these and no others.")] = UNSET


class PrintedOne(Part, frozen=True):
    """A line that a subscriber wrote."""

    subscriber: str | UnsetType = UNSET
    stream: str | UnsetType = UNSET
    text: Annotated[Name | UnsetType, Meta(description="The line contains this.")] = UNSET


class QuestionOne(Part, frozen=True):
    """Something that a person was asked."""

    subject: Name
    asked_by: Annotated[str | UnsetType, Meta(description="Why it was asked, in the host's notation.")] = UNSET
    details: Annotated[Matches | UnsetType, Meta(description="What was known of it.")] = UNSET
    answer: Annotated[ReplyWord | UnsetType | None, Meta(description="null: it was never answered.")] = UNSET
    by: Annotated[str | UnsetType, Meta(description="Who answered; nobody where the script had no answer.")] = UNSET


class DecisionOne(Part, frozen=True):
    """Something that the host decided itself."""

    subject: str | UnsetType = UNSET
    decision: str | UnsetType = UNSET
    by: str | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    why: Annotated[Name | UnsetType, Meta(description="The reason contains this.")] = UNSET


class SpanWord(StrEnum):
    """What can be said of spans without showing one."""

    NONE = "none"


class Expect(Part, frozen=True):
    """What one dispatch should come to."""

    decision: Annotated[str | UnsetType, Meta(description="The dialect's word.")] = UNSET
    decided_by: str | UnsetType = UNSET
    ending: Ending | UnsetType = UNSET
    rule: Annotated[str | UnsetType, Meta(description="The rule that the result names.")] = UNSET
    error: Annotated[str | UnsetType, Meta(description="The error contains this; empty: there is none.")] = UNSET
    payload: Annotated[PayloadWord | Matches | UnsetType, Meta(description="What the caller gets.")] = UNSET
    extras: Annotated[Matches | UnsetType, Meta(description="What only one dialect returns.")] = UNSET
    asked: Annotated[list[Name | AskedOne] | UnsetType, Meta(description="Everybody who was asked, in order.")] = UNSET
    together: Annotated[
        list[list[Name]] | UnsetType, Meta(description="Every group that was asked together; []: nobody was.")
    ] = UNSET
    not_reached: Annotated[list[Name | Missed] | UnsetType, Meta(description="Everybody who was not, in order.")] = (
        UNSET
    )
    steps: Annotated[
        Annotated[list[StepOne], Meta(min_length=1)] | UnsetType,
        Meta(description="Some of the steps; the others are not judged."),
    ] = UNSET
    errors: Annotated[list[ErrorOne] | UnsetType, Meta(description="Every error record, in order.")] = UNSET
    questions: Annotated[
        list[Name | QuestionOne] | UnsetType, Meta(description="Everything that its result left to a person, in order.")
    ] = UNSET
    decisions: Annotated[
        list[DecisionOne] | UnsetType, Meta(description="Everything that the host made of its result, in order.")
    ] = UNSET
    rules: Annotated[
        Annotated[list[Name], Meta(min_length=1)] | UnsetType, Meta(description="Rules that are named somewhere.")
    ] = UNSET
    spans: Annotated[SpanWord | SpanOne | UnsetType, Meta(description="The span of the dispatch.")] = UNSET
    metrics: Annotated[list[MetricOne], Meta(min_length=1)] | UnsetType = UNSET
    printed: Annotated[
        list[Name | PrintedOne] | UnsetType, Meta(description="Lines among those written, in order; []: none at all.")
    ] = UNSET
    took_ms: Annotated[Milliseconds | Range | UnsetType, Meta(description="A number is exact.")] = UNSET
    facts: Annotated[
        Annotated[list[Members], Meta(min_length=1)] | UnsetType,
        Meta(description="Facts among those told, in order, as docs/facts.md has them."),
    ] = UNSET


# -- a played session --------------------------------------------------------------------------------------------


class PointOne(Part, frozen=True):
    """A dispatch, by where it was and what it was about."""

    point: Name
    label: Annotated[str | UnsetType, Meta(description="Where the point does not say it, such as a tool.")] = UNSET


class ExpectDispatch(Expect, frozen=True):
    """What some dispatches of a session should come to. Every key of a dispatch that was fired, and where it is."""

    in_: Annotated[
        Which | UnsetType, Meta(description="Every dispatch that fits, at least one; absent: the next one in order.")
    ] = field(default=UNSET, name="in")
    point: str | UnsetType = UNSET
    label: Annotated[str | UnsetType, Meta(description="What it is about, such as a tool.")] = UNSET
    parent: Annotated[
        str | UnsetType, Meta(description="Kind of the stretch, or point of the dispatch, around it; empty: none.")
    ] = UNSET


class StretchOne(Part, frozen=True):
    """A stretch of the host's own work, such as a turn."""

    kind: str | UnsetType = UNSET
    name: str | UnsetType = UNSET
    attributes: Annotated[
        Members | UnsetType, Meta(description="It has these in the end, or in part; null: it has none such.")
    ] = UNSET
    error: Annotated[str | UnsetType, Meta(description="It ended badly and said this; empty: it did not.")] = UNSET
    parent: Annotated[
        str | UnsetType, Meta(description="Kind of the stretch, or point of the dispatch, around it; empty: none.")
    ] = UNSET
    took_ms: Milliseconds | Range | UnsetType = UNSET


class ExpectPlayed(Part, frozen=True):
    """What a session should come to."""

    status: Annotated[str | UnsetType, Meta(description="The dialect's word.")] = UNSET
    reason: str | UnsetType = UNSET
    is_fine: bool | UnsetType = UNSET
    why: Annotated[Name | UnsetType, Meta(description="The reason in a sentence contains this.")] = UNSET
    totals: Annotated[Matches | UnsetType, Meta(description="What it came to, such as turns and cost.")] = UNSET
    points: Annotated[
        list[Name | PointOne] | UnsetType, Meta(description="The points of every dispatch, in order.")
    ] = UNSET
    dispatches: Annotated[
        list[ExpectDispatch] | UnsetType,
        Meta(description="Every dispatch in order; or, where each says in which, those alone."),
    ] = UNSET
    questions: Annotated[
        list[Name | QuestionOne] | UnsetType, Meta(description="Everything that a person was asked, in order.")
    ] = UNSET
    decisions: Annotated[
        list[DecisionOne] | UnsetType, Meta(description="Everything that the host decided itself, in order.")
    ] = UNSET
    stretches: Annotated[
        Annotated[list[StretchOne], Meta(min_length=1)] | UnsetType,
        Meta(description="Stretches among those entered, in order."),
    ] = UNSET
    errors: Annotated[list[ErrorOne] | UnsetType, Meta(description="Every error record, in order.")] = UNSET
    rules: Annotated[
        Annotated[list[Name], Meta(min_length=1)] | UnsetType, Meta(description="Rules that are named somewhere.")
    ] = UNSET
    spans: Annotated[
        SpanWord | SpanOne | list[SpanOne] | UnsetType,
        Meta(description="The one span around everything; a list where there are several side by side."),
    ] = UNSET
    metrics: Annotated[list[MetricOne], Meta(min_length=1)] | UnsetType = UNSET
    printed: Annotated[
        list[Name | PrintedOne] | UnsetType, Meta(description="Lines among those written, in order; []: none at all.")
    ] = UNSET
    took_ms: Annotated[Milliseconds | Range | UnsetType, Meta(description="A number is exact.")] = UNSET
    facts: Annotated[
        Annotated[list[Members], Meta(min_length=1)] | UnsetType,
        Meta(description="Facts among those told, in order, as docs/facts.md has them."),
    ] = UNSET


class ConfigError(Part, frozen=True):
    """The configuration, or a seat, is refused before anything is dispatched."""

    code: Annotated[Name | UnsetType, Meta(description="The code that `hookscope check` has for it.")] = UNSET
    at: Annotated[str | int | UnsetType, Meta(description="Where: line, line:column or file:line:column.")] = UNSET
    message: Annotated[Name | UnsetType, Meta(description="The message contains this.")] = UNSET
