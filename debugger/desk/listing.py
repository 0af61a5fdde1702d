"""The list of dispatches: which of them are listed, folded or not, and what a reader has marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.text import Text

from debugger.choosing import Choosing, Here, Jump, jumped, matched
from debugger.filters import Sight
from debugger.folding import Folds, Run, folded
from debugger.lenses.dispatches import DispatchList
from debugger.session import SessionView
from debugger.sifting import Finding, Sieve, Sifted, summary
from debugger.store.notes import Remark
from debugger.surroundings import around
from debugger.trace import DispatchTrace, Trace
from debugger.views.dispatches import Marks, gist_row, run_row
from debugger.views.gists import Gist, Look, gist_of
from debugger.views.text import Segment, visible


class Listing:
    """What is looked for among the dispatches, and what fits. On the screen's loop."""

    def __init__(self, trace: Trace, pane: Callable[[], DispatchList]) -> None:
        self.finding = Finding()
        self.sifted = Sifted((), frozenset(), 0)
        self.marked = ""
        """Id of the dispatch that others are compared with."""
        self.remarks: dict[str, Remark] = {}
        """Marks and notes, by the id of the dispatch."""
        self.is_folding = False
        """Whether runs of dispatches that look alike are one line."""
        self._trace = trace
        self._pane = pane
        self._sieve = Sieve(Sight(around=lambda parent: around(trace, parent)))
        self._said = ""
        self._frozen: Sequence[DispatchTrace] | None = None
        self._folds: Folds | None = None
        self._opened: set[str] = set()
        """Ids of dispatches with which a run begins that is not to be folded."""
        self._looks: dict[str, tuple[DispatchTrace, Look | None]] = {}
        self._seen = SessionView()

    # -- looking for something ---------------------------------------------------------------------------------------

    def find(self, finding: Finding, saved: Mapping[str, str]) -> None:
        """Look for something else; raises BadFilter, and goes on with what was."""
        self._sieve.use(finding.text, saved)
        self.finding = finding

    def jumped(self, here: Here, jump: Jump, by: int) -> Choosing | None:
        """The next (by = 1) or previous (by = -1) step of a kind among those that are listed; None for none. May be
        called from any thread.
        """
        return jumped(self.sifted.listed, here, jump, by)

    def matched(self, here: Here, by: int) -> Choosing | None:
        """The next or previous dispatch that fits the filter; None for none."""
        return matched(self.sifted.listed, here, self.sifted.matching, by)

    def before(self, trace: DispatchTrace) -> DispatchTrace | None:
        """The last dispatch before one at the same point."""
        earlier = [each for each in self._trace.dispatches if each.number < trace.number and each.point == trace.point]
        return earlier[-1] if earlier else None

    def around(self, trace: DispatchTrace) -> Sequence[DispatchTrace]:
        """The dispatches in which one looks for what became of something: all of them."""
        del trace
        return self._trace.dispatches

    # -- freezing and folding ----------------------------------------------------------------------------------------

    @property
    def is_frozen(self) -> bool:
        """Whether the list stays as it is, whatever comes."""
        return self._frozen is not None

    def freeze(self, is_frozen: bool) -> None:
        """Have the list stay as it is, or go on."""
        self._frozen = self._trace.dispatches if is_frozen else None

    @property
    def unseen(self) -> int:
        """Dispatches that began since the list is frozen."""
        if not self._frozen:
            return 0 if self._frozen is None else len(self._trace.dispatches)
        last = self._frozen[-1].number
        return sum(each.number > last for each in self._trace.dispatches)

    def toggle_folding(self) -> None:
        """Fold runs, or show every dispatch."""
        self.is_folding = not self.is_folding
        self._opened.clear()

    def prepare(self) -> None:
        """Find out what folding takes long to find out. May be called from any thread."""

    def toggle_run(self, line: int) -> bool:
        """Unfold the run on a line, or fold the one again that a line belongs to; whether there was one."""
        if self._folds is None or line >= len(self._folds):
            return False
        run = self._folds[line]
        if run.count > 1:
            self._opened.add(self._gist(run.start).id)
            return True
        for start in range(line, -1, -1):  # a run that is open: each of it is a line
            first = self._gist(self._folds[start].start)
            if first.look != self._gist(run.start).look:
                return False
            if first.id in self._opened:
                self._opened.discard(first.id)
                return True
        return False

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw(self, seen: SessionView, chosen: str | None, hint: Sequence[str]) -> None:
        """List what fits by now."""
        self._seen = seen
        self.sifted = self._sift()
        listed = self.sifted.listed
        place = None if chosen is None else self._place_of(chosen)
        pane = self._pane()
        if self.sifted.of and not listed:
            hint = ("No dispatch fits the filter.", "\\ shows all for now, / writes another")
        self._folds = self._folded() if self.is_folding else None
        line = place if self._folds is None or place is None else self._folds.line_of(place)
        rows = len(listed) if self._folds is None else len(self._folds)
        pane.set_rows(rows, self._line, line, hint, edition=self._edition)
        self._say(pane)

    @property
    def _edition(self) -> object:
        """Equal as long as every line says the same; None where that cannot be told."""
        return None

    def _sift(self) -> Sifted:
        dispatches = self._trace.dispatches if self._frozen is None else self._frozen
        return self._sieve.sift(dispatches, self.finding)

    def _place_of(self, dispatch: str) -> int | None:
        return next((place for place, each in enumerate(self.sifted.listed) if each.id == dispatch), None)

    def _folded(self) -> Folds:
        """Where runs begin that look alike, of those that are over."""
        looks: list[Look | None] = []
        opened: set[int] = set()
        for place, trace in enumerate(self.sifted.listed):
            known = self._looks.get(trace.id)
            if known is None or known[0] is not trace:
                gist = gist_of(trace)
                known = self._looks[trace.id] = (trace, gist.look if gist.is_over else None)
            looks.append(None if trace.id in self.remarks else known[1])  # what is marked stays in sight
            if trace.id in self._opened:
                opened.add(place)
        if len(self._looks) > 2 * len(looks) + 100:
            listed = {trace.id for trace in self.sifted.listed}
            self._looks = {name: known for name, known in self._looks.items() if name in listed}
        return folded(looks, opened)

    def _gist(self, place: int) -> Gist:
        """What a line tells of the dispatch at a place."""
        return gist_of(self.sifted.listed[place])

    def _line(self, line: int, width: int) -> tuple[Segment, ...]:
        run = Run(line, 1) if self._folds is None else self._folds[line]
        gist = self._gist(run.start)
        if run.count > 1:
            return run_row(gist, run.count, width)
        found = self.sifted.matching if self.finding.is_highlight else frozenset()
        return gist_row(gist, self._seen, width, Marks(found, self.marked, self.remarks))

    def _say(self, pane: DispatchList) -> None:
        """On the border of the list: the filter, whether runs are folded, what has come since it is frozen."""
        parts = (
            summary(self.finding, self.sifted),
            "folded" if self.is_folding else "",
            f"frozen, {self.unseen} unseen" if self.is_frozen else "",
        )
        said = "  ".join(part for part in parts if part)
        if said != self._said:
            self._said = said
            pane.border_subtitle = Text(visible(said))

    def at(self, line: int) -> DispatchTrace | None:
        """The dispatch on a line; of a run the first."""
        place = line if self._folds is None else self._folds[line].start if line < len(self._folds) else -1
        return self.sifted.listed[place] if 0 <= place < len(self.sifted.listed) else None
