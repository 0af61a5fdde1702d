"""The values of a diff: one change, the whole of them, and where they are.

Everything that follows from a change's two values (the words that differ, whether the difference is easy to
overlook) is computed when asked for: a diff of ten thousand edits stays cheap until somebody looks at one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from debugger.diff.words import Piece, Subtle, subtle, subtle_presence, words
from kernel.values import JSON

Path: TypeAlias = tuple[str | int, ...]
"""Where in a payload: object keys and list positions from the root; `()` is the payload itself."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


def pointer(path: Path) -> str:
    """The path as an RFC 6901 JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def dotted(path: Path) -> str:
    """The path as people read it: `messages[1].content[0].text`; `$` for the payload itself."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{step!r}]"
    return text or "$"


@dataclass(frozen=True, slots=True)
class Added:
    """Something that is only in the payload after."""

    path: Path
    """Where it is now."""
    value: JSON
    is_namesake: bool = False
    """Whether its name is easily taken for that of a member that was removed beside it."""

    @property
    def subtle(self) -> tuple[Subtle, ...]:
        """Why a reader may overlook it: null and empty look like absent, some names like others."""
        return subtle_presence(self.value) + ((Subtle.NAME,) if self.is_namesake else ())


@dataclass(frozen=True, slots=True)
class Removed:
    """Something that is only in the payload before."""

    path: Path
    """Where it was."""
    value: JSON
    is_namesake: bool = False
    """Whether its name is easily taken for that of a member that was added beside it."""

    @property
    def subtle(self) -> tuple[Subtle, ...]:
        """Why a reader may overlook it: null and empty look like absent, some names like others."""
        return subtle_presence(self.value) + ((Subtle.NAME,) if self.is_namesake else ())


@dataclass(frozen=True, slots=True)
class Replaced:
    """A value that became another one, in a place that both payloads have."""

    path: Path
    """Where it is now."""
    before: JSON
    after: JSON
    path_before: Path
    """Where it was: differs from `path` when items were added or removed in front of it."""

    @property
    def words(self) -> tuple[Piece, ...]:
        """What changed inside, word by word, when both values are strings; otherwise empty."""
        if isinstance(self.before, str) and isinstance(self.after, str):
            return words(self.before, self.after)
        return ()

    @property
    def subtle(self) -> tuple[Subtle, ...]:
        """Why a reader may overlook the difference; empty for a plain one."""
        return subtle(self.before, self.after)


@dataclass(frozen=True, slots=True)
class Moved:
    """A list item that is in both lists, out of order. What changed inside it is told by changes of its own."""

    path_before: Path
    path_after: Path
    value: JSON
    """The item as it is now."""

    @property
    def path(self) -> Path:
        """Where it is now."""
        return self.path_after

    @property
    def subtle(self) -> tuple[Subtle, ...]:
        """Moves are plain to see."""
        return ()


Change: TypeAlias = Added | Removed | Replaced | Moved
"""One difference. A closed set: matching it must be exhaustive."""


@dataclass(frozen=True, slots=True)
class Summary:
    """How much changed."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0

    def __str__(self) -> str:
        counts = (("+", self.added), ("~", self.changed), ("-", self.removed), (">", self.moved))
        return " ".join(f"{mark}{count}" for mark, count in counts if count) or "no change"


@dataclass(frozen=True, slots=True)
class Diff:
    """Everything that differs between two payloads."""

    changes: tuple[Change, ...] = ()
    """In document order of the payload after; what was removed stands where it used to be."""

    def __bool__(self) -> bool:
        return bool(self.changes)

    @property
    def summary(self) -> Summary:
        """The counts, which print as `+1 ~2`."""
        kinds = [type(change) for change in self.changes]
        return Summary(kinds.count(Added), kinds.count(Replaced), kinds.count(Removed), kinds.count(Moved))
