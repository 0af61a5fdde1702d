"""After how many hits a breakpoint means anything: `=3` the third time, `>=3` from then on, `%3` every third time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernel.errors import BadInput

_WRITTEN: Final = re.compile(r"\s*(=|>=|%)\s*([1-9][0-9]{0,8})\s*")


class How(StrEnum):
    """What is compared with the number."""

    EXACTLY = "="
    FROM = ">="
    EVERY = "%"


@dataclass(frozen=True, slots=True)
class Count:
    """A condition on the number of hits, from 1."""

    how: How = How.FROM
    number: int = 1

    def __str__(self) -> str:
        return f"{self.how}{self.number}"

    def fits(self, hits: int) -> bool:
        """Whether this hit, counted from 1, is one that counts."""
        match self.how:
            case How.EXACTLY:
                return hits == self.number
            case How.FROM:
                return hits >= self.number
            case How.EVERY:
                return hits % self.number == 0


ALWAYS: Final = Count()
"""Every hit."""


def parsed(text: str) -> Count:
    """A condition as people write it, nothing for every hit; raises BadInput."""
    if not text.strip():
        return ALWAYS
    found = _WRITTEN.fullmatch(text)
    if found is None:
        raise BadInput(f"{text.strip()!r} is no count of hits", fix="write =3, >=3 or %3, or nothing for every hit")
    return Count(How(found[1]), int(found[2]))
