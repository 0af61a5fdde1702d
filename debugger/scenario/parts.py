"""What every part of the scenario format is made of: mappings that know their keys, scalars, claims about JSON."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, field

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]
Timeout: TypeAlias = Annotated[int, Meta(ge=-1_000_000_000, le=1_000_000_000)]
"""In milliseconds. Which of them a host takes is for its dialect to say."""


class Part(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Some mapping of a scenario file: a key that it does not know is an error."""


class Match(Part, frozen=True):
    """A claim about a JSON value. Every key holds."""

    jmespath: Annotated[str, Meta(description="Which part of it; absent: all of it.")] = ""
    is_: Annotated[Any, Meta(description="It is exactly this.")] = field(default=UNSET, name="is")
    contains: Annotated[
        Any, Meta(description="Objects have these members, lists these items in this order, text this text.")
    ] = UNSET

    def __post_init__(self) -> None:
        if self.is_ is UNSET and self.contains is UNSET:
            raise ValueError("it claims nothing; say `is` or `contains`")
        if self.contains is not UNSET and self.contains in ("", [], {}):
            raise ValueError("everything contains this; say what is in it, or `is`")


Matches: TypeAlias = Match | Annotated[list[Match], Meta(min_length=1)]


class Range(Part, frozen=True):
    """A stretch of time, in milliseconds."""

    at_least: Milliseconds = 0
    at_most: Milliseconds | UnsetType = UNSET

    def __post_init__(self) -> None:
        if not self.at_least and self.at_most is UNSET:
            raise ValueError("everything takes so long; say at_least or at_most")


class Which(Part, frozen=True):
    """Some of the dispatches of a session: those for which every key holds."""

    point: Annotated[str, Meta(description="At this point; absent: at any.")] = ""
    nth: Annotated[
        Annotated[int, Meta(ge=1)] | UnsetType, Meta(description="Only this one, from 1, of those that fit otherwise.")
    ] = UNSET
    text: Annotated[str, Meta(description="The payload, or what it is about, has this text in it.")] = ""
    payload: Annotated[Matches | UnsetType, Meta(description="Claims about the payload that was dispatched.")] = UNSET
