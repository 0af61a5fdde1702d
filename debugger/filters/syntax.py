"""Filters as values: what one says, without what it is asked about. `parser.py` reads them, `printer.py` writes them.

Two filters are equal when they say the same in the same order; where they stood in a text does not count.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, assert_never


class Op(StrEnum):
    """How a field is compared, as it is written."""

    HAS = ":"
    """Whatever is most useful for the kind of field: contains, equals, holds."""
    IS = ":="
    """Exactly this."""
    MATCHES = ":~"
    """A regular expression finds something."""
    OTHER = ":!"
    """There is something, and it is another one."""
    MORE = ":>"
    LESS = ":<"
    AT_LEAST = ":>="
    AT_MOST = ":<="


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text, in characters from 0."""

    start: int = 0
    end: int = 0


NOWHERE = Span()


@dataclass(frozen=True, slots=True)
class Value:
    """What a field is compared with."""

    text: str
    is_pattern: bool = False
    """Whether each `*` stands for any text."""
    at: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Everything:
    """The empty filter."""


@dataclass(frozen=True, slots=True)
class Term:
    """A claim about one field: true of any of the values."""

    field: str
    op: Op
    values: tuple[Value, ...]
    at: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        assert self.values, "a term compares with something"


@dataclass(frozen=True, slots=True)
class Saved:
    """A filter that somebody gave a name."""

    name: str
    at: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    operand: Expression


@dataclass(frozen=True, slots=True)
class And:
    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        assert len(self.operands) > 1, "one alone is itself"
        assert not any(isinstance(each, And) for each in self.operands), "see conjunction()"


@dataclass(frozen=True, slots=True)
class Or:
    operands: tuple[Expression, ...]

    def __post_init__(self) -> None:
        assert len(self.operands) > 1, "one alone is itself"
        assert not any(isinstance(each, Or) for each in self.operands), "see disjunction()"


@dataclass(frozen=True, slots=True)
class Some:
    """Some step of the dispatch fits, whichever step is looked at."""

    operand: Expression


@dataclass(frozen=True, slots=True)
class Every:
    """Every step of the dispatch fits."""

    operand: Expression


Expression: TypeAlias = Term | Saved | Not | And | Or | Some | Every
"""A closed set: matching it must be exhaustive."""
Filter: TypeAlias = Expression | Everything


def conjunction(operands: list[Expression]) -> Expression:
    """All of them, without one conjunction inside another."""
    flat = [inner for each in operands for inner in (each.operands if isinstance(each, And) else (each,))]
    return flat[0] if len(flat) == 1 else And(tuple(flat))


def disjunction(operands: list[Expression]) -> Expression:
    """Any of them, without one disjunction inside another."""
    flat = [inner for each in operands for inner in (each.operands if isinstance(each, Or) else (each,))]
    return flat[0] if len(flat) == 1 else Or(tuple(flat))


def terms(expression: Filter) -> Iterator[Term]:
    """Every claim in it, in order, whatever it is under."""
    match expression:
        case Term():
            yield expression
        case Not(operand) | Some(operand) | Every(operand):
            yield from terms(operand)
        case And(operands) | Or(operands):
            for each in operands:
                yield from terms(each)
        case Saved() | Everything():
            pass
        case never:
            assert_never(never)
