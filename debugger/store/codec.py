"""Events as bytes and back, with nothing lost but how subscribers were reached: that may hold secrets.

Values are told by the names of their classes and fields, so a format version lasts as long as those; what is added
with a default needs no new version. Payloads stand in for themselves by the hash of their content.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

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
    """What msgpack knows."""
    match value:
        case None | bool() | float() | bytes():
            return value
        case Enum() if type(value).__name__ in _ENUMS:
            return {_TAG: type(value).__name__, "value": value.value}
        case str():
            return str(value)  # a dialect's own word, where it is one of an enumeration there
        case int():
            return value if -(2**63) <= value < 2**64 else {_TAG: "int", "text": str(value)}
        case tuple():
            return {_TAG: "tuple", "items": [_plain(each, keep) for each in value]}
        case list():
            return [_plain(each, keep) for each in value]
        case Mapping():
            return {_TAG: "map", "items": {str(key): _plain(each, keep) for key, each in value.items()}}
    name = type(value).__name__
    if dataclasses.is_dataclass(value) and (name in _CLASSES or isinstance(value, values.Subscription)):
        fields = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
        return {_TAG: _stored_name(value)} | {
            key: _plain(each, keep) for key, each in fields if key not in _LEFT_OUT and not isinstance(each, Reach)
        }
    payload: Payload = value  # type: ignore[assignment]  # facts hold nothing else
    keep(payload)
    return {_TAG: "payload", "digest": payload.digest}


def _stored_name(value: object) -> str:
    """A dialect may seat its own kind of subscription; it is stored as a plain one."""
    return "Subscription" if isinstance(value, values.Subscription) else type(value).__name__


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
