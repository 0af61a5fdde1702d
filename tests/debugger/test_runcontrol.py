"""Run control as a table: which moves there are, what a refused one says, and where a dispatch is held."""

from __future__ import annotations

import pytest
from dispatch_runs import chain
from pluggable_payloads import payload

from debugger.actions import ACTIONS
from debugger.breakpoints import Side
from debugger.runcontrol import (
    STANCES,
    TRANSITIONS,
    Command,
    Happening,
    IllegalMove,
    RunState,
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
        "answer": "running", "retry": "running", "run to": "running", "back": "running", "restart": "running",
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
    [action] = [action for action in ACTIONS if action.id == command.name.lower()]
    offered = {state for state in RunState if action.needs(state)}
    assert offered <= {state for state in RunState if command in LEGAL[state]}
    assert offered, "and somewhere it is offered"


@pytest.mark.parametrize(
    ("stance", "free", "at_breakpoint", "at_goal"),
    [
        (Stance.TO_NEXT_SEAM, "before after", "before after", "before after"),
        (Stance.TO_NEXT_SUBSCRIBER, "before", "before after", "before"),
        (Stance.TO_NEXT_ANSWER, "after", "after", "after"),
        (Stance.TO_BREAKPOINT, "", "before after", ""),
        (Stance.TO_GOAL, "", "before after", "before after"),
        (Stance.TO_END, "", "", ""),
    ],
)
def test_a_dispatch_is_held_where_its_stance_and_the_breakpoints_say(
    stance: Stance, free: str, at_breakpoint: str, at_goal: str
) -> None:
    """Seams count for a step, subscribers for next, answers for a retry, breakpoints for all but a run to the end."""
    for is_at_breakpoint, is_at_goal, held in (
        (False, False, free),
        (True, False, at_breakpoint),
        (False, True, at_goal),
    ):
        found = [
            side for side in Side if is_hold(side, stance, is_at_breakpoint=is_at_breakpoint, is_at_goal=is_at_goal)
        ]
        assert " ".join(found) == held


@pytest.mark.parametrize("side", Side)
def test_a_seam_is_before_until_there_is_an_outcome(side: Side) -> None:
    """Whatever the outcome, it makes the seam one after the subscriber."""
    walk, _ = Pluggable().open(chain("plan-ready", "A:v"), payload("plan-ready"))
    assert side_of(Seam("d", walk, walk.asks[0], None if side is Side.BEFORE else Answered(b""))) is side
