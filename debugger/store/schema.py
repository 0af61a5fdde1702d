"""The tables of a recording and the versions of its format. The only place that creates or alters them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from kernel.errors import BadInput

APPLICATION_ID: Final = 0x48534350
"""In the header of each of our files: `HSCP`."""
VERSION: Final = 2

_TABLES: Final = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE payloads (digest TEXT PRIMARY KEY, dialect TEXT NOT NULL, point TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE uses (scope TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (scope, digest)) WITHOUT ROWID;
CREATE INDEX uses_of_digest ON uses (digest);
CREATE TABLE events (
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, number INTEGER NOT NULL, at_ns INTEGER NOT NULL, body BLOB NOT NULL
);
CREATE INDEX events_of_scope ON events (scope, number);
CREATE TABLE dispatches (
    id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE, dialect TEXT NOT NULL, point TEXT NOT NULL,
    parent TEXT NOT NULL, wall_ns INTEGER NOT NULL, took_ns INTEGER NOT NULL, ending TEXT NOT NULL,
    decision TEXT NOT NULL, status TEXT NOT NULL, first_event INTEGER NOT NULL, last_event INTEGER NOT NULL,
    changes INTEGER, errors INTEGER, denials INTEGER, steered INTEGER, decided TEXT
);
CREATE INDEX dispatches_of_parent ON dispatches (parent);
CREATE TABLE stretches (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, parent TEXT NOT NULL, wall_ns INTEGER NOT NULL,
    first_event INTEGER NOT NULL
);
CREATE INDEX stretches_of_parent ON stretches (parent);
CREATE TABLE notes (
    dispatch TEXT PRIMARY KEY, mark INTEGER NOT NULL, text TEXT NOT NULL, wall_ns INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE origins (id INTEGER PRIMARY KEY, body BLOB NOT NULL UNIQUE);
CREATE TABLE spans (
    id INTEGER PRIMARY KEY, trace BLOB NOT NULL, span BLOB NOT NULL, parent BLOB NOT NULL, name TEXT NOT NULL,
    kind INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, status INTEGER, origin INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX spans_of_trace ON spans (trace, id);
CREATE TABLE traces (
    id BLOB PRIMARY KEY, number INTEGER NOT NULL UNIQUE, touched INTEGER NOT NULL, spans INTEGER NOT NULL,
    errors INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, is_rootless INTEGER NOT NULL,
    root_ns INTEGER NOT NULL, root TEXT NOT NULL, service TEXT NOT NULL
);
CREATE INDEX traces_touched ON traces (touched);
CREATE TABLE refusals (
    id INTEGER PRIMARY KEY, wall_ns INTEGER NOT NULL, source TEXT NOT NULL, bytes INTEGER NOT NULL, why TEXT NOT NULL,
    head BLOB NOT NULL
);
CREATE TABLE counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

Upgrade = Callable[[sqlite3.Connection], None]
"""From one version of the format to the next, in place, inside a transaction."""


def _told_in_short(connection: sqlite3.Connection) -> None:
    """What a list says of a dispatch, beside its row; not known (NULL) of those that are there already."""
    for column in ("changes INTEGER", "errors INTEGER", "denials INTEGER", "steered INTEGER", "decided TEXT"):
        connection.execute(f"ALTER TABLE dispatches ADD COLUMN {column}")  # our own
    connection.execute("CREATE INDEX dispatches_of_parent ON dispatches (parent)")
    connection.execute("CREATE INDEX stretches_of_parent ON stretches (parent)")
    connection.execute("DROP TABLE IF EXISTS notes")  # nothing ever wrote to it
    connection.execute(
        "CREATE TABLE notes (dispatch TEXT PRIMARY KEY, mark INTEGER NOT NULL, text TEXT NOT NULL, "
        "wall_ns INTEGER NOT NULL) WITHOUT ROWID"
    )


UPGRADES: Final[Mapping[int, Upgrade]] = MappingProxyType({1: _told_in_short})
"""By the version that they start from; every version before the present one has an entry."""


def create(connection: sqlite3.Connection) -> None:
    """Make an empty database a recording."""
    connection.executescript(
        f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; BEGIN;{_TABLES}COMMIT;"
    )


def version_of(connection: sqlite3.Connection, name: str) -> int:
    """The version of a recording's format; raises BadInput, in which `name` is the file, for anything else."""
    [application] = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise BadInput(f"{name} is an SQLite file, but not a recording of hookscope")
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise BadInput(
            f"{name} was recorded by a newer hookscope (format {version}, this one reads up to {VERSION})",
            fix="install that version, or export it there as JSON Lines",
        )
    if version < 1:
        raise BadInput(f"{name} says that its format is {version}, and there is no such format")
    return int(version)


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Bring a recording up to the present format, step by step; all or nothing."""
    while version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            UPGRADES[version](connection)
            version += 1
            connection.execute(f"PRAGMA user_version = {version}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
