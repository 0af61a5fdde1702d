"""A session of pluggableharness in its SQLite file, read and never written (spec F.3, B.7): tables to values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Self

from kernel.dialects.pluggable.events import HOOK_ERROR, decoded
from kernel.dialects.pluggable.sqlite import Cell, ReadOnly, text_of
from kernel.errors import BadInput
from kernel.stored import CostTotal, PlanItemRow, SessionMeta, StoredEvent, Undecodable
from kernel.values import Producer

SCHEMA: Final = 1
"""The newest user_version that we read."""
PAGE: Final = 200
"""Rows that are read at once, unless their payloads fill PAGE_BYTES before."""
PAGE_BYTES: Final = 8 << 20
MAX_PAYLOAD: Final = 16 << 20
"""Bytes of a payload that are read; gRPC's own limit for a message is 4 MiB."""
WAIT_S: Final = 2.0
"""How long to wait for somebody else's lock."""

_FIRST: Final = -(2**63)
_EVENTS: Final = "sequence id timestamp kind producer_category producer_name producer_version schema_version payload"
_META: Final = "session_id parent_session_id profile status depth started_at ended_at"
_COSTS: Final = (
    "sequence event_sequence provider_name model_id "
    "input_tokens output_tokens cache_write_tokens cache_read_tokens cost_usd"
)
_PLAN_ITEMS: Final = "sequence event_sequence turn_id tool_call_id provider_name tool_name decision decided_by"
_TABLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "events": tuple(_EVENTS.split()),
        "session_meta": tuple(_META.split()),
        "cost_ledger": tuple(_COSTS.split()),
        "plan_items": tuple(_PLAN_ITEMS.split()),
    }
)
"""What is read; tables and columns beside these are nobody's business here."""


@dataclass(frozen=True, slots=True)
class CostRow:
    """What one answer of a model cost."""

    sequence: int
    event_sequence: int
    provider: str
    model: str
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    cost_usd: float


def open_state(path: Path) -> SessionFile:
    """What the registry of dialects asks for. Raises BadInput."""
    return SessionFile.open(path)


def cost_totals(rows: Iterable[CostRow]) -> tuple[CostTotal, ...]:
    """Sums for each provider and model, the dearest first."""
    sums: dict[tuple[str, str], CostTotal] = {}
    for row in rows:
        key = (row.provider, row.model)
        so_far = sums.get(key, CostTotal(*key, 0, 0, 0, 0, 0, 0.0))
        sums[key] = CostTotal(
            *key,
            so_far.answers + 1,
            so_far.input_tokens + row.input_tokens,
            so_far.output_tokens + row.output_tokens,
            so_far.cache_write_tokens + row.cache_write_tokens,
            so_far.cache_read_tokens + row.cache_read_tokens,
            so_far.cost_usd + row.cost_usd,
        )
    return tuple(sorted(sums.values(), key=lambda total: (-total.cost_usd, total.provider, total.model)))


class SessionFile:
    """A session file open for reading: `with SessionFile.open(path) as session`. Belongs to the thread that opened it.

    Every method reads what is in the file at that moment and raises BadInput where the file turns out to be damaged.
    No lock is held between calls, nor between the pages of an iterator.
    """

    def __init__(self, file: ReadOnly) -> None:
        self.path = file.path
        self._file = file

    @classmethod
    def open(cls, path: Path, *, wait_s: float = WAIT_S) -> Self:
        """Open and check a file; raises BadInput with what is wrong and the way out."""
        file = ReadOnly.open(path, wait_s)
        try:
            _check(file)
        except BaseException:
            file.close()
            raise
        return cls(file)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def meta(self) -> SessionMeta | None:
        """The session's own row; None where the agent has not written it."""
        for row in self._table("session_meta", "LIMIT 1", ()):
            cells = _Cells(self.path, "session_meta", row)
            return SessionMeta(
                cells.text("session_id"),
                cells.optional("parent_session_id"),
                cells.text("profile"),
                cells.text("status"),
                cells.whole("depth"),
                cells.text("started_at"),
                cells.optional("ended_at"),
            )
        return None

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many events there are of each kind, the most frequent first."""
        counts = self._file.rows("SELECT kind, COUNT(*) FROM events GROUP BY kind ORDER BY 2 DESC, 1", ())
        return {text_of(kind): int(count) for kind, count in counts if isinstance(count, int)}

    def page(self, after: int = _FIRST, *, kind: str | None = None, limit: int = PAGE) -> tuple[StoredEvent, ...]:
        """The next events after a sequence: at most `limit`, fewer where they are large, none at the end."""
        columns = ", ".join(_TABLES["events"][:-1])
        condition, wanted = ("", ()) if kind is None else ("AND kind = ?", (kind,))
        query = (
            f"SELECT {columns}, length(payload), CASE WHEN length(payload) <= {MAX_PAYLOAD} THEN payload END "
            f"FROM events WHERE sequence > ? {condition} ORDER BY sequence LIMIT ?"
        )
        events: list[StoredEvent] = []
        held = 0
        with closing(self._file.rows(query, (after, *wanted, limit))) as rows:
            for row in rows:
                event = _event(_Cells(self.path, "events", row, size=len(_TABLES["events"]) - 1))
                events.append(event)
                held += len(event.body)
                if held > PAGE_BYTES:
                    break
        return tuple(events)

    def events(self, *, kind: str | None = None, last: int | None = None) -> Iterator[StoredEvent]:
        """Every event in order, page by page; only the `last` ones if a number is given."""
        after = _FIRST if last is None else self._before_the_last(last, kind)
        while page := self.page(after, kind=kind):
            yield from page
            after = page[-1].sequence

    def failures(self) -> Iterator[StoredEvent]:
        """Every hook_error in order, readable or not."""
        return self.events(kind=HOOK_ERROR)

    def plan_items(self) -> Iterator[PlanItemRow]:
        """Every decision on an item of a plan, in the order in which they were stored."""
        for cells in self._all("plan_items"):
            yield PlanItemRow(
                cells.whole("sequence"),
                cells.whole("event_sequence"),
                cells.text("turn_id"),
                cells.text("tool_call_id"),
                cells.text("provider_name"),
                cells.text("tool_name"),
                cells.text("decision"),
                cells.text("decided_by"),
            )

    def costs(self) -> Iterator[CostRow]:
        """Every entry of the cost ledger, in order."""
        for cells in self._all("cost_ledger"):
            yield CostRow(
                cells.whole("sequence"),
                cells.whole("event_sequence"),
                cells.text("provider_name"),
                cells.text("model_id"),
                cells.whole("input_tokens"),
                cells.whole("output_tokens"),
                cells.whole("cache_write_tokens"),
                cells.whole("cache_read_tokens"),
                cells.number("cost_usd"),
            )

    def cost_totals(self) -> tuple[CostTotal, ...]:
        """Sums of the ledger."""
        return cost_totals(self.costs())

    def _before_the_last(self, last: int, kind: str | None) -> int:
        """The sequence after which the last so many events begin."""
        condition, wanted = ("", ()) if kind is None else ("WHERE kind = ?", (kind,))
        query = f"SELECT sequence FROM events {condition} ORDER BY sequence DESC LIMIT 1 OFFSET ?"
        for (sequence,) in list(self._file.rows(query, (*wanted, last))):
            assert isinstance(sequence, int), "rowids are"
            return sequence
        return _FIRST

    def _all(self, table: str) -> Iterator[_Cells]:
        after = _FIRST
        while rows := self._table(table, "WHERE sequence > ? ORDER BY sequence LIMIT ?", (after, PAGE)):
            for row in rows:
                cells = _Cells(self.path, table, row)
                yield cells
                after = cells.whole("sequence")

    def _table(self, table: str, condition: str, values: Sequence[Cell]) -> list[tuple[Cell, ...]]:
        return list(self._file.rows(f"SELECT {', '.join(_TABLES[table])} FROM {table} {condition}", values))


def _check(file: ReadOnly) -> None:
    """Raise BadInput unless the whole file is sound and is a session that we can read."""
    tables = file.tables()
    if missing := [name for name in _TABLES if name not in tables]:
        raise _foreign(file.path, f"has no table {missing[0]}")
    if (version := file.user_version()) > SCHEMA:
        raise BadInput(
            f"ErrSchemaTooNew: {file.path} has schema version {version}, and this hookscope reads up to {SCHEMA}; "
            "update hookscope"
        )
    for name, wanted in _TABLES.items():
        columns = file.columns(name)
        if gone := [column for column in wanted if column not in columns]:
            raise _foreign(file.path, f"has a table {name} without a column {gone[0]}")
    file.check()


def _foreign(path: Path, what: str) -> BadInput:
    return BadInput(
        f"{path} {what}, so it is no session of pluggableharness; "
        "those are in $XDG_STATE_HOME/agent/sessions, one .sqlite file a session"
    )


# -- cells -------------------------------------------------------------------------------------------------------


class _Cells:
    """One row by the names of its columns."""

    def __init__(self, path: Path, table: str, row: Sequence[Cell], size: int | None = None) -> None:
        self._path = path
        self._table = table
        self._named = dict(zip(_TABLES[table][:size], row[:size], strict=True))
        self.beyond = tuple(row[len(self._named) :])
        """What was selected beside the columns."""

    def text(self, name: str) -> str:
        return text_of(self._named[name])

    def optional(self, name: str) -> str | None:
        return None if self._named[name] is None else self.text(name)

    def whole(self, name: str) -> int:
        value = self._named[name]
        return value if isinstance(value, int) else self._refuse(name, "a whole number")

    def number(self, name: str) -> float:
        value = self._named[name]
        return float(value) if isinstance(value, int | float) else self._refuse(name, "a number")

    def _refuse(self, name: str, wanted: str) -> int:
        raise _foreign(
            self._path, f"has {_shown(self._named[name])} for {name} in {self._table}, where {wanted} belongs"
        )


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return "NULL"
        case bytes():
            return f"{len(cell)} bytes"
        case str():
            return repr(cell[:40])
        case _:
            return str(cell)


def _event(cells: _Cells) -> StoredEvent:
    kind, schema_version = cells.text("kind"), cells.text("schema_version")
    length, content = cells.beyond
    match content:
        case bytes():
            body, payload = content, decoded(kind, schema_version, content)
        case None if isinstance(length, int):
            body, payload = b"", Undecodable(f"its {length} bytes are more than we read ({MAX_PAYLOAD})")
        case _:
            body = b"" if content is None else text_of(content).encode("utf-8", "replace")
            payload = Undecodable("it is no BLOB, as the agent writes them")
    return StoredEvent(
        sequence=cells.whole("sequence"),
        id=cells.text("id"),
        timestamp=cells.text("timestamp"),
        kind=kind,
        producer=Producer(
            cells.text("producer_name"), cells.text("producer_version"), category=cells.text("producer_category")
        ),
        schema_version=schema_version,
        size=length if isinstance(length, int) else len(body),
        payload=payload,
        body=body,
    )
