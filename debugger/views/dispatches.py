"""The list of dispatches: one line each, telling the story. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.session import SessionView
from debugger.trace import DispatchTrace
from debugger.views.states import Verdict, duration, verdict_of
from debugger.views.text import Emphasis, Segment, fit

ROOMY = 44
"""Cells from which a row has room for more than the shortest story."""
ASKING = Verdict("?", "asks", Emphasis.HELD)
"""The word of a dispatch whose result somebody has to decide about."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What a reader has marked among the dispatches."""

    found: frozenset[str] = frozenset()
    """Those that a filter points out."""
    marked: str = ""
    """The one to compare others with."""


NO_MARKS = Marks()


def row(trace: DispatchTrace, session: SessionView, width: int, marks: Marks = NO_MARKS) -> tuple[Segment, ...]:
    """A dispatch in one line: number, point, verdict, how many changed the payload, how long it took."""
    is_held = session.hold_of(trace.id) is not None
    is_asking = any(asking.dispatch == trace.id for asking in session.askings)
    verdict = ASKING if is_asking else verdict_of(trace, is_held)
    changes = len(trace.changes)
    took = duration(trace.took_ns) if trace.result is not None else ""
    is_injected = any(steered.what == "fault" for step in trace.steps for steered in step.steered)
    is_edited = any(step.edited is not None or step.replaced is not None for step in trace.steps)
    tags = ("↯" if is_injected else "") + ("✎" if is_edited else "") + ("⑂" if trace.id in session.forks else "")
    tags += ("◆" if trace.id in marks.found else "") + ("=" if trace.id == marks.marked else "")
    is_roomy = width >= ROOMY
    head = f"#{trace.number:<{4 if is_roomy else 2}}"
    story = f"{verdict.glyph} {verdict.word}"
    tail = f"{f'±{changes}' if changes and is_roomy else '':>{4 if is_roomy else 0}}{took:>{8 if is_roomy else 7}}"
    story_width = 12 if is_roomy else 9
    tags_width = max(2, len(tags)) if is_roomy else len(tags)
    room = max(6, width - len(head) - story_width - len(tail) - tags_width - 1)
    name = f"{trace.point} ⑂ {session.forks[trace.id]}" if trace.id in session.forks else trace.point
    return (
        Segment(head, Emphasis.ACCENT if trace.id in marks.found else Emphasis.DIM),
        Segment(f"{fit(name, room)} ", Emphasis.NONE),
        Segment(fit(story, story_width), verdict.emphasis),
        Segment(f"{tags:<{tags_width}}", Emphasis.ERROR),
        Segment(tail, Emphasis.DIM),
    )
