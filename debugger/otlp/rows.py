"""A span as a row of a recording, and back with nothing lost. Resource and scope are kept once for all."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from debugger.otlp.spans import (
    NOTHING_DROPPED,
    Attributes,
    Dropped,
    EntityRef,
    Pairs,
    Resource,
    Scope,
    Span,
    SpanEvent,
    SpanLink,
    Status,
    Value,
)
from kernel.errors import BadInput

COLUMNS: Final = "trace, span, parent, name, kind, start_ns, end_ns, status, origin, body"
Row = tuple[bytes, bytes, bytes, str, int, int, int, int | None, int, bytes]
_pack = msgspec.msgpack.Encoder().encode
Sent = tuple[tuple[str, Any], ...]


class _Body(msgspec.Struct, array_like=True):
    """What has no column of its own."""

    trace_state: str
    flags: int
    message: str
    attributes: Sent
    events: tuple[tuple[int, str, Sent, int], ...]
    links: tuple[tuple[bytes, bytes, str, Sent, int, int], ...]
    dropped: tuple[int, int, int]


class _Origin(msgspec.Struct, array_like=True):
    """A resource and a scope."""

    resource: tuple[Sent, int, tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...], str, bool]
    scope: tuple[str, str, Sent, int, str, bool]


_body = msgspec.msgpack.Decoder(_Body).decode
_origin = msgspec.msgpack.Decoder(_Origin).decode


def signed(number: int) -> int:
    """An unsigned number of 64 bits as SQLite holds it."""
    return number if number < 2**63 else number - 2**64


def unsigned(number: int) -> int:
    """And back."""
    return number if number >= 0 else number + 2**64


def row(span: Span, origin: int) -> Row:
    """A span as a row; `origin` stands for its resource and scope."""
    status, dropped = span.status, span.dropped
    body = _pack(
        (
            span.trace_state,
            span.flags,
            "" if status is None else status.message,
            span.attributes,
            tuple([(event.time_ns, event.name, event.attributes, event.dropped_attributes) for event in span.events]),
            tuple([_link(link) for link in span.links]),
            (dropped.attributes, dropped.events, dropped.links),
        )
    )
    return (
        span.trace_id,
        span.span_id,
        span.parent_id,
        span.name,
        span.kind,
        signed(span.start_ns),
        signed(span.end_ns),
        None if status is None else status.code,
        origin,
        body,
    )


def _link(link: SpanLink) -> tuple[bytes, bytes, str, Attributes, int, int]:
    return link.trace_id, link.span_id, link.trace_state, link.attributes, link.dropped_attributes, link.flags


def packed_origin(resource: Resource, scope: Scope) -> bytes:
    """Both as bytes; alike for alike ones only, types of values included."""
    refs = tuple([(ref.schema_url, ref.type, ref.id_keys, ref.description_keys) for ref in resource.entity_refs])
    return _pack(
        (
            (resource.attributes, resource.dropped_attributes, refs, resource.schema_url, resource.is_given),
            (scope.name, scope.version, scope.attributes, scope.dropped_attributes, scope.schema_url, scope.is_given),
        )
    )


def origin(packed: bytes) -> tuple[Resource, Scope]:
    """Both from bytes; raises BadInput for bytes that somebody else made."""
    try:
        read = _origin(packed)
        attributes, dropped, refs, schema_url, is_given = read.resource
        name, version, of_scope, dropped_of_scope, scope_url, is_scope_given = read.scope
        return (
            Resource(_attributes(attributes), dropped, tuple(EntityRef(*ref) for ref in refs), schema_url, is_given),
            Scope(name, version, _attributes(of_scope), dropped_of_scope, scope_url, is_scope_given),
        )
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"where a span comes from cannot be read: {error}") from error


def span(stored: Row, resource: Resource, scope: Scope) -> Span:
    """A span from its row; raises BadInput for one that somebody else made."""
    trace, identity, parent, name, kind, start_ns, end_ns, status, _, packed = stored
    try:
        body = _body(packed)
        return Span(
            trace,
            identity,
            parent,
            name,
            kind,
            unsigned(start_ns),
            unsigned(end_ns),
            None if status is None else Status(status, body.message),
            _attributes(body.attributes),
            tuple([SpanEvent(time_ns, what, _attributes(pairs), lost) for time_ns, what, pairs, lost in body.events]),
            tuple([SpanLink(*link[:3], _attributes(link[3]), *link[4:]) for link in body.links]),
            resource,
            scope,
            body.trace_state,
            body.flags,
            Dropped(*body.dropped) if any(body.dropped) else NOTHING_DROPPED,
        )
    except (msgspec.DecodeError, ValueError, TypeError, RecursionError) as error:
        raise BadInput(f"the span {identity.hex()} cannot be read: {error}") from error


def _attributes(sent: Sent) -> Attributes:
    return tuple([(key, _value(value)) for key, value in sent])


def _value(sent: Any) -> Value:
    """The value that was packed. Lists come back as lists, and Pairs as the mapping that they were packed as."""
    match sent:
        case None | str() | bool() | int() | float() | bytes():
            return sent
        case list():
            return tuple([_value(each) for each in sent])
        case {"items": list(items)}:
            return Pairs(tuple([(str(key), _value(value)) for key, value in items]))
        case _:
            raise TypeError(f"{type(sent).__name__} is no value of an attribute")
