"""One value of a manifest after the other, with its type: what is wrong is told and comes out as what is not there.

What the host meets first is told with each finding: it goes through the members of an object by name, bytewise, and
misses the missing ones after that, in the order in which it declares them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeVar

from kernel.dialects.hookbus.kinds import KINDS
from kernel.dialects.hookbus.manifest.codes import Order, Tell, finding
from kernel.dialects.hookbus.manifest.text import Node
from kernel.dialects.hookbus.wording import listed, nearest, snake
from kernel.values import JSON

T = TypeVar("T")

U32: Final = (1 << 32) - 1
UNNAMED: Final = frozenset({"name", "assets", "providers"})
"""Members that real manifests carry in the block; the host ignores them, and so do we, in silence."""
MISLEADING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "entry_point": "say which program to start in command and args",
        "extension_protocol_version": "the manifest calls it protocol_version",
        "priority": "order is that of the list, and between plugins that of their folders' names",
        "env": "the program sees PATH, HOME, LANG, TERM and XDG_RUNTIME_DIR; what else it needs comes through config",
        "timeout": "every hook has 5 seconds",
        "timeout_ms": "every hook has 5 seconds",
    }
)
"""Members that documents and other hosts know, and what to do instead."""


@dataclass(frozen=True, slots=True)
class Part:
    """A value that is about to be read: which one, where in the block, and when the host comes to it."""

    node: Node
    path: str
    order: Order
    tell: Tell

    def fields(
        self, known: tuple[str, ...], *, ignores_others: bool = True, says_ignored: bool = True
    ) -> Fields | None:
        """The members, if it is an object."""
        return fields_of(
            self.node, self.path, self.order, known, self.tell, ignores_others=ignores_others, says_ignored=says_ignored
        )

    def text(self) -> str | None:
        """The text, if it is one."""
        value = self.node.value
        if isinstance(value, str):
            return value
        self.refuse("text")
        return None

    def refuse(self, wanted: str) -> None:
        """Say that something else is wanted."""
        message = f"{self.path} is {_kind(self.node.value)}, and {wanted} is expected"
        self.tell(finding("wrong-type", message, self.node.span, order=self.order))


@dataclass(frozen=True, slots=True)
class Fields:
    """The members of an object, taken out by name. What is wrong is told and comes out as what is not there."""

    node: Node
    path: str
    order: Order
    tell: Tell

    def part(self, name: str) -> Part | None:
        value = self.node.get(name)
        if value is None:
            return None
        return Part(value, f"{self.path}.{name}", (*self.order, (0, name.encode())), self.tell)

    def misses(self, name: str, number: int, *, hint: str = "") -> None:
        """Say so if a member is missing; `number` is its place in the host's declaration."""
        if self.node.get(name) is None:
            message = f"{self.path} has no {name}"
            order = (*self.order, (1, number))
            self.tell(finding("missing-member", message, self.node.span, fix=hint or f"add {name}", order=order))

    def text(self, name: str) -> str | None:
        part = self.part(name)
        return None if part is None else part.text()

    def optional_text(self, name: str) -> str | None:
        """Text, or null for none."""
        part = self.part(name)
        return None if part is None or part.node.value is None else part.text()

    def word(self, name: str, words: tuple[str, ...], *, or_null: bool = True) -> str | None:
        """One of some words."""
        part = self.part(name)
        if part is None or (or_null and part.node.value is None):
            return None
        text = part.text()
        if text is not None and text not in words:
            message = f"{part.path} is {text!r}"
            fix = nearest(text, words)
            self.tell(finding("unknown-word", message, part.node.span, fix=fix, order=part.order))
            return None
        return text

    def flag(self, name: str) -> bool:
        part = self.part(name)
        if part is None:
            return False
        if not isinstance(part.node.value, bool):
            part.refuse("true or false")
        return part.node.value is True

    def whole(self, name: str, default: int) -> int | None:
        """A whole number of 32 bits without a sign."""
        part = self.part(name)
        if part is None:
            return default
        value = part.node.value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= U32:
            return value
        part.refuse(f"a whole number from 0 to {U32}")
        return None

    def node_value(self, name: str) -> JSON:
        """Any JSON; None where there is none, and for null."""
        value = self.node.get(name)
        return None if value is None else value.value

    def texts(self, name: str) -> tuple[str, ...] | None:
        return self.each(name, lambda part: part.text())

    def optional(self, name: str, read_one: Callable[[Part], T | None]) -> T | None:
        """What `read_one` makes of a member; None for null."""
        part = self.part(name)
        return None if part is None or part.node.value is None else read_one(part)

    def each(self, name: str, read_one: Callable[[Part], T | None], *, or_null: bool = False) -> tuple[T, ...] | None:
        """The items of a list, those left out that cannot be read; None if it is no list."""
        part = self.part(name)
        if part is None or (or_null and part.node.value is None):
            return ()
        if not isinstance(part.node.value, list):
            part.refuse("a list")
            return None
        parts = (
            Part(item, f"{part.path}[{number}]", (*part.order, (0, number)), self.tell)
            for number, item in enumerate(part.node.items)
        )
        return tuple(item for item in map(read_one, parts) if item is not None)

    def each_member(self, name: str, read_one: Callable[[Part], T | None]) -> Mapping[str, T] | None:
        """The members of an object by any names; None if it is no object."""
        part = self.part(name)
        if part is None:
            return MappingProxyType({})
        if not isinstance(part.node.value, dict):
            part.refuse("an object")
            return None
        table = Fields(part.node, part.path, part.order, self.tell)
        _tell_overwritten(table)
        read = {key: read_one(inner) for key in part.node.members if (inner := table.part(key)) is not None}
        return MappingProxyType({key: value for key, value in read.items() if value is not None})


def fields_of(
    node: Node,
    path: str,
    order: Order,
    known: tuple[str, ...],
    tell: Tell,
    *,
    ignores_others: bool = True,
    says_ignored: bool = True,
) -> Fields | None:
    fields = Fields(node, path, order, tell)
    if not isinstance(node.value, dict):
        Part(node, path, order, tell).refuse("an object")
        return None
    _tell_overwritten(fields)
    for name in _strange(node, known):
        span = node.members[name].span
        if not ignores_others:
            message = f"{path} has {name!r}, which the host refuses"
            place = (*order, (0, name.encode()))
            tell(finding("unknown-condition", message, span, fix=f"there is {listed(known, 'and')}", order=place))
        elif says_ignored and not (path == "extension" and name in UNNAMED):
            tell(finding("ignored-member", f"the host ignores {name!r} in {path}", span, fix=_instead(name, known)))
    return fields


def _tell_overwritten(fields: Fields) -> None:
    for member in fields.node.overwritten:
        message = f"{fields.path}.{member.name} is there again further down, and that one counts"
        fields.tell(finding("repeated-member", message, member.span, fix="keep one of them"))


def _strange(node: Node, known: tuple[str, ...]) -> Iterator[str]:
    return (name for name in node.members if name not in known)


def _instead(name: str, known: tuple[str, ...]) -> str:
    if name in MISLEADING:
        return MISLEADING[name]
    if snake(name) in KINDS:
        return f'subscribe with {{"hook": "{snake(name)}"}} in hooks'
    near = nearest(name, known)
    return near if near.startswith("did") else ""


def _kind(value: JSON) -> str:
    """What a value is, without saying it: it may be a secret in the wrong place."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return "a number"
        case float():
            return "a number with a fraction or an exponent"
        case str():
            return "text"
        case list():
            return "a list"
        case _:
            return "an object"
