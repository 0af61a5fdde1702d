"""Arbitrary protobuf messages for hypothesis: every member, odd values and what only the wire can say."""

from __future__ import annotations

import math

from google.protobuf import struct_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import BY_LABEL
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2
from kernel.values import JSON

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
FLOATS = st.floats() | st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 1e300, 2.0**53, 5e-324])
KEYS = st.sampled_from(["$value", "$raw", "$$value", "", "a.b", "#1", "$", "a[0]"]) | TEXT
UNKNOWN = st.sampled_from(
    [
        "980601",  # field 99: varint 1
        "9806ffffffffffffffffff01",  # field 99: the largest varint
        "9d0601020304",  # field 99: fixed32
        "99060102030405060708",  # field 99: fixed64
        "9a0602ff00",  # field 99: bytes
        "9b060801080210031a0161" + "9c06",  # field 99: a group with fields 1, 1, 2, 3
        "9b060b08010c9c06",  # field 99: a group in a group
        "980601a0060298060b",  # fields 99, 100, 99
        "f8ffffff0f01",  # the largest field number
    ]
).map(bytes.fromhex)
ODD_VALUES = st.sampled_from(["", "0807", "980601", "0800980601"]).map(bytes.fromhex)
"""Values of a Struct that JSON cannot say: unset, a numbered null, unknown fields."""

SCALARS: dict[int, st.SearchStrategy[object]] = {
    FieldDescriptor.TYPE_DOUBLE: FLOATS,
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    FieldDescriptor.TYPE_UINT32: st.integers(0, 2**32 - 1),
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_STRING: TEXT,
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=6),
    FieldDescriptor.TYPE_ENUM: st.integers(0, 9) | st.integers(-(2**31), 2**31 - 1),
}

PLAIN = st.recursive(
    st.none() | st.booleans() | FLOATS | TEXT | st.integers(-(2**60), 2**60),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


def put(value: struct_pb2.Value, plain: object) -> None:
    """A plain Python value into a Struct's, without any help from the code under test."""
    match plain:
        case None:
            value.null_value = struct_pb2.NULL_VALUE
        case bool():
            value.bool_value = plain
        case int() | float():
            value.number_value = plain
        case str():
            value.string_value = plain
        case list():
            value.list_value.SetInParent()
            for item in plain:
                put(value.list_value.values.add(), item)
        case dict():
            value.struct_value.SetInParent()
            for key, item in plain.items():
                put(value.struct_value.fields[key], item)


@st.composite
def structs(draw: st.DrawFn) -> struct_pb2.Struct:
    """Structs with odd keys, and now and then with a value or an encoding that JSON has no word for."""
    struct = struct_pb2.Struct()
    for key, plain in draw(st.dictionaries(KEYS, PLAIN, max_size=3)).items():
        put(struct.fields[key], plain)
    if draw(st.integers(0, 3)) == 0:
        odd = draw(ODD_VALUES)
        struct.fields[draw(KEYS)].ParseFromString(odd)
        listed = struct.fields["list"].list_value
        listed.values.add().ParseFromString(odd)
    if draw(st.integers(0, 9)) == 0:
        struct.MergeFromString(draw(UNKNOWN))
    return struct


@st.composite
def messages(draw: st.DrawFn, descriptor: Descriptor, depth: int = 4) -> Message:
    """Any message of a type."""
    if descriptor.full_name == "google.protobuf.Struct":
        return draw(structs())
    message = GetMessageClass(descriptor)()
    eligible = [field for field in descriptor.fields if depth > 0 or field.message_type is None]
    chosen = (
        draw(st.lists(st.sampled_from(eligible), max_size=4, unique_by=lambda field: field.number)) if eligible else []
    )
    for field in chosen:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            if field.message_type.fields_by_name["value"].message_type is None:
                getattr(message, field.name).update(draw(st.dictionaries(TEXT, TEXT, max_size=3)))
        elif field.message_type is not None:
            parts = messages(field.message_type, depth - 1)
            if field.is_repeated:
                getattr(message, field.name).extend(draw(st.lists(parts, max_size=2)))
            else:
                getattr(message, field.name).CopyFrom(draw(parts))
                getattr(message, field.name).SetInParent()
        elif field.is_repeated:
            getattr(message, field.name).extend(draw(st.lists(SCALARS[field.type], max_size=2)))
        else:
            setattr(message, field.name, draw(SCALARS[field.type]))
    if draw(st.integers(0, 4)) == 0:
        message.MergeFromString(draw(UNKNOWN))
    return message


@st.composite
def payloads(draw: st.DrawFn) -> HookPayload:
    """Any payload of any point."""
    message = events_pb2.HookPayload()
    point = BY_LABEL[draw(st.sampled_from(sorted(BY_LABEL)))]
    variant = getattr(message, point.field)
    variant.CopyFrom(draw(messages(variant.DESCRIPTOR)))
    variant.SetInParent()
    if draw(st.integers(0, 4)) == 0:
        message.MergeFromString(draw(UNKNOWN))
    return HookPayload.of(message)


_WORDS = """
session_id profile parent_session_id working_directory messages role content text id model provider message usage
input_tokens cost_usd call arguments plan_item preview root table headers rows cells items input decision apply result
error payload status details #1 #2 #99 #payload #0 # $raw $value varint bytes group fixed32 fixed64 reset_at seconds
$undecodable transform veto observe
"""
WORDS = st.sampled_from([*_WORDS.split(), "\ud800"])
ANY_JSON: st.SearchStrategy[JSON] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, 2**64, -1, "NaN", "QQ==", "/w==", "ROLE_USER", "unset", "\ud800"])
    | st.floats()
    | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
"""Whatever a person might hand in as JSON, leaning towards words that mean something here."""
