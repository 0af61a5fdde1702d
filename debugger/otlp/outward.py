"""Our own dispatches as spans for others: live to a collector, or afterwards from a recording.

Both ways the spans are those of `kernel.telemetry`, under the names that each host publishes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource as SdkResource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace import Span as SdkSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanContext

from debugger.otlp.span_reader import SpanReader
from debugger.otlp.spans import (
    NOTHING_DROPPED,
    Attributes,
    Dropped,
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
from debugger.store.notes import Remark
from debugger.store.recording import Recording
from debugger.version import VERSION
from kernel.dialect import Dialect
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import Ended, Event
from kernel.telemetry import Telemetry

SERVICE: Final = "hookscope"
TIMEOUT_S: Final = 3
"""How long a batch is tried to be delivered, and so how long the end of a session may wait for a collector."""
MARK: Final = "hookscope.mark"
NOTE: Final = "hookscope.note"
"""Attributes with what a reader said of a dispatch."""
NO_REMARKS: Final[Mapping[str, Remark]] = MappingProxyType({})
MOST_WAITING: Final = 20_000
"""Spans that may wait to be delivered."""


class Protocol(StrEnum):
    """How a collector is spoken to, in the words of OTEL_EXPORTER_OTLP_PROTOCOL."""

    GRPC = "grpc"
    HTTP = "http/protobuf"


def _resource() -> SdkResource:
    return SdkResource({"service.name": SERVICE, "service.version": VERSION})


class Delivery(SpanExporter):
    """An exporter that counts what was delivered, and tells once if something was not."""

    def __init__(self, exporter: SpanExporter, endpoint: str, on_trouble: Callable[[str], None]) -> None:
        self._exporter = exporter
        self._endpoint = endpoint
        self._on_trouble = on_trouble
        self.delivered = 0
        """Spans that the collector took."""
        self.dropped = 0
        """Spans that it could not be given in time, or did not want."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.delivered += len(spans)
            return result
        if not self.dropped:
            self._on_trouble(f"the collector at {self._endpoint} takes no spans: they are dropped, and counted")
        self.dropped += len(spans)
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def delivery(
    endpoint: str, protocol: Protocol, *, on_trouble: Callable[[str], None] = lambda sentence: None
) -> Delivery:
    """What sends spans to a collector; `endpoint` is a URL without a path."""
    if protocol is Protocol.GRPC:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as OverGrpc

        is_insecure = not endpoint.startswith("https:")
        return Delivery(OverGrpc(endpoint, is_insecure, timeout=TIMEOUT_S), endpoint, on_trouble)
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as OverHttp

    return Delivery(OverHttp(f"{endpoint.rstrip('/')}/v1/traces", timeout=TIMEOUT_S), endpoint, on_trouble)


def live(way: Delivery) -> SpanProcessor:
    """Delivers every span that ends, in batches and off the loop; for any tracer provider.

    Up to 20,000 spans wait; what comes beyond is dropped. A collector never holds a dispatch up.
    """
    return BatchSpanProcessor(way, max_queue_size=MOST_WAITING, max_export_batch_size=512)


class LiveExport:
    """A probe that sends the spans of everything it sees to a collector. `close` delivers what is left."""

    def __init__(self, dialects: Mapping[str, Dialect], processor: SpanProcessor) -> None:
        self._tracers = TracerProvider(ALWAYS_ON, _resource(), shutdown_on_exit=False)
        self._tracers.add_span_processor(processor)
        self._telemetry = Telemetry(dialects, self._tracers)

    def see(self, event: Event) -> None:
        self._telemetry.see(event)

    def close(self) -> None:
        """Deliver what is left, or give it up after the exporter's own timeout."""
        self._tracers.shutdown()


class _Collected(SpanProcessor):
    """Keeps spans as they end."""

    def __init__(self, take: Callable[[ReadableSpan], None]) -> None:
        self._take = take

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        pass

    def on_end(self, span: ReadableSpan) -> None:
        self._take(span)


class _Ids(IdGenerator):
    """The same ids whenever the same recording is exported: a second export of it is no second run."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._number = 0

    def generate_trace_id(self) -> int:
        return int.from_bytes(self._next(16)) or 1

    def generate_span_id(self) -> int:
        return int.from_bytes(self._next(8)) or 1

    def _next(self, size: int) -> bytes:
        self._number += 1
        return hashlib.blake2b(f"{self._seed}/{self._number}".encode(), digest_size=size).digest()


class _Registered(dict[str, Dialect]):
    """Each dialect when its name first turns up."""

    def __missing__(self, name: str) -> Dialect:
        self[name] = named(name)
        return self[name]


def recorded(path: Path) -> Iterator[Span]:
    """Everything of a recording as spans: its dispatches and stretches, then the spans that it was sent.

    What had not ended when it was recorded has no span. Secrets are as they were recorded: what leaves the machine goes
    through `redacting`. Raises BadInput for a file that cannot be read.
    """
    with Recording(path) as recording:
        yield from spans_of(recording.events(), seed=_seed(recording), remarks=recording.remarks())
    with SpanReader(path) as reader:
        yield from reader.spans()


def _seed(recording: Recording) -> str:
    first = recording.rows(most=1)
    return f"{first[0].id} {first[0].wall_ns}" if first else ""


def spans_of(events: Iterable[Event], *, seed: str, remarks: Mapping[str, Remark] = NO_REMARKS) -> Iterator[Span]:
    """The spans of facts, as they end; the same ids for the same seed. What readers said stands at their dispatches."""
    ended: list[ReadableSpan] = []
    tracers = TracerProvider(ALWAYS_ON, _resource(), shutdown_on_exit=False, id_generator=_Ids(seed))
    tracers.add_span_processor(_Collected(ended.append))
    telemetry = Telemetry(_Registered(), tracers)
    known = _Known()
    for event in events:
        telemetry.see(event)
        remark = remarks.get(event.dispatch) if isinstance(event.fact, Ended) else None
        for span in ended:
            is_dispatch = span is ended[-1]  # its steps have ended before it
            made = known.span(span)
            yield made if remark is None or not is_dispatch else _noted(made, remark)
        ended.clear()


def _noted(span: Span, remark: Remark) -> Span:
    said: Attributes = ((MARK, remark.is_marked), (NOTE, remark.text))
    return replace(span, attributes=(*span.attributes, *said))


class _Known:
    """Turns spans of the SDK into ours; those of one resource or scope share it."""

    def __init__(self) -> None:
        self._resources: dict[int, tuple[SdkResource, Resource]] = {}
        self._scopes: dict[tuple[str, str, str], Scope] = {}

    def span(self, span: ReadableSpan) -> Span:
        """One that has ended."""
        context = span.get_span_context()
        if context is None:
            raise BadInput(f"the span {span.name!r} has no id")
        links = tuple(_link(link.context, _attributes(link.attributes)) for link in span.links)
        dropped = Dropped(span.dropped_attributes, span.dropped_events, span.dropped_links)
        description = span.status.description or ""
        return Span(
            context.trace_id.to_bytes(16),
            context.span_id.to_bytes(8),
            span.parent.span_id.to_bytes(8) if span.parent is not None else b"",
            span.name,
            Kind[span.kind.name],
            span.start_time or 0,
            span.end_time or 0,
            Status(span.status.status_code.value, description),
            _attributes(span.attributes),
            tuple(SpanEvent(event.timestamp, event.name, _attributes(event.attributes)) for event in span.events),
            links,
            self._resource(span.resource),
            self._scope(span),
            context.trace_state.to_header(),
            _flags(span.parent),
            dropped if any((dropped.attributes, dropped.events, dropped.links)) else NOTHING_DROPPED,
        )

    def _resource(self, sent: SdkResource) -> Resource:
        if id(sent) not in self._resources:  # kept beside, so that the id stays its own
            ours = Resource(_attributes(sent.attributes), schema_url=sent.schema_url or "")
            self._resources[id(sent)] = (sent, ours)
        return self._resources[id(sent)][1]

    def _scope(self, span: ReadableSpan) -> Scope:
        sent = span.instrumentation_scope
        if sent is None:
            return self._scopes.setdefault(("", "", ""), Scope(is_given=False))
        key = (sent.name, sent.version or "", sent.schema_url or "")
        if key not in self._scopes:
            self._scopes[key] = Scope(sent.name, sent.version or "", _attributes(sent.attributes), 0, key[2])
        return self._scopes[key]


def _link(context: SpanContext, attributes: Attributes) -> SpanLink:
    trace_state = context.trace_state.to_header()
    ids = context.trace_id.to_bytes(16), context.span_id.to_bytes(8)
    return SpanLink(*ids, trace_state, attributes, 0, _flags(context))


def _flags(parent: SpanContext | None) -> int:
    """Whether the parent was in another process, and that this is known. As the SDK's exporter sends it: nothing of
    the trace flags, which say `sampled` of whatever is exported."""
    return 0x100 | (0x200 if parent is not None and parent.is_remote else 0)


def _attributes(sent: Mapping[str, Any] | None) -> Attributes:
    return tuple((key, _value(value)) for key, value in (sent or {}).items())


def _value(sent: Any) -> Value:
    match sent:
        case None | str() | bool() | int() | float() | bytes():
            return sent
        case Mapping():
            return Pairs(_attributes(sent))
        case Sequence():
            return tuple(_value(each) for each in sent)
        case _:
            return str(sent)
