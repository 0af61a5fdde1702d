"""Every format that a recording ever had can be opened: `golden/` keeps a file of each, as it was written then."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from debugger.store import schema
from debugger.store.browsing import RecordedTrace
from debugger.store.notes import Remark, keep
from debugger.store.recording import Recording
from debugger.views.gists import gist_of, gist_of_row
from kernel.errors import BadInput

GOLDEN = Path(__file__).parent / "golden"


def test_every_older_format_has_its_golden_file() -> None:
    """A change of the format without one would be a change that nobody notices."""
    kept = {path.stem for path in GOLDEN.glob("v*.hookscope")}
    assert kept == {f"v{version}" for version in range(1, schema.VERSION)}
    assert set(schema.UPGRADES) == set(range(1, schema.VERSION))


def test_a_recording_of_the_first_format_is_brought_up_to_date(tmp_path: Path) -> None:
    """With all that was told; what was not counted then is folded where it is looked at."""
    path = shutil.copy(GOLDEN / "v1.hookscope", tmp_path / "old.hookscope")
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        before = connection.execute("SELECT id, scope, number, at_ns, body FROM events").fetchall()
    connection.close()
    trace = RecordedTrace(Recording(Path(path)))
    assert [each.id for each in trace.dispatches] == ["d1", "d2", "d3"]
    row = trace.row_of_number(2)
    assert (row.decision, row.status, row.changes) == ("deny", "denied", None)
    assert gist_of_row(row) is None
    gists = [gist_of(each) for each in trace.dispatches]
    assert [(each.changes, each.steered, each.decided) for each in gists] == [(1, 0, ""), (0, 0, "stopped"), (1, 3, "")]
    stretch = trace.find_stretch("s")
    assert stretch is not None
    assert stretch.contents[:2] == ("d1", "d2")
    assert trace.nearest(0, 1, such="errors") is not None, "not known counts as possible"
    trace.close()
    keep(Path(path), Remark("d2", True, "look here", 5))
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)
        assert connection.execute("SELECT id, scope, number, at_ns, body FROM events").fetchall() == before
    connection.close()


def test_an_old_recording_that_cannot_be_written_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has to be brought up to date in place."""
    path = shutil.copy(GOLDEN / "v1.hookscope", tmp_path / "old.hookscope")

    def refused(connection: sqlite3.Connection, version: int) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(schema, "upgrade", refused)
    with pytest.raises(BadInput, match=r"older format \(1\).*copy it to where you can write"):
        Recording(Path(path))


def test_a_failed_upgrade_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All or nothing."""
    path = Path(shutil.copy(GOLDEN / "v1.hookscope", tmp_path / "old.hookscope"))

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE notes")
        raise sqlite3.OperationalError("no room")

    monkeypatch.setattr(schema, "UPGRADES", {1: half})
    with pytest.raises(BadInput, match="no room"):
        Recording(path)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    connection.close()
