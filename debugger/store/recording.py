"""A stored file, read page by page. Reading never changes it, unless its format is an older one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from debugger.store import codec, schema
from debugger.trace import DispatchTrace, Trace
from kernel.dialects import named
from kernel.errors import BadInput
from kernel.facts import Event
from kernel.values import JSON, Payload

HEADER = b"SQLite format 3\0"
_ROW = (str, int, str, str, str, int, int, str, str, str)
PAGE = 500
"""Rows that are read at a time."""


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
        self._connection = _opened(path)
        self._payloads: dict[str, Payload] = {}

    def close(self) -> None:
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
        columns = "id, number, dialect, point, parent, wall_ns, took_ns, ending, decision, status"
        query = f"SELECT {columns} FROM dispatches WHERE number > ? ORDER BY number LIMIT ?"  # our own
        return tuple(Row(*row) for row in self._rows(query, _ROW, after, most))

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
            if len(self._payloads) >= 1000:
                del self._payloads[next(iter(self._payloads))]
            dialect, point, body = found[0]
            self._payloads[digest] = _payload(dialect, point, body, digest)
        return self._payloads[digest]

    def _rows(self, query: str, kinds: tuple[type, ...], *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query, each value of the kind that it should be: a stranger's file may hold anything."""
        with _readable(self.path):
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


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes damaged names in its own messages
        raise BadInput(f"{path} cannot be read: {error}", fix="it may be damaged or cut short") from error


def is_recording(path: Path) -> bool:
    """Whether a file looks like one, whatever its name."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError:
        return False
    return head.startswith(HEADER) and head[68:72] == schema.APPLICATION_ID.to_bytes(4, "big")


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise BadInput(f"{path} is no file" if path.exists() else f"{path} does not exist")
    with path.open("rb") as file:
        if not file.read(16).startswith(HEADER):
            raise BadInput(f"{path} is no recording: it is not even an SQLite file")
    with _readable(path):
        connection = _connected(path, "mode=ro")
        version = schema.version_of(connection, str(path))
        if version < schema.VERSION:
            connection.close()
            connection = _connected(path, "mode=rw")
            schema.upgrade(connection, version)
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if missing := {"about", "payloads", "events", "dispatches"} - known:
            raise BadInput(f"{path} is a damaged recording: it has no table {', '.join(sorted(missing))}")
        return connection


def _connected(path: Path, mode: str) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    try:
        connection = sqlite3.connect(f"{uri}?{mode}", uri=True, check_same_thread=False)
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.execute("PRAGMA trusted_schema = OFF")  # a file from a stranger runs nothing of its own
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
        if Path(f"{path}-wal").exists():
            raise BadInput(
                f"{path} was not closed, and its folder cannot be written", fix="copy all of its files elsewhere"
            ) from error
        connection = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True, check_same_thread=False)
    return connection
