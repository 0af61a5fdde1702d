"""Values out of the arguments of a block, each read once, and what is wrong with them told on the way (spec C.2).

Nothing is evaluated here: a variable or a function is a problem. Strings are not converted to numbers, null is no
value, and names are compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias, TypeVar

from kernel.dialects.pluggable.codes import problem
from kernel.dialects.pluggable.points import Mode
from kernel.dialects.pluggable.schema import a, listed, nearest
from kernel.hcl import Attribute, Body, Call, Entry, Expression, ListOf, ObjectOf, Other, Scalar
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

    def take(self, name: str, reader: Reader[T]) -> T | None:
        """The value of an argument; None when there is no usable one."""
        attribute = self._body.attribute(name)
        return None if attribute is None else reader(attribute, self._complain)

    def take_or(self, name: str, reader: Reader[T], otherwise: T) -> T:
        """The value of an argument, or what holds without one."""
        value = self.take(name, reader)
        return otherwise if value is None else value


def text(attribute: Attribute, complain: Complain) -> str | None:
    """An argument that is text."""
    match attribute.expression:
        case Scalar(str() as value):
            return value
        case _:
            refuse(attribute, "text in quotes", complain)
            return None


def number(attribute: Attribute, complain: Complain) -> int | float | None:
    """An argument that is a number."""
    match attribute.expression:
        case Scalar(int() | float() as value) if not isinstance(value, bool):
            return value
        case _:
            refuse(attribute, "a number", complain)
            return None


def whole_number(attribute: Attribute, complain: Complain) -> int | None:
    """An argument that is a whole number; a fraction is cut off, as the host does."""
    value = number(attribute, complain)
    if value is None:
        return None
    whole = int(value)
    if abs(whole) > MAX_WHOLE:
        refuse(attribute, f"{MAX_WHOLE} at most", complain)
        return None
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
    last: dict[str, Entry] = {entry.key: entry for entry in attribute.expression.entries}
    return tuple(Attribute(f"{attribute.name}.{key}", entry.value, entry.place) for key, entry in last.items())


def refuse(attribute: Attribute, wanted: str, complain: Complain, *, fix: str = "") -> None:
    """Tell that an argument is not what it has to be."""
    expression = attribute.expression
    if not check_written_out(attribute.name, expression, complain):
        return
    message = f"{attribute.name} must be {wanted}, not {_shown(expression)}"
    complain(problem("ErrInvalidValue", message, expression.place, fix=fix))


def check_written_out(name: str, expression: Expression, complain: Complain) -> bool:
    """Whether a value needs no evaluation; tells about everything in it that does."""
    match expression:
        case Scalar():
            return True
        case ListOf(items):
            checked = [check_written_out(name, item, complain) for item in items]  # to the end, whatever the first says
            return all(checked)
        case ObjectOf(entries):
            checked = [check_written_out(f"{name}.{entry.key}", entry.value, complain) for entry in entries]
            return all(checked)
        case Call(called, place=place):
            _not_evaluated(f"{name} calls {called}(), but functions cannot be called here", place, complain)
        case Other("variable", source, place):
            message, fix = f"{name} names a variable, but there are none here", f"put {source} in quotes if it is text"
            _not_evaluated(message, place, complain, fix=fix)
        case Other(kind, place=place):
            _not_evaluated(f"{name} is {a(kind)}, which is not evaluated", place, complain, fix="write it out")
    return False


def _not_evaluated(message: str, place: Place, complain: Complain, *, fix: str = "") -> None:
    complain(problem("not-evaluated", message, place, fix=fix))


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
        case Scalar(value):
            return f"{value}"
        case ListOf():
            return "a list"
        case ObjectOf():
            return "an object"
        case _:
            return "an expression"
