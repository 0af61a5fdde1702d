"""Everything that one redaction goes by: the built-in rules, and what a rules file adds and allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from debugger.redaction import keys, shapes
from debugger.redaction.keys import KeyRule
from debugger.redaction.places import PlacePattern
from debugger.redaction.shapes import TextRule
from kernel.reach import Callback, GoPlugin, InProcess, Reach, Secret, StdioExtension
from kernel.setup import Setup

PLACE = "place"
"""Name of the rule for whatever stands at a place that a rules file names."""
VALUE = "value"
"""Name of the rule for values that somebody said are secret."""
NAMES = tuple(dict.fromkeys((PLACE, VALUE, *(each.name for each in (*shapes.BUILT_IN, *keys.BUILT_IN)))))
"""Of every rule that there is without a rules file."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What is left as it is, whatever a rule says."""

    values: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    """Globs over the normal notation of names."""
    places: tuple[PlacePattern, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """What is taken for a secret."""

    text: tuple[TextRule, ...] = shapes.BUILT_IN
    keys: tuple[KeyRule, ...] = keys.BUILT_IN
    places: tuple[PlacePattern, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)
    """Secrets that are known, each with the name of its rule."""
    allowed: Allowed = Allowed()

    def knowing(self, values: Iterable[str]) -> Rules:
        """The same, with more values that are known to be secret; what is too short to be told from words is not."""
        more = {value: VALUE for value in values if len(value) >= SHORTEST}
        return replace(self, values={**self.values, **more})


SHORTEST = 4
"""Characters of a known secret. What is shorter stands everywhere by chance."""


def secrets_of(setup: Setup) -> tuple[str, ...]:
    """Every secret that a configuration hands to its subscribers, for `Rules.knowing`: they may print what they get.

    Plain values of an environment count where their name is one under which secrets are kept.
    """
    reaches: list[Reach | None] = [seat.reach for chain in setup.chains.values() for seat in chain.subscriptions]
    names = keys.Names(keys.BUILT_IN)
    found: dict[str, None] = {}
    for reach in (*reaches, *setup.others.values()):
        for name, value in _given(reach):
            if isinstance(value, Secret):
                found[value.reveal()] = None
            elif isinstance(value, str) and names.rule(name) is not None:
                found[value] = None
    return tuple(found)


def _given(reach: Reach | None) -> Iterable[tuple[str, object]]:
    match reach:
        case GoPlugin():
            return reach.env
        case StdioExtension():
            return reach.config
        case InProcess() | Callback() | None:
            return ()
        case never:
            assert_never(never)
