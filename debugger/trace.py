"""Dispatches as they are shown: facts folded into one frozen value for each dispatch, and one for each stretch of a
host's own work around them. Pure, and the only such fold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Left,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Steered,
)
from kernel.values import JSON, Outcome, Payload, Result, Subscription


@dataclass(frozen=True, slots=True)
class StepTrace:
    """What is known of one seat in the chain."""

    step: int
    subscription: Subscription
    given: Payload | None = None
    """The payload it was asked about; None until it is asked."""
    request: bytes = b""
    timeout_ms: int | None = None
    asked_at_ns: int | None = None
    replied_at_ns: int | None = None
    took_ns: int | None = None
    """Nanoseconds between question and answer."""
    outcome: Outcome | None = None
    """What counts: its own, or what whoever steers put in its place."""
    replaced: Outcome | None = None
    """Its own, where another one counts."""
    verdict: Resolved | None = None
    raised: tuple[Raised, ...] = ()
    edited: Changed | None = None
    """What whoever steers changed before it was asked."""
    changed: Changed | None = None
    """What it changed itself."""
    steered: tuple[Steered, ...] = ()
    printed: tuple[Printed, ...] = ()
    not_reached: NotReached | None = None

    @property
    def is_running(self) -> bool:
        return self.asked_at_ns is not None and self.replied_at_ns is None


@dataclass(frozen=True, slots=True)
class DispatchTrace:
    """What is known of one dispatch."""

    id: str
    number: int
    """Counts the dispatches of this trace from 1."""
    opened: Opened
    opened_at_ns: int
    steps: tuple[StepTrace, ...]
    """One for each seat in the chain, asked or not."""
    result: Result | None = None
    ended_at_ns: int | None = None

    @property
    def point(self) -> str:
        return self.opened.chain.point

    @property
    def payload(self) -> Payload:
        """The chain's payload as of the last fact."""
        for step in reversed(self.steps):
            for change in (step.changed, step.edited):
                if change is not None:
                    return change.after
        return self.opened.payload

    @property
    def changes(self) -> tuple[Changed, ...]:
        """Every change of the payload, in order: by people and by subscribers."""
        return tuple(change for step in self.steps for change in (step.edited, step.changed) if change is not None)

    @property
    def took_ns(self) -> int | None:
        return None if self.ended_at_ns is None else self.ended_at_ns - self.opened_at_ns


@dataclass(frozen=True, slots=True)
class StretchTrace:
    """What is known of one stretch."""

    id: str
    entered: Entered
    entered_at_ns: int
    contents: tuple[str | Decided, ...] = ()
    """What happened in it, in order of beginning: ids of dispatches and stretches, and its own decisions."""
    left: Left | None = None
    left_at_ns: int | None = None

    @property
    def took_ns(self) -> int | None:
        return None if self.left_at_ns is None else self.left_at_ns - self.entered_at_ns

    @property
    def attributes(self) -> Mapping[str, JSON]:
        """Everything that is known of it by now."""
        return {**self.entered.attributes, **(self.left.attributes if self.left is not None else {})}


def opened(event: Event, fact: Opened, number: int) -> DispatchTrace:
    """The trace of a dispatch of which nothing but its beginning is known."""
    steps = tuple(StepTrace(step, seat) for step, seat in enumerate(fact.chain.subscriptions))
    return DispatchTrace(event.dispatch, number, fact, event.at_ns, steps)


def folded(trace: DispatchTrace, event: Event) -> DispatchTrace:
    """The trace with one more event taken in."""
    match event.fact:
        case Opened():
            return trace
        case Asked(step, _, payload, request, timeout_ms):
            return _with(trace, step, given=payload, request=request, timeout_ms=timeout_ms, asked_at_ns=event.at_ns)
        case Replied(step, outcome, took_ns):
            return _with(trace, step, outcome=outcome, replied_at_ns=event.at_ns, took_ns=took_ns)
        case Steered(step) as steered:
            known = trace.steps[step]
            trace = _with(trace, step, steered=(*known.steered, steered))
            if steered.outcome is None:
                return trace
            return _with(trace, step, outcome=steered.outcome, replaced=known.outcome)
        case Resolved(step) as verdict:
            return _with(trace, step, verdict=verdict)
        case Raised(step) as raised:
            return _with(trace, step, raised=(*trace.steps[step].raised, raised))
        case Changed(step) as change:
            is_own = trace.steps[step].asked_at_ns is not None  # people edit before the question
            return _with(trace, step, **{"changed" if is_own else "edited": change})
        case NotReached(subscription) as missed:
            seat = trace.opened.chain.subscriptions.index(subscription)
            return _with(trace, seat, not_reached=missed)
        case Printed(_, _, _, step) as printed:
            return trace if step is None else _with(trace, step, printed=(*trace.steps[step].printed, printed))
        case Ended(result):
            return replace(trace, result=result, ended_at_ns=event.at_ns)
        case Entered() | Decided() | Left():
            return trace  # about a stretch, not a dispatch
        case never:
            assert_never(never)


def _with(trace: DispatchTrace, step: int, **changes: object) -> DispatchTrace:
    changed = replace(trace.steps[step], **changes)  # type: ignore[arg-type]  # names are those of StepTrace
    return replace(trace, steps=(*trace.steps[:step], changed, *trace.steps[step + 1 :]))


class Trace:
    """Every dispatch seen so far, oldest first, and the stretches around them.

    Keeps at most `most` dispatches, and as many stretches: the oldest finished ones go first, dispatches counted.
    """

    def __init__(self, most: int = 5000) -> None:
        self.dropped = 0
        self._most = most
        self._seen = 0
        self._dispatches: dict[str, DispatchTrace] = {}  # a dict keeps the order of insertion
        self._stretches: dict[str, StretchTrace] = {}

    @property
    def dispatches(self) -> tuple[DispatchTrace, ...]:
        return tuple(self._dispatches.values())

    @property
    def stretches(self) -> tuple[StretchTrace, ...]:
        return tuple(self._stretches.values())

    def find(self, dispatch: str) -> DispatchTrace | None:
        return self._dispatches.get(dispatch)

    def find_stretch(self, stretch: str) -> StretchTrace | None:
        return self._stretches.get(stretch)

    def outermost(self, dispatch: str) -> StretchTrace | None:
        """The stretch around everything that a dispatch belongs to; None for one of its own."""
        known = self._dispatches.get(dispatch)
        found = None
        parent = "" if known is None else known.opened.parent
        while (stretch := self._stretches.get(parent)) is not None:
            found, parent = stretch, stretch.entered.parent
        return found

    def take(self, event: Event) -> None:
        """Take in one event; events of one dispatch, or of one stretch, come in order."""
        match event.fact:
            case Opened() as fact:
                self._seen += 1
                self._dispatches[event.dispatch] = opened(event, fact, self._seen)
                self._put_into(fact.parent, event.dispatch)
                if len(self._dispatches) > self._most:
                    self._drop_oldest_finished()
            case Entered() as fact:
                self._stretches[event.dispatch] = StretchTrace(event.dispatch, fact, event.at_ns)
                self._put_into(fact.parent, event.dispatch)
                if len(self._stretches) > self._most:
                    self._drop_oldest_left()
            case Decided() as fact:
                self._put_into(event.dispatch, fact)
            case Left() as fact:
                if (stretch := self._stretches.get(event.dispatch)) is not None:
                    self._stretches[event.dispatch] = replace(stretch, left=fact, left_at_ns=event.at_ns)
            case _:
                if (known := self._dispatches.get(event.dispatch)) is not None:
                    self._dispatches[event.dispatch] = folded(known, event)

    def _put_into(self, stretch: str, content: str | Decided) -> None:
        if (known := self._stretches.get(stretch)) is not None:
            self._stretches[stretch] = replace(known, contents=(*known.contents, content))

    def _drop_oldest_finished(self) -> None:
        for dispatch in self._dispatches.values():
            if dispatch.result is not None:
                del self._dispatches[dispatch.id]
                self.dropped += 1
                return

    def _drop_oldest_left(self) -> None:
        for stretch in self._stretches.values():
            if stretch.left is not None:
                del self._stretches[stretch.id]
                return
