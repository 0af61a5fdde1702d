"""The list of dispatches: which of them are listed, and what is marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.text import Text

from debugger.filters import Sight
from debugger.lenses.dispatches import DispatchList
from debugger.session import SessionView
from debugger.sifting import Finding, Sieve, Sifted, summary
from debugger.surroundings import around
from debugger.trace import DispatchTrace, Trace
from debugger.views.dispatches import Marks
from debugger.views.text import visible


class Listing:
    """What is looked for among the dispatches, and what fits. On the screen's loop."""

    def __init__(self, trace: Trace, pane: Callable[[], DispatchList]) -> None:
        self.finding = Finding()
        self.sifted = Sifted((), frozenset(), 0)
        self.marked = ""
        """Id of the dispatch that others are compared with."""
        self._trace = trace
        self._pane = pane
        self._sieve = Sieve(Sight(around=lambda parent: around(trace, parent)))
        self._summary = ""

    def find(self, finding: Finding, saved: Mapping[str, str]) -> None:
        """Look for something else; raises BadFilter, and goes on with what was."""
        self._sieve.use(finding.text, saved)
        self.finding = finding

    def draw(self, seen: SessionView, chosen: str | None, hint: Sequence[str]) -> None:
        """List what fits by now."""
        self.sifted = self._sieve.sift(self._trace.dispatches, self.finding)
        listed = self.sifted.listed
        place = next((place for place, each in enumerate(listed) if each.id == chosen), None)
        found = self.sifted.matching if self.finding.is_highlight else frozenset()
        pane = self._pane()
        if self._trace.dispatches and not listed:
            hint = ("No dispatch fits the filter.", "\\ shows all for now, / writes another")
        pane.set_traces(listed, seen, place, hint, Marks(found, self.marked))
        said = summary(self.finding, self.sifted)
        if said != self._summary:
            self._summary = said
            pane.border_subtitle = Text(visible(said))

    def at(self, index: int) -> DispatchTrace | None:
        """The dispatch on a line."""
        return self.sifted.listed[index] if index < len(self.sifted.listed) else None
