"""How much a recording keeps. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from kernel.clock import NS_PER_MS
from kernel.errors import BadInput

_NS_PER_S: Final = 1000 * NS_PER_MS
_UNITS: Final = {
    "dispatches": {"": 1, "k": 1_000, "M": 1_000_000},
    "spans": {"": 1, "k": 1_000, "M": 1_000_000},
    "bytes": {"": 1, "kB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000},
    "time": {"s": _NS_PER_S, "m": 60 * _NS_PER_S, "h": 3600 * _NS_PER_S, "d": 86_400 * _NS_PER_S},
}
_FIELDS: Final = {"dispatches": "dispatches", "spans": "spans", "bytes": "bytes", "time": "time_ns"}
_LIMIT: Final = re.compile(r"(?P<what>[a-z]+)=(?P<number>[0-9]{1,15})(?P<unit>[A-Za-z]*)")
LEAST_BYTES: Final = 1_000_000
"""The tables alone take some hundred thousand."""


@dataclass(frozen=True, slots=True)
class Caps:
    """How much a recording keeps; 0 = everything. The oldest finished dispatches go first, each as a whole."""

    dispatches: int = 0
    spans: int = 0
    """Of the dispatches that are kept: one each, and one for each time that a subscriber was asked."""
    bytes: int = 0
    """Of the file."""
    time_ns: int = 0
    """Between the start of a dispatch that is kept and the start of the newest."""


def caps(limits: Iterable[str]) -> Caps:
    """What limits say, such as `dispatches=1000`, `spans=5M`, `bytes=500MB`, `time=2h`; raises BadInput."""
    found = Caps()
    for limit in limits:
        match = _LIMIT.fullmatch(limit)
        if match is None or match["what"] not in _UNITS:
            raise BadInput(f"{limit!r} is no limit", fix="write dispatches=1000, spans=5M, bytes=500MB, or time=2h")
        units = _UNITS[match["what"]]
        if match["unit"] not in units:
            known = ", ".join(unit for unit in units if unit)
            raise BadInput(f"{limit!r} has the unit {match['unit'] or 'of nothing'!r}", fix=f"write one of {known}")
        number = int(match["number"]) * units[match["unit"]]
        least = LEAST_BYTES if match["what"] == "bytes" else 1
        if number < least:
            raise BadInput(f"{limit!r} keeps nothing", fix=f"the least is {least}, and without a limit all is kept")
        found = replace(found, **{_FIELDS[match["what"]]: number})
    return found
