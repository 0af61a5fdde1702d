"""Metrics and logs: they are not kept, and whoever sends them is told so in the way of the protocol, not by an error.

An exporter that got an error would complain without end, or try again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2

from kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Signal:
    """One of the signals that are not kept."""

    name: str
    service: str
    """Of gRPC; the method is `Export`."""
    path: str
    """Of HTTP."""
    rejected: str
    """The field of a partial success that counts what was rejected."""
    count: Callable[[bytes], int]
    """How many things are in a request; raises DecodeError."""
    items: frozenset[str]
    """The fields of its JSON whose members are those things."""
    answer: type[Message]

    @property
    def why(self) -> str:
        """What the sender is told."""
        variable = f"OTEL_{self.name.upper()}_EXPORTER"
        return f"hookscope keeps traces only; {variable}=none in the sender's environment keeps {self.name} at home"

    def count_json(self, body: bytes) -> int:
        """How many things are in a request in JSON; raises BadInput."""
        try:
            return _members(msgspec.json.decode(body), self.items)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise BadInput(f"this is no JSON: {error}") from error

    def count_protobuf(self, body: bytes) -> int:
        """The same for protobuf."""
        try:
            return self.count(body)
        except DecodeError as error:
            raise BadInput(f"this is no protobuf message of OTLP {self.name}: {error}") from error


def _points(body: bytes) -> int:
    request = metrics_service_pb2.ExportMetricsServiceRequest.FromString(body)
    metrics = (
        metric for group in request.resource_metrics for scoped in group.scope_metrics for metric in scoped.metrics
    )
    return sum(len(getattr(metric, kind).data_points) for metric in metrics if (kind := metric.WhichOneof("data")))


def _records(body: bytes) -> int:
    request = logs_service_pb2.ExportLogsServiceRequest.FromString(body)
    return sum(len(scoped.log_records) for group in request.resource_logs for scoped in group.scope_logs)


def _members(value: Any, names: frozenset[str]) -> int:
    match value:
        case dict():
            return sum(
                len(each) if name in names and isinstance(each, list) else _members(each, names)
                for name, each in value.items()
            )
        case list():
            return sum(_members(each, names) for each in value)
        case _:
            return 0


SIGNALS: Final = (
    Signal(
        "metrics",
        "opentelemetry.proto.collector.metrics.v1.MetricsService",
        "/v1/metrics",
        "rejected_data_points",
        _points,
        frozenset({"dataPoints", "data_points"}),
        metrics_service_pb2.ExportMetricsServiceResponse,
    ),
    Signal(
        "logs",
        "opentelemetry.proto.collector.logs.v1.LogsService",
        "/v1/logs",
        "rejected_log_records",
        _records,
        frozenset({"logRecords", "log_records"}),
        logs_service_pb2.ExportLogsServiceResponse,
    ),
)
