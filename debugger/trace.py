"""Dispatches as they are shown: facts folded into one frozen value for each dispatch, and one for each stretch of a
host's own work around them. Pure, and the only such fold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Late,
    Left,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Rewound,
    Steered,
)
from kernel.values import JSON, Answered, Crashed, Delivery, Failed, Outcome, Payload, Result, Subscription


@dataclass(frozen=True, slots=True)
class StepTrace:
    """What is known of one step: of a seat in the chain, or of a further question to whoever sits there."""

    step: int
    subscription: Subscription
    phase: str = ""
    """What it is asked for, once it is asked, in dialects that ask one subscriber more than one thing."""
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
    amended: Changed | None = None
    """What whoever steers made of its answer, or answered in its place."""
    late: tuple[Late, ...] = ()
    """What it answered when nobody waited any more."""

    @property
    def changes(self) -> tuple[Changed, ...]:
        """Every change of the payload here, in order."""
        return tuple(change for change in (self.edited, self.changed, self.amended) if change is not None)

    @property
    def made(self) -> Payload | None:
        """The payload that its answer came to, as it counts; None where that changed nothing."""
        change = self.amended or self.changed
        return None if change is None else change.after

    @property
    def is_edited(self) -> bool:
        """Whether somebody else's hand is in what it was asked, or in what counts as its answer."""
        return self.edited is not None or self.amended is not None or self.replaced is not None

    @property
    def deliveries(self) -> tuple[Delivery, ...]:
        """Every handing over of the question, where it happened more than once; empty where it did not."""
        own = self.outcome if self.replaced is None else self.replaced
        found = own.deliveries if isinstance(own, Answered | Failed | Crashed) else ()
        return found if len(found) > 1 else ()

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
    """By number: one for each seat in the chain, asked or not, then whatever else was asked."""
    result: Result | None = None
    ended_at_ns: int | None = None
    contents: tuple[str, ...] = ()
    """What happened because of it, in order of beginning: ids of dispatches and stretches."""
    decided: tuple[Decided, ...] = ()
    """What the host then did."""
    rewinds: int = 0
    """How often whoever steers went back."""
    rewound_to: int | None = None
    """The step that came next the last time; None where nobody went back, or several came next."""
    fork_of: int | None = None
    """Number of the dispatch that this is a fork of, where this trace has it."""

    def step(self, number: int) -> StepTrace:
        """The step of this number; raises KeyError."""
        return self.steps[_place(self, number)]

    @property
    def point(self) -> str:
        return self.opened.chain.point

    @property
    def payload(self) -> Payload:
        """The chain's payload as of the last fact."""
        return next((step.changes[-1].after for step in reversed(self.steps) if step.changes), self.opened.payload)

    @property
    def changes(self) -> tuple[Changed, ...]:
        """Every change of the payload, in order: by people and by subscribers."""
        return tuple(change for step in self.steps for change in step.changes)

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
        case Asked(step, subscription, payload, request, timeout_ms, phase):
            at_ns = event.at_ns
            trace = _with_room(trace, step, subscription)
            unanswered = {"outcome": None, "replaced": None, "replied_at_ns": None, "took_ns": None}  # if asked again
            given = {"given": payload, "request": request, "timeout_ms": timeout_ms, "asked_at_ns": at_ns}
            return _with(trace, step, phase=phase, **given, **unanswered)
        case Replied(step, outcome, took_ns):
            return _with(trace, step, outcome=outcome, replied_at_ns=event.at_ns, took_ns=took_ns)
        case Steered(step) as steered:
            trace = _with_room(trace, step, steered.subscription)
            known = trace.step(step)
            trace = _with(trace, step, steered=(*known.steered, steered))
            if steered.outcome is None:
                return trace
            return _with(trace, step, outcome=steered.outcome, replaced=known.outcome)
        case Resolved(step, subscription) as verdict:
            return _with(_with_room(trace, step, subscription), step, verdict=verdict)
        case Raised(step, subscription) as raised:
            trace = _with_room(trace, step, subscription)
            return _with(trace, step, raised=(*trace.step(step).raised, raised))
        case Changed(step) as change:
            return _with(trace, step, **{_kind_of(change, trace.step(step)): change})
        case NotReached(subscription) as missed:
            seat = _seat_of(trace, subscription)
            return _with(trace, seat, not_reached=missed)
        case Printed(_, _, _, step) as printed:
            return trace if step is None else _with(trace, step, printed=(*trace.step(step).printed, printed))
        case Late(step) as late:
            return _with(trace, step, late=(*trace.step(step).late, late))
        case Ended(result):
            return replace(trace, result=result, ended_at_ns=event.at_ns)
        case Decided() as decided:
            return replace(trace, decided=(*trace.decided, decided))
        case Entered() | Left() | Rewound():
            return trace  # about a stretch; or about events that were folded already, see Trace.take
        case never:
            assert_never(never)


def _kind_of(change: Changed, step: StepTrace) -> str:
    """Which of the three changes of a step one is: they come in this order, and people edit before the question."""
    if step.asked_at_ns is None:
        return "edited"
    return "amended" if change.by != step.subscription.name or step.changed is not None else "changed"


def _seat_of(trace: DispatchTrace, subscription: Subscription) -> int:
    """The place of a subscription that was not reached; of equal ones the first that nothing is known of."""
    seats = [place for place, seat in enumerate(trace.opened.chain.subscriptions) if seat == subscription]
    untold = (place for place in seats if trace.step(place).not_reached is None and trace.step(place).verdict is None)
    return next(untold, seats[0])


def _place(trace: DispatchTrace, number: int) -> int:
    """Where the step of this number stands: at its number as long as there are seats."""
    if number < len(trace.opened.chain.subscriptions):
        return number
    for place in range(len(trace.opened.chain.subscriptions), len(trace.steps)):
        if trace.steps[place].step == number:
            return place
    raise KeyError(number)


def _with_room(trace: DispatchTrace, number: int, subscription: Subscription | None) -> DispatchTrace:
    """The trace with a step of this number: a walk may ask more than its chain has seats."""
    try:
        _place(trace, number)
    except KeyError:
        assert subscription is not None, "whoever tells of a step first says whose it is"
        steps = sorted((*trace.steps, StepTrace(number, subscription)), key=lambda step: step.step)
        return replace(trace, steps=tuple(steps))
    return trace


def _with(trace: DispatchTrace, number: int, **changes: object) -> DispatchTrace:
    place = _place(trace, number)
    changed = replace(trace.steps[place], **changes)  # type: ignore[arg-type]  # names are those of StepTrace
    return replace(trace, steps=(*trace.steps[:place], changed, *trace.steps[place + 1 :]))


class Trace:
    """Every dispatch seen so far, oldest first, and the stretches around them.

    Keeps at most `most` dispatches, and as many stretches: the oldest finished ones go first, dispatches counted.
    """

    def __init__(self, most: int = 5000) -> None:
        self.dropped = 0
        self._most = most
        self._seen = 0
        self._dispatches: dict[str, DispatchTrace] = {}  # a dict keeps the order of insertion
        self._earlier: dict[str, list[DispatchTrace]] = {}
        """Each dispatch under way as it was before each of its events."""
        self._stretches: dict[str, StretchTrace] = {}

    @property
    def dispatches(self) -> Sequence[DispatchTrace]:
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
        found, here = None, dispatch
        while here:
            if (stretch := self._stretches.get(here)) is not None:
                found, here = stretch, stretch.entered.parent
            elif (known := self._dispatches.get(here)) is not None:
                here = known.opened.parent
            else:
                break
        return found

    def take(self, event: Event) -> None:
        """Take in one event; events of one dispatch, or of one stretch, come in order."""
        match event.fact:
            case Opened() as fact:
                self._seen += 1
                self._dispatches[event.dispatch] = self._numbered(opened(event, fact, self._seen))
                self._earlier[event.dispatch] = [self._dispatches[event.dispatch]]
                self._put_into(fact.parent, event.dispatch)
                if len(self._dispatches) > self._most:
                    self._drop_oldest_finished()
            case Entered() as fact:
                self._stretches[event.dispatch] = StretchTrace(event.dispatch, fact, event.at_ns)
                self._put_into(fact.parent, event.dispatch)
                if len(self._stretches) > self._most:
                    self._drop_oldest_left()
            case Decided() as fact if event.dispatch in self._stretches:
                self._put_into(event.dispatch, fact)
            case Left() as fact:
                if (stretch := self._stretches.get(event.dispatch)) is not None:
                    self._stretches[event.dispatch] = replace(stretch, left=fact, left_at_ns=event.at_ns)
            case _:
                if (known := self._dispatches.get(event.dispatch)) is not None:
                    self._dispatches[event.dispatch] = self._folded(known, event)

    def _folded(self, known: DispatchTrace, event: Event) -> DispatchTrace:
        earlier = self._earlier.get(known.id)
        match event.fact:
            case Rewound(since, step=step) if earlier is not None:
                before = earlier[min(since, len(earlier) - 1)]
                now = replace(before, rewinds=known.rewinds + 1, rewound_to=step, contents=known.contents)
            case Ended():
                self._earlier.pop(known.id, None)
                return folded(known, event)
            case _:
                now = folded(known, event)
        if earlier is not None:
            earlier.append(known)
        return now

    def _numbered(self, trace: DispatchTrace) -> DispatchTrace:
        """With the number of the one that it is a fork of."""
        fork = trace.opened.fork
        origin = None if fork is None else self._dispatches.get(fork.dispatch)
        return trace if origin is None else replace(trace, fork_of=origin.number)

    def _put_into(self, around: str, content: str | Decided) -> None:
        if (stretch := self._stretches.get(around)) is not None:
            self._stretches[around] = replace(stretch, contents=(*stretch.contents, content))
        elif (dispatch := self._dispatches.get(around)) is not None and isinstance(content, str):
            self._dispatches[around] = replace(dispatch, contents=(*dispatch.contents, content))

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
