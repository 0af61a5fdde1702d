"""Two payloads in, a diff out. Strict about types, blind to the order of keys, safe against depth.

Walks with a list of its own instead of recursion, and never compares containers with `==`: Python takes 1, 1.0
and true for the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

import msgspec

from debugger.diff.changes import Added, Change, Diff, Moved, Path, Removed, Replaced
from debugger.diff.match import Effort, match_items
from debugger.diff.words import namesakes
from kernel.values import JSON

_DEEPEST = 2_000
"""Levels below which a difference is told as a whole: paths get as long as the nesting is deep."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values in the same place, still to be compared."""

    path_before: Path
    path: Path
    before: JSON
    after: JSON


_Found = list[Change | _Pair]


def diff(before: JSON, after: JSON) -> Diff:
    """Everything that differs: 1 and 1.0 do, null and absent do, keys in another order do not."""
    effort = Effort()
    changes: list[Change] = []
    todo: _Found = [_Pair((), (), before, after)]
    while todo:
        task = todo.pop()
        if isinstance(task, _Pair):
            todo += reversed(_compared(task, effort))
        else:
            changes.append(task)
    return Diff(tuple(changes))


def only_key_order_differs(before: JSON, after: JSON) -> bool:
    """Whether two payloads are equal and yet not written alike: somebody sorted the keys."""
    return not diff(before, after) and msgspec.json.encode(before) != msgspec.json.encode(after)


def without(value: JSON, patterns: Iterable[Path]) -> JSON:
    """The payload less what the paths name, for a diff that is to ignore it; `"*"` stands for any key or item.

    Items taken out of a list leave null behind, so that the others keep their positions.
    """
    for pattern in patterns:
        if pattern:
            value = _without(value, pattern)
    return value


def _without(value: JSON, pattern: Path) -> JSON:
    here, rest = pattern[0], pattern[1:]
    if isinstance(value, dict):
        inner = ((key, item, here in ("*", key)) for key, item in value.items())
        return {
            key: _without(item, rest) if is_named else item for key, item, is_named in inner if rest or not is_named
        }
    if isinstance(value, list):
        return [
            (_without(item, rest) if rest else None) if here == "*" or (here == at and type(here) is int) else item
            for at, item in enumerate(value)
        ]
    return value


def _compared(pair: _Pair, effort: Effort) -> _Found:
    """What the two values differ in, one level down."""
    before, after = pair.before, pair.after
    if before is after:
        return []
    is_known_deep = len(pair.path) >= _DEEPEST
    if isinstance(before, dict) and isinstance(after, dict) and not is_known_deep:
        return _compared_objects(pair, before, after, effort)
    if isinstance(before, list) and isinstance(after, list) and not is_known_deep:
        return _compared_lists(pair, before, after, effort)
    return [] if _is_same(before, after) else [Replaced(pair.path, before, after, pair.path_before)]


def _compared_objects(pair: _Pair, before: dict[str, JSON], after: dict[str, JSON], effort: Effort) -> _Found:
    found: _Found = []
    can_skip = len(after) > 1  # a single value is about to be looked into anyway
    alike = namesakes(before, after) if before.keys() != after.keys() else ()
    for key in merged_keys(before, after):
        if key not in after:
            found.append(Removed((*pair.path_before, key), before[key], key in alike))
            continue
        new = after[key]
        if key not in before:
            found.append(Added((*pair.path, key), new, key in alike))
            continue
        old = before[key]
        kind = type(old)
        if kind is type(new):
            if kind is dict:
                if can_skip and effort.is_known_same(old, new):
                    continue
            elif kind is not list and _is_same(old, new):
                continue
        found.append(_Pair((*pair.path_before, key), (*pair.path, key), old, new))
    return found


def _compared_lists(pair: _Pair, before: list[JSON], after: list[JSON], effort: Effort) -> _Found:
    found: _Found = []
    for slot in match_items(before, after, effort):
        if slot.after is None:
            assert slot.before is not None, "a slot is on one side at least"
            found.append(Removed((*pair.path_before, slot.before), before[slot.before]))
            continue
        if slot.before is None:
            found.append(Added((*pair.path, slot.after), after[slot.after]))
            continue
        old, new = (*pair.path_before, slot.before), (*pair.path, slot.after)
        if slot.is_moved:
            found.append(Moved(old, new, after[slot.after]))
        if not slot.is_same:
            found.append(_Pair(old, new, before[slot.before], after[slot.after]))
    return found


def merged_keys(before: dict[str, JSON], after: dict[str, JSON]) -> list[str]:
    """The keys of both: in the order after, each removed key where it used to stand."""
    if before.keys() <= after.keys():
        return list(after)
    followers: dict[str | None, list[str]] = {}
    anchor: str | None = None
    for key in before:
        if key in after:
            anchor = key
        else:
            followers.setdefault(anchor, []).append(key)
    return list(chain(followers.get(None, ()), *((key, *followers.get(key, ())) for key in after)))


def _is_same(before: JSON, after: JSON) -> bool:
    """Strict equality of two values, at least one of which is no container or lies too deep to look into."""
    if type(before) is not type(after):
        return False
    if isinstance(before, float):
        return repr(before) == repr(after)  # tells 0.0 from -0.0 and takes NaN for itself
    if isinstance(before, dict | list):
        effort = Effort()
        return effort.encoded(before) == effort.encoded(after)
    return before == after
