"""Which texts a set and a denial may hold: bytes, characters and blanks, exactly (spec B.3)."""

from __future__ import annotations

import re
from typing import Final

MAX_REVISION: Final = 128
MAX_CODE: Final = 64
MAX_REASON: Final = 1024
"""All three in bytes of UTF-8."""

WHITE_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
"""Unicode's White_Space property. `str.strip` would take U+001C to U+001F as well, which are controls."""

_CODE = re.compile(r"[a-z][a-z0-9_.-]*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # category Cc, which is closed


def is_blank(text: str) -> bool:
    """Whether there is nothing in it but white space; true of an empty text."""
    return not text.strip(WHITE_SPACE)


def is_code(value: object) -> bool:
    """Whether this can be the code of a denial."""
    return isinstance(value, str) and _CODE.fullmatch(value) is not None and len(value) <= MAX_CODE


def is_reason(value: object) -> bool:
    """Whether this can be the reason of a denial."""
    return isinstance(value, str) and not is_blank(value) and _is_line(value, MAX_REASON)


def is_revision(value: object) -> bool:
    """Whether this can be a policy revision, where one is needed."""
    return isinstance(value, str) and not is_blank(value) and _is_line(value, MAX_REVISION)


def _is_line(text: str, most: int) -> bool:
    try:
        size = len(text.encode())  # a lone surrogate is what bytes that are not UTF-8 come to in Python
    except UnicodeEncodeError:
        return False
    return size <= most and _CONTROL.search(text) is None
