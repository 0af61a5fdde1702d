"""Values out of the arguments of a block, each read once, and what is wrong with them told on the way (spec C.2).

Expressions are evaluated with no variables and no functions, so that those are problems. Strings are not converted to
numbers, null is no value, and names are compared exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Final, TypeAlias, TypeVar

from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.schema import listed, nearest
from kernel.dialects.pluggable.points import Mode
from kernel.hcl import Attribute, Body, Entry, Expression, ListOf, ObjectOf, Scalar, Unknown, evaluate, numbers
from kernel.problems import Complain
from kernel.values import Place

T = TypeVar("T")
Reader: TypeAlias = Callable[[Attribute, Complain], T | None]
"""Takes the value out of an argument; tells what is wrong with it and gives None when it has none to give."""

MAX_WHOLE: Final = (1 << 63) - 1
"""The host keeps whole numbers in 64 bits."""


class Arguments:
    """The arguments of one block, to be taken by name. That they are there and nothing else is, `schema` says."""

    def __init__(self, body: Body, complain: Complain) -> None:
        self._body = body
        self._complain = complain
        self.unread: set[str] = set()
        """The arguments that were to be taken, are there, and had no usable value."""

    def take(self, name: str, reader: Reader[T]) -> T | None:
        """The value of an argument; None when there is no usable one."""
        attribute = self._body.attribute(name)
        if attribute is None:
            return None
        value = reader(constant(attribute, self._complain), self._complain)
        if value is None:
            self.unread.add(name)
        return value

    def take_or(self, name: str, reader: Reader[T], otherwise: T) -> T:
        """The value of an argument, or what holds without one."""
        value = self.take(name, reader)
        return otherwise if value is None else value


def constant(attribute: Attribute, complain: Complain) -> Attribute:
    """An argument with its value in place of its expression; tells what has none, which is then unknown."""

    def tell(message: str, place: Place, fix: str) -> None:
        complain(problem("not-evaluated", f"{attribute.name} {message}", place, fix=fix))

    return replace(attribute, expression=evaluate(attribute.expression, tell))


def text(attribute: Attribute, complain: Complain) -> str | None:
    """An argument that is text."""
    match attribute.expression:
        case Scalar(str() as value):
            return value
        case _:
            refuse(attribute, "text in quotes", complain)
            return None


def number(attribute: Attribute, complain: Complain) -> int | float | None:
    """An argument that is a number; one that is larger than any float is infinite."""
    value = _exact(attribute, complain)
    if value is None or (isinstance(value, int) and abs(value) <= MAX_WHOLE):
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _exact(attribute: Attribute, complain: Complain) -> int | Fraction | None:
    match attribute.expression:
        case Scalar(int() | Fraction() as value) if not isinstance(value, bool):
            return value
        case _:
            refuse(attribute, "a number", complain)
            return None


def whole_number(attribute: Attribute, complain: Complain) -> int | None:
    """An argument that is a whole number; as in the host a fraction is cut off, and 64 bits hold what they can."""
    value = _exact(attribute, complain)
    if value is None:
        return None
    whole = max(min(int(value), MAX_WHOLE), -MAX_WHOLE - 1)
    if whole != int(value):
        message = f"{attribute.name} does not fit into 64 bits, so it counts as {whole}"
        complain(problem("saturated-number", message, attribute.expression.place))
    return whole


def flag(attribute: Attribute, complain: Complain) -> bool | None:
    """An argument that is true or false."""
    match attribute.expression:
        case Scalar(bool() as value):
            return value
        case _:
            refuse(attribute, "true or false", complain)
            return None


def choice(*names: str) -> Reader[str]:
    """A reader of text that has to be one of these names."""

    def read(attribute: Attribute, complain: Complain) -> str | None:
        match attribute.expression:
            case Scalar(str() as value) if value in names:
                return value
            case _:
                refuse(attribute, listed(names, "or"), complain, fix=_meant(attribute.expression, names))
                return None

    return read


def mode(attribute: Attribute, complain: Complain) -> Mode | None:
    """An argument that is one of the three modes."""
    name = choice(*Mode)(attribute, complain)
    return None if name is None else Mode(name)


def texts(attribute: Attribute, complain: Complain) -> tuple[str, ...] | None:
    """An argument that is a list of text."""
    if not isinstance(attribute.expression, ListOf):
        refuse(attribute, "a list of texts", complain)
        return None
    items = [
        text(Attribute(f"{attribute.name}[{index}]", item, item.place), complain)
        for index, item in enumerate(attribute.expression.items)
    ]
    return tuple(item for item in items if item is not None)


def text_map(attribute: Attribute, complain: Complain) -> tuple[tuple[str, str], ...] | None:
    """An argument that is an object whose values are text."""
    entries = members(attribute, complain, "an object of texts")
    if entries is None:
        return None
    values = {entry.name.removeprefix(f"{attribute.name}."): text(entry, complain) for entry in entries}
    return tuple((name, value) for name, value in values.items() if value is not None)


def members(attribute: Attribute, complain: Complain, wanted: str) -> tuple[Attribute, ...] | None:
    """The entries of an argument that is an object, each named `argument.key`; the last one of a key counts."""
    if not isinstance(attribute.expression, ObjectOf):
        refuse(attribute, wanted, complain)
        return None
    check_keys(attribute.name, attribute.expression, complain)
    last = {_key(entry): entry for entry in attribute.expression.entries}
    return tuple(Attribute(f"{attribute.name}.{key}", entry.value, entry.place) for key, entry in last.items())


def check_keys(name: str, value: ObjectOf, complain: Complain) -> None:
    """Tell about each entry of an object that is ignored, because one after it has the same key."""
    last = {_key(entry): entry for entry in value.entries}
    for entry in value.entries:
        counting = last[_key(entry)]
        if counting is not entry:
            message = f"{name}.{_key(entry)} is ignored, because it comes again in line {counting.place.line}"
            complain(problem("duplicate-key", message, entry.place, fix="a key stands once; the last one counts"))


def _key(entry: Entry) -> str:
    assert isinstance(entry.key, Scalar), "the keys of a value are text"
    return str(entry.key.value)


def refuse(attribute: Attribute, wanted: str, complain: Complain, *, fix: str = "") -> None:
    """Tell that an argument is not what it has to be; what is unknown has been told already."""
    expression = attribute.expression
    if isinstance(expression, Unknown):
        return
    message = f"{attribute.name} must be {wanted}, not {_shown(expression)}"
    complain(problem("ErrInvalidValue", message, expression.place, fix=fix))


def _meant(expression: Expression, names: Iterable[str]) -> str:
    """The name that a wrong one is close to."""
    match expression:
        case Scalar(str() as value):
            fix = nearest(value.lower(), names)
            return fix if fix.startswith("did") else ""
        case _:
            return ""


def _shown(expression: Expression) -> str:
    match expression:
        case Scalar(bool() as value):
            return "true" if value else "false"
        case Scalar(None):
            return "null"
        case Scalar(str() as value):
            return f'"{value}"' if len(value) <= 40 else f"a text of {len(value)} characters"
        case Scalar(int() | Fraction() as value):
            digits = numbers.text(value)
            return digits if len(digits) <= 40 else f"a number of {len(digits)} digits"
        case ListOf():
            return "a list"
        case ObjectOf():
            return "an object"
        case _:
            return "an expression"
