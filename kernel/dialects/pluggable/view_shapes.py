"""The shapes of protobuf messages in the JSON of `view.py`, read off their descriptors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from google.protobuf.descriptor import FieldDescriptor

from kernel.dialects.pluggable.points import BY_LABEL
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2
from kernel.errors import BadInput
from kernel.shapes import (
    ANYTHING,
    BASE64,
    NUMBER,
    TEXT,
    WHOLE,
    YES_OR_NO,
    Listing,
    Member,
    Object,
    Plain,
    Shape,
    Word,
    record,
)

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

_SCALARS: Final = {
    FieldDescriptor.TYPE_STRING: TEXT,
    FieldDescriptor.TYPE_BOOL: YES_OR_NO,
    FieldDescriptor.TYPE_BYTES: BASE64,
    FieldDescriptor.TYPE_DOUBLE: NUMBER,
    FieldDescriptor.TYPE_FLOAT: NUMBER,
}
_FREE: Final[dict[str, Shape]] = {
    "google.protobuf.Struct": record("any object", is_open=True),
    "google.protobuf.Value": ANYTHING,
    "google.protobuf.ListValue": Listing("any list", lambda: ANYTHING),
}
"""Messages whose JSON is plain JSON."""


def payload_shape(point: str) -> Shape:
    """What stands in a payload of a point. Says which members a transform may change."""
    if point not in BY_LABEL:
        raise BadInput(f"no point {point!r}; there are {', '.join(BY_LABEL)}")
    here = BY_LABEL[point]
    variant = events_pb2.HookPayload.DESCRIPTOR.fields_by_name[here.field].message_type
    assert variant is not None
    members = tuple(
        replace(each, detail="a transform may change it") if each.name in here.mutable else each
        for each in _members(variant)  # type: ignore[arg-type]  # stubs name two classes
    )
    return record(variant.name, *members)


def answer_shape(mode: str) -> Shape:
    """What a subscriber answers; what its mode wants comes first."""
    members = _members(rpc_response_pb2.DispatchHookResponse.DESCRIPTOR)  # type: ignore[arg-type]  # the same
    mine = [replace(each, detail="what this mode wants") for each in members if each.name == mode]
    return record("answer", *mine, *(each for each in members if each.name != mode))


def message_shape(descriptor: Descriptor) -> Shape:
    """What stands in a message."""
    free = _FREE.get(descriptor.full_name)
    return Object(descriptor.name, lambda: _members(descriptor)) if free is None else free


def _members(descriptor: Descriptor) -> tuple[Member, ...]:
    return tuple(_member(field) for field in descriptor.fields)


def _member(field: FieldDescriptor) -> Member:
    oneof = field.containing_oneof
    group = oneof.name if oneof is not None and len(oneof.fields) > 1 else ""
    return Member(str(field.name), _field(field), group=str(group))


def _field(field: FieldDescriptor) -> Shape:
    message = field.message_type
    if message is not None and message.GetOptions().map_entry:
        return Object("object", lambda: (), is_open=True)
    one = _one(field)
    return Listing(f"list of {one.says}", lambda: one) if field.is_repeated else one


def _one(field: FieldDescriptor) -> Shape:
    if field.message_type is not None:
        return message_shape(field.message_type)
    if field.enum_type is not None:
        words = tuple(Word(str(each.name), f"{each.number}") for each in field.enum_type.values)
        return Plain(str(field.enum_type.name), words[0].value, words)
    return _SCALARS.get(field.type, WHOLE)
