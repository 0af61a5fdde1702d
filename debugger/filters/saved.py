"""Filters with names: `@slow-vetoes` stands for what is saved under the name, as if it stood in parentheses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, assert_never

from debugger.filters.parser import named
from debugger.filters.problems import BadFilter, nearest
from debugger.filters.syntax import (
    And,
    Every,
    Everything,
    Expression,
    Filter,
    Not,
    Or,
    Saved,
    Some,
    Term,
    conjunction,
    disjunction,
)
from kernel.errors import BadInput

_NAME: Final = re.compile(r"[^\W_][\w.-]{0,59}")
MOST_TERMS: Final = 2_000
"""In a filter with every name resolved: a few names that use each other can stand for billions."""


def check_name(name: str) -> None:
    """Raises BadInput for what cannot be written behind an @."""
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot be the name of a filter",
            fix="letters, digits, - _ and . can, up to 60, a letter or digit first",
        )


def resolved(filter_: Filter, saved: Mapping[str, str], text: str = "") -> Filter:
    """The filter with what is saved in the place of every name; raises BadFilter for unknown names and for circles.

    `text` is what the filter was read from, for the place of what is wrong.
    """
    if isinstance(filter_, Everything):
        return filter_
    return _Resolver(saved, text).resolve(filter_, ())


class _Resolver:
    def __init__(self, saved: Mapping[str, str], text: str) -> None:
        self._saved = saved
        self._texts = [text]
        """What is being read, the innermost last."""
        self._terms = 0

    def resolve(self, expression: Expression, within: tuple[str, ...]) -> Expression:
        match expression:
            case Term(at=at):
                self._terms += 1
                if self._terms > MOST_TERMS:
                    raise BadFilter(f"more than {MOST_TERMS} claims with every name resolved", self._texts[-1], at)
                return expression
            case Not(operand):
                return Not(self.resolve(operand, within))
            case Some(operand):
                return Some(self.resolve(operand, within))
            case Every(operand):
                return Every(self.resolve(operand, within))
            case And(operands):
                return conjunction([self.resolve(each, within) for each in operands])
            case Or(operands):
                return disjunction([self.resolve(each, within) for each in operands])
            case Saved():
                return self._looked_up(expression, within)
            case never:
                assert_never(never)

    def _looked_up(self, saved: Saved, within: tuple[str, ...]) -> Expression:
        name = saved.name
        inside = f"in @{within[-1]}: " if within else ""
        if name in within:
            circle = " → ".join(f"@{each}" for each in (*within[within.index(name) :], name))
            raise BadFilter(f"{inside}@{name} uses itself: {circle}", self._texts[-1], saved.at, fix="leave one out")
        if name not in self._saved:
            fix = nearest(name, sorted(self._saved))
            raise BadFilter(f"{inside}no filter is saved as @{name}", self._texts[-1], saved.at, fix=fix)
        text = self._saved[name]
        found = named(name, text)
        assert not isinstance(found, Everything), "refused under a name"
        self._texts.append(text)
        expression = self.resolve(found, (*within, name))
        self._texts.pop()
        return expression
