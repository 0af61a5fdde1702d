"""Protobuf messages as JSON for people, and back, with nothing lost either way.

The stock JSON mapping of protobuf drops unknown fields; a debugger must show them, and an edit must not lose them.
Hence this one, whose forms are:

    message        object of the members that are set, under their names in the .proto file
    enum           name, or the number where it has none            bytes    base64
    float          number, or "NaN", "Infinity", "-Infinity"; "NaN:<16 hex digits>" for a NaN with other bits
    unknown field  "#<number>": list of {"varint": n} | {"fixed32": n} | {"fixed64": n} | {"bytes": base64}
                   | {"group": object}
    Struct         plain JSON; what JSON cannot say is {"$value": "NaN" | "Infinity" | "-Infinity" | "unset"} or, for
                   odd encodings, {"$raw": base64}; an own key of that name gets one more "$" in front
"""

from __future__ import annotations

import base64
import binascii
import difflib
import math
import re
import struct
from collections.abc import Container
from typing import TYPE_CHECKING

from google.protobuf import struct_pb2, unknown_fields
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError

from kernel.errors import BadInput

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kernel.values import JSON

MAX_DEPTH = 90
"""Messages nest at most 100 deep in every protobuf implementation; JSON deeper than this could never be sent.

A level of a Struct is up to three messages: whether the whole can be sent is for whoever encodes it to find out.
"""

_ODD_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_NAN_BITS = re.compile(r"NaN:([0-9a-f]{16})")
_RESERVED_KEY = re.compile(r"\$+(value|raw)")
_UNKNOWN_KEY = re.compile(r"#([1-9][0-9]{0,8})")
_MESSAGE, _ENUM, _BYTES = FieldDescriptor.TYPE_MESSAGE, FieldDescriptor.TYPE_ENUM, FieldDescriptor.TYPE_BYTES
_FLOATS = (FieldDescriptor.TYPE_DOUBLE, FieldDescriptor.TYPE_FLOAT)


def to_view(message: Message) -> JSON:
    """A message as JSON."""
    match message:
        case struct_pb2.Struct():
            return _struct_view(message)
        case struct_pb2.Value():
            return _value_view(message)
        case struct_pb2.ListValue():
            return _list_view(message)
    view: dict[str, JSON] = {}
    for field, value in message.ListFields():
        if _is_map(field):
            of = _map_value(field)
            view[field.name] = {str(key): _scalar_view(of, value[key]) for key in sorted(value)}
        elif field.is_repeated:
            view[field.name] = [_scalar_view(field, item) for item in value]
        else:
            view[field.name] = _scalar_view(field, value)
    for number, values in _unknown(message).items():
        view[f"#{number}"] = values
    return view


def unknown_view(message: Message) -> dict[str, JSON]:
    """Only the unknown fields of a message."""
    return {f"#{number}": values for number, values in _unknown(message).items()}


def fill(message: Message, view: JSON, path: str, depth: int = 0) -> None:
    """Set an empty message to what a view says; raises BadInput that names the path."""
    if depth > MAX_DEPTH:
        raise BadInput(f"{path[:60]}...: nested deeper than {MAX_DEPTH} levels")
    match message:
        case struct_pb2.Struct():
            _fill_struct(message, view, path, depth)
            return
        case struct_pb2.Value():
            _fill_value(message, view, path, depth)
            return
        case struct_pb2.ListValue():
            _fill_list(message, view, path, depth)
            return
    if not isinstance(view, dict):
        raise BadInput(f"{path}: expected an object for {message.DESCRIPTOR.name}, not {_kind(view)}")
    fields = message.DESCRIPTOR.fields_by_name
    seen_oneofs: dict[str, str] = {}
    for key, value in view.items():
        here = f"{path}.{key}"
        if _UNKNOWN_KEY.fullmatch(key):
            _fill_unknown(message, int(key[1:]), value, here, depth)
            continue
        if not _is_among(fields, key):
            raise BadInput(f"{path}: {message.DESCRIPTOR.name} has no member {key!r}{_nearest(key, list(fields))}")
        field = fields[key]
        oneof = field.containing_oneof
        if oneof is not None and len(oneof.fields) > 1:
            if oneof.name in seen_oneofs:
                raise BadInput(f"{path}: {seen_oneofs[oneof.name]!r} and {key!r} exclude each other")
            seen_oneofs[oneof.name] = key
        try:
            _fill_field(message, field, value, here, depth + 1)  # type: ignore[arg-type]  # stubs name two classes
        except (TypeError, ValueError) as error:  # what only protobuf checks: ranges, and text that is no Unicode
            raise BadInput(f"{here}: {error}") from error


def _is_among(names: Container[str], name: str) -> bool:
    """Whether a table of protobuf's has a name. All are ASCII; asked for text that is no Unicode, the tables break."""
    return name.isascii() and name in names


def _fill_field(message: Message, field: FieldDescriptor, value: JSON, path: str, depth: int) -> None:
    if _is_map(field):
        if not isinstance(value, dict):
            raise BadInput(f"{path}: expected an object, not {_kind(value)}")
        of, members = _map_value(field), getattr(message, field.name)
        for key, item in value.items():
            if of.type == _MESSAGE:
                fill(members[key], item, f"{path}.{key}", depth)
            else:
                members[key] = _scalar(of, item, f"{path}.{key}")
    elif field.is_repeated:
        if not isinstance(value, list):
            raise BadInput(f"{path}: expected a list, not {_kind(value)}")
        for index, item in enumerate(value):
            here = f"{path}[{index}]"
            if field.type == _MESSAGE:
                fill(getattr(message, field.name).add(), item, here, depth)
            else:
                try:
                    getattr(message, field.name).append(_scalar(field, item, here))
                except (TypeError, ValueError) as error:
                    raise BadInput(f"{here}: {error}") from error
    elif field.type == _MESSAGE:
        member = getattr(message, field.name)
        member.SetInParent()
        fill(member, value, path, depth)
    else:
        setattr(message, field.name, _scalar(field, value, path))


def _scalar_view(field: FieldDescriptor, value: object) -> JSON:
    if field.type == _MESSAGE:
        return to_view(value)  # type: ignore[arg-type]  # the descriptor says that it is one
    if field.type == _ENUM:
        assert isinstance(value, int)
        assert field.enum_type is not None
        named = field.enum_type.values_by_number.get(value)
        return value if named is None else str(named.name)
    if field.type == _BYTES:
        assert isinstance(value, bytes)
        return base64.b64encode(value).decode()
    if isinstance(value, float):
        return _float_view(value)
    assert isinstance(value, bool | int | str)
    return value


def _float_view(value: float) -> float | str:
    if math.isfinite(value):
        return value
    if not math.isnan(value):
        return "Infinity" if value > 0 else "-Infinity"
    bits = struct.pack(">d", value)  # Go's own NaN is another one than C's, and they are not equal
    return "NaN" if bits == struct.pack(">d", math.nan) else f"NaN:{bits.hex()}"


def _odd_float(text: str) -> float | None:
    """What `_float_view` made a text of; None for any other text."""
    if text in _ODD_FLOATS:
        return _ODD_FLOATS[text]
    if (bits := _NAN_BITS.fullmatch(text)) is None:
        return None
    value: float = struct.unpack(">d", bytes.fromhex(bits[1]))[0]
    return value if math.isnan(value) else None


def _scalar(field: FieldDescriptor, value: JSON, path: str) -> bool | int | float | str | bytes:
    if field.type == _ENUM:
        assert field.enum_type is not None
        names = field.enum_type.values_by_name
        if isinstance(value, str) and _is_among(names, value):
            return int(names[value].number)
        if isinstance(value, int) and not isinstance(value, bool):
            return _within(-(2**31), value, 2**31, path)
        raise BadInput(f"{path}: expected one of {', '.join(names)} or a number, not {_kind(value)}")
    if field.type == _BYTES:
        return _base64(value, path)
    if field.type in _FLOATS:
        if isinstance(value, str) and (odd := _odd_float(value)) is not None:
            return odd
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{path}: expected a number, not {_kind(value)}")
        return _as_float(value, path)
    wanted: type = {FieldDescriptor.TYPE_STRING: str, FieldDescriptor.TYPE_BOOL: bool}.get(field.type, int)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        words = {str: "text", bool: "true or false", int: "a whole number"}
        raise BadInput(f"{path}: expected {words[wanted]}, not {_kind(value)}")
    assert isinstance(value, bool | int | str)
    return _within(-(2**63), value, 2**64, path) if wanted is int else value


def _within(least: int, value: int | str, bound: int, path: str) -> int:
    assert isinstance(value, int)
    if not least <= value < bound:
        raise BadInput(f"{path}: {_kind(value)} is out of range")
    return value


def _as_float(value: int | float, path: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadInput(f"{path}: {_kind(value)} is out of range") from None


def _base64(value: JSON, path: str) -> bytes:
    if not isinstance(value, str):
        raise BadInput(f"{path}: expected base64 text, not {_kind(value)}")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(f"{path}: not base64") from None


def _struct_view(message: struct_pb2.Struct) -> JSON:
    if _is_odd(message):
        return {"$raw": base64.b64encode(message.SerializeToString(deterministic=True)).decode()}
    view: dict[str, JSON] = {}
    for key in sorted(message.fields):
        view[f"${key}" if _RESERVED_KEY.fullmatch(key) else key] = _value_view(message.fields[key])
    return view


def _list_view(values: struct_pb2.ListValue) -> JSON:
    if _is_odd(values):
        return {"$raw": base64.b64encode(values.SerializeToString(deterministic=True)).decode()}
    return [_value_view(value) for value in values.values]


def _value_view(value: struct_pb2.Value) -> JSON:
    if _is_odd(value):
        return {"$raw": base64.b64encode(value.SerializeToString(deterministic=True)).decode()}
    match value.WhichOneof("kind"):
        case "number_value":
            number = value.number_value
            if not math.isfinite(number):
                return {"$value": _float_view(number)}
            is_whole = number.is_integer() and abs(number) < 2**53 and (number != 0 or math.copysign(1, number) > 0)
            return int(number) if is_whole else number
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return _struct_view(value.struct_value)
        case "list_value":
            return _list_view(value.list_value)
        case "null_value":
            return None
        case _:
            return {"$value": "unset"}


def _is_odd(message: Message) -> bool:
    """Whether plain JSON cannot say it: unknown fields, or a null with an unknown number."""
    is_numbered_null = (
        isinstance(message, struct_pb2.Value) and message.WhichOneof("kind") == "null_value" and message.null_value != 0
    )
    return is_numbered_null or len(unknown_fields.UnknownFieldSet(message)) > 0


def _fill_struct(message: struct_pb2.Struct, view: JSON, path: str, depth: int) -> None:
    if not isinstance(view, dict):
        raise BadInput(f"{path}: expected an object, not {_kind(view)}")
    if view.keys() == {"$raw"}:
        _merge_raw(message, view["$raw"], path)
        return
    for key, value in view.items():
        if key in ("$value", "$raw"):
            raise BadInput(f"{path}: {key!r} has another form, and nothing beside it; a key of that name is '${key}'")
        name = key[1:] if _RESERVED_KEY.fullmatch(key) else key
        try:
            member = message.fields[name]
        except (TypeError, ValueError) as error:
            raise BadInput(f"{path}: {error}") from error
        fill(member, value, f"{path}.{key}", depth + 1)


def _fill_list(values: struct_pb2.ListValue, view: JSON, path: str, depth: int) -> None:
    if isinstance(view, dict) and view.keys() == {"$raw"}:
        _merge_raw(values, view["$raw"], path)
        return
    if not isinstance(view, list):
        raise BadInput(f"{path}: expected a list, not {_kind(view)}")
    for index, item in enumerate(view):
        fill(values.values.add(), item, f"{path}[{index}]", depth + 1)


def _fill_value(value: struct_pb2.Value, view: JSON, path: str, depth: int) -> None:
    match view:
        case None:
            value.null_value = struct_pb2.NULL_VALUE
        case bool():
            value.bool_value = view
        case int() | float():
            value.number_value = _as_float(view, path)
        case str():
            try:
                value.string_value = view
            except ValueError as error:
                raise BadInput(f"{path}: {error}") from error
        case list():
            value.list_value.SetInParent()
            _fill_list(value.list_value, view, path, depth)
        case {"$raw": raw} if len(view) == 1:
            _merge_raw(value, raw, path)
        case {"$value": "unset"} if len(view) == 1:
            pass
        case {"$value": str(name)} if len(view) == 1 and (odd := _odd_float(name)) is not None:
            value.number_value = odd
        case dict():
            value.struct_value.SetInParent()
            _fill_struct(value.struct_value, view, path, depth)


def _merge_raw(message: Message, raw: JSON, path: str) -> None:
    _merge(message, _base64(raw, f"{path}.$raw"), f"{path}.$raw")


def _merge(message: Message, encoded: bytes, path: str) -> None:
    try:
        message.MergeFromString(encoded)
    except DecodeError as error:
        raise BadInput(f"{path}: {error}") from error


def _fill_unknown(message: Message, number: int, values: JSON, path: str, depth: int) -> None:
    """Add unknown fields. A number that the message knows may be among them, with a wire type that it does not."""
    alone = type(message)()
    _merge(alone, _unknown_bytes(number, values, path, depth), path)
    if alone.ListFields():
        name = message.DESCRIPTOR.fields_by_number[number].name
        raise BadInput(f"{path}: field {number} of {message.DESCRIPTOR.name} is known, write it as {name!r}")
    message.MergeFrom(alone)


def _unknown(message: Message) -> dict[int, list[JSON]]:
    found: dict[int, list[JSON]] = {}
    fields = unknown_fields.UnknownFieldSet(message)
    for field in (fields[index] for index in range(len(fields))):
        found.setdefault(field.field_number, []).append(_unknown_field_view(field.wire_type, field.data))
    return found


def _unknown_field_view(wire_type: int, value: object) -> JSON:
    match wire_type, value:
        case 0, int(number):
            return {"varint": number}
        case 1, int(number):
            return {"fixed64": number}
        case 5, int(number):
            return {"fixed32": number}
        case 2, bytes(data):
            return {"bytes": base64.b64encode(data).decode()}
        case _:
            group: dict[str, list[JSON]] = {}
            for field in value:  # type: ignore[attr-defined]  # a group is an UnknownFieldSet
                group.setdefault(f"#{field.field_number}", []).append(_unknown_field_view(field.wire_type, field.data))
            return {"group": {key: list(values) for key, values in group.items()}}


def _unknown_bytes(number: int, values: JSON, path: str, depth: int) -> bytes:
    if number >= 2**29 or not isinstance(values, list):
        raise BadInput(f"{path}: expected a list of unknown field values under a field number below 2^29")
    if depth > MAX_DEPTH:
        raise BadInput(f"{path[:60]}...: nested deeper than {MAX_DEPTH} levels")
    return b"".join(_unknown_field(number, value, f"{path}[{index}]", depth) for index, value in enumerate(values))


def _unknown_field(number: int, value: JSON, path: str, depth: int) -> bytes:
    match value:
        case {"varint": int(n), **rest} if not rest and 0 <= n < 2**64:
            return varint(number << 3) + varint(n)
        case {"fixed64": int(n), **rest} if not rest and 0 <= n < 2**64:
            return varint(number << 3 | 1) + n.to_bytes(8, "little")
        case {"fixed32": int(n), **rest} if not rest and 0 <= n < 2**32:
            return varint(number << 3 | 5) + n.to_bytes(4, "little")
        case {"bytes": data, **rest} if not rest:
            body = _base64(data, path)
            return varint(number << 3 | 2) + varint(len(body)) + body
        case {"group": dict(members), **rest} if not rest:
            inner = b"".join(_group_member(key, items, f"{path}.{key}", depth + 1) for key, items in members.items())
            return varint(number << 3 | 3) + inner + varint(number << 3 | 4)
        case _:
            raise BadInput(f"{path}: expected one of varint, fixed32, fixed64, bytes, group, in its range")


def _group_member(key: str, values: JSON, path: str, depth: int) -> bytes:
    if not _UNKNOWN_KEY.fullmatch(key):
        raise BadInput(f"{path[:60]}: a group has unknown fields only, under keys like '#1'")
    return _unknown_bytes(int(key[1:]), values, path, depth)


def varint(value: int) -> bytes:
    """A non-negative number in protobuf's variable length form."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _map_value(field: FieldDescriptor) -> FieldDescriptor:
    assert field.message_type is not None
    return field.message_type.fields_by_name["value"]


def _kind(value: JSON) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return repr(value if len(value) <= 40 else value[:40] + "...")
        case list():
            return "a list"
        case dict():
            return "an object"
        case _:
            return f"the number {value}" if abs(value) < 1e30 else "a number that large"


def _nearest(key: str, names: list[str]) -> str:
    close = difflib.get_close_matches(key, names, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(names) or 'none'}"
