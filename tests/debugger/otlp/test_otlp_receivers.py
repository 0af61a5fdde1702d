"""Both receivers as senders meet them: real sockets, real clients, the official exporters among them."""

from __future__ import annotations

import gzip
import json
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
import pytest
from google.rpc.status_pb2 import Status as RpcStatus
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from otlp_made import made

from debugger.otlp import protobuf
from debugger.otlp.grpc_server import TRACES
from debugger.otlp.intake import Intake, Limits
from debugger.otlp.receivers import Endpoint, Receivers, Wish, bound
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.spans import Span
from kernel.errors import BadInput

LIMIT = 300_000
JSON, PROTOBUF = "application/json", "application/x-protobuf"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


@dataclass
class Kept:
    """A sink that keeps everything, or has no room."""

    batches: list[Batch] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    has_room: bool = True
    heard: threading.Event = field(default_factory=threading.Event)
    """Set by every refusal: one that the sender is not answered because of comes when it comes."""

    def take(self, batch: Batch) -> bool:
        if self.has_room:
            self.batches.append(batch)
        return self.has_room

    def refuse(self, refused: Refused) -> None:
        self.refused.append(refused)
        self.heard.set()

    @property
    def spans(self) -> list[Span]:
        return [span for batch in self.batches for span in batch.spans]


@dataclass(frozen=True)
class Listening:
    sink: Kept
    intake: Intake
    grpc: Endpoint
    http: Endpoint

    def post(self, path: str, body: bytes, media: str, **headers: str) -> tuple[int, bytes, str]:
        """Status, body and media type of the answer."""
        request = urllib.request.Request(f"{self.http.url}{path}", body, {"Content-Type": media, **headers})
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read(), answer.headers["content-type"]
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read(), error.headers["content-type"]

    def call(self, method: str, body: bytes, compression: grpc.Compression | None = None) -> bytes:
        with grpc.insecure_channel(f"127.0.0.1:{self.grpc.port}") as channel:
            answer: bytes = channel.unary_unary(method)(body, timeout=20, compression=compression)
            return answer


@contextmanager
def listening(limit: int = LIMIT) -> Iterator[Listening]:
    sink = Kept()
    intake = Intake(sink, Limits(body=limit))
    with Receivers(intake, Wish(grpc_port=0, http_port=0)) as receivers:
        over_grpc, over_http = receivers.start()
        yield Listening(sink, intake, over_grpc, over_http)


@pytest.fixture(scope="module")
def shared() -> Iterator[Listening]:
    with listening() as running:
        yield running


@pytest.fixture
def up(shared: Listening) -> Listening:
    shared.sink.batches.clear()
    shared.sink.refused.clear()
    shared.sink.has_room = True
    shared.sink.heard.clear()
    return shared


SPANS = (made(1), made(2, 1, is_error=True))
BODY = protobuf.encoded(SPANS)
BROKEN = (*SPANS, Span(b"short", b"12345678", name="nowhere"))
BODY_JSON = (
    b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00112233445566778899aabbccddeeff",'
    b'"spanId":"0123456789abcdef","name":"from JSON"}]}]}]}'
)


def test_grpc_takes_spans(up: Listening) -> None:
    """Plain and gzipped, each request a batch that says where it came from."""
    assert up.call(TRACES, BODY) == b""
    assert up.call(TRACES, BODY, grpc.Compression.Gzip) == b""
    assert up.sink.spans == [*SPANS, *SPANS]
    assert up.sink.batches[0].source.startswith("grpc ipv4:127.0.0.1:")
    assert up.sink.batches[0].size == len(BODY)
    assert not up.sink.refused


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(("media", "body"), [(PROTOBUF, BODY), (JSON, BODY_JSON)])
def test_http_takes_spans(up: Listening, media: str, body: bytes, is_packed: bool) -> None:
    """Both encodings, plain and gzipped; answered in the encoding of the request, with nothing in it."""
    headers = {"Content-Encoding": "gzip"} if is_packed else {}
    sent = gzip.compress(body) if is_packed else body
    status, answer, answered_in = up.post("/v1/traces", sent, f"{media}; charset=utf-8", **headers)
    assert (status, answer, answered_in) == (200, b"{}" if media == JSON else b"", media)
    assert [span.name for span in up.sink.spans] == (["from JSON"] if media == JSON else ["span 1", "span 2"])
    assert up.sink.batches[0].source.startswith("http 127.0.0.1:")


def test_an_empty_request_is_fine(up: Listening) -> None:
    """The protocol says so; there is nothing to keep."""
    assert up.call(TRACES, b"") == b""
    assert up.post("/v1/traces", b"{}", JSON)[0] == 200
    assert not up.sink.batches
    assert not up.sink.refused


def test_spans_without_proper_ids_are_a_partial_success(up: Listening) -> None:
    """The others are taken, the sender is told how many were not and why, and so is whoever looks."""
    answer = ExportTraceServiceResponse.FromString(up.call(TRACES, protobuf.encoded(BROKEN))).partial_success
    why = "1 of 3 spans cannot be placed in a trace; of 'nowhere' its trace id is 5 bytes long instead of 16"
    assert (answer.rejected_spans, answer.error_message) == (1, why)
    status, body, _ = up.post("/v1/traces", protobuf.encoded(BROKEN), PROTOBUF)
    assert status == 200
    assert ExportTraceServiceResponse.FromString(body).partial_success == answer
    assert [refused.why for refused in up.sink.refused] == [why, why]
    assert up.sink.spans == [*SPANS, *SPANS]


def test_partial_success_in_json(up: Listening) -> None:
    """64-bit numbers as text, names in lowerCamelCase."""
    body = BODY_JSON.replace(b"00112233445566778899aabbccddeeff", b"00" * 16)
    status, answer, _ = up.post("/v1/traces", body, JSON)
    assert status == 200
    said = json.loads(answer)["partialSuccess"]
    assert said["rejectedSpans"] == "1"
    assert "all zeros" in said["errorMessage"]


def test_a_bad_request_is_kept_with_its_error_over_grpc(up: Listening) -> None:
    """And the sender is told not to try it again."""
    with pytest.raises(grpc.RpcError) as caught:
        up.call(TRACES, b"\xff\xffnot a message")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT  # type: ignore[attr-defined]
    [refused] = up.sink.refused
    assert "no protobuf message" in refused.why
    assert refused.head == b"\xff\xffnot a message"


@pytest.mark.parametrize(
    ("body", "media", "headers", "status", "why"),
    [
        (b"{", JSON, {}, 400, "no OTLP JSON"),
        (b"\xff\xff", PROTOBUF, {}, 400, "no protobuf message"),
        (BODY, "text/plain", {}, 415, "the content type is 'text/plain'"),
        (BODY, PROTOBUF, {"Content-Encoding": "br"}, 415, "the content encoding is 'br'"),
        (BODY, PROTOBUF, {"Content-Encoding": "gzip"}, 400, "no gzip stream"),
        (gzip.compress(BODY)[:-3], PROTOBUF, {"Content-Encoding": "gzip"}, 400, "cut short"),
        (b"x" * (LIMIT + 1), PROTOBUF, {}, 413, f"larger than {LIMIT} bytes"),
        (gzip.compress(b"x" * 50_000_000), PROTOBUF, {"Content-Encoding": "gzip"}, 413, f"larger than {LIMIT} bytes"),
    ],
    ids=["json", "protobuf", "type", "encoding", "no gzip", "cut", "large", "bomb"],
)
def test_a_bad_request_is_kept_with_its_error_over_http(
    up: Listening, body: bytes, media: str, headers: dict[str, str], status: int, why: str
) -> None:
    """The sender gets a Status in its own encoding, whoever looks gets a row."""
    answered, answer, answered_in = up.post("/v1/traces", body, media, **headers)
    assert answered == status
    if media == PROTOBUF:
        assert why in RpcStatus.FromString(answer).message
    else:
        assert answered_in == JSON
        assert why in json.loads(answer)["message"]
    assert why in up.sink.refused[0].why
    assert len(up.sink.refused) == 1
    assert not up.sink.batches


def test_a_bomb_is_not_inflated_to_its_end(up: Listening) -> None:
    """A hundred megabytes of zeros in a tenth of one: given up a bit beyond the limit."""
    packer = zlib.compressobj(wbits=31)
    body = b"".join(packer.compress(bytes(2**20)) for _ in range(100)) + packer.flush()
    assert up.post("/v1/traces", body, PROTOBUF, **{"Content-Encoding": "gzip"})[0] == 413
    assert up.sink.refused[0].size < LIMIT + 2 * 2**20


def test_several_gzip_members_are_one_body(up: Listening) -> None:
    """As gzip has it."""
    body = gzip.compress(BODY[:20]) + gzip.compress(BODY[20:])
    assert up.post("/v1/traces", body, PROTOBUF, **{"Content-Encoding": "gzip"})[0] == 200
    assert up.sink.spans == [*SPANS]


@pytest.mark.parametrize("compression", [None, grpc.Compression.Gzip])
def test_what_grpc_itself_gives_up_is_kept_too(up: Listening, compression: grpc.Compression | None) -> None:
    """Too large as sent, or too large once inflated."""
    with pytest.raises(grpc.RpcError) as caught:
        up.call(TRACES, bytes(LIMIT * 10), compression)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED  # type: ignore[attr-defined]
    assert up.sink.heard.wait(20)
    [refused] = up.sink.refused
    assert refused.source.startswith("grpc ipv4:127.0.0.1:")
    assert f"larger than {LIMIT} bytes" in refused.why


def test_without_room_the_sender_is_told_to_come_again(up: Listening) -> None:
    """Both protocols have a word for it, and nothing is counted as taken."""
    up.sink.has_room = False
    before = up.intake.tally
    with pytest.raises(grpc.RpcError) as caught:
        up.call(TRACES, BODY)
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE  # type: ignore[attr-defined]
    assert up.post("/v1/traces", BODY, PROTOBUF)[0] == 503
    after = up.intake.tally
    assert (after.busy - before.busy, after.spans - before.spans) == (2, 0)


def metrics() -> bytes:
    request = ExportMetricsServiceRequest()
    metric = request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    metric.gauge.data_points.add()
    metric.gauge.data_points.add()
    return request.SerializeToString()


def logs() -> bytes:
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.add()
    return request.SerializeToString()


def test_metrics_and_logs_are_declined_politely(up: Listening) -> None:
    """A success that counts what is not kept: nobody's exporter fails, and nobody is told that it was kept."""
    of_metrics = ExportMetricsServiceResponse.FromString(up.call(METRICS, metrics())).partial_success
    assert of_metrics.rejected_data_points == 2
    assert "OTEL_METRICS_EXPORTER=none" in of_metrics.error_message
    assert ExportLogsServiceResponse.FromString(up.call(LOGS, logs())).partial_success.rejected_log_records == 1
    status, body, _ = up.post("/v1/logs", logs(), PROTOBUF)
    assert status == 200
    assert ExportLogsServiceResponse.FromString(body).partial_success.rejected_log_records == 1
    sent = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"sum": {"dataPoints": [{}, {}, {}]}}]}]}]}
    status, body, _ = up.post("/v1/metrics", json.dumps(sent).encode(), JSON)
    assert json.loads(body)["partialSuccess"]["rejectedDataPoints"] == "3"
    assert up.post("/v1/metrics", b"[", JSON)[0] == 400
    assert up.post("/v1/logs", b"\xff", PROTOBUF)[0] == 400
    assert len(up.sink.refused) == 2


def test_other_places_and_methods(up: Listening) -> None:
    """Are not there."""
    assert up.post("/v1/profiles", b"", PROTOBUF)[0] == 404
    with pytest.raises(urllib.error.HTTPError, match="405") as caught:
        urllib.request.urlopen(f"{up.http.url}/v1/traces", timeout=20)
    caught.value.close()
    with pytest.raises(grpc.RpcError) as refused:
        up.call("/some.Service/Method", b"")
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED  # type: ignore[attr-defined]


def test_a_page_in_a_browser_gets_no_leave(up: Listening) -> None:
    """The question that browsers ask before they send JSON elsewhere is not answered with yes."""
    request = urllib.request.Request(f"{up.http.url}/v1/traces", method="OPTIONS", headers={"Origin": "http://x"})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=20)
    with caught.value as error:
        assert "access-control-allow-origin" not in error.headers


def test_a_sender_that_hangs_up_midway_is_kept(up: Listening) -> None:
    """What it sent cannot be used, and is not passed over."""
    with socket.create_connection(("127.0.0.1", up.http.port)) as sender:
        head = f"POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {PROTOBUF}\r\nContent-Length: 100\r\n\r\nabc"
        sender.sendall(head.encode())
        sender.shutdown(socket.SHUT_WR)
        sender.recv(1000)
    assert up.sink.heard.wait(20)
    assert [refused.why for refused in up.sink.refused] == ["the sender was gone before the request was whole"]


def test_a_taken_port_is_replaced_and_said() -> None:
    """With the line to paste; and a wish that can be met is met."""
    with bound("127.0.0.1", 0) as first, bound("127.0.0.1", 0) as second:
        taken, taken_too = first.getsockname()[1], second.getsockname()[1]
        with Receivers(Intake(Kept(), Limits()), Wish(grpc_port=taken, http_port=taken_too)) as receivers:
            over_grpc, over_http = receivers.start()
    assert not over_grpc.is_as_wished
    assert not over_http.is_as_wished
    assert over_grpc.port not in (taken, 0)
    line = f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{over_http.port} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"
    assert over_http.environment == line
    with Receivers(Intake(Kept(), Limits()), Wish(grpc_port=taken, http_port=taken_too)) as receivers:
        assert [each.is_as_wished for each in receivers.start()] == [True, True]


def test_one_receiver_alone() -> None:
    """Whichever is not wished for is not there."""
    with Receivers(Intake(Kept(), Limits()), Wish(grpc_port=None, http_port=0)) as receivers:
        assert [endpoint.protocol for endpoint in receivers.start()] == ["http/protobuf"]


def test_an_address_of_another_machine_is_refused() -> None:
    """With a sentence, and no thread stays behind."""
    receivers = Receivers(Intake(Kept(), Limits()), Wish(host="203.0.113.7"))
    with receivers, pytest.raises(BadInput, match=r"cannot listen on 203\.0\.113\.7"):
        receivers.start()


PROGRAM = """
import os, sys
from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
provider = TracerProvider(resource=Resource.create({"service.name": "a program"}))
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
tracer = provider.get_tracer("its scope", "7")
with tracer.start_as_current_span("outer", attributes={"number": 1, "yes": True, "half": 0.5, "list": ["a", "b"]}):
    with tracer.start_as_current_span("inner") as inner:
        inner.add_event("something", {"k": "v"})
        inner.set_status(trace.StatusCode.ERROR, "no")
provider.shutdown()
"""


@pytest.mark.parametrize("compression", ["", "gzip"])
@pytest.mark.parametrize("protocol", ["grpc", "http/protobuf"])
def test_a_real_program_exports_to_us(up: Listening, protocol: str, compression: str) -> None:
    """With the official SDK, set up by nothing but the line that we print."""
    endpoint = up.grpc if protocol == "grpc" else up.http
    pasted = dict(pair.split("=", 1) for pair in endpoint.environment.split())
    packing = {"OTEL_EXPORTER_OTLP_COMPRESSION": compression} if compression else {}
    environment = {"PATH": "", **pasted, **packing}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    inner, outer = up.sink.spans
    assert (outer.name, inner.name, inner.parent_id) == ("outer", "inner", outer.span_id)
    assert outer.attributes == (("number", 1), ("yes", True), ("half", 0.5), ("list", ("a", "b")))
    assert [type(value) for _, value in outer.attributes] == [int, bool, float, tuple]
    assert inner.is_error
    assert inner.events[0].name == "something"
    assert dict(outer.resource.attributes)["service.name"] == "a program"
    assert (outer.scope.name, outer.scope.version) == ("its scope", "7")
    assert outer.kind == 1


def test_the_tally_adds_up() -> None:
    """Requests, spans, bytes, and what could not be used."""
    with listening() as up:
        up.call(TRACES, BODY)
        up.call(TRACES, protobuf.encoded(BROKEN))
        up.post("/v1/traces", b"{", JSON)
        tally = up.intake.tally
    assert (tally.requests, tally.spans, tally.rejected, tally.refused, tally.busy) == (2, 4, 1, 1, 0)
    assert tally.bytes == len(BODY) + len(protobuf.encoded(BROKEN))
