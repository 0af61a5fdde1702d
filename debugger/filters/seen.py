"""What there was so far: names in each field, how often, and the paths of payloads. For completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from debugger.filters.fields import FIELDS
from debugger.filters.kinds import NAME
from debugger.filters.sight import Sight
from debugger.trace import DispatchTrace, StretchTrace
from kernel.values import JSON

MOST_VALUES: Final = 500
"""Of one field; what comes later is not offered."""
DEEPEST_PATH: Final = 5
_PASSING: Final = frozenset({"id", "parent"})
"""Fields with names that nobody remembers."""
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


class Seen:
    """Grows with every dispatch that it is told of. Not for several threads at once."""

    def __init__(self, sight: Sight | None = None) -> None:
        self._sight = sight or Sight()
        self._names: dict[str, Counter[str]] = {}
        self._paths: Counter[str] = Counter()

    def take(self, dispatch: DispatchTrace) -> None:
        """Take in one dispatch, once, when it is over."""
        for field in FIELDS.values():
            if field.kind is not NAME or field.name in _PASSING:
                continue
            if field.of_dispatch is not None:
                self._count(field.name, field.of_dispatch(self._sight, dispatch))
            if field.of_step is not None:
                for step in dispatch.steps:
                    self._count(field.name, field.of_step(self._sight, dispatch, step))

    def take_stretch(self, stretch: StretchTrace) -> None:
        """Take in one stretch, once, when it is over."""
        for field in FIELDS.values():
            if field.kind is NAME and field.name not in _PASSING and field.of_stretch is not None:
                self._count(field.name, field.of_stretch(self._sight, stretch))

    def take_payload(self, view: JSON) -> None:
        """Remember the paths of a payload, list items as `[*]`."""
        for path in dict.fromkeys(_paths(view)):
            if path in self._paths or len(self._paths) < MOST_VALUES:
                self._paths[path] += 1

    def names(self, field: str) -> tuple[tuple[str, int], ...]:
        """What a field was, and how often; the most frequent first."""
        counted = self._paths if field == "path" else self._names.get(field, Counter())
        return tuple(sorted(counted.items(), key=lambda each: (-each[1], each[0])))

    def _count(self, field: str, values: Iterable[str]) -> None:
        counted = self._names.setdefault(field, Counter())
        for value in values:
            if value and (value in counted or len(counted) < MOST_VALUES):
                counted[value] += 1


def _paths(view: JSON) -> Iterator[str]:
    """Paths of everything down to a depth, the outer ones first."""
    todo: list[tuple[str, int, JSON]] = [("$", 0, view)]
    while todo:
        path, depth, value = todo.pop(0)
        if depth:
            yield path
        if depth == DEEPEST_PATH:
            continue
        if isinstance(value, dict):
            for key, inner in value.items():
                step = f".{key}" if key and _PLAIN.issuperset(key) else f"['{key}']" if "'" not in key else None
                if step is not None:
                    todo.append((path + step, depth + 1, inner))
        elif isinstance(value, list):
            todo += ((f"{path}[*]", depth + 1, inner) for inner in value[:20])
