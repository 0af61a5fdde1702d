"""Recordings and live commands reach a collector: every span as it is, busy ones asked again, refusals told."""

from __future__ import annotations

import http.server
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pytest
from exported_runs import conformance, recorded, told
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from otlp_made import made
from plugin_runs import ROOT
from test_terminal import terminal

from debugger.export.otlp import Request, send_recording
from debugger.otlp import otlp_json, outward, protobuf
from debugger.otlp.collector import Collector, collector
from debugger.otlp.intake import Intake, Limits
from debugger.otlp.outward import Protocol
from debugger.otlp.receivers import Receivers, Wish, bound
from debugger.otlp.sending import AT_ONCE, WAITS_S, Sent, send
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Span
from debugger.store.writer import Writer
from kernel.errors import BadInput
from sample_configs import FIRST_CHAIN


class Heard:
    """A sink that keeps everything."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def take(self, batch: Batch) -> bool:
        self.spans += batch.spans
        return True

    def refuse(self, refused: Refused) -> None:
        raise AssertionError(refused)


@contextmanager
def receiving() -> Iterator[tuple[Heard, dict[Protocol, str]]]:
    """Our own receivers on free ports, with their URLs."""
    heard = Heard()
    with Receivers(Intake(heard, Limits()), Wish(grpc_port=0, http_port=0)) as receivers:
        over_grpc, over_http = receivers.start()
        yield heard, {Protocol.GRPC: over_grpc.url, Protocol.HTTP: over_http.url}


def as_sent(spans: list[Span]) -> list[bytes]:
    return [protobuf.encoded((span,)) for span in spans]


@pytest.mark.parametrize(
    ("url", "environment", "expected"),
    [
        ("http://127.0.0.1:4317", {}, Collector("http://127.0.0.1:4317", Protocol.GRPC)),
        ("http://127.0.0.1:4318/", {}, Collector("http://127.0.0.1:4318", Protocol.HTTP)),
        ("http://h:4318/v1/traces", {}, Collector("http://h:4318", Protocol.HTTP)),
        ("https://h:4318/otlp/", {}, Collector("https://h:4318/otlp", Protocol.HTTP)),
        ("http://h:9", {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, Collector("http://h:9", Protocol.HTTP)),
        (
            "http://h:4318",
            {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
            Collector("http://h:4318", Protocol.GRPC),
        ),
    ],
)
def test_how_a_collector_is_spoken_to(url: str, environment: dict[str, str], expected: Collector) -> None:
    """By its usual port, unless the environment says otherwise; the more special variable counts."""
    assert collector(url, environment) == expected


@pytest.mark.parametrize(
    ("url", "environment", "said"),
    [
        ("127.0.0.1:4317", {}, "no address of a collector"),
        ("http://", {}, "no address of a collector"),
        ("http://h:port", {}, "no address of a collector: Port could not be cast"),
        ("http://h:4317/path", {}, "OTLP over gRPC has no paths"),
        ("http://h:4317", {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"}, "OTEL_EXPORTER_OTLP_PROTOCOL is 'http/json'"),
    ],
)
def test_what_is_no_address_is_refused(url: str, environment: dict[str, str], said: str) -> None:
    """With the way out."""
    with pytest.raises(BadInput, match=said):
        collector(url, environment)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_everything_of_a_recording_is_sent(
    protocol: Protocol, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dispatches, stretches and the spans that it was sent itself; nothing is lost on the way."""
    file = recorded(tmp_path / "r.hookscope", *([*run] for _, run, _ in islice(conformance("pluggable"), 20)))
    with SpanWriter(file) as writer:
        writer.take(Batch((made(1), made(2, 1)), "test", 1, 1))
    with receiving() as (heard, urls):
        url = urls[protocol]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", str(protocol))
            assert send_recording(Request(file, url, is_redacted=False)) == 0
    expected = list(outward.recorded(file))
    assert as_sent(heard.spans) == as_sent(expected)
    assert f"sent {len(expected)} spans to {url}" in capsys.readouterr().err


def test_chosen_dispatches_are_sent_without_the_received_spans(tmp_path: Path) -> None:
    """And secrets are replaced, unless somebody says otherwise."""
    file = recorded(
        tmp_path / "r.hookscope",
        told("aaaaaa1", "A:o", {"A": "ack"}),
        told("bbbbbb2", "B:t", {"B": "+x"}),
    )
    with SpanWriter(file) as writer:
        writer.take(Batch((made(1),), "test", 1, 1))
    with receiving() as (heard, urls):
        assert send_recording(Request(file, urls[Protocol.GRPC], ("2",))) == 0
    assert len(heard.spans) == 2
    modes = [value for span in heard.spans for key, value in span.attributes if key.endswith("subscriber.mode")]
    assert modes == ["transform"]


def test_secrets_of_received_spans_are_replaced(tmp_path: Path) -> None:
    """In what is sent, and in the document."""
    file = tmp_path / "r.hookscope"
    span = made(1, attributes=(("authorization", "Bearer tok3nOfAbearer42"),))
    with Writer(file):
        pass
    with SpanWriter(file) as writer:
        writer.take(Batch((span,), "test", 1, 1))
    with receiving() as (heard, urls), pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", str(Protocol.HTTP))
        assert send_recording(Request(file, urls[Protocol.HTTP])) == 0
    [sent] = heard.spans
    assert "tok3nOfAbearer42" not in repr(sent)
    assert [key for key, _ in sent.attributes] == ["authorization"]


class Answering(http.server.BaseHTTPRequestHandler):
    """A collector over HTTP that answers as it is told to."""

    answers: list[tuple[int, bytes]]
    asked: list[int]

    def do_POST(self) -> None:  # the name of the library
        self.rfile.read(int(self.headers["Content-Length"]))
        self.asked.append(1)
        status, body = self.answers.pop(0)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def answering(*answers: tuple[int, bytes]) -> Iterator[tuple[Collector, list[int]]]:
    asked: list[int] = []
    handler = type("Handler", (Answering,), {"answers": list(answers), "asked": asked})
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Collector(f"http://127.0.0.1:{server.server_port}", Protocol.HTTP), asked
        finally:
            server.shutdown()
            thread.join()


SOME = tuple(made(number) for number in range(1, AT_ONCE + 2))
PARTLY = ExportTraceServiceResponse(
    partial_success=ExportTracePartialSuccess(rejected_spans=2, error_message="too old")
).SerializeToString()


def test_a_busy_collector_is_asked_again_and_rejected_spans_are_counted() -> None:
    """In batches as the SDKs send them."""
    waited: list[float] = []
    with answering((503, b""), (200, PARTLY), (429, b""), (502, b""), (200, b"")) as (to, asked):
        assert send(SOME, to, waited.append) == Sent(AT_ONCE + 1 - 2, 2, "too old")
        assert (len(asked), waited) == (5, [WAITS_S[0], WAITS_S[0], WAITS_S[1]])


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([(200, b"")] + [(503, b"")] * 4, f"503 Service Unavailable; {AT_ONCE} spans were taken before"),
        ([(400, b"")], "refuses the spans: 400 Bad Request"),
        ([(200, b"<html>")], "its answer is no OTLP"),
    ],
)
def test_a_collector_that_wants_nothing_is_told_of(answers: list[tuple[int, bytes]], said: str) -> None:
    """With what was sent before."""
    with answering(*answers) as (to, _), pytest.raises(BadInput, match=said):
        send(SOME, to, lambda _: None)


@pytest.mark.parametrize("protocol", list(Protocol))
def test_nobody_there_is_a_sentence(protocol: Protocol) -> None:
    """After some attempts."""
    with bound("127.0.0.1", 0) as nobody:
        port = nobody.getsockname()[1]
    with pytest.raises(BadInput, match=f"http://127.0.0.1:{port} takes no spans over {protocol}"):
        send(SOME[:1], Collector(f"http://127.0.0.1:{port}", protocol), lambda _: None)


def hookscope(*words: object) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "debugger.cli", *map(str, words))
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=100, check=False)


def test_fire_sends_its_spans_to_a_collector(tmp_path: Path) -> None:
    """As they are recorded beside, and says so; one that is not there changes nothing but a sentence."""
    file = tmp_path / "r.hookscope"
    with receiving() as (heard, urls):
        ran = hookscope("fire", FIRST_CHAIN, "pre-model-call", "-o", file, "--otlp", urls[Protocol.GRPC])
    assert ran.returncode == 0, ran.stderr
    expected = list(outward.recorded(file))
    assert f"sent {len(expected)} spans to {urls[Protocol.GRPC]}" in ran.stderr
    assert [(span.name, span.start_ns, span.end_ns) for span in heard.spans] == [
        (span.name, span.start_ns, span.end_ns) for span in expected
    ]
    exported = hookscope("export", file, "--as", "otlp")
    assert as_sent([*otlp_json.decoded(exported.stdout.encode())]) == as_sent(expected)
    refused = hookscope("fire", FIRST_CHAIN, "pre-model-call", "--otlp", "localhost:4317")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "no address of a collector" in refused.stderr


def test_the_application_sends_its_spans_and_keeps_what_it_may(tmp_path: Path) -> None:
    """While it runs, beside a recording with a limit; what became of both is said once the screen is gone."""
    file = tmp_path / "r.hookscope"
    with receiving() as (heard, urls):
        words = ("open", str(FIRST_CHAIN), "-o", str(file), "--keep", "dispatches=1", "--otlp", urls[Protocol.GRPC])
        with terminal(*words) as screen:
            screen.wait_for("redactor", "ready")
            screen.press("r")
            screen.wait_for("#1", "allow")
            screen.press("r")
            screen.wait_for("#2", "allow")
            screen.press("q")
            assert screen.end() == 0
            screen.wait_for_rest()
            last = screen.output.rpartition(b"\x1b[?1049l")[2].decode()
    assert f"sent {len(heard.spans)} spans to {urls[Protocol.GRPC]}" in last
    assert f"recorded 1 dispatch in {file}; 1 older dispatch had to go" in last
    assert f"{file} has reached a limit" in last
    assert len(heard.spans) == 2 * len(list(outward.recorded(file)))
