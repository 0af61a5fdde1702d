"""Copies of snapshots: as deep as anybody could reach, with null and empty kept apart (spec C.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from kernel.dialects.rig.content import (
    AssistantMessage,
    AudioBlock,
    DocumentBlock,
    ImageBlock,
    RefusalBlock,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolResultMessage,
    ToolUseBlock,
    TypedNull,
    UserMessage,
)
from kernel.dialects.rig.errors import CloneError, CloneKind
from kernel.dialects.rig.shape import Kind, fields_of
from kernel.dialects.rig.snapshot import Call, Result

BLOCKS: Final = frozenset(
    {
        TextBlock,
        RefusalBlock,
        ImageBlock,
        AudioBlock,
        DocumentBlock,
        ThinkingBlock,
        ToolUseBlock,
        ToolResultBlock,
    }
)
MESSAGES: Final = frozenset({UserMessage, SystemMessage, AssistantMessage, ToolResultMessage})

T = TypeVar("T", Call, Result)
_Copy = Callable[[Any], Any]


def clone(snapshot: T) -> T:
    """A copy that shares nothing that can be changed; raises CloneError for content of an unknown kind.

    An error in a result is handed on as it is.
    """
    return cast(T, _copier(type(snapshot))(snapshot))


_COPIERS: Final[dict[type, _Copy]] = {}


def _copier(record: type) -> _Copy:
    """Copies records of one class. Made once for each: what to do with every field is known beforehand."""
    found = _COPIERS.get(record)
    if found is None:
        found = _COPIERS[record] = _made(record)
    return found


def _made(record: type) -> _Copy:
    plain = tuple(each.name for each in fields_of(record) if (each.kind in _AS_IT_IS))
    deep = tuple((each.name, _deep(each.kind, each.of)) for each in fields_of(record) if each.kind not in _AS_IT_IS)
    new: Any = record.__new__

    def copy(given: Any) -> Any:
        made = new(record)
        for name in plain:
            setattr(made, name, getattr(given, name))
        for name, copy_field in deep:
            value = getattr(given, name)
            setattr(made, name, None if value is None else copy_field(value))
        return made

    return copy


_AS_IT_IS: Final = frozenset({Kind.PLAIN, Kind.ID, Kind.ERROR})


def _deep(kind: Kind, of: type) -> _Copy:
    match kind:
        case Kind.RECORD:
            unknown = CloneKind.UNKNOWN_CONVERSATION if of in MESSAGES else None
            return lambda value: _record(value, of, unknown)
        case Kind.RECORDS:
            return lambda value: [None if each is None else _record(each, of, None) for each in value]
        case Kind.BLOCKS:
            return lambda value: [_one_of(BLOCKS, each, CloneKind.UNKNOWN_BLOCK) for each in value]
        case Kind.MESSAGES:
            return lambda value: [_one_of(MESSAGES, each, CloneKind.UNKNOWN_CONVERSATION) for each in value]
        case Kind.PLAINS:
            return list
        case Kind.MAP:
            return dict
        case _:
            return _frozen_bytes


def _frozen_bytes(value: Any) -> Any:
    """Bytes cannot be changed and are shared; what could be is copied and keeps its class."""
    return value if type(value) is bytes else value[:]


def _record(value: Any, of: type, unknown: CloneKind | None) -> Any:
    if type(value) is of:
        return _copier(of)(value)
    if isinstance(value, TypedNull):
        return value
    if unknown is not None:
        raise CloneError(unknown)
    raise TypeError(f"{of.__name__} expected, not {type(value).__name__}")


def _one_of(known: frozenset[type], value: Any, unknown: CloneKind) -> Any:
    kind = type(value)
    if kind in known:
        return _copier(kind)(value)
    if kind is TypedNull and value.kind in known:
        return value
    raise CloneError(unknown)
