"""Run control as a table: which moves there are, what a refused one says, and where a dispatch is held."""

from __future__ import annotations

import pytest
from dispatch_runs import chain
from pluggable_payloads import payload

from debugger.actions import ACTIONS
from debugger.runcontrol import (
    STANCES,
    TRANSITIONS,
    Breakpoint,
    Command,
    Happening,
    IllegalMove,
    RunState,
    Side,
    Stance,
    is_hold,
    moved,
    side_of,
)
from kernel.control import Seam
from kernel.dialects.pluggable import Pluggable
from kernel.values import Answered

LEGAL = {
    RunState.IDLE: {"fire": "running"},
    RunState.RUNNING: {"pause": "pausing", "stop": "running", "held": "paused", "ended": "finished"},
    RunState.PAUSING: {"continue": "running", "stop": "running", "held": "paused", "ended": "finished"},
    RunState.PAUSED: {
        "step": "running", "next": "running", "finish": "running", "continue": "running", "skip": "running",
        "stop": "running", "held": "paused", "ended": "finished",
    },
    RunState.FINISHED: {"fire": "running"},
}  # fmt: skip
MOVES: list[Command | Happening] = [*Command, *Happening]


def test_every_state_has_a_row() -> None:
    """No state was forgotten, and every state can be reached and left."""
    assert TRANSITIONS.keys() == set(RunState)
    assert all(TRANSITIONS.values())
    assert {state for row in TRANSITIONS.values() for state in row.values()} | {RunState.IDLE} == set(RunState)


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("state", RunState)
def test_a_move_is_legal_or_refused_by_name(state: RunState, move: Command | Happening) -> None:
    """A legal move gives the next state; a refused one names itself, the state and what is possible instead."""
    if move in LEGAL[state]:
        assert moved(state, move) == LEGAL[state][move]
        return
    with pytest.raises(IllegalMove) as refusal:
        moved(state, move)
    assert str(refusal.value) == f"cannot {move} while {state}; possible now: {', '.join(LEGAL[state])}"


def test_every_command_that_lets_go_says_how() -> None:
    """Whatever may follow a hold or wishes for one has a stance, except to fire and to stop."""
    assert STANCES.keys() == set(Command) - {Command.FIRE, Command.STOP}


@pytest.mark.parametrize("command", sorted(set(Command) - {Command.FIRE}))
def test_the_keys_agree_with_the_table(command: Command) -> None:
    """An action that is a command is offered in no state in which the table refuses it."""
    [action] = [action for action in ACTIONS if action.id == command]
    offered = {state for state in RunState if action.needs(state)}
    assert offered <= {state for state in RunState if command in LEGAL[state]}
    assert offered, "and somewhere it is offered"


def seam(name: str, side: Side) -> Seam:
    """A seam of `A:v B:v` at plan-ready, when it is this one's turn."""
    walk, _ = Pluggable().open(chain("plan-ready", f"{name}:v"), payload("plan-ready"))
    return Seam("d", walk, walk.asks[0], None if side is Side.BEFORE else Answered(b""))


AT_A = Breakpoint("A", "plan-ready")
AFTER_A = Breakpoint("A", "plan-ready", Side.AFTER)
ELSEWHERE = Breakpoint("A", "pre-tool-call")


@pytest.mark.parametrize(
    ("stance", "breakpoints", "held_at"),
    [
        (Stance.TO_NEXT_SEAM, [], "before A, after A, before B, after B"),
        (Stance.TO_NEXT_SUBSCRIBER, [], "before A, before B"),
        (Stance.TO_NEXT_SUBSCRIBER, [AFTER_A], "before A, after A, before B"),
        (Stance.TO_BREAKPOINT, [], ""),
        (Stance.TO_BREAKPOINT, [AT_A], "before A"),
        (Stance.TO_BREAKPOINT, [AFTER_A], "after A"),
        (Stance.TO_BREAKPOINT, [AT_A, AFTER_A], "before A, after A"),
        (Stance.TO_BREAKPOINT, [ELSEWHERE], ""),
        (Stance.TO_BREAKPOINT, [Breakpoint("C", "plan-ready")], ""),
        (Stance.TO_END, [AT_A, AFTER_A], ""),
    ],
)
def test_a_dispatch_is_held_where_its_stance_and_the_breakpoints_say(
    stance: Stance, breakpoints: list[Breakpoint], held_at: str
) -> None:
    """Seams count for a step, subscribers for next, breakpoints for everything but a run to the end."""
    seams = [(side, name) for name in "AB" for side in Side]
    held = [f"{side} {name}" for side, name in seams if is_hold(seam(name, side), stance, frozenset(breakpoints))]
    assert ", ".join(held) == held_at


@pytest.mark.parametrize("side", Side)
def test_a_seam_is_before_until_there_is_an_outcome(side: Side) -> None:
    """Whatever the outcome, it makes the seam one after the subscriber."""
    assert side_of(seam("A", side)) is side
