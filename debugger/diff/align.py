"""Which tokens of one sequence are which of the other, in order. Bounded for any input.

`difflib` alone is quadratic where tokens repeat, and it does not find the longest common run even where they
do not. Here unique tokens are settled by a longest rising sequence, which is exact and quick; `difflib` gets
only what is small.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from difflib import SequenceMatcher

_MEETINGS = 4_000
"""Pairs of equal tokens that `difflib` may be asked to weigh: a few milliseconds at worst."""
_ROUNDS = 8
"""How often a stretch is cut at its unique tokens before it is settled by counting repeats."""

Pairs = list[tuple[int, int]]


def align(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """Positions of equal tokens, rising on both sides."""
    pairs: Pairs = []
    todo = [(0, len(before), 0, len(after), 0)]
    while todo:
        start, end, from_, to, rounds = todo.pop()
        while start < end and from_ < to and before[start] == after[from_]:
            pairs.append((start, from_))
            start, from_ = start + 1, from_ + 1
        while start < end and from_ < to and before[end - 1] == after[to - 1]:
            end, to = end - 1, to - 1
            pairs.append((end, to))
        if start == end or from_ == to:
            continue
        left, right = before[start:end], after[from_:to]
        found, is_settled = _settle(left, right, rounds)
        pairs += [(start + i, from_ + j) for i, j in found]
        if not is_settled:
            at, to_at = start, from_
            for i, j in [*found, (end - start, to - from_)]:
                todo.append((at, start + i, to_at, from_ + j, rounds + 1))
                at, to_at = start + i + 1, from_ + j + 1
    pairs.sort()
    return pairs


def rising(pairs: Iterable[tuple[int, int]]) -> Pairs:
    """The most pairs that rise on both sides, from pairs that rise on the left."""
    tops: list[int] = []  # the smallest right side that ends a rising run of each length
    ends: list[int] = []
    kept: Pairs = []
    before_it: list[int] = []
    for number, pair in enumerate(pairs):
        length = bisect_left(tops, pair[1])
        kept.append(pair)
        before_it.append(ends[length - 1] if length else -1)
        if length == len(tops):
            tops.append(pair[1])
            ends.append(number)
        else:
            tops[length], ends[length] = pair[1], number
    chain: Pairs = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(kept[number])
        number = before_it[number]
    chain.reverse()
    return chain


def by_turn(before: Sequence[Hashable], after: Sequence[Hashable]) -> Pairs:
    """Every token paired with its like, the first with the first, the second with the second; rising on the left."""
    seats: defaultdict[Hashable, list[int]] = defaultdict(list)
    for position in range(len(after) - 1, -1, -1):
        seats[after[position]].append(position)
    return [(i, seats[token].pop()) for i, token in enumerate(before) if seats.get(token)]


def _settle(left: Sequence[Hashable], right: Sequence[Hashable], rounds: int) -> tuple[Pairs, bool]:
    """Pairs inside one stretch, and whether that is all there is to find."""
    on_left, on_right = Counter(left), Counter(right)
    shared = on_left.keys() & on_right.keys()
    unique = {token for token in shared if on_left[token] == on_right[token] == 1}
    if len(unique) == len(shared):
        return rising(by_turn(left, right)), True
    if sum(on_left[token] * on_right[token] for token in shared) <= _MEETINGS:
        blocks = SequenceMatcher(None, left, right, autojunk=False).get_matching_blocks()
        return [(a + step, b + step) for a, b, size in blocks for step in range(size)], True
    if unique and rounds < _ROUNDS:
        seat = {token: position for position, token in enumerate(right) if token in unique}
        return rising((i, seat[token]) for i, token in enumerate(left) if token in unique), False
    return rising(by_turn(left, right)), True
