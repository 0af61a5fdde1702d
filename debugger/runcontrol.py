"""Run control as values: which moves are legal when, and where a dispatch is held. Pure; the session acts on it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, assert_never

from debugger.breakpoints.breakpoint import Side
from kernel.control import Seam
from kernel.errors import HookscopeError


class RunState(StrEnum):
    """Where a dispatch stands."""

    IDLE = "idle"
    """Nothing was fired yet."""
    RUNNING = "running"
    """Subscribers are being asked; nobody is in the way."""
    PAUSING = "pausing"
    """A pause is wished for; a subscriber still has the word."""
    PAUSED = "paused"
    """Held at a seam, its clock standing still."""
    FINISHED = "finished"
    """There is a result."""


class Command(StrEnum):
    """What a person may wish."""

    FIRE = "fire"
    PAUSE = "pause"
    STEP = "step"
    """On to the next seam."""
    NEXT = "next"
    """Past this subscriber, to before the next one."""
    FINISH = "finish"
    """To the end of this dispatch, past every breakpoint."""
    CONTINUE = "continue"
    """On until a breakpoint."""
    SKIP = "skip"
    """On without this subscriber."""
    ANSWER = "answer"
    """On with an answer of the person's own."""
    RETRY = "retry"
    """Ask the subscriber that has answered once more."""
    RUN_TO = "run to"
    """On to a subscriber, or to where a filter holds."""
    BACK = "back"
    """To the walk before this one; nobody is asked again to get there."""
    RESTART = "restart"
    """To the first walk of this dispatch."""
    STOP = "stop"
    """End the dispatch without a verdict, the way a caller that gives up would."""


class Happening(StrEnum):
    """What moves a dispatch without anybody's command."""

    HELD = "held"
    ENDED = "ended"


TRANSITIONS: Final[Mapping[RunState, Mapping[Command | Happening, RunState]]] = MappingProxyType(
    {
        RunState.IDLE: {Command.FIRE: RunState.RUNNING},
        RunState.RUNNING: {
            Command.PAUSE: RunState.PAUSING,
            Command.STOP: RunState.RUNNING,
            Happening.HELD: RunState.PAUSED,
            Happening.ENDED: RunState.FINISHED,
        },
        RunState.PAUSING: {
            Command.CONTINUE: RunState.RUNNING,
            Command.STOP: RunState.RUNNING,
            Happening.HELD: RunState.PAUSED,
            Happening.ENDED: RunState.FINISHED,
        },
        RunState.PAUSED: {
            Command.STEP: RunState.RUNNING,
            Command.NEXT: RunState.RUNNING,
            Command.FINISH: RunState.RUNNING,
            Command.CONTINUE: RunState.RUNNING,
            Command.SKIP: RunState.RUNNING,
            Command.ANSWER: RunState.RUNNING,
            Command.RETRY: RunState.RUNNING,
            Command.RUN_TO: RunState.RUNNING,
            Command.BACK: RunState.RUNNING,
            Command.RESTART: RunState.RUNNING,
            Command.STOP: RunState.RUNNING,
            Happening.HELD: RunState.PAUSED,
            Happening.ENDED: RunState.FINISHED,
        },
        RunState.FINISHED: {Command.FIRE: RunState.RUNNING},
    }
)
"""Every legal move; docs/run-states.md is drawn from this table. HELD while PAUSED: a sibling in a parallel run."""


class IllegalMove(HookscopeError):
    """A command that this state does not have."""


def moved(state: RunState, move: Command | Happening) -> RunState:
    """The state after a move; raises IllegalMove that names both."""
    try:
        return TRANSITIONS[state][move]
    except KeyError:
        legal = ", ".join(TRANSITIONS[state])
        raise IllegalMove(f"cannot {move} while {state}; possible now: {legal}") from None


class Stance(StrEnum):
    """How a dispatch goes on until it is held or over."""

    TO_BREAKPOINT = "to the next breakpoint"
    TO_NEXT_SEAM = "to the next seam"
    TO_NEXT_SUBSCRIBER = "to before the next subscriber"
    TO_NEXT_ANSWER = "to after the next answer"
    TO_GOAL = "to a goal"
    """Or the next breakpoint, whichever comes first."""
    TO_END = "to the end"


STANCES: Final[Mapping[Command, Stance]] = MappingProxyType(
    {
        Command.PAUSE: Stance.TO_NEXT_SEAM,
        Command.STEP: Stance.TO_NEXT_SEAM,
        Command.NEXT: Stance.TO_NEXT_SUBSCRIBER,
        Command.SKIP: Stance.TO_NEXT_SUBSCRIBER,
        Command.ANSWER: Stance.TO_NEXT_SUBSCRIBER,
        Command.RETRY: Stance.TO_NEXT_ANSWER,
        Command.RUN_TO: Stance.TO_GOAL,
        Command.BACK: Stance.TO_NEXT_SEAM,
        Command.RESTART: Stance.TO_NEXT_SEAM,
        Command.FINISH: Stance.TO_END,
        Command.CONTINUE: Stance.TO_BREAKPOINT,
    }
)
"""How a dispatch goes on after a command."""


CARRIED: Final[Mapping[Stance, Stance]] = MappingProxyType(
    {
        Stance.TO_BREAKPOINT: Stance.TO_BREAKPOINT,
        Stance.TO_NEXT_SEAM: Stance.TO_NEXT_SEAM,
        Stance.TO_NEXT_SUBSCRIBER: Stance.TO_NEXT_SEAM,
        Stance.TO_NEXT_ANSWER: Stance.TO_NEXT_SEAM,
        Stance.TO_GOAL: Stance.TO_NEXT_SEAM,
        Stance.TO_END: Stance.TO_NEXT_SEAM,
    }
)
"""How the next dispatch of a played session begins, given how the last one went on: whoever steps, keeps stepping."""


def side_of(seam: Seam) -> Side:
    """Whether the subscriber is about to be asked or has answered."""
    return Side.BEFORE if seam.outcome is None else Side.AFTER


def is_hold(side: Side, stance: Stance, *, is_at_breakpoint: bool = False, is_at_goal: bool = False) -> bool:
    """Whether a dispatch that goes on in this way is held at a seam."""
    match stance:
        case Stance.TO_END:
            return False
        case Stance.TO_NEXT_SEAM:
            return True
        case Stance.TO_NEXT_SUBSCRIBER:
            return is_at_breakpoint or side is Side.BEFORE
        case Stance.TO_NEXT_ANSWER:
            return side is Side.AFTER
        case Stance.TO_GOAL:
            return is_at_breakpoint or is_at_goal
        case Stance.TO_BREAKPOINT:
            return is_at_breakpoint
        case never:
            assert_never(never)
