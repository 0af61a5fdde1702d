"""What stands in a provider block, for the plugin that knows what it means (spec C.6).

The only place where `env()` has a value. Whatever has anything of it in it is a secret, asked for or not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeAlias

from kernel import hcl
from kernel.dialects.pluggable.agent_hcl.arguments import check_keys
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.options import ATTRIBUTE_TYPES, ConfigSchema
from kernel.dialects.pluggable.agent_hcl.schema import listed, nearest
from kernel.dialects.pluggable.agent_hcl.settings import Provider
from kernel.hcl import (
    Attribute,
    Block,
    Body,
    Call,
    EachType,
    Expression,
    ListOf,
    NoConversion,
    ObjectOf,
    Scalar,
    Tell,
    Unknown,
    convert,
    evaluate,
)
from kernel.problems import Complain
from kernel.reach import Secret
from kernel.values import Place

Value: TypeAlias = "str | int | float | bool | Secret | tuple[Value, ...] | Mapping[str, Value] | None"
"""What a plugin is configured with."""


_TYPES: Final[Mapping[str, hcl.Type]] = {
    "string": "text",
    "number": "number",
    "bool": "bool",
    "list_string": EachType(is_list=True, each="text"),
    "list_number": EachType(is_list=True, each="number"),
    "map_string": EachType(is_list=False, each="text"),
}
"""What values of each declared type have to convert to, as the host converts them; `object` takes anything."""
_NOTHING_DECLARED: Final[Mapping[str, str]] = MappingProxyType({})


def decoded(
    body: Body,
    sensitive: Collection[str],
    environ: Mapping[str, str],
    complain: Complain,
    declared: Mapping[str, str] = _NOTHING_DECLARED,
) -> Mapping[str, Value]:
    """The values of a provider's arguments; those that its plugin calls sensitive have to come from `env()`.

    `declared` has types by argument: what does not convert to its own is told.
    """
    values: dict[str, Value] = {}
    for attribute in body.attributes:
        if attribute.name in sensitive and not _is_env(attribute.expression):
            message = f'{attribute.name} is a secret and must be exactly env("NAME")'
            fix = "put the value into a variable, and its name into env()"
            complain(problem("ErrInvalidSensitiveExpr", message, attribute.expression.place, fix=fix))
        else:
            value, is_secret = evaluated(attribute, environ, complain)
            _check_type(attribute, value, declared.get(attribute.name, ""), complain)
            values[attribute.name] = _plain(value, is_secret=is_secret)
    return values


def check(
    provider: Provider, config_schema: ConfigSchema | None, environ: Mapping[str, str], complain: Complain
) -> None:
    """Tell what in a provider block cannot have a value, and what its plugin will not take if that is known."""
    if config_schema is not None:
        _check_names(provider, config_schema, complain)
    known = config_schema or {}
    sensitive = [name for name, each in known.items() if each.is_sensitive]
    types = {name: each.type for name, each in known.items()}
    decoded(provider.body, sensitive, environ, complain, types)
    for block in _blocks(provider.body):
        decoded(block.body, (), environ, complain)


def _check_names(provider: Provider, config_schema: ConfigSchema, complain: Complain) -> None:
    for name, each in config_schema.items():
        if each.type not in ATTRIBUTE_TYPES:
            message = f"{provider.name} describes its argument {name} with the type {each.type!r}"
            fix = f"the host knows {listed(ATTRIBUTE_TYPES, 'and')}"
            complain(problem("ErrInvalidAttrType", message, provider.place, fix=fix))
    given = {attribute.name: attribute for attribute in provider.body.attributes}
    missing = [name for name, each in config_schema.items() if each.is_required and name not in given]
    if missing:
        complain(problem("missing-argument", f"{provider.name} needs {listed(missing, 'and')}", provider.place))
    for name, attribute in given.items():
        if name not in config_schema:
            message, fix = f"{provider.name} takes no argument {name!r}", nearest(name, config_schema)
            complain(problem("unsupported-argument", message, attribute.place, fix=fix))
    for block in provider.body.blocks:
        fix = "write it with `=`" if block.type in config_schema else "a plugin declares arguments, and never blocks"
        complain(problem("unsupported-block", f"{provider.name} takes no block {block.type!r}", block.place, fix=fix))


def _check_type(attribute: Attribute, value: hcl.Value, declared: str, complain: Complain) -> None:
    """Tell about a value that its plugin will not take; null is of every type."""
    try:
        convert(value, _TYPES.get(declared, "dynamic"))
    except NoConversion as error:
        message = f"{attribute.name} is declared as {declared}: there is {error}"
        complain(problem("wrong-type", message, attribute.expression.place))


def _blocks(body: Body) -> Iterator[Block]:
    for block in body.blocks:
        yield block
        yield from _blocks(block.body)


def evaluated(attribute: Attribute, environ: Mapping[str, str] | None, complain: Complain) -> tuple[hcl.Value, bool]:
    """A value, and whether anything of a variable of ours is in it; without `environ` those are not known yet.

    No message shows what was written or what it came to: it may be a secret.
    """
    is_secret = False
    codes: dict[tuple[str, Place], str] = {}  # of what is not only a matter of evaluation

    def tell(message: str, place: Place, fix: str) -> None:
        code = codes.get((message, place), "not-evaluated")
        complain(problem(code, f"{attribute.name} {message}", place, fix=fix))

    def env(call: Call, arguments: tuple[hcl.Value, ...], tell_if_needed: Tell) -> hcl.Value:
        nonlocal is_secret
        is_secret = True
        match arguments:
            case (Scalar(str() as name),) if not call.is_spread:
                code, message = _missing(name, environ)
                if not code:
                    return Scalar(environ[name], call.place) if environ is not None else Unknown(call.place)
                codes[message, call.place] = code
                tell_if_needed(message, call.place, "")
            case _ if not any(isinstance(argument, Unknown) for argument in arguments):
                tell_if_needed("has to name one variable in quotes for env()", call.place, 'write env("NAME")')
        return Unknown(call.place)

    value = evaluate(attribute.expression, tell, MappingProxyType({"env": env}))
    for found in _objects(value):
        check_keys(attribute.name, found, complain)
    return value, is_secret


def _is_env(expression: Expression) -> bool:
    """Looks at what was written, not at what it comes to (spec C.6)."""
    match expression:
        case Call("env", (Scalar(str()),), False):
            return True
        case _:
            return False


def _plain(value: hcl.Value | Expression, *, is_secret: bool) -> Value:
    match value:
        case Scalar(str() as text):
            return Secret(text) if is_secret else text
        case Scalar(Fraction() as fraction):
            return float(fraction)
        case Scalar(bool() | int() | None as constant):
            return constant
        case ListOf(items):
            return tuple(_plain(item, is_secret=is_secret) for item in items)
        case ObjectOf(entries):
            return {
                str(entry.key.value): _plain(entry.value, is_secret=is_secret)
                for entry in entries
                if isinstance(entry.key, Scalar)
            }
        case _:
            return None


def _objects(value: hcl.Value | Expression) -> Iterator[ObjectOf]:
    match value:
        case ListOf(items):
            for item in items:
                yield from _objects(item)
        case ObjectOf(entries):
            yield value
            for entry in entries:
                yield from _objects(entry.value)
        case _:
            pass


def _missing(variable: str, environ: Mapping[str, str] | None) -> tuple[str, str]:
    """What keeps a variable from having a value: a code, and what can be said about the argument."""
    if not variable:
        return "ErrEnvNameEmpty", "is taken from a variable without a name"
    if environ is not None and variable not in environ:
        return "ErrEnvUnset", f"is taken from {variable!r}, which is not set"
    return "", ""
