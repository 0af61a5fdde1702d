"""The format of scenario files, as values. The JSON Schema and every error about a key come from here.

Nothing here is one dialect's: words of a dialect (points, modes, answers, decisions, options) are plain text or JSON,
and the dialect judges them. A key of `Expect` that is absent is not judged.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

from kernel.values import Effect, Ending, Status

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]
Timeout: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000)]


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Some mapping of a scenario file: a key that it does not know is an error."""


# -- what is run -------------------------------------------------------------------------------------------------


class ClockKind(StrEnum):
    """Which time a scenario runs on."""

    VIRTUAL = "virtual"
    """Jumps to the next deadline when nothing else is left to do; real where processes take part."""
    REAL = "real"


class Config(Part, frozen=True):
    """A configuration of the dialect's host: a file or folder, or files that the scenario brings along."""

    path: Annotated[str, Meta(description="A file or folder, relative to the scenario file.")] = ""
    files: Annotated[dict[str, str], Meta(description="Relative path to text: a folder made for the run.")] = {}
    options: Annotated[dict[str, Any], Meta(description="How to read it, in the dialect's words.")] = {}


class Refusal(Part, frozen=True):
    """An error of the transport in the place of an answer."""

    code: Annotated[Name, Meta(description="As the transport calls it: a gRPC status, an exception's class.")]
    message: str = "as told"


class Crash(Part, frozen=True):
    """How a process ends that dies while it is being asked."""

    signal: Annotated[int, Meta(ge=1, le=64)] = 9


class Behaviour(Part, frozen=True):
    """What a stub does when it is asked: one of answer, json, bytes, nothing, status, crash and hang."""

    answer: Annotated[Any, Meta(description="A proper answer, in the dialect's words.")] = UNSET
    json: Annotated[Any, Meta(description="Any answer, as JSON of its wire form.")] = UNSET
    bytes: Annotated[str | UnsetType, Meta(description="Any bytes at all, in hexadecimal.")] = UNSET
    nothing: Annotated[bool | UnsetType, Meta(description="It comes back without an answer.")] = UNSET
    status: Annotated[Name | Refusal | UnsetType, Meta(description="It ends the call with this code.")] = UNSET
    crash: Annotated[bool | Crash | UnsetType, Meta(description="Its process dies.")] = UNSET
    hang: Annotated[bool | UnsetType, Meta(description="It never answers.")] = UNSET
    after_ms: Annotated[Milliseconds, Meta(description="How long it takes.")] = 0
    prints: Annotated[str | list[str], Meta(description="Lines that it writes to stderr before.")] = []


class Producer(Part, frozen=True):
    """The build of a subscriber, where nothing else says it."""

    name: str = ""
    version: str = ""
    source: str = ""
    category: str = ""


Told: TypeAlias = Name | Behaviour
"""A word of the dialect, or all that can be said about one call."""


class Subscriber(Part, frozen=True):
    """A seat in a chain, or somebody else in the seats that the configuration gives to this name."""

    name: Name
    point: Annotated[str, Meta(description="Absent: every seat that the configuration has for this name.")] = ""
    mode: str = ""
    timeout_ms: Timeout | UnsetType = UNSET
    producer: Producer | UnsetType = UNSET
    options: Annotated[dict[str, Any], Meta(description="What else a seat has, in the dialect's words.")] = {}
    stub: Annotated[
        Told | Annotated[list[Told], Meta(min_length=1)] | UnsetType,
        Meta(description="Nobody real: does as told. A list is one for each call; the last one goes on."),
    ] = UNSET
    in_process: Annotated[Name | UnsetType, Meta(description="module:attribute or file.py:attribute, a callable.")] = (
        UNSET
    )
    process: Annotated[
        Annotated[list[Name], Meta(min_length=1)] | UnsetType,
        Meta(description="A program and its arguments, started without a shell in the scenario's folder."),
    ] = UNSET
    env: Annotated[dict[str, str], Meta(description="Added to the environment of the process.")] = {}


class Caller(Part, frozen=True):
    """Whoever wants the result."""

    gives_up_after_ms: Milliseconds


class Steer(Part, frozen=True):
    """A scripted hand at the seams: before or after one subscriber, one of edit, an answer, skip and stop."""

    before: Annotated[Name | UnsetType, Meta(description="At the seam before this subscriber is called.")] = UNSET
    after: Annotated[Name | UnsetType, Meta(description="At the seam after this subscriber has answered.")] = UNSET
    phase: Annotated[str | UnsetType, Meta(description="Where one is asked more than one thing.")] = UNSET
    edit: Annotated[Any, Meta(description="Go on with this payload; only before.")] = UNSET
    answer: Annotated[Any, Meta(description="Take this answer instead, in the dialect's words.")] = UNSET
    json: Annotated[Any, Meta(description="Take this answer instead, as JSON of its wire form.")] = UNSET
    bytes: Annotated[str | UnsetType, Meta(description="Take these bytes instead, in hexadecimal.")] = UNSET
    nothing: Annotated[bool | UnsetType, Meta(description="Take it that no answer came back.")] = UNSET
    status: Annotated[Name | Refusal | UnsetType, Meta(description="Take this error of the transport.")] = UNSET
    skip: Annotated[bool | UnsetType, Meta(description="Leave the subscriber out.")] = UNSET
    stop: Annotated[bool | UnsetType, Meta(description="End the dispatch.")] = UNSET


class Fire(Part, frozen=True):
    """One dispatch."""

    point: Name
    payload: Annotated[
        Any, Meta(description="As JSON. Absent: the prepared one of the configuration, or a realistic sample.")
    ] = UNSET
    payload_file: Annotated[Name | UnsetType, Meta(description="A JSON file, relative to the scenario file.")] = UNSET
    payload_bytes: Annotated[str | UnsetType, Meta(description="The payload's own form, in hexadecimal.")] = UNSET
    payload_point: Annotated[str | UnsetType, Meta(description="Whose payload it is, if not the point's own.")] = UNSET
    faults: Annotated[
        list[dict[str, Any]],
        Meta(description="Trouble: at (a subscriber), kind, when (always, first, or a number), and its settings."),
    ] = []
    steer: list[Steer] = []
    switches: Annotated[dict[str, bool], Meta(description="Switches of the dialect, for this dispatch.")] = {}
    caller: Caller | UnsetType = UNSET


# -- what is expected --------------------------------------------------------------------------------------------


class Match(Part, frozen=True):
    """A claim about a JSON value. Every key holds."""

    jmespath: Annotated[str, Meta(description="Which part of it; absent: all of it.")] = ""
    is_: Annotated[Any, Meta(description="It is exactly this.")] = field(default=UNSET, name="is")
    contains: Annotated[
        Any, Meta(description="Objects have these members, lists these items in this order, text this text.")
    ] = UNSET


Matches: TypeAlias = Match | list[Match]


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


class Range(Part, frozen=True):
    """A stretch of time, in milliseconds."""

    at_least: Milliseconds = 0
    at_most: Milliseconds | UnsetType = UNSET


class StepOne(Part, frozen=True):
    """How asking one subscriber went."""

    subscriber: Name
    phase: str | UnsetType = UNSET
    status: Status | UnsetType = UNSET
    effect: Effect | UnsetType = UNSET
    rule: str | UnsetType = UNSET
    why: Annotated[str | UnsetType, Meta(description="The reason contains this.")] = UNSET
    answer: Annotated[Matches | UnsetType, Meta(description="The answer, as JSON of its wire form.")] = UNSET
    outcome: Annotated[dict[str, Any], Meta(description="Members of the outcome, as docs/facts.md has them.")] = {}
    took_ms: Milliseconds | Range | UnsetType = UNSET


class ErrorOne(Part, frozen=True):
    """An error record of the dialect."""

    subscriber: str | UnsetType = UNSET
    mode: str | UnsetType = UNSET
    category: str | UnsetType = UNSET
    message: Annotated[str | UnsetType, Meta(description="The message contains this.")] = UNSET
    rule: str | UnsetType = UNSET


class SpanStatus(StrEnum):
    """Status of a span."""

    OK = "ok"
    ERROR = "error"


Attributes: TypeAlias = dict[str, str | int | float | bool | None]


class SpanOne(Part, frozen=True):
    """A span, and those inside of it."""

    subscriber: Annotated[str | UnsetType, Meta(description="Whose step it is.")] = UNSET
    name: str | UnsetType = UNSET
    status: SpanStatus | UnsetType = UNSET
    error: Annotated[str | UnsetType, Meta(description="The status says this, among other things.")] = UNSET
    attributes: Annotated[Attributes | UnsetType, Meta(description="It has these; null: it has none such.")] = UNSET
    all_attributes: Annotated[Attributes | UnsetType, Meta(description="It has these and no others.")] = UNSET
    children: Annotated[list[str | SpanOne] | UnsetType, Meta(description="All of them, in order.")] = UNSET


class MetricOne(Part, frozen=True):
    """A measurement. Exactly one has this name and these attributes."""

    name: Name
    value: Annotated[float | UnsetType, Meta(description="Of a counter; 0: nothing was counted.")] = UNSET
    count: Annotated[int | UnsetType, Meta(description="Of a histogram: how often it was recorded; 0: never.")] = UNSET
    attributes: Annotated[Attributes | UnsetType, Meta(description="It has these; null: it has none such.")] = UNSET
    all_attributes: Annotated[Attributes | UnsetType, Meta(description="It has these and no others.")] = UNSET


class PrintedOne(Part, frozen=True):
    """A line that a subscriber wrote."""

    subscriber: str | UnsetType = UNSET
    stream: str | UnsetType = UNSET
    text: Annotated[str | UnsetType, Meta(description="The line contains this.")] = UNSET


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
    steps: Annotated[list[StepOne], Meta(description="Some of the steps; the others are not judged.")] = []
    errors: Annotated[list[ErrorOne] | UnsetType, Meta(description="Every error record, in order.")] = UNSET
    rules: Annotated[list[Name], Meta(description="Rules that are named somewhere.")] = []
    spans: Annotated[SpanWord | SpanOne | UnsetType, Meta(description="The span of the dispatch.")] = UNSET
    metrics: list[MetricOne] = []
    printed: Annotated[
        list[Name | PrintedOne] | UnsetType, Meta(description="Lines among those written, in order; []: none at all.")
    ] = UNSET
    took_ms: Annotated[Milliseconds | Range | UnsetType, Meta(description="A number is exact.")] = UNSET
    facts: Annotated[
        list[dict[str, Any]], Meta(description="Facts among those told, in order, as docs/facts.md has them.")
    ] = []


class ConfigError(Part, frozen=True):
    """The configuration, or a seat, is refused before anything is dispatched."""

    code: Annotated[str | UnsetType, Meta(description="What the message begins with.")] = UNSET
    at: Annotated[str | int | UnsetType, Meta(description="Where: line, line:column or file:line:column.")] = UNSET
    message: Annotated[str | UnsetType, Meta(description="The message contains this.")] = UNSET


class Scenario(Part, frozen=True):
    """A described run."""

    scenario: Annotated[Name, Meta(description="Its name: a claim in a few words.")]
    dialect: Annotated[Name, Meta(description="The family of semantics.")]
    about: Annotated[str, Meta(description="For people.")] = ""
    config: Annotated[Name | Config | UnsetType, Meta(description="Path of a configuration, or more about it.")] = UNSET
    subscribers: Annotated[list[Subscriber], Meta(description="Added to the configuration, or in the place of.")] = []
    switches: Annotated[dict[str, bool], Meta(description="Switches of the dialect.")] = {}
    clock: ClockKind = ClockKind.VIRTUAL
    timeout_ms: Annotated[Timeout | UnsetType, Meta(description="For subscribers of this file that name none.")] = UNSET
    at_most_s: Annotated[
        Annotated[float, Meta(gt=0, le=3600)], Meta(description="Real seconds after which a dispatch is given up.")
    ] = 60
    caller: Annotated[Caller | UnsetType, Meta(description="For each dispatch that has none of its own.")] = UNSET
    fire: list[Fire] = []
    expect: Annotated[list[Expect] | UnsetType, Meta(description="One for each dispatch.")] = UNSET
    config_error: ConfigError | UnsetType = UNSET
