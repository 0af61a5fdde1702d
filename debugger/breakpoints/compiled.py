"""Breakpoints, ready to be asked at a seam. What saved filters say is put in when they are compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from debugger.breakpoints.breakpoint import Breakpoint, Side
from debugger.breakpoints.message import Say, message
from debugger.filters import BadFilter, Everything, Filter, Known, Predicate, Sight, known_from, parse, resolved
from debugger.filters import compiled as compiled_filter
from debugger.filters.syntax import Span
from debugger.trace import DispatchTrace, StepTrace, opened
from kernel.facts import Event, Opened
from kernel.values import JSON, Chain, Subscription

NONE_SAVED: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Compiled:
    """One breakpoint that can be asked."""

    breakpoint: Breakpoint
    predicate: Predicate
    say: Say | None
    """For log points."""

    def is_hit(self, dispatch: DispatchTrace, step: StepTrace) -> bool:
        """Whether the filter is known to hold of the step; `filters.at_seam` gives both."""
        return self.predicate.matches_step(dispatch, step) is True


def read(text: str, saved: Mapping[str, str] = NONE_SAVED) -> Filter:
    """A filter with every saved one in its place; raises BadFilter, also for one that holds everywhere."""
    filter_ = resolved(parse(text), saved, text)
    if isinstance(filter_, Everything):
        raise BadFilter("nothing is written yet", text, Span(), fix="say where, such as sub:x or status:denied")
    return filter_


def compiled(breakpoint: Breakpoint, sight: Sight, saved: Mapping[str, str] = NONE_SAVED) -> Compiled:
    """Raises BadInput for a filter or a message that cannot be read."""
    predicate = compiled_filter(read(breakpoint.where, saved), sight)
    return Compiled(breakpoint, predicate, message(breakpoint.log) if breakpoint.log else None)


def side_for(text: str, saved: Mapping[str, str] = NONE_SAVED) -> Side:
    """The first side at which everything that a filter looks at is known; raises BadFilter."""
    return Side.BEFORE if known_from(read(text, saved)) <= Known.ASKED else Side.AFTER


@dataclass(frozen=True, slots=True)
class _NoPayload:
    """Where only the seats count."""

    body: bytes = b""
    view: JSON = None
    digest: str = ""


def seats(predicate: Predicate, dialect: str, chains: Iterable[Chain]) -> Iterator[Subscription]:
    """Those seats of which the filter is known to hold before anything is fired: where it only looks at seats."""
    if isinstance(predicate.filter, Everything) or known_from(predicate.filter) is not Known.ALWAYS:
        return
    for chain in chains:
        fact = Opened(dialect, chain, _NoPayload(), 0)
        idle = opened(Event("", 0, 0, fact), fact, 0)
        yield from (step.subscription for step in idle.steps if predicate.matches_step(idle, step) is True)
