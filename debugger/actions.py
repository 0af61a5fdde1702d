"""Every action of the application in one table: keys, footer, palette and help are all made from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from debugger.runcontrol import RunState


class Where(StrEnum):
    """What a desk is open on, for an action that makes no sense on everything."""

    LIVE = "live"
    """A session with subscribers that run."""
    RECORDED = "recorded"
    """A recording, in which nobody runs."""


class Group(StrEnum):
    """Headings of the help page."""

    SCRUB = "Go through a recording"

    RUN = "Run and step"
    BREAK = "Break and edit"
    LOOK = "Look"
    FIND = "Find and compare"
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
    where: Where | None = None
    """Where alone it makes sense; None for everywhere."""

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


_STEPPING: Final[tuple[Action, ...]] = (
    Action("next", "n", "next", "Past this subscriber, to before the next one", Group.RUN, True, _held),
    Action("step", "s", "step", "On to the next seam: before or after a subscriber", Group.RUN, True, _held),
    Action("finish", "f", "finish", "To the end of this dispatch, past every breakpoint", Group.RUN, True, _held),
    Action("continue", "c", "continue", "On until a breakpoint", Group.RUN, True, _held),
    Action("back", "backspace", "back", "One walk back: nobody is asked again to get there", Group.RUN, False, _held),
    Action("restart", "0", "to the start", "Back to the first walk of this dispatch", Group.RUN, False, _held),
    Action("retry", "E", "ask again", "Ask the subscriber that has answered once more", Group.RUN, False, _held),
    Action("run_to", "T", "run to", "On to the chosen subscriber", Group.RUN, False, _held),
    Action("run_to_filter", "ctrl+t", "run to ...", "On to where a filter holds", Group.RUN, False, _held, opens=True),
    Action("answer", "i", "answer instead", "Answer on the subscriber's behalf", Group.RUN, False, _held, opens=True),
    Action("skip", "S", "skip", "On without this subscriber", Group.RUN, False, _held),
    Action("skip_always", "K", "leave out", "Leave this subscriber out for the session, or take it back", Group.RUN),
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
    Action(
        "alone",
        "U",
        "alone",
        "Ask this subscriber by itself, about a payload to choose",
        Group.RUN,
        opens=True,
        where=Where.LIVE,
    ),
    Action("play", "P", "play", "Play a described session through the hooks", Group.RUN, opens=True),
    Action("reply", "a", "answer", "Answer the question that waits", Group.RUN, opens=True),
    Action("continue_all", "A", "continue all", "Let every held dispatch go on", Group.RUN),
    Action("held", "H", "held", "Everything that is held: go to one", Group.RUN, opens=True),
    Action("let_go", "L", "let go", "After how long a hold lets go by itself", Group.RUN, opens=True),
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
    Action("undo", "u", "undo", "Take back the last edit that was not sent yet", Group.BREAK, False, _held),
    Action("break_before", "b", "break", "Hold every dispatch before this subscriber", Group.BREAK, True),
    Action("break_after", "B", "break after", "Hold every dispatch after this subscriber", Group.BREAK),
    Action("breakpoints", "v", "breakpoints", "List, change and keep breakpoints", Group.BREAK, opens=True),
    Action("break_where", "V", "break where", "Hold, or only tell, where a filter holds", Group.BREAK, opens=True),
    Action("mute", "M", "breakpoints off", "Turn every breakpoint off, or on again", Group.BREAK),
    Action("fault", "x", "fault", "Make trouble for this subscriber", Group.BREAK, True, opens=True),
    Action("armed", "ctrl+f", "armed", "Every armed fault: look, take one away", Group.BREAK, opens=True),
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
    Action("restart_processes", "ctrl+r", "restart", "Restart every subscriber's process", Group.BREAK),
)
_LOOKING: Final[tuple[Action, ...]] = (
    Action("lens.diff", "1", "Diff", "What the subscriber, or the whole chain, changed", Group.LOOK),
    Action("lens.blame", "2", "Blame", "The payload, and who last wrote each part of it", Group.LOOK),
    Action("lens.payload", "3", "Payload", "What the subscriber was asked about", Group.LOOK),
    Action("lens.answer", "4", "Answer", "What came back, as on the wire", Group.LOOK),
    Action("lens.why", "5", "Why", "Which rule made it so, and what would have made it otherwise", Group.LOOK),
    Action("lens.span", "6", "Span", "The OpenTelemetry span", Group.LOOK),
    Action("lens.output", "7", "Output", "What the subscriber printed meanwhile", Group.LOOK),
    Action("lens.story", "8", "Story", "The played session around the dispatch, turn by turn", Group.LOOK),
    Action("lens.watch", "9", "Watch", "Watched expressions along the chain", Group.LOOK),
    Action("watch", "W", "watch", "Pin an expression, or take it away", Group.LOOK, opens=True),
    Action("field", "Y", "field", "What became of one place of the payload", Group.LOOK, opens=True),
    Action("into", "C", "into", "The call itself: question and answer as they travelled", Group.LOOK, opens=True),
    Action("diff_style", "d", "diff style", "Unified, inline, side by side, changed paths, JSON Patch", Group.LOOK),
    Action(
        "diff_from",
        "Q",
        "diff from",
        "Diffs from before this subscriber to behind any other; again: each by itself",
        Group.LOOK,
    ),
    Action("find", "ctrl+l", "find", "A text in what the inspector shows, again and again", Group.LOOK, opens=True),
    Action("ignore", "ctrl+g", "ignore", "Places that diffs do not look at", Group.LOOK, opens=True),
    Action(
        "seat.previous", "left_square_bracket", "previous", "The subscriber before, then the whole chain", Group.LOOK
    ),
    Action("seat.next", "right_square_bracket", "next one", "The next subscriber of the chain", Group.LOOK),
    Action("newest", "F", "follow", "Follow the newest dispatch", Group.LOOK),
    Action("freeze", "I", "freeze", "Keep the list as it is, or let it go on", Group.LOOK),
    Action("fold", "Z", "fold", "Runs of dispatches that look alike in one line; enter unfolds one", Group.LOOK),
    Action("zoom", "z", "zoom", "Give the pane in focus the whole screen, or take it back", Group.LOOK),
    Action("copy", "y", "copy", "Copy what the inspector shows", Group.LOOK),
    Action(
        "state",
        "D",
        "state",
        "Read the agent's own session file: open with --state FILE",
        Group.LOOK,
        where=Where.LIVE,
    ),
    Action("filter", "slash", "filter", "Show only the dispatches that fit a filter", Group.FIND, opens=True),
    Action("suspend", "backslash", "suspend", "Show everything for now, or filter again", Group.FIND),
    Action("highlight", "asterisk", "highlight", "Mark what fits instead of hiding the rest", Group.FIND),
    Action("save_filter", "at", "save filter", "Save the filter under a name", Group.FIND, opens=True),
    Action("match.next", "greater_than_sign", "next match", "The next dispatch that fits the filter", Group.FIND),
    Action("match.previous", "less_than_sign", "last match", "The one before that fits", Group.FIND),
    Action("jump.next", "right_curly_bracket", "next ...", "e v c: next error, denial, change", Group.FIND, opens=True),
    Action("jump.previous", "left_curly_bracket", "last ...", "e v c: the one before", Group.FIND, opens=True),
    Action("what_if", "w", "what if", "The same dispatch with one thing changed", Group.FIND, opens=True),
    Action("order", "O", "order lab", "Which neighbours of the chain do not commute", Group.FIND, opens=True),
    Action("mark", "m", "mark", "Mark this dispatch, also to compare others with it", Group.FIND),
    Action("note", "semicolon", "note", "Write a note about it; a recording keeps it", Group.FIND, opens=True),
    Action("marked.next", "apostrophe", "next mark", "The next dispatch with a mark or a note", Group.FIND),
    Action("compare", "equals_sign", "compare", "The chosen dispatch beside the marked one", Group.FIND, opens=True),
    Action("notes", "N", "notes", "What hookscope had to tell so far", Group.APPLICATION),
    Action("help", "question_mark,f1", "help", "This page", Group.APPLICATION, True),
    Action("quit", "q,ctrl+q", "quit", "Stop every subscriber and leave", Group.APPLICATION),
)
_SCRUBBING: Final[tuple[Action, ...]] = tuple(
    replace(action, group=Group.SCRUB, where=Where.RECORDED)
    for action in (
        Action("fact.next", "s", "fact", "On by one fact of this dispatch", Group.SCRUB, True),
        Action("fact.previous", "backspace", "back", "Back by one fact", Group.SCRUB),
        Action("seam.next", "n", "next", "On to where the next subscriber is asked", Group.SCRUB, True),
        Action("seam.previous", "p", "previous", "Back to where the one before was asked", Group.SCRUB),
        Action("scrub.play", "space", "play", "Play on, dispatch after dispatch, or pause", Group.SCRUB, True),
        Action("scrub.faster", "plus", "faster", "Play faster, up to 16 times", Group.SCRUB),
        Action("scrub.slower", "minus", "slower", "Play slower, down to a quarter", Group.SCRUB),
        Action("scrub.start", "0", "to the start", "To the first fact of this dispatch", Group.SCRUB),
        Action("scrub.end", "f,dollar_sign", "to the end", "To the end of this dispatch", Group.SCRUB, True),
        Action("traces", "t", "traces", "All of it as spans: tree, waterfall, figures", Group.SCRUB, True),
        Action("scrub.error", "exclamation_mark", "error", "On to the next error", Group.SCRUB),
    )
)
ACTIONS: Final[tuple[Action, ...]] = (
    *_SCRUBBING,
    *(replace(action, where=Where.LIVE) for action in _STEPPING),
    *_LOOKING,
)
"""The table. Two actions may share a key if they need different states, or are for different places."""


def actions_at(where: Where) -> tuple[Action, ...]:
    """Those that make sense on what a desk is open on."""
    return tuple(action for action in ACTIONS if action.where in (None, where))


def key_bindings(where: Where) -> Sequence[Action]:
    """Actions with a key there: those of elsewhere too, unless their key means something here, to say why not."""
    here = actions_at(where)
    taken = {key for action in here for key in action.key.split(",")}
    elsewhere = (action for action in ACTIONS if action not in here and not taken & set(action.key.split(",")))
    return (*here, *elsewhere)
