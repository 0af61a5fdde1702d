"""The list of dispatches: one line each, telling the story. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from debugger.session import SessionView
from debugger.store.notes import Remark
from debugger.store.short import Steering
from debugger.trace import DispatchTrace
from debugger.views.gists import Gist, gist_of
from debugger.views.states import AGAIN, Verdict, duration, verdict_of_words
from debugger.views.text import Emphasis, Segment, fit, visible

ROOMY = 44
"""Cells from which a row has room for more than the shortest story."""
ASKING = Verdict("?", "asks", Emphasis.HELD)
"""The word of a dispatch whose result somebody has to decide about."""
MARK, NOTE = "★", "¶"


@dataclass(frozen=True, slots=True)
class Marks:
    """What a reader has marked among the dispatches."""

    found: frozenset[str] = frozenset()
    """Those that a filter points out."""
    marked: str = ""
    """The one to compare others with."""
    remarks: Mapping[str, Remark] = field(default_factory=lambda: MappingProxyType({}))
    """Marks and notes that are kept, by the id of the dispatch."""


NO_MARKS = Marks()


def row(trace: DispatchTrace, session: SessionView, width: int, marks: Marks = NO_MARKS) -> tuple[Segment, ...]:
    """A dispatch in one line: number, point, verdict, how many changed the payload, how long it took."""
    return gist_row(gist_of(trace), session, width, marks)


def gist_row(gist: Gist, session: SessionView, width: int, marks: Marks = NO_MARKS) -> tuple[Segment, ...]:
    """The same of a dispatch of which no more than that is known."""
    is_held = session.hold_of(gist.id) is not None
    is_asking = any(asking.dispatch == gist.id for asking in session.askings)
    words = (gist.ending, gist.decision, gist.status, gist.decided)
    verdict = ASKING if is_asking else verdict_of_words(*words, is_held=is_held)
    took = duration(gist.took_ns) if gist.is_over else ""
    is_edited = any(hold.is_edited for hold in session.holds if hold.dispatch == gist.id)
    tags = _tags(gist, marks, is_edited=is_edited)
    is_roomy = width >= ROOMY
    head = f"#{gist.number:<{4 if is_roomy else 2}}"
    head += " " * (not head.endswith(" "))
    story = f"{verdict.glyph} {visible(verdict.word)}"
    changes = f"±{gist.changes}" if gist.changes and is_roomy else ""
    tail = f"{changes:>3} {took:>7}" if is_roomy else f"{took:>7}"
    story_width = 11 if is_roomy else 9
    tags_width = max(1, len(tags)) if is_roomy else len(tags)
    room = max(6, width - len(head) - story_width - len(tail) - tags_width - 1)
    name = f"{gist.point} {gist.fork}" if gist.fork else gist.point
    return (
        Segment(head, Emphasis.ACCENT if gist.id in marks.found else Emphasis.DIM),
        Segment(f"{fit(name, room)} ", Emphasis.NONE),
        Segment(fit(story, story_width), verdict.emphasis),
        Segment(f"{tags:<{tags_width}}", Emphasis.ERROR),
        Segment(tail, Emphasis.DIM),
    )


def _tags(gist: Gist, marks: Marks, *, is_edited: bool) -> str:
    """A sign each: fault, edit, what-if, way back, second delivery, fits the filter, is compared, mark and note."""
    remark = marks.remarks.get(gist.id)
    signs = (
        ("↯", bool(gist.steered & Steering.FAULT)),
        ("✎", is_edited or bool(gist.steered & Steering.EDIT)),
        ("⑂", bool(gist.steered & Steering.FORK)),
        ("↶", bool(gist.steered & Steering.BACK)),
        (AGAIN, bool(gist.steered & Steering.AGAIN)),
        ("◆", gist.id in marks.found),
        ("=", gist.id == marks.marked),
        (MARK, remark is not None and remark.is_marked),
        (NOTE, remark is not None and bool(remark.text)),
    )
    return "".join(sign for sign, is_there in signs if is_there)


def run_row(first: Gist, count: int, width: int) -> tuple[Segment, ...]:
    """Dispatches that look alike, in one line: how many, where, and how they went."""
    verdict = verdict_of_words(first.ending, first.decision, first.status, first.decided, is_held=False)
    changed = f"±{first.changes} each" if first.changes else "all unchanged"
    story = f"{verdict.glyph} {visible(verdict.word)}, {changed}"
    head = f"▸ {count}× "
    room = max(6, min(len(first.point), width - len(head) - len(story) - 1))
    return (
        Segment(head, Emphasis.ACCENT),
        Segment(f"{fit(first.point, room)} "),
        Segment(fit(story, max(0, width - len(head) - room - 1)), verdict.emphasis),
    )
