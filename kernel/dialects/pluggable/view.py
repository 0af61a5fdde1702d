"""Protobuf messages as JSON for people, and back, with nothing lost either way.

The stock JSON mapping of protobuf drops unknown fields; a debugger must show them, and an edit must not lose them.
Hence this one, whose forms are:

    message        object of the members that are set, under their names in the .proto file
    enum           name, or the number where it has none            bytes    base64
    float          number, or "NaN", "Infinity", "-Infinity"
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
from typing import TYPE_CHECKING

from google.protobuf import struct_pb2, unknown_fields
from google.protobuf.descriptor import FieldDescriptor

from kernel.errors import BadInput

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kernel.values import JSON

MAX_DEPTH = 90
"""Messages nest at most 100 deep in every protobuf implementation; deeper JSON could not be sent."""

_ODD_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_RESERVED_KEY = re.compile(r"\$+(value|raw)")
_UNKNOWN_KEY = re.compile(r"#([1-9][0-9]*)")
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
            view[field.name] = {str(key): to_view(value[key]) for key in sorted(value)}
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


def fill(message: Message, view: JSON, path: str) -> None:
    """Set an empty message to what a view says; raises BadInput that names the path."""
    if path.count(".") + path.count("[") > MAX_DEPTH:
        raise BadInput(f"{path[:60]}...: nested deeper than {MAX_DEPTH} levels")
    match message:
        case struct_pb2.Struct():
            _fill_struct(message, view, path)
            return
        case struct_pb2.Value():
            _fill_value(message, view, path)
            return
        case struct_pb2.ListValue():
            _fill_list(message, view, path)
            return
    if not isinstance(view, dict):
        raise BadInput(f"{path}: expected an object for {message.DESCRIPTOR.name}, not {_kind(view)}")
    fields = message.DESCRIPTOR.fields_by_name
    seen_oneofs: dict[str, str] = {}
    for key, value in view.items():
        here = f"{path}.{key}"
        if _UNKNOWN_KEY.fullmatch(key):
            message.MergeFromString(_unknown_bytes(int(key[1:]), value, here))
            continue
        if key not in fields:
            raise BadInput(
                f"{path}: {message.DESCRIPTOR.name} has no member {key!r}{_nearest(key, list(fields))}"
            )
        field = fields[key]
        oneof = field.containing_oneof
        if oneof is not None and len(oneof.fields) > 1:
            if oneof.name in seen_oneofs:
                raise BadInput(f"{path}: {seen_oneofs[oneof.name]!r} and {key!r} exclude each other")
            seen_oneofs[oneof.name] = key
        _fill_field(message, field, value, here)  # type: ignore[arg-type]  # stubs name two classes


def _fill_field(message: Message, field: FieldDescriptor, value: JSON, path: str) -> None:
    if _is_map(field):
        if not isinstance(value, dict):
            raise BadInput(f"{path}: expected an object, not {_kind(value)}")
        for key, item in value.items():
            fill(getattr(message, field.name)[key], item, f"{path}.{key}")
    elif field.is_repeated:
        if not isinstance(value, list):
            raise BadInput(f"{path}: expected a list, not {_kind(value)}")
        for index, item in enumerate(value):
            here = f"{path}[{index}]"
            if field.type == _MESSAGE:
                fill(getattr(message, field.name).add(), item, here)
            else:
                getattr(message, field.name).append(_scalar(field, item, here))
    elif field.type == _MESSAGE:
        member = getattr(message, field.name)
        member.SetInParent()
        fill(member, value, path)
    else:
        scalar = _scalar(field, value, path)
        try:
            setattr(message, field.name, scalar)
        except (TypeError, ValueError) as error:
            raise BadInput(f"{path}: {error}") from error


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
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _scalar(field: FieldDescriptor, value: JSON, path: str) -> bool | int | float | str | bytes:
    if field.type == _ENUM:
        assert field.enum_type is not None
        names = field.enum_type.values_by_name
        if isinstance(value, str) and value in names:
            return int(names[value].number)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise BadInput(f"{path}: expected one of {', '.join(names)} or a number, not {_kind(value)}")
    if field.type == _BYTES:
        return _base64(value, path)
    if field.type in _FLOATS:
        if isinstance(value, str) and value in _ODD_FLOATS:
            return _ODD_FLOATS[value]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadInput(f"{path}: expected a number, not {_kind(value)}")
        return _as_float(value, path)
    wanted: type = {FieldDescriptor.TYPE_STRING: str, FieldDescriptor.TYPE_BOOL: bool}.get(field.type, int)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        words = {str: "text", bool: "true or false", int: "a whole number"}
        raise BadInput(f"{path}: expected {words[wanted]}, not {_kind(value)}")
    assert isinstance(value, bool | int | str)
    return value


def _as_float(value: int | float, path: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise BadInput(f"{path}: {str(value)[:20]}... is too large for a number") from None


def _base64(value: JSON, path: str) -> bytes:
    if not isinstance(value, str):
        raise BadInput(f"{path}: expected base64 text, not {_kind(value)}")
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(f"{path}: not base64") from None


def _struct_view(struct: struct_pb2.Struct) -> JSON:
    if _is_odd(struct):
        return {"$raw": base64.b64encode(struct.SerializeToString(deterministic=True)).decode()}
    view: dict[str, JSON] = {}
    for key in sorted(struct.fields):
        view[f"${key}" if _RESERVED_KEY.fullmatch(key) else key] = _value_view(struct.fields[key])
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


def _fill_struct(struct: struct_pb2.Struct, view: JSON, path: str) -> None:
    if not isinstance(view, dict):
        raise BadInput(f"{path}: expected an object, not {_kind(view)}")
    if view.keys() == {"$raw"}:
        _merge_raw(struct, view["$raw"], path)
        return
    for key, value in view.items():
        name = key[1:] if _RESERVED_KEY.fullmatch(key) else key
        try:
            member = struct.fields[name]
        except (TypeError, ValueError) as error:
            raise BadInput(f"{path}: {error}") from error
        fill(member, value, f"{path}.{key}")


def _fill_list(values: struct_pb2.ListValue, view: JSON, path: str) -> None:
    if isinstance(view, dict) and view.keys() == {"$raw"}:
        _merge_raw(values, view["$raw"], path)
        return
    if not isinstance(view, list):
        raise BadInput(f"{path}: expected a list, not {_kind(view)}")
    for index, item in enumerate(view):
        fill(values.values.add(), item, f"{path}[{index}]")


def _fill_value(value: struct_pb2.Value, view: JSON, path: str) -> None:
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
            _fill_list(value.list_value, view, path)
        case {"$raw": raw} if len(view) == 1:
            _merge_raw(value, raw, path)
        case {"$value": "unset"} if len(view) == 1:
            pass
        case {"$value": str(name)} if len(view) == 1 and name in _ODD_FLOATS:
            value.number_value = _ODD_FLOATS[name]
        case dict():
            value.struct_value.SetInParent()
            _fill_struct(value.struct_value, view, path)


def _merge_raw(message: Message, raw: JSON, path: str) -> None:
    from google.protobuf.message import DecodeError

    try:
        message.MergeFromString(_base64(raw, f"{path}.$raw"))
    except DecodeError as error:
        raise BadInput(f"{path}.$raw: {error}") from error


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


def _unknown_bytes(number: int, values: JSON, path: str) -> bytes:
    if number >= 2**29 or not isinstance(values, list):
        raise BadInput(f"{path}: expected a list of unknown field values under a field number below 2^29")
    out = b""
    for index, value in enumerate(values):
        here = f"{path}[{index}]"
        match value:
            case {"varint": int(n)} if 0 <= n < 2**64:
                out += varint(number << 3) + varint(n)
            case {"fixed64": int(n)} if 0 <= n < 2**64:
                out += varint(number << 3 | 1) + n.to_bytes(8, "little")
            case {"fixed32": int(n)} if 0 <= n < 2**32:
                out += varint(number << 3 | 5) + n.to_bytes(4, "little")
            case {"bytes": data}:
                body = _base64(data, here)
                out += varint(number << 3 | 2) + varint(len(body)) + body
            case {"group": dict(members)}:
                inner = b"".join(
                    _unknown_bytes(int(key[1:]), items, f"{here}.{key}")
                    for key, items in members.items()
                    if _UNKNOWN_KEY.fullmatch(key)
                )
                out += varint(number << 3 | 3) + inner + varint(number << 3 | 4)
            case _:
                raise BadInput(f"{here}: expected one of varint, fixed32, fixed64, bytes, group")
    return out


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
            return f"the number {value}"


def _nearest(key: str, names: list[str]) -> str:
    close = difflib.get_close_matches(key, names, 1)
    return f"; did you mean {close[0]!r}?" if close else f"; it has {', '.join(names) or 'none'}"
