"""Places of payloads that diffs do not look at, as people write them: `$.turn_id`, or `plan-ready $.items[*].id`.

Only diffs and comparisons: what the chain does is as it is, and a replay is exact or is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from debugger.diff import Path, without
from debugger.filters.paths import Any_, Item, Key, path_pattern
from debugger.filters.problems import Unfit
from kernel.errors import BadInput
from kernel.values import JSON

_WRITTEN: Final = re.compile(r"(?:(?P<point>[^\s$]+)\s+)?(?P<path>\$.+)")


@dataclass(frozen=True, slots=True)
class Ignored:
    """A place that is not looked at."""

    text: str
    path: Path
    """With `*` for any key or item."""
    point: str = ""
    """Where alone it is not; empty for every point."""


def ignored(text: str) -> Ignored:
    """The place that is meant; raises BadInput."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise BadInput(f"{text!r} names no place", fix="such as $.turn_id, or pre-model-call $.messages[*].id")
    point, written = found["point"] or "", found["path"]
    try:
        pattern = path_pattern(written)
    except Unfit as error:
        raise BadInput(str(error)) from None
    steps: list[str | int] = []
    for part in pattern.parts:
        match part:
            case Key(name):
                steps.append(name)
            case Item(number):
                steps.append(number)
            case Any_():
                steps.append("*")
            case _:
                raise BadInput(f"{text!r} names places at any depth", fix="write the whole path")
    if pattern.wanted is not None:
        raise BadInput(f"{text!r} names a value", fix="a place alone")
    return Ignored(" ".join(filter(None, (point, written))), tuple(steps), point)


def seen(view: JSON, places: Iterable[Ignored]) -> JSON:
    """What is left of a payload to look at."""
    return without(view, [each.path for each in places])
