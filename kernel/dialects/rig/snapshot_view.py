"""Snapshots as JSON and back, under the field's own names. What is as it would be anyway is left out."""

from __future__ import annotations

import base64
import binascii
import difflib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

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
from kernel.dialects.rig.operation import BY_LABEL, Operation, is_operation
from kernel.dialects.rig.shape import Field, Kind, fields_of
from kernel.dialects.rig.snapshot import Call
from kernel.errors import BadInput
from kernel.values import JSON

TYPES: Final[Mapping[str, type]] = MappingProxyType(
    {
        "text": TextBlock,
        "refusal": RefusalBlock,
        "image": ImageBlock,
        "audio": AudioBlock,
        "document": DocumentBlock,
        "thinking": ThinkingBlock,
        "tool_use": ToolUseBlock,
        "tool_result": ToolResultBlock,
    }
)
ROLES: Final[Mapping[str, type]] = MappingProxyType(
    {"user": UserMessage, "system": SystemMessage, "assistant": AssistantMessage, "tool": ToolResultMessage}
)
_WORDS: Final = {cls: word for words in (TYPES, ROLES) for word, cls in words.items()}
_NULL: Final = "$null"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TIMES: Final = frozenset({"started_at", "ended_at"})
_BYTES: Final = frozenset({"agency"})
"""Numbers of eight bits (spec A.3)."""
_MOST: Final = 2**64 - 1
MAX_DEPTH: Final = 200


def call_view(call: Call) -> dict[str, JSON]:
    """A call as JSON."""
    view = to_view(call)
    operation = Operation(call.operation).label if is_operation(call.operation) else call.operation
    return {**view, "Operation": operation}


def call_from_view(view: JSON, operation: int | None = None) -> Call:
    """The call that a JSON object describes; raises BadInput that names the path.

    `operation` counts where the object does not say. Whether the call can be dispatched is not looked at.
    """
    if not isinstance(view, dict):
        raise BadInput("$: a call is a JSON object")
    if _is_deep(view):
        raise BadInput(f"$: nested too deep; nobody reads more than {MAX_DEPTH} levels")
    named = view.get("Operation", operation)
    if isinstance(named, str):
        if named not in BY_LABEL:
            raise BadInput(f"$.Operation: no operation {named!r}{_nearest(named, BY_LABEL)}")
        named = int(BY_LABEL[named])
    call: Call = from_view(Call, {**view, "Operation": named}, "$")
    if is_operation(call.operation):
        call.operation = Operation(call.operation)
    return call


def _is_deep(view: JSON) -> bool:
    """Whether it has more levels than anybody copies, shows or reads; looked at without recursion."""
    level: list[JSON] = [view]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
        if not level:
            return False
    return True


def to_view(record: object) -> dict[str, JSON]:
    """A record as JSON, without the fields that are as they would be anyway."""
    usual = _usual(type(record))
    view: dict[str, JSON] = {}
    for each in fields_of(type(record)):
        value = getattr(record, each.name)
        if each.name not in usual or usual[each.name] != value:
            view[each.key] = _shown(each, value)
    return view


def _usual(record: type) -> Mapping[str, object]:
    """What the fields of a class are where nobody says."""
    found = _USUAL.get(record)
    if found is None:
        required = {"operation": 0} if issubclass(record, Call) else {}
        made = record(**required)
        found = {each.name: getattr(made, each.name) for each in fields_of(record) if each.name not in required}
        _USUAL[record] = found
    return found


_USUAL: Final[dict[type, Mapping[str, object]]] = {}


def _shown(field: Field, value: Any) -> JSON:
    if value is None:
        return None
    match field.kind:
        case Kind.ID:
            return str(value)
        case Kind.BYTES:
            return base64.b64encode(value).decode()
        case Kind.RAW:
            return raw_view(bytes(value))
        case Kind.RECORD:
            return _named(value) if field.of in _WORDS else to_view(value)
        case Kind.RECORDS:
            return [None if each is None else to_view(each) for each in value]
        case Kind.BLOCKS | Kind.MESSAGES:
            return [_named(each) for each in value]
        case Kind.PLAINS:
            return list(value)
        case Kind.MAP:
            return dict(value)
        case Kind.ERROR:
            return str(value)
        case Kind.PLAIN if field.name in _TIMES:
            return _time_view(value)
        case _:
            plain: JSON = value
            return plain


def _named(value: object) -> JSON:
    """A block or a message with the word that says what it is."""
    if value is None:
        return None
    if isinstance(value, TypedNull):
        return {_key(value.kind): _WORDS[value.kind], _NULL: True}
    return {_key(type(value)): _WORDS[type(value)], **to_view(value)}


def _key(cls: type) -> str:
    return "Type" if cls in TYPES.values() else "Role"


def raw_view(raw: bytes) -> JSON:
    """JSON text as JSON where nothing is lost by it, or else as text, or else as base64 under `$bytes`."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return {"$bytes": base64.b64encode(raw).decode()}
    try:
        value: JSON = json.loads(text)
        if isinstance(value, dict | list) and "$bytes" not in value and encoded(value) == raw:
            return value
    except (ValueError, RecursionError):
        pass
    return text


def encoded(value: JSON) -> bytes:
    """JSON in its one canonical form here: compact, in the order of its members. Raises ValueError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _time_view(at_ns: int) -> JSON:
    seconds, ns = divmod(at_ns, 1_000_000_000)
    try:
        text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return at_ns
    return f"{text}.{ns:09d}".rstrip("0").rstrip(".") + "Z"


# -- and back ------------------------------------------------------------------------------------------------------


def from_view(record: type, view: JSON, path: str) -> Any:
    """The record of a class that JSON describes; raises BadInput that names the path."""
    if not isinstance(view, dict):
        raise BadInput(f"{path}: a JSON object is needed")
    known = {each.key: each for each in fields_of(record)}
    values = {}
    for key, value in view.items():
        if key not in known:
            raise BadInput(f"{path}: no field {key!r}{_nearest(key, known)}")
        field = known[key]
        if field.kind is Kind.ERROR:
            raise BadInput(f"{path}.{key}: an error cannot be written here")
        values[field.name] = _read(field, value, f"{path}.{key}")
    return record(**values)


def _read(field: Field, value: JSON, path: str) -> Any:
    if value is None:
        if field.is_nullable:
            return None
        raise BadInput(f"{path}: null is not allowed here; leave the field out")
    match field.kind:
        case Kind.ID:
            return _identity(value, path)
        case Kind.BYTES:
            return _bytes(value, path)
        case Kind.RAW:
            return _raw(value, path)
        case Kind.RECORD:
            words = TYPES if field.of in TYPES.values() else ROLES
            return _named_from(words, value, path, field.of) if field.of in _WORDS else from_view(field.of, value, path)
        case Kind.RECORDS:
            return [
                None if each is None else from_view(field.of, each, f"{path}[{index}]")
                for index, each in enumerate(_list(value, path))
            ]
        case Kind.BLOCKS | Kind.MESSAGES:
            words = TYPES if field.kind is Kind.BLOCKS else ROLES
            return [_named_from(words, each, f"{path}[{index}]") for index, each in enumerate(_list(value, path))]
        case Kind.PLAINS:
            return [_plain(field.of, each, f"{path}[{index}]") for index, each in enumerate(_list(value, path))]
        case Kind.MAP:
            if not isinstance(value, dict):
                raise BadInput(f"{path}: a JSON object is needed")
            return {_text(key, path): _plain(field.of, each, f"{path}.{key}") for key, each in value.items()}
        case Kind.PLAIN if field.name in _TIMES:
            return time_from_view(value, path)
        case Kind.PLAIN if field.name in _BYTES and not isinstance(value, bool) and isinstance(value, int):
            if not 0 <= value <= 255:
                raise BadInput(f"{path}: {value} is out of range; it is a number from 0 to 255")
            return value
        case _:
            return _plain(field.of, value, path)


def _named_from(words: Mapping[str, type], value: JSON, path: str, only: type | None = None) -> Any:
    """A block or a message; null stays, for whoever copies it to find."""
    if value is None:
        return None
    key = "Type" if words is TYPES else "Role"
    if not isinstance(value, dict):
        raise BadInput(f"{path}: a JSON object with {key!r} is needed")
    word = value.get(key, _WORDS[only] if only is not None else None)
    if not isinstance(word, str) or word not in words:
        raise BadInput(f"{path}.{key}: {word!r} is none; there are {', '.join(words)}")
    if only is not None and words[word] is not only:
        raise BadInput(f"{path}.{key}: {_WORDS[only]!r} is needed here")
    rest = {name: each for name, each in value.items() if name != key}
    if rest.get(_NULL) is True:
        return TypedNull(words[word])
    return from_view(words[word], rest, path)


def _list(value: JSON, path: str) -> list[JSON]:
    if not isinstance(value, list):
        raise BadInput(f"{path}: a list is needed")
    return value


def _plain(of: type, value: JSON, path: str) -> Any:
    if of is str:
        return _text(value, path)
    if of is bool:
        if not isinstance(value, bool):
            raise BadInput(f"{path}: true or false is needed")
        return value
    if isinstance(value, bool) or not isinstance(value, int if of is int else int | float):
        raise BadInput(f"{path}: {'a whole' if of is int else 'a'} number is needed")
    if not (-_MOST <= value <= _MOST or of is float) or (isinstance(value, float) and not math.isfinite(value)):
        raise BadInput(f"{path}: {value!r} is out of range")
    return value


def _text(value: JSON, path: str) -> str:
    if not isinstance(value, str):
        raise BadInput(f"{path}: text is needed")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadInput(f"{path}: lone surrogates are no text") from None
    return value


def _identity(value: JSON, path: str) -> UUID:
    try:
        return UUID(_text(value, path))
    except ValueError:
        raise BadInput(f"{path}: {value!r} is no UUID") from None


def _bytes(value: JSON, path: str) -> bytes:
    try:
        return base64.b64decode(_text(value, path), validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(f"{path}: base64 is needed") from None


def _raw(value: JSON, path: str) -> bytes:
    if isinstance(value, str):
        return _text(value, path).encode()
    if isinstance(value, dict) and value.keys() == {"$bytes"}:
        return _bytes(value["$bytes"], f"{path}.$bytes")
    try:
        return encoded(value)
    except (ValueError, RecursionError):
        raise BadInput(f"{path}: cannot be written as JSON text") from None


def time_from_view(value: JSON, path: str) -> int:
    """Nanoseconds since the epoch, from such a number or from RFC 3339 text in UTC or with an offset."""
    if isinstance(value, int) and not isinstance(value, bool):
        return int(_plain(int, value, path))
    text = _text(value, path)
    whole, dot, rest = text.partition(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    try:
        at = datetime.fromisoformat(whole + rest[len(digits) :] if dot else text)
    except ValueError:
        raise BadInput(f"{path}: {text!r} is no time such as 2026-03-01T09:00:00Z") from None
    if at.tzinfo is None:
        raise BadInput(f"{path}: {text!r} lacks its offset; write Z for UTC")
    return int((at - _EPOCH).total_seconds()) * 1_000_000_000 + int(f"{digits[:9]:<09}" if digits else 0)


def _nearest(word: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(known)}"
