"""Words for people: names that were probably meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

FOREIGN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "pre_tool_use": "before_tool_call",
        "pre_tool_call": "before_tool_call",
        "post_tool_use": "after_tool_call",
        "post_tool_call": "after_tool_call",
        "user_prompt_submit": "before_message",
        "pre_compact": "on_compaction",
        "session_start": "on_session_start",
        "session_end": "on_session_end",
        "stop": "on_message_complete",
    }
)
"""What other hosts call the moments that have a kind here."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def snake(name: str) -> str:
    """A name in the way in which names are written here: `BeforeToolCall` is `before_tool_call`."""
    return _HUMP.sub("_", name.strip()).lower().replace("-", "_").replace(".", "_")


def nearest_kind(name: str, kinds: Iterable[str]) -> str:
    """The way out of a kind that there is not."""
    known, plain = tuple(kinds), snake(name)
    meant = plain if plain in known else FOREIGN.get(plain, "")
    return f"did you mean {meant!r}?" if meant in known else nearest(plain, known)


def nearest(name: str, names: Iterable[str]) -> str:
    """The way out of a wrong name: the one that was probably meant, or all that there are."""
    known = tuple(map(str, names))
    close = difflib.get_close_matches(name.lower(), known, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"there is {listed(known, 'and')}" if known else ""


def listed(names: Iterable[str], word: str) -> str:
    """Names as a sentence has them: a, b and c."""
    each = tuple(names)
    return f" {word} ".join(filter(None, (", ".join(each[:-1]), *each[-1:])))
