"""A SQLite file that we only look at: opened so that it cannot change, its complaints in our words.

Somebody else may be writing at the same time. SQLite itself may put an empty `-wal` and a `-shm` beside a file that
nobody has open; whoever writes there next removes them. Nothing in the file is run: only plain tables count, SQLite is
told not to trust what the file defines, and no extension can be loaded.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final, Self, TypeAlias

from kernel.errors import BadInput

MAX_VALUE: Final = 64 << 20
"""Bytes that SQLite may hold for us in one value."""

Cell: TypeAlias = "int | float | str | bytes | None"
"""What stands in a column of a row: in SQLite anything, whatever the column's type says."""


class ReadOnly:
    """An open file. Belongs to the thread that opened it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: Path, wait_s: float) -> Self:
        """Open a file, and wait so long for others whenever it is locked; raises BadInput.

        Only the first query finds out whether it is a SQLite file at all.
        """
        try:
            return cls(path, _connected(path, wait_s))
        except sqlite3.Error as error:
            raise _explained(path, error) from error

    def close(self) -> None:
        self._connection.close()

    def rows(self, query: str, values: Sequence[Cell] = ()) -> Generator[tuple[Cell, ...], None, None]:
        """Rows as they come; raises BadInput. Whoever does not take all of them closes the generator."""
        try:
            with closing(self._connection.execute(query, values)) as cursor:
                yield from cursor
        except sqlite3.ProgrammingError:
            raise  # ours
        except sqlite3.Error as error:
            raise _explained(self.path, error) from error
        except UnicodeDecodeError as error:  # SQLite quoted the file in its complaint, and Python could not read that
            raise _damaged(self.path, decode(error.object)) from error

    def tables(self) -> frozenset[str]:
        """Names of the plain tables, in lower case: neither views nor virtual tables, which could compute."""
        found = self.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
        return frozenset(text_of(name).lower() for (name,) in found)

    def columns(self, table: str) -> frozenset[str]:
        """Names of the columns that hold what was stored, in lower case."""
        return frozenset(text_of(row[1]).lower() for row in self.rows(f"PRAGMA table_xinfo({table})") if row[6] == 0)

    def user_version(self) -> int:
        [(version,)] = self.rows("PRAGMA user_version")
        assert isinstance(version, int), "four bytes of the header"
        return version

    def check(self) -> None:
        """Raise BadInput with the first thing that is wrong with the file. Reads all of it."""
        verdict = [text_of(row[0]) for row in self.rows("PRAGMA integrity_check(1)")]
        if verdict != ["ok"]:
            raise _damaged(self.path, " ".join(verdict))


def decode(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def text_of(cell: Cell) -> str:
    """Text, or the text of whatever stands in its place."""
    match cell:
        case None:
            return ""
        case bytes():
            return decode(cell)
        case _:
            return str(cell)


def _connected(path: Path, wait_s: float) -> sqlite3.Connection:
    """A connection that cannot write. Touches the file through SQLite only: closing it by hand would drop its locks."""
    file = _regular(path)
    # Where no -shm can be made SQLite opens a file only as one that never changes. That is safe if nobody has it open:
    # then there is no -shm either, and everything is in the file itself.
    is_alone = not (_has_wal(file) or _beside(file, "-shm").exists() or os.access(file.parent, os.W_OK))
    uri = f"{file.as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=wait_s, isolation_level=None)
    try:
        connection.text_factory = decode
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {pragma}").close()
    except BaseException:
        connection.close()
        raise
    return connection


def _regular(path: Path) -> Path:
    """The file behind a path, if SQLite may be let near it; raises BadInput."""
    try:
        file = path.resolve(strict=True)
        status = file.stat()
    except FileNotFoundError:
        raise BadInput(f"{path} does not exist") from None
    except (OSError, ValueError, RuntimeError) as error:  # a NUL in it, a loop of links
        raise BadInput(f"{path} cannot be opened: {error}") from error
    if stat.S_ISDIR(status.st_mode):
        raise BadInput(f"{path} is a folder; name one of the session files in it (*.sqlite)")
    if not stat.S_ISREG(status.st_mode):
        raise BadInput(f"{path} is no regular file, and a session file is one")
    if not os.access(file, os.R_OK):
        raise BadInput(f"{path} may not be read by you; ask whoever owns it for a copy")
    if status.st_size == 0 and not _has_wal(file):
        raise BadInput(f"{path} is empty: the agent has not written a session into it yet")
    return file


def _has_wal(file: Path) -> bool:
    """Whether there is something that only stands in the file's write-ahead log."""
    with suppress(OSError):
        return _beside(file, "-wal").stat().st_size > 0
    return False


def _beside(file: Path, ending: str) -> Path:
    """A file of SQLite's own; it names them after the file that a link leads to."""
    file = file.resolve()
    return file.with_name(f"{file.name}{ending}")


# -- what went wrong ---------------------------------------------------------------------------------------------


def _damaged(path: Path, what: str) -> BadInput:
    return BadInput(
        f"{path} is damaged ({_line(what).removeprefix('*** in database main *** ')}); hookscope leaves it as it is: "
        "look for an older copy, or save what is left with `sqlite3 FILE .recover | sqlite3 NEW-FILE` and open that"
    )


def _line(complaint: str) -> str:
    """What SQLite says, on one line. It may quote the file, so nothing in it may reach a terminal unseen."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(complaint.split()))


def _explained(path: Path, error: sqlite3.Error) -> BadInput:
    """SQLite's complaint as a sentence with the way out."""
    wal = _beside(path, "-wal")
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
        case sqlite3.SQLITE_NOTADB:
            return BadInput(f"{path} is no SQLite file, and a session is one; they end in .sqlite")
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(path, str(error))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return BadInput(
                f"{path} is locked by another process; try again when that is done with it, or copy it together with "
                f"{wal.name}, if there is one, and open the copy"
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY if _has_wal(path):
            return BadInput(
                f"{path} cannot be opened where it is, since its newest events are still in {wal.name} and nothing may "
                "be written there; copy both into a folder of your own and open the copy"
            )
        case sqlite3.SQLITE_READONLY:
            return BadInput(
                f"{path} holds a transaction that was never finished, and finishing it would change the file; "
                "copy it together with its -journal, let `sqlite3 COPY .tables` finish it, and open the copy"
            )
        case sqlite3.SQLITE_TOOBIG:
            return BadInput(f"{path} holds a value of more than {MAX_VALUE} bytes, which no agent writes")
        case _:
            return BadInput(f"{path} cannot be read: {_line(str(error))}")
