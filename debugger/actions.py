"""Every action of the application in one table: keys, footer, palette and help are all made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from debugger.runcontrol import RunState


class Group(StrEnum):
    """Headings of the help page."""

    RUN = "Run and step"
    BREAK = "Break and edit"
    LOOK = "Look"
    APPLICATION = "Application"


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can do."""

    id: str
    """Keys are remapped by it. What stands before a dot names the deed, the rest is its argument."""
    key: str
    label: str
    """For the footer."""
    help: str
    """One line for the palette and the help page."""
    group: Group
    is_in_footer: bool = False
    needs: Callable[[RunState], bool] = lambda state: True
    """Whether it makes sense while the chosen dispatch is in this state."""
    opens: bool = False
    """Whether it opens a dialog, for which keys that follow are meant."""

    @property
    def call(self) -> str:
        """The action in Textual's notation: the desk has one `action_do` for all of them."""
        return f"do({self.id!r})"


def _held(state: RunState) -> bool:
    return state is RunState.PAUSED


def _not_held(state: RunState) -> bool:
    return state is not RunState.PAUSED


def _under_way(state: RunState) -> bool:
    return state in (RunState.RUNNING, RunState.PAUSING, RunState.PAUSED)


def _running(state: RunState) -> bool:
    return state is RunState.RUNNING


ACTIONS: Final[tuple[Action, ...]] = (
    Action("next", "n", "next", "Past this subscriber, to before the next one", Group.RUN, True, _held),
    Action("step", "s", "step", "On to the next seam: before or after a subscriber", Group.RUN, True, _held),
    Action("finish", "f", "finish", "To the end of this dispatch, past every breakpoint", Group.RUN, True, _held),
    Action("continue", "c", "continue", "On until a breakpoint", Group.RUN, True, _held),
    Action("skip", "S", "skip", "On without this subscriber", Group.RUN, False, _held),
    Action("pause", "space", "pause", "Hold this dispatch at its next seam", Group.RUN, True, _running),
    Action("stop", "X", "stop", "End this dispatch, as a caller that gives up would", Group.RUN, False, _under_way),
    Action("fire", "r", "run", "Fire the chosen point again with the same payload", Group.RUN, True, _not_held),
    Action("fire_held", "R", "run held", "Fire again, held before the first subscriber", Group.RUN, True, _not_held),
    Action(
        "choose_point", "p", "point", "Choose a point and a payload to fire", Group.RUN, True, _not_held, opens=True
    ),
    Action("another", "r", "run another", "While one is held: fire another beside it", Group.RUN, False, _held),
    Action("another_held", "R", "another held", "The same, held before its first subscriber", Group.RUN, False, _held),
    Action(
        "choose_another",
        "p",
        "another point",
        "While one is held: choose what to fire",
        Group.RUN,
        False,
        _held,
        opens=True,
    ),
    Action("play", "P", "play", "Play a described session through the hooks", Group.RUN, opens=True),
    Action("reply", "a", "answer", "Answer the question that waits", Group.RUN, opens=True),
    Action("continue_all", "A", "continue all", "Let every held dispatch go on", Group.RUN),
    Action(
        "edit",
        "e",
        "edit",
        "Edit what is held: the payload going in, or the answer",
        Group.BREAK,
        True,
        _held,
        opens=True,
    ),
    Action(
        "edit_fire", "e", "edit & run", "Edit the payload and fire it anew", Group.BREAK, True, _not_held, opens=True
    ),
    Action("break_before", "b", "break", "Hold every dispatch before this subscriber", Group.BREAK, True),
    Action("break_after", "B", "break after", "Hold every dispatch after this subscriber", Group.BREAK),
    Action("fault", "x", "fault", "Make trouble for this subscriber", Group.BREAK, True, opens=True),
    Action("disarm", "ctrl+x", "disarm", "Take away every armed fault", Group.BREAK),
    Action("clock", "t", "clock", "Whether deadlines pass while you hold a dispatch", Group.BREAK),
    Action(
        "switches",
        "o",
        "switches",
        "Switches of the dialect, such as observers that run in parallel",
        Group.BREAK,
        opens=True,
    ),
    Action("restart", "ctrl+r", "restart", "Restart every subscriber's process", Group.BREAK),
    Action("lens.diff", "1", "Diff", "What the subscriber, or the whole chain, changed", Group.LOOK),
    Action("lens.payload", "2", "Payload", "What the subscriber was asked about", Group.LOOK),
    Action("lens.answer", "3", "Answer", "What came back, as on the wire", Group.LOOK),
    Action("lens.why", "4", "Why", "Which rule made it so", Group.LOOK),
    Action("lens.span", "5", "Span", "The OpenTelemetry span", Group.LOOK),
    Action("lens.output", "6", "Output", "What the subscriber printed meanwhile", Group.LOOK),
    Action("lens.story", "7", "Story", "The played session around the dispatch, turn by turn", Group.LOOK),
    Action("diff_style", "d", "diff style", "Unified, side by side, or the list of changed paths", Group.LOOK),
    Action(
        "seat.previous", "left_square_bracket", "previous", "The subscriber before, then the whole chain", Group.LOOK
    ),
    Action("seat.next", "right_square_bracket", "next one", "The next subscriber of the chain", Group.LOOK),
    Action("newest", "F", "follow", "Follow the newest dispatch", Group.LOOK),
    Action("zoom", "z", "zoom", "Give the pane in focus the whole screen, or take it back", Group.LOOK),
    Action("copy", "y", "copy", "Copy what the inspector shows", Group.LOOK),
    Action("state", "D", "state", "Read the agent's own session file: open with --state FILE", Group.LOOK),
    Action("notes", "N", "notes", "What hookscope had to tell so far", Group.APPLICATION),
    Action("help", "question_mark,f1", "help", "This page", Group.APPLICATION, True),
    Action("quit", "q,ctrl+q", "quit", "Stop every subscriber and leave", Group.APPLICATION),
)
"""The table. Two actions may share a key if they need different states."""
