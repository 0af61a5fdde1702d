"""What HCL text says, as frozen values that know where they stand.

An expression is kept as it was written, for its reader to look at; `evaluation` makes a value of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from kernel.values import Place


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value written out: text, a number, true, false or null. A whole number is an int, however it is written."""

    value: str | int | Fraction | bool | None
    place: Place


@dataclass(frozen=True, slots=True)
class ListOf:
    """`[...]`"""

    items: tuple[Expression, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Entry:
    """One `key = value` of an object. A bare word as its key is text."""

    key: Expression
    value: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """`{...}` as a value. A key may come twice; the last one counts."""

    entries: tuple[Entry, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Unknown:
    """In place of a value that there is not, or not yet: whatever is made of it is unknown too."""

    place: Place


Value: TypeAlias = Scalar | ListOf | ObjectOf | Unknown
"""What an expression comes to; the items and entries of such a list or object are values as well, its keys text."""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    """A function call."""

    name: str
    arguments: tuple[Expression, ...]
    is_spread: bool
    """Whether the last argument is a list of arguments (`f(x...)`)."""
    place: Place


@dataclass(frozen=True, slots=True)
class Parentheses:
    """`(...)`, which means what is in it, and is not what is in it where the host looks at what was written."""

    inner: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Member:
    """`.name`"""

    name: str
    place: Place


@dataclass(frozen=True, slots=True)
class Index:
    """`[key]`, or `.0`"""

    key: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Splat:
    """`[*]` or `.*`, with what is taken of each."""

    steps: tuple[Step, ...]
    place: Place


Step: TypeAlias = Member | Index | Splat


@dataclass(frozen=True, slots=True)
class Path:
    """Something inside of a value."""

    root: Expression
    steps: tuple[Step, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Unary:
    """`-x` or `!x`"""

    operator: str
    operand: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class Operation:
    """Operators of one precedence in a row, from left to right."""

    first: Expression
    rest: tuple[tuple[str, Expression], ...]
    place: Place


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? yes : no`; in a template `%{ if condition }yes%{ else }no%{ endif }`."""

    condition: Expression
    yes: Expression
    no: Expression
    place: Place


@dataclass(frozen=True, slots=True)
class For:
    """`[for value in collection : value]`, or with a key for an object."""

    names: tuple[str, ...]
    """Of the value, or of the key and the value."""
    collection: Expression
    key: Expression | None
    """None for a list."""
    value: Expression
    is_grouped: bool
    condition: Expression | None
    place: Place


@dataclass(frozen=True, slots=True)
class Joined:
    """`%{ for ... }...%{ endfor }`: the texts of a list, one after the other."""

    texts: For
    place: Place


@dataclass(frozen=True, slots=True)
class Template:
    """Text with expressions in it."""

    parts: tuple[Expression, ...]
    is_wrapper: bool
    """Whether it is nothing but `${...}`, and so has that value, of whatever kind."""
    place: Place


Expression: TypeAlias = (
    Scalar
    | ListOf
    | ObjectOf
    | Unknown
    | Name
    | Call
    | Parentheses
    | Path
    | Unary
    | Operation
    | Conditional
    | For
    | Joined
    | Template
)
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
