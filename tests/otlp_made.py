"""Spans that tests make: requests of every shape for hypothesis, and whole traces by a few words."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, InstrumentationScope, KeyValue, KeyValueList
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ResourceMessage
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Status as StatusMessage

from debugger.otlp.spans import Code, Resource, Scope, Span, Status

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
U32 = st.integers(0, 2**32 - 1)
U64 = st.integers(0, 2**64 - 1)
VALUES = st.recursive(
    st.one_of(
        st.just(AnyValue()),
        TEXT.map(lambda text: AnyValue(string_value=text)),
        st.booleans().map(lambda is_so: AnyValue(bool_value=is_so)),
        st.integers(-(2**63), 2**63 - 1).map(lambda number: AnyValue(int_value=number)),
        st.floats(allow_nan=False).map(lambda number: AnyValue(double_value=number)),
        st.binary(max_size=5).map(lambda value: AnyValue(bytes_value=value)),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda values: AnyValue(array_value=ArrayValue(values=values))),
        st.lists(st.builds(lambda key, value: KeyValue(key=key, value=value), TEXT, inner), max_size=3).map(
            lambda pairs: AnyValue(kvlist_value=KeyValueList(values=pairs))
        ),
    ),
    max_leaves=4,
)
ATTRIBUTES = st.lists(st.builds(lambda key, value: KeyValue(key=key, value=value), TEXT, VALUES), max_size=3)
TRACE_IDS = st.binary(min_size=16, max_size=16)
SPAN_IDS = st.binary(min_size=8, max_size=8)
EVENTS = st.builds(
    SpanMessage.Event, time_unix_nano=U64, name=TEXT, attributes=ATTRIBUTES, dropped_attributes_count=U32
)
LINKS = st.builds(
    SpanMessage.Link,
    trace_id=TRACE_IDS,
    span_id=SPAN_IDS,
    trace_state=TEXT,
    attributes=ATTRIBUTES,
    dropped_attributes_count=U32,
    flags=U32,
)
SPANS = st.builds(
    SpanMessage,
    trace_id=TRACE_IDS,
    span_id=SPAN_IDS,
    parent_span_id=st.just(b"") | SPAN_IDS,
    trace_state=TEXT,
    flags=U32,
    name=TEXT,
    kind=st.integers(0, 5) | st.integers(-(2**31), 2**31 - 1),
    start_time_unix_nano=U64,
    end_time_unix_nano=U64,
    attributes=ATTRIBUTES,
    dropped_attributes_count=U32,
    events=st.lists(EVENTS, max_size=2),
    dropped_events_count=U32,
    links=st.lists(LINKS, max_size=2),
    dropped_links_count=U32,
    status=st.none() | st.builds(StatusMessage, message=TEXT, code=st.integers(0, 2)),
)
SCOPES = st.none() | st.builds(
    InstrumentationScope, name=TEXT, version=TEXT, attributes=ATTRIBUTES, dropped_attributes_count=U32
)
SCOPED = st.builds(ScopeSpans, scope=SCOPES, spans=st.lists(SPANS, min_size=1, max_size=3), schema_url=TEXT)
RESOURCES = st.none() | st.builds(ResourceMessage, attributes=ATTRIBUTES, dropped_attributes_count=U32)
REQUESTS = st.builds(
    ExportTraceServiceRequest,
    resource_spans=st.lists(
        st.builds(
            ResourceSpans, resource=RESOURCES, scope_spans=st.lists(SCOPED, min_size=1, max_size=2), schema_url=TEXT
        ),
        max_size=2,
    ),
)
"""Every message without an empty group."""

TRACE = bytes(range(16))
SHOP = Resource((("service.name", "shop"),))
BY_HAND = Scope("by-hand", "1")
SECOND = 1_000_000_000
START_NS = 1_700_000_000 * SECOND


def identity(number: int) -> bytes:
    """A span id."""
    return number.to_bytes(8, "big")


def made(
    number: int,
    parent: int = 0,
    *,
    trace: bytes = TRACE,
    name: str = "",
    at: int = 0,
    took: int = 1,
    is_error: bool = False,
    **fields: object,
) -> Span:
    """A span by its number and that of its parent; `at` and `took` are nanoseconds from a fixed moment."""
    settings: dict[str, object] = {
        "name": name or f"span {number}",
        "status": Status(Code.ERROR, "no") if is_error else None,
        "resource": SHOP,
        "scope": BY_HAND,
        "start_ns": START_NS + at,
        "end_ns": START_NS + at + took,
    }
    return Span(trace, identity(number), identity(parent) if parent else b"", **(settings | fields))  # type: ignore[arg-type]


def numbered_traces(count: int) -> Iterator[bytes]:
    """As many trace ids."""
    for number in range(1, count + 1):
        yield number.to_bytes(16, "big")
