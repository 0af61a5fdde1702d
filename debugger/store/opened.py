"""The file of a recording: recognised, opened for reading, and brought up to date where its format is an older one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from debugger.store import schema
from kernel.errors import BadInput

HEADER = b"SQLite format 3\0"


@contextmanager
def readable(path: Path) -> Iterator[None]:
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


def opened(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise BadInput(f"{path} is no file" if path.exists() else f"{path} does not exist")
    with path.open("rb") as file:
        if not file.read(16).startswith(HEADER):
            raise BadInput(f"{path} is no recording: it is not even an SQLite file")
    with readable(path):
        connection = _connected(path, "mode=ro")
        version = schema.version_of(connection, str(path))
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if missing := {"about", "payloads", "events", "dispatches"} - known:
            raise BadInput(f"{path} is a damaged recording: it has no table {', '.join(sorted(missing))}")
        if version < schema.VERSION:
            connection.close()
            connection = _upgraded(path, version)
        return connection


def _upgraded(path: Path, version: int) -> sqlite3.Connection:
    connection = _connected(path, "mode=rw")
    try:
        schema.upgrade(connection, version)
    except sqlite3.OperationalError as error:
        connection.close()
        if "readonly" not in str(error):
            raise
        raise BadInput(
            f"{path} has an older format ({version}) and cannot be brought up to date, as it cannot be written",
            fix="copy it to where you can write, and open that",
        ) from error
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
