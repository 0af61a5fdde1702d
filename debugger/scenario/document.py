"""YAML as JSON values that know where they stand. Reads events and builds plain values: no tag ever makes an object.

The scalars are those of YAML 1.2's core schema without what JSON cannot say, so `on`, `no` and `12:30` are texts. What
a file can make us hold is bounded: bytes, depth, and values, with every alias counted at its full size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import yaml

from kernel.errors import BadInput
from kernel.values import JSON, Place

MAX_BYTES: Final = 8 * 1024 * 1024
"""A scenario with a payload of a few megabytes in it is a bug report; more than this is a mistake."""
MAX_DEPTH: Final = 100
"""Nobody reads deeper; protobuf stops there too."""
MAX_VALUES: Final = 400_000
"""With aliases written out. A few lines of them can stand for billions of values otherwise."""

Path: TypeAlias = tuple[str | int, ...]

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events, many times as fast
_NULL = re.compile(r"(null|Null|NULL|~|)\Z")
_BOOLS: Final = {**dict.fromkeys(("true", "True", "TRUE"), True), **dict.fromkeys(("false", "False", "FALSE"), False)}
_INT = re.compile(r"[-+]?[0-9]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_NUMBER = 400
"""Digits; as many as the largest float has, and some."""


@dataclass(slots=True)
class Node:
    """A value, where it starts, and what is in it."""

    place: Place
    scalar: bool | int | float | str | None = None
    members: dict[str, Node] | None = None
    keys: dict[str, Place] = field(default_factory=dict)
    """Where each key of `members` stands."""
    items: list[Node] | None = None
    size: int = 1
    depth: int = 1

    @property
    def value(self) -> JSON:
        """The plain value."""
        if self.members is not None:
            return {key: member.value for key, member in self.members.items()}
        if self.items is not None:
            return [item.value for item in self.items]
        return self.scalar

    def place_of(self, path: Path) -> Place:
        """Where the value at a path starts, or the nearest thing around it; of a member it is where its key stands."""
        node, place = self, self.place
        for step in path:
            inner = node.inner(step)
            if inner is None:
                break
            node, place = inner, node.keys[step] if isinstance(step, str) else inner.place
        return place

    def at(self, path: Path) -> JSON:
        """The plain value at a path; None where there is nothing."""
        node: Node | None = self
        for step in path:
            node = None if node is None else node.inner(step)
        return None if node is None else node.value

    def inner(self, step: str | int) -> Node | None:
        """One step down, if there is something."""
        if isinstance(step, str):
            return None if self.members is None else self.members.get(step)
        return None if self.items is None or not 0 <= step < len(self.items) else self.items[step]


def read(text: bytes, name: str) -> list[Node]:
    """Every document in a text; raises BadInput with the place of what cannot be read. `name` is the file's."""
    if len(text) > MAX_BYTES:
        raise BadInput(f"{name} has {len(text)} bytes; scenario files have at most {MAX_BYTES}")
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = text[: error.start].decode("utf-8")
        raise BadInput("not UTF-8 here", place=_place_after(before, name)) from None
    if (odd := _UNPRINTABLE.search(decoded)) is not None:
        character = f"U+{ord(odd[0]):04X}"
        raise BadInput(
            f'{character} cannot stand in YAML; write it as an escape in "..."',
            place=_place_after(decoded[: odd.start()], name),
        )
    try:
        return list(_Builder(name).documents(decoded))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(name, 1, 1) if mark is None else Place(name, mark.line + 1, mark.column + 1)
        raise BadInput(f"not YAML: {error.problem or error.context}", place=place) from None
    except (yaml.YAMLError, ValueError) as error:
        raise BadInput(f"not YAML: {' '.join(str(error).split())}", place=Place(name, 1, 1)) from None


def _place_after(before: str, name: str) -> Place:
    return Place(name, before.count("\n") + 1, len(before) - before.rfind("\n"))


class _Builder:
    """Turns the events of one file into nodes, without recursion."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[Node] = []
        self._key: list[tuple[str, Place] | None] = []
        """For each open node the key whose value comes next."""
        self._anchors: list[str | None] = []
        self._known: dict[str, Node] = {}

    def documents(self, text: str) -> Iterator[Node]:
        # Any: the stubs of PyYAML know neither the events' attributes nor the loader in C.
        event: Any
        for event in yaml.parse(text, Loader=_LOADER):
            match event:
                case yaml.DocumentStartEvent():
                    self._known = {}
                case yaml.ScalarEvent() | yaml.AliasEvent():
                    is_scalar = isinstance(event, yaml.ScalarEvent)
                    node = self._scalar(event) if is_scalar else self._alias(event)
                    if is_scalar and self._expects_key():
                        self._take_key(event)
                        continue
                    if is_scalar and event.anchor is not None:
                        self._known[event.anchor] = node
                    if (whole := self._take(node)) is not None:
                        yield whole
                case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                    self._start(event)
                case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                    if (whole := self._end()) is not None:
                        yield whole

    def _place(self, event: Any) -> Place:
        return Place(self._name, event.start_mark.line + 1, event.start_mark.column + 1)

    def _expects_key(self) -> bool:
        return bool(self._open) and self._open[-1].members is not None and self._key[-1] is None

    def _take_key(self, event: Any) -> None:
        node, place, key = self._open[-1], self._place(event), event.value
        assert node.members is not None
        if key in node.members:
            raise BadInput(f"the key {_shown(key)} is there twice, first in line {node.keys[key].line}", place=place)
        if key == "<<" and event.implicit[0]:
            raise BadInput(
                "merge keys are not read; write the keys out, or use an alias for a whole value", place=place
            )
        _check_text(key, place)
        self._key[-1] = (key, place)

    def _start(self, event: Any) -> None:
        place = self._place(event)
        if self._expects_key():
            raise BadInput("a key is text, not a list or a mapping", place=place)
        if event.tag is not None:
            raise BadInput(f"tags such as {_shown(event.tag)} are not read", place=place)
        if len(self._open) >= MAX_DEPTH:
            raise BadInput(f"nested deeper than {MAX_DEPTH} levels", place=place)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        self._open.append(Node(place, members={}) if is_mapping else Node(place, items=[]))
        self._key.append(None)
        self._anchors.append(event.anchor)

    def _end(self) -> Node | None:
        node = self._open.pop()
        self._key.pop()
        if (anchor := self._anchors.pop()) is not None:
            self._known[anchor] = node  # only now: a value cannot hold itself
        return self._take(node)

    def _take(self, node: Node) -> Node | None:
        """Put a finished node where it belongs; returns it when it is a whole document."""
        if not self._open:
            return node
        around = self._open[-1]
        if around.members is not None:
            key = self._key[-1]
            assert key is not None
            around.members[key[0]], around.keys[key[0]] = node, key[1]
            self._key[-1] = None
        else:
            assert around.items is not None
            around.items.append(node)
        around.size += node.size
        around.depth = max(around.depth, node.depth + 1)
        if around.size > MAX_VALUES:
            raise BadInput(f"more than {MAX_VALUES} values", place=node.place)
        if len(self._open) + node.depth > MAX_DEPTH:
            raise BadInput(f"nested deeper than {MAX_DEPTH} levels", place=node.place)
        return None

    def _alias(self, event: Any) -> Node:
        place = self._place(event)
        if self._expects_key():
            raise BadInput("a key is text, not an alias", place=place)
        if event.anchor not in self._known:
            raise BadInput(f"no anchor {_shown(event.anchor)} stands before this alias", place=place)
        return self._known[event.anchor]

    def _scalar(self, event: Any) -> Node:
        place = self._place(event)
        if event.tag is not None and event.tag != "!":
            raise BadInput(f"tags such as {_shown(event.tag)} are not read; quote what is text", place=place)
        _check_text(event.value, place)
        return Node(place, _plain(event.value, place) if event.implicit[0] and event.tag is None else event.value)


def _plain(text: str, place: Place) -> bool | int | float | str | None:
    """What a scalar without quotes says."""
    if _NULL.match(text):
        return None
    if text in _BOOLS:
        return _BOOLS[text]
    is_int, is_hex = _INT.match(text), _HEX.match(text)
    if not (is_int or is_hex or _FLOAT.match(text)):
        return text
    if len(text) > _LONGEST_NUMBER:
        raise BadInput("a number this long has to be quoted, as text", place=place)
    if is_int or is_hex:
        return int(text, 16 if is_hex else 10)
    number = float(text)
    if math.isinf(number):
        raise BadInput(f"{_shown(text)} is out of range", place=place)
    return number


def _check_text(text: str, place: Place) -> None:
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        raise BadInput("half of a surrogate pair is no character", place=place)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")
