"""When an armed fault befalls a call, as people write it: `next`, `every`, `first 3`, `call 3`."""

from __future__ import annotations

import re
from typing import Final

from debugger.session import Only, When
from kernel.errors import BadInput

_WRITTEN: Final = re.compile(r"(?P<word>next|every|first|call|nth)(?:\s+call)?s?(?:\s+(?P<number>[1-9][0-9]{0,6}))?")
WORDS: Final = "next, every, first 3 or call 3"


def when(text: str, chance: str = "100", seed: str = "0") -> When:
    """Which calls, with what chance in per cent, drawn from which seed; raises BadInput that names the wrong one."""
    found = _WRITTEN.fullmatch(text.strip().lower())
    if found is None:
        raise BadInput(f"{text.strip()!r} is no calls", fix=f"write {WORDS}")
    word, number = found["word"], int(found["number"] or 1)
    only = {"next": Only.FIRST, "every": Only.EVERY, "first": Only.FIRST, "call": Only.NTH, "nth": Only.NTH}[word]
    if word in ("next", "every") and found["number"] is not None:
        raise BadInput(f"{word} has no number", fix=f"write {WORDS}")
    return When(only, number, _chance(chance), _seed(seed))


def written(when: When) -> str:
    """The same calls, as one would write them."""
    match when.only:
        case Only.EVERY:
            return "every"
        case Only.NTH:
            return f"call {when.number}"
        case Only.FIRST:
            return "next" if when.number == 1 else f"first {when.number}"


def _chance(text: str) -> float:
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        raise BadInput(f"{text.strip()!r} is no chance", fix="a number of per cent, such as 30") from None
    if not 0 < percent <= 100:
        raise BadInput(f"a chance of {percent:g} %", fix="more than 0 %, at most 100 %")
    return percent / 100


def _seed(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise BadInput(f"{text.strip()!r} is no seed", fix="a whole number") from None
