"""Events as bytes and back, with nothing lost but how subscribers were reached: that may hold secrets.

Values are told by the names of their classes and fields, so a format version lasts as long as those; what is added
with a default needs no new version. Payloads stand in for themselves by the hash of their content.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

import msgspec

from kernel import facts, values
from kernel.errors import BadInput
from kernel.facts import Event, Fact
from kernel.faults import Draw, Fault
from kernel.reach import Reach
from kernel.values import Payload

_TAG = "$"
"""Key that tells what an object stands for. Mappings of the facts are wrapped, so no payload can pretend."""
_LEFT_OUT: Final = frozenset({"reach"})

_CLASSES: Final[Mapping[str, type]] = MappingProxyType(
    {
        each.__name__: each
        for module in (facts, values)
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__ and dataclasses.is_dataclass(each)
    }
    | {each.__name__: each for each in (Draw, Fault)}
)
_FIELDS: Final[Mapping[type, frozenset[str]]] = MappingProxyType(
    {each: frozenset(field.name for field in dataclasses.fields(each)) for each in _CLASSES.values()}
)
_ENUMS: Final[Mapping[str, type[Enum]]] = MappingProxyType(
    {
        each.__name__: each
        for each in vars(values).values()
        if isinstance(each, type) and issubclass(each, Enum) and each.__module__ == values.__name__
    }
)
_encoder: Final = msgspec.msgpack.Encoder()
_decoder: Final = msgspec.msgpack.Decoder()

Keep = Callable[[Payload], None]
"""To be told of each payload that an event refers to."""
Find = Callable[[str], Payload]
"""From a digest to the payload; raises BadInput."""


def encode(fact: Fact, keep: Keep) -> bytes:
    """The fact as it is stored."""
    return _encoder.encode(_plain(fact, keep))


def decode(body: bytes, find: Find) -> Fact:
    """The fact that was stored; raises BadInput for bytes that are none of ours."""
    try:
        fact = _live(_decoder.decode(body), find)
    except (msgspec.DecodeError, TypeError, ValueError, KeyError, RecursionError) as error:
        raise BadInput(f"a stored event cannot be read: {error}") from error
    if not isinstance(fact, Fact):
        raise BadInput("a stored event is no event")
    return fact


def same(first: Event, second: Event) -> bool:
    """Whether two events tell the same, times and numbers included; the ids of their dispatches may differ."""
    is_same_time = (first.number, first.at_ns) == (second.number, second.at_ns)
    return is_same_time and encode(first.fact, _ignore) == encode(second.fact, _ignore)


def _ignore(payload: Payload) -> None:
    pass


def _plain(value: object, keep: Keep) -> object:
    """What msgpack knows. Called for every value of every event: what is to be done with a class is found out once."""
    kind = type(value)
    if kind in _AS_IS:
        return value
    way = _WAYS.get(kind)
    if way is None:
        way = _WAYS[kind] = _way_of(kind)
    return way(value, keep)


_AS_IS: Final = frozenset((type(None), bool, float, bytes, str))
_Way = Callable[[Any, Keep], object]
_WAYS: Final[dict[type, _Way]] = {}


def _way_of(kind: type) -> _Way:
    """How values of exactly this class are stored."""
    name = kind.__name__
    if issubclass(kind, Enum) and name in _ENUMS:
        return lambda value, keep: {_TAG: name, "value": value.value}
    if issubclass(kind, str):
        return lambda value, keep: str(value)  # a dialect's own word, where it is one of an enumeration there
    if issubclass(kind, int):
        return lambda value, keep: value if -(2**63) <= value < 2**64 else {_TAG: "int", "text": str(value)}
    if issubclass(kind, float | bytes):
        return lambda value, keep: value
    if issubclass(kind, tuple):
        return lambda value, keep: {_TAG: "tuple", "items": [_plain(each, keep) for each in value]}
    if issubclass(kind, list):
        return lambda value, keep: [_plain(each, keep) for each in value]
    if issubclass(kind, Mapping):
        return _mapping
    if issubclass(kind, values.Subscription):  # a dialect may seat its own kind of it
        return _remembered(_record_way(kind, "Subscription"))
    if kind is values.Chain:
        return _remembered(_record_way(kind, name))
    if dataclasses.is_dataclass(kind) and name in _CLASSES:
        return _record_way(kind, name)
    return _payload  # facts hold nothing else


def _mapping(value: Mapping[object, object], keep: Keep) -> object:
    return {_TAG: "map", "items": {str(key): _plain(each, keep) for key, each in value.items()}}


def _payload(value: Payload, keep: Keep) -> object:
    keep(value)
    return {_TAG: "payload", "digest": value.digest}


def _remembered(way: _Way) -> _Way:
    """For what never changes and is told of again and again by the same object: chains and their seats."""
    known: dict[int, tuple[object, object]] = {}

    def remembering(value: object, keep: Keep) -> object:
        found = known.get(id(value))
        if found is None or found[0] is not value:
            if len(known) >= _REMEMBERED:
                known.clear()
            found = known[id(value)] = (value, way(value, keep))
        return found[1]

    return remembering


_REMEMBERED: Final = 1000


def _record_way(kind: type, stored: str) -> _Way:
    names = tuple(field.name for field in dataclasses.fields(kind) if field.name not in _LEFT_OUT)

    def way(value: object, keep: Keep) -> object:
        record: dict[str, object] = {_TAG: stored}
        for name in names:
            each = getattr(value, name)
            if type(each) in _AS_IS:
                record[name] = each
            elif not isinstance(each, Reach):
                record[name] = _plain(each, keep)
        return record

    return way


def _live(value: object, find: Find) -> object:
    """What a decoded value stands for. Read often: every event of a recording that is looked at goes through here."""
    if type(value) is dict:
        return _object(value, find)
    if type(value) is list:
        return [_live(each, find) for each in value]
    return value


def _object(value: dict[str, object], find: Find) -> object:
    name = value.get(_TAG)
    cls = _CLASSES.get(name) if isinstance(name, str) else None
    if cls is not None:
        known = _FIELDS[cls]
        return cls(**{key: _live(each, find) for key, each in value.items() if key in known})
    match value:
        case {"$": "tuple", "items": list(items)}:
            return tuple([_live(each, find) for each in items])
        case {"$": "map", "items": dict(items)}:
            return {key: _live(each, find) for key, each in items.items()}
        case {"$": "payload", "digest": str(digest)}:
            return find(digest)
        case {"$": "int", "text": str(text)}:
            return int(text[:4300])
        case {"$": str(name), "value": plain} if name in _ENUMS:
            return _ENUMS[name](plain)
        case _:
            raise ValueError(f"nothing is called {str(value.get(_TAG))[:60]!r}")
