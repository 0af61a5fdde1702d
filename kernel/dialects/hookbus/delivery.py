"""A delivery as a value: every handler gets the events one after the other, on its own, and nothing that it answers
counts (spec 2.10)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel.dialects.hookbus.kinds import Kind
from kernel.dialects.hookbus.matching import missed
from kernel.dialects.hookbus.outcome import UNSPECIFIED, broken
from kernel.dialects.hookbus.payload import Delivery, HookEvent
from kernel.dialects.hookbus.resolve import Trouble, Verdict, is_panic
from kernel.dialects.hookbus.traits import Traits
from kernel.dialects.hookbus.walk import ask_for, not_reached, restarted, told_of, unwanted
from kernel.errors import BadInput
from kernel.facts import Changed, Decided, Fact, NotReached
from kernel.values import (
    Ask,
    Cancelled,
    Chain,
    Crashed,
    Effect,
    Ending,
    Failed,
    Outcome,
    Payload,
    Result,
    Skipped,
    Status,
    TimedOut,
)


@dataclass(frozen=True, slots=True)
class Sequence:
    """What one handler is still to get."""

    place: int
    """Place of its record in the chain."""
    events: tuple[HookEvent, ...]
    """From the one that it is asked about now on."""
    asked: int = 0
    """How many it has been asked about before."""
    edited: HookEvent | None = None
    """What whoever steers put in the place of the event that it is asked about now."""


@dataclass(frozen=True, slots=True)
class DeliveryWalk:
    """Where one delivery stands.

    The first event of a handler has the place of its record as its step; each further one has the next number with the
    same remainder by the number of records.
    """

    chain: Chain
    payload: Delivery | HookEvent
    kind: Kind
    traits: Traits
    sequences: tuple[Sequence, ...] = ()
    """One for every handler that is not done, in order of registration."""
    rule: str = "HB-NOTIFY-END"
    failure: str = ""
    """Why the caller gave up, once it has."""
    result: Result | None = None
    asks: tuple[Ask, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.result is not None:
            return
        if not self.sequences:
            object.__setattr__(self, "result", self._over())
        object.__setattr__(self, "asks", tuple(self._ask(each) for each in self.sequences))

    def _over(self) -> Result:
        if self.failure:
            return broken(Ending.CANCELLED, self.payload, f"cancelled: {self.failure}", "HB-CANCELLED")
        return Result(Ending.FINISHED, self.payload, UNSPECIFIED, rule=self.rule)

    def _ask(self, sequence: Sequence) -> Ask:
        step = sequence.place + sequence.asked * len(self.chain.subscriptions)
        event = sequence.events[0] if sequence.edited is None else sequence.edited
        return ask_for(self.chain, sequence.place, event, self.traits, step)

    def after(self, ask: Ask, outcome: Outcome) -> tuple[DeliveryWalk, tuple[Fact, ...]]:
        """The walk with this handler at its next event, or done."""
        place = ask.step % len(self.chain.subscriptions)
        sequence = next(each for each in self.sequences if each.place == place)
        rest = sequence.events[1:]
        verdict = _verdict(ask, outcome, unsent=len(rest))
        if isinstance(outcome, TimedOut | Cancelled):
            rest = ()
        going_on = (Sequence(place, rest, sequence.asked + 1),) if rest else ()
        failure = outcome.reason if isinstance(outcome, Cancelled) else self.failure
        sequences = tuple(now for each in self.sequences for now in (going_on if each.place == place else (each,)))
        return replace(self, sequences=sequences, failure=failure), (*restarted(ask, outcome), *told_of(ask, verdict))

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[DeliveryWalk, tuple[Fact, ...]]:
        """The walk with another event for one handler, in the place of the one that it is asked about now."""
        if isinstance(payload, Delivery) and len(payload.events) == 1:
            [payload] = payload.events
        if not isinstance(payload, HookEvent) or payload.kind != self.kind.name:
            raise BadInput(f"one event of {self.kind.name} is needed here")
        if payload == ask.payload:
            return self, ()
        if (why := missed(ask.subscription.options, payload)) is not None:
            raise BadInput(f"{ask.subscription.name!r} is not called for such an event because of {why.because_of}")
        place = ask.step % len(self.chain.subscriptions)
        sequences = tuple(replace(each, edited=payload) if each.place == place else each for each in self.sequences)
        assert isinstance(ask.payload, HookEvent), "asks of this walk carry events"
        return replace(self, sequences=sequences), (Changed(ask.step, by, ask.payload, payload, "HB-EDITED"),)


def begin_delivery(
    chain: Chain, payload: Delivery | HookEvent, kind: Kind, traits: Traits
) -> tuple[DeliveryWalk, tuple[Fact, ...]]:
    """The walk before anybody was asked."""
    if traits.worker_view:
        missing = not_reached(chain.subscriptions, "the view of a worker", "HB-NOTIFY-WORKER")
        return DeliveryWalk(chain, payload, kind, traits, rule="HB-NOTIFY-WORKER"), missing
    facts: list[Fact] = []
    events = []
    for place, event in enumerate(payload.events if isinstance(payload, Delivery) else (payload,)):
        if event.kind == kind.name:
            events.append(event)
            continue
        why = f"it is one of {event.kind} in a delivery of {kind.name}"
        facts.append(Decided(f"event {place + 1}", "not sent", "bus", "HB-NOTIFY-OTHER-KIND", why))
    sequences = []
    for place, seat in enumerate(chain.subscriptions):
        wanted = tuple(event for event in events if missed(seat.options, event) is None)
        if wanted:
            sequences.append(Sequence(place, wanted))
        elif events:
            why_not = unwanted(seat, events[0], kind, traits)
            assert why_not is not None, "it wants none of them"
            facts.append(why_not)
        else:
            facts.append(NotReached(seat, "an empty delivery", "HB-NOTIFY-NOTHING"))
    rule = "HB-NOTIFY-NOBODY" if not chain.subscriptions else "HB-NOTIFY-END" if events else "HB-NOTIFY-NOTHING"
    return DeliveryWalk(chain, payload, kind, traits, tuple(sequences), rule), tuple(facts)


def _verdict(ask: Ask, outcome: Outcome, unsent: int) -> Verdict:
    """What becomes of one event at one handler; the others never hear of it."""
    match outcome:
        case TimedOut(after_ms):
            why = f"{unsent} further events are not sent to it: no answer after {after_ms:.0f} ms"
            trouble = Trouble("notify_cut", why, "HB-NOTIFY-CUT")
            return Verdict(Status.TIMED_OUT, Effect.CONTINUE, trouble.rule, why, troubles=(trouble,))
        case Failed(code, message):
            category = "panic" if is_panic(ask.subscription, code) else "call_failed"
            return _lost(category, f"it failed with {code}: {message}")
        case Crashed(message):
            return _lost("call_failed", f"its process is gone: {message}")
        case Skipped(by):
            return Verdict(Status.SKIPPED, Effect.CONTINUE, "HB-SKIPPED", f"left out by {by}")
        case Cancelled(reason):
            return Verdict(Status.CANCELLED, Effect.ABORT, "HB-CANCELLED", f"the caller gave up: {reason}")
        case _:
            why = "it had its say, and whatever it says to a notification is ignored"
            return Verdict(Status.OK, Effect.CONTINUE, "HB-NOTIFY-IGNORED", why)


def unsent_of(message: str) -> int:
    """How many events a handler did not get, out of the warning that it was cut off."""
    return int(message.partition(" ")[0])


def _lost(category: str, why: str) -> Verdict:
    trouble = Trouble(category, why, "HB-NOTIFY-LOST")
    return Verdict(Status.ERROR, Effect.CONTINUE, trouble.rule, f"{why}; only this event is lost", troubles=(trouble,))
