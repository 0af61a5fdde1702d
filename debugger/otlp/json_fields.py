"""The messages of OTLP JSON by their fields, as they are read. Anything may be null: then it is not there."""

from __future__ import annotations

from msgspec import Raw, Struct

Number = int | float | str | None
"""64-bit numbers are text in OTLP JSON, others are numbers; both are taken everywhere."""


class ArrayValue(Struct, rename="camel", gc=False):
    values: list[AnyValue] | None = None


class KeyValueList(Struct, rename="camel", gc=False):
    values: list[KeyValue] | None = None


class AnyValue(Struct, rename="camel", gc=False):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Number = None
    double_value: float | str | None = None
    array_value: ArrayValue | None = None
    kvlist_value: KeyValueList | None = None
    bytes_value: str | None = None


class KeyValue(Struct, rename="camel", gc=False):
    key: str | None = None
    value: AnyValue | None = None


class EntityRefSent(Struct, rename="camel"):
    schema_url: str | None = None
    type: str | None = None
    id_keys: list[str] | None = None
    description_keys: list[str] | None = None


class ResourceSent(Struct, rename="camel"):
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number = None
    entity_refs: list[EntityRefSent] | None = None


class ScopeSent(Struct, rename="camel"):
    name: str | None = None
    version: str | None = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number = None


class Event(Struct, rename="camel"):
    time_unix_nano: Number = None
    name: str | None = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number = None


class Link(Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    trace_state: str | None = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number = None
    flags: Number = None


class StatusSent(Struct, rename="camel"):
    message: str | None = None
    code: int | str | None = None


class SpanSent(Struct, rename="camel"):
    trace_id: str | None = None
    span_id: str | None = None
    trace_state: str | None = None
    parent_span_id: str | None = None
    flags: Number = None
    name: str | None = None
    kind: int | str | None = None
    start_time_unix_nano: Number = None
    end_time_unix_nano: Number = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number = None
    events: list[Event] | None = None
    dropped_events_count: Number = None
    links: list[Link] | None = None
    dropped_links_count: Number = None
    status: StatusSent | None = None


class ScopeSpans(Struct, rename="camel"):
    scope: ScopeSent | None = None
    spans: list[SpanSent] | None = None
    schema_url: str | None = None


class ResourceSpans(Struct, rename="camel"):
    resource: ResourceSent | None = None
    scope_spans: list[ScopeSpans] | None = None
    schema_url: str | None = None


class Request(Struct, rename="camel"):
    resource_spans: list[ResourceSpans] | None = None


class ScopeSpansUnread(Struct, rename="camel"):
    """The same with its spans as they are in the text: each is read when its turn comes."""

    scope: ScopeSent | None = None
    spans: list[Raw] | None = None
    schema_url: str | None = None


class ResourceSpansUnread(Struct, rename="camel"):
    resource: ResourceSent | None = None
    scope_spans: list[ScopeSpansUnread] | None = None
    schema_url: str | None = None


class RequestUnread(Struct, rename="camel"):
    resource_spans: list[ResourceSpansUnread] | None = None
