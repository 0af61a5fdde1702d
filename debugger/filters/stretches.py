"""A filter, asked about a stretch: about what it has itself, not about what happened in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, assert_never

from debugger.filters.combined import inverse
from debugger.filters.fields import FIELDS, Field, Known
from debugger.filters.kinds import Test, Truth
from debugger.filters.printer import printed
from debugger.filters.problems import BadFilter
from debugger.filters.shape import by_cost, flipped, is_no
from debugger.filters.sight import Sight
from debugger.filters.syntax import And, Every, Expression, Not, Or, Saved, Some, Term
from debugger.trace import StretchTrace

OfStretch: TypeAlias = Callable[[StretchTrace], Truth]


def of_stretch(expression: Expression, sight: Sight) -> OfStretch:
    """The question whether a stretch fits."""
    match expression:
        case Term() if is_no(expression):
            return _negated_stretch(of_stretch(flipped(expression), sight))
        case Term(name, op, values):
            return _in_stretch(FIELDS[name], FIELDS[name].kind.tests(op, values, sight), sight)
        case Not(operand):
            return _negated_stretch(of_stretch(operand, sight))
        case And(operands):
            asks = [of_stretch(each, sight) for each in by_cost(operands)]
            return lambda stretch: _all_of(asks, stretch)
        case Or(operands):
            asks = [of_stretch(each, sight) for each in by_cost(operands)]
            return lambda stretch: inverse(_all_of([_negated_stretch(each) for each in asks], stretch))
        case Some():
            return lambda stretch: False  # a stretch has no steps
        case Every():
            return lambda stretch: True
        case Saved(name, at):
            raise BadFilter(f"@{name} is not resolved", printed(expression), at)
        case never:
            assert_never(never)


def _all_of(asks: Sequence[OfStretch], stretch: StretchTrace) -> Truth:
    truths = [ask(stretch) for ask in asks]
    return False if False in truths else None if None in truths else True


def _negated_stretch(ask: OfStretch) -> OfStretch:
    return lambda stretch: inverse(ask(stretch))


def _in_stretch(field: Field, test: Test, sight: Sight) -> OfStretch:
    read = field.of_stretch
    if read is None:
        return lambda stretch: False
    is_always = field.known_of_dispatch is Known.ALWAYS

    def ask(stretch: StretchTrace) -> Truth:
        is_settled = is_always or stretch.left is not None
        thing: Any
        for thing in read(sight, stretch):
            if (truth := test(thing)) is True:
                return True
            if truth is None:
                is_settled = False
        return False if is_settled else None

    return ask
