"""Claims of each kind, and the misses that they leave. Pure; a claim that is absent is not judged."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from msgspec import UNSET, UnsetType

from debugger.diff import diff
from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.expected import Attributes, PayloadWord
from debugger.scenario.load import Loaded
from debugger.scenario.parts import Match, Matches, Range
from debugger.scenario.stubs import hexadecimal
from debugger.views import diff_lines
from kernel.clock import NS_PER_MS
from kernel.errors import BadInput
from kernel.values import JSON, Payload, Place

MOST_DIFFERENCES = 20
"""Lines of a difference that a person reads; the values are there as well."""


@dataclass(frozen=True, slots=True)
class Miss:
    """One expectation that does not hold."""

    path: Path
    """Of the key in its scenario."""
    place: Place
    expected: JSON
    """As it was written."""
    actual: JSON
    difference: tuple[str, ...] = ()
    """From the expected to the actual, where both are too large to compare by eye."""
    dispatch: int | None = None
    """Which of the dispatches of its scenario it is about, from 0; None where it is about none in particular."""


@dataclass(slots=True)
class Claims:
    """The claims of one mapping of a scenario. Paths are relative to it; whatever does not hold is in `misses`."""

    loaded: Loaded
    path: Path
    """Of the mapping."""
    dispatch: int | None = None
    misses: list[Miss] = field(default_factory=list)

    def inside(self, dispatch: int, *path: str | int) -> Claims:
        """The claims of a mapping in this one, about one dispatch; they share the list of misses."""
        return Claims(self.loaded, (*self.path, *path), dispatch, self.misses)

    def say(self, path: Path, actual: JSON, difference: tuple[str, ...] = ()) -> None:
        """The claim at this path does not hold."""
        path = (*self.path, *path)
        self.misses.append(miss(self.loaded, path, self.loaded.written(path), actual, difference, self.dispatch))

    def wrong(self, path: Path, problem: str | BadInput) -> BadInput:
        """An error about a claim that cannot be judged."""
        return self.loaded.wrong((*self.path, *path), problem)

    def equal(self, path: Path, expected: JSON | UnsetType, actual: JSON) -> None:
        if expected is not UNSET and expected != actual:
            self.say(path, actual)

    def within(self, path: Path, expected: str | UnsetType, actual: str) -> None:
        """The actual text contains the expected one."""
        if expected is not UNSET and expected not in actual:
            self.say(path, actual)

    def error(self, path: Path, expected: str | UnsetType, actual: str) -> None:
        """The same, except that an empty text says that there is none."""
        if expected is not UNSET and not is_error(expected, actual):
            self.say(path, actual)

    def matches(self, path: Path, expected: Matches | UnsetType, actual: JSON) -> None:
        if expected is UNSET:
            return
        if isinstance(expected, list):
            for place, match in enumerate(expected):
                self._match((*path, place), match, actual)
        else:
            self._match(path, expected, actual)

    def _match(self, path: Path, match: Match, whole: JSON) -> None:
        try:
            actual = matching.selected(match, whole)
        except BadInput as error:
            raise self.wrong((*path, "jmespath"), error) from None
        except matching.Unfit as unfit:
            self.say(path, f"no answer: {unfit}")
            return
        if not matching.holds(match, actual):
            self.say(path, actual, () if match.is_ is UNSET else difference(match.is_, actual))

    def payload(
        self, path: Path, expected: PayloadWord | Matches | UnsetType, payload: Payload | None, fired: Payload
    ) -> None:
        """`fired` is what an unchanged one would be."""
        view = None if payload is None else payload.view
        match expected:
            case PayloadWord.NONE:
                if payload is not None:
                    self.say(path, view)
            case PayloadWord.UNCHANGED:
                if payload is None or payload.digest != fired.digest:
                    self.say(path, view, () if payload is None else difference(fired.view, view))
            case Match() | list():
                self.matches(path, expected, view)

    def bytes(self, path: Path, expected: str | UnsetType, actual: bytes) -> None:
        """Bytes in hexadecimal."""
        if expected is UNSET:
            return
        try:
            body = hexadecimal(expected)
        except BadInput as error:
            raise self.wrong(path, error) from None
        if body != actual:
            self.say(path, actual.hex(" "))

    def time(self, path: Path, expected: float | Range | UnsetType, took_ns: int) -> None:
        if not is_time(expected, took_ns):
            self.say(path, took_ns / NS_PER_MS)

    def attributes(
        self, path: Path, expected: Attributes | UnsetType, every: Attributes | UnsetType, actual: dict[str, JSON]
    ) -> None:
        if expected is not UNSET and not has(expected, actual):
            self.say((*path, "attributes"), actual)
        if every is not UNSET and every != actual:
            self.say((*path, "all_attributes"), actual)


def miss(
    loaded: Loaded,
    path: Path,
    expected: JSON,
    actual: JSON,
    difference: tuple[str, ...] = (),
    dispatch: int | None = None,
) -> Miss:
    """A miss with the place of its key."""
    return Miss(path, loaded.node.place_of(path), expected, actual, difference, dispatch)


def is_error(expected: str, actual: str) -> bool:
    """Whether an error contains a text; an empty text says that there is none."""
    return expected in actual if expected else not actual


def is_time(expected: float | Range | UnsetType, took_ns: int) -> bool:
    """Whether something took as long as is said; a number is exact."""
    took_ms = took_ns / NS_PER_MS
    match expected:
        case Range():
            return expected.at_least <= took_ms and (expected.at_most is UNSET or took_ms <= expected.at_most)
        case int() | float():
            return math.isclose(expected, took_ms, abs_tol=1e-6)
        case _:
            return True


def has(expected: Attributes, actual: dict[str, JSON]) -> bool:
    """Whether attributes are there with these values, and not there where null is said."""
    return all(
        key not in actual if value is None else key in actual and matching.is_equal(value, actual[key])
        for key, value in expected.items()
    )


def difference(expected: JSON, actual: JSON) -> tuple[str, ...]:
    """A diff from the expected value to the actual one, where both have parts."""
    if not (isinstance(expected, dict | list) and isinstance(actual, dict | list)):
        return ()
    lines = diff_lines.unified(expected, actual, diff(expected, actual), context=1)
    shown = tuple(f"{line.mark} {line.text}".rstrip() for line in lines[:MOST_DIFFERENCES])
    return shown if len(lines) <= MOST_DIFFERENCES else (*shown, f"... and {len(lines) - MOST_DIFFERENCES} lines more")
