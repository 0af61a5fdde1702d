"""What a host counts and times, as values: a dialect names them, telemetry keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

Attribute = str | int | float | bool
"""What an attribute of a span or of a measurement may be."""


class Instrument(StrEnum):
    """How measurements of one name add up."""

    COUNTER = "counter"
    """They only grow."""
    UP_DOWN = "up-down counter"
    """They go both ways, such as how many of something there are."""
    HISTOGRAM = "histogram"
    """They are kept by size."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A named series of measurements."""

    name: str
    instrument: Instrument
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Measure:
    """One measurement."""

    metric: Metric
    value: int | float
    attributes: Mapping[str, Attribute]
