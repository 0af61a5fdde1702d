"""Exact replay: every fact of a recorded dispatch told anew by the walk, from what was recorded of calls and people."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from debugger.fact_json import to_json
from kernel.amending import Amended, attributed
from kernel.dialect import Dialect, thrown
from kernel.errors import BadInput
from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Fact,
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
from kernel.values import JSON, Ask, Cancelled, Outcome, Skipped
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first place where this version of the kernel tells something else than what was recorded."""

    dispatch: str
    number: int
    """Of the recorded event."""
    recorded: JSON
    now: JSON
    """None where it has nothing more to tell."""


def replay(events: Sequence[Event], dialect: Dialect) -> tuple[tuple[Event, ...], Divergence | None]:
    """The events of one dispatch told anew, up to where they part, and where that is."""
    told: list[Event] = []
    replaying = _Replay(dialect)
    for place, event in enumerate(events):
        try:
            fact = replaying.fact(event, events[place + 1 :])
        except BadInput as error:
            return tuple(told), Divergence(event.dispatch, event.number, to_json(event, dialect), error.message)
        now = Event(event.dispatch, event.number, event.at_ns, fact) if fact is not None else None
        if now is None or now.fact != event.fact:
            shown = None if now is None else to_json(now, dialect)
            return tuple(told), Divergence(event.dispatch, event.number, to_json(event, dialect), shown)
        told.append(now)
    return tuple(told), None


@dataclass(slots=True)
class _Replay:
    """One dispatch on its way through its own record."""

    dialect: Dialect
    walk: Walk | None = None
    due: deque[Fact] = field(default_factory=deque)
    """What the walk has said and the record has not come to yet."""
    outcomes: dict[int, Outcome] = field(default_factory=dict)
    amended: dict[int, Amended] = field(default_factory=dict)
    """Steps for which somebody else gave the outcome."""
    kept: dict[int, tuple[Walk, tuple[Fact, ...]]] = field(default_factory=dict)
    """Where it stood before the event of each number."""

    def fact(self, event: Event, later: Sequence[Event]) -> Fact | None:
        """What is told now in the place of a recorded fact; None for nothing at all."""
        recorded = event.fact
        if self.walk is not None:
            self.kept[event.number] = (self.walk, tuple(self.due))
        match recorded:
            case Opened(_, chain, payload, switches=switches):
                self._take(thrown(self.dialect, switches).open(chain, payload))
                return recorded
            case Asked(step):
                return self._asked(step)
            case Replied(step, outcome):
                self.outcomes[step] = outcome
                return recorded
            case Steered() as steered:
                if steered.fault is not None and steered.fault.draw is not None and not steered.fault.draw.is_hit:
                    return None  # chance would not have chosen this call
                self._steered(steered, later)
                return recorded
            case Rewound(since):
                self.amended.clear()
                self.walk, due = self.kept[since]
                self.due = deque(due)
                return recorded
            case Resolved(step) | Raised(step):
                if not self.due:
                    self._resolve(step)
                return self._next_due()
            case Changed() | NotReached():
                return self._next_due()
            case Ended():
                now = None if self.walk is None else self.walk.result
                return None if self.due or now is None else Ended(now)
            case Printed() | Late() | Decided() | Entered() | Left():
                return recorded

    def _asked(self, step: int) -> Fact | None:
        ask = self._ask(step)
        if ask is None:
            return None
        return Asked(step, ask.subscription, ask.payload, ask.request, ask.timeout_ms, ask.phase)

    def _ask(self, step: int) -> Ask | None:
        asks: Iterable[Ask] = () if self.walk is None else self.walk.asks
        return next((ask for ask in asks if ask.step == step), None)

    def _steered(self, steered: Steered, later: Sequence[Event]) -> None:
        if steered.outcome is not None:
            own = None if steered.step in self.amended else self.outcomes.get(steered.step)
            self.amended[steered.step] = Amended(steered.by, own)
            self.outcomes[steered.step] = steered.outcome
        elif steered.what == "answered":
            self.amended[steered.step] = Amended(steered.by)
        elif steered.what == "asked again":
            self.amended.pop(steered.step, None)
        elif steered.what == "skipped":
            self.outcomes[steered.step] = Skipped(steered.by)
        elif steered.what == "stopped":
            self.outcomes[steered.step] = Cancelled(steered.detail or f"stopped by {steered.by}")
        elif steered.what == "edited payload":
            change = next((event.fact for event in later if isinstance(event.fact, Changed)), None)
            ask = self._ask(steered.step)
            if change is not None and ask is not None and self.walk is not None and change.step == steered.step:
                self._take(self.walk.edited(ask, change.after, steered.by))

    def _resolve(self, step: int) -> None:
        """Have the walk take what this step came to, and then the others: a walk may speak of one when all are done."""
        for each in (step, *self.outcomes):
            ask = self._ask(each)
            if self.due or self.walk is None:
                return
            if ask is not None:  # without an outcome nobody was asked: the caller had given up
                outcome = self.outcomes.get(each) or Cancelled(_reason_of(self.outcomes))
                self._take(self._resolved(self.walk, ask, outcome))

    def _resolved(self, walk: Walk, ask: Ask, outcome: Outcome) -> tuple[Walk, tuple[Fact, ...]]:
        after, facts = walk.after(ask, outcome)
        amended = self.amended.pop(ask.step, None)
        return after, facts if amended is None else attributed(facts, walk, ask, amended)

    def _take(self, moved: tuple[Walk, tuple[Fact, ...]]) -> None:
        self.walk, facts = moved
        self.due.extend(facts)

    def _next_due(self) -> Fact | None:
        return self.due.popleft() if self.due else None


def _reason_of(outcomes: dict[int, Outcome]) -> str:
    """Why the caller gave up, as far as another step knows."""
    return next((each.reason for each in reversed(outcomes.values()) if isinstance(each, Cancelled)), "")
