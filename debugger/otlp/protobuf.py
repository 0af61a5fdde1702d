"""Spans as the protobuf messages of OTLP, both ways. Nothing is lost, but groups without a span.

String tables (`key_strindex`, `string_value_strindex`) belong to profiles; a trace has no table they could point to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1 import common_pb2
from opentelemetry.proto.resource.v1 import resource_pb2
from opentelemetry.proto.trace.v1 import trace_pb2

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
    grouped,
)
from kernel.errors import BadInput

if TYPE_CHECKING:
    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer

    Repeated = RepeatedCompositeFieldContainer[common_pb2.KeyValue]


def decoded(body: bytes) -> tuple[Span, ...]:
    """The spans of an ExportTraceServiceRequest, or of a TracesData, which looks the same; raises BadInput."""
    try:
        request = ExportTraceServiceRequest.FromString(body)
    except DecodeError as error:
        raise BadInput(f"this is no protobuf message of OTLP traces: {error}") from error
    return spans_of(request.resource_spans)


def spans_of(groups: Iterable[trace_pb2.ResourceSpans]) -> tuple[Span, ...]:
    """All spans, in order; those of one group share its resource and its scope."""
    spans: list[Span] = []
    for group in groups:
        resource = _resource(group)
        for scoped in group.scope_spans:
            scope = _scope(scoped)
            spans += [_span(sent, resource, scope) for sent in scoped.spans]
    return tuple(spans)


def _resource(group: trace_pb2.ResourceSpans) -> Resource:
    sent = group.resource
    return Resource(
        _attributes(sent.attributes),
        sent.dropped_attributes_count,
        tuple(
            EntityRef(ref.schema_url, ref.type, tuple(ref.id_keys), tuple(ref.description_keys))
            for ref in sent.entity_refs
        ),
        group.schema_url,
        group.HasField("resource"),
    )


def _scope(group: trace_pb2.ScopeSpans) -> Scope:
    sent = group.scope
    return Scope(
        sent.name,
        sent.version,
        _attributes(sent.attributes),
        sent.dropped_attributes_count,
        group.schema_url,
        group.HasField("scope"),
    )


def _span(sent: trace_pb2.Span, resource: Resource, scope: Scope) -> Span:
    counts = (sent.dropped_attributes_count, sent.dropped_events_count, sent.dropped_links_count)
    return Span(
        sent.trace_id,
        sent.span_id,
        sent.parent_span_id,
        sent.name,
        sent.kind,
        sent.start_time_unix_nano,
        sent.end_time_unix_nano,
        Status(sent.status.code, sent.status.message) if sent.HasField("status") else None,
        _attributes(sent.attributes),
        tuple([_event(event) for event in sent.events]),
        tuple([_link(link) for link in sent.links]),
        resource,
        scope,
        sent.trace_state,
        sent.flags,
        Dropped(*counts) if any(counts) else NOTHING_DROPPED,
    )


def _event(sent: trace_pb2.Span.Event) -> SpanEvent:
    return SpanEvent(sent.time_unix_nano, sent.name, _attributes(sent.attributes), sent.dropped_attributes_count)


def _link(sent: trace_pb2.Span.Link) -> SpanLink:
    return SpanLink(
        sent.trace_id,
        sent.span_id,
        sent.trace_state,
        _attributes(sent.attributes),
        sent.dropped_attributes_count,
        sent.flags,
    )


def _attributes(pairs: Repeated) -> Attributes:
    return tuple([(pair.key, _value(pair.value)) for pair in pairs])


def _value(sent: common_pb2.AnyValue) -> Value:
    match sent.WhichOneof("value"):
        case "string_value":
            return sent.string_value
        case "int_value":
            return sent.int_value
        case "bool_value":
            return sent.bool_value
        case "double_value":
            return sent.double_value
        case "array_value":
            return tuple([_value(each) for each in sent.array_value.values])
        case "kvlist_value":
            return Pairs(_attributes(sent.kvlist_value.values))
        case "bytes_value":
            return sent.bytes_value
        case _:
            return None


def request_of(spans: Sequence[Span]) -> ExportTraceServiceRequest:
    """The request that sends spans, grouped as they are: a new group where the resource or the scope is another one."""
    request = ExportTraceServiceRequest()
    for resource, scopes in grouped(spans):
        group = request.resource_spans.add()
        group.schema_url = resource.schema_url
        if resource.is_given:
            _set_resource(group.resource, resource)
        for scope, members in scopes:
            scoped = group.scope_spans.add()
            scoped.schema_url = scope.schema_url
            if scope.is_given:
                scoped.scope.SetInParent()
                scoped.scope.name, scoped.scope.version = scope.name, scope.version
                scoped.scope.dropped_attributes_count = scope.dropped_attributes
                _set_attributes(scoped.scope.attributes, scope.attributes)
            for span in members:
                _set_span(scoped.spans.add(), span)
    return request


def encoded(spans: Sequence[Span]) -> bytes:
    """That request as bytes."""
    return request_of(spans).SerializeToString()


def _set_resource(sent: resource_pb2.Resource, resource: Resource) -> None:
    sent.SetInParent()
    _set_attributes(sent.attributes, resource.attributes)
    sent.dropped_attributes_count = resource.dropped_attributes
    for ref in resource.entity_refs:
        sent.entity_refs.add(
            schema_url=ref.schema_url, type=ref.type, id_keys=ref.id_keys, description_keys=ref.description_keys
        )


def _set_span(sent: trace_pb2.Span, span: Span) -> None:
    sent.trace_id, sent.span_id, sent.parent_span_id = span.trace_id, span.span_id, span.parent_id
    sent.name, sent.trace_state, sent.flags = span.name, span.trace_state, span.flags
    sent.kind = span.kind  # type: ignore[assignment]  # an open enum: whatever number was sent
    sent.start_time_unix_nano, sent.end_time_unix_nano = span.start_ns, span.end_ns
    if span.status is not None:
        sent.status.SetInParent()
        sent.status.code = span.status.code  # type: ignore[assignment]
        sent.status.message = span.status.message
    _set_attributes(sent.attributes, span.attributes)
    sent.dropped_attributes_count = span.dropped.attributes
    sent.dropped_events_count, sent.dropped_links_count = span.dropped.events, span.dropped.links
    for event in span.events:
        made = sent.events.add(time_unix_nano=event.time_ns, name=event.name)
        made.dropped_attributes_count = event.dropped_attributes
        _set_attributes(made.attributes, event.attributes)
    for link in span.links:
        linked = sent.links.add(trace_id=link.trace_id, span_id=link.span_id, trace_state=link.trace_state)
        linked.dropped_attributes_count, linked.flags = link.dropped_attributes, link.flags
        _set_attributes(linked.attributes, link.attributes)


def _set_attributes(sent: Repeated, attributes: Attributes) -> None:
    for key, value in attributes:
        pair = sent.add(key=key)
        pair.value.SetInParent()
        _set_value(pair.value, value)


def _set_value(sent: common_pb2.AnyValue, value: Value) -> None:
    match value:
        case None:
            pass
        case bool():  # before int: True is one of them
            sent.bool_value = value
        case str():
            sent.string_value = value
        case int():
            sent.int_value = value
        case float():
            sent.double_value = value
        case bytes():
            sent.bytes_value = value
        case Pairs(items):
            sent.kvlist_value.SetInParent()
            _set_attributes(sent.kvlist_value.values, items)
        case tuple():
            sent.array_value.SetInParent()
            for each in value:
                _set_value(sent.array_value.values.add(), each)
