"""JSON text that knows where each of its values stands, read as the host's parser reads it (serde_json).

Strict where that is: no comments, no trailing commas, no control characters in strings, no half surrogate pairs, at
most 127 brackets within brackets. Lenient where that is: of members with the same name the last one counts.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import Final

from kernel.errors import BadInput
from kernel.values import JSON, Place

MAX_BYTES: Final = 4 << 20
"""Far above any manifest; the host has no bound of its own."""
MAX_DEPTH: Final = 127
"""The parser of the host gives up at the bracket after this one."""

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_UNFIT = re.compile(r'["\\\x00-\x1f]')
_HEX_ESCAPE = re.compile(r"\\u[0-9a-fA-F]{4}")
_GOES_ON = re.compile(r"[0-9.eE+-]")
_WORDS: Final[Mapping[str, JSON]] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text within one line."""

    place: Place
    length: int
    """Characters, to the end of the line where what is meant goes on beyond it."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands."""

    value: JSON
    span: Span
    members: Mapping[str, Member] = field(default_factory=lambda: MappingProxyType({}))
    """Of an object, in the order of the text."""
    items: tuple[Node, ...] = ()
    """Of an array."""
    overwritten: tuple[Member, ...] = ()
    """Members that a later one of the same name makes void."""

    def get(self, name: str) -> Node | None:
        """The value of a member; None where there is none."""
        member = self.members.get(name)
        return None if member is None else member.value

    def span_of(self, name: str) -> Span:
        """Where the value of a member stands, or else the object that it is missing from."""
        value = self.get(name)
        return self.span if value is None else value.span


@dataclass(frozen=True, slots=True)
class Member:
    """A name in an object and what stands behind it."""

    name: str
    span: Span
    """Of the name."""
    value: Node


class Text:
    """A text in lines. Offsets count characters."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def span(self, start: int, end: int) -> Span:
        """From one character to before another."""
        row = bisect_right(self._starts, start) - 1
        line_end = self._starts[row + 1] - 1
        return Span(Place(self.file, row + 1, start - self._starts[row] + 1), max(1, min(end, line_end) - start))

    def line(self, number: int) -> str:
        """A line without its end; lines count from 1."""
        return self.text[self._starts[number - 1] : self._starts[number] - 1].removesuffix("\r")


def decoded(data: bytes, file: str) -> Text:
    """The text of a file; raises BadInput that says where it is not UTF-8, and for a file that is too large."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"{file} has {len(data)} bytes", fix=f"hookscope reads manifests up to {MAX_BYTES}")
    try:
        return Text(data.decode(), file)
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        place = Text(before, file).span(len(before), len(before) + 1).place
        raise BadInput(f"byte {data[error.start]:#04x} is not UTF-8", place=place) from None


def parse(text: Text) -> Node:
    """The tree of a JSON text; raises BadInput with the place of the first mistake."""
    scanner = _Scanner(text)
    node, end = scanner.value(scanner.skip(0), 0)
    if scanner.skip(end) != len(text.text):
        raise scanner.wrong(scanner.skip(end), "the text ends before this")
    return node


class _Scanner:
    """Reads from an offset and gives the offset behind."""

    def __init__(self, text: Text) -> None:
        self._source = text
        self._text = text.text

    def wrong(self, at: int, message: str) -> BadInput:
        if at >= len(self._text):
            message = f"the text ends too early: {message}"
        return BadInput(message, place=self._source.span(at, at + 1).place)

    def skip(self, at: int) -> int:
        """Past blanks."""
        found = _BLANK.match(self._text, at)
        assert found is not None, "no blank is a blank too"
        return found.end()

    def value(self, at: int, depth: int) -> tuple[Node, int]:
        match self._text[at : at + 1]:
            case "{":
                return self._object(at, self._deeper(at, depth))
            case "[":
                return self._array(at, self._deeper(at, depth))
            case '"':
                text, end = self._string(at)
                return Node(text, self._source.span(at, end)), end
        for word, value in _WORDS.items():
            if self._text.startswith(word, at):
                return Node(value, self._source.span(at, at + len(word))), at + len(word)
        return self._number(at)

    def _deeper(self, at: int, depth: int) -> int:
        if depth == MAX_DEPTH:
            raise self.wrong(at, f"more than {MAX_DEPTH} brackets within brackets")
        return depth + 1

    def _object(self, start: int, depth: int) -> tuple[Node, int]:
        members: dict[str, Member] = {}
        void: list[Member] = []
        at = self.skip(start + 1)
        while not self._text.startswith("}", at):
            if members:
                at = self._past(",", at, "a comma or } is expected")
            if not self._text.startswith('"', at):
                raise self.wrong(at, "a name in quotes is expected" if members else "a name in quotes or } is expected")
            name, end = self._string(at)
            value, behind = self.value(self._past(":", self.skip(end), "a colon is expected"), depth)
            if name in members:
                void.append(members.pop(name))
            members[name] = Member(name, self._source.span(at, end), value)
            at = self.skip(behind)
        plain: dict[str, JSON] = {name: member.value.value for name, member in members.items()}
        span = self._source.span(start, at + 1)
        return Node(plain, span, MappingProxyType(members), overwritten=tuple(void)), at + 1

    def _array(self, start: int, depth: int) -> tuple[Node, int]:
        items: list[Node] = []
        at = self.skip(start + 1)
        while not self._text.startswith("]", at):
            if items:
                at = self._past(",", at, "a comma or ] is expected")
            item, behind = self.value(at, depth)
            items.append(item)
            at = self.skip(behind)
        return Node([item.value for item in items], self._source.span(start, at + 1), items=tuple(items)), at + 1

    def _past(self, mark: str, at: int, wish: str) -> int:
        if not self._text.startswith(mark, at):
            raise self.wrong(at, wish)
        return self.skip(at + 1)

    def _string(self, at: int) -> tuple[str, int]:
        found = _STRING.match(self._text, at)
        if found is None:
            raise self._bad_string(at)
        text: str = json.loads(found.group())
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise self.wrong(at, "the string holds half of a surrogate pair")
        return text, found.end()

    def _bad_string(self, start: int) -> BadInput:
        at = start + 1
        while found := _UNFIT.search(self._text, at):
            if found.group() != "\\":
                return self.wrong(found.start(), "a control character in a string has to be escaped")
            escape = _STRING.match(f'"{self._text[found.start() : found.start() + 2]}"')
            is_hex = _HEX_ESCAPE.match(self._text, found.start())
            if escape is None and is_hex is None and found.end() < len(self._text):
                return self.wrong(found.start(), "there is no such escape in JSON")
            at = found.start() + (6 if is_hex else 2)
        return self.wrong(len(self._text), "the string has no end")

    def _number(self, at: int) -> tuple[Node, int]:
        found = _NUMBER.match(self._text, at)
        if found is None:
            raise self.wrong(at, "a value is expected")
        end = found.end()
        if _GOES_ON.match(self._text, end):
            raise self.wrong(end, "a number goes on in a way that JSON does not know")
        return Node(self._number_value(found.group(), at), self._source.span(at, end)), end

    def _number_value(self, digits: str, at: int) -> JSON:
        """The host keeps whole numbers of 64 bits; everything else, and -0, is a float there."""
        if digits.lstrip("-").isdecimal() and digits != "-0" and len(digits) <= 20:
            whole = int(digits)
            if -(1 << 63) <= whole < 1 << 64:
                return whole
        number = float(digits)
        if math.isinf(number):
            raise self.wrong(at, "the number is too large")
        return number
