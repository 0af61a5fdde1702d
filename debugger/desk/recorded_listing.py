"""The list of the dispatches of a recording: rows that are read where they are looked at, whatever its size."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from debugger.choosing import Choosing, Here, Jump, jumped
from debugger.desk.listing import Listing
from debugger.folding import Folds, folded
from debugger.lenses.dispatches import DispatchList
from debugger.sifting import Finding, Sifted
from debugger.store.browsing import Listed, RecordedTrace
from debugger.store.recording import Row
from debugger.store.sifting import Sifting
from debugger.trace import DispatchTrace
from debugger.views.gists import Gist, gist_of, gist_of_row
from debugger.views.text import Emphasis, Segment, fit
from kernel.errors import BadInput

NEAR: Final = 1_000
"""Dispatches before one, at most, in which one looks for what became of something."""
SUCH: Final[Mapping[Jump, str]] = {Jump.ERROR: "errors", Jump.DENIAL: "denials", Jump.CHANGE: "changes"}


class RecordedListing(Listing):
    """On the screen's loop, but for `jumped`. `on_news` is called on another thread while a filter looks."""

    def __init__(self, trace: RecordedTrace, pane: Callable[[], DispatchList], on_news: Callable[[], object]) -> None:
        super().__init__(trace, pane)
        self._recorded = trace
        self._on_news = on_news
        self._sifting: Sifting | None = None
        self._frozen_numbers: Sequence[int] | None = None
        self._known_folds: tuple[object, Folds] | None = None

    def close(self) -> None:
        """Stop looking."""
        if self._sifting is not None:
            self._sifting.close()
            self._sifting = None

    # -- looking for something ---------------------------------------------------------------------------------------

    def find(self, finding: Finding, saved: Mapping[str, str]) -> None:
        if finding.text != self.finding.text:
            path, numbers = self._recorded.recording.path, self._recorded.all_numbers
            looking = Sifting(path, numbers, finding.text, saved, self._on_news) if finding.text else None
            self.close()
            self._sifting = looking
        self.finding = finding

    @property
    def problem(self) -> str:
        """Why the filter stopped looking, if it did."""
        return "" if self._sifting is None else self._sifting.problem

    def more(self) -> None:
        """Say that there is more in the file."""
        if self._sifting is not None and not self.is_frozen:
            self._sifting.more()

    def matched(self, here: Here, by: int) -> Choosing | None:
        if self._sifting is None or not self.finding.is_on:
            return None
        numbers = self._sifting.found.numbers
        place = bisect_right(numbers, here[0]) if by > 0 else bisect_left(numbers, here[0]) - 1
        if not 0 <= place < len(numbers):
            return None
        return Choosing(self._recorded.row_of_number(numbers[place]).id, is_following=False)

    def jumped(self, here: Here, jump: Jump, by: int) -> Choosing | None:
        numbers = self._sifting.found.numbers if self._sifting is not None and self.finding.hides else None
        number = here[0]
        if _has(self._recorded.all_numbers, number):
            found = jumped(tuple(self._recorded.listed([number])), here, jump, by)
            if found is not None:
                return found
        while (row := self._recorded.nearest(number, by, such=SUCH[jump])) is not None:
            number = row.number
            if numbers is not None and not _has(numbers, number):
                continue
            found = jumped(tuple(self._recorded.listed([number])), here, jump, by)
            if found is not None:
                return found
        return None

    def before(self, trace: DispatchTrace) -> DispatchTrace | None:
        row = self._recorded.nearest(trace.number, -1, point=trace.point)
        return None if row is None else next(iter(self._recorded.listed([row.number])), None)

    def around(self, trace: DispatchTrace) -> Sequence[DispatchTrace]:
        """Those before it, the nearest thousand, and itself: a recording may have any number of them."""
        numbers = self._recorded.all_numbers
        end = bisect_right(numbers, trace.number)
        return self._recorded.listed(numbers[max(0, end - NEAR) : end])

    # -- freezing and drawing ----------------------------------------------------------------------------------------

    @property
    def is_frozen(self) -> bool:
        return self._frozen_numbers is not None

    def freeze(self, is_frozen: bool) -> None:
        self._frozen_numbers = self._recorded.all_numbers if is_frozen else None

    @property
    def unseen(self) -> int:
        if self._frozen_numbers is None:
            return 0
        last = self._frozen_numbers[-1] if self._frozen_numbers else 0
        return len(self._recorded.all_numbers) - bisect_right(self._recorded.all_numbers, last)

    def _sift(self) -> Sifted:
        all_numbers = self._recorded.all_numbers if self._frozen_numbers is None else self._frozen_numbers
        if self._sifting is None or not self.finding.is_on:
            return Sifted(self._recorded.listed(all_numbers), frozenset(), len(all_numbers))
        found = self._sifting.found
        shown = all_numbers if self.finding.is_highlight else found.numbers
        return Sifted(self._recorded.listed(shown), found.ids, len(all_numbers), self._sifting.unseen)

    @property
    def _edition(self) -> object:
        numbers = self._listed.numbers
        ends = (len(numbers), numbers[0], numbers[-1]) if numbers else ()
        return ends, self.finding, len(self.sifted.matching), self.marked, tuple(self.remarks.values()), self._folds

    @property
    def _listed(self) -> Listed:
        listed = self.sifted.listed
        assert isinstance(listed, Listed), "it is made by _sift"
        return listed

    def _place_of(self, dispatch: str) -> int | None:
        row = self._recorded.row_of(dispatch)
        if row is None:
            return None
        numbers = self._listed.numbers
        place = bisect_left(numbers, row.number)
        return place if place < len(numbers) and numbers[place] == row.number else None

    def _gist(self, place: int) -> Gist:
        row = self._listed.row(place)
        found = gist_of_row(row)
        if found is not None:
            return found
        try:
            return gist_of(self._listed[place])
        except BadInput:  # whoever chooses it is told
            return Gist(row.id, row.number, row.point, row.took_ns, row.ending, row.decision, row.status)

    def _line(self, line: int, width: int) -> tuple[Segment, ...]:
        try:
            return super()._line(line, width)
        except BadInput as error:  # dropped since the list was made
            return (Segment(fit(error.message, width), Emphasis.DIM),)

    def row_at(self, line: int) -> Row | None:
        """The dispatch on a line, in short; of a run the first."""
        place = line if self._folds is None else self._folds[line].start if line < len(self._folds) else -1
        return self._listed.row(place) if 0 <= place < len(self._listed) else None

    def prepare(self) -> None:
        if self.is_folding:
            self._folded()

    def _folded(self) -> Folds:
        """From what the rows say of every dispatch; made again only when there are others."""
        numbers = self._listed.numbers
        ends = (numbers[0], numbers[-1]) if numbers else ()
        key = (len(numbers), ends, frozenset(self._opened), frozenset(self.remarks))
        if self._known_folds is None or self._known_folds[0] != key:
            looks = self._recorded.looks()
            opened = {self._place_of(each) for each in self._opened}
            starts = {place for place in opened if place is not None}
            noted = [self._recorded.row_of(each) for each in self.remarks]
            seen = {row.number for row in noted if row is not None}  # what is marked stays in sight
            told = (None if number in seen else looks.get(number) for number in numbers)
            self._known_folds = key, folded(told, starts)
        return self._known_folds[1]


def _has(numbers: Sequence[int], number: int) -> bool:
    place = bisect_left(numbers, number)
    return place < len(numbers) and numbers[place] == number
