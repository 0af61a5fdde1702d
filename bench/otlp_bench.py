"""How fast spans are received and stored over OTLP/gRPC, beside a bare receiver that decodes them into rows and keeps
nothing; and how long a stored trace takes to open. Senders and receivers are processes of their own.

`python -m bench.otlp_bench ours|bare` is the receiver's side.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from bench.measure import Absolute, Act, Row, interleaved, row, stopwatch

SPANS: Final = 512
"""Of a batch, as the SDK's processor sends them at most."""
BATCHES: Final = 60
"""Of one run."""
AT_ONCE: Final = 4
"""Requests that a sender has under way."""
LARGE: Final = 100_000
"""Spans of the trace that is opened."""
METHOD: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
TARGET_US: Final = 50.0
"""20,000 spans/s."""
TARGET_OPEN_MS: Final = 1000.0


def rows(*, rounds: int = 5) -> list[Row]:
    """Microseconds a span until all of them are on the disk; milliseconds until a trace's first page is there."""
    bodies = [body(number) for number in range(BATCHES)]
    with receiver("ours") as ours, receiver("bare") as bare:
        figures, floors = interleaved(rounds, _sending(bodies, ours), _sending(bodies, bare))
    measured = [row("OTLP/gRPC receive and store, a span", "us", figures, floors, Absolute(TARGET_US))]
    with tempfile.TemporaryDirectory() as folder:
        measured += _opening(Path(folder) / "large.hookscope", rounds)
    return measured


def _opening(path: Path, rounds: int) -> list[Row]:
    from debugger.otlp import protobuf
    from debugger.otlp.sink import Batch
    from debugger.otlp.span_reader import SpanReader
    from debugger.otlp.span_writer import SpanWriter

    with SpanWriter(path) as writer:
        for number in range(LARGE // SPANS + 1):
            while not writer.take(Batch(protobuf.decoded(body(number, trace=bytes(range(16)))), "bench", 1, 1)):
                writer.settle()

    def newest() -> None:
        with SpanReader(path) as reader:
            reader.newest(most=100)

    def tree() -> None:
        with SpanReader(path) as reader:
            reader.page(reader.tree(bytes(range(16)))[:100])

    def bones() -> None:
        connection = sqlite3.connect(path)
        connection.execute("SELECT id, span, parent, start_ns, end_ns FROM spans").fetchall()
        connection.close()

    listed, drawn, floor = interleaved(rounds, stopwatch(newest), stopwatch(tree), stopwatch(bones))
    return [
        row("open 100,000 spans, list of traces", "ms", listed, floor, Absolute(TARGET_OPEN_MS)),
        row("open 100,000 spans, one tree of them all", "ms", drawn, floor, Absolute(TARGET_OPEN_MS)),
    ]


def body(number: int, *, trace: bytes | None = None) -> bytes:
    """A batch as it is sent: 16 traces of 32 spans, or all of one trace, each span with five attributes."""
    from debugger.otlp import protobuf
    from debugger.otlp.spans import Code, Kind, Resource, Scope, Span, Status

    resource, scope = Resource((("service.name", "bench"), ("host.name", "here"))), Scope("bench", "1")
    made: list[Span] = []
    for place in range(SPANS):
        whose = (number * 16 + place // 32 + 1).to_bytes(16, "big") if trace is None else trace
        span_id = (number * SPANS + place + 1).to_bytes(8, "big")
        parent = b"" if place % 32 == 0 else made[-1].span_id if place % 4 else made[place - place % 32].span_id
        attributes = (
            ("pluggableharness.hook.point", "pre-model-call"),
            ("pluggableharness.subscriber.mode", "transform"),
            ("attempt", place),
            ("cached", place % 2 == 0),
            ("ratio", place / SPANS),
        )
        times = 1_700_000_000_000_000_000 + place * 1000, 1_700_000_000_001_000_000
        fields: Any = {"attributes": attributes, "resource": resource, "scope": scope, "status": Status(Code.OK)}
        made.append(Span(whose, span_id, parent, f"span {place % 7}", Kind.INTERNAL, *times, **fields))
    return protobuf.encoded(made)


@contextmanager
def receiver(kind: str) -> Iterator[subprocess.Popen[str]]:
    """A process that receives; its first line is its port, and it answers each line with one once all is kept."""
    command = [sys.executable, "-m", "bench.otlp_bench", kind]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _sending(bodies: list[bytes], process: subprocess.Popen[str]) -> Act:
    assert process.stdout is not None
    port = int(process.stdout.readline())

    def act() -> float:
        assert process.stdin is not None
        assert process.stdout is not None
        started = time.perf_counter_ns()
        asyncio.run(_send(bodies, port))
        process.stdin.write("kept?\n")
        process.stdin.flush()
        process.stdout.readline()
        return (time.perf_counter_ns() - started) / 1e3 / (len(bodies) * SPANS)

    return act


async def _send(bodies: list[bytes], port: int) -> None:
    import grpc

    left = iter(bodies)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        export = channel.unary_unary(METHOD, None, None)

        async def sender() -> None:
            for each in left:
                while True:
                    try:
                        await export(each)
                        break
                    except grpc.aio.AioRpcError as error:
                        if error.code() is not grpc.StatusCode.UNAVAILABLE:
                            raise
                        await asyncio.sleep(0.01)  # there was no room: as an exporter would

        await asyncio.gather(*(sender() for _ in range(AT_ONCE)))


def _receive_ours() -> None:
    from debugger.otlp.intake import Intake, Limits
    from debugger.otlp.receivers import Receivers, Wish
    from debugger.otlp.span_writer import SpanWriter

    with SpanWriter() as writer, Receivers(Intake(writer, Limits()), Wish(grpc_port=0, http_port=None)) as receivers:
        [endpoint] = receivers.start()
        print(endpoint.port, flush=True)
        while sys.stdin.readline():
            assert writer.settle(60)
            assert not writer.kept.trouble
            print(writer.kept.spans, flush=True)


async def _receive_bare() -> None:
    import grpc
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
        ExportTraceServiceRequest,
        ExportTraceServiceResponse,
    )

    kept: list[tuple[object, ...]] = []

    async def export(request: ExportTraceServiceRequest, context: object) -> ExportTraceServiceResponse:
        kept.clear()
        for group in request.resource_spans:
            service = {pair.key: pair.value.string_value for pair in group.resource.attributes}
            for scoped in group.scope_spans:
                for span in scoped.spans:
                    attributes = {pair.key: _bare(pair.value) for pair in span.attributes}
                    ids = span.trace_id, span.span_id, span.parent_span_id
                    times = span.start_time_unix_nano, span.end_time_unix_nano
                    kept.append((*ids, span.name, span.kind, *times, span.status.code, attributes, service))
        return ExportTraceServiceResponse()

    handler = grpc.unary_unary_rpc_method_handler(
        export, ExportTraceServiceRequest.FromString, ExportTraceServiceResponse.SerializeToString
    )
    service, _, method = METHOD[1:].partition("/")
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {method: handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    while await asyncio.to_thread(sys.stdin.readline):
        print(len(kept), flush=True)
    await server.stop(None)


def _bare(value: Any) -> object:
    return getattr(value, value.WhichOneof("value"))


if __name__ == "__main__":
    if sys.argv[1:] == ["bare"]:
        asyncio.run(_receive_bare())
    else:
        _receive_ours()
    sys.stdout.flush()
    os._exit(0)  # gRPC's threads would take their time
