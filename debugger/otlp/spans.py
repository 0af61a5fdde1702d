"""A span as the protocol has it, as a value of ours. Everything that was sent is kept, with its type.

Knows neither protobuf nor JSON: `protobuf` and `otlp_json` turn what is sent into these values and back.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeAlias

TRACE_ID: Final = 16
"""Bytes of a trace id."""
SPAN_ID: Final = 8
"""Bytes of a span id."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """A list of keys and values as a value: what the protocol calls `kvlist`."""

    items: Attributes = ()


Value: TypeAlias = "str | bool | int | float | bytes | tuple[Value, ...] | Pairs | None"
"""What an attribute holds. `1`, `1.0` and `True` are three different values here, though Python calls them equal."""
Attributes: TypeAlias = "tuple[tuple[str, Value], ...]"
"""As sent: in order, and with every repetition of a key."""


class Kind(IntEnum):
    """The kinds of the protocol. A span may carry a number that is none of them, and keeps it."""

    UNSPECIFIED = 0
    INTERNAL = 1
    SERVER = 2
    CLIENT = 3
    PRODUCER = 4
    CONSUMER = 5


class Code(IntEnum):
    """The status codes of the protocol."""

    UNSET = 0
    OK = 1
    ERROR = 2


@dataclass(frozen=True, slots=True)
class Status:
    """How a span ended, in the words of whoever ended it."""

    code: int = Code.UNSET
    message: str = ""


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened at a moment within a span."""

    time_ns: int = 0
    name: str = ""
    attributes: Attributes = ()
    dropped_attributes: int = 0


@dataclass(frozen=True, slots=True)
class SpanLink:
    """Another span that this one has to do with."""

    trace_id: bytes = b""
    span_id: bytes = b""
    trace_state: str = ""
    attributes: Attributes = ()
    dropped_attributes: int = 0
    flags: int = 0


@dataclass(frozen=True, slots=True)
class EntityRef:
    """Which attributes of a resource identify an entity, and which describe it."""

    schema_url: str = ""
    type: str = ""
    id_keys: tuple[str, ...] = ()
    description_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resource:
    """Who sent a span."""

    attributes: Attributes = ()
    dropped_attributes: int = 0
    entity_refs: tuple[EntityRef, ...] = ()
    schema_url: str = ""
    is_given: bool = True
    """Whether it was sent at all: the protocol tells an empty one from none."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which instrumentation made a span."""

    name: str = ""
    version: str = ""
    attributes: Attributes = ()
    dropped_attributes: int = 0
    schema_url: str = ""
    is_given: bool = True


@dataclass(frozen=True, slots=True)
class Dropped:
    """How much of a span its maker left out."""

    attributes: int = 0
    events: int = 0
    links: int = 0


NOTHING_DROPPED: Final = Dropped()


@dataclass(frozen=True, slots=True)
class Span:
    """One timed part of a trace. Times are nanoseconds since the epoch, and 0 where none was sent.

    Spans that were sent together share their resource and their scope: the same objects, not only equal ones. What
    is sent on is grouped by them.
    """

    trace_id: bytes
    span_id: bytes
    parent_id: bytes = b""
    name: str = ""
    kind: int = Kind.UNSPECIFIED
    start_ns: int = 0
    end_ns: int = 0
    status: Status | None = None
    """None where none was sent, which means unset as well."""
    attributes: Attributes = ()
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    resource: Resource = field(default_factory=Resource)
    scope: Scope = field(default_factory=Scope)
    trace_state: str = ""
    flags: int = 0
    dropped: Dropped = NOTHING_DROPPED

    @property
    def is_error(self) -> bool:
        return self.status is not None and self.status.code == Code.ERROR


def fault_of(span: Span) -> str:
    """Why a span cannot be placed anywhere; empty for one that can. Ids are what the protocol insists on."""
    if len(span.trace_id) != TRACE_ID or not any(span.trace_id):
        return f"its trace id is {_described(span.trace_id, TRACE_ID)}"
    if len(span.span_id) != SPAN_ID or not any(span.span_id):
        return f"its span id is {_described(span.span_id, SPAN_ID)}"
    if span.parent_id and len(span.parent_id) != SPAN_ID:
        return f"its parent's id is {_described(span.parent_id, SPAN_ID)}"
    return ""


def _described(identity: bytes, length: int) -> str:
    if len(identity) != length:
        return f"{len(identity)} bytes long instead of {length}"
    return "all zeros"


def text_of(attributes: Attributes, key: str) -> str:
    """The first text under a key; empty where there is none."""
    for name, value in attributes:
        if name == key and isinstance(value, str):
            return value
    return ""


def service_of(resource: Resource) -> str:
    """What a resource calls its service; empty where it does not say."""
    return text_of(resource.attributes, "service.name")


def grouped(spans: Iterable[Span]) -> list[tuple[Resource, list[tuple[Scope, list[Span]]]]]:
    """Spans in a row that share a resource, and among them those that share a scope; the order stays.

    Shared means the same object: equal ones may differ in the type of a value, which equality does not see.
    """
    groups: list[tuple[Resource, list[tuple[Scope, list[Span]]]]] = []
    for span in spans:
        if not groups or groups[-1][0] is not span.resource:
            groups.append((span.resource, []))
        scopes = groups[-1][1]
        if not scopes or scopes[-1][0] is not span.scope:
            scopes.append((span.scope, []))
        scopes[-1][1].append(span)
    return groups
