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
    return copier(type(snapshot))(snapshot)


def copier(record: type[T]) -> Callable[[T], T]:
    """What copies snapshots of one class, for whoever makes several in a row; see `clone`."""
    return _COPIERS.get(record) or _copier(record)


_COPIERS: Final[dict[type, _Copy]] = {}


def _copier(record: type) -> _Copy:
    """Copies records of one class. Made once for each: what to do with every field is known beforehand."""
    found = _COPIERS.get(record)
    if found is None:
        found = _COPIERS[record] = _made(record)
    return found


def _made(record: type) -> _Copy:
    """A function that was written for this class, field by field, as dataclasses write an `__init__`.

    A loop over the fields takes three times as long. The names are those of our own records, never anybody's text.
    """
    scope: dict[str, Any] = {"new": record.__new__, "record": record}
    lines = ["made = new(record)"]
    for number, each in enumerate(fields_of(record)):
        value = f"given.{each.name}"
        if each.kind not in _AS_IT_IS:
            lines.append(f"value = {value}")
            value = f"None if value is None else copy{number}(value)"
            scope[f"copy{number}"] = _deep(each.kind, each.of)
            if each.kind is Kind.RECORD:  # nearly always one of its class: spares a call
                scope |= {f"of{number}": each.of, f"known{number}": _copier(each.of)}
                value = f"known{number}(value) if type(value) is of{number} else {value}"
        lines.append(f"made.{each.name} = {value}")
    source = "\n    ".join(("def copy(given):", *lines, "return made"))
    exec(compile(source, f"<copies of {record.__name__}>", "exec"), scope)
    return cast(_Copy, scope["copy"])


_AS_IT_IS: Final = frozenset({Kind.PLAIN, Kind.ID, Kind.ERROR})


def _deep(kind: Kind, of: type) -> _Copy:
    match kind:
        case Kind.RECORD:
            unknown = CloneKind.UNKNOWN_CONVERSATION if of in MESSAGES else None
            return lambda value: _record(value, of, unknown)
        case Kind.RECORDS:
            return lambda value: [None if each is None else _record(each, of, None) for each in value]
        case Kind.BLOCKS:
            return _each_of(BLOCKS, CloneKind.UNKNOWN_BLOCK)
        case Kind.MESSAGES:
            return _each_of(MESSAGES, CloneKind.UNKNOWN_CONVERSATION)
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


def _each_of(known: frozenset[type], unknown: CloneKind) -> _Copy:
    """Copies lists of records of these classes, typed nulls among them; raises CloneError of this kind for others."""
    copiers: dict[type, _Copy] = {}  # of the classes that were met: how to copy them is found out once

    def copier_of(value: Any) -> _Copy:
        kind = type(value)
        if kind in known:
            copiers[kind] = _copier(kind)
            return copiers[kind]
        if kind is TypedNull and value.kind in known:
            return _itself
        raise CloneError(unknown)

    return lambda values: [(copiers.get(type(each)) or copier_of(each))(each) for each in values]


def _itself(value: Any) -> Any:
    return value
