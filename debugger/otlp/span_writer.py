"""A sink that writes spans to a recording, in batches, on a thread of its own. `span_reader` reads them back.

The table of traces is kept up with every batch, so that a list of traces costs no look at their spans.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from debugger.otlp import rows
from debugger.otlp.sink import Batch, Refused
from debugger.otlp.span_file import opened, standing, temporary
from debugger.otlp.spans import Span, service_of

MOST_WAITING: Final = 50_000
"""Spans that may wait for the disk. What does not fit is not taken, and its sender is told to come again."""
MOST_BYTES: Final = 256 * 2**20
"""Bytes that may wait, as they were sent."""
MOST_REFUSED: Final = 1_000
"""Requests that could not be used: the newest are kept."""
_INSERT: Final = f"INSERT INTO spans ({rows.COLUMNS}) VALUES ({', '.join('?' * 10)})"
_GROW: Final = """
INSERT INTO traces (id, number, touched, spans, errors, start_ns, end_ns, is_rootless, root_ns, root, service)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET
    touched = excluded.touched, spans = spans + excluded.spans, errors = errors + excluded.errors,
    start_ns = min(start_ns, excluded.start_ns), end_ns = max(end_ns, excluded.end_ns),
    root = CASE WHEN (excluded.is_rootless, excluded.root_ns) < (is_rootless, root_ns) THEN excluded.root ELSE root END,
    service = CASE
        WHEN (excluded.is_rootless, excluded.root_ns) < (is_rootless, root_ns) THEN excluded.service ELSE service END,
    root_ns = CASE WHEN excluded.is_rootless < is_rootless THEN excluded.root_ns
        WHEN excluded.is_rootless = is_rootless THEN min(root_ns, excluded.root_ns) ELSE root_ns END,
    is_rootless = min(is_rootless, excluded.is_rootless)
"""


@dataclass(frozen=True, slots=True)
class SpanCaps:
    """How much is kept; 0 = everything. Whole traces go, those first that have not grown for longest."""

    spans: int = 0
    bytes: int = 0
    """Of the file, dispatches in it included."""


@dataclass(slots=True)
class _Growth:
    """What one batch brings to one trace."""

    spans: int = 0
    errors: int = 0
    start_ns: int = 2**63 - 1
    end_ns: int = -(2**63)
    rank: tuple[bool, int] = (True, 2**63 - 1)
    root: str = ""
    service: str = ""

    def take(self, span: Span) -> None:
        start_ns, end_ns = rows.signed(span.start_ns), rows.signed(span.end_ns)
        self.spans += 1
        self.errors += span.is_error
        self.start_ns = min(self.start_ns, start_ns)
        self.end_ns = max(self.end_ns, end_ns, start_ns)
        rank = (bool(span.parent_id), start_ns)
        if self.spans == 1 or rank < self.rank:
            self.rank, self.root, self.service = rank, span.name, service_of(span.resource)


class SpanWriter:
    """Keeps every batch. `close` waits until all of it is on the disk."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        caps: SpanCaps | None = None,
        most_waiting: int = MOST_WAITING,
        on_trouble: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Without a path a temporary file, which goes with the writer; a recording that is there is added to.

        Raises BadInput where it cannot be.
        """
        self._is_temporary = path is None
        path = temporary() if path is None else path
        self._caps = caps or SpanCaps()
        self._most_waiting = most_waiting
        self._on_trouble = on_trouble
        self._connection = opened(path)
        self._identity = os.stat(path).st_ino
        self.kept = standing(self._connection, path)
        """Replaced as a whole: may be read from any thread."""
        self._number, self._touched = self._last_numbers()
        self._origins: dict[bytes, int] = {}
        self._waiting: deque[Batch] = deque()
        self._refused: deque[Refused] = deque(maxlen=MOST_REFUSED)  # older ones would not be kept in the file either
        self._waiting_spans = self._waiting_bytes = 0
        self._change = threading.Condition()
        self._is_closing = self._is_writing = False
        self._thread = threading.Thread(target=self._work, name="spans", daemon=True)
        self._thread.start()

    def take(self, batch: Batch) -> bool:
        with self._change:
            has_room = self._waiting_spans < self._most_waiting and self._waiting_bytes < MOST_BYTES
            if self._is_closing or not has_room:  # one batch may be more than the room: it is taken by an empty queue
                return False
            self._waiting.append(batch)
            self._waiting_spans += len(batch.spans)
            self._waiting_bytes += batch.size
            self._change.notify_all()
        return True

    def refuse(self, refused: Refused) -> None:
        with self._change:
            self._refused.append(refused)
            self._change.notify_all()

    def settle(self, seconds: float = 30.0) -> bool:
        """Wait until everything that was taken so far is on the disk; False if that takes longer."""
        with self._change:
            return self._change.wait_for(lambda: not self._has_work and not self._is_writing, seconds)

    def close(self) -> None:
        """Write what is left; idempotent. A temporary file is removed."""
        with self._change:
            self._is_closing = True
            self._change.notify_all()
        self._thread.join()
        if self._is_temporary:
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{self.kept.path}{suffix}")

    def __enter__(self) -> SpanWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- on the thread -------------------------------------------------------------------------------------------

    @property
    def _has_work(self) -> bool:
        return bool(self._waiting or self._refused)

    def _work(self) -> None:
        while True:
            with self._change:
                self._change.wait_for(lambda: self._has_work or self._is_closing)
                if not self._has_work:
                    break
                batches, refused = tuple(self._waiting), tuple(self._refused)
                self._waiting.clear()
                self._refused.clear()
                self._is_writing = True
            self._write(batches, refused)
            with self._change:
                self._waiting_spans -= sum(len(batch.spans) for batch in batches)
                self._waiting_bytes -= sum(batch.size for batch in batches)
                self._is_writing = False
                self.kept = replace(self.kept, waiting=self._waiting_spans)
                self._change.notify_all()
        with contextlib.suppress(sqlite3.Error):  # locked while somebody else has it open, who will do it then
            self._connection.execute("PRAGMA busy_timeout = 0")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()

    def _write(self, batches: Sequence[Batch], refused: Sequence[Refused]) -> None:
        spans = sum(len(batch.spans) for batch in batches)
        if self.kept.trouble:
            self.kept = replace(self.kept, lost=self.kept.lost + spans)
            return
        before, numbers = self.kept, (self._number, self._touched)
        try:
            self._check_file()
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._check_numbers()
                self._insert(batches)
                self._insert_refused(refused)
                self._drop_over_caps()
                self._keep_counts()
        except (sqlite3.Error, OSError) as error:
            sentence = f"{before.path}: no span is stored any more: {error}"
            self.kept = replace(before, lost=before.lost + spans, trouble=sentence)
            self._number, self._touched = numbers
            self._on_trouble(sentence)

    def _check_file(self) -> None:
        """A file that was deleted or replaced under us would swallow everything without a word."""
        try:
            is_ours = os.stat(self.kept.path).st_ino == self._identity
        except FileNotFoundError:
            raise OSError("the file was deleted meanwhile") from None
        if not is_ours:
            raise OSError("the file was replaced by another one meanwhile")

    def _check_numbers(self) -> None:
        """Numbers that we never gave are those of somebody else who writes here."""
        number, touched = self._last_numbers()
        if number > self._number or touched > self._touched:
            raise OSError("another program adds spans to it as well, and one file is for one of them")

    def _insert(self, batches: Iterable[Batch]) -> None:
        """The spans of all batches, and what they mean for their traces."""
        grown: dict[bytes, _Growth] = {}
        made: list[rows.Row] = []
        for batch in batches:
            resource = scope = None
            origin = 0
            for span in batch.spans:
                if span.resource is not resource or span.scope is not scope:
                    resource, scope = span.resource, span.scope
                    origin = self._origin(rows.packed_origin(resource, scope))
                made.append(rows.row(span, origin))
                growth = grown.get(span.trace_id)
                if growth is None:
                    growth = grown[span.trace_id] = _Growth()
                growth.take(span)
        if not made:
            return
        self._connection.executemany(_INSERT, made)
        self._touched += 1
        known = self._known(grown)
        traces = []
        for trace, growth in grown.items():
            self._number += trace not in known
            span_figures = (growth.spans, growth.errors, growth.start_ns, growth.end_ns)
            number = self._number  # of a known trace it is not used
            traces.append(
                (trace, number, self._touched, *span_figures, *growth.rank, growth.root, growth.service),
            )
        self._connection.executemany(_GROW, traces)
        self.kept = replace(
            self.kept, spans=self.kept.spans + len(made), traces=self.kept.traces + len(grown) - len(known)
        )

    def _known(self, traces: Iterable[bytes]) -> set[bytes]:
        find = "SELECT 1 FROM traces WHERE id = ?"
        return {trace for trace in traces if self._connection.execute(find, (trace,)).fetchone()}

    def _origin(self, packed: bytes) -> int:
        number = self._origins.get(packed)
        if number is None:
            execute = self._connection.execute
            execute("INSERT OR IGNORE INTO origins (body) VALUES (?)", (packed,))
            [number] = execute("SELECT id FROM origins WHERE body = ?", (packed,)).fetchone()
            if len(self._origins) > 10_000:
                self._origins.clear()
            self._origins[packed] = number
        return number

    def _insert_refused(self, refused: Sequence[Refused]) -> None:
        if not refused:
            return
        self._connection.executemany(
            "INSERT INTO refusals (wall_ns, source, bytes, why, head) VALUES (?, ?, ?, ?, ?)",
            [(each.wall_ns, each.source, each.size, each.why, each.head) for each in refused],
        )
        self._connection.execute("DELETE FROM refusals WHERE id <= (SELECT max(id) FROM refusals) - ?", (MOST_REFUSED,))

    def _drop_over_caps(self) -> None:
        if self._caps.spans and self.kept.spans > self._caps.spans:
            self._drop(self.kept.spans - self._caps.spans)
        while self._caps.bytes and self.kept.spans and (size := self._size()) > self._caps.bytes:
            share = 1 - 0.9 * self._caps.bytes / size  # a bit more than needed: a drop costs more than a write
            self._drop(max(1, round(self.kept.spans * share)))

    def _size(self) -> int:
        [pages], [free], [size] = (
            self._connection.execute(f"PRAGMA {name}").fetchone()
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _drop(self, number: int) -> None:
        """Whole traces until so many spans are gone, and the origins that nobody refers to any more."""
        gone: list[bytes] = []
        dropped = 0
        for trace, spans in self._connection.execute("SELECT id, spans FROM traces ORDER BY touched, number"):
            if dropped >= number:
                break
            gone.append(trace)
            dropped += spans
        self._connection.executemany("DELETE FROM spans WHERE trace = ?", [(trace,) for trace in gone])
        self._connection.executemany("DELETE FROM traces WHERE id = ?", [(trace,) for trace in gone])
        was = self.kept
        self.kept = replace(
            was,
            spans=was.spans - dropped,
            traces=was.traces - len(gone),
            dropped_traces=was.dropped_traces + len(gone),
            dropped_spans=was.dropped_spans + dropped,
        )
        if self.kept.spans == 0:
            self._connection.execute("DELETE FROM origins")
            self._origins.clear()

    def _keep_counts(self) -> None:
        """What was dropped travels with the file."""
        counts = (("dropped_traces", self.kept.dropped_traces), ("dropped_spans", self.kept.dropped_spans))
        self._connection.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?)", counts)

    def _last_numbers(self) -> tuple[int, int]:
        query = "SELECT coalesce(max(number), 0), coalesce(max(touched), 0) FROM traces"
        [(number, touched)] = self._connection.execute(query).fetchall()
        return number, touched
