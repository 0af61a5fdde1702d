"""Claims about names that a dialect has to know: what is published is what is measured."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

from debugger.scenario.load import load
from debugger.scenario.measure import measured
from debugger.scenario.run import run
from debugger.scenario.wording import unknown
from kernel.dialects.pluggable import metrics
from kernel.dialects.published import PUBLISHED
from kernel.values import JSON

CONFORMANCE = Path(__file__).parents[2] / "conformance" / "pluggable"
[PLUGGABLE] = [each for each in PUBLISHED if each.dialect == "pluggable"]


def test_every_metric_that_can_be_recorded_is_published_and_no_other() -> None:
    """By the names that stand in the code that records them."""
    texts = {each.value for each in ast.walk(ast.parse(inspect.getsource(metrics))) if isinstance(each, ast.Constant)}
    named = {name for name in PLUGGABLE.metrics if name.removeprefix(metrics.PREFIX) in texts}
    in_full = {name for name in PLUGGABLE.metrics if name.removeprefix(metrics.PREFIX) == "plugin.crashes"}
    assert named | in_full == set(PLUGGABLE.metrics)
    calls = [each for each in ast.walk(ast.parse(inspect.getsource(metrics))) if isinstance(each, ast.Call)]
    recorded = {
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id in ("_counted", "_timed", "_measured")
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }
    assert {f"{metrics.PREFIX}{name}" for name in recorded} <= set(PLUGGABLE.metrics)


def test_every_attribute_that_is_measured_is_published() -> None:
    """In every session of the conformance suite."""
    seen: set[str] = set()
    for path in sorted(CONFORMANCE.glob("*session*.scenario.yaml")):
        for loaded in load(path):
            played = run(loaded).session
            for each in () if played is None else measured(played.events, played.dialect).metrics:
                assert set(each.attributes) <= PLUGGABLE.metrics[each.name]
                seen.add(each.name)
    assert len(seen) > len(PLUGGABLE.metrics) / 2


def test_nothing_is_said_of_a_dialect_that_there_is_not() -> None:
    """Whoever sets the scenario up says that."""
    said: list[JSON] = [{"rules": ["X"]}]
    assert list(unknown("nowhere", lambda path: said if path == ("expect",) else None)) == []
