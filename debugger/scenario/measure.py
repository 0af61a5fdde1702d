"""Spans and metrics of a dispatch or a session: the kernel's telemetry, run over what was told, with its times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON
from opentelemetry.trace import SpanContext

from kernel.dialect import Dialect
from kernel.facts import Asked, Entered, Event, Opened, Resolved
from kernel.telemetry import Telemetry
from kernel.values import JSON

_Key: TypeAlias = tuple[str, int | None]
"""A dispatch or stretch, and a step of it."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """One data point of one metric."""

    name: str
    attributes: Mapping[str, JSON]
    value: float | None
    """Of a counter."""
    count: int | None
    """Of a histogram."""


@dataclass(slots=True)
class SpanNode:
    """A finished span and those inside of it, in the order in which they began."""

    span: ReadableSpan
    subscriber: str
    """Whose step it is; empty for a dispatch or a stretch."""
    children: list[SpanNode] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What tells it from its siblings, for people."""
        return self.subscriber or self.span.name


@dataclass(frozen=True, slots=True)
class Measured:
    """What the host would have exported."""

    roots: tuple[SpanNode, ...]
    metrics: tuple[Measurement, ...]


class _Collector(SpanProcessor):
    def __init__(self) -> None:
        self.just_ended: list[ReadableSpan] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        pass

    def on_end(self, span: ReadableSpan) -> None:
        self.just_ended.append(span)


def measured(events: Sequence[Event], dialect: Dialect) -> Measured:
    """Run the telemetry over what was told by a dispatch or a session that is over."""
    collector, reader = _Collector(), InMemoryMetricReader()
    tracers = TracerProvider(ALWAYS_ON, shutdown_on_exit=False)
    tracers.add_span_processor(collector)
    meters = MeterProvider([reader], shutdown_on_exit=False)
    telemetry = Telemetry({dialect.name: dialect}, tracers, meters)
    begun: dict[_Key, int] = {}
    found: list[tuple[int, SpanNode]] = []
    for number, event in enumerate(events):
        match event.fact:
            case Opened() | Entered():
                begun[event.dispatch, None] = number
            case Asked(step):
                begun[event.dispatch, step] = number
        telemetry.see(event)
        for span in collector.just_ended:
            match event.fact:
                case Resolved(step, subscription):
                    found.append((begun[event.dispatch, step], SpanNode(span, subscription.name)))
                case _:
                    found.append((begun[event.dispatch, None], SpanNode(span, "")))
        collector.just_ended.clear()
    metrics = tuple(_measurements(reader))
    meters.shutdown()
    return Measured(_tree([node for _, node in sorted(found, key=lambda entry: entry[0])]), metrics)


def _tree(nodes: Sequence[SpanNode]) -> tuple[SpanNode, ...]:
    """Those without a parent among them, with all the others inside; one whose parent never ended counts as such."""
    by_id = {_id(node.span.context): node for node in nodes}
    roots: list[SpanNode] = []
    for node in nodes:
        around = by_id.get(_id(node.span.parent))
        (roots if around is None else around.children).append(node)
    return tuple(roots)


def _id(context: SpanContext | None) -> int | None:
    return None if context is None else context.span_id


def _measurements(reader: InMemoryMetricReader) -> Iterator[Measurement]:
    data = reader.get_metrics_data()
    for resource in data.resource_metrics if data is not None else ():
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                for point in metric.data.data_points:
                    attributes: Mapping[str, JSON] = dict(point.attributes or {})  # type: ignore[arg-type]  # plain values
                    if isinstance(point, NumberDataPoint):
                        yield Measurement(metric.name, attributes, point.value, None)
                    elif isinstance(point, HistogramDataPoint):
                        yield Measurement(metric.name, attributes, None, point.count)
