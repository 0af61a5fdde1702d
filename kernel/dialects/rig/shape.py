"""What each field of a snapshot is, read off the records once: for copying them and for showing them as JSON."""

from __future__ import annotations

import dataclasses
import types
import typing
from dataclasses import dataclass
from enum import Enum
from uuid import UUID

from kernel.dialects.rig import content, snapshot
from kernel.dialects.rig.content import Block, Message, RawJSON


class Kind(Enum):
    """What a field holds, beside the None that it may hold."""

    PLAIN = "a text, a number, true or false"
    ID = "an identity"
    BYTES = "bytes"
    RAW = "JSON text"
    RECORD = "one record of a class"
    RECORDS = "a list of records of a class"
    BLOCKS = "a list of blocks"
    MESSAGES = "a list of messages"
    PLAINS = "a list of texts"
    MAP = "a mapping from texts"
    ERROR = "an error, never copied"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a record."""

    name: str
    key: str
    """As the field calls it, in JSON: `ToolUseID`."""
    kind: Kind
    of: type
    """Class of the record, of the records, or of what is plain."""
    is_nullable: bool


_INITIALISMS = {"id": "ID", "json": "JSON", "url": "URL", "ai": "AI", "api": "API"}


def key_of(name: str) -> str:
    """`tool_use_id` as the field writes it: `ToolUseID`."""
    return "".join(_INITIALISMS.get(part, part.capitalize()) for part in name.split("_"))


def fields_of(record: type) -> tuple[Field, ...]:
    """The fields of a record class, in order."""
    found = _FIELDS.get(record)
    if found is None:
        hints = typing.get_type_hints(record, {**vars(content), **vars(snapshot)})
        found = tuple(_field(each.name, hints[each.name]) for each in dataclasses.fields(record))
        _FIELDS[record] = found
    return found


_FIELDS: dict[type, tuple[Field, ...]] = {}


def _field(name: str, hint: object) -> Field:
    options = (
        typing.get_args(hint)
        if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
        else (hint,)
    )
    wanted = [option for option in options if option is not type(None)]
    is_nullable = len(wanted) < len(options)
    kind, of = _kind(wanted[0])
    return Field(name, key_of(name), kind, of, is_nullable)


def _kind(hint: object) -> tuple[Kind, type]:
    if hint is RawJSON:
        return Kind.RAW, bytes
    inner = typing.get_args(hint)
    if typing.get_origin(hint) is list:
        return _kind_of_list(inner[0])
    if typing.get_origin(hint) is dict:
        return Kind.MAP, inner[1]
    assert isinstance(hint, type), hint
    of: type = hint
    if dataclasses.is_dataclass(of):
        return Kind.RECORD, of
    if issubclass(of, BaseException):
        return Kind.ERROR, of
    return (Kind.ID if of is UUID else Kind.BYTES if of is bytes else Kind.PLAIN), of


def _kind_of_list(inner: object) -> tuple[Kind, type]:
    if inner == Block:
        return Kind.BLOCKS, object
    if inner == Message:
        return Kind.MESSAGES, object
    assert isinstance(inner, type), inner
    of: type = inner
    return (Kind.RECORDS if dataclasses.is_dataclass(of) else Kind.PLAINS), of
