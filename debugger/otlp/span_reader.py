"""The spans of a recording, read page by page, while they are being written or afterwards. Reading never changes it."""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, get_args

from debugger.otlp import rows
from debugger.otlp.sink import Refused
from debugger.otlp.spans import Code, Resource, Scope, Span
from debugger.otlp.tree import Bone, Node, folded, grown
from debugger.store import schema
from debugger.store.recording import HEADER
from kernel.errors import BadInput

PAGE: Final = 500
"""Rows that are read at a time."""
MOST_ORIGINS: Final = 1_000
"""Resources with their scopes that are kept decoded."""
_SPAN: Final = (bytes, bytes, bytes, str, int, int, int, int | None, int, bytes)
_TRACE: Final = "id, number, touched, spans, errors, start_ns, end_ns, is_rootless, root, service"


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A stored trace in short."""

    id: bytes
    number: int
    """Counts traces from 1, in order of their first spans."""
    touched: int
    """Grows whenever spans arrive: a trace whose figure is the same has not changed."""
    spans: int
    errors: int
    start_ns: int
    end_ns: int
    has_root: bool
    """Whether a span without a parent has come; until then the earliest one stands for it."""
    root: str
    service: str

    @property
    def took_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class SpanRow:
    """A place in a trace's tree with what a list shows of the span; None of it for a missing parent."""

    node: Node
    name: str = ""
    service: str = ""
    kind: int = 0
    start_ns: int = 0
    end_ns: int = 0
    is_error: bool = False


class SpanReader:
    """The spans of one file. Not for use from several threads at once; raises BadInput for whatever is damaged."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection = _opened(path)
        self._is_read = threading.Lock()  # SQLite takes the process with it where a connection is closed under a query
        self._origins: dict[int, tuple[Resource, Scope]] = {}
        tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
        self.has_tables = {"spans", "traces", "origins"} <= {name for (name,) in self.select(tables, (str,))}

    def close(self) -> None:
        """After the query that another thread is at. Whoever asks later gets BadInput."""
        with self._is_read:
            self._connection.close()

    def interrupt(self) -> None:
        """End the query that another thread is at, with BadInput over there."""
        with suppress(sqlite3.ProgrammingError):  # closed already
            self._connection.interrupt()

    def __enter__(self) -> SpanReader:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of traces."""
        if not self.has_tables:
            return 0
        [(count,)] = self.select("SELECT count(*) FROM traces", (int,))
        found: int = count
        return found

    @property
    def dropped(self) -> Mapping[str, int]:
        """What had to go because of a cap: `dropped_traces`, `dropped_spans`."""
        return dict(self.select("SELECT name, value FROM counts", (str, int))) if self.has_tables else {}

    def traces(self, after: int = 0, most: int = PAGE) -> tuple[TraceRow, ...]:
        """The traces behind that of a number, in order of arrival."""
        return self._traces("WHERE number > ? ORDER BY number LIMIT ?", after, most)

    def newest(self, before: int | None = None, most: int = PAGE) -> tuple[TraceRow, ...]:
        """The traces before that of a number, the newest first; None for the very newest."""
        limit = 2**62 if before is None else before
        return self._traces("WHERE number < ? ORDER BY number DESC LIMIT ?", limit, most)

    def trace(self, trace: bytes) -> TraceRow:
        """One of them; raises BadInput where there is none of this id."""
        found = self._traces("WHERE id = ?", trace)
        if not found:
            raise BadInput(f"{self.path}: no trace {trace.hex()}")
        return found[0]

    def _traces(self, where: str, *values: object) -> tuple[TraceRow, ...]:
        if not self.has_tables:
            return ()
        kinds = (bytes, int, int, int, int, int, int, int, str, str)
        found = self.select(f"SELECT {_TRACE} FROM traces {where}", kinds, *values)  # our own words
        return tuple(
            TraceRow(whose, number, touched, spans, errors, start_ns, end_ns, not is_rootless, root, service)
            for whose, number, touched, spans, errors, start_ns, end_ns, is_rootless, root, service in found
        )

    def tree(self, trace: bytes) -> tuple[Node, ...]:
        """All places of a trace's tree, in order. Reads ids and times only: what is there comes with `page`."""
        if not self.has_tables:
            return ()
        query = "SELECT id, span, parent, start_ns, end_ns FROM spans WHERE trace = ? ORDER BY id"
        bones = [
            Bone(row, span, parent, rows.unsigned(start_ns), rows.unsigned(end_ns))
            for row, span, parent, start_ns, end_ns in self.select(query, (int, bytes, bytes, int, int), trace)
        ]
        return grown(folded(bones, self._alike([bone.row for bone in bones], [bone.span_id for bone in bones])))

    def alike(self, keys: Sequence[int], ids: Sequence[bytes]) -> dict[int, int]:
        """By place among these spans, in order of arrival: how often exactly that one was sent; 0 for a later copy.

        Spans that were sent once are not in it.
        """
        places = {key: place for place, key in enumerate(keys)}
        found: dict[int, int] = {}
        for group in self._alike(keys, ids):
            found |= {places[key]: 0 for key in group} | {places[min(group)]: len(group)}
        return found

    def _alike(self, keys: Sequence[int], ids: Sequence[bytes]) -> list[list[int]]:
        """Rows of spans that are exactly alike: sent again, because an answer was lost on its way."""
        if len(set(ids)) == len(ids):
            return []
        by_id: dict[bytes, list[int]] = defaultdict(list)
        for key, identity in zip(keys, ids, strict=True):
            by_id[identity].append(key)
        by_content: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for repeated in by_id.values():
            if len(repeated) > 1:
                for row in repeated:
                    by_content[self._stored(row)].append(row)
        return [group for group in by_content.values() if len(group) > 1]

    def page(self, nodes: Sequence[Node]) -> tuple[SpanRow, ...]:
        """What a list shows of some places."""
        found: dict[int, tuple[Any, ...]] = {}
        wanted = [node.row for node in nodes if node.row is not None]
        kinds = (int, str, int, int, int, int | None, int)
        for at in range(0, len(wanted), PAGE):
            some = wanted[at : at + PAGE]
            marks = ", ".join("?" * len(some))
            query = f"SELECT id, name, kind, start_ns, end_ns, status, origin FROM spans WHERE id IN ({marks})"
            found |= {row[0]: row[1:] for row in self.select(query, kinds, *some)}
        return tuple(self._row(node, found.get(-1 if node.row is None else node.row)) for node in nodes)

    def _row(self, node: Node, found: tuple[Any, ...] | None) -> SpanRow:
        if found is None:  # a missing parent; or dropped since the tree was read
            return SpanRow(node)
        name, kind, start_ns, end_ns, status, origin = found
        resource, _ = self.origin(origin)
        service = next((str(value) for key, value in resource.attributes if key == "service.name"), "")
        times = rows.unsigned(start_ns), rows.unsigned(end_ns)
        return SpanRow(node, name, service, kind, *times, status == Code.ERROR)

    def span(self, row: int) -> Span:
        """Everything about one span; raises BadInput where it is gone."""
        stored = self._stored(row)
        return rows.span(stored, *self.origin(stored[8]))

    def spans(self, trace: bytes | None = None) -> Iterator[Span]:
        """Spans in order of arrival; of one trace only, if so wished."""
        where, values = ("trace = ? AND", (trace,)) if trace is not None else ("", ())
        last = 0
        while self.has_tables:
            query = f"SELECT id, {rows.COLUMNS} FROM spans WHERE {where} id > ? ORDER BY id LIMIT ?"
            page = self.select(query, (int, *_SPAN), *values, last, PAGE)
            for place, *stored in page:
                last = place
                row: rows.Row = tuple(stored)
                yield rows.span(row, *self.origin(row[8]))
            if len(page) < PAGE:
                return

    def refusals(self, after: int = 0, most: int = PAGE) -> tuple[tuple[int, Refused], ...]:
        """Requests that could not be used, each with its number, behind that of a number."""
        if not self.has_tables:
            return ()
        query = "SELECT id, source, wall_ns, bytes, why, head FROM refusals WHERE id > ? ORDER BY id LIMIT ?"
        found = self.select(query, (int, str, int, int, str, bytes), after, most)
        return tuple((number, Refused(*rest)) for number, *rest in found)

    def _stored(self, row: int) -> rows.Row:
        found = self.select(f"SELECT {rows.COLUMNS} FROM spans WHERE id = ?", _SPAN, row)
        if not found:
            raise BadInput(f"{self.path}: the span is not there any more")
        stored: rows.Row = tuple(found[0])
        return stored

    def origin(self, number: int) -> tuple[Resource, Scope]:
        """Who sent spans, and which instrumentation made them, by their number; raises BadInput where it is gone."""
        known = self._origins.get(number)
        if known is None:
            found = self.select("SELECT body FROM origins WHERE id = ?", (bytes,), number)
            if not found:
                raise BadInput(f"{self.path} is damaged: it does not say where a span comes from")
            if len(self._origins) >= MOST_ORIGINS:
                del self._origins[next(iter(self._origins))]
            known = self._origins[number] = rows.origin(found[0][0])
        return known

    def select(self, query: str, kinds: tuple[Any, ...], *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query, each value of the kind that it should be: a stranger's file may hold anything."""
        with self._is_read, _readable(self.path):
            found = self._connection.execute(query, values).fetchall()
        for column, kind in zip(zip(*found, strict=True), kinds, strict=False):  # no column where there is no row
            if not set(map(type, column)) <= set(get_args(kind) or (kind,)):
                raise BadInput(f"{self.path} is damaged: a value is of another kind than it should be")
        return found


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}", fix="it may be damaged or cut short") from error


def _opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise BadInput(f"{path} is no file" if path.exists() else f"{path} does not exist")
    with _readable(path):
        with path.open("rb") as file:
            if not file.read(16).startswith(HEADER):
                raise BadInput(f"{path} is no recording: it is not even an SQLite file")
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False, timeout=5.0
        )
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.execute("PRAGMA trusted_schema = OFF")  # a file from a stranger runs nothing of its own
        connection.execute("PRAGMA cell_size_check = ON")
        connection.create_function("fold", 1, _case_folded, deterministic=True)
        schema.version_of(connection, str(path))
    return connection


def _case_folded(text: object) -> str:
    """For queries that do not tell small letters from large ones, whatever the alphabet."""
    return str(text).casefold()
