"""What readers say of dispatches: a mark, a note. Kept in the recording, beside what was told."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from debugger.store import schema
from kernel.errors import BadInput

LONGEST: Final = 2_000
"""Characters of a note."""
BUSY_S: Final = 3.0
"""How long whoever is writing to the same file is waited for."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a reader says of one dispatch."""

    dispatch: str
    is_marked: bool
    text: str
    wall_ns: int
    """When it was said, in nanoseconds since the epoch."""

    @property
    def is_empty(self) -> bool:
        return not self.is_marked and not self.text


def put(connection: sqlite3.Connection, remark: Remark) -> None:
    """Store a remark in the place of the one before; an empty one takes it away."""
    if remark.is_empty:
        connection.execute("DELETE FROM notes WHERE dispatch = ?", (remark.dispatch,))
        return
    row = (remark.dispatch, int(remark.is_marked), remark.text[:LONGEST], remark.wall_ns)
    connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?)", row)


def keep(path: Path, remark: Remark) -> None:
    """Store a remark in a recording that is not being made by us; raises BadInput where that cannot be."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_S)
        try:
            connection.execute("PRAGMA trusted_schema = OFF")  # a file from a stranger runs nothing of its own
            schema.upgrade(connection, schema.version_of(connection, str(path)))
            with connection:
                put(connection, remark)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise BadInput(f"the note is not kept: {path} cannot be written: {error}") from error
