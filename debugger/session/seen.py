"""What a session looks like from outside, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from debugger.runcontrol import Breakpoint, RunState, Side
from kernel.asking import Question
from kernel.faults import Fault
from kernel.host import Health
from kernel.values import Answered, Ask, Payload, Subscription


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


@dataclass(frozen=True, slots=True)
class ArmedFault:
    """Trouble that waits for a subscriber in one of its modes."""

    subscriber: str
    mode: str
    fault: Fault
    is_once: bool
    hits: int = 0

    def befalls(self, seat: Subscription) -> bool:
        """Whether it is meant for this seat."""
        return (self.subscriber, self.mode) == (seat.name, seat.mode)


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
    breakpoints: frozenset[Breakpoint] = frozenset()
    armed: tuple[ArmedFault, ...] = ()
    health: tuple[Health, ...] = ()
    is_started: bool = False
    askings: tuple[Asking, ...] = ()
    """Questions that nobody has answered yet."""
    is_playing: bool = False
    """Whether a described session is being played."""
    does_time_run: bool = False
    """Whether deadlines go on passing while a person holds a dispatch."""

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
