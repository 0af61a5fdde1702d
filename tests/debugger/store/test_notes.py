"""Marks and notes: kept in the file, replaced, taken away, and refused in a sentence where that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_runs import FINE, told, written

from debugger.store.caps import Caps
from debugger.store.notes import LONGEST, Remark, keep
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from kernel.errors import BadInput


def remarks(path: Path) -> dict[str, Remark]:
    with Recording(path) as recording:
        return recording.remarks()


def test_the_last_word_on_a_dispatch_counts(tmp_path: Path) -> None:
    """And an empty one takes it away."""
    path = written(tmp_path / "r", [FINE, FINE])
    assert remarks(path) == {}
    keep(path, Remark("d1", True, "", 1))
    keep(path, Remark("d2", False, "why twice?", 2))
    keep(path, Remark("d1", True, "x" * (LONGEST + 5), 3))
    assert remarks(path) == {
        "d1": Remark("d1", True, "x" * LONGEST, 3),
        "d2": Remark("d2", False, "why twice?", 2),
    }
    keep(path, Remark("d1", False, "", 4))
    assert list(remarks(path)) == ["d2"]


def test_a_note_is_kept_while_another_records(tmp_path: Path) -> None:
    """Also of a dispatch that is not over yet."""
    path = tmp_path / "r"
    with Writer(path) as writer:
        for event in told("d1")[:-1]:
            writer.see(event)
        keep(path, Remark("d1", True, "hm", 1))
        for event in told("d2"):
            writer.see(event)
    assert list(remarks(path)) == ["d1"]
    with Recording(path) as recording:
        assert [row.id for row in recording.rows()] == ["d2"]


def test_a_note_goes_with_its_dispatch(tmp_path: Path) -> None:
    """Whatever a cap drops, it drops whole."""
    path = tmp_path / "r"
    with Writer(path, caps=Caps(dispatches=1)) as writer:
        for event in told("d1"):
            writer.see(event)
        keep(path, Remark("d1", True, "", 1))
        for event in told("d2"):
            writer.see(event)
        for event in told("d3"):
            writer.see(event)
    with Recording(path) as recording:
        assert [row.id for row in recording.rows()] == ["d3"]
    assert remarks(path) == {}


def test_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    """The file is gone, or is none of ours."""
    with pytest.raises(BadInput, match="the note is not kept"):
        keep(tmp_path / "nowhere", Remark("d1", True, "", 1))
    (tmp_path / "other").write_text("nothing of the kind" * 100)
    with pytest.raises(BadInput):
        keep(tmp_path / "other", Remark("d1", True, "", 1))
