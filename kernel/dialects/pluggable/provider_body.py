"""What stands in a provider block, for the plugin that knows what it means (spec C.6).

The only place where `env()` has a value. Whatever comes from it is a secret, asked for or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from kernel.dialects.pluggable.codes import problem
from kernel.hcl import Attribute, Body, Call, Expression, ListOf, ObjectOf, Other, Scalar
from kernel.problems import Complain
from kernel.reach import Secret
from kernel.values import Place

Value: TypeAlias = "str | int | float | bool | Secret | tuple[Value, ...] | Mapping[str, Value] | None"
"""What a plugin is configured with."""


def decoded(
    body: Body, sensitive: Collection[str], environ: Mapping[str, str], complain: Complain
) -> Mapping[str, Value]:
    """The values of a provider's arguments; those that its plugin calls sensitive have to come from `env()`."""
    values: dict[str, Value] = {}
    for attribute in body.attributes:
        check_sensitive = attribute.name in sensitive
        if check_sensitive and not _is_env(attribute.expression):
            message = f'{attribute.name} is a secret and must be exactly env("NAME")'
            fix = "put the value into a variable, and its name into env()"
            complain(problem("ErrInvalidSensitiveExpr", message, attribute.expression.place, fix=fix))
        else:
            values[attribute.name] = _value(attribute.name, attribute.expression, environ, complain)
    return values


def check_expressions(body: Body, environ: Mapping[str, str], complain: Complain) -> None:
    """Tell what in a provider block cannot have a value, whatever its plugin makes of it."""
    for attribute in _attributes(body):
        _value(attribute.name, attribute.expression, environ, complain)


def _attributes(body: Body) -> Iterator[Attribute]:
    yield from body.attributes
    for block in body.blocks:
        yield from _attributes(block.body)


def _is_env(expression: Expression) -> bool:
    match expression:
        case Call("env", (Scalar(str()),)):
            return True
        case _:
            return False


def _value(name: str, expression: Expression, environ: Mapping[str, str], complain: Complain) -> Value:
    """A value; None for what has none. No message shows what was written: it may be a secret."""
    match expression:
        case Scalar(value):
            return value
        case ListOf(items):
            return tuple(_value(name, item, environ, complain) for item in items)
        case ObjectOf(entries):
            return {entry.key: _value(f"{name}.{entry.key}", entry.value, environ, complain) for entry in entries}
        case Call("env", (Scalar(str() as variable),), place=place):
            return _from_environment(name, variable, place, environ, complain)
        case Call("env", place=place):
            message = f"{name} has to name one variable in quotes for env()"
            complain(problem("not-evaluated", message, place, fix='write env("NAME")'))
        case Call(place=place):
            fix = "env() is the only function there is"
            complain(problem("not-evaluated", f"{name} calls a function that does not exist", place, fix=fix))
        case Other("variable", place=place):
            fix = "put it in quotes if it is text"
            complain(problem("not-evaluated", f"{name} names a variable, but there are none", place, fix=fix))
        case Other():
            pass  # templates and operations have values for the host, and nobody here needs them
    return None


def _from_environment(
    name: str, variable: str, place: Place, environ: Mapping[str, str], complain: Complain
) -> Secret | None:
    if not variable:
        complain(problem("ErrEnvNameEmpty", f"{name} is taken from a variable without a name", place))
        return None
    if variable not in environ:
        complain(problem("ErrEnvUnset", f"{name} is taken from {variable!r}, which is not set", place))
        return None
    return Secret(environ[variable])
