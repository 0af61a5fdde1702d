"""A diff as RFC 6902 JSON Patch: operations that, applied in order to the payload before, give the one after.

Operations see each other's work, so their order carries the proof: first everything is removed, from the end to
the beginning, with positions as they were; then lists are put in order, outer ones first; then everything is
added, from the beginning to the end, with positions as they will be; then values are replaced where they are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from debugger.diff.changes import Added, Diff, Moved, Path, Removed, Replaced, pointer
from debugger.diff.outline import positions
from kernel.values import JSON

Operation: TypeAlias = dict[str, JSON]
"""One operation of RFC 6902."""


def patch(diff: Diff) -> list[Operation]:
    """Operations that turn the payload before into the one after."""
    removed = sorted((change.path for change in diff.changes if isinstance(change, Removed)), reverse=True)
    added = sorted(((c.path, c.value) for c in diff.changes if isinstance(c, Added)), key=lambda entry: entry[0])
    replaced = [change for change in diff.changes if isinstance(change, Replaced)]
    operations: list[Operation] = [{"op": "remove", "path": pointer(path)} for path in removed]
    operations += _moves(diff)
    operations += [{"op": "add", "path": pointer(path), "value": value} for path, value in added]
    operations += [{"op": "replace", "path": pointer(change.path), "value": change.after} for change in replaced]
    return operations


def _moves(diff: Diff) -> Iterator[Operation]:
    """Operations that put lists in order, once everything removed is gone and before anything is added."""
    lists: defaultdict[tuple[Path, Path], list[Moved]] = defaultdict(list)
    for change in diff.changes:
        if isinstance(change, Moved):
            lists[change.path_before[:-1], change.path_after[:-1]].append(change)
    if not lists:
        return
    removed = positions(change.path for change in diff.changes if isinstance(change, Removed))
    added = positions(change.path for change in diff.changes if isinstance(change, Added))
    for (_, around), moves in sorted(lists.items(), key=lambda entry: len(entry[0][1])):
        at = tuple(_rank(added, around[: depth + 1]) for depth in range(len(around)))
        ranks = [(_rank(removed, move.path_before), _rank(added, move.path_after)) for move in moves]
        for source, target in _reordered(ranks):
            yield {"op": "move", "from": pointer((*at, source)), "path": pointer((*at, target))}


def _rank(others: Mapping[Path, list[int]], path: Path) -> str | int:
    """The last step of a path, with only those list items counted that are not among the others."""
    step = path[-1]
    return step if isinstance(step, str) else step - bisect_left(others.get(path[:-1], []), step)


def _reordered(ranks: list[tuple[str | int, str | int]]) -> Iterator[tuple[int, int]]:
    """Single moves, each as it stands at its turn, that take items from their first to their second rank.

    Items go in order of where they end, each right behind what comes before it in the end. Of a list on its way
    we know three groups: those that stay, those already put, and those still waiting. Where an item is follows
    from how many stay in front of it: between two that stay, the ones already put come before the waiting ones.
    """
    sources = sorted(source for source, _ in _whole(ranks))
    stay_before = {source: source - number for number, source in enumerate(sources)}
    waiting = [(stay_before[source], source) for source in sources]
    put: list[int] = []  # how many stay in front of each item already put, rising
    for source, target in sorted(_whole(ranks), key=lambda rank: rank[1]):
        staying = stay_before[source]
        place = bisect_left(waiting, (staying, source))
        here = staying + place + bisect_right(put, staying)
        del waiting[place]
        passed = target - len(put)
        there = target + bisect_left(waiting, (passed, -1))
        put.append(passed)
        if here != there:
            yield here, there


def _whole(ranks: list[tuple[str | int, str | int]]) -> list[tuple[int, int]]:
    """The same ranks, known to be numbers: only list items move."""
    return [(source, target) for source, target in ranks if isinstance(source, int) and isinstance(target, int)]
