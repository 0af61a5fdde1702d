"""What a session looks like from outside, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from debugger.breakpoints import Breakpoint, Side
from debugger.runcontrol import RunState
from kernel.asking import Question
from kernel.faults import Fault
from kernel.host import Health
from kernel.transports.callback_threads import Stuck
from kernel.values import Answered, Ask, Payload, Subscription
from kernel.walk import Walk

SeatKey: TypeAlias = tuple[str, str, str]
"""Name, point and mode of a seat: what stays the same from one dispatch to the next."""


def key_of(seat: Subscription) -> SeatKey:
    """What a seat is known by."""
    return seat.name, seat.point, seat.mode


@dataclass(frozen=True, slots=True)
class Hold:
    """A step that is being held."""

    dispatch: str
    step: int
    subscriber: str
    side: Side
    since_ns: int
    """On the session's clock, as `elapsed_ns` counts."""
    ask: Ask
    answer: Answered | None
    """What the subscriber answered, when held after it did."""
    edited: Payload | None = None
    """The payload that it will go on with, once somebody edited it."""
    edited_answer: Answered | None = None
    walk: Walk | None = None
    """Where the dispatch stands there."""
    undoable: int = 0
    """How many edits can be taken back."""

    @property
    def is_edited(self) -> bool:
        """Whether it will go on with something that somebody edited."""
        return self.edited is not None or self.edited_answer is not None

    @property
    def judged_answer(self) -> Answered | None:
        """The answer that will be judged when it goes on."""
        return self.edited_answer or self.answer


@dataclass(frozen=True, slots=True)
class SetBreakpoint:
    """A breakpoint that is set."""

    number: int
    breakpoint: Breakpoint
    hits: int = 0
    """How often its filter held, whether or not that was enough."""
    seats: frozenset[SeatKey] = frozenset()
    """Where it is going to hold, as far as that follows from the chains alone."""


class Only(StrEnum):
    """Which of the calls that an armed fault is meant for."""

    EVERY = "every"
    FIRST = "the first"
    """The first `number` of them."""
    NTH = "number"
    """The one of this number, from 1."""


@dataclass(frozen=True, slots=True)
class When:
    """Which calls a fault befalls, of those that fit where it is armed."""

    only: Only = Only.EVERY
    number: int = 1
    chance: float = 1.0
    """From 0 to 1, drawn for each call by itself."""
    seed: int = 0
    """The same seed draws the same, call by call."""

    def __str__(self) -> str:
        words = {
            Only.EVERY: "every call",
            Only.NTH: f"call {self.number}",
            Only.FIRST: f"first {self.number} calls",
        }
        which = "next call" if self == ONCE else words[self.only]
        return which if self.chance >= 1 else f"{which}, {self.chance * 100:g} %, seed {self.seed}"


ONCE: Final = When(Only.FIRST)


@dataclass(frozen=True, slots=True)
class ArmedFault:
    """Trouble that waits for whoever fits a filter."""

    where: str
    fault: Fault
    when: When = ONCE
    seats: frozenset[SeatKey] = frozenset()
    """Those that it is meant for, as far as that follows from the chains alone."""
    calls: int = 0
    """How many calls fitted so far."""
    hits: int = 0

    def befalls(self, seat: Subscription) -> bool:
        """Whether it is meant for this seat, as far as the seat alone can tell."""
        return key_of(seat) in self.seats

    @property
    def is_spent(self) -> bool:
        """Whether no call can come that it befalls."""
        return self.when.only is not Only.EVERY and self.calls >= self.when.number


@dataclass(frozen=True, slots=True)
class Asking:
    """A question that waits for a person."""

    number: int
    question: Question
    dispatch: str = ""
    """The dispatch whose result asks it; empty for a question of a played session."""


@dataclass(frozen=True, slots=True)
class SessionView:
    """What a session looks like from outside, at one moment."""

    states: Mapping[str, RunState] = field(default_factory=lambda: MappingProxyType({}))
    """Of the dispatches that are not finished."""
    holds: tuple[Hold, ...] = ()
    breakpoints: tuple[SetBreakpoint, ...] = ()
    are_breakpoints_on: bool = True
    """Whether any of them holds, or tells, anything."""
    skipping: frozenset[SeatKey] = frozenset()
    """Seats that are left out until somebody takes them back in."""
    release_after_s: float | None = None
    """After how long a hold lets go by itself; None = never."""
    armed: tuple[ArmedFault, ...] = ()
    health: tuple[Health, ...] = ()
    stuck: tuple[Stuck, ...] = ()
    """Callables that have been running for long, the longest first."""
    is_started: bool = False
    askings: tuple[Asking, ...] = ()
    """Questions that nobody has answered yet."""
    is_playing: bool = False
    """Whether a described session is being played."""
    does_time_run: bool = False
    """Whether deadlines go on passing while a person holds a dispatch."""

    def breakpoint_like(self, breakpoint: Breakpoint) -> SetBreakpoint | None:
        """The one that is set with the same words."""
        return next((each for each in self.breakpoints if each.breakpoint == breakpoint), None)

    def has_breakpoint(self, seat: Subscription) -> bool:
        """Whether a breakpoint is known to concern a seat."""
        if not self.are_breakpoints_on:
            return False
        key = key_of(seat)
        return any(key in each.seats for each in self.breakpoints if each.breakpoint.is_on)

    def hold_of(self, dispatch: str, step: int | None = None) -> Hold | None:
        """The hold of this step, or the first of the dispatch."""
        for hold in self.holds:
            if hold.dispatch == dispatch and step in (None, hold.step):
                return hold
        return None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person should be told, in a sentence."""

    text: str
    is_trouble: bool = False
