"""Anybody's objects as JSON for people. Nothing raises here: what cannot be shown is described instead.

The runner never looks into a value of a context, nor into what an error says. So whatever an object does when somebody
looks at it must stay a matter of the display and never become one of the dispatch (spec C.2 to C.4).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from kernel.values import JSON

T = TypeVar("T")
U = TypeVar("U")

LONGEST_TEXT: Final = 500
"""Characters that are shown of what an object says of itself."""
DEEPEST: Final = 20
"""Lists in lists that are shown."""
MOST: Final = 100
"""Members of one list or mapping that are shown."""
MOST_IN_ALL: Final = 5_000
"""Values that are shown of one, with everything in it."""
MOST_BITS: Final = 1024
"""Of a whole number that is shown; interpreters refuse to write or read numbers of some thousand digits."""


def value_shown(value: object) -> JSON:
    """A value as JSON if it is such, or else what it says of itself, or else what it is."""
    return _Showing().shown(value, ())


def key_shown(key: object) -> str:
    """A key as text."""
    return plain_text(str.__str__(key)) if issubclass(type(key), str) else text_of(key)


def text_of(value: object) -> str:
    """What an object says of itself; the name of its class if it will not, or cannot."""
    name = class_name(value)
    text = contained(lambda: str.__str__(str(value)), None)
    if text is None or not is_text(text[:LONGEST_TEXT]):
        return f"<{name}>"
    return _ADDRESS.sub("", text[:LONGEST_TEXT]) or name


_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]+")
"""Says where an object happens to lie, which is another place each time."""


def class_name(value: object) -> str:
    """The name of an object's class, whatever that class makes of being asked."""
    name: str = _NAME_OF(type(value))
    return plain_text(name)


_NAME_OF: Final[Callable[[type], str]] = vars(type)["__name__"].__get__


def is_text(text: str) -> bool:
    """Whether it can be written as UTF-8: a lone surrogate cannot."""
    return not any("\ud800" <= each <= "\udfff" for each in text)


def plain_text(text: str) -> str:
    """The text; lone surrogates as escapes."""
    return text if is_text(text) else text.encode(errors="backslashreplace").decode()


def contained(look: Callable[[], T], otherwise: U) -> T | U:
    """What looking gives, or something else where it raises: even what would end a thread: only we look."""
    try:
        return look()
    except BaseException:  # noqa: BLE001  # a seam built for it: somebody else's object is looked at
        return otherwise


class _Showing:
    """One value being shown."""

    def __init__(self) -> None:
        self._left = MOST_IN_ALL

    def shown(self, value: Any, around: tuple[int, ...]) -> JSON:
        """`around` are the lists and mappings that it is in, by identity."""
        self._left -= 1
        kind = type(value)
        if value is None or kind is bool:
            return value  # type: ignore[no-any-return]  # one of these two
        if issubclass(kind, str):
            return plain_text(str.__str__(value))
        if issubclass(kind, int):
            number = int.__int__(value)
            return number if number.bit_length() <= MOST_BITS else f"<whole number of {number.bit_length()} bits>"
        if issubclass(kind, float):
            real = float.__float__(value)
            return real if math.isfinite(real) else f"<number {real}>"
        if issubclass(kind, list | tuple | dict):
            return contained(lambda: self._members(value, around), f"<{class_name(value)}>")
        return text_of(value)

    def _members(self, value: Any, around: tuple[int, ...]) -> JSON:
        """Raises what a class of somebody's own does when it is iterated."""
        if id(value) in around:
            return f"<{class_name(value)} that holds itself>"
        if len(around) == DEEPEST or self._left <= 0:
            return f"<{class_name(value)}, not shown from here on>"
        around = (*around, id(value))
        if issubclass(type(value), dict):
            items = itertools.islice(list(value.items()), MOST)
            return {key_shown(key): self.shown(each, around) for key, each in items}
        return [self.shown(each, around) for each in itertools.islice(value, MOST)]
