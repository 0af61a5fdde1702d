"""Which item of one list is which item of the other, so that an insert is one change and an edit is an edit.

In this order: equal ends, identity (an id or a name that only one item has), equality, likeness. Types are strict
throughout: items are compared by an encoding that tells 1 from 1.0 and from true, whatever the order of keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import msgspec

from debugger.diff.align import Pairs, align, by_turn
from kernel.values import JSON

_IDENTITY_KEYS = (
    "id", "ID", "call_id", "tool_call_id", "plan_item_id", "tool_use_id", "ToolUseID", "name", "Name",
)  # fmt: skip
_ROLE_KEYS = ("role", "Role", "type", "kind")
_ALIKE = 0.5
"""From which likeness on two items are taken for one that was edited."""
_TWINS = 0.8
"""The same for two items that carry different identities: everything else has to be nearly equal."""
_CROSS_UP_TO = 1_600
"""Pairs of leftovers between two kept items that are weighed against each other; more are paired by position."""
_MARKS = 400
"""Words and values of an item that its likeness looks at, and half the places it looks into for them."""
_TEXT_MARKS = 2_000
"""Characters of one string that its likeness looks at."""

_encode = msgspec.msgpack.Encoder(order="sorted").encode  # unlike JSON it tells NaN from null


class Effort:
    """What one diff may still spend on short cuts. When it is used up the diff gets plainer, not slower."""

    def __init__(self) -> None:
        self.bytes_left = 64_000_000
        self.scores_left = 100_000

    def encoded(self, value: JSON) -> bytes:
        """A form that is equal for equal values only: strict types, keys in any order."""
        try:
            form = _encode(value)
        except (RecursionError, OverflowError, UnicodeEncodeError):
            form = _encoded_slowly(value)
            self.bytes_left -= 50 * len(form)
        self.bytes_left -= len(form)
        return form

    def is_spent(self) -> bool:
        """Whether to do without short cuts from now on."""
        return self.bytes_left <= 0

    def is_known_same(self, before: JSON, after: JSON) -> bool:
        """Whether the two are equal; False also when finding out has become too dear."""
        return not self.is_spent() and self.encoded(before) == self.encoded(after)

    def may_cross(self, ours: int, theirs: int) -> bool:
        """Whether every one of ours may be weighed against every one of theirs."""
        self.scores_left -= ours * theirs if ours * theirs <= _CROSS_UP_TO else 0
        return ours * theirs <= _CROSS_UP_TO and self.scores_left >= 0


@dataclass(frozen=True, slots=True)
class Slot:
    """One place in two lists where something is to be told."""

    before: int | None
    """Position in the list before; None for an added item."""
    after: int | None
    """Position in the list after; None for a removed item."""
    is_moved: bool = False
    is_same: bool = False
    """Whether a moved item is otherwise known to be unchanged."""


def match_items(before: list[JSON], after: list[JSON], effort: Effort) -> list[Slot]:
    """Every place where the lists differ, in document order. Items that are in both, unchanged, have no slot."""
    if len(before) == len(after) == 1:  # nothing to choose: saves encoding lists in lists in lists
        is_one = _has_same_shape(before[0], after[0]) or _likeness(_look(before[0]), _look(after[0])) >= _ALIKE
        return [Slot(0, 0)] if is_one else [Slot(0, None), Slot(None, 0)]
    if effort.is_spent():
        by_position = [(at, at) for at in range(min(len(before), len(after)))]
        return _slots(len(before), len(after), by_position, [], set())
    forms_before = [effort.encoded(item) for item in before]
    forms_after = [effort.encoded(item) for item in after]
    head, end_before, end_after = _trimmed(forms_before, forms_after)
    old, new = before[head:end_before], after[head:end_after]
    old_forms, new_forms = forms_before[head:end_before], forms_after[head:end_after]
    old_labels, new_labels = _labels(old, old_forms, new, new_forms)
    kept = align(old_labels, new_labels)
    moved = _moved(old_labels, new_labels, kept)
    same = {(i, j) for i, j in (*kept, *moved) if old_forms[i] == new_forms[j]}
    paired = sorted([*kept, *_edited(old, new, kept, moved, effort)])
    slots = _slots(len(old), len(new), paired, moved, same)
    return [_shifted(slot, head) for slot in slots]


def _trimmed(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[int, int, int]:
    """How many items the beginnings share, and where the shared endings start."""
    head = 0
    end_before, end_after = len(before), len(after)
    while head < end_before and head < end_after and before[head] == after[head]:
        head += 1
    while head < end_before and head < end_after and before[end_before - 1] == after[end_after - 1]:
        end_before, end_after = end_before - 1, end_after - 1
    return head, end_before, end_after


def _labels(
    old: list[JSON], old_forms: list[bytes], new: list[JSON], new_forms: list[bytes]
) -> tuple[list[Hashable], list[Hashable]]:
    """What each item goes by: its identity where exactly one item on each side has it, else its whole form."""
    old_names, new_names = [_identity(item) for item in old], [_identity(item) for item in new]
    old_counts, new_counts = Counter(old_names), Counter(new_names)

    def labels(names: list[Hashable], forms: list[bytes]) -> list[Hashable]:
        return [
            name if name is not None and old_counts[name] == new_counts[name] == 1 else form
            for name, form in zip(names, forms, strict=True)
        ]

    return labels(old_names, old_forms), labels(new_names, new_forms)


def _identity(item: JSON) -> Hashable:
    """An id-like key of the item, or of the only thing in it: content blocks are often `{"tool_use": {...}}`."""
    if not isinstance(item, dict):
        return None
    for key in _IDENTITY_KEYS:
        value = item.get(key)
        if value and isinstance(value, str | int):
            return key, type(value), value
    if len(item) == 1:
        ((kind, inner),) = item.items()
        if isinstance(inner, dict):
            for key in _IDENTITY_KEYS:
                value = inner.get(key)
                if value and isinstance(value, str | int):
                    return kind, key, type(value), value
    return None


def _moved(old: list[Hashable], new: list[Hashable], kept: Pairs) -> Pairs:
    """Items that both lists have but that are out of order."""
    kept_old, kept_new = {i for i, _ in kept}, {j for _, j in kept}
    rest_old = [i for i in range(len(old)) if i not in kept_old]
    rest_new = [j for j in range(len(new)) if j not in kept_new]
    pairs = by_turn([old[i] for i in rest_old], [new[j] for j in rest_new])
    return [(rest_old[i], rest_new[j]) for i, j in pairs]


def _edited(old: list[JSON], new: list[JSON], kept: Pairs, moved: Pairs, effort: Effort) -> Pairs:
    """Leftovers between two kept items that look like one item before and after an edit."""
    moved_old, moved_new = {i for i, _ in moved}, {j for _, j in moved}
    pairs: Pairs = []
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *kept, (len(old), len(new))]):
        ours = [at for at in range(i + 1, next_i) if at not in moved_old]
        theirs = [at for at in range(j + 1, next_j) if at not in moved_new]
        if ours and theirs:
            found = _alike([old[at] for at in ours], [new[at] for at in theirs], effort)
            pairs += [(ours[left], theirs[right]) for left, right in found]
    return pairs


def _alike(ours: list[JSON], theirs: list[JSON], effort: Effort) -> Pairs:
    if not effort.may_cross(len(ours), len(theirs)):
        by_position = enumerate(zip(ours, theirs, strict=False))
        return [(at, at) for at, (left, right) in by_position if _has_same_shape(left, right)]
    our_looks, their_looks = [_look(item) for item in ours], [_look(item) for item in theirs]
    scores = [[_likeness(left, right) for right in their_looks] for left in our_looks]
    return _best_pairs(scores)


def _best_pairs(scores: list[list[float]]) -> Pairs:
    """Pairs rising on both sides whose likeness adds up to the most; the earlier ones where it is a tie."""
    height, width = len(scores), len(scores[0])
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    for i, row in enumerate(scores):
        for j, score in enumerate(row):
            paired = best[i][j] + score if score >= _ALIKE else 0.0
            best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], paired)
    pairs: Pairs = []
    i, j = height, width
    while i and j:
        if best[i][j] == best[i - 1][j]:
            i -= 1
        elif best[i][j] == best[i][j - 1]:
            j -= 1
        else:
            i, j = i - 1, j - 1
            pairs.append((i, j))
    pairs.reverse()
    return pairs


@dataclass(frozen=True, slots=True)
class _Look:
    """What is compared to say how alike two items are."""

    kind: type
    is_scalar: bool
    keys: frozenset[str]
    role: tuple[Hashable, ...]
    identity: Hashable
    marks: frozenset[Hashable]


def _look(item: JSON) -> _Look:
    keys = frozenset(item) if isinstance(item, dict) else frozenset[str]()
    return _Look(
        type(item), not isinstance(item, dict | list), keys, _role(item), _identity(item), frozenset(_marks(item))
    )


def _role(item: JSON) -> tuple[Hashable, ...]:
    if not isinstance(item, dict):
        return ()
    roles = ((key, item.get(key)) for key in _ROLE_KEYS)
    return tuple((key, value) for key, value in roles if isinstance(value, str | int))


def _marks(item: JSON) -> set[Hashable]:
    """Words and values found in an item, each with the key above it; a sample where there are many."""
    marks: set[Hashable] = set()
    todo: list[tuple[str, JSON]] = [("", item)]
    looks_left = 2 * _MARKS
    while todo and looks_left and len(marks) < _MARKS:
        key, value = todo.pop()
        looks_left -= 1
        if isinstance(value, dict):
            todo += list(value.items())[:_MARKS]
        elif isinstance(value, list):
            todo += [(key, inner) for inner in value[:_MARKS]]
        elif isinstance(value, str):
            marks.update((key, word) for word in value[:_TEXT_MARKS].split())
        else:
            marks.add((key, type(value), value))
    return marks


def _likeness(left: _Look, right: _Look) -> float:
    """From 0, nothing in common, to 1; `_ALIKE` and above means one item, edited."""
    if left.is_scalar and right.is_scalar:
        return _ALIKE + (0.1 if left.kind is right.kind else 0.0) + 0.4 * _overlap(left.marks, right.marks)
    if left.kind is not right.kind:
        return 0.0
    content = _overlap(left.marks, right.marks)
    if left.identity is not None and right.identity is not None and left.identity != right.identity:
        return content if content >= _TWINS else 0.0
    shape = len(left.keys & right.keys) / len(left.keys | right.keys) if left.keys or right.keys else 1.0
    if left.role != right.role:
        shape /= 2
    return (shape + content) / 2


def _overlap(left: frozenset[Hashable], right: frozenset[Hashable]) -> float:
    together = len(left) + len(right)
    return 2 * len(left & right) / together if together else 1.0


def _has_same_shape(left: JSON, right: JSON) -> bool:
    """The quick form of likeness, for stretches too long to weigh."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and _role(left) == _role(right) and _identity(left) == _identity(right)
    return isinstance(left, list) == isinstance(right, list) and isinstance(left, dict) == isinstance(right, dict)


def _slots(size_before: int, size_after: int, paired: Pairs, moved: Pairs, same: set[tuple[int, int]]) -> list[Slot]:
    """Pairs, moves and leftovers in document order: what was removed comes before what stands there now."""
    source = {j: i for i, j in moved}
    gone = {i for i, _ in moved}
    slots: list[Slot] = []
    at_before = at_after = 0
    for i, j in [*paired, (size_before, size_after)]:
        slots += [Slot(at, None) for at in range(at_before, i) if at not in gone]
        for at in range(at_after, j):
            if at in source:
                slots.append(Slot(source[at], at, is_moved=True, is_same=(source[at], at) in same))
            else:
                slots.append(Slot(None, at))
        if i < size_before and (i, j) not in same:
            slots.append(Slot(i, j))
        at_before, at_after = i + 1, j + 1
    return slots


def _shifted(slot: Slot, by: int) -> Slot:
    if not by:
        return slot
    before = None if slot.before is None else slot.before + by
    after = None if slot.after is None else slot.after + by
    return Slot(before, after, slot.is_moved, slot.is_same)


def _encoded_slowly(value: JSON) -> bytes:
    """The same promise as the encoder's for what it refuses: deep nesting, huge integers, lone surrogates."""
    parts: list[str] = []
    todo: list[tuple[str, JSON]] = [("", value)]
    while todo:
        key, part = todo.pop()
        parts.append(key)
        match part:
            case dict():
                parts.append(f"{{{len(part)}")
                todo += [(repr(name), part[name]) for name in sorted(part, reverse=True)]
            case list():
                parts.append(f"[{len(part)}")
                todo += [("", item) for item in reversed(part)]
            case int() if not isinstance(part, bool):
                parts.append(hex(part))  # Python refuses to print the largest in decimal
            case _:
                parts.append(repr(part))
    return "\n".join(parts).encode()
