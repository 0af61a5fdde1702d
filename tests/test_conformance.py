"""The conformance suite: every scenario under tests/conformance holds, each vector by its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.scenario import report
from debugger.scenario.load import Loaded, find, load
from debugger.scenario.run import run

SUITE = Path(__file__).parent / "conformance"
SCENARIOS = [loaded for path in find([SUITE]) for loaded in load(path)]
PLUGGABLE = {
    "G.1": range(1, 18, 2),
    "G.2": range(19, 32, 2),
    "G.3": range(33, 72, 2),
    "G.4": range(73, 90, 2),
    "G.5": range(91, 102, 2),
    "G.6": range(103, 110, 2),
    "G.7": range(111, 118, 2),
    "G.8": range(119, 132, 2),
    "G.9": range(133, 160, 2),
    "G.10": range(161, 176, 2),
}
"""The numbers of the vectors in each part of the specification's section G."""


@pytest.mark.parametrize("loaded", SCENARIOS, ids=lambda loaded: loaded.name.partition(" ")[0])
def test_a_scenario_of_the_suite_holds(loaded: Loaded) -> None:
    """Expected beside actual is in the failure."""
    verdict = run(loaded)
    assert verdict.is_held, "\n".join(report.lines(verdict))


def test_every_vector_of_the_pluggable_specification_has_its_scenario() -> None:
    """In the file of its part. Numbers with a letter are further cases of the same prose."""
    suite = [loaded for loaded in SCENARIOS if loaded.file.parent.name == "pluggable"]
    numbers = [loaded.name.partition(" ")[0] for loaded in suite]
    assert len(numbers) == len(set(numbers))
    for part, expected in PLUGGABLE.items():
        files = [each for each in suite if each.file.name.startswith(f"{part.lower().replace('.', '')}-")]
        claimed = [loaded.name.partition(" ")[0][1:] for loaded in files]
        assert {int(number) for number in claimed if number.isdigit()} == set(expected), part


@pytest.mark.parametrize("loaded", SCENARIOS, ids=lambda loaded: loaded.name.partition(" ")[0])
def test_a_scenario_of_the_suite_expects_something(loaded: Loaded) -> None:
    """A vector that judges nothing would hold whatever the kernel does."""
    keys = ("expect", "expect_played", "config_error")
    [expected] = [value for key in keys if (value := loaded.written((key,))) is not None]
    assert expected
    assert all(expected)
