"""Facts as spans, with what facts know beyond that: who was asked at which point, under which deadline, how it went.

Names, attributes, times and errors are those that `kernel.telemetry` gives the same facts; no SDK is in between, as a
recording has a lot of them. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from debugger.otlp.spans import Attributes, Code, Kind, Scope, Span, SpanEvent, Status
from debugger.traces.hooks import Hook, badge_of
from debugger.views.states import LOOKS, SeatState
from kernel.clock import NS_PER_MS
from kernel.deliveries import DELIVERY, delivery_moments
from kernel.dialect import Dialect, Spans
from kernel.facts import Asked, Ended, Entered, Event, Left, Opened, Printed, Replied, Resolved
from kernel.values import Ending, Result
from kernel.values import Status as StepStatus

_STATES: Final[Mapping[StepStatus, SeatState]] = {
    StepStatus.OK: SeatState.OK,
    StepStatus.CHANGED: SeatState.CHANGED,
    StepStatus.DENIED: SeatState.DENIED,
    StepStatus.ERROR: SeatState.ERROR,
    StepStatus.TIMED_OUT: SeatState.TIMED_OUT,
    StepStatus.SKIPPED: SeatState.SKIPPED,
    StepStatus.CANCELLED: SeatState.CANCELLED,
}


@dataclass(frozen=True, slots=True)
class FactSpan:
    """A dispatch, a stretch, or a step, as a span. Times are on the clock that all of a trace share."""

    id: str
    """Of the dispatch or stretch; of a step with its number and how often it was asked before."""
    parent: str
    name: str
    start_ns: int
    end_ns: int | None
    """None while it is under way."""
    attributes: Attributes = ()
    kind: int = Kind.INTERNAL
    scope: str = ""
    error: str | None = None
    hook: Hook | None = None
    noted: tuple[SpanEvent, ...] = ()
    """What a subscriber's process wrote meanwhile, and each handing over of a request that had several."""

    def as_span(self, trace: bytes, base_ns: int) -> Span:
        """The same as a value of OpenTelemetry; `base_ns` is when its clock was 0, since the epoch."""
        end_ns = 0 if self.end_ns is None else base_ns + self.end_ns
        exception = ("exception.type", "HookError"), ("exception.message", self.error or "")
        failure = () if self.error is None else (SpanEvent(end_ns, "exception", exception),)
        status = (
            None if self.end_ns is None else Status(Code.OK if self.error is None else Code.ERROR, self.error or "")
        )
        noted = tuple(replace(each, time_ns=base_ns + each.time_ns) for each in self.noted)
        return Span(
            trace,
            self.id.encode(),
            self.parent.encode(),
            self.name,
            self.kind,
            base_ns + self.start_ns,
            end_ns,
            status,
            self.attributes,
            (*noted, *failure),
            scope=Scope(self.scope),
        )


@dataclass(slots=True)
class _Step:
    """One that is being asked."""

    asked: Asked
    at_ns: int
    again: int
    replied_ns: int | None = None
    replied: Replied | None = None
    noted: list[SpanEvent] = field(default_factory=list)


def spans_of(events: Sequence[Event], dialects: Mapping[str, Dialect]) -> list[FactSpan]:
    """The spans of one dispatch or stretch, itself first. A payload that was refused outright has none."""
    match events[0].fact if events else None:
        case Opened() as opened:
            return _Folding(opened, events, dialects[opened.dialect].spans).spans()
        case Entered() as entered:
            return [_stretch(entered, events, dialects[entered.dialect].spans)]
        case _:
            return []


def _stretch(entered: Entered, events: Sequence[Event], spans: Spans) -> FactSpan:
    name, is_call = spans.stretch_span(entered)
    attributes = dict(spans.stretch_attributes(entered.attributes))
    end_ns, error = None, None
    for event in events:
        if isinstance(event.fact, Left):
            attributes |= spans.stretch_attributes(event.fact.attributes)
            end_ns, error = event.at_ns, event.fact.error or None
    kind = Kind.CLIENT if is_call else Kind.INTERNAL
    made = tuple(attributes.items())
    start_ns = events[0].at_ns
    return FactSpan(events[0].dispatch, entered.parent, name, start_ns, end_ns, made, kind, spans.scope, error)


class _Folding:
    """The facts of one dispatch, folded."""

    def __init__(self, opened: Opened, events: Sequence[Event], spans: Spans) -> None:
        self._opened = opened
        self._names = spans
        self._id = events[0].dispatch
        self._start_ns = events[0].at_ns
        self._steps: dict[int, _Step] = {}
        self._ended: list[FactSpan] = []
        self._result: Result | None = None
        self._end_ns: int | None = None
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        match event.fact:
            case Asked(step) as asked:
                again = 0
                if (earlier := self._steps.pop(step, None)) is not None:  # asked again, or gone back to
                    again = earlier.again + 1
                    self._end(earlier, event.at_ns, None)
                self._steps[step] = _Step(asked, event.at_ns, again)
            case Replied(step) as replied if step in self._steps:
                self._steps[step].replied_ns, self._steps[step].replied = event.at_ns, replied
                for moment in delivery_moments(replied, event.at_ns):
                    told = tuple(moment.attributes.items())
                    self._steps[step].noted.append(SpanEvent(moment.at_ns, DELIVERY, told))
            case Printed(_, stream, text, int(step)) if step in self._steps:
                line = (("stream", stream), ("text", text))
                self._steps[step].noted.append(SpanEvent(event.at_ns, "printed", line))
            case Resolved(step) as resolved if step in self._steps:
                self._end(self._steps.pop(step), event.at_ns, resolved)
            case Ended(result):
                self._result, self._end_ns = result, event.at_ns
            case _:
                pass

    def _end(self, step: _Step, now_ns: int, resolved: Resolved | None) -> None:
        end_ns = step.replied_ns if step.replied_ns is not None else now_ns
        error = None if resolved is None else self._names.step_error(resolved)
        self._ended.append(self._step(step, end_ns, error, resolved))

    def _step(self, step: _Step, end_ns: int | None, error: str | None, resolved: Resolved | None) -> FactSpan:
        name, attributes = self._names.step_span(step.asked)
        known: dict[str, str | int | float | bool] = dict(attributes)
        if resolved is not None and step.replied is not None:
            known |= self._names.step_outcome(step.replied.outcome, resolved)
        again = f".{step.again}" if step.again else ""
        return FactSpan(
            f"{self._id}/{step.asked.step}{again}",
            self._id,
            name,
            step.at_ns,
            end_ns,
            tuple(known.items()),
            scope=self._names.scope,
            error=error,
            hook=_step_hook(self._opened.chain.point, step.asked, resolved, is_running=end_ns is None),
            noted=tuple(sorted(step.noted, key=lambda each: each.time_ns)),
        )

    def spans(self) -> list[FactSpan]:
        if self._result is not None and self._result.ending is Ending.REFUSED:
            return []
        name, attributes = self._names.dispatch_span(self._opened)
        error = None if self._result is None else self._names.dispatch_error(self._result)
        running = [self._step(step, step.replied_ns, None, None) for step in self._steps.values()]
        own = FactSpan(
            self._id,
            self._opened.parent,
            name,
            self._start_ns,
            self._end_ns,
            tuple(attributes.items()),
            scope=self._names.scope,
            error=error,
            hook=_dispatch_hook(self._opened.chain.point, self._result),
        )
        return [own, *sorted([*self._ended, *running], key=lambda each: each.start_ns)]


def _step_hook(point: str, asked: Asked, resolved: Resolved | None, *, is_running: bool) -> Hook:
    seat = asked.subscription
    mode = asked.phase or seat.mode
    unresolved = SeatState.RUNNING if is_running else SeatState.SKIPPED  # asked again: this one does not count
    state = unresolved if resolved is None else _STATES[resolved.status]
    look = LOOKS[state]
    timeout_ms = asked.timeout_ms
    return Hook(
        point,
        seat.name,
        mode,
        badge_of(mode),
        str(state) if resolved is not None or is_running else "asked again",
        look.glyph,
        look.emphasis,
        None if timeout_ms is None else timeout_ms * NS_PER_MS,
        "" if resolved is None else resolved.why,
        "" if resolved is None else resolved.rule,
        is_error=state in (SeatState.ERROR, SeatState.TIMED_OUT),
        is_timeout=state is SeatState.TIMED_OUT,
        is_changed=state is SeatState.CHANGED,
        is_denied=state is SeatState.DENIED,
    )


def _dispatch_hook(point: str, result: Result | None) -> Hook:
    if result is None:
        look = LOOKS[SeatState.RUNNING]
        return Hook(point, word=str(SeatState.RUNNING), glyph=look.glyph, emphasis=look.emphasis)
    is_over_badly = result.ending is not Ending.FINISHED
    state = SeatState.ERROR if is_over_badly else _STATES[result.status]
    look = LOOKS[state]
    return Hook(
        point,
        word=str(result.ending) if is_over_badly else result.decision,
        glyph=look.glyph,
        emphasis=look.emphasis,
        why=result.error,
        rule=result.rule,
        is_error=is_over_badly or result.status in (StepStatus.ERROR, StepStatus.TIMED_OUT),
        is_timeout=result.status is StepStatus.TIMED_OUT,
        is_changed=result.status is StepStatus.CHANGED,
        is_denied=result.status is StepStatus.DENIED,
    )
