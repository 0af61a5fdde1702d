"""JSON that a person wrote, read strictly: what two readers would understand differently is refused, with its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec

from kernel.errors import BadInput
from kernel.values import JSON, Place

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\]:,]')
_WORD = re.compile(_TOKEN.pattern + rb'|[^\s{}\[\]:,"]+')
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)


def decode(text: bytes, name: str) -> JSON:
    """What a text says; raises BadInput, in which `name` is the text, with line and column.

    Beyond what is no JSON at all, an object with the same member twice and half of a surrogate pair are refused.
    """
    try:
        view: JSON = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if (offset := _lone_surrogate(text)) is not None:
            escape = text[offset : offset + 6].decode()
            problem = f"{escape} is half of a surrogate pair, which is no character"
            raise BadInput(problem, place=_place(text, name, offset)) from None
        raise BadInput(f"not JSON: {error}", place=_place(text, name, _offset(text, str(error)))) from error
    for offset, member, path in _repeated(text):
        raise BadInput(f"{path} has the member {member!r} twice", place=_place(text, name, offset))
    return view


@dataclass(slots=True)
class _Open:
    """A container that is being read."""

    path: str
    is_object: bool
    seen: set[str] = field(default_factory=set)
    member: str = ""
    index: int = 0
    is_key_next: bool = True

    @property
    def inside(self) -> str:
        """The path of the value that comes next."""
        return f"{self.path}.{self.member}" if self.is_object else f"{self.path}[{self.index}]"


def place_in(text: bytes, name: str, path: str, member: str = "") -> Place:
    """Where a text, which is JSON, has the value at a path such as `$.turns[0].says`, or a member of it by its name.

    What is not there stands where the innermost thing around it does. A name that has a dot or a bracket in it may be
    taken for two.
    """
    values, names = _offsets(text)
    if member and (offset := names.get(f"{path}.{member}")) is not None:
        return _place(text, name, offset)
    while path not in values and len(path) > 1:
        path = path[: max(path.rfind("."), path.rfind("["), 1)]
    return _place(text, name, values.get(path, 0))


def _offsets(text: bytes) -> tuple[dict[str, int], dict[str, int]]:
    """The byte offsets of all values by path, and those of the names of members."""
    values: dict[str, int] = {}
    names: dict[str, int] = {}
    around: list[_Open] = []
    for token in _WORD.finditer(text):
        here = around[-1] if around else None
        match token[0][:1]:
            case b"}" | b"]":
                around.pop()
            case b"," if here is not None:
                here.index += 1
                here.is_key_next = True
            case b":" if here is not None:
                here.is_key_next = False
            case b'"' if here is not None and here.is_object and here.is_key_next:
                here.member = json.loads(token[0])
                names[here.inside] = token.start()
            case first:
                path = "$" if here is None else here.inside
                values[path] = token.start()
                if first in (b"{", b"["):
                    around.append(_Open(path, first == b"{"))
    return values, names


def _repeated(text: bytes) -> Iterator[tuple[int, str, str]]:
    """The members of a valid text that were there before: byte offset, name, and the path of the object."""
    around: list[_Open] = []
    for token in _TOKEN.finditer(text):
        here = around[-1] if around else None
        match token[0][:1]:
            case b"{" | b"[" as opening:
                around.append(_Open("$" if here is None else here.inside, opening == b"{"))
            case b"}" | b"]":
                around.pop()
            case b"," if here is not None:
                here.index += 1
                here.is_key_next = True
            case b":" if here is not None:
                here.is_key_next = False
            case b'"' if here is not None and here.is_object and here.is_key_next:
                here.member = json.loads(token[0])
                if here.member in here.seen:
                    yield token.start(), here.member, here.path
                here.seen.add(here.member)


def _lone_surrogate(text: bytes) -> int | None:
    """The byte offset of the first escape that is half of a pair, in a text that is JSON but for such escapes."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    high: re.Match[bytes] | None = None
    for token in _TOKEN.finditer(text):
        if token[0][:1] != b'"':
            continue
        for escape in _ESCAPE.finditer(token[0]):
            code = int(escape[1] or b"0", 16)
            is_low = 0xDC00 <= code <= 0xDFFF
            if high is not None:
                if not is_low or high.end() != escape.start():
                    return token.start() + high.start()
                high = None
            elif is_low:
                return token.start() + escape.start()
            elif 0xD800 <= code <= 0xDBFF:
                high = escape
        if high is not None:
            return token.start() + high.start()
    return None


def _offset(text: bytes, message: str) -> int:
    """The byte that msgspec names."""
    digits = message.rpartition("byte ")[2].rstrip(")")
    offset = int(digits) if digits.isdigit() else len(text)
    return offset - 1 if "trailing characters" in message else offset  # there it names the one after the first wrong


def _place(text: bytes, name: str, offset: int) -> Place:
    before = text[:offset].decode("utf-8", "replace")
    return Place(name, before.count("\n") + 1, len(before) - before.rfind("\n"))
