"""What a scenario runs, as values. The JSON Schema and every error about a key come from here.

Nothing here is one dialect's: its words (points, modes, answers, sessions, options) are plain text or JSON, and the
dialect judges them. What is expected stands in `expected.py`.
"""

# ruff: noqa: RUF012  # msgspec copies a default for each instance
from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from debugger.scenario.expected import ConfigError, Expect, ExpectPlayed
from debugger.scenario.parts import Matches, Milliseconds, Name, Part, Timeout, Which
from kernel.asking import ReplyWord


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


class Reply(Part, frozen=True):
    """What is answered to questions that fit."""

    answer: ReplyWord
    about: Annotated[str, Meta(description="The subject of the question is this; absent: whatever it is.")] = ""
    details: Annotated[Matches | UnsetType, Meta(description="Claims about what is known of it.")] = UNSET
    times: Annotated[Annotated[int, Meta(ge=1)], Meta(description="How often it is answered.")] = 1
    by: Annotated[Name, Meta(description="Who answers.")] = "person"
    takes_ms: Annotated[Milliseconds, Meta(description="How long that takes.")] = 0


Answers: TypeAlias = list[ReplyWord | Reply]
"""A scripted person. Each question is answered by the first that fits and is not used up, or denied by nobody."""


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
        Meta(description="Trouble: at (a subscriber), kind, when, chance (per cent), seed, and its settings."),
    ] = []
    steer: list[Steer] = []
    answers: Annotated[Answers, Meta(description="What a person answers to what the result leaves open.")] = []
    switches: Annotated[dict[str, bool], Meta(description="Switches of the dialect, for this dispatch.")] = {}
    caller: Caller | UnsetType = UNSET


class SteerIn(Steer, frozen=True):
    """A scripted hand in some of the dispatches of a session."""

    in_: Annotated[Which | UnsetType, Meta(description="In which dispatches; absent: in each.")] = field(
        default=UNSET, name="in"
    )


class Play(Part, frozen=True):
    """A whole session, described in the dialect's words. Its hooks are asked for real, in the host's own order."""

    session: Annotated[Any, Meta(description="The description itself.")] = UNSET
    session_file: Annotated[Name | UnsetType, Meta(description="A JSON file, relative to the scenario file.")] = UNSET
    answers: Annotated[
        Answers | UnsetType, Meta(description="What a person answers, in the place of the description's own answers.")
    ] = UNSET
    faults: Annotated[
        list[dict[str, Any]],
        Meta(description="Trouble: in (which dispatches), at, kind, when, chance (per cent), seed, and its settings."),
    ] = []
    steer: list[SteerIn] = []
    switches: Annotated[dict[str, bool], Meta(description="Switches of the dialect, for this session.")] = {}
    caller: Caller | UnsetType = UNSET


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
    fire: Annotated[list[Fire], Meta(description="Dispatches, one after the other.")] = []
    play: Annotated[Play | UnsetType, Meta(description="A session, in the place of single dispatches.")] = UNSET
    expect: Annotated[list[Expect] | UnsetType, Meta(description="One for each dispatch.")] = UNSET
    expect_played: Annotated[ExpectPlayed | UnsetType, Meta(description="What the session comes to.")] = UNSET
    config_error: ConfigError | UnsetType = UNSET
