"""A JSON value as lines: the payload viewer, and the material that diffs are drawn with.

JSON in manner, not to the letter: no commas, and text of several lines is shown as several lines. What is to be
copied as JSON is encoded from the value, not read from the screen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from debugger.diff import Path
from debugger.views.text import Emphasis, Kind, Line, Segment, visible
from kernel.values import JSON

LONG = 2_000
"""Characters of one line of text that are shown; what is longer is cut and says so."""
_DEEPEST_INDENT = 30
"""Levels that are shown by indentation; below, the level is told as a number."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a value, before it has a number."""

    path: Path
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a value is drawn."""

    path: Path = ()
    depth: int = 0
    key: str | None = None
    """The object key in front of it; None for list items and for the whole payload."""

    def inner(self, step: str | int) -> Spot:
        """The spot of a value inside this one."""
        return Spot((*self.path, step), self.depth + 1, step if isinstance(step, str) else None)

    @property
    def head(self) -> tuple[Segment, ...]:
        """What stands on the line before the value begins."""
        space = indent(self.depth)
        if self.key is None:
            return space
        return (*space, Segment(f'"{visible(self.key[:LONG])}"', Emphasis.KEY), Segment(": "))


def indent(depth: int) -> tuple[Segment, ...]:
    """The beginning of a line."""
    if not depth:
        return ()
    if depth <= _DEEPEST_INDENT:
        return (Segment("  " * depth),)
    return (Segment("  " * _DEEPEST_INDENT), Segment(f"({depth}) ", Emphasis.DIM))


def json_lines(
    value: JSON, *, fold_over: int | None = None, unfolded: Collection[Path] = frozenset()
) -> tuple[Line, ...]:
    """The value as numbered lines.

    With `fold_over`, what is inside and takes more lines than that is folded into one, unless its path is among
    the unfolded. Numbers count what is folded, so they do not change when it is opened.
    """
    lines: list[Line] = []
    number = 1
    todo: list[Row | _Place] = [_Place(Spot(), value)]
    while todo:
        part = todo.pop()
        if isinstance(part, Row):
            lines.append(Line(Kind.SAME, number, number, part.segments, part.path))
            number += 1
        elif _is_folded(part, fold_over, unfolded):
            lines.append(Line(Kind.FOLD, number, number, (*part.spot.head, *_folded(part.value)), part.spot.path))
            number += count_rows(part.value)
        else:
            todo += reversed(_parts(part.spot, part.value))
    return tuple(lines)


def rows(value: JSON, spot: Spot, *, backwards: bool = False) -> Iterator[Row]:
    """The rows of a value, as they are asked for: from the first to the last, or the other way."""
    todo: list[Row | _Place] = [_Place(spot, value)]
    while todo:
        part = todo.pop()
        if isinstance(part, Row):
            yield part
        else:
            parts = _parts(part.spot, part.value)
            todo += parts if backwards else reversed(parts)


def count_rows(value: JSON, *, enough: int | None = None) -> int:
    """How many rows the value has; counting may stop once there are more than `enough`."""
    count = 0
    todo = [value]
    while todo and (enough is None or count <= enough):
        part = todo.pop()
        count += 1
        if isinstance(part, str):
            count += part.count("\n")
        elif isinstance(part, dict) and part:
            count += 1
            todo += part.values()
        elif isinstance(part, list) and part:
            count += 1
            todo += part
    return count


def scalar(value: JSON) -> Segment:
    """A value that fits on one line: anything but text and filled containers."""
    match value:
        case None:
            return Segment("null", Emphasis.CONSTANT)
        case bool():
            return Segment("true" if value else "false", Emphasis.CONSTANT)
        case int() if value.bit_length() > 10_000:  # Python refuses to print these in decimal
            return cut_text(hex(value), Emphasis.NUMBER)[0]
        case int() | float():
            return Segment(str(value), Emphasis.NUMBER)
        case dict():
            return Segment("{}")
        case list():
            return Segment("[]")
        case str():
            return Segment(f'"{visible(value[:LONG])}"', Emphasis.STRING)


def cut_text(text: str, emphasis: Emphasis) -> tuple[Segment, ...]:
    """Text of one line, made visible and kept to a length that can be drawn."""
    if len(text) <= LONG:
        return (Segment(visible(text), emphasis),)
    return (
        Segment(visible(text[:LONG]), emphasis),
        Segment(f"… {len(text) - LONG:,} more characters", Emphasis.DIM),
    )


LINE_END: Final = Segment("↵", Emphasis.DIM)
"""Shown where text goes on in the next line."""
QUOTE: Final = Segment('"', Emphasis.STRING)
ARROW: Final = Segment(" → ", Emphasis.DIM)


def preview(value: JSON, limit: int = 60) -> tuple[Segment, ...]:
    """The value on one line of about `limit` characters."""
    segments: list[Segment] = []
    left = limit
    todo: list[Segment | JSON] = [value]
    while todo:
        part = todo.pop()
        if not isinstance(part, Segment):
            if isinstance(part, str):
                shown = part if len(part) <= left else part[: max(left - 1, 0)] + "…"
                part = Segment(f'"{visible(shown)}"', Emphasis.STRING)
            elif isinstance(part, dict | list) and part:
                todo += reversed(_inline_parts(part, left))
                continue
            else:
                part = scalar(part)
        if left <= 0 and todo:
            segments.append(Segment("…", Emphasis.DIM))
            break
        segments.append(part)
        left -= len(part.text)
    return tuple(segments)


def _inline_parts(value: dict[str, JSON] | list[JSON], limit: int) -> list[Segment | JSON]:
    """Brackets, keys, commas and what is still to be drawn; no more of them than could be shown."""
    parts: list[Segment | JSON] = []
    is_object = isinstance(value, dict)
    if isinstance(value, dict):
        for key, _ in zip(value, range(limit + 1), strict=False):
            parts += [Segment(", "), Segment(f'"{visible(key[:limit])}"', Emphasis.KEY), Segment(": "), value[key]]
    else:
        for item in value[: limit + 1]:
            parts += [Segment(", "), item]
    opening, closing = ("{", "}") if is_object else ("[", "]")
    return [Segment(opening), *parts[1:], Segment(closing)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A value that is still to be drawn."""

    spot: Spot
    value: JSON


def _parts(spot: Spot, value: JSON) -> list[Row | _Place]:
    """A value one level down: its rows, with what is inside still to be drawn."""
    if isinstance(value, str):
        return [*text_rows(spot, value)]
    if isinstance(value, dict) and value:
        inside = [_Place(spot.inner(key), item) for key, item in value.items()]
        return [opening_row(spot, value), *inside, closing_row(spot, value)]
    if isinstance(value, list) and value:
        inside = [_Place(spot.inner(position), item) for position, item in enumerate(value)]
        return [opening_row(spot, value), *inside, closing_row(spot, value)]
    return [Row(spot.path, (*spot.head, scalar(value)))]


def opening_row(spot: Spot, value: dict[str, JSON] | list[JSON]) -> Row:
    """The row on which a filled container begins."""
    return Row(spot.path, (*spot.head, Segment("{" if isinstance(value, dict) else "[")))


def closing_row(spot: Spot, value: dict[str, JSON] | list[JSON]) -> Row:
    """The row on which it ends."""
    return Row(spot.path, (*indent(spot.depth), Segment("}" if isinstance(value, dict) else "]")))


def text_rows(spot: Spot, text: str) -> list[Row]:
    """Text in quotes, a row for each of its lines."""
    lines = text.split("\n")
    last = len(lines) - 1
    return [
        Row(
            spot.path,
            (
                *((*spot.head, QUOTE) if number == 0 else indent(spot.depth + 1)),
                *(cut_text(line, Emphasis.STRING) if line else ()),
                QUOTE if number == last else LINE_END,
            ),
        )
        for number, line in enumerate(lines)
    ]


def _is_folded(place: _Place, fold_over: int | None, unfolded: Collection[Path]) -> bool:
    if fold_over is None or not place.spot.path or place.spot.path in unfolded:
        return False
    return count_rows(place.value, enough=fold_over) > fold_over


def _folded(value: JSON) -> tuple[Segment, ...]:
    """What is shown in place of a folded value: what it is and how much."""
    match value:
        case dict():
            return Segment("{"), Segment(f"… {plural(len(value), 'key')}", Emphasis.DIM), Segment("}")
        case list():
            return Segment("["), Segment(f"… {plural(len(value), 'item')}", Emphasis.DIM), Segment("]")
        case str():
            first, more = value.split("\n", 1)[0], value.count("\n")
            more_lines = Segment(f"… {plural(more, 'more line')}", Emphasis.DIM)
            return QUOTE, *cut_text(first, Emphasis.STRING), LINE_END, more_lines, QUOTE
        case _:
            return (scalar(value),)


def plural(count: int, word: str) -> str:
    """`1 line`, `12 lines`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"
