"""A probe that writes what it sees to a recording. Never in the way of a dispatch: a thread of its own does the work.

A dispatch is stored with its end, all of it in one transaction: whatever happens to us, what is in the file is whole.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import tempfile
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from debugger.store import codec, schema
from debugger.store.caps import Caps
from debugger.store.rows import Rows
from debugger.store.short import in_short
from kernel.errors import BadInput
from kernel.facts import Asked, Changed, Decided, Ended, Entered, Event, Left, Opened, Replied
from kernel.values import Answered, Payload

SUFFIX = ".hookscope"
PAUSE_S = 0.05
"""How long the thread waits for more before it writes what there is."""
MOST_WAITING = 200_000
"""Events that may wait for the disk; what comes beyond is counted as lost, whole dispatches at a time."""
MOST_BYTES_WAITING = 16 * 1024 * 1024
"""The same in their payloads, questions and answers."""
FEW_WAITING, HUGE_BYTES_WAITING = 500, 256 * 1024 * 1024
"""So few events may bring so many bytes: dispatches of some megabytes each are not lost because two are waiting."""
MOST_AT_ONCE: Final = 20_000
"""Events of one transaction."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How a recording stands."""

    path: Path
    dispatches: int = 0
    dropped: int = 0
    """Whole dispatches that had to go because of a cap."""
    lost: int = 0
    """Dispatches that were never written: the disk was too slow, or would not take them."""
    trouble: str = ""
    """Why nothing is written any more; empty while all is well."""


@dataclass(slots=True)
class _Open:
    """A dispatch or stretch that is not over."""

    events: list[Event] = field(default_factory=list)


class _Lost:
    """A dispatch that was not written has ended."""


_LOST: Final = _Lost()


class Writer:
    """Creates a recording and keeps everything it sees. `close` waits until all of it is on the disk."""

    def __init__(
        self,
        path: Path | None = None,
        *,
        about: Mapping[str, str] | None = None,
        caps: Caps | None = None,
        on_trouble: Callable[[str], None] = lambda sentence: None,
        on_full: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """`on_full` is told once, when the first dispatch has to go because of a cap.

        Without a path a temporary file, which goes with the writer. Raises BadInput where it cannot be created.
        """
        self._is_temporary = path is None
        path = _temporary() if path is None else path
        self.kept = self._next = Kept(path)
        """Replaced as a whole, once what it counts is in the file: may be read from any thread."""
        self._caps = caps or Caps()
        self._on_trouble = on_trouble
        self._on_full = on_full
        self._kept_ones: deque[tuple[int, int]] = deque()
        """Of each dispatch in the file, the oldest first: its spans, and when it began."""
        self._spans = self._newest_ns = 0
        self._connection = _created(path, about or {}, is_new=self._is_temporary)
        self._identity = os.stat(path).st_ino
        self._waiting: queue.SimpleQueue[Event | _Lost | None] = queue.SimpleQueue()
        self._bytes_seen = self._bytes_taken = 0  # one counts in the thread of whoever tells, the other in ours
        self._lost: set[str] = set()
        """Dispatches under way that are not written."""
        self._dispatches: OrderedDict[str, _Open] = OrderedDict()
        self._stretches: dict[str, Entered] = {}
        self._digests: set[str] = set()
        self._number = self._event = 0
        self._rows = Rows()
        self._decided: list[tuple[str, str]] = []
        """What hosts decided after dispatches were over, each with the dispatch."""
        self._thread = threading.Thread(target=self._work, name="recording", daemon=True)
        self._thread.start()

    def see(self, event: Event) -> None:
        """Never waits: a dispatch that begins while too much waits for the disk is lost, and counted."""
        match event.fact:
            case Opened() if not self.has_room:
                self._lost.add(event.dispatch)
            case Ended() if event.dispatch in self._lost:
                self._lost.discard(event.dispatch)
                self._waiting.put(_LOST)
            case _ if event.dispatch not in self._lost:
                self._bytes_seen += _weight(event)
                self._waiting.put(event)

    @property
    def has_room(self) -> bool:
        """Whether a dispatch that begins now would be written. For whoever can wait until it is."""
        events, size = self._waiting.qsize(), self._bytes_seen - self._bytes_taken
        return events < MOST_WAITING and size < (HUGE_BYTES_WAITING if events < FEW_WAITING else MOST_BYTES_WAITING)

    def close(self) -> None:
        """Write what is left; idempotent. A temporary file is removed."""
        if self._thread.is_alive():
            self._waiting.put(None)
            self._thread.join()
        if self._is_temporary:
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    os.unlink(f"{self.kept.path}{suffix}")

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- on the thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        is_over = False
        while not is_over:
            batch = [self._waiting.get()]
            time.sleep(0 if batch[0] is None else PAUSE_S)
            while not self._waiting.empty() and len(batch) < MOST_AT_ONCE:
                batch.append(self._waiting.get())
            is_over = None in batch
            lost = sum(isinstance(each, _Lost) for each in batch)
            self.kept = replace(self.kept, lost=self.kept.lost + lost)
            events = [each for each in batch if isinstance(each, Event)]
            self._write(events)
            self._bytes_taken += sum(map(_weight, events))
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute(
                "PRAGMA journal_mode = DELETE"
            )  # one file again, readable wherever it is copied to
            self._connection.close()

    def _write(self, batch: list[Event]) -> None:
        if self.kept.trouble:
            self._forget(batch)
            return
        self._next = self.kept
        try:
            self._check_file()
            with self._connection:  # one transaction
                for event in batch:
                    self._take(event)
                self._rows.write(self._connection)
                self._connection.executemany("UPDATE dispatches SET decided = ? WHERE id = ?", self._decided)
                self._decided.clear()
                self._drop_over_caps()
            self.kept = self._next  # only now it is in the file
        except (sqlite3.Error, OSError) as error:
            self._stop(error)
            self._forget(batch)

    def _check_file(self) -> None:
        """A file that was deleted or replaced under us would swallow everything without a word."""
        try:
            is_ours = os.stat(self.kept.path).st_ino == self._identity
        except FileNotFoundError:
            raise OSError("the file was deleted meanwhile") from None
        if not is_ours:
            raise OSError("the file was replaced by another one meanwhile")

    def _stop(self, error: Exception) -> None:
        sentence = f"{self.kept.path}: nothing is recorded any more: {error}"
        self.kept = replace(self.kept, trouble=sentence)
        self._on_trouble(sentence)

    def _forget(self, batch: list[Event]) -> None:
        ended = sum(isinstance(event.fact, Ended) for event in batch)
        self.kept = replace(self.kept, lost=self.kept.lost + ended)

    def _take(self, event: Event) -> None:
        match event.fact:
            case Opened():
                self._dispatches[event.dispatch] = _Open([event])
            case Ended() if (known := self._dispatches.pop(event.dispatch, None)) is not None:
                known.events.append(event)
                self._insert_dispatch(event.dispatch, known.events)
            case Entered() as entered:
                self._stretches[event.dispatch] = entered
                self._insert_stretch(event, entered)
            case Left():
                self._stretches.pop(event.dispatch, None)
                self._insert(event, "", "")
            case _ if (known := self._dispatches.get(event.dispatch)) is not None:
                known.events.append(event)
            case Decided(decision=decision):
                self._insert(event, "", "")
                self._decided.append((decision, event.dispatch))
            case _:
                self._insert(event, "", "")  # of a stretch, or what a host did after a dispatch was over

    def _insert(self, event: Event, dialect: str, point: str) -> int:
        def keep(payload: Payload) -> None:
            if payload.digest not in self._digests:
                self._rows.add("payloads", (payload.digest, dialect, point, payload.body))
                self._digests.add(payload.digest)
            self._rows.add("uses", (event.dispatch, payload.digest))

        self._event += 1
        body = codec.encode(event.fact, keep)
        self._rows.add("events", (self._event, event.dispatch, event.number, event.at_ns, body))
        return self._event

    def _insert_dispatch(self, dispatch: str, events: list[Event]) -> None:
        opened, ended = events[0].fact, events[-1].fact
        assert isinstance(opened, Opened)
        assert isinstance(ended, Ended)
        ids = [self._insert(event, opened.dialect, opened.chain.point) for event in events]
        self._number += 1
        result, took_ns = ended.result, events[-1].at_ns - events[0].at_ns
        short = in_short(events)
        spans = 1 + sum(isinstance(event.fact, Asked) for event in events)
        self._kept_ones.append((spans, opened.wall_ns))
        self._spans += spans
        self._newest_ns = max(self._newest_ns, opened.wall_ns)
        self._rows.add(
            "dispatches",
            (
                dispatch, self._number, opened.dialect, opened.chain.point, opened.parent, opened.wall_ns, took_ns,
                result.ending, result.decision, result.status, ids[0], ids[-1],
                short.changes, short.errors, short.denials, short.steered, "",
            ),
        )  # fmt: skip
        self._next = replace(self._next, dispatches=self._next.dispatches + 1)

    def _insert_stretch(self, event: Event, entered: Entered) -> None:
        first = self._insert(event, "", "")
        row = (event.dispatch, entered.kind, entered.name, entered.parent, entered.wall_ns, first)
        self._rows.add("stretches", row)

    def _drop_over_caps(self) -> None:
        if too_many := self._number_over():
            self._drop(too_many)
        while self._caps.bytes and self._next.dispatches and (size := self._size()) > self._caps.bytes:
            share = 1 - 0.9 * self._caps.bytes / size  # a bit more than needed: a drop costs more than a write
            self._drop(max(1, round(self._next.dispatches * share)))

    def _number_over(self) -> int:
        """How many of the oldest have to go because of what can be counted without looking into the file."""
        caps, count, spans = self._caps, len(self._kept_ones), self._spans
        for number, (its_spans, wall_ns) in enumerate(self._kept_ones):
            is_over = (
                (caps.dispatches and count - number > caps.dispatches)
                or (caps.spans and spans > caps.spans)
                or (caps.time_ns and self._newest_ns - wall_ns > caps.time_ns)
            )
            if not is_over:
                return number
            spans -= its_spans
        return count

    def _size(self) -> int:
        [pages], [free], [size] = (
            self._connection.execute(f"PRAGMA {name}").fetchone()
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)

    def _drop(self, number: int) -> None:
        """Whole dispatches, the oldest first, and the payloads that nobody refers to any more."""
        execute = self._connection.execute
        rows = execute("SELECT id FROM dispatches ORDER BY number LIMIT ?", (number,)).fetchall()
        for table, column in (("events", "scope"), ("uses", "scope"), ("notes", "dispatch"), ("dispatches", "id")):
            self._connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)  # our own names
        unused = "SELECT digest FROM payloads WHERE digest NOT IN (SELECT digest FROM uses)"
        gone = execute(unused).fetchall()
        self._connection.executemany("DELETE FROM payloads WHERE digest = ?", gone)
        self._digests -= {digest for (digest,) in gone}
        was = self._next
        self._next = replace(was, dispatches=was.dispatches - number, dropped=was.dropped + number)
        for _ in range(number):
            spans, _ = self._kept_ones.popleft()
            self._spans -= spans
        if not was.dropped:
            self._on_full(f"{was.path} has reached a limit: for what comes, the oldest dispatches go")
        execute("INSERT OR REPLACE INTO counts VALUES ('dropped_dispatches', ?)", (self._next.dropped,))


def _weight(event: Event) -> int:
    """Bytes that an event brings along."""
    match event.fact:
        case Asked(request=body) | Replied(outcome=Answered(body)):
            return len(body)
        case Opened(payload=payload) | Changed(after=payload):
            return len(payload.body)
        case _:
            return 0


def _temporary() -> Path:
    handle, name = tempfile.mkstemp(suffix=SUFFIX, prefix="hookscope-")
    os.close(handle)
    return Path(name)


def _created(path: Path, about: Mapping[str, str], *, is_new: bool) -> sqlite3.Connection:
    if path.exists() and not is_new:
        raise BadInput(f"{path} is there already", fix="name another file, or remove it first")
    try:
        if not is_new:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level="DEFERRED")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        schema.create(connection)
        with connection:
            connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{path} cannot be written: {reason}") from error
    return connection
