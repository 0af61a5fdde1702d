"""JSON as the host reads, compares and writes it (spec 1.5, 2.3): where Python would do otherwise, this does not.

Whole numbers beyond 64 bits are floats, 1 is neither 1.0 nor true, keys are sorted by their bytes, text is UTF-8.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn, cast

import msgspec

from kernel.errors import BadInput
from kernel.values import JSON

MOST_NESTED = 127
"""Arrays and objects around a value; one more, and the host's decoder gives up."""
_LEAST, _MOST = -(2**63), 2**64 - 1
_NEEDS_CARE = re.compile(rb"\d{19}|-0")
"""What may hold a number that the fast decoder reads in another way than the host's."""


def decoded(body: bytes) -> JSON:
    """The JSON in these bytes; raises BadInput where the host would find none."""
    try:
        value: JSON = msgspec.json.decode(body)
        if _NEEDS_CARE.search(body):
            value = _with_care(body)
    except (msgspec.MsgspecError, RecursionError, OverflowError, ValueError) as error:
        raise BadInput(f"not JSON: {error}") from None
    if body.count(b"[") + body.count(b"{") > MOST_NESTED and _depth(value) > MOST_NESTED:
        raise BadInput(f"not JSON that a host reads: nested deeper than {MOST_NESTED}")
    return value


def compact(value: JSON) -> bytes:
    """The exact text of a value: no spaces, sorted keys, nothing escaped that need not be, shortest floats."""
    return msgspec.json.encode(value, order="sorted")


def checked(value: object, path: str) -> JSON:
    """What a person or a program gave, as a JSON value of the host; raises BadInput that names the path.

    Always a copy: whoever gave it may change theirs.
    """
    return _checked(value, path, MOST_NESTED)


def is_same(one: JSON, other: JSON) -> bool:
    """Deep equality (spec 2.3): order of keys does not count, order of items does, and so does the kind of a number."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(is_same(value, other[key]) for key, value in one.items())
        case list(), list():
            return len(one) == len(other) and all(is_same(*pair) for pair in zip(one, other, strict=True))
        case (bool(), _) | (_, bool()):
            return one is other
        case int(), int() | float():
            return _same_number(_number(one), _number(other))
        case float(), int() | float():
            return _same_number(one, _number(other))
        case _:
            return one == other


def _same_number(one: int | float, other: int | float) -> bool:
    return type(one) is type(other) and one == other


def _number(value: int | float) -> int | float:
    """The number as the host holds it."""
    return value if isinstance(value, float) or _LEAST <= value <= _MOST else float(value)


def _with_care(body: bytes) -> JSON:
    return cast(JSON, json.loads(body.decode(), parse_int=_parse_int, parse_float=_parse_float, parse_constant=_refuse))


def _parse_int(text: str) -> int | float:
    return -0.0 if text == "-0" else _finite(_number(int(text))) if len(text) < 400 else _parse_float(text)


def _parse_float(text: str) -> float:
    return cast(float, _finite(float(text)))


def _finite(value: int | float) -> int | float:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("number out of range")
    return value


def _refuse(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _depth(value: JSON) -> int:
    """How many arrays and objects there are around the innermost value, an empty one counted."""
    deepest, level = 0, [value]
    while level := [each for each in level if isinstance(each, list | dict)]:
        level = [inner for each in level for inner in (each if isinstance(each, list) else each.values())]
        deepest += 1
    return deepest


def _checked(value: object, path: str, room: int) -> JSON:
    match value:
        case None | bool():
            return value
        case str():
            return _text(value, path)
        case int() | float():
            try:
                return _finite(_number(value))
            except (ValueError, OverflowError):
                raise BadInput(f"{path}: a number that JSON cannot hold") from None
        case list() | tuple() | dict() if room == 0:
            raise BadInput(f"{path}: nested deeper than {MOST_NESTED}, which no host reads")
        case list() | tuple():
            return [_checked(each, f"{path}[{place}]", room - 1) for place, each in enumerate(value)]
        case dict():
            found: dict[str, JSON] = {}
            for key, each in value.items():
                if not isinstance(key, str):
                    raise BadInput(f"{path}: {key!r} is no text, and keys are")
                found[_text(key, path)] = _checked(each, f"{path}.{key}", room - 1)
            return found
        case _:
            raise BadInput(f"{path}: {type(value).__name__} is nothing that JSON has")


def _text(value: str, path: str) -> str:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise BadInput(f"{path}: half of a character (a lone surrogate), which UTF-8 cannot hold") from None
    return value
