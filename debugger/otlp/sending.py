"""Spans to a collector, afterwards: batch after batch, each tried again for a while where it is busy."""

from __future__ import annotations

import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from opentelemetry.util.re import parse_env_headers

from debugger.otlp import protobuf
from debugger.otlp.collector import Collector
from debugger.otlp.outward import Protocol
from debugger.otlp.spans import Span
from kernel.errors import BadInput

AT_ONCE: Final = 512
"""Spans of one request, as the SDKs send them."""
TIMEOUT_S: Final = 10
WAITS_S: Final = (0.5, 1, 2)
"""Between two attempts, where the collector says that it is busy or is not there."""
_BUSY: Final = frozenset({429, 502, 503, 504})
_METHOD: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

_Deliver: TypeAlias = Callable[[bytes], bytes]
"""Sends a request and gives the response."""


class _Busy(Exception):
    """It may work a little later."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of the spans."""

    taken: int
    rejected: int = 0
    why: str = ""
    """Why the collector rejected some, in its own words."""


def send(spans: Iterable[Span], to: Collector, pause: Callable[[float], None] = time.sleep) -> Sent:
    """Send everything; raises BadInput where the collector cannot be reached or wants none of it.

    The headers of OTEL_EXPORTER_OTLP_HEADERS are sent along.
    """
    taken, rejected, why = 0, 0, ""
    with _way(to) as deliver:
        for some in _batches(spans):
            answered = _answered(_tried(deliver, protobuf.encoded(some), to, taken, pause))
            rejected += answered.rejected_spans
            taken += len(some) - answered.rejected_spans
            why = why or answered.error_message
    return Sent(taken, rejected, why)


def _batches(spans: Iterable[Span]) -> Iterator[list[Span]]:
    left = iter(spans)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _tried(deliver: _Deliver, request: bytes, to: Collector, taken: int, pause: Callable[[float], None]) -> bytes:
    for wait in (*WAITS_S, None):
        try:
            return deliver(request)
        except _Busy as error:
            if wait is None:
                so_far = f"; {taken} spans were taken before" if taken else ""
                raise BadInput(
                    f"{to.url} takes no spans over {to.protocol}: {error}{so_far}",
                    fix="see that a collector listens there",
                ) from None
            pause(wait)
    raise AssertionError("the last attempt returns or raises")


def _answered(response: bytes) -> ExportTracePartialSuccess:
    try:
        return ExportTraceServiceResponse.FromString(response).partial_success
    except DecodeError:
        raise BadInput("what answers there is no collector: its answer is no OTLP") from None


def _headers(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    names = "OTEL_EXPORTER_OTLP_TRACES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS"
    return dict(
        parse_env_headers(next((environment[name] for name in names if environment.get(name)), ""), liberal=True)
    )


@contextmanager
def _way(to: Collector) -> Iterator[_Deliver]:
    if to.protocol is Protocol.HTTP:
        yield _over_http(to.url)
        return
    target = to.url.partition("://")[2]
    is_secure = to.url.startswith("https:")
    channel = (
        grpc.secure_channel(target, grpc.ssl_channel_credentials()) if is_secure else grpc.insecure_channel(target)
    )
    with channel:
        yield _over_grpc(channel)


def _over_grpc(channel: grpc.Channel) -> _Deliver:
    call = channel.unary_unary(_METHOD, None, None)  # bytes in, bytes out
    metadata = tuple(_headers().items())

    def deliver(request: bytes) -> bytes:
        try:
            response: bytes = call(request, timeout=TIMEOUT_S, metadata=metadata)
        except grpc.RpcError as error:
            status, said = error.code(), error.details()
            if status in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
                raise _Busy(f"{status.name}, {said}") from None
            raise BadInput(f"the collector refuses the spans: {status.name}, {said}") from None
        return response

    return deliver


def _over_http(url: str) -> _Deliver:
    headers = {**_headers(), "Content-Type": "application/x-protobuf"}

    def deliver(body: bytes) -> bytes:
        request = urllib.request.Request(f"{url}/v1/traces", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                answer: bytes = response.read(1 << 20)
        except urllib.error.HTTPError as error:
            if error.code in _BUSY:
                raise _Busy(f"{error.code} {error.reason}") from None
            raise BadInput(f"the collector refuses the spans: {error.code} {error.reason}") from None
        except OSError as error:
            raise _Busy(str(getattr(error, "reason", error))) from None
        return answer

    return deliver
