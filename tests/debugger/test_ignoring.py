"""Places that diffs do not look at: how they are written, kept, and left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.breakpoints.keeping import load_ignored, save_ignored
from debugger.ignoring import ignored, seen
from kernel.errors import BadInput
from kernel.values import JSON


@pytest.mark.parametrize(
    ("text", "path", "point"),
    [
        ("$.turn_id", ("turn_id",), ""),
        (" pre-model-call  $.messages[*].id ", ("messages", "*", "id"), "pre-model-call"),
        ("$.*", ("*",), ""),
        ("$.a[2]['b c']", ("a", 2, "b c"), ""),
    ],
)
def test_a_place_is_a_path_perhaps_at_one_point(text: str, path: tuple[str | int, ...], point: str) -> None:
    """Stars stand for any key or item; what is written reads back as it is shown."""
    found = ignored(text)
    assert (found.path, found.point) == (path, point)
    assert ignored(found.text) == found


@pytest.mark.parametrize("text", ["", "$", "turn_id", "$..id", "$.a=1", "$.a[", "one two $.a", "length(a)"])
def test_what_is_no_place_is_refused(text: str) -> None:
    """Expressions, values, places at any depth."""
    with pytest.raises(BadInput):
        ignored(text)


def test_what_is_left_out_leaves_positions_as_they_are() -> None:
    """Items of lists leave null behind."""
    view: JSON = {"id": 1, "messages": [{"id": "a", "x": 1}, {"id": "b"}]}
    assert seen(view, [ignored("$.id"), ignored("$.messages[*].id")]) == {"messages": [{"x": 1}, {}]}
    assert seen(view, [ignored("$.messages[0]")]) == {"id": 1, "messages": [None, {"id": "b"}]}


def test_places_are_kept_in_the_project_file(tmp_path: Path) -> None:
    """Beside what others keep there; a broken one is told with its place."""
    file = tmp_path / ".hookscope.yaml"
    file.write_text("# mine\nfilters:\n  a: sub:x\n")
    save_ignored(file, ["$.turn_id", "plan-ready $.items[*].id"])
    assert load_ignored(file) == ("$.turn_id", "plan-ready $.items[*].id")
    assert file.read_text().startswith("# mine\nfilters:\n  a: sub:x\n")
    file.write_text('ignored:\n  - "length(x)"\n')
    with pytest.raises(BadInput, match="names no place"):
        load_ignored(file)
