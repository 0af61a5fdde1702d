"""Spans as OTLP JSON: ids in hex, 64-bit numbers as text, enums as numbers, field names in lowerCamelCase.

Defaults are left out, as the protocol allows; an empty object stays, for that it is there says something.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec

from debugger.otlp.spans import Attributes, Pairs, Resource, Scope, Span, Value, grouped

AT_ONCE: Final = 500
"""Spans whose text is made at a time."""


def document(spans: Iterable[Span]) -> Iterator[str]:
    """Spans as one document of OTLP JSON, piece by piece, each group of spans on a line of its own."""
    yield '{"resourceSpans": ['
    some: list[Span] = []
    is_first = True
    for span in spans:
        some.append(span)
        if len(some) == AT_ONCE:
            yield _members(some, is_first=is_first)
            some, is_first = [], False
    if some:
        yield _members(some, is_first=is_first)
    yield "\n]}\n"


def encoded(spans: Sequence[Span]) -> bytes:
    """Spans as one request, or as a line of a file of JSON Lines."""
    return msgspec.json.encode({"resourceSpans": list(resource_spans_of(grouped(spans)))})


def _members(spans: Sequence[Span], *, is_first: bool) -> str:
    groups = [msgspec.json.encode(group).decode() for group in resource_spans_of(grouped(spans))]
    return ("\n" if is_first else ",\n") + ",\n".join(groups)


def resource_spans_of(groups: Iterable[tuple[Resource, list[tuple[Scope, list[Span]]]]]) -> Iterable[dict[str, Any]]:
    """Each group as a member of `resourceSpans`: plain values, ready to be encoded. Defaults are left out."""
    for resource, scopes in groups:
        yield _kept(
            resource=_kept(
                attributes=_pairs(resource.attributes),
                droppedAttributesCount=resource.dropped_attributes,
                entityRefs=[
                    _kept(
                        schemaUrl=ref.schema_url,
                        type=ref.type,
                        idKeys=list(ref.id_keys),
                        descriptionKeys=list(ref.description_keys),
                    )
                    for ref in resource.entity_refs
                ],
            )
            if resource.is_given
            else None,
            scopeSpans=[
                _kept(
                    scope=_kept(
                        name=scope.name,
                        version=scope.version,
                        attributes=_pairs(scope.attributes),
                        droppedAttributesCount=scope.dropped_attributes,
                    )
                    if scope.is_given
                    else None,
                    spans=[_plain(span) for span in members],
                    schemaUrl=scope.schema_url,
                )
                for scope, members in scopes
            ],
            schemaUrl=resource.schema_url,
        )


def _plain(span: Span) -> dict[str, Any]:
    status = span.status
    return _kept(
        traceId=span.trace_id.hex(),
        spanId=span.span_id.hex(),
        traceState=span.trace_state,
        parentSpanId=span.parent_id.hex(),
        flags=span.flags,
        name=span.name,
        kind=int(span.kind),
        startTimeUnixNano=_text(span.start_ns),
        endTimeUnixNano=_text(span.end_ns),
        attributes=_pairs(span.attributes),
        droppedAttributesCount=span.dropped.attributes,
        events=[
            _kept(
                timeUnixNano=_text(event.time_ns),
                name=event.name,
                attributes=_pairs(event.attributes),
                droppedAttributesCount=event.dropped_attributes,
            )
            for event in span.events
        ],
        droppedEventsCount=span.dropped.events,
        links=[
            _kept(
                traceId=link.trace_id.hex(),
                spanId=link.span_id.hex(),
                traceState=link.trace_state,
                attributes=_pairs(link.attributes),
                droppedAttributesCount=link.dropped_attributes,
                flags=link.flags,
            )
            for link in span.links
        ],
        droppedLinksCount=span.dropped.links,
        status=None if status is None else _kept(message=status.message, code=int(status.code)),
    )


def _kept(**fields: Any) -> dict[str, Any]:
    """Without what is a default. An empty object is none: that it is there says something."""
    return {name: value for name, value in fields.items() if value or isinstance(value, dict)}


def _text(number: int) -> str:
    return str(number) if number else ""


def _pairs(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": key, "value": _plain_value(value)} for key, value in attributes]


def _plain_value(value: Value) -> dict[str, Any]:
    match value:
        case None:
            return {}
        case bool():  # before int: True is one of them
            return {"boolValue": value}
        case str():
            return {"stringValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            if math.isnan(value):
                return {"doubleValue": "NaN"}
            return {"doubleValue": value if math.isfinite(value) else "Infinity" if value > 0 else "-Infinity"}
        case bytes():
            return {"bytesValue": base64.b64encode(value).decode()}
        case Pairs(items):
            return {"kvlistValue": {"values": _pairs(items)}}
        case tuple():
            return {"arrayValue": {"values": [_plain_value(each) for each in value]}}
