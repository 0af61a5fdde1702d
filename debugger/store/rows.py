"""Rows on their way into a recording: many of them with one statement.

After each statement a thread waits for Python's lock, which others may hold for milliseconds while they are busy: a
statement for each row would keep a recording behind whatever is recorded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

MOST_VALUES: Final = 900
"""In one statement; older SQLite takes 999."""
MOST_BYTES: Final = 4_000_000
"""In the values of one statement, unless a single row has more: SQLite makes a copy of them."""
_TABLES: Final = {
    "payloads": "INSERT OR IGNORE INTO payloads VALUES ",
    "uses": "INSERT OR IGNORE INTO uses VALUES ",
    "events": "INSERT INTO events (id, scope, number, at_ns, body) VALUES ",
    "dispatches": "INSERT INTO dispatches VALUES ",
    "stretches": "INSERT OR IGNORE INTO stretches VALUES ",
}

Values = tuple[Any, ...]


class Rows:
    """Kept until `write`, which is meant for the inside of a transaction."""

    def __init__(self) -> None:
        self._rows: dict[str, list[Values]] = {table: [] for table in _TABLES}

    def add(self, table: str, row: Values) -> None:
        self._rows[table].append(row)

    def write(self, connection: sqlite3.Connection) -> None:
        """Raises sqlite3.Error; what was to be written is forgotten then, too."""
        waiting, self._rows = self._rows, {table: [] for table in _TABLES}
        for table, rows in waiting.items():
            for some in _portions(rows):
                marks = ", ".join([f"({', '.join('?' * len(some[0]))})"] * len(some))
                connection.execute(_TABLES[table] + marks, [value for row in some for value in row])


def _portions(rows: Sequence[Values]) -> Iterator[Sequence[Values]]:
    """As many at a time as one statement takes, in order."""
    portion: list[Values] = []
    size = 0
    for row in rows:
        more = sum(len(value) for value in row if isinstance(value, bytes))
        if (portion and (len(portion) + 1) * len(row) > MOST_VALUES) or (portion and size + more > MOST_BYTES):
            yield portion
            portion, size = [], 0
        portion.append(row)
        size += more
    if portion:
        yield portion
