"""Marks and notes are in every export, without secrets, at the dispatch that they are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded_runs import CHANGED, DENIED, FINE, written

from debugger.export.formats import Format
from debugger.export.formats import written as exported
from debugger.export.material import gathered
from debugger.export.pictures import View, Wish
from debugger.redaction import Redactor, Rules
from debugger.store.notes import Remark, keep
from debugger.store.recording import Recording

SECRET = "sk-a1B2c3D4e5F6g7H8i9J0kLmN"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Three dispatches, one of them with a note that quotes a secret."""
    found = written(tmp_path / "r", [FINE, DENIED, CHANGED])
    keep(found, Remark("d2", True, f"zebra and {SECRET}", 7))
    keep(found, Remark("d3", False, "unrelated", 8))
    return found


def text(path: Path, form: Format, dispatches: tuple[str, ...] = ("2",), wish: Wish | None = None) -> str:
    with Recording(path) as recording:
        material = gathered(recording, dispatches, Redactor(Rules()))
        return "".join(exported(form, material, wish or Wish()))


@pytest.mark.parametrize("form", list(Format))
def test_every_format_has_the_note_of_its_dispatch(path: Path, form: Format) -> None:
    """Of those that are exported, and without what is secret."""
    found = text(path, form)
    assert "zebra" in found
    assert SECRET not in found
    assert "unrelated" not in found


def test_the_picture_of_the_list_shows_marks(path: Path) -> None:
    """As the list on the screen does."""
    found = text(path, Format.SVG, (), Wish(View.DISPATCHES))
    assert "★" in found
    assert "¶" in found


def test_lines_and_spans_keep_it_as_data(path: Path) -> None:
    """A line of its own, and attributes of the dispatch's span."""
    last = json.loads(text(path, Format.JSONL, ("2-3",)).splitlines()[-2])
    assert last == {
        "dispatch": "d2",
        "fact": "remarked",
        "is_marked": True,
        "text": last["text"],
        "wall_ns": 7,
    }
    [resource] = json.loads(text(path, Format.OTLP, ("2",)))["resourceSpans"]
    spans = [span for scope in resource["scopeSpans"] for span in scope["spans"]]
    noted = [span for span in spans if any(each["key"] == "hookscope.note" for each in span.get("attributes", ()))]
    assert [span["name"] for span in noted] == ["hook.dispatch"]
