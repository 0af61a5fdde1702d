"""The spans and metrics of a dispatch: the kernel's telemetry, run over what was told. Facts carry their times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from opentelemetry.context import Context
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader, NumberDataPoint
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from debugger.scenario.fired import Fired
from kernel.facts import Resolved
from kernel.telemetry import Telemetry
from kernel.values import JSON


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
class Measured:
    """What the host would have exported about one dispatch."""

    root: ReadableSpan | None = None
    steps: dict[int, ReadableSpan] = field(default_factory=dict)
    metrics: tuple[Measurement, ...] = ()


class _Collector(SpanProcessor):
    def __init__(self) -> None:
        self.just_ended: list[ReadableSpan] = []

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        pass

    def on_end(self, span: ReadableSpan) -> None:
        self.just_ended.append(span)


def measured(fired: Fired) -> Measured:
    """Run the telemetry over a dispatch that is over."""
    collector, reader = _Collector(), InMemoryMetricReader()
    tracers = TracerProvider(ALWAYS_ON, shutdown_on_exit=False)
    tracers.add_span_processor(collector)
    meters = MeterProvider([reader], shutdown_on_exit=False)
    telemetry = Telemetry({fired.dialect.name: fired.dialect}, tracers, meters)
    found = Measured()
    for event in fired.events:
        telemetry.see(event)
        for span in collector.just_ended:
            if isinstance(event.fact, Resolved):
                found.steps[event.fact.step] = span
            else:
                found.root = span
        collector.just_ended.clear()
    found.metrics = tuple(_measurements(reader))
    meters.shutdown()
    return found


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
