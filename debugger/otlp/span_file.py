"""The file that spans are written to: created, or a recording that is there already; and what is in it by now."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugger.store import schema
from debugger.store.writer import SUFFIX
from kernel.errors import BadInput

BUSY_S: Final = 5.0
"""How long another writer of the same file is waited for."""


@dataclass(frozen=True, slots=True)
class SpansKept:
    """How the spans of a recording stand."""

    path: Path
    spans: int = 0
    traces: int = 0
    dropped_traces: int = 0
    """Because of a cap."""
    dropped_spans: int = 0
    lost: int = 0
    """Spans that were taken and could not be written."""
    waiting: int = 0
    """Spans that are not on the disk yet."""
    trouble: str = ""
    """Why nothing is written any more; empty while all is well."""


def standing(connection: sqlite3.Connection, path: Path) -> SpansKept:
    [(spans, traces)] = connection.execute("SELECT coalesce(sum(spans), 0), count(*) FROM traces").fetchall()
    counts = dict(connection.execute("SELECT name, value FROM counts").fetchall())
    return SpansKept(path, spans, traces, counts.get("dropped_traces", 0), counts.get("dropped_spans", 0))


def temporary() -> Path:
    handle, name = tempfile.mkstemp(suffix=SUFFIX, prefix="hookscope-")
    os.close(handle)
    return Path(name)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """That of a file which is there; of a young one, all may still be in its log."""
    try:
        return schema.version_of(connection, str(path))
    except (sqlite3.DatabaseError, BadInput) as error:
        connection.close()
        if isinstance(error, BadInput):
            raise
        raise BadInput(f"{path} is there already, and is no recording", fix="name another file") from error


def opened(path: Path) -> sqlite3.Connection:
    try:
        is_new = not path.exists() or path.stat().st_size == 0
        if is_new and not path.exists():
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=BUSY_S)
        version = schema.VERSION if is_new else _version(connection, path)  # before anything is changed
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if is_new:
            schema.create(connection)
        else:
            schema.upgrade(connection, version)
        standing(connection, path)
    except (OSError, sqlite3.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{path} cannot be written: {reason}") from error
    return connection
