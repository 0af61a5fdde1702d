"""What filters look at beyond the trace itself: payloads as text, answers as JSON, diffs. Computed when a filter asks,
kept as long as there is room, and shared by every filter that is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from debugger.diff import Diff, diff
from debugger.filters.gist import Gists, Searchable, TextKey
from debugger.filters.paths import restricted
from kernel import dialects
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.values import JSON, Answered, Payload

MOST_CHARACTERS: Final = 32 * 1024 * 1024
"""Of payloads kept as text. What does not fit is made again when it is asked for."""
MOST_DIFFS: Final = 20_000

Around: TypeAlias = Callable[[str], tuple[str, ...]]
"""From the id of a dispatch's or stretch's parent to the kinds and names of all stretches around."""


class Sight:
    """Not for several threads at once."""

    def __init__(self, *, dialect_named: Callable[[str], Dialect | None] | None = None, around: Around | None = None):
        self._dialect_named = dialect_named or _registered
        self._dialects: dict[str, Dialect | None] = {}
        self._around = around
        self._texts: dict[TextKey, Searchable] = {}  # the oldest first
        self._characters = 0
        self._diffs: dict[tuple[str, str, tuple[str, ...]], Diff] = {}
        self.gists = Gists()
        self.slow: set[str] = set()
        """Regular expressions that ran out of time, so that some answers are not known."""

    def give_up(self, pattern: str) -> None:
        """Remember a regular expression that ran out of time."""
        self.slow.add(pattern)

    def around(self, parent: str) -> tuple[str, ...]:
        """Kinds and names of the stretches around; none where nobody can say."""
        return self._around(parent) if self._around is not None and parent else ()

    def view_of(self, key: TextKey, thing: Payload | Answered) -> JSON:
        """A payload or an answer as JSON; an answer of a dialect that is not known is its text."""
        return self._answer_view(str(key[0]), thing) if isinstance(thing, Answered) else thing.view

    def text_of_thing(self, key: TextKey, thing: Payload | Answered) -> Searchable:
        """Every key and every plain value of a payload or an answer, one a line."""
        found = self._texts.get(key)
        if found is None:
            found = Searchable("\n".join(_leaves(self.view_of(key, thing))))
            size = _size(key, found)
            while self._texts and self._characters + size > MOST_CHARACTERS:
                oldest = next(iter(self._texts))
                self._characters -= _size(oldest, self._texts.pop(oldest))
            if size <= MOST_CHARACTERS:
                self._texts[key] = found
                self._characters += size
        return found

    def _answer_view(self, dialect: str, answer: Answered) -> JSON:
        if dialect not in self._dialects:
            self._dialects[dialect] = self._dialect_named(dialect)
        known = self._dialects[dialect]
        return answer.body.decode(errors="replace") if known is None else known.answer_view(answer)

    def diff(self, before: Payload, after: Payload, keys: tuple[str, ...]) -> Diff:
        """What differs in the places that begin with these keys."""
        known = (before.digest, after.digest, keys)
        found = self._diffs.get(known)
        if found is None:
            found = diff(restricted(before.view, keys), restricted(after.view, keys))
            if len(self._diffs) >= MOST_DIFFS:
                del self._diffs[next(iter(self._diffs))]
            self._diffs[known] = found
        return found


def _size(key: TextKey, text: Searchable) -> int:
    """Characters that a text takes, with the copy for searching without regard to case."""
    return 2 * len(text.raw) + len(key[1])


def _leaves(value: JSON) -> Iterator[str]:
    """Every key and every plain value, as a person would type it, in the order of the payload."""
    todo: list[JSON] = [value]
    while todo:
        match todo.pop():
            case str() as text:
                yield text
            case dict() as members:
                for key, inner in reversed(members.items()):
                    todo += (inner, key)
            case list() as items:
                todo += reversed(items)
            case None:
                yield "null"
            case bool() as truth:
                yield "true" if truth else "false"
            case number:
                yield repr(number)


def _registered(name: str) -> Dialect | None:
    try:
        return dialects.named(name)
    except BadInput:
        return None
