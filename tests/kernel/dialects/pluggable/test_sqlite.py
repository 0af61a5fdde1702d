"""Claims about a file that we only look at: it stays as it is, and what is wrong with it is one sentence."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from session_files import SCHEMA, Agent, write_session

from kernel.dialects.pluggable import sqlite as reading
from kernel.dialects.pluggable.sqlite import ReadOnly
from kernel.dialects.pluggable.state import SessionFile
from kernel.errors import BadInput

NOBODY = 65534


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A good session."""
    return write_session(tmp_path / "01JN.sqlite")


def whole(path: Path, wait_s: float) -> tuple[object, ...]:
    """Everything that is in a file."""
    with SessionFile.open(path, wait_s=wait_s) as session:
        return session.meta, *session.events(), *session.plan_items(), *session.costs()


def refusal(path: Path, wait_s: float = 0.05) -> str:
    """The sentence with which a file is refused, whenever that is found out."""
    with pytest.raises(BadInput) as caught:
        whole(path, wait_s)
    text = str(caught.value)
    assert text.isprintable(), "one line, and nothing that steers a terminal"
    return text


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def with_random_page(path: Path) -> None:
    with path.open("r+b") as opened:
        opened.seek(3 * 4096)
        opened.write(bytes(range(1, 256)) * 8)


def with_broken_index(path: Path) -> None:
    """An index that lacks a row of its table, as after an interrupted copy."""
    with sqlite3.connect(path, isolation_level=None) as database:
        database.execute("PRAGMA writable_schema = ON")
        index = "CREATE INDEX idx_events_kind ON events (id)"
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'idx_events_kind'", (index,))
    database.close()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda path: path.unlink(), "does not exist"),
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(b"\x00" * 4096), "is no SQLite file"),
        (lambda path: path.write_bytes(bytes(range(256)) * 20), "is no SQLite file"),
        (lambda path: path.write_text("SQLite format 3\x00 and then something else"), "is "),
        (lambda path: path.write_bytes(path.read_bytes()[:60]), "is damaged"),
        (truncated, "is damaged"),
        (with_random_page, "is damaged"),
        (with_broken_index, "is damaged"),
        (lambda path: (path.unlink(), path.mkdir()), "is a folder; name one of the session files in it"),
        (lambda path: (path.unlink(), os.mkfifo(path)), "is no regular file"),
        (lambda path: (path.unlink(), path.symlink_to(path)), "cannot be opened"),
    ],
    ids=["missing", "empty", "zero", "bytes", "text", "header", "truncated", "page", "index", "folder", "pipe", "loop"],
)  # fmt: skip
def test_a_spoilt_file_is_refused_and_left_as_it_is(file: Path, spoil: Callable[[Path], object], words: str) -> None:
    """Each with its own sentence. Nothing is renamed, repaired or written."""
    spoil(file)
    before = file.read_bytes() if file.is_file() else None
    names = {each.name for each in file.parent.iterdir()}
    assert words in refusal(file)
    assert (file.read_bytes() if file.is_file() else None) == before
    left = {each.name for each in file.parent.iterdir()} - names
    assert left <= {f"{file.name}-wal", f"{file.name}-shm"}, "of SQLite's own, next to a file in WAL mode"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TABLE plan_items", "has no table plan_items, so it is no session"),
        ("ALTER TABLE events RENAME COLUMN kind TO sort", "has a table events without a column kind"),
        ("DROP TABLE plan_items; CREATE VIEW plan_items AS SELECT 1 AS sequence", "has no table plan_items"),
        ("DROP TABLE plan_items; CREATE VIRTUAL TABLE plan_items USING fts5(sequence)", "has no table plan_items"),
        ("ALTER TABLE session_meta DROP COLUMN ended_at;"
         "ALTER TABLE session_meta ADD COLUMN ended_at TEXT AS (upper(status)) VIRTUAL", "without a column ended_at"),
        ("PRAGMA user_version = 2", "ErrSchemaTooNew: "),
        ("PRAGMA user_version = 2147483647", "has schema version 2147483647, and this hookscope reads up to 1"),
        ("PRAGMA user_version = 2; DROP TABLE events", "has no table events"),
        ("UPDATE session_meta SET depth = 'deep'", "has 'deep' for depth in session_meta, where a whole"),
        ("UPDATE session_meta SET depth = x'00'", "has 1 bytes for depth"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_refused(file: Path, statement: str, words: str) -> None:
    """Foreign, newer, or with something in it that would have to be computed."""
    database = sqlite3.connect(file)
    database.executescript(statement)
    database.close()
    assert words in refusal(file)


def test_an_older_or_extended_schema_is_fine(file: Path) -> None:
    """Version 0 with all the tables, further tables, columns, views and triggers: none of our business."""
    database = sqlite3.connect(file)
    database.executescript(
        "PRAGMA user_version = 0; ALTER TABLE events ADD COLUMN trace_id TEXT; CREATE TABLE more (a);"
        "CREATE VIEW seen AS SELECT * FROM events; CREATE TRIGGER t AFTER INSERT ON events BEGIN SELECT 1; END"
    )
    database.close()
    with SessionFile.open(file) as session:
        assert len(list(session.events())) == 13


def test_a_file_that_quotes_escape_sequences_cannot_steer_the_terminal(file: Path) -> None:
    """SQLite repeats names out of the file in what it says about it."""
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA writable_schema = ON")
    database.execute("INSERT INTO sqlite_master VALUES ('table', ?, ?, 2, 'CREATE nonsense')", ("\x1b[2J", "\x1b[2J"))
    database.close()
    assert "?[2J" in refusal(file)


def test_a_complaint_that_is_no_text_is_still_one_about_the_file(file: Path) -> None:
    """Found by fuzzing: SQLite quotes bytes that are no UTF-8, and Python's module fails to decode its message."""
    content = file.read_bytes()
    assert content.count(b"CREATE TABLE session_meta") == 1
    file.write_bytes(content.replace(b"CREATE TABLE session_meta", b"CRE\xa6\xf0  TABLE session_meta"))
    assert "is damaged (malformed database schema (session_meta) - near " in refusal(file)


def test_a_locked_file_is_refused_after_a_wait(tmp_path: Path) -> None:
    """In WAL mode nobody is in the way; without it a writer can be."""
    agent = Agent(tmp_path / "s.sqlite", journal="DELETE")
    agent.database.execute("BEGIN EXCLUSIVE")
    assert "is locked by another process; try again" in refusal(agent.path)
    agent.database.execute("COMMIT")
    with SessionFile.open(agent.path):
        pass
    agent.close()


def test_an_unfinished_transaction_is_explained(tmp_path: Path) -> None:
    """A crash in the middle of a commit without a WAL: finishing it would be writing."""
    database = sqlite3.connect(tmp_path / "live", isolation_level=None)
    database.executescript(SCHEMA)
    database.execute("PRAGMA cache_size = 1")
    database.execute("BEGIN")
    database.executemany(
        "INSERT INTO session_meta VALUES (?, NULL, ?, '', 0, '', NULL)", [(str(n), "x" * 200) for n in range(2000)]
    )
    for ending in ("", "-journal"):
        shutil.copy(f"{tmp_path}/live{ending}", f"{tmp_path}/crashed{ending}")
    database.close()
    assert "a transaction that was never finished" in refusal(tmp_path / "crashed")
    assert (tmp_path / "crashed-journal").exists()


def test_what_a_crashed_agent_left_in_its_wal_is_read(tmp_path: Path) -> None:
    """The newest events are in the -wal only, and no -shm is there any more."""
    agent = Agent(tmp_path / "live")
    agent.event("plan", {"plan": {}})
    for ending in ("", "-wal"):
        shutil.copy(f"{agent.path}{ending}", f"{tmp_path}/crashed{ending}")
    agent.close()
    with SessionFile.open(tmp_path / "crashed") as session:
        assert [event.kind for event in session.events()] == ["plan"]
    assert (tmp_path / "crashed-wal").stat().st_size > 0, "not emptied into the file"


def test_a_link_is_followed_to_the_file_and_its_wal(tmp_path: Path) -> None:
    """SQLite's own files lie where the link leads to."""
    (tmp_path / "a").mkdir()
    agent = Agent(tmp_path / "a" / "s.sqlite")
    agent.event("plan", {"plan": {}})
    (tmp_path / "link").symlink_to(agent.path)
    with SessionFile.open(tmp_path / "link") as session:
        assert len(session.page()) == 1
    agent.close()
    assert [each.name for each in tmp_path.iterdir()] == ["a", "link"] or not list(tmp_path.glob("link-*"))


@pytest.mark.parametrize("name", ["with space", "a#b?c%41&mode=rw", "é日", "-dash", "quote'\""])
def test_any_name_is_only_a_name(tmp_path: Path, name: str) -> None:
    """What has a meaning in a URI has none in a name."""
    with SessionFile.open(write_session(tmp_path / f"{name}.sqlite")) as session:
        assert session.meta is not None


def test_nothing_can_be_written_or_called_through_it(file: Path) -> None:
    """Not even by us."""
    opened = ReadOnly.open(file, 0.1)
    for statement in ("DELETE FROM events", "PRAGMA user_version = 7", "CREATE TABLE x (a)", "VACUUM"):
        with pytest.raises(BadInput):
            list(opened.rows(statement))
    other = file.with_name("other.sqlite")
    for statement in ("SELECT load_extension('x')", f"ATTACH '{other}' AS other"):
        with pytest.raises(BadInput):
            list(opened.rows(statement))
    opened.close()
    assert not other.exists()


def test_a_mistake_of_ours_stays_ours(file: Path) -> None:
    """A wrong number of values is no trouble with the file."""
    opened = ReadOnly.open(file, 0.1)
    with pytest.raises(sqlite3.ProgrammingError):
        list(opened.rows("SELECT ?"))
    opened.close()


def test_a_value_beyond_reason_is_not_loaded(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of SQLite's own keeps one row from filling the memory."""
    monkeypatch.setattr(reading, "MAX_VALUE", 10_000)
    database = sqlite3.connect(file)
    with database:
        database.execute("UPDATE session_meta SET profile = ?", ("x" * 20_000,))
    database.close()
    assert "holds a value of more than 10000 bytes" in refusal(file)


# -- where nothing may be written -----------------------------------------------------------------------------------


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that everybody may read, and that `without_rights` may not write. Not pytest's own, which is private."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o755)


@contextmanager
def without_rights(folder: Path) -> Iterator[None]:
    """Look at a folder as somebody who may not write there; root may write anywhere, and so is somebody else."""
    folder.chmod(0o555)
    if os.geteuid() != 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, 0)
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)
        os.setgroups(groups)


def test_a_quiet_file_is_read_where_nothing_may_be_written(closed: Path) -> None:
    """Nobody has it open, so it is taken as it is, and nothing appears beside it."""
    file = write_session(closed / "s.sqlite")
    with without_rights(closed), SessionFile.open(file) as session:
        assert len(list(session.events())) == 13
        assert [each.name for each in closed.iterdir()] == ["s.sqlite"]


def test_a_file_whose_newest_events_cannot_be_reached_is_explained(closed: Path, tmp_path: Path) -> None:
    """Better no answer than one without the events of the last minute."""
    agent = Agent(tmp_path / "live")
    agent.event("plan", {"plan": {}})
    for ending in ("", "-wal"):
        shutil.copy(f"{agent.path}{ending}", closed / f"s.sqlite{ending}")
    agent.close()
    with without_rights(closed):
        told = refusal(closed / "s.sqlite")
    assert "its newest events are still in s.sqlite-wal" in told
    assert "copy both into a folder of your own" in told


def test_a_live_file_is_read_where_nothing_may_be_written(closed: Path) -> None:
    """With what its agent wrote last: the agent's own -shm serves us as well."""
    agent = Agent(closed / "s.sqlite")
    agent.event("plan", {"plan": {}})
    with without_rights(closed), SessionFile.open(agent.path) as session:
        assert len(session.page()) == 1
    agent.close()


def test_a_file_that_may_not_be_read_says_so(closed: Path) -> None:
    """With whom to ask."""
    file = write_session(closed / "s.sqlite")
    file.chmod(0)
    with without_rights(closed):
        assert "may not be read by you" in refusal(file)
