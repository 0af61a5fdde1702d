"""The conformance suite: every scenario under tests/conformance holds, each vector by its number."""

from __future__ import annotations

from pathlib import Path

import pytest

from debugger.scenario import report
from debugger.scenario.load import Loaded, find, load
from debugger.scenario.run import run

SUITE = Path(__file__).parent / "conformance"
SCENARIOS = [loaded for path in find([SUITE]) for loaded in load(path)]
PLUGGABLE = {*range(1, 132, 2), 165, 167, 169, 171}
"""The odd numbers of spec G.1 to G.8, and those of G.10 that a dispatch shows."""


@pytest.mark.parametrize("loaded", SCENARIOS, ids=lambda loaded: loaded.name.partition(" ")[0])
def test_a_scenario_of_the_suite_holds(loaded: Loaded) -> None:
    """Expected beside actual is in the failure."""
    verdict = run(loaded)
    assert verdict.is_held, "\n".join(report.lines(verdict))


def test_every_vector_of_the_pluggable_specification_has_its_scenario() -> None:
    """Numbers with a letter are further cases of the same prose."""
    names = [loaded.name for loaded in SCENARIOS if loaded.scenario.dialect == "pluggable"]
    numbers = [name.partition(" ")[0] for name in names]
    assert len(numbers) == len(set(numbers))
    assert {int(number[1:]) for number in numbers if number[1:].isdigit()} == PLUGGABLE


@pytest.mark.parametrize("loaded", SCENARIOS, ids=lambda loaded: loaded.name.partition(" ")[0])
def test_a_scenario_of_the_suite_expects_something(loaded: Loaded) -> None:
    """A vector that judges nothing would hold whatever the kernel does."""
    expected = loaded.written(("expect",)) or loaded.written(("config_error",))
    assert expected
    assert all(expected)
