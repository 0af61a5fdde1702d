"""Which rows of a tree are to be seen: folded and unfolded places, and spans that are hidden because they are noise.

The one mutable thing of the trace screens: a fold among a hundred thousand rows must not cost a look at all of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from debugger.traces.skeleton import Skeleton


class By(StrEnum):
    """What spans can be hidden by."""

    NAME = "name"
    SERVICE = "service"


@dataclass(frozen=True, slots=True)
class Hide:
    """Spans that are not to be seen, with everything below them."""

    by: By
    value: str


@dataclass(frozen=True, slots=True)
class Marker:
    """Stands for hidden siblings that follow one another."""

    first: int
    """Place of the first of them."""
    end: int
    """The place behind the last one, and behind everything below it."""
    depth: int
    spans: int
    """How many are hidden, with those below them."""
    errors: int
    names: tuple[str, ...]


class Outline:
    """The rows of one skeleton. A row is a place, or -1 - n for the n-th marker."""

    def __init__(self, skeleton: Skeleton, hidden: Collection[Hide] = ()) -> None:
        self.skeleton = skeleton
        self.hidden: frozenset[Hide] = frozenset(hidden)
        self.rows: list[int] = []
        self.markers: list[Marker] = []
        self._folded = bytearray(len(skeleton))
        self._noise: bytearray | None = None
        self.hide(self.hidden)

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, row: int) -> int:
        """The place that a row is about; of a marker the first one that it stands for."""
        found = self.rows[row]
        return found if found >= 0 else self.markers[-1 - found].first

    def marker(self, row: int) -> Marker | None:
        found = self.rows[row]
        return None if found >= 0 else self.markers[-1 - found]

    def is_folded(self, place: int) -> bool:
        return bool(self._folded[place])

    def row_of(self, place: int) -> int:
        """The row of a place; of one that is not to be seen, the row that it is folded into."""
        return max(0, bisect_right(self.rows, place, key=self._key) - 1)

    def _key(self, row: int) -> int:
        return row if row >= 0 else self.markers[-1 - row].first

    # -- folding -------------------------------------------------------------------------------------------------

    def fold(self, row: int, *, is_folded: bool) -> bool:
        """Fold or unfold a row; whether that changed anything."""
        place = self.rows[row]
        if place < 0 or not self.skeleton.children[place] or self._folded[place] == is_folded:
            return False
        self._folded[place] = is_folded
        end = place + self.skeleton.sizes[place]
        if is_folded:
            last = bisect_right(self.rows, end - 1, lo=row, key=self._key)
            del self.rows[row + 1 : last]
        else:
            self.rows[row + 1 : row + 1] = self._visible(place + 1, end)
        return True

    def reveal(self, place: int) -> int:
        """Unfold whatever a place is folded into; gives its row, or that of the marker that hides it."""
        for ancestor in reversed(self.skeleton.ancestors(place)):
            if self._folded[ancestor]:
                row = self.row_of(ancestor)
                if self.rows[row] != ancestor:
                    break  # hidden, and not because of a fold
                self.fold(row, is_folded=False)
        return self.row_of(place)

    def unfold_all(self) -> None:
        self._folded = bytearray(len(self.skeleton))
        self._lay()

    def to_depth(self, depth: int) -> None:
        """Show so many levels; 1 = only what is on top."""
        self._folded = bytearray([level >= depth - 1 for level in self.skeleton.depths])
        self._lay()

    def folded_ids(self) -> frozenset[bytes]:
        """The spans that are folded: to fold them again once more of the trace has come."""
        ids = self.skeleton.ids
        return frozenset(ids[place] for place, is_folded in enumerate(self._folded) if is_folded)

    def fold_ids(self, ids: Collection[bytes]) -> None:
        """Fold these spans, and no others."""
        self._folded = bytearray([each in ids for each in self.skeleton.ids]) if ids else bytearray(len(self.skeleton))
        self._lay()

    # -- hiding --------------------------------------------------------------------------------------------------

    def hide(self, hidden: Collection[Hide]) -> None:
        """Hide exactly these; nothing for everything to be seen."""
        self.hidden = frozenset(hidden)
        names = {hide.value for hide in hidden if hide.by is By.NAME}
        services = {hide.value for hide in hidden if hide.by is By.SERVICE}
        made = self.skeleton
        self._noise = None
        if hidden:
            self._noise = bytearray(
                [name in names or service in services for name, service in zip(made.names, made.services, strict=True)]
            )
        self._lay()

    def _lay(self) -> None:
        self.markers = []
        self.rows = self._visible(0, len(self.skeleton))

    def _visible(self, begin: int, end: int) -> list[int]:
        """The rows between two places that are at the ends of subtrees."""
        folded, sizes, noise = self._folded, self.skeleton.sizes, self._noise
        if noise is None and folded.find(1, begin, end) < 0:
            return list(range(begin, end))
        found: list[int] = []
        place = begin
        while place < end:
            if noise is not None and noise[place]:
                after = self._hidden_until(place, end)
                self.markers.append(self._marked(place, after))
                found.append(-len(self.markers))
                place = after
                continue
            found.append(place)
            place += sizes[place] if folded[place] else 1
        return found

    def _hidden_until(self, place: int, end: int) -> int:
        """Behind the last of the siblings from here on that are hidden without one between them that is not."""
        assert self._noise is not None
        made, parent = self.skeleton, self.skeleton.parents[place]
        while place < end and self._noise[place] and made.parents[place] == parent:
            place += made.sizes[place]
        return place

    def _marked(self, first: int, end: int) -> Marker:
        made = self.skeleton
        tops: list[str] = []
        place = first
        while place < end:
            tops.append(made.names[place])
            place += made.sizes[place]
        return Marker(
            first, end, made.depths[first], end - first, made.errors.count(1, first, end), tuple(dict.fromkeys(tops))
        )
