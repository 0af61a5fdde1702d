"""What HCL text says, as frozen values that know where they stand.

Expressions are not evaluated: a call or a variable stays what it is, for its reader to accept or refuse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kernel.values import Place


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value written out: text, a number, true, false or null."""

    value: str | int | float | bool | None
    place: Place


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[...]`"""

    items: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key = value` of an object."""

    key: str
    value: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """`{...}` as a value. A key may come twice; the last one counts."""

    entries: tuple[Entry, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    """A function call, not evaluated."""

    name: str
    arguments: tuple[Expression, ...]
    source: str
    place: Place


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else that has a value only once it is evaluated."""

    kind: str
    """`variable`, `template` or `operation`."""
    source: str
    place: Place


Expression: TypeAlias = Scalar | ListOf | ObjectOf | Call | Other
"""What can stand behind an equals sign. A closed set: matching it must be exhaustive."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """`name = expression`"""

    name: str
    expression: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Label:
    """One label of a block, quoted or bare."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Block:
    """`type "label" { ... }`"""

    type: str
    labels: tuple[Label, ...]
    body: Body
    place: Place
    """Of the header."""
    offset: int
    """Bytes before the header in its file: with the file's rank, the order of declaration."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a file or a block holds; attributes and blocks are each in the order in which they were written."""

    attributes: tuple[Attribute, ...] = ()
    blocks: tuple[Block, ...] = ()

    def attribute(self, name: str) -> Attribute | None:
        """The attribute of this name; a body has at most one."""
        return next((attribute for attribute in self.attributes if attribute.name == name), None)

    def of_type(self, kind: str) -> tuple[Block, ...]:
        """The blocks of one type."""
        return tuple(block for block in self.blocks if block.type == kind)
