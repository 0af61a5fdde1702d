"""`hookscope listen`, and when a trace is told."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest
from otlp_made import START_NS, TRACE, made, numbered_traces

from debugger.otlp import arrivals, protobuf
from debugger.otlp.arrivals import MOST_OPEN, QUIET_NS, ROOTLESS_NS, Arrivals
from debugger.otlp.command import line, listen
from debugger.otlp.grpc_server import TRACES
from debugger.otlp.receivers import bound
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_reader import SpanReader
from debugger.otlp.spans import Span
from debugger.otlp.wishes import Request
from kernel.errors import BadInput


class Roomy:
    """A sink that has room, or has none."""

    has_room = True

    def take(self, batch: Batch) -> bool:
        return self.has_room

    def refuse(self, refused: Refused) -> None:
        pass


class Clock:
    now_ns = 0

    def __call__(self) -> int:
        return self.now_ns


def batch(*spans: Span) -> Batch:
    return Batch(spans, "test", 1, START_NS)


def test_a_trace_is_told_once_it_is_quiet() -> None:
    """With its root; and again when more of it has come."""
    clock = Clock()
    coming = Arrivals(Roomy(), clock)
    coming.take(batch(made(2, 1, took=7, is_error=True)))
    clock.now_ns = QUIET_NS
    assert not coming.settled()
    coming.take(batch(made(1, name="root", took=9)))
    clock.now_ns = 2 * QUIET_NS - 1
    assert not coming.settled()
    clock.now_ns = 2 * QUIET_NS
    [told] = coming.settled()
    assert (told.root, told.service, told.spans, told.errors, told.took_ns) == ("root", "shop", 2, 1, 9)
    assert (told.has_root, told.is_late) == (True, False)
    assert not coming.settled(all_of_them=True)
    coming.take(batch(made(3, 1, took=99)))
    [late] = coming.settled(all_of_them=True)
    assert (late.spans, late.is_late, late.took_ns) == (3, True, 99)


def test_a_trace_without_a_root_is_told_later() -> None:
    """Perhaps it never comes."""
    clock = Clock()
    coming = Arrivals(Roomy(), clock)
    coming.take(batch(made(2, 1)))
    clock.now_ns = ROOTLESS_NS - 1
    assert not coming.settled()
    clock.now_ns = ROOTLESS_NS
    [told] = coming.settled()
    assert not told.has_root
    assert line(told).endswith("shop: span 2 (its root has not come)")


def test_what_the_sink_has_no_room_for_has_not_come() -> None:
    """Its sender comes again."""
    sink = Roomy()
    sink.has_room = False
    coming = Arrivals(sink, Clock())
    assert not coming.take(batch(made(1)))
    assert not coming.settled(all_of_them=True)


def test_only_so_many_traces_are_kept_in_mind() -> None:
    """The others are told at once, those first of which nothing has come for longest."""
    coming = Arrivals(Roomy(), Clock())
    traces = list(numbered_traces(MOST_OPEN + 2))
    for trace in traces:
        coming.take(batch(made(1, trace=trace)))
    coming.take(batch(made(2, trace=traces[0])))
    assert [told.trace_id for told in coming.settled()] == traces[1:3]
    assert not coming.settled()


def test_refusals_are_told_once() -> None:
    """And only so many are kept for that."""
    coming = Arrivals(Roomy(), Clock())
    for number in range(arrivals.MOST_REFUSED + 3):
        coming.refuse(Refused("http", 1, number, "why"))
    assert [refused.size for refused in coming.refusals()] == list(range(3, arrivals.MOST_REFUSED + 3))
    assert coming.refusals() == ()


def test_a_line_of_a_trace() -> None:
    """Everything that is worth knowing before it is opened."""
    coming = Arrivals(Roomy(), Clock())
    hook = (("pluggableharness.hook.point", "plan-ready"),)
    coming.take(batch(made(1, took=2_000_000), made(2, 1, name="hook.dispatch", attributes=hook, is_error=True)))
    [told] = coming.settled(all_of_them=True)
    text = line(told)
    assert text.startswith(TRACE.hex())
    assert text.endswith("2 spans, 1 error, 1 dispatch  shop: span 1")
    assert "2.0 ms" in text or "2.00 ms" in text


def send(port: int, *spans: Span) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        channel.unary_unary(TRACES)(protobuf.encoded(spans), timeout=20, wait_for_ready=True)


def run(act: Callable[[int], None], *words: object, ended_by: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
    """The command as a process of its own, until the act with its gRPC port is over; exit code, results, narration."""
    argv = [sys.executable, "-m", "debugger.cli", "listen", *map(str, words)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        narration, found = "", None
        for told in process.stderr:
            narration += told
            if found := re.search(r"ENDPOINT=http://127\.0\.0\.1:(\d+) OTEL_EXPORTER_OTLP_PROTOCOL=grpc", told):
                break
        assert found is not None, narration
        act(int(found[1]))
        process.send_signal(ended_by)
        printed, rest = process.communicate(timeout=60)
    return process.returncode, printed, narration + rest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_listening_prints_and_stores(tmp_path: Path, number: signal.Signals) -> None:
    """Each trace a line on standard output, everything else beside it, the spans in the file; a signal ends it well."""
    out = tmp_path / "got.hookscope"
    code, printed, narrated = run(
        lambda port: send(port, made(1), made(2, 1)), "-o", out, "--grpc-port", 0, "--http-port", 0, ended_by=number
    )
    assert code == 0
    assert printed.startswith(TRACE.hex())
    assert "2 spans  shop: span 1" in printed
    assert "received 2 spans in 1 request" in narrated
    assert f"{out} has 2 spans of 1 trace" in narrated
    assert "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:" in narrated
    assert "Traceback" not in narrated
    with SpanReader(out) as reader:
        assert list(reader.spans()) == [made(1), made(2, 1)]


def test_listening_in_json() -> None:
    """One object a line; what could not be used is one too."""

    def act(port: int) -> None:
        send(port, made(1))
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel, pytest.raises(grpc.RpcError):
            channel.unary_unary(TRACES)(b"\xff\xff", timeout=20)

    code, printed, narrated = run(act, "--json", "--grpc-port", 0, "--no-http")
    assert code == 0
    assert "http/protobuf" not in narrated
    found = {name: value for text in printed.splitlines() for name, value in json.loads(text).items()}
    assert found["trace"]["id"] == TRACE.hex()
    assert (found["trace"]["spans"], found["trace"]["root"], found["trace"]["took_ns"]) == (1, "span 1", 1)
    assert found["refused"]["head"] == "ffff"
    assert "no protobuf message" in found["refused"]["why"]


def test_a_cap_and_a_taken_port_are_said(tmp_path: Path) -> None:
    """What was dropped is counted at the end, where one has to send to at the beginning."""
    out = tmp_path / "got.hookscope"
    with bound("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]

        def act(other: int) -> None:
            assert other != port
            for trace in numbered_traces(3):
                send(other, made(1, trace=trace))

        _, _, narrated = run(act, "-o", out, "--grpc-port", port, "--no-http", "--most-spans", 2)
    assert f"port {port} is taken; listening for grpc on 127.0.0.1:" in narrated
    assert "dropped 1 trace (1 span) over the cap" in narrated


def test_what_cannot_be_listened_on_or_stored_in(tmp_path: Path) -> None:
    """Is said before anything begins."""
    with pytest.raises(BadInput, match="neither gRPC nor HTTP"):
        listen(Request(grpc_port=None, http_port=None))
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    with pytest.raises(BadInput, match="is no recording"):
        listen(Request(foreign, grpc_port=0, http_port=0))
    assert foreign.read_text() == "mine"
