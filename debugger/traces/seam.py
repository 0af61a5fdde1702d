"""Where the trace screens have their spans from, as a seam: what a source is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from debugger.otlp.spans import Span
from debugger.traces.hooks import Hook
from debugger.traces.skeleton import Skeleton


class SortKey(StrEnum):
    """By what a list of traces can be ordered."""

    ARRIVAL = "arrival"
    START = "start"
    TOOK = "duration"
    SPANS = "spans"
    ERRORS = "errors"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Wish:
    """Which traces, in which order."""

    text: str = ""
    """Part of a root's name, of its service, or of an id; in small letters or large ones."""
    key: SortKey = SortKey.ARRIVAL
    is_descending: bool = False
    with_errors: bool = False
    """Only those that have any."""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace as a list shows it."""

    handle: int
    """By which its source knows it."""
    id: str
    root: str
    service: str
    start_ns: int
    """Since the epoch."""
    took_ns: int
    spans: int
    errors: int
    touched: int
    """Another figure means that more of it has come."""
    has_root: bool = True
    is_least: bool = False
    """Whether it has more spans than are counted here: how many is known once it is opened."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a source stands, for the line on top."""

    traces: int = 0
    spans: int = 0
    is_least: bool = False
    """Whether there are more spans than are counted here."""
    is_growing: bool = False
    """Whether more may come."""
    progress: str = ""
    """What is still being done, such as reading a file."""
    refused: int = 0
    """What could not be used."""
    dropped: int = 0
    """Traces that had to go because of a cap."""
    trouble: str = ""
    invitation: str = ""
    """How to make something come, where that is for the reader to do."""


class SpanSource(Protocol):
    """Traces, page by page. `changes`, `rows`, `hooks` and `span` are asked while a screen is drawn, and are quick; the
    others may take their time, and are asked on a thread of their own.

    Everything may be asked from any thread, and raises BadInput for whatever is damaged or gone.
    """

    @property
    def title(self) -> str: ...

    def changes(self) -> int:
        """Another figure means that something has come, or has gone."""
        ...

    def standing(self) -> Standing: ...

    def order(self, wish: Wish) -> Sequence[int]:
        """The handles of the traces that are wished for, in order."""
        ...

    def rows(self, handles: Sequence[int]) -> tuple[TraceRow | None, ...]:
        """A row for each handle; None for a trace that has gone meanwhile."""
        ...

    def skeleton(self, handle: int, most: int | None = None) -> Skeleton:
        """One trace; of a large one only the first `most` spans, if so wished."""
        ...

    def hooks(self, skeleton: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
        """What these places say about hook chains; nothing about those that are none of a host's."""
        ...

    def all_hooks(self, skeleton: Skeleton) -> Mapping[int, Hook]:
        """The same for every place that says anything."""
        ...

    def span(self, skeleton: Skeleton, place: int) -> Span | None:
        """Everything about one; None for a parent that is missing."""
        ...

    def refusals(self) -> tuple[str, ...]:
        """What could not be used, and why, in a sentence each; the newest last."""
        ...

    def close(self) -> None: ...
