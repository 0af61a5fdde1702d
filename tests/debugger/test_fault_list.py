"""Claims about the printed catalogue: what it offers to paste is taken, and the rules that it names exist."""

from __future__ import annotations

import pytest
import yaml

from debugger.fault_list import example, exercised
from kernel.dialects import REGISTRY, named
from kernel.faults import Fault


@pytest.mark.parametrize("name", [each.name for each in REGISTRY])
def test_every_example_is_a_fault_with_its_usual_settings(name: str) -> None:
    """As YAML, as a scenario reads it."""
    for kind in named(name).faults:
        said = yaml.safe_load(example(kind))
        assert (said.pop("at"), said.pop("kind")) == ("NAME", kind.kind)
        assert said == dict(kind.defaults)
        kind.plan(Fault(kind.kind, said))


@pytest.mark.parametrize("name", [each.name for each in REGISTRY])
def test_every_rule_that_a_fault_exercises_exists_and_most_exercise_some(name: str) -> None:
    """Those that exercise none are the ones that nobody may notice."""
    dialect = named(name)
    rules = {kind.kind: exercised(dialect, kind) for kind in dialect.faults}
    assert all(rule in dialect.rules for found in rules.values() for rule in found)
    assert rules["hang"]
    assert rules["delay"] == ()
    assert sum(map(bool, rules.values())) > len(rules) / 2
