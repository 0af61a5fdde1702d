"""Spans from OTLP JSON; `json_out` writes it.

Read generously, as the programs that write it differ: ids in base64 as protobuf's own JSON has them, numbers as numbers
or as text, enums by name or number, field names in snake_case, null for whatever is not there. Unknown fields are
passed over, as the protocol wants it.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec import Raw

from debugger.otlp.json_fields import (
    AnyValue,
    Event,
    KeyValue,
    Link,
    Request,
    RequestUnread,
    ResourceSent,
    ResourceSpans,
    ResourceSpansUnread,
    ScopeSent,
    ScopeSpans,
    ScopeSpansUnread,
    SpanSent,
)
from debugger.otlp.spans import (
    NOTHING_DROPPED,
    SPAN_ID,
    TRACE_ID,
    Attributes,
    Code,
    Dropped,
    EntityRef,
    Kind,
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

DEEPEST: Final = 93
"""Messages that may be within one another below an attribute: protobuf takes 100 in all, and what comes in as JSON
can go out as protobuf."""
_U32, _U64, _I64 = (0, 2**32 - 1), (0, 2**64 - 1), (-(2**63), 2**63 - 1)
_HEX: Final = re.compile(r"(?:[0-9a-fA-F]{2})*")
_WHOLE: Final = re.compile(r"-?[0-9]{1,20}")
_NOT_FINITE: Final[Mapping[str, float]] = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_READER: Final = msgspec.json.Decoder(Request)
_UNREAD: Final = msgspec.json.Decoder(RequestUnread)
_ONE: Final = msgspec.json.Decoder(SpanSent)


class _Wrong(Exception):
    """A value that does not fit; the message names its field, the places are put before it on the way out."""

    culprit: bytes = b""
    """The text of the span in which it is, where that is at hand."""


def decoded(body: bytes) -> tuple[Span, ...]:
    """The spans of an ExportTraceServiceRequest or TracesData in JSON; raises BadInput, which names the place."""
    with _complaints():
        request: Request | RequestUnread = _READER.decode(body)
        if request.resource_spans is None and b'"resource_spans"' in body:
            request = msgspec.convert(_camel(msgspec.json.decode(body)), Request)
        return tuple(_spans(request))


def streamed(body: bytes | memoryview) -> Iterator[Span]:
    """The same for a large text, one by one: the next span is read when the one before it is done with.

    Its structure is looked through at once. What is raised for a span has its text as `culprit`.
    """
    with _complaints():
        request: Request | RequestUnread = _UNREAD.decode(body)
        if request.resource_spans is None:  # names of fields in snake_case, perhaps
            request = msgspec.convert(_camel(msgspec.json.decode(body)), Request)
    found = _spans(request)
    while True:
        with _complaints():
            span = next(found, None)
        if span is None:
            return
        yield span


class BadSpan(BadInput):
    """A span in a text that cannot be used; the rest may be fine."""

    def __init__(self, message: str, culprit: bytes) -> None:
        super().__init__(message)
        self.culprit = culprit
        """Its text."""


@contextmanager
def _complaints() -> Iterator[None]:
    try:
        yield
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"this is no OTLP JSON: {error}") from error
    except RecursionError:
        raise BadInput("this is no OTLP JSON: it is nested deeper than anybody reads") from None
    except _Wrong as error:
        sentence = f"this is no OTLP JSON: {error}"
        raise (BadSpan(sentence, error.culprit) if error.culprit else BadInput(sentence)) from None


def _camel(value: Any) -> Any:
    """The same with its names of fields in lowerCamelCase. Keys of attributes are values and stay."""
    match value:
        case dict():
            return {re.sub("_(.)", lambda found: found[1].upper(), key): _camel(each) for key, each in value.items()}
        case list():
            return [_camel(each) for each in value]
        case _:
            return value


def _spans(request: Request | RequestUnread) -> Iterator[Span]:
    groups: Sequence[ResourceSpans | ResourceSpansUnread] = request.resource_spans or ()
    for at, group in enumerate(groups):
        place, text = f"resourceSpans[{at}]", b""
        try:
            resource = _resource(group.resource, group.schema_url or "")
            scopes: Sequence[ScopeSpans | ScopeSpansUnread] = group.scope_spans or ()
            for scope_at, scoped in enumerate(scopes):
                place, text = f"resourceSpans[{at}].scopeSpans[{scope_at}]", b""
                scope = _scope(scoped.scope, scoped.schema_url or "")
                members: Sequence[SpanSent | Raw] = scoped.spans or ()
                for span_at, sent in enumerate(members):
                    place = f"resourceSpans[{at}].scopeSpans[{scope_at}].spans[{span_at}]"
                    text = bytes(sent) if isinstance(sent, Raw) else b""
                    yield _span(_ONE.decode(text) if isinstance(sent, Raw) else sent, resource, scope)
        except (_Wrong, msgspec.DecodeError) as error:
            wrong = _Wrong(f"{place}{'.' if isinstance(error, _Wrong) else ': '}{error}")
            wrong.culprit = text
            raise wrong from None


def _resource(sent: ResourceSent | None, schema_url: str) -> Resource:
    if sent is None:
        return Resource(schema_url=schema_url, is_given=False)
    return Resource(
        _attributes(sent.attributes),
        _number(sent.dropped_attributes_count, _U32, "droppedAttributesCount"),
        tuple(
            EntityRef(ref.schema_url or "", ref.type or "", tuple(ref.id_keys or ()), tuple(ref.description_keys or ()))
            for ref in sent.entity_refs or ()
        ),
        schema_url,
    )


def _scope(sent: ScopeSent | None, schema_url: str) -> Scope:
    if sent is None:
        return Scope(schema_url=schema_url, is_given=False)
    dropped = _number(sent.dropped_attributes_count, _U32, "droppedAttributesCount")
    return Scope(sent.name or "", sent.version or "", _attributes(sent.attributes), dropped, schema_url)


def _span(sent: SpanSent, resource: Resource, scope: Scope) -> Span:
    counts = (
        _number(sent.dropped_attributes_count, _U32, "droppedAttributesCount"),
        _number(sent.dropped_events_count, _U32, "droppedEventsCount"),
        _number(sent.dropped_links_count, _U32, "droppedLinksCount"),
    )
    status = sent.status
    return Span(
        _identity(sent.trace_id, TRACE_ID, "traceId"),
        _identity(sent.span_id, SPAN_ID, "spanId"),
        _identity(sent.parent_span_id, SPAN_ID, "parentSpanId"),
        sent.name or "",
        _enum(sent.kind, Kind, "SPAN_KIND_", "kind"),
        _number(sent.start_time_unix_nano, _U64, "startTimeUnixNano"),
        _number(sent.end_time_unix_nano, _U64, "endTimeUnixNano"),
        None
        if status is None
        else Status(_enum(status.code, Code, "STATUS_CODE_", "status.code"), status.message or ""),
        _attributes(sent.attributes),
        tuple([_event(event, at) for at, event in enumerate(sent.events or ())]),
        tuple([_link(link, at) for at, link in enumerate(sent.links or ())]),
        resource,
        scope,
        sent.trace_state or "",
        _number(sent.flags, _U32, "flags"),
        Dropped(*counts) if any(counts) else NOTHING_DROPPED,
    )


def _event(sent: Event, at: int) -> SpanEvent:
    field = f"events[{at}]."
    return SpanEvent(
        _number(sent.time_unix_nano, _U64, f"{field}timeUnixNano"),
        sent.name or "",
        _attributes(sent.attributes, field),
        _number(sent.dropped_attributes_count, _U32, f"{field}droppedAttributesCount"),
    )


def _link(sent: Link, at: int) -> SpanLink:
    field = f"links[{at}]."
    return SpanLink(
        _identity(sent.trace_id, TRACE_ID, f"{field}traceId"),
        _identity(sent.span_id, SPAN_ID, f"{field}spanId"),
        sent.trace_state or "",
        _attributes(sent.attributes, field),
        _number(sent.dropped_attributes_count, _U32, f"{field}droppedAttributesCount"),
        _number(sent.flags, _U32, f"{field}flags"),
    )


def _attributes(pairs: Sequence[KeyValue] | None, field: str = "", room: int = DEEPEST) -> Attributes:
    return tuple([(pair.key or "", _value(pair.value, f"{field}{pair.key}", room)) for pair in pairs or ()])


def _value(sent: AnyValue | None, field: str, room: int) -> Value:
    if sent is None:
        return None
    if room < 0:
        raise _Wrong(f"{field} is nested deeper than OTLP can carry")
    values: list[Value] = []
    if sent.string_value is not None:
        values.append(sent.string_value)
    if sent.bool_value is not None:
        values.append(sent.bool_value)
    if sent.int_value is not None:
        values.append(_number(sent.int_value, _I64, field))
    if sent.double_value is not None:
        values.append(_double(sent.double_value, field))
    if sent.bytes_value is not None:
        values.append(_bytes(sent.bytes_value, field))
    if sent.array_value is not None:
        values.append(tuple([_value(each, field, room - 2) for each in sent.array_value.values or ()]))
    if sent.kvlist_value is not None:
        values.append(Pairs(_attributes(sent.kvlist_value.values, f"{field}.", room - 3)))
    if len(values) > 1:
        raise _Wrong(f"{field} has {len(values)} values instead of one")
    return values[0] if values else None


def _number(sent: int | float | str | None, bounds: tuple[int, int], field: str) -> int:
    if sent is None:
        return 0
    is_whole = _WHOLE.fullmatch(sent) if isinstance(sent, str) else isinstance(sent, int) or sent.is_integer()
    if not is_whole:
        raise _Wrong(f"{field} is {_short(sent)}, which is no whole number")
    number = int(sent)
    low, high = bounds
    if not low <= number <= high:
        raise _Wrong(f"{field} is {_short(sent)}, which is not between {low} and {high}")
    return number


def _double(sent: float | str, field: str) -> float:
    if isinstance(sent, float):
        return sent
    try:
        return _NOT_FINITE[sent] if sent in _NOT_FINITE else float(sent)
    except ValueError:
        raise _Wrong(f"{field} is {_short(sent)}, which is no number") from None


def _bytes(sent: str, field: str) -> bytes:
    text = sent.replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4) if "=" not in text else text, validate=True)
    except binascii.Error:
        raise _Wrong(f"{field} is {_short(sent)}, which is not base64") from None


def _identity(sent: str | None, length: int, field: str) -> bytes:
    """Hex, whatever its length: how long an id is, is judged where ids are. Base64 where hex cannot be meant."""
    if not sent:
        return b""
    if _HEX.fullmatch(sent):
        return bytes.fromhex(sent)
    try:
        identity = _bytes(sent, field)
    except _Wrong:
        identity = b""
    if len(identity) != length:
        raise _Wrong(f"{field} is {_short(sent)}, which is no id of {length} bytes in hex")
    return identity


def _enum(sent: int | str | None, names: type[Kind] | type[Code], prefix: str, field: str) -> int:
    if sent is None:
        return 0
    if isinstance(sent, int):
        return _number(sent, (-(2**31), 2**31 - 1), field)
    known = names.__members__.get(sent.removeprefix(prefix))
    if known is None and not sent.lstrip("-").isdigit():
        raise _Wrong(f"{field} is {_short(sent)}, which is none of {', '.join(names.__members__)}")
    return _number(sent, (-(2**31), 2**31 - 1), field) if known is None else int(known)


def _short(sent: object) -> str:
    text = repr(sent)
    return text if len(text) <= 60 else f"{text[:59]}…"
