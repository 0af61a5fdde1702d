"""Standing somewhere in what was told of a recorded dispatch: fact by fact, or played. No Textual, no clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from debugger.trace import DispatchTrace, Trace
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

NS_PER_S: Final = 1_000_000_000
SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
LEAST_S, MOST_S = 0.2, 2.0
"""Between two facts when they are played: what was shorter is stretched, what was longer is cut, then the speed counts.
Chains are over within a millisecond, and people pause for hours.
"""


@dataclass(frozen=True, slots=True)
class Scrub:
    """Where one stands in one dispatch."""

    dispatch: str
    events: tuple[Event, ...]
    told: int
    """How many of them are told by now, from 1: without its beginning there is nothing to see."""
    is_playing: bool = False
    speed: float = 1.0

    @property
    def is_at_start(self) -> bool:
        return self.told <= 1

    @property
    def is_at_end(self) -> bool:
        return self.told >= len(self.events)

    @property
    def last(self) -> Event:
        """The one that was told last."""
        return self.events[self.told - 1]

    @property
    def now_ns(self) -> int:
        """The present on the dispatch's clock, as of the last fact."""
        return self.last.at_ns

    @property
    def step(self) -> int | None:
        """Whose step the last fact is about; None where it is about the dispatch."""
        found = getattr(self.last.fact, "step", None)
        return found if isinstance(found, int) else None

    @property
    def wait_s(self) -> float:
        """Seconds until the next fact is told while it plays; 0 at the end."""
        if self.is_at_end:
            return 0.0
        return paced((self.events[self.told].at_ns - self.now_ns) / NS_PER_S, self.speed)

    def moved(self, by: int) -> Scrub:
        """So many facts on, or back; never beyond an end."""
        return self.to(self.told + by)

    def to(self, told: int) -> Scrub:
        """As of so many facts; never beyond an end."""
        return replace(self, told=max(1, min(told, len(self.events))))

    def to_seam(self, by: int) -> Scrub:
        """To where the next (by = 1) subscriber is asked, or the one before was; else to the end, or the start."""
        place = self.told + by
        while 1 < place < len(self.events) and not isinstance(self.events[place - 1].fact, Asked):
            place += by
        return self.to(place)

    def faster(self, by: int) -> Scrub:
        """At another speed: the next of those there are, as far as there are any."""
        place = SPEEDS.index(self.speed) + by
        return replace(self, speed=SPEEDS[max(0, min(place, len(SPEEDS) - 1))])

    def playing(self, is_playing: bool) -> Scrub:
        return replace(self, is_playing=is_playing)


def paced(gap_s: float, speed: float) -> float:
    """Seconds that a gap lasts when it is played."""
    return max(LEAST_S, min(gap_s, MOST_S)) / speed


class Reel:
    """Folds what is told at each place of a scrub; forwards it costs one fact, backwards all of them again."""

    def __init__(self) -> None:
        self._events: Sequence[Event] = ()
        self._told = 0
        self._trace = Trace()
        self._shown: tuple[int, DispatchTrace] | None = None

    def at(self, scrub: Scrub, full: DispatchTrace) -> DispatchTrace:
        """The dispatch as of there; `full` is all of it, for its number and whatever else its own facts do not say."""
        if scrub.is_at_end:
            return full
        if scrub.events is not self._events or scrub.told < self._told:
            self._events, self._told, self._trace = scrub.events, 0, Trace()
            self._shown = None
        for event in scrub.events[self._told : scrub.told]:
            self._trace.take(event)
        self._told = scrub.told
        if self._shown is None or self._shown[0] != scrub.told:
            found = self._trace.find(scrub.dispatch)
            assert found is not None, "the first fact is its beginning"
            self._shown = scrub.told, replace(found, number=full.number, fork_of=full.fork_of)
        return self._shown[1]


def in_words(fact: Fact) -> str:
    """What a fact says, in a few words for the line on top."""
    match fact:
        case Opened():
            return "opened"
        case Asked(_, subscription):
            return f"{subscription.name} is asked"
        case Replied(_, outcome):
            return type(outcome).__name__.lower()
        case Steered(what=what, by=by):
            return f"{what} by {by}"
        case Rewound():
            return "gone back"
        case Resolved(_, subscription, status):
            return f"{subscription.name}: {status}"
        case Changed(by=by):
            return f"changed by {by}"
        case Raised(category=category):
            return f"raised {category}"
        case NotReached(subscription):
            return f"{subscription.name} is not reached"
        case Printed(subscriber):
            return f"{subscriber} prints"
        case Late(_, subscription):
            return f"{subscription.name} answers, too late"
        case Ended():
            return "ended"
        case Decided(decision=decision):
            return f"decided: {decision}"
        case Entered() | Left():
            return ""  # of stretches
