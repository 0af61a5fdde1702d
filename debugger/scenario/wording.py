"""Names in what a scenario expects that its dialect has to know: rules, metrics and their attributes.

A misspelt one must not pass for something that did not happen. Looks at what is written alone; nothing has run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from debugger.scenario.document import Path
from kernel import dialects
from kernel.dialects.published import PUBLISHED
from kernel.errors import BadInput
from kernel.values import JSON

Written: TypeAlias = Callable[[Path], JSON]
"""The value that stands at a path of a scenario; None where there is nothing."""

_WITH_RULES: Final = ("steps", "errors", "not_reached", "decisions", "facts")
"""Keys whose entries may name a rule."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name that the dialect does not know."""

    path: Path
    sentence: str
    """That it does not."""
    word: str
    known: tuple[str, ...]
    """What could stand there instead."""


def unknown(dialect: str, written: Written) -> Iterator[Unknown]:
    """Every such name. Of a dialect that there is not, nothing is said: whoever sets the scenario up does that."""
    try:
        rules = dialects.named(dialect).rules
    except BadInput:
        return
    metrics: Mapping[str, frozenset[str]] = {}
    for published in PUBLISHED:
        if published.dialect == dialect:
            metrics = published.metrics
    for path in _mappings(written):
        for place in _places_of_rules(path, written):
            rule = written(place)
            if isinstance(rule, str) and rule and rule not in rules:
                yield Unknown(place, f"{dialect} has no rule {rule!r}", rule, tuple(rules))
        for place in _inside((*path, "metrics"), written):
            yield from _in_metric(place, dialect, metrics, written)


def _mappings(written: Written) -> Iterator[Path]:
    """Where each mapping stands of which the keys are expected."""
    yield from _inside(("expect",), written)
    yield ("expect_played",)
    yield from _inside(("expect_played", "dispatches"), written)


def _inside(path: Path, written: Written) -> Iterator[Path]:
    """Where the entries of a list stand."""
    entries = written(path)
    return ((*path, place) for place in range(len(entries) if isinstance(entries, list) else 0))


def _places_of_rules(path: Path, written: Written) -> Iterator[Path]:
    yield (*path, "rule")
    yield from _inside((*path, "rules"), written)
    for key in _WITH_RULES:
        yield from ((*place, "rule") for place in _inside((*path, key), written))


def _in_metric(path: Path, dialect: str, metrics: Mapping[str, frozenset[str]], written: Written) -> Iterator[Unknown]:
    name = written((*path, "name"))
    assert isinstance(name, str), "the format says so"
    if name not in metrics:
        yield Unknown((*path, "name"), f"{dialect} publishes no metric {name!r}", name, tuple(metrics))
        return
    for key in ("attributes", "all_attributes"):
        attributes = written((*path, key))
        for each in attributes if isinstance(attributes, dict) else ():
            if each not in metrics[name]:
                known = tuple(sorted(metrics[name]))
                yield Unknown((*path, key, each), f"{name} has no attribute {each!r}", each, known)
