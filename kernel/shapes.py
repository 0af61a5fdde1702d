"""What JSON of a kind may hold: members, items and words. Enough to offer what can be written; checking is elsewhere.

A shape is made as far as somebody looks: kinds may hold themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Word:
    """A value by name."""

    value: JSON
    detail: str = ""
    """What it means, where that is worth saying."""


@dataclass(frozen=True, slots=True)
class Plain:
    """No container: text, a number, true, false."""

    says: str
    """What it is, for people."""
    blank: JSON
    """What one begins with."""
    words: tuple[Word, ...] = ()
    """The values there are; empty where there is no list of them."""


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON."""

    says: str = "any JSON"


@dataclass(frozen=True, slots=True)
class Member:
    """One member of an object."""

    name: str
    shape: Shape
    detail: str = ""
    is_needed: bool = False
    is_nullable: bool = False
    """Whether null may stand there, which is not the same as leaving it out."""
    group: str = ""
    """Of the members of one group an object has at most one."""
    only_with: tuple[str, JSON] | None = None
    """The member beside it, and its value, that this one goes with."""


@dataclass(frozen=True, slots=True)
class Object:
    """An object of these members."""

    says: str
    members: Callable[[], tuple[Member, ...]]
    is_open: bool = False
    """Whether it may have others as well."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of things of one shape."""

    says: str
    items: Callable[[], Shape]


@dataclass(frozen=True, slots=True)
class Either:
    """One of these: at most one object, at most one list, and plain ones."""

    options: tuple[Shape, ...]

    @property
    def says(self) -> str:
        return " or ".join(each.says for each in self.options)


Shape: TypeAlias = Plain | Anything | Object | Listing | Either
"""A closed set: matching it must be exhaustive."""

TEXT: Final = Plain("text", "")
NUMBER: Final = Plain("number", 0)
WHOLE: Final = Plain("whole number", 0)
BASE64: Final = Plain("base64", "")
YES_OR_NO: Final = Plain("true or false", False, (Word(True), Word(False)))
ANYTHING: Final = Anything()


def one_of(words: Iterable[str], says: str = "word") -> Plain:
    """One of these texts."""
    found = tuple(Word(word) for word in words)
    return Plain(says, found[0].value if found else "", found)


def record(says: str, *members: Member, is_open: bool = False) -> Object:
    """An object of these members."""
    return Object(says, lambda: members, is_open)


def inside(shape: Shape, step: str | int, beside: Callable[[str], JSON] = lambda name: None) -> Shape | None:
    """The shape of a member or an item; None where nothing is known. `beside` gives the members beside it."""
    match shape:
        case Object():
            for each in shape.members():
                if each.name == step and fits(each, beside):
                    return each.shape
            return None
        case Listing():
            return shape.items() if isinstance(step, int) else None
        case Either(options):
            found = (inside(option, step, beside) for option in options)
            return next((each for each in found if each is not None), None)
        case Plain() | Anything():
            return None


def fits(member: Member, beside: Callable[[str], JSON]) -> bool:
    """Whether a member goes with those beside it."""
    return member.only_with is None or beside(member.only_with[0]) == member.only_with[1]


def members_of(shape: Shape) -> tuple[Member, ...]:
    """The members, where it can be an object."""
    match shape:
        case Object():
            return shape.members()
        case Either(options):
            return tuple(member for option in options for member in members_of(option))
        case _:
            return ()
