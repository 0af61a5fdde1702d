"""Who wrote what: for each place of a payload, whoever last put something there, and what stood there before. Pure."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from debugger.diff import Outline, Path, diff, outline
from debugger.trace import DispatchTrace
from kernel.facts import Changed
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Writer:
    """Whoever put something where it is."""

    by: str
    """Name of a subscriber, or who edited; empty for whoever fired the payload."""
    step: int | None = None
    rule: str = ""


FIRED = Writer("")
"""It was there when the dispatch began."""


@dataclass(frozen=True, slots=True)
class Written:
    """One state of a place, from its writer on."""

    writer: Writer
    path: Path
    """Where it stood then."""
    value: JSON


class Blame:
    """The payload of a dispatch as it stands, and how every part of it came to be."""

    def __init__(self, trace: DispatchTrace) -> None:
        self.value = trace.payload.view
        self._fired = trace.opened.payload.view
        self._changes = tuple(_Change(change) for change in trace.changes)

    def writer(self, path: Path) -> Writer:
        """Who last wrote what stands at a path; for an object or list, who last wrote anything inside of it."""
        return next(self._backwards(path)).writer

    def history(self, path: Path) -> tuple[Written, ...]:
        """Every state of what now stands at a path, the oldest first."""
        return tuple(reversed(tuple(self._backwards(path))))

    def _backwards(self, path: Path) -> Iterator[Written]:
        for change in reversed(self._changes):
            origin = change.outline.origin(path)
            if origin is None:
                yield Written(change.writer, path, at(change.after, path))
                return  # it did not exist before
            if change.outline.is_touched(origin, path) or path in change.outline.moved_to:
                yield Written(change.writer, path, at(change.after, path))
            path = origin
        yield Written(FIRED, path, at(self._fired, path))


class _Change:
    """One change of the payload, compared when first asked for."""

    def __init__(self, change: Changed) -> None:
        self.writer = Writer(change.by, change.step, change.rule)
        self.after = change.after.view
        self._before = change.before.view
        self._outline: Outline | None = None

    @property
    def outline(self) -> Outline:
        if self._outline is None:
            self._outline = outline(diff(self._before, self.after))
        return self._outline


def at(value: JSON, path: Path) -> JSON:
    """What stands at a path; raises KeyError where there is nothing."""
    for step in path:
        match value, step:
            case dict(), str() if step in value:
                value = value[step]
            case list(), int() if 0 <= step < len(value):
                value = value[step]
            case _:
                raise KeyError(path)
    return value


@dataclass(frozen=True, slots=True)
class Touch:
    """Somebody wrote to a place in one of many dispatches."""

    dispatch: str
    number: int
    """The dispatch as people count it."""
    point: str
    writer: Writer


class Outlines:
    """What changed from one payload to another, for those that were compared last: sessions repeat themselves."""

    def __init__(self, most: int = 5000) -> None:
        self._most = most
        self._known: OrderedDict[tuple[str, str], Outline] = OrderedDict()

    def of(self, change: Changed) -> Outline:
        """The outline of a change."""
        key = change.before.digest, change.after.digest
        if key not in self._known:
            self._known[key] = outline(diff(change.before.view, change.after.view))
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        return self._known[key]


def touches(traces: Iterable[DispatchTrace], path: Path, outlines: Outlines | None = None) -> Iterator[Touch]:
    """Who wrote to a place or anything below it, dispatch after dispatch, in order.

    The path is that of the payload that each dispatch ends with: what stands there is followed to wherever it stood
    before, as `Blame.history` does. Where nothing stands there in the end, the place itself is looked at.

    Payloads are compared as a whole only where a look at the place itself does not tell.
    """
    looking = _Looking(outlines or Outlines())
    for trace in traces:
        found = []
        here: Path | None = path
        for change in reversed(trace.changes):
            if here is None:
                break  # it did not exist before
            is_written, here = looking.before(change, here)
            if is_written:
                found.append(Touch(trace.id, trace.number, trace.point, Writer(change.by, change.step, change.rule)))
        yield from reversed(found)


class _Looking:
    """Looks at places before and after changes; what was seen is known again, since sessions repeat themselves."""

    def __init__(self, outlines: Outlines) -> None:
        self._outlines = outlines
        self._known: dict[tuple[str, str, Path], tuple[bool, Path | None]] = {}

    def before(self, change: Changed, path: Path) -> tuple[bool, Path | None]:
        """Whether a change wrote to what stands at a path after it, and where that stood before; None for nowhere."""
        key = (change.before.digest, change.after.digest, path)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._looked(change, path)
        return known

    def _looked(self, change: Changed, path: Path) -> tuple[bool, Path | None]:
        is_written = _at_a_look(change.before.view, change.after.view, path)
        if is_written is not None:
            return is_written, path
        changes = self._outlines.of(change)
        try:
            at(change.after.view, path)
        except KeyError:
            return _is_written(changes, path), path
        origin = changes.origin(path)
        if origin is None:
            return True, None
        return changes.is_touched(origin, path) or path in changes.moved_to, origin


_ENCODER: Final = msgspec.json.Encoder()


def _at_a_look(before: JSON, after: JSON, path: Path) -> bool | None:
    """Whether a place was written to, as far as objects on the way there tell; None where it takes a comparison."""
    for depth, step in enumerate(path):
        if not (isinstance(before, dict) and isinstance(after, dict) and step in before and step in after):
            return False if _is_same(before, after) else None
        before, after = before[step], after[step]
        if before is after:
            return False
        if depth + 1 == len(path):
            return not _is_same(before, after)
    return None if not _is_same(before, after) else False


def _is_same(before: JSON, after: JSON) -> bool:
    """Whether they are the same to the letter: 1 is not 1.0, and the order of members counts."""
    return before is after or (before == after and _ENCODER.encode(before) == _ENCODER.encode(after))


def _is_written(changes: Outline, path: Path) -> bool:
    """Whether anything differs at a path, below it, or all around it."""
    if path in changes.touched_after or path in changes.touched_before:
        return True
    for depth in range(len(path) + 1):
        here = path[:depth]
        if here in changes.added or here in changes.removed or here in changes.replaced:
            return True
        if here in changes.moved_to or here in changes.moved_from:
            return True
    return False
