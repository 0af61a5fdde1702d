"""What is wrong with a configuration, as values: all of it at once, whatever its dialect.

A check hands each problem to whoever collects them and goes on. Loading is the same check, and stops at the first
error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from kernel.errors import BadInput
from kernel.values import Chain, Place


class Severity(StrEnum):
    """How bad it is."""

    ERROR = "error"
    """The host refuses it, or cannot work with it."""
    WARNING = "warning"
    """The host takes it, and it is hardly what was meant; or only this machine is not ready for it."""


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of problem."""

    id: str
    """The host's own name for it where there is one."""
    severity: Severity
    text: str
    """One sentence."""
    found: str = ""
    """At which stage the host would find it; empty for what it never finds."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, and where."""

    code: str
    severity: Severity
    place: Place | None
    length: int
    """Characters of the line that are meant, from the place on; 1 as long as nobody has looked at the text."""
    message: str
    fix: str = ""
    """What to do about it; empty when the message leaves no doubt."""

    def as_error(self) -> BadInput:
        """The same for who stops at the first. A name that the host has for it (`Err...`) is part of the sentence."""
        named = f"{self.code}: {self.message}" if self.code.startswith("Err") else self.message
        return BadInput(named, place=self.place, fix=self.fix)


Complain: TypeAlias = Callable[[Problem], None]
"""Takes a problem from whoever finds it, who then goes on."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a check found out beside the problems: a table."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a check found in one configuration."""

    problems: tuple[Problem, ...]
    """By file and place."""
    chains: Mapping[str, Chain]
    """A chain for every point, of those subscriptions that are in order; empty when there is nothing to make any of."""
    lines: Mapping[tuple[str, int], str]
    """Source lines by file and number, wherever a problem points: fit to be shown, so with secrets covered."""
    notes: tuple[Note, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether there is no error."""
        return not any(problem.severity is Severity.ERROR for problem in self.problems)


def raise_first(problems: Iterable[Problem]) -> None:
    """Raise BadInput for the first error, if there is one; warnings do not stop anybody."""
    for problem in problems:
        if problem.severity is Severity.ERROR:
            raise problem.as_error()
