"""Places in a JSON value, as a rules file names them: `messages[*].content`, `/call/arguments/env`, `**.ssn`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.errors import BadInput

Path: TypeAlias = tuple[str | int, ...]

_ANY: Final = "*"
_DEEP: Final = "**"
_STEP = re.compile(r"""\.?(?:(\*\*)|(\*)|([^.\[\]'"*\s/][^.\[\]]*))|\[(?:(\*)|([0-9]+)|'([^']*)'|"([^"]*)")\]""")


@dataclass(frozen=True, slots=True)
class PlacePattern:
    """Which places are meant, with everything below them."""

    text: str
    """As it was written."""
    steps: tuple[str | int, ...]
    """Keys and positions; `*` is any one of them, `**` any number."""

    def fits(self, path: Path) -> bool:
        """Whether a place is meant itself."""
        return _fits(self.steps, path)


def _fits(steps: tuple[str | int, ...], path: Path) -> bool:
    if not steps:
        return not path
    first, *rest = steps
    if first == _DEEP:
        return any(_fits(tuple(rest), path[taken:]) for taken in range(len(path) + 1))
    if not path or not (first == _ANY or str(first) == str(path[0])):
        return False
    return _fits(tuple(rest), path[1:])


def pattern(text: str) -> PlacePattern:
    """A pattern from its text: JSONPath-like, with or without `$`, or a JSON pointer; raises BadInput."""
    steps = _pointer(text) if text.startswith("/") else _dotted(text)
    if not steps:
        raise BadInput(f"{text!r} names no place", fix="write it like messages[*].content, /call/arguments or **.ssn")
    return PlacePattern(text, steps)


def _pointer(text: str) -> tuple[str | int, ...]:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/"))


def _dotted(text: str) -> tuple[str | int, ...]:
    rest = text.removeprefix("$")
    rest = rest.replace("..", ".**.") if ".." in rest else rest
    steps: list[str | int] = []
    at = 0
    while at < len(rest):
        step = _STEP.match(rest, at)
        if step is None or step.end() == at:
            raise BadInput(f"{text!r}: nothing that names a place begins at {rest[at : at + 20]!r}")
        deep, anything, key, each, number, single, double = step.groups()
        if number is not None:
            steps.append(int(number))
        else:
            said = (deep, anything, key, each, single, double)
            steps.append(next(part for part in said if part is not None))
        at = step.end()
    return tuple(steps)


def shown(path: Path) -> str:
    """A place for people, every position as `[*]`, so that alike ones can be counted together."""
    parts = (f".{step}" if isinstance(step, str) else "[*]" for step in path)
    return "".join(parts).removeprefix(".")
