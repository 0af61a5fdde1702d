"""Everything that one redaction goes by: the built-in rules, and what a rules file adds and allows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from debugger.covering import keys
from debugger.covering.keys import KeyRule
from debugger.covering.secrets import SHORTEST
from debugger.redaction import shapes
from debugger.redaction.places import PlacePattern
from debugger.redaction.shapes import TextRule

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
