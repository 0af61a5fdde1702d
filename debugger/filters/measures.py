"""Numbers, durations and shares: what they may be compared with, ranges included."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor
from types import MappingProxyType
from typing import Final

from debugger.filters.kinds import EQUAL, MEASURING, Kind, Test, is_any
from debugger.filters.problems import Unfit
from debugger.filters.sight import Sight
from debugger.filters.syntax import Op, Value


@dataclass(frozen=True, slots=True)
class Measure(Kind):
    """A number with a unit. What is read is a whole number of the smallest unit.

    `:` takes the digits that are written for what is known: `3ms` is from 3 ms up to, not including, 4 ms.
    """

    about: str
    units: MappingProxyType[str, Decimal]
    """Each unit in the smallest one; the empty unit where none has to be written."""
    example: str
    usual: tuple[str, ...] = ()
    """Comparisons worth offering."""
    ops = (*EQUAL, *MEASURING)

    @property
    def offered(self) -> tuple[str, ...]:
        return self.usual

    def test(self, op: Op, value: Value, sight: Sight) -> Test:
        low, high = self._bounds(op, value)
        if low is None:
            return lambda number: number <= high
        if high is None:
            return lambda number: number >= low
        return lambda number: low <= number <= high

    def check(self, op: Op, values: Sequence[Value]) -> None:
        Kind.check(self, op, values)
        for value in values:
            if not is_any(value):
                self._bounds(op, value)

    def _bounds(self, op: Op, value: Value) -> tuple[int | None, int | None]:
        """The least and the greatest number that fit, both included; None = no bound."""
        if _RANGE in value.text:
            if op in MEASURING:
                raise Unfit(f"more or less than a range, {value.text}", "write one bound")
            return self._range(value.text)
        least, digit = self._number(value.text)
        match op:
            case Op.MORE:
                return floor(least) + 1, None
            case Op.AT_LEAST:
                return ceil(least), None
            case Op.LESS:
                return None, ceil(least) - 1
            case Op.AT_MOST:
                return None, floor(least)
            case Op.IS:
                return ceil(least), floor(least)
            case _:
                return ceil(least), max(ceil(least + digit) - 1, floor(least))

    def _range(self, text: str) -> tuple[int | None, int | None]:
        first, _, last = text.partition(_RANGE)
        if not first and not last:
            raise Unfit("a range without bounds", f"write one, such as {self.example}..", may_grow=True)
        if first and last and not self._unit_of(first):
            first += self._unit_of(last)  # `100..200ms`
        low = ceil(self._number(first)[0]) if first else None
        high = floor(self._number(last)[0]) if last else None
        if low is not None and high is not None and low > high:
            raise Unfit(f"nothing lies in {text}", "write the smaller bound first", may_grow=True)
        return low, high

    def _unit_of(self, text: str) -> str:
        found = _NUMBER.fullmatch(text)
        return "" if found is None else found[2]

    def _number(self, text: str) -> tuple[Decimal, Decimal]:
        """A number as written, and what one in its last digit is, both in the smallest unit."""
        found = _NUMBER.fullmatch(text)
        if found is None:
            raise Unfit(f"{text!r} is no {self.about}", f"write one like {self.example}", may_grow=text in ("", "."))
        unit = found[2].lower() if found[2] not in self.units else found[2]
        if unit not in self.units:
            units = ", ".join(each for each in self.units if each)
            message = f"{text!r} has no unit" if not unit else f"no unit {found[2]!r}"
            grows = any(each.startswith(unit) for each in self.units)
            raise Unfit(message, f"units are {units}" if units else f"write one like {self.example}", may_grow=grows)
        size = self.units[unit]
        decimals = len(found[1].partition(".")[2])
        return Decimal(found[1]) * size, size.scaleb(-decimals)


_RANGE: Final = ".."
_NUMBER: Final = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([^0-9.\s]*)")


_DURATIONS: Final = MappingProxyType(
    {
        "ns": Decimal(1),
        "us": Decimal(1_000),
        "µs": Decimal(1_000),
        "ms": Decimal(1_000_000),
        "s": Decimal(1_000_000_000),
        "m": Decimal(60_000_000_000),
        "h": Decimal(3_600_000_000_000),
    }
)
NUMBER: Final = Measure("number", MappingProxyType({"": Decimal(1)}), "14", usual=("1..10", ">100"))
DURATION: Final = Measure("duration", _DURATIONS, "200ms", usual=(">100ms", ">1s", "10ms..100ms"))
SHARE_SCALE: Final = 1_000_000
"""Shares are read in millionths of one per cent."""
SHARE: Final = Measure(
    "share",
    MappingProxyType({"": Decimal(SHARE_SCALE), "%": Decimal(SHARE_SCALE)}),
    "80%",
    usual=(">80%", ">=100%", "50%..80%"),
)
