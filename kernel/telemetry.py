"""Facts as OpenTelemetry spans and metrics. What they are called is the dialect's business (`Spans`).

A probe over the API of OpenTelemetry: whoever wants spans brings a tracer provider of the SDK with the processors and
exporters of their choice; nothing global is set.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from opentelemetry.context import Context
from opentelemetry.metrics import Meter, MeterProvider
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, TracerProvider, set_span_in_context

from kernel.deliveries import DELIVERY, delivery_moments
from kernel.dialect import Dialect, Spans
from kernel.facts import Asked, Ended, Entered, Event, Fact, Left, Opened, Replied, Resolved
from kernel.measures import Attribute, Instrument, Metric
from kernel.values import Ending

_OK = Status(StatusCode.OK)


@dataclass(frozen=True, slots=True)
class _Since:
    """A moment on the kernel's clock and since the epoch: what follows counts from it, so held time is in no span."""

    at_ns: int
    wall_ns: int

    def wall(self, at_ns: int) -> int:
        """Nanoseconds since the epoch for a moment on the clock."""
        return self.wall_ns + at_ns - self.at_ns


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The span of a stretch that is open."""

    entered: Entered
    started_ns: int
    span: Span
    inside: Context
    """The context in which the spans of what happens in it are started."""
    since: _Since
    """That of the outermost stretch: everything inside counts from there."""


@dataclass(slots=True)
class _Dispatch:
    """The spans of one dispatch that are open."""

    opened: Opened
    started_ns: int
    since: _Since
    around: Context | None = None
    """The context of the stretch or dispatch in which it happens."""
    span: Span | None = None
    """Started with the second fact: a payload that is refused outright has no span (spec B.3)."""
    inside: Context | None = None
    """The context in which the spans of its steps are started, once there is a span."""
    steps: dict[int, Span] = field(default_factory=dict)
    replied_ns: dict[int, int] = field(default_factory=dict)
    replied: dict[int, Replied] = field(default_factory=dict)


class Telemetry:
    """A probe that keeps one span for each dispatch in flight and one child for each subscriber that is asked.

    Stretches are spans around them. What happens inside one is timed from the beginning of the outermost.
    """

    def __init__(
        self, dialects: Mapping[str, Dialect], tracers: TracerProvider, meters: MeterProvider | None = None
    ) -> None:
        self._dialects = dialects
        self._tracers = tracers
        self._meters = None if meters is None else _Meters(meters)
        self._dispatches: dict[str, _Dispatch] = {}
        self._stretches: dict[str, _Stretch] = {}
        self._by_scope: dict[str, Tracer] = {}

    def see(self, event: Event) -> None:
        match event.fact:
            case Opened() as opened:
                self._dispatches[event.dispatch] = self._opened(opened, event.at_ns)
                return
            case Entered() as entered:
                self._stretches[event.dispatch] = self._entered(entered, event.at_ns)
                self._measure(self._stretches[event.dispatch], entered, event.at_ns)
                return
            case Left() as left if event.dispatch in self._stretches:
                stretch = self._stretches.pop(event.dispatch)
                self._leave(stretch, left, event.at_ns)
                self._measure(stretch, left, event.at_ns)
                return
        running = self._dispatches.get(event.dispatch)
        if running is None:
            if event.dispatch in self._stretches:
                self._measure(self._stretches[event.dispatch], event.fact, event.at_ns)
            return
        spans = self._dialects[running.opened.dialect].spans
        if isinstance(event.fact, Ended) and event.fact.result.ending is Ending.REFUSED:
            del self._dispatches[event.dispatch]
            return
        if running.span is None:
            running.span = self._start(spans, running)
            running.inside = set_span_in_context(running.span, Context())
        self._measure(running, event.fact, event.at_ns)
        match event.fact:
            case Asked() as asked:
                if (earlier := running.steps.pop(asked.step, None)) is not None:  # asked again, or gone back to
                    _end(earlier, None, running.since.wall(running.replied_ns.pop(asked.step, event.at_ns)))
                name, attributes = spans.step_span(asked)
                running.steps[asked.step] = self._tracer(spans.scope).start_span(
                    name,
                    running.inside,
                    SpanKind.INTERNAL,
                    attributes,
                    start_time=running.since.wall(event.at_ns),
                )
            case Replied(step) as replied:
                running.replied_ns[step] = event.at_ns
                running.replied[step] = replied
            case Resolved(step) as resolved if step in running.steps:
                # The answer ended the call; what was made of it afterwards only decides the span's status.
                ended_ns = running.replied_ns.get(step, event.at_ns)
                span = running.steps.pop(step)
                if (gave := running.replied.pop(step, None)) is not None:
                    span.set_attributes(spans.step_outcome(gave.outcome, resolved))
                    for moment in delivery_moments(gave, ended_ns):
                        span.add_event(DELIVERY, moment.attributes, running.since.wall(moment.at_ns))
                _end(span, spans.step_error(resolved), running.since.wall(ended_ns))
            case Ended(result):
                del self._dispatches[event.dispatch]
                _end(running.span, spans.dispatch_error(result), running.since.wall(event.at_ns))
            case _:
                pass

    def _tracer(self, scope: str) -> Tracer:
        if scope not in self._by_scope:
            self._by_scope[scope] = self._tracers.get_tracer(scope)  # makes a new one each time, at half a span's cost
        return self._by_scope[scope]

    def _opened(self, opened: Opened, at_ns: int) -> _Dispatch:
        around = self._around(opened.parent)
        if around is None:
            return _Dispatch(opened, at_ns, _Since(at_ns, opened.wall_ns))
        return _Dispatch(opened, at_ns, around.since, around.inside)

    def _around(self, parent: str) -> _Stretch | _Dispatch | None:
        """What is open around something, if its own beginning was seen."""
        return self._stretches.get(parent) or self._dispatches.get(parent)

    def _start(self, spans: Spans, running: _Dispatch) -> Span:
        name, attributes = spans.dispatch_span(running.opened)
        start = running.since.wall(running.started_ns)
        return self._tracer(spans.scope).start_span(
            name, running.around, SpanKind.INTERNAL, attributes, start_time=start
        )

    def _entered(self, entered: Entered, at_ns: int) -> _Stretch:
        spans = self._dialects[entered.dialect].spans
        around = self._around(entered.parent)
        since = _Since(at_ns, entered.wall_ns) if around is None else around.since
        name, is_call = spans.stretch_span(entered)
        span = self._tracer(spans.scope).start_span(
            name,
            None if around is None else around.inside,
            SpanKind.CLIENT if is_call else SpanKind.INTERNAL,
            spans.stretch_attributes(entered.attributes),
            start_time=since.wall(at_ns),
        )
        return _Stretch(entered, at_ns, span, set_span_in_context(span, Context()), since)

    def _leave(self, stretch: _Stretch, left: Left, at_ns: int) -> None:
        spans = self._dialects[stretch.entered.dialect].spans
        stretch.span.set_attributes(spans.stretch_attributes(left.attributes))
        _end(stretch.span, left.error or None, stretch.since.wall(at_ns))

    def _measure(self, running: _Dispatch | _Stretch, fact: Fact, at_ns: int) -> None:
        if self._meters is None:
            return
        about = running.opened if isinstance(running, _Dispatch) else running.entered
        spans = self._dialects[about.dialect].spans
        for measure in spans.measures(about, fact, at_ns - running.started_ns):
            self._meters.record(spans.scope, measure.metric, measure.value, measure.attributes)


class _Meters:
    """Instruments, each made when first used: making one costs more than using it."""

    def __init__(self, meters: MeterProvider) -> None:
        self._meters = meters
        self._ways: dict[tuple[str, Metric], Callable[[int | float, dict[str, Attribute]], None]] = {}

    def record(self, scope: str, metric: Metric, value: int | float, attributes: Mapping[str, Attribute]) -> None:
        way = self._ways.get((scope, metric))
        if way is None:
            way = self._ways[scope, metric] = _way(self._meters.get_meter(scope), metric)
        way(value, dict(attributes))


def _way(meter: Meter, metric: Metric) -> Callable[[int | float, dict[str, Attribute]], None]:
    """How measurements of a metric are recorded."""
    match metric.instrument:
        case Instrument.COUNTER:
            return meter.create_counter(metric.name, metric.unit).add
        case Instrument.UP_DOWN:
            return meter.create_up_down_counter(metric.name, metric.unit).add
        case Instrument.HISTOGRAM:
            return meter.create_histogram(metric.name, metric.unit).record
        case never:
            assert_never(never)


def _end(span: Span, error: str | None, at_ns: int) -> None:
    """The one routine through which every span ends (spec F.1)."""
    if error is None:
        span.set_status(_OK)
    else:
        span.add_event("exception", {"exception.type": "HookError", "exception.message": error}, timestamp=at_ns)
        span.set_status(Status(StatusCode.ERROR, error))
    span.end(end_time=at_ns)
