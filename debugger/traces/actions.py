"""Every action of the trace screens in one table: keys, footer, help and the page in docs/ are all made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class View(StrEnum):
    """What the screen shows; each is a heading of the help page."""

    TRACES = "List of traces"
    TRACE = "One trace"
    STATISTICS = "Statistics"
    MERGED = "Merged"


EVERYWHERE: Final = frozenset(View)
_TRACES, _TRACE = frozenset({View.TRACES}), frozenset({View.TRACE})
_STATISTICS, _MERGED = frozenset({View.STATISTICS}), frozenset({View.MERGED})


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a person can do."""

    id: str
    """What stands before a dot names the deed, the rest is its argument."""
    keys: str
    label: str
    """For the footer."""
    help: str
    where: frozenset[View]
    is_in_footer: bool = False

    @property
    def call(self) -> str:
        """The action in Textual's notation: the screen has one `action_do` for all of them."""
        return f"do({self.id!r})"


ACTIONS: Final[tuple[Action, ...]] = (
    Action("open", "enter", "open", "Open the trace", _TRACES, True),
    Action("filter", "slash", "filter", "Only traces whose name, service or id has a text in it", _TRACES, True),
    Action("sort", "s", "sort", "By the next column: arrival, start, duration, spans, errors, name", _TRACES, True),
    Action("reverse", "S", "turn round", "The other way round", _TRACES),
    Action("errors_only", "e", "errors", "Only traces with errors, or all of them again", _TRACES, True),
    Action("statistics", "a", "statistics", "Figures of all traces that are listed", _TRACES, True),
    Action("merge_all", "m", "merged", "All traces that are listed as one merged tree", _TRACES, True),
    Action("fold", "enter,space", "fold", "Fold or unfold what is below; show again what a marker hides", _TRACE, True),
    Action("left", "left", "fold", "Fold, or go to the parent", _TRACE),
    Action("right", "right", "unfold", "Unfold, or go to the first child", _TRACE),
    Action("more", "M", "read more", "Of a trace that is too large to be read at once: four times as much", _TRACE),
    Action("unfold_all", "asterisk", "unfold all", "Unfold everything", _TRACE),
    *(
        Action(
            f"depth.{level}",
            str(level),
            f"{level} levels",
            "Unfold one level only; 2 to 9 for so many levels" if level == 1 else f"Unfold {level} levels",
            _TRACE,
        )
        for level in range(1, 10)
    ),
    Action("zoom.in", "plus,equals_sign", "closer", "Zoom in, around the chosen span", _TRACE, True),
    Action("zoom.out", "minus", "back", "Zoom out", _TRACE, True),
    Action("zoom.fit", "0", "fit", "All of the trace again", _TRACE, True),
    Action("zoom.selection", "z", "to it", "Zoom to the chosen span", _TRACE, True),
    Action("pan.left", "h,shift+left", "earlier", "Earlier, by a quarter of what is shown", _TRACE),
    Action("pan.right", "l,shift+right", "later", "Later, by a quarter of what is shown", _TRACE),
    Action("error.next", "e", "next error", "To the next span with an error, whatever it is folded into", _TRACE, True),
    Action("error.previous", "E", "last error", "To the one before", _TRACE),
    Action("find", "slash", "find", "Find spans by a part of their names, services, points or subscribers", _TRACE),
    Action("match.next", "greater_than_sign", "next match", "The next span that was found", _TRACE),
    Action("match.previous", "less_than_sign", "last match", "The one before that was found", _TRACE),
    Action("path", "c", "critical", "Show what the end of the trace waited for, or show all alike again", _TRACE, True),
    Action("path.chosen", "C", "of this", "The critical path of the chosen span alone", _TRACE),
    Action("own", "o", "own time", "Own time of each span instead of all of its time, or back", _TRACE),
    Action("absolute", "t", "clock", "Times of day instead of times from the beginning, or back", _TRACE),
    Action("hide.name", "x", "hide", "Hide spans of this name and what is below them, behind a marker", _TRACE),
    Action("hide.service", "X", "hide service", "Hide all spans of this service", _TRACE),
    Action("hide.nothing", "u", "show all", "Show again whatever is hidden", _TRACE),
    Action("merge", "m", "merged", "All spans of this point or name, in every trace, as one merged tree", _TRACE, True),
    Action("detail", "d", "detail", "More room for the details of the span, less, or none", _TRACE, True),
    Action("value", "v", "value", "In the details: the whole of a long value, or its beginning", _TRACE),
    Action("copy", "y", "copy", "Copy the chosen trace, span or value; in a table all of it", EVERYWHERE),
    Action("copy_path", "Y", "copy path", "In the details: copy the value's JSON path", _TRACE),
    Action("column", "s", "sort", "By the next column", _STATISTICS, True),
    Action("turn", "S", "turn round", "The other way round", _STATISTICS, True),
    Action("plot", "b", "boxes", "Boxes of all rows instead of one histogram, or back", _STATISTICS, True),
    Action("merge_row", "enter,m", "merged", "The point or name of this row as one merged tree", _STATISTICS, True),
    Action("fold_merged", "enter,space", "fold", "Fold or unfold what is below", _MERGED, True),
    Action("refused", "r", "unusable", "What was sent, or is in the file, and could not be used", _TRACES),
    Action("follow", "F", "follow", "Stay at the newest, or stop doing so", _TRACES),
    Action("freeze", "p", "freeze", "Take in nothing new for now; once more to go on", EVERYWHERE),
    Action("back", "escape,q", "back", "Back to where you came from; from the list: leave", EVERYWHERE, True),
    Action("help", "question_mark,f1", "help", "This page", EVERYWHERE, True),
    Action("quit", "ctrl+q", "leave", "Leave from anywhere", EVERYWHERE),
)
"""The table. Actions of different views may share a key."""
MOVING: Final = (
    ("j k, down up", "One line down or up"),
    ("ctrl+d ctrl+u", "Half a page down or up"),
    ("g G, home end", "To the top or to the end"),
    ("tab", "Between the tree and the details"),
)
"""What every list understands."""


def keys_of(action: Action) -> str:
    """As they are printed on a keyboard."""
    return " ".join(_NAMES.get(key, key) for key in action.keys.split(","))


_NAMES: Final = {
    "slash": "/",
    "asterisk": "*",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "question_mark": "?",
    "escape": "esc",
}


def shown_in(view: View) -> Iterable[Action]:
    """The actions of a view that help tells about: of the digits, one line for all."""
    for action in ACTIONS:
        if view in action.where and action.where != EVERYWHERE and action.id not in _LIKE_THE_FIRST:
            yield action


_LIKE_THE_FIRST: Final = frozenset(f"depth.{level}" for level in range(2, 10))


def table() -> str:
    """The keys as Markdown: docs/traces.md has it."""
    lines: list[str] = []
    for view in View:
        lines += [f"### {view.value}", "", "| key | does |", "|---|---|"]
        lines += [f"| `{keys_of(action)}` | {action.help} |" for action in shown_in(view)]
        lines.append("")
    lines += ["### Everywhere", "", "| key | does |", "|---|---|"]
    lines += [f"| `{keys_of(action)}` | {action.help} |" for action in ACTIONS if action.where == EVERYWHERE]
    lines += [f"| `{keys}` | {does} |" for keys, does in MOVING]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
