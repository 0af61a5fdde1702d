"""The history of filters in the user's state directory: merged, bounded, and no trouble where it cannot be kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from debugger.filters.history import History, history_file, state_folder


def test_it_lies_in_the_state_directory_one_file_a_project(tmp_path: Path) -> None:
    """Never in the project; a relative XDG_STATE_HOME is none."""
    mine = {"XDG_STATE_HOME": str(tmp_path / "state"), "HOME": "/home/me"}
    assert history_file(Path("/work/a/app"), mine) == history_file(Path("/work/a/../a/app"), mine)
    first, second = history_file(Path("/work/a/app"), mine), history_file(Path("/work/b/app"), mine)
    assert first != second
    assert first.parent == tmp_path / "state" / "hookscope" / "filters"
    assert first.name.startswith("app-")
    for odd in ({"HOME": "/home/me"}, {"HOME": "/home/me", "XDG_STATE_HOME": "state"}):
        assert state_folder(odd) == Path("/home/me/.local/state/hookscope")


def test_two_runs_remember_for_each_other(tmp_path: Path) -> None:
    """What one wrote meanwhile is not lost, each is there once, and one's own come first."""
    file = tmp_path / "hookscope" / "history.json"
    one, other = History(file), History(file)
    one.use("sub:a")
    one.keep()
    other.use("sub:b")
    other.keep()
    one.use("sub:c")
    one.keep()
    assert one.texts == ("sub:c", "sub:a", "sub:b")
    other.use("sub:a")
    other.keep()
    later = History(file)
    later.load()
    assert later.texts == ("sub:a", "sub:b", "sub:c")
    assert os.stat(file.parent).st_mode & 0o077 == 0
    for number in range(150):
        later.use(f"n:{number}")
    later.keep()
    assert len(later.texts) == 100
    assert History(file).texts == ()
    assert not later.problem


@pytest.mark.parametrize(
    "text", ["nonsense", '{"version": 99, "filters": []}', '{"version": 1, "filters": 3}', "\udc80"]
)
def test_what_cannot_be_read_stays_and_is_no_trouble(tmp_path: Path, text: str) -> None:
    """A damaged file, or one of a newer hookscope: this run remembers by itself."""
    file = tmp_path / "history.json"
    file.write_bytes(text.encode(errors="surrogateescape"))
    history = History(file)
    history.use("sub:a")
    history.load()
    history.keep()
    assert history.texts == ("sub:a",)
    assert str(file) in history.problem
    assert file.read_bytes() == text.encode(errors="surrogateescape")


def test_a_place_that_cannot_be_written_is_no_trouble(tmp_path: Path) -> None:
    """Whatever is in the way, down to a state directory that is a file."""
    (tmp_path / "state").write_text("a file")
    history = History(tmp_path / "state" / "hookscope" / "history.json")
    history.use("sub:a")
    history.keep()
    assert history.texts == ("sub:a",)
    assert "history.json" in history.problem
