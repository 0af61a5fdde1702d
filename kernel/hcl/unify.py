"""The types of values, what converts to what, and the type that two values have in common. Pure.

A type is a word for a scalar, or a shape. Null has the type `dynamic`, which is at home everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from kernel.hcl import numbers
from kernel.hcl.values import Entry, ListOf, ObjectOf, Scalar, Unknown, Value


@dataclass(frozen=True, slots=True)
class TupleType:
    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class ObjectType:
    members: Mapping[str, Type]


@dataclass(frozen=True, slots=True)
class EachType:
    """Any number of one type: what lists or objects that differ in shape have in common."""

    is_list: bool
    each: Type


Type: TypeAlias = str | TupleType | ObjectType | EachType
"""`text`, `number`, `bool`, `dynamic`, or a shape."""

KINDS = {"text": "text", "number": "a number", "bool": "true or false", "dynamic": "null"}


class NoConversion(Exception):
    """A value cannot be what it has to be; says in a few words why, and never shows it."""


def members(value: ObjectOf) -> dict[str, Value]:
    """The values of an object that has been evaluated, by key."""
    return {str(entry.key.value): entry.value for entry in value.entries if isinstance(entry.key, Scalar)}  # type: ignore[misc]


def kind(value: Value) -> str:
    """What a value is, in words that do not show it."""
    type_ = type_of(value)
    if isinstance(type_, str):
        return KINDS[type_]
    return "a list" if isinstance(value, ListOf) else "an object"


def type_of(value: Value) -> Type:
    match value:
        case Scalar(str()):
            return "text"
        case Scalar(bool()):
            return "bool"
        case Scalar(None) | Unknown():
            return "dynamic"
        case Scalar():
            return "number"
        case ListOf(items):
            return TupleType(tuple(map(type_of, items)))  # type: ignore[arg-type]
        case ObjectOf():
            return ObjectType({key: type_of(each) for key, each in members(value).items()})


def common(types: Iterable[Type]) -> Type | None:
    """The type to which all of these convert; None if there is none."""
    each = list(types)
    first = each[0] if each else "dynamic"
    if all(other == first for other in each):
        return first
    if "dynamic" in each:
        return "dynamic"
    if all(isinstance(other, str) for other in each):
        return "text" if "text" in each else None
    if all(isinstance(other, TupleType) or (isinstance(other, EachType) and other.is_list) for other in each):
        return _common_list(each)
    if all(isinstance(other, ObjectType) or (isinstance(other, EachType) and not other.is_list) for other in each):
        return _common_object(each)
    return None


def _common_list(types: list[Type]) -> Type | None:
    tuples = [each.items for each in types if isinstance(each, TupleType)]
    if len(tuples) == len(types) and len(set(map(len, tuples))) == 1:
        items = [common(column) for column in zip(*tuples, strict=True)]
        if None not in items:
            return TupleType(tuple(item for item in items if item is not None))
    inner = [item for each in types for item in _items(each)]
    shared = common(inner)
    return None if shared is None else EachType(True, shared)


def _common_object(types: list[Type]) -> Type | None:
    objects = [each.members for each in types if isinstance(each, ObjectType)]
    if len(objects) == len(types) and all(each.keys() == objects[0].keys() for each in objects):
        found = {key: common(each[key] for each in objects) for key in objects[0]}
        if None not in found.values():
            return ObjectType({key: type_ for key, type_ in found.items() if type_ is not None})
    shared = common([item for each in types for item in _items(each)])
    return None if shared is None else EachType(False, shared)


def _items(type_: Type) -> tuple[Type, ...]:
    match type_:
        case TupleType(items):
            return items
        case ObjectType(found):
            return tuple(found.values())
        case EachType(_, each):
            return (each,)
        case _:
            return ()


def convert(value: Value, type_: Type) -> Value:
    """A value as one of another type; null and what is not known stay. Raises NoConversion."""
    match value, type_:
        case (Scalar(None) | Unknown(), _) | (_, "dynamic"):
            return value
        case Scalar(), str():
            return _scalar(value, type_)
        case ListOf(items, place), TupleType(types):
            return ListOf(tuple(map(convert, items, types)), place)  # type: ignore[arg-type]
        case ListOf(items, place), EachType(True, each):
            return ListOf(tuple(convert(item, each) for item in items), place)  # type: ignore[arg-type]
        case ObjectOf(entries, place), ObjectType() | EachType(False):
            return ObjectOf(tuple(Entry(e.key, convert(e.value, _at(type_, e)), e.place) for e in entries), place)  # type: ignore[arg-type]
        case _:
            raise NoConversion(f"{kind(value)} where {_wanted(type_)} is needed")


def _wanted(type_: Type) -> str:
    match type_:
        case str():
            return KINDS[type_]
        case TupleType() | EachType(True):
            return "a list"
        case _:
            return "an object"


def _at(type_: ObjectType | EachType, entry: Entry) -> Type:
    assert isinstance(entry.key, Scalar), "a value's keys are text"
    return type_.each if isinstance(type_, EachType) else type_.members[str(entry.key.value)]


def _scalar(value: Scalar, type_: str) -> Scalar:
    match value.value, type_:
        case (str(), "text") | (bool(), "bool"):
            return value
        case bool(flag), "text":
            return Scalar("true" if flag else "false", value.place)
        case str(word), "bool" if word in _BOOLEANS:
            return Scalar(_BOOLEANS[word], value.place)
        case str(digits), "number":
            return Scalar(_number(digits), value.place)
        case bool(), "number":
            pass
        case number, "number" if not isinstance(number, str):
            return value
        case number, "text" if number is not None and not isinstance(number, str):
            return Scalar(numbers.text(number), value.place)
    raise NoConversion(f"{kind(value)} where {KINDS[type_]} is needed")


_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _number(text: str) -> numbers.Number:
    sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.removeprefix("+"))
    try:
        return sign * numbers.read(digits)
    except numbers.NumberError:
        raise NoConversion("text that is not a number where a number is needed") from None
