"""JSON paths of the language: `$.messages[*].content`, `$..text`, `$.model.name=gpt-x`. Pure.

A path names places in a payload; a change happens at a place, below it, or above it. List items are followed by
identity, as the diff follows them: an item that only moved up because another one came in front has not changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from debugger.diff import Added, Change, Diff, Moved, Path, Removed, Replaced
from debugger.filters.globs import glob
from debugger.filters.problems import Unfit
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Key:
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    number: int


@dataclass(frozen=True, slots=True)
class Any_:
    """Every key and every item."""


@dataclass(frozen=True, slots=True)
class Deep:
    """This key at any depth from here on."""

    name: str


Part: TypeAlias = Key | Item | Any_ | Deep
ANY: Final = Any_()


@dataclass(frozen=True, slots=True)
class Wanted:
    """The value that a change has to lead to."""

    value: JSON
    text: str = ""
    """As it was written without quotes: a string may be meant, with `*` for any text. Empty where quotes were."""

    def is_it(self, actual: JSON) -> bool:
        if _is_same(self.value, actual):
            return True
        return bool(self.text) and isinstance(actual, str) and glob(self.text).fits(actual)


@dataclass(frozen=True, slots=True)
class PathPattern:
    """Which places are meant, and what has to stand there after the change."""

    parts: tuple[Part, ...]
    wanted: Wanted | None = None

    @property
    def prefix(self) -> tuple[str, ...]:
        """The keys with which every place that is meant begins."""
        keys: list[str] = []
        for part in self.parts:
            if not isinstance(part, Key):
                break
            keys.append(part.name)
        return tuple(keys)


_PART = re.compile(
    r"""\.\.(?P<deep>[^.\[\]='"*\s]+)
    | \.(?P<any>\*) | \.(?P<key>[^.\[\]='"*\s]+)
    | \[(?:(?P<item>[0-9]{1,9}) | (?P<anys>\*) | '(?P<single>[^']*)' | (?P<double>"(?:[^"\\]|\\.)*"))\]""",
    re.VERBOSE,
)


def path_pattern(text: str) -> PathPattern:
    """A path as written; the `$.` in front may be left out. Raises Unfit."""
    rest = text if text.startswith("$") else f"${'' if text.startswith(('[', '.')) else '.'}{text}"
    at, parts = 1, list[Part]()
    while at < len(rest) and rest[at] != "=":
        found = _PART.match(rest, at)
        if found is None:
            raise Unfit(
                f"{text!r} is no path from {rest[at:]!r} on",
                "paths look like $.messages[*].content, $.tags['a b'] or $..text",
                may_grow=rest[at] in ".[",
            )
        parts.append(_part(found))
        at = found.end()
    if at == len(rest):
        return PathPattern(tuple(parts))
    written = rest[at + 1 :]
    if not written:
        raise Unfit(f"{text!r} says no value", 'write one behind the =, "" for the empty text', may_grow=True)
    return PathPattern(tuple(parts), _wanted(written))


def _part(found: re.Match[str]) -> Part:
    groups = found.groupdict()
    if groups["any"] or groups["anys"]:
        return ANY
    if groups["deep"] is not None:
        return Deep(groups["deep"])
    if groups["item"] is not None:
        return Item(int(groups["item"]))
    if groups["double"] is not None:
        try:
            return Key(str(json.loads(groups["double"])))
        except ValueError:
            raise Unfit(f"{groups['double']} is no key in quotes", "escape as in JSON") from None
    return Key(groups["key"] if groups["key"] is not None else groups["single"])


def _wanted(written: str) -> Wanted:
    try:
        value: JSON = json.loads(written)
    except (ValueError, RecursionError):
        return Wanted(written, written)
    return Wanted(value, "" if isinstance(value, str) else written)


def is_changed(pattern: PathPattern, diff: Diff, after: JSON, *, is_exact: bool) -> bool:
    """Whether a change happened to a place that is meant: at it, and if not `is_exact`, below or around it."""
    return any(_is_meant(pattern, change, after, is_exact) for change in diff.changes)


def _is_meant(pattern: PathPattern, change: Change, after: JSON, is_exact: bool) -> bool:
    match change:
        case Added(path, value):
            return _reached(pattern, path, after, is_exact) or (not is_exact and _within(pattern, path, value))
        case Removed(path, value):
            if pattern.wanted is not None:
                return not is_exact and _reached(pattern, path[:-1], after, is_exact)  # what is gone leads nowhere
            return _reached(pattern, path, after, is_exact) or (not is_exact and _within(pattern, path, value))
        case Replaced(path, before, now):
            if _reached(pattern, path, after, is_exact):
                return True
            if is_exact:
                return False
            return _within(pattern, path, now) or (pattern.wanted is None and _within(pattern, path, before))
        case Moved(source, target):
            return any(_reached(pattern, path, after, is_exact) for path in (target, source))
        case never:
            assert_never(never)


def _reached(pattern: PathPattern, path: Path, after: JSON, is_exact: bool) -> bool:
    """Whether a place that is meant is this one or, if not `is_exact`, around it; and holds now what is wanted."""
    ends = [depth for depth, states in enumerate(_states(pattern.parts, path)) if len(pattern.parts) in states]
    if is_exact:
        ends = [depth for depth in ends if depth == len(path)]
    wanted = pattern.wanted
    if wanted is None:
        return bool(ends)
    return any(wanted.is_it(value) for depth in ends for value in _at(after, path[:depth]))


def _within(pattern: PathPattern, path: Path, value: JSON) -> bool:
    """Whether a value at `path` holds a place that is meant, with what is wanted there."""
    *_, states = _states(pattern.parts, path)
    wanted = pattern.wanted
    return any(
        wanted is None or wanted.is_it(found)
        for state in states
        if state < len(pattern.parts)
        for found in selected(pattern.parts[state:], value)
    )


def _states(parts: tuple[Part, ...], path: Path) -> Iterator[set[int]]:
    """How many parts can be used up after each step of the path, from none taken to all."""
    states = {0}
    yield states
    for step in path:
        onward: set[int] = set()
        for state in states:
            if state == len(parts):
                continue
            part = parts[state]
            if isinstance(part, Deep):
                onward.add(state)
            if _fits(part, step):
                onward.add(state + 1)
        states = onward
        yield states


def _fits(part: Part, step: str | int) -> bool:
    match part:
        case Key(name) | Deep(name):
            return step == name
        case Item(number):
            return step == number
        case Any_():
            return True
        case never:
            assert_never(never)


def selected(parts: tuple[Part, ...], value: JSON) -> Iterator[JSON]:
    """Everything in a value that a path names, without recursion: payloads can be deep."""
    todo: list[tuple[int, JSON]] = [(0, value)]
    while todo:
        state, here = todo.pop()
        if state == len(parts):
            yield here
            continue
        part = parts[state]
        steps: Iterator[tuple[str | int, JSON]]
        if isinstance(here, dict):
            steps = iter(here.items())
        elif isinstance(here, list):
            steps = enumerate(here)
        else:
            continue
        for step, inner in steps:
            if _fits(part, step):
                todo.append((state + 1, inner))
            if isinstance(part, Deep):
                todo.append((state, inner))


def places(parts: tuple[Part, ...], value: JSON) -> Iterator[tuple[Path, JSON]]:
    """Every place in a value that a path names, in the order of the value, with what stands there."""
    todo: list[tuple[Path, JSON]] = [((), value)]
    while todo:
        path, here = todo.pop()
        *_, states = _states(parts, path)
        if len(parts) in states:
            yield path, here
        if any(state < len(parts) for state in states):
            inner = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
            todo += reversed([((*path, step), value) for step, value in inner])


def _is_same(one: JSON, other: JSON) -> bool:
    """Whether two values say the same: 1 and 1.0 do, 1 and true do not."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
        case list(), list():
            return len(one) == len(other) and all(map(_is_same, one, other))
        case _:
            return isinstance(one, bool) is isinstance(other, bool) and one == other


def _at(value: JSON, path: Path) -> Iterator[JSON]:
    """The value at a place, if there is one."""
    for step in path:
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if step < len(value):
                value = value[step]
            case _:
                return
    yield value


def restricted(value: JSON, keys: tuple[str, ...]) -> JSON:
    """The value less what a path that begins with these keys cannot name, in the same places."""
    if not keys or not isinstance(value, dict):
        return value
    key = keys[0]
    return {key: restricted(value[key], keys[1:])} if key in value else {}
