"""A stored file, read page by page. Reading never changes it, unless its format is an older one."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from debugger.store import codec
from debugger.store.notes import Remark
from debugger.store.opened import HEADER, is_recording, opened, readable
from debugger.trace import DispatchTrace, Trace
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import Decided, Event
from kernel.values import JSON, Payload

__all__ = ["HEADER", "PAGE", "Recording", "Row", "Standing", "Unreadable", "is_recording"]

_COUNT = (int, type(None))
_ROW = (str, int, str, str, str, int, int, str, str, str, _COUNT, _COUNT, _COUNT, _COUNT, (str, type(None)))
_COLUMNS = (
    "id, number, dialect, point, parent, wall_ns, took_ns, ending, decision, status, "
    "changes, errors, denials, steered, decided"
)
PAGE = 500
"""Rows that are read at a time."""
MOST_PAYLOADS = 1000
MOST_BYTES = 32 * 2**20
"""Of payloads that are kept once they were read."""
Kind: TypeAlias = type | tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A stored dispatch in short."""

    id: str
    number: int
    dialect: str
    point: str
    parent: str
    wall_ns: int
    took_ns: int
    ending: str
    decision: str
    status: str
    changes: int | None = None
    """Of the payload. This and what follows is None where an older version recorded: see debugger/store/short.py."""
    errors: int | None = None
    denials: int | None = None
    steered: int | None = None
    decided: str | None = None
    """What the host then did, in its last word; empty where that is not told."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How much is in a recording by now."""

    dispatches: int = 0
    first: int = 0
    """Number of the oldest that is there; 0 for none."""
    last: int = 0
    dropped: int = 0
    """Whole dispatches that had to go because of a cap."""

    @property
    def is_gapless(self) -> bool:
        """Whether every number from the first to the last is there: it is, unless somebody else had a hand in it."""
        return self.last - self.first + 1 == self.dispatches


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A payload of which nothing but its bytes is known: its dialect would not take them."""

    body: bytes
    digest: str
    why: str

    @property
    def view(self) -> JSON:
        return {"$unreadable": self.why, "$hex": self.body[:1024].hex()}


class Recording:
    """An open recording. Not for use from several threads at once; raises BadInput for whatever is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = opened(path)
        self._is_read = threading.Lock()  # SQLite takes the process with it where a connection is closed under a query
        self._payloads: dict[str, Payload] = {}
        self._bytes = 0

    def close(self) -> None:
        """After the query that another thread is at. Whoever asks later gets BadInput."""
        with self._is_read:
            self._connection.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def about(self) -> Mapping[str, str]:
        """What was recorded: see provenance."""
        return dict(self._rows("SELECT key, value FROM about", (str, str)))

    def __len__(self) -> int:
        """Number of dispatches."""
        [(count,)] = self._rows("SELECT count(*) FROM dispatches", (int,))
        found: int = count
        return found

    def rows(self, after: int = 0, most: int = PAGE) -> tuple[Row, ...]:
        """The dispatches behind that of a number, in order."""
        query = f"SELECT {_COLUMNS} FROM dispatches WHERE number > ? ORDER BY number LIMIT ?"  # our own
        return tuple(Row(*row) for row in self._rows(query, _ROW, after, most))

    def row(self, dispatch: str) -> Row | None:
        """A dispatch by its id."""
        found = self._rows(f"SELECT {_COLUMNS} FROM dispatches WHERE id = ?", _ROW, dispatch)
        return Row(*found[0]) if found else None

    def nearest(self, number: int, by: int, *, point: str = "", such: str = "") -> Row | None:
        """The next (by = 1) or previous (by = -1) dispatch of a point, or that has some `such`: changes, errors,
        denials. One of which that is not known counts as having some.
        """
        order, beyond = ("ASC", ">") if by > 0 else ("DESC", "<")
        wanted, values = ("AND point = ?", (point,)) if point else ("", ())
        if such:
            assert such in ("changes", "errors", "denials"), "our own columns"
            wanted += f" AND ({such} IS NULL OR {such} > 0)"
        query = f"SELECT {_COLUMNS} FROM dispatches WHERE number {beyond} ? {wanted} ORDER BY number {order} LIMIT 1"
        found = self._rows(query, _ROW, number, *values)
        return Row(*found[0]) if found else None

    @property
    def standing(self) -> Standing:
        """How much there is by now."""
        query = "SELECT count(*), coalesce(min(number), 0), coalesce(max(number), 0) FROM dispatches"
        [(count, first, last)] = self._rows(query, (int, int, int))
        dropped = 0
        if self._rows("SELECT name FROM sqlite_master WHERE name = 'counts'", (str,)):
            rows = self._rows("SELECT value FROM counts WHERE name = 'dropped_dispatches'", (int,))
            dropped = rows[0][0] if rows else 0
        return Standing(count, first, last, dropped)

    @property
    def has_spans(self) -> bool:
        """Whether spans of other programs were received into it."""
        is_there = self._rows("SELECT name FROM sqlite_master WHERE name = 'spans'", (str,))
        return bool(is_there and self._rows("SELECT id FROM spans LIMIT 1", (int,)))

    @property
    def edition(self) -> int:
        """Another number whenever somebody else has written to the file since it was asked last."""
        [(found,)] = self._rows("PRAGMA data_version", (int,))
        return int(found)

    def numbers(self) -> array[int]:
        """The number of every dispatch, in order."""
        return array("q", (number for (number,) in self._rows("SELECT number FROM dispatches ORDER BY number", (int,))))

    def looks(self, after: int = -1) -> Iterator[tuple[int, str, str, str, str, int | None, int | None, str | None]]:
        """Of every dispatch behind that of a number: its own number, and all that makes it look like another one in a
        list: point, ending, decision, status, changes, steered, decided.
        """
        columns = "number, point, ending, decision, status, changes, steered, decided"
        kinds = (int, str, str, str, str, _COUNT, _COUNT, (str, type(None)))
        last = after
        while page := self._rows(
            f"SELECT {columns} FROM dispatches WHERE number > ? ORDER BY number LIMIT 5000", kinds, last
        ):
            yield from page
            last = page[-1][0]

    def remarks(self) -> dict[str, Remark]:
        """What readers said, by the id of the dispatch."""
        if not self._rows("SELECT name FROM sqlite_master WHERE name = 'notes'", (str,)):
            return {}
        rows = self._rows("SELECT dispatch, mark, text, wall_ns FROM notes", (str, int, str, int))
        return {row[0]: Remark(row[0], bool(row[1]), row[2], row[3]) for row in rows}

    def inside(self, parent: str) -> tuple[tuple[str, int], ...]:
        """What happened in a stretch or dispatch, in order of beginning: ids, and of each the row of its last event."""
        query = (
            "SELECT id, wall_ns, last_event FROM dispatches WHERE parent = ? "
            "UNION ALL SELECT id, wall_ns, first_event FROM stretches WHERE parent = ? ORDER BY 2, 3"
        )
        if not self._rows("SELECT name FROM sqlite_master WHERE name = 'stretches'", (str,)):
            return ()
        return tuple((row[0], row[2]) for row in self._rows(query, (str, int, int), parent, parent))

    def decisions(self, stretch: str) -> Iterator[tuple[int, Decided]]:
        """What the host decided in a stretch, each with its row."""
        query = "SELECT id, body FROM events WHERE scope = ? ORDER BY id"
        for place, body in self._rows(query, (int, bytes), stretch):
            fact = codec.decode(body, self._payload)
            if isinstance(fact, Decided):
                yield place, fact

    def events(self, scope: str | None = None) -> Iterator[Event]:
        """Everything that was told, in the order of storing; of one dispatch or stretch only, if so wished."""
        where, values = ("WHERE scope = ?", (scope,)) if scope is not None else ("", ())
        last = 0
        while True:
            glue = "AND" if where else "WHERE"
            query = f"SELECT id, scope, number, at_ns, body FROM events {where} {glue} id > ? ORDER BY id LIMIT ?"
            page = self._rows(query, (int, str, int, int, bytes), *values, last, PAGE)
            for place, scoped, number, at_ns, body in page:
                last = place
                yield Event(scoped, number, at_ns, codec.decode(body, self._payload))
            if len(page) < PAGE:
                return

    def trace(self, dispatch: str) -> DispatchTrace:
        """One dispatch; raises BadInput where there is none of this id."""
        trace = Trace()
        for event in self.events(dispatch):
            trace.take(event)
        found = trace.find(dispatch)
        if found is None:
            raise BadInput(f"{self.path}: no dispatch {dispatch}")
        return found

    def _payload(self, digest: str) -> Payload:
        if digest not in self._payloads:
            query = "SELECT dialect, point, body FROM payloads WHERE digest = ?"
            found = self._rows(query, (str, str, bytes), digest)
            if not found:
                raise BadInput(f"{self.path}: the payload {digest[:12]} is missing")
            dialect, point, body = found[0]
            self._bytes += len(body)
            while self._payloads and (len(self._payloads) >= MOST_PAYLOADS or self._bytes > MOST_BYTES):
                self._bytes -= len(self._payloads.pop(next(iter(self._payloads))).body)
            self._payloads[digest] = _payload(dialect, point, body, digest)
        return self._payloads[digest]

    def _rows(self, query: str, kinds: tuple[Kind, ...], *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query, each value of the kind that it should be: a stranger's file may hold anything."""
        with self._is_read, readable(self.path):
            rows = self._connection.execute(query, values).fetchall()
        for row in rows:
            if not all(isinstance(value, kind) for value, kind in zip(row, kinds, strict=True)):
                raise BadInput(f"{self.path} is damaged: a value is of another kind than it should be")
        return rows


def _payload(dialect: str, point: str, body: bytes, digest: str) -> Payload:
    try:
        found = named(dialect).payload_from_body(point, body)
    except BadInput as error:
        return Unreadable(body, digest, error.message)
    if found.digest != digest:
        raise BadInput(f"the payload {digest[:12]} is damaged: its content has another hash")
    return found
