"""Which dispatches and stretches of a recording belong together: looked up in its tables, before any fact is read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from debugger.otlp.forest import Forest, planted
from debugger.otlp.span_reader import SpanReader
from debugger.traces.seam import SortKey, Wish

_DISPATCHES: Final = (
    "SELECT id, parent, point, dialect, wall_ns, took_ns, status IN ('error', 'timed out') OR ending = 'aborted', "
    "first_event FROM dispatches"
)
_STRETCHES: Final = "SELECT id, parent, kind, name, wall_ns, first_event FROM stretches"


@dataclass(frozen=True, slots=True)
class FactTrace:
    """A dispatch or stretch that is inside nothing else, with everything inside it."""

    number: int
    """Grows with the order of arrival, and stays what it is when more arrives."""
    place: int
    """Where it is among all scopes."""
    id: str
    name: str
    dialect: str
    wall_ns: int
    took_ns: int
    scopes: int
    """Dispatches and stretches that it comes to, itself included."""
    errors: int


@dataclass(frozen=True, slots=True)
class Counted:
    """How many there are."""

    traces: int
    scopes: int


class _Scope(NamedTuple):
    """A row of either table: a tuple, since there may be hundreds of thousands."""

    id: str
    parent: str
    name: str
    dialect: str
    """Empty for a stretch: its table does not say."""
    wall_ns: int
    took_ns: int
    is_error: int
    first_event: int


@dataclass(frozen=True, slots=True)
class _Table:
    """What was read at one moment. Replaced as a whole: may be looked at from any thread."""

    scopes: Sequence[_Scope]
    forest: Forest
    tops: Mapping[int, int]
    """Places of the traces by their numbers, in order of arrival."""


class Scopes:
    """Read when first asked for an order, and again whenever something has come."""

    def __init__(self, path: Path) -> None:
        self._reader = SpanReader(path)
        self._lock = threading.Lock()
        self._table = _Table((), planted((), (), (), ()), {})
        self._read_at = -1

    def close(self) -> None:
        with self._lock:
            self._reader.close()

    def changes(self) -> int:
        """A figure that grows with every dispatch and stretch."""
        with self._lock:
            return self._changes()

    def _changes(self) -> int:
        query = "SELECT (SELECT count(*) FROM dispatches) + (SELECT count(*) FROM stretches)"
        query += " + (SELECT coalesce(max(id), 0) FROM events)"
        [(figure,)] = self._reader.select(query, (int,))
        return int(figure)

    def counted(self) -> Counted:
        return Counted(len(self._table.tops), len(self._table.scopes))

    def order(self, wish: Wish) -> Sequence[int]:
        """Numbers of traces. Whatever has come meanwhile is read first."""
        self._read()
        numbers = list(self._table.tops)
        if wish.key is SortKey.ARRIVAL and not wish.text and not wish.with_errors:
            return numbers[::-1] if wish.is_descending else numbers
        traces = [trace for number in numbers if (trace := self.trace(number)) is not None and _fits(trace, wish)]
        traces.sort(key=_KEYS[wish.key], reverse=wish.is_descending)
        return [trace.number for trace in traces]

    def trace(self, number: int) -> FactTrace | None:
        """One of them; None where there is none of this number."""
        table = self._table
        if number not in table.tops:
            return None
        place, forest = table.tops[number], table.forest
        spans = forest.spans[place : place + forest.sizes[place]]
        inside = [table.scopes[span] for span in spans if span >= 0]
        is_whole = spans[0] >= 0
        first = inside[0]
        end_ns = max(scope.wall_ns + scope.took_ns for scope in inside)
        return FactTrace(
            number,
            place,
            first.id,
            first.name if is_whole else f"{first.name} (what it is part of is missing)",
            next((scope.dialect for scope in inside if scope.dialect), ""),
            first.wall_ns,
            first.took_ns if is_whole else end_ns - first.wall_ns,
            len(inside),
            sum(scope.is_error for scope in inside),
        )

    def members(self, trace: FactTrace, most: int | None = None) -> Iterator[str]:
        """Ids of the dispatches and stretches of a trace, parents first."""
        table = self._table
        size = table.forest.sizes[trace.place]
        for span in table.forest.spans[trace.place : trace.place + (size if most is None else min(size, most))]:
            if span >= 0:
                yield table.scopes[span].id

    def _read(self) -> None:
        with self._lock:
            changes = self._changes()
            if changes == self._read_at:
                return
            scopes = self._rows()
            starts = [scope.wall_ns for scope in scopes]
            ends = [scope.wall_ns + scope.took_ns for scope in scopes]
            parents = [scope.parent.encode() for scope in scopes]
            forest = planted([scope.id.encode() for scope in scopes], parents, starts, ends)
            tops = sorted((_arrival(forest, place), place) for place, parent in enumerate(forest.parents) if parent < 0)
            self._table, self._read_at = _Table(scopes, forest, dict(tops)), changes

    def _rows(self) -> list[_Scope]:
        kinds: tuple[type, ...] = (str, str, str, str, int, int)
        found = [
            _Scope(identity, parent, f"{kind} {name}".strip(), "", wall_ns, self._length(identity), 0, first)
            for identity, parent, kind, name, wall_ns, first in self._reader.select(_STRETCHES, kinds)
        ]
        kinds = (str, str, str, str, int, int, int, int)
        found += [_Scope._make(row) for row in self._reader.select(_DISPATCHES, kinds)]
        found.sort(key=attrgetter("first_event"))
        return found

    def _length(self, stretch: str) -> int:
        """Nanoseconds between the first and the last that was told of a stretch."""
        query = "SELECT coalesce(max(at_ns) - min(at_ns), 0) FROM events WHERE scope = ?"
        [(length,)] = self._reader.select(query, (int,), stretch)
        return int(length)


_KEYS: Final[Mapping[SortKey, Callable[[FactTrace], Any]]] = {
    SortKey.ARRIVAL: attrgetter("number"),
    SortKey.START: attrgetter("wall_ns"),
    SortKey.TOOK: attrgetter("took_ns"),
    SortKey.SPANS: attrgetter("scopes"),
    SortKey.ERRORS: attrgetter("errors"),
    SortKey.NAME: attrgetter("name"),
}


def _arrival(forest: Forest, place: int) -> int:
    span = forest.spans[place]
    return span if span >= 0 else min(forest.spans[place + 1 : place + forest.sizes[place]])


def _fits(trace: FactTrace, wish: Wish) -> bool:
    if wish.with_errors and not trace.errors:
        return False
    text = wish.text.casefold()
    return not text or any(text in said.casefold() for said in (trace.name, trace.dialect, trace.id))
