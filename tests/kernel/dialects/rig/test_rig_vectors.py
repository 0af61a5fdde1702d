"""Every printed vector of spec G is proven: by a scenario of its part's file, or by a test that is named here."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SUITE = HERE.parents[2] / "conformance" / "rig"
PARTS = {
    "g1": range(1, 34, 2),
    "g2": range(35, 52, 2),
    "g3": range(53, 60, 2),
    "g4": range(61, 84, 2),
    "g5": range(85, 104, 2),
    "g6": range(105, 120, 2),
    "g7": range(121, 136, 2),
    "g8": range(137, 158, 2),
    "g9": range(159, 190, 2),
}
IN_TESTS = {
    1: "test_rig_domain.py::test_there_are_eight_operations_of_which_four_can_be_guarded",
    3: "test_rig_domain.py::test_there_are_four_outcomes",
    27: "test_rig_domain.py::test_a_set_is_refused_for_the_first_thing_that_is_wrong",
    51: "test_rig_domain.py::test_a_classified_denial_is_a_copy",
    63: "test_rig_runner.py::test_without_a_runner_nothing_is_looked_at",
    71: "test_rig_runner.py::test_an_entry_replaced_after_compiling_is_not_used",
    73: "test_rig_runner.py::test_finish_runs_once_from_any_number_of_threads",
    75: "test_rig_runner.py::test_a_runner_is_shared_by_dispatches_at_the_same_time",
    77: "test_rig_runner.py::test_nobody_sees_what_another_scribbles",
    79: "test_rig_runner.py::test_nobody_sees_what_another_scribbles",
    81: "test_rig_runner.py::test_null_and_empty_stay_what_they_are",
    109: "test_rig_runner.py::test_a_linked_context_lives_until_the_finish",
    185: "test_rig_played.py::test_an_end_is_never_before_its_beginning",
    187: "test_rig_definition.py::test_a_guard_without_its_check_is_an_invalid_definition",
}
"""Vectors that need what no scenario can hold: objects, threads, bytes that are no text, lists edited later."""


def claimed(part: str) -> list[str]:
    """What the scenarios of a part's files are numbered, letters included."""
    texts = [path.read_text() for path in sorted(SUITE.glob(f"{part}-*.scenario.yaml"))]
    return [number for text in texts for number in re.findall(r"^(?:- )?scenario: G(\d+[a-z]?) ", text, re.M)]


@pytest.mark.parametrize("part", PARTS)
def test_every_vector_of_a_part_is_proven(part: str) -> None:
    """Numbers with a letter are further cases of the same prose, or the cases of one vector."""
    proven = {int(number.rstrip("abcdefghijklmnopqrstuvwxyz")) for number in claimed(part)} | IN_TESTS.keys()
    assert [number for number in PARTS[part] if number not in proven] == []


def test_no_number_is_claimed_twice() -> None:
    """Or in the file of another part; even numbers stand between those of their part."""
    numbers = [number for part in PARTS for number in claimed(part)]
    assert len(numbers) == len(set(numbers))
    for part, expected in PARTS.items():
        bare = {int(number.rstrip("abcdefghijklmnopqrstuvwxyz")) for number in claimed(part)}
        assert bare <= set(range(expected.start, expected.stop + 1)), part


@pytest.mark.parametrize(("vector", "where"), IN_TESTS.items(), ids=map(str, IN_TESTS))
def test_a_test_that_proves_a_vector_is_there_and_says_so(vector: int, where: str) -> None:
    """By its number, or a range that holds it."""
    file, _, name = where.partition("::")
    tree = ast.parse((HERE / file).read_text())
    [found] = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == name]
    said = ast.get_docstring(found) or ""
    ranges = [(int(first), int(last or first)) for first, last in re.findall(r"(\d+)(?: to (\d+))?", said)]
    assert any(first <= vector <= last for first, last in ranges)
