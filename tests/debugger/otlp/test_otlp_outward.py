"""Our own dispatches for others: as the official exporter would send them, and taken back with nothing lost."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from exported_runs import conformance, recorded, told
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.resources import Resource as SdkResource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Link, SpanContext, SpanKind, TraceFlags, set_span_in_context
from opentelemetry.trace.span import NonRecordingSpan
from otlp_made import made

from debugger.otlp import otlp_json as form
from debugger.otlp import outward, protobuf
from debugger.otlp.files import FileKind, Trouble, pieces, sniff
from debugger.otlp.intake import Intake, Limits
from debugger.otlp.json_out import AT_ONCE, document
from debugger.otlp.receivers import Receivers, Wish, bound
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Span
from kernel.dialects import named
from kernel.facts import Event


def as_sent(spans: Sequence[Span]) -> list[bytes]:
    return [protobuf.encoded((span,)) for span in spans]


def sdk_spans() -> list[ReadableSpan]:
    """Spans with everything that the SDK knows."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=SdkResource({"service.name": "x", "numbers": (1, 2)}, "https://schema"))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("scope", "1", "https://scope", {"a": 1.5})
    remote = SpanContext(2**100, 2**50, is_remote=True, trace_flags=TraceFlags(1))
    outer = tracer.start_as_current_span(
        "outer",
        context=set_span_in_context(NonRecordingSpan(remote)),
        kind=SpanKind.SERVER,
        attributes={"text": "x", "yes": True, "one": 1, "half": 0.5, "many": ["a", "b"]},
        links=[Link(SpanContext(5, 6, is_remote=False), {"why": "because"})],
    )
    inner = tracer.start_as_current_span("inner", kind=SpanKind.CLIENT)
    with outer, pytest.raises(ZeroDivisionError), inner:
        1 / 0  # noqa: B018
    return list(exporter.get_finished_spans())


def test_a_span_goes_out_as_the_official_exporter_sends_it() -> None:
    """Field by field the same message."""
    known = outward._Known()
    for span in sdk_spans():
        official = ExportTraceServiceRequest.FromString(encode_spans([span]).SerializeToString())
        assert protobuf.request_of((known.span(span),)) == official


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_a_recording_is_taken_back_with_nothing_lost(tmp_path: Path, dialect: str) -> None:
    """Every conformance run of a dialect: recorded, exported as OTLP JSON, read from the file."""
    file = tmp_path / "run.hookscope"
    events = [event for _, run, _ in islice(conformance(dialect), 40) for event in run]
    recorded(file, events)
    spans = list(outward.recorded(file))
    assert spans
    exported = tmp_path / "run.json"
    exported.write_text("".join(document(spans)))
    assert sniff(exported) is FileKind.OTLP_JSON
    back: list[Span] = []
    for piece in pieces(exported):
        assert not isinstance(piece, Trouble)
        back += piece
    assert as_sent(back) == as_sent(spans)
    assert {span.scope.name for span in spans} == {named(dialect).spans.scope}


def test_an_export_is_the_same_every_time(tmp_path: Path) -> None:
    """Ids included: whoever loads it twice has it once."""
    file = tmp_path / "run.hookscope"
    recorded(file, [event for _, run, _ in islice(conformance("pluggable"), 3) for event in run])
    assert "".join(document(outward.recorded(file))) == "".join(document(outward.recorded(file)))


def test_received_spans_of_a_recording_are_exported_too(tmp_path: Path) -> None:
    """As they came."""
    file = tmp_path / "run.hookscope"
    with SpanWriter(file) as writer:
        writer.take(Batch((made(1), made(2, 1)), "test", 1, 1))
    assert as_sent(list(outward.recorded(file))) == as_sent([made(1), made(2, 1)])


def test_a_document_of_many_pieces(tmp_path: Path) -> None:
    """It stays one document, and none at all is one too."""
    spans = [made(number, number - 1) for number in range(1, 2 * AT_ONCE + 2)]
    assert as_sent(form.decoded("".join(document(spans)).encode())) == as_sent(spans)
    assert form.decoded("".join(document([])).encode()) == ()


class Counting:
    """A sink that knows when it has enough."""

    def __init__(self, wanted: int) -> None:
        self.spans: list[Span] = []
        self.wanted = wanted
        self.is_full = threading.Event()

    def take(self, batch: Batch) -> bool:
        self.spans += batch.spans
        if len(self.spans) >= self.wanted:
            self.is_full.set()
        return True

    def refuse(self, refused: Refused) -> None:
        raise AssertionError(refused)


@pytest.mark.parametrize("protocol", list(outward.Protocol))
def test_dispatches_are_exported_live(protocol: outward.Protocol) -> None:
    """To any collector; here to our own receiver, where they are the spans of the same facts."""
    events: list[Event] = [event for _, run, _ in islice(conformance("pluggable"), 10) for event in run]
    expected = list(outward.spans_of(events, seed="x"))
    sink = Counting(len(expected))
    with Receivers(Intake(sink, Limits()), Wish(grpc_port=0, http_port=0)) as receivers:
        over_grpc, over_http = receivers.start()
        endpoint = over_grpc if protocol is outward.Protocol.GRPC else over_http
        way = outward.delivery(endpoint.url, protocol)
        export = outward.LiveExport({"pluggable": named("pluggable")}, outward.live(way))
        for event in events:
            export.see(event)
        export.close()
        assert sink.is_full.wait(20)
    assert (way.delivered, way.dropped) == (len(expected), 0)
    assert [(span.name, span.attributes, span.start_ns, span.end_ns, span.status) for span in sink.spans] == [
        (span.name, span.attributes, span.start_ns, span.end_ns, span.status) for span in expected
    ]
    by_id = {span.span_id: span for span in sink.spans}
    assert [by_id[span.parent_id].name for span in sink.spans if span.parent_id]


@pytest.mark.parametrize("protocol", list(outward.Protocol))
def test_a_collector_that_is_not_there_is_told_once(protocol: outward.Protocol) -> None:
    """What cannot be delivered is dropped and counted; the dispatch never knew."""
    with bound("127.0.0.1", 0) as nobody:
        port = nobody.getsockname()[1]
    heard: list[str] = []
    way = outward.delivery(f"http://127.0.0.1:{port}", protocol, on_trouble=heard.append)
    export = outward.LiveExport({"pluggable": named("pluggable")}, outward.live(way))
    for event in told("d1", "A:o", {"A": "ack"}):
        export.see(event)
    export.close()
    assert heard == [f"the collector at http://127.0.0.1:{port} takes no spans: they are dropped, and counted"]
    assert (way.delivered, way.dropped) == (0, 2)
