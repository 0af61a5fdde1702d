"""What can be said of a filter without asking it: what it costs, what it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from debugger.filters.fields import FIELDS
from debugger.filters.kinds import FLAG, is_yes
from debugger.filters.syntax import And, Every, Expression, Not, Or, Saved, Some, Term, Value, terms


def by_cost(operands: Sequence[Expression]) -> list[Expression]:
    """The cheap ones first; among equals as written."""
    return sorted(operands, key=cost)


def cost(expression: Expression) -> int:
    """What the dearest claim in it costs."""
    return max((FIELDS[term.field].cost for term in terms(expression)), default=0)


def is_positive(expression: Expression) -> bool:
    """Whether it claims that something is there, and not only that something is not."""
    match expression:
        case Term():
            return not is_no(expression)
        case Not():
            return False
        case And(operands) | Or(operands):
            return any(map(is_positive, operands))
        case Some() | Every() | Saved():
            return True
        case never:
            assert_never(never)


def is_only_of_steps(expression: Expression) -> bool:
    """Whether some claim in it can only be made of a step."""
    match expression:
        case Some() | Every() | Saved():
            return False
        case Term(name):
            return FIELDS[name].of_dispatch is None
        case Not(operand):
            return is_only_of_steps(operand)
        case And(operands) | Or(operands):
            return any(map(is_only_of_steps, operands))
        case never:
            assert_never(never)


def is_no(term: Term) -> bool:
    """Whether it says that a flag is not set."""
    return FIELDS[term.field].kind is FLAG and not is_yes(term.values[0])


def flipped(term: Term) -> Term:
    """The same of a flag that is set."""
    return Term(term.field, term.op, (Value("yes"),), term.at)
