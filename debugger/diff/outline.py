"""A diff, indexed by place: for whoever walks a payload and asks at each point what became of it."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import assert_never

from debugger.diff.changes import Added, Diff, Moved, Path, Removed, Replaced


@dataclass(frozen=True, slots=True)
class Outline:
    """What happened where. Paths before and after are told apart by the name of each field. Not to be changed."""

    replaced: dict[Path, Replaced]
    """By the path after."""
    added: frozenset[Path]
    """Paths after."""
    removed: frozenset[Path]
    """Paths before."""
    moved_from: dict[Path, Moved]
    """By the path before."""
    moved_to: dict[Path, Moved]
    """By the path after."""
    touched_before: frozenset[Path]
    """Every container, by its path before, in which something was removed or from which something moved."""
    touched_after: frozenset[Path]
    """Every container, by its path after, in which anything else happened."""
    gone: dict[Path, list[int]]
    """For each list by its path before: positions of items that did not keep their place, rising."""
    come: dict[Path, list[int]]
    """For each list by its path after: positions of items that are new in their place, rising."""

    def is_touched(self, path_before: Path, path: Path) -> bool:
        """Whether anything differs at this place or below it."""
        return path in self.touched_after or path_before in self.touched_before or path in self.replaced

    def origin(self, path: Path) -> Path | None:
        """Where the thing that is now at `path` was before; None if it, or something around it, was added.

        Inside a value that was replaced as a whole there is no origin either; the replaced value itself has one.
        """
        origin: Path = ()
        for depth, step in enumerate(path):
            here = path[: depth + 1]
            if here in self.added or path[:depth] in self.replaced:
                return None
            if here in self.moved_to:
                origin = self.moved_to[here].path_before
            elif isinstance(step, int):
                kept = step - bisect_left(self.come.get(path[:depth], []), step)
                origin = (*origin, _nth_kept(self.gone.get(origin, []), kept))
            else:
                origin = (*origin, step)
        return origin


def outline(diff: Diff) -> Outline:
    """The diff, indexed by place."""
    replaced: dict[Path, Replaced] = {}
    added: set[Path] = set()
    removed: set[Path] = set()
    moved: list[Moved] = []
    touched_before: set[Path] = set()
    touched_after: set[Path] = set()
    for change in diff.changes:
        match change:
            case Added(path):
                added.add(path)
                _touch(touched_after, path)
            case Removed(path):
                removed.add(path)
                _touch(touched_before, path)
            case Replaced(path):
                replaced[path] = change
                _touch(touched_after, path)
            case Moved(source, target):
                moved.append(change)
                _touch(touched_before, source)
                _touch(touched_after, target)
            case _:
                assert_never(change)
    moved_from, moved_to = {move.path_before: move for move in moved}, {move.path_after: move for move in moved}
    return Outline(
        replaced, frozenset(added), frozenset(removed), moved_from, moved_to,
        frozenset(touched_before), frozenset(touched_after),
        positions(removed | moved_from.keys()), positions(added | moved_to.keys()),
    )  # fmt: skip


def _touch(touched: set[Path], path: Path) -> None:
    for depth in range(len(path) - 1, -1, -1):
        above = path[:depth]
        if above in touched:
            return
        touched.add(above)


def positions(paths: Iterable[Path]) -> dict[Path, list[int]]:
    """Positions by list. A path that ends in a key is about an object, which has no order."""
    positions: defaultdict[Path, list[int]] = defaultdict(list)
    for path in paths:
        if path and isinstance(path[-1], int):
            positions[path[:-1]].append(path[-1])
    return {path: sorted(found) for path, found in positions.items()}


def _nth_kept(gone: list[int], number: int) -> int:
    """The position of the `number`-th item, from 0, of those that are not gone."""
    low, high = 0, len(gone)
    while low < high:  # gone[k] - k is how many kept items stand before the k-th that is gone
        middle = (low + high) // 2
        if gone[middle] - middle <= number:
            low = middle + 1
        else:
            high = middle
    return number + low
