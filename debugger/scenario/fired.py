"""What a scenario came to, as the judge and the reports see it: single dispatches, or a session with its own."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.scenario.answers import Questioned
from debugger.scenario.document import Path
from debugger.trace import DispatchTrace, Trace
from kernel.dialect import Dialect
from kernel.facts import Event
from kernel.playing import Playable, Played
from kernel.values import Payload, Result


@dataclass(frozen=True, slots=True)
class Fired:
    """One dispatch, over."""

    dialect: Dialect
    payload: Payload
    """What was fired."""
    events: tuple[Event, ...]
    """Its own; what happened because of it has its own."""
    trace: DispatchTrace
    result: Result
    took_ns: int
    """On the scenario's clock."""
    is_given_up: bool = False
    """Whether it was we who ended it, because nobody else did."""
    questions: tuple[Questioned, ...] = ()
    """What its result left to a person."""
    label: str = ""
    """In a session: what it is about, where its point does not say it."""
    parent: str = ""
    """In a session: kind of the stretch, or point of the dispatch, around it."""


@dataclass(frozen=True, slots=True)
class Session:
    """A session that was played."""

    dialect: Dialect
    playable: Playable
    events: tuple[Event, ...]
    trace: Trace
    dispatches: tuple[Fired, ...]
    """Every dispatch that has an end, in the order of their beginnings."""
    questions: tuple[Questioned, ...]
    played: Played | None
    """None when it was we who ended it, because nobody else did."""
    took_ns: int
    """On the scenario's clock."""
    unused: tuple[Path, ...] = ()
    """Of trouble and steering for which there was no dispatch."""


def around(trace: Trace, parent: str) -> str:
    """What a parent is: the kind of a stretch, or the point of a dispatch; empty for none."""
    if (stretch := trace.find_stretch(parent)) is not None:
        return stretch.entered.kind
    dispatch = trace.find(parent)
    return "" if dispatch is None else dispatch.point
