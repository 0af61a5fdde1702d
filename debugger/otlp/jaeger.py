"""Traces in the JSON of Jaeger, as its screen and its API give them out, as spans.

Times are microseconds there, ids lose their leading zeros, and what OpenTelemetry has fields for is in tags.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from debugger.otlp.spans import Attributes, Code, Kind, Resource, Scope, Span, SpanEvent, SpanLink, Status, Value
from kernel.errors import BadInput

NS_PER_US: Final = 1000
_HEX: Final = re.compile(r"[0-9a-fA-F]+")
_SCOPE: Final = (("otel.scope.name", "otel.library.name"), ("otel.scope.version", "otel.library.version"))


class _Tag(Struct):
    key: str
    value: Any = None
    type: str = ""


class _Reference(Struct):
    traceID: str  # their names
    spanID: str
    refType: str = "CHILD_OF"


class _Log(Struct):
    timestamp: int | float | str = 0
    fields: list[_Tag] | None = None


class _Process(Struct):
    serviceName: str = ""
    tags: list[_Tag] | None = None


class _Span(Struct):
    traceID: str
    spanID: str
    operationName: str = ""
    parentSpanID: str | None = None
    references: list[_Reference] | None = None
    startTime: int | float | str = 0
    duration: int | float | str = 0
    tags: list[_Tag] | None = None
    logs: list[_Log] | None = None
    processID: str | None = None
    process: _Process | None = None
    flags: int | None = None
    warnings: list[str] | None = None


class _Trace(Struct):
    spans: list[Raw] | None = None
    processes: dict[str, _Process] | None = None


class _Answer(Struct):
    """What the API gives."""

    data: list[Raw]


def streamed(body: bytes | memoryview) -> Iterator[Span]:
    """The spans of an answer of the API, of one trace, or of a list of traces; raises BadInput."""
    try:
        for trace in _traces(body):
            yield from _spans(trace)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"this is no JSON of Jaeger: {error}") from error


def _traces(body: bytes | memoryview) -> Iterator[_Trace]:
    if bytes(body[:256]).lstrip().startswith(b"["):
        members = msgspec.json.decode(body, type=list[Raw])
    else:
        try:
            members = msgspec.json.decode(body, type=_Answer).data
        except msgspec.ValidationError:  # one trace by itself
            yield msgspec.json.decode(body, type=_Trace)
            return
    for member in members:
        yield msgspec.json.decode(member, type=_Trace)


def _spans(trace: _Trace) -> Iterator[Span]:
    resources = {name: _resource(process) for name, process in (trace.processes or {}).items()}
    scopes: dict[tuple[str, str], Scope] = {}
    nobody = Resource(is_given=False)
    for raw in trace.spans or ():
        sent = msgspec.json.decode(raw, type=_Span)
        resource = resources.get(sent.processID or "", nobody) if sent.process is None else _resource(sent.process)
        yield _span(sent, resource, scopes)


def _resource(process: _Process) -> Resource:
    return Resource((("service.name", process.serviceName), *_attributes(process.tags)))


def _span(sent: _Span, resource: Resource, scopes: dict[tuple[str, str], Scope]) -> Span:
    place = f"the span {sent.spanID[:40]!r}"
    trace_id, span_id = _identity(sent.traceID, 16, place), _identity(sent.spanID, 8, place)
    start_ns = _ns(sent.startTime, place)
    tags = _attributes(sent.tags)
    known = dict(tags)
    name, version = (next((str(known[key]) for key in keys if key in known), "") for keys in _SCOPE)
    parent, links = _relatives(sent, trace_id, place)
    used = {"span.kind", "otel.status_code", "otel.status_description", "w3c.tracestate", *_SCOPE[0], *_SCOPE[1]}
    status = _status(known)
    if status is not None and status.code == Code.ERROR:
        used.add("error")
    rest: Attributes = tuple((key, value) for key, value in tags if key not in used)
    if sent.warnings:
        rest = (*rest, ("jaeger.warnings", tuple(sent.warnings)))
    return Span(
        trace_id,
        span_id,
        parent,
        sent.operationName,
        _kind(known.get("span.kind")),
        start_ns,
        start_ns + _ns(sent.duration, place),
        status,
        rest,
        tuple(_event(log, place) for log in sent.logs or ()),
        links,
        resource,
        scopes.setdefault((name, version), Scope(name, version, is_given=bool(name or version))),
        str(known.get("w3c.tracestate", "")),
        (sent.flags or 0) & 0xFF,
    )


def _relatives(sent: _Span, trace_id: bytes, place: str) -> tuple[bytes, tuple[SpanLink, ...]]:
    """The parent, which is the first span of the same trace that this one is said to be a child of; then the others."""
    parent = _identity(sent.parentSpanID, 8, place) if sent.parentSpanID and int_or_none(sent.parentSpanID) else b""
    links: list[SpanLink] = []
    for reference in sent.references or ():
        trace, span = _identity(reference.traceID, 16, place), _identity(reference.spanID, 8, place)
        if trace == trace_id and span == parent:
            continue
        if trace == trace_id and not parent and reference.refType == "CHILD_OF":
            parent = span
        else:
            links.append(SpanLink(trace, span, "", (("opentracing.ref_type", reference.refType.lower()),)))
    return parent, tuple(links)


def int_or_none(text: str) -> int | None:
    """A number in hex; None for what is none. An id of zero is Jaeger's way to say that there is none."""
    return int(text, 16) if _HEX.fullmatch(text) else None


def _identity(text: str, length: int, place: str) -> bytes:
    if not _HEX.fullmatch(text) or len(text) > 2 * length:
        raise BadInput(f"this is no JSON of Jaeger: {place}: {text[:40]!r} is no id of up to {length} bytes in hex")
    return bytes.fromhex(text.zfill(2 * length))


def _ns(microseconds: int | float | str, place: str) -> int:
    try:
        ns = int(microseconds) * NS_PER_US if not isinstance(microseconds, float) else round(microseconds * NS_PER_US)
    except (ValueError, OverflowError):
        raise BadInput(f"this is no JSON of Jaeger: {place}: {str(microseconds)[:40]!r} is no time") from None
    if not 0 <= ns < 2**63:
        raise BadInput(f"this is no JSON of Jaeger: {place}: {str(microseconds)[:40]!r} is no time")
    return ns


def _event(log: _Log, place: str) -> SpanEvent:
    fields = _attributes(log.fields)
    name = next((value for key, value in fields if key == "event" and isinstance(value, str)), "")
    kept = tuple(pair for pair in fields if pair != ("event", name))
    return SpanEvent(_ns(log.timestamp, place), name, kept)


def _kind(tag: Value) -> int:
    return Kind.__members__.get(str(tag).upper(), Kind.UNSPECIFIED) if isinstance(tag, str) else Kind.UNSPECIFIED


def _status(tags: Mapping[str, Value]) -> Status | None:
    message = str(tags.get("otel.status_description", ""))
    code = tags.get("otel.status_code")
    if isinstance(code, str) and code.upper() in Code.__members__:
        return Status(Code[code.upper()], message)
    if tags.get("error") in (True, "true"):
        return Status(Code.ERROR, message)
    return None


def _attributes(tags: list[_Tag] | None) -> Attributes:
    return tuple((tag.key, _value(tag)) for tag in tags or ())


def _value(tag: _Tag) -> Value:
    """A tag's value by the type that it names; as it is, where it does not fit that."""
    match tag.type, tag.value:
        case "int64", str(text) if re.fullmatch(r"-?[0-9]{1,18}", text):
            return int(text)
        case "int64", float(number) if number.is_integer():
            return int(number)
        case "float64", int(number) if not isinstance(number, bool):
            return float(number)
        case "bool", "true" | "false":
            return bool(tag.value == "true")
        case "binary", str(text):
            try:
                return base64.b64decode(text, validate=True)
            except binascii.Error:
                return text
        case _, None | str() | bool() | float():
            return tag.value
        case _, int(number) if -(2**63) <= number < 2**63:
            return number
        case _:
            return msgspec.json.encode(tag.value).decode()
