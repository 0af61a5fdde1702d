"""Which dispatches a filter lets through, remembered for as long as nothing new is known of them. No Textual."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from debugger.filters import BadFilter, Predicate, Sight, Truth, compiled, parse, resolved
from debugger.trace import DispatchTrace

AT_ONCE_S: Final = 0.015
"""How long looking may take before the keys get their turn."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reader looks for among the dispatches."""

    text: str = ""
    """A filter; empty for everything."""
    is_highlight: bool = False
    """Whether everything stays in the list, and what fits is only marked."""
    is_suspended: bool = False
    """Whether everything is shown for now, without forgetting the filter."""

    @property
    def is_on(self) -> bool:
        return bool(self.text) and not self.is_suspended

    @property
    def hides(self) -> bool:
        """Whether it takes dispatches out of the list."""
        return self.is_on and not self.is_highlight

    def with_text(self, text: str) -> Finding:
        """The same for another filter, which counts at once."""
        return replace(self, text=text.strip(), is_suspended=False)


@dataclass(frozen=True, slots=True)
class Sifted:
    """The dispatches that are listed, oldest first."""

    listed: Sequence[DispatchTrace]
    matching: frozenset[str]
    """Ids of those that fit, of those that are listed."""
    of: int
    """How many there are altogether."""
    unseen: int = 0
    """How many were not looked at yet: look again."""


class Sieve:
    """Asks one filter about many dispatches, each again only when more is known of it. On one thread only."""

    def __init__(self, sight: Sight, clock: Callable[[], float] = time.perf_counter) -> None:
        self._sight = sight
        self._clock = clock
        self._text = ""
        self._predicate: Predicate | None = None
        self._known: dict[str, tuple[DispatchTrace, Truth]] = {}

    def use(self, text: str, saved: Mapping[str, str]) -> None:
        """Ask another filter from now on; raises BadFilter and goes on with the one that was."""
        predicate = compiled(resolved(parse(text), saved, text), self._sight) if text else None
        self._text, self._predicate = text, predicate
        self._known.clear()

    def sift(self, dispatches: Sequence[DispatchTrace], finding: Finding) -> Sifted:
        """Those that are to be listed. Stops looking after a while, the newest first: `unseen` says so."""
        if self._predicate is None or not finding.is_on:
            return Sifted(tuple(dispatches), frozenset(), len(dispatches))
        until = self._clock() + AT_ONCE_S
        matching: set[str] = set()
        unseen = 0
        for dispatch in reversed(dispatches):
            known = self._known.get(dispatch.id)
            if known is None or known[0] is not dispatch:
                if self._clock() > until:
                    unseen += 1
                    continue
                known = self._known[dispatch.id] = (dispatch, self._predicate.matches(dispatch))
            if known[1] is True:
                matching.add(dispatch.id)
        if len(self._known) > 2 * len(dispatches) + 100:
            kept = {dispatch.id for dispatch in dispatches}
            self._known = {name: each for name, each in self._known.items() if name in kept}
        shown = dispatches if finding.is_highlight else [each for each in dispatches if each.id in matching]
        return Sifted(tuple(shown), frozenset(matching), len(dispatches), unseen)


def summary(finding: Finding, sifted: Sifted) -> str:
    """What the list says of its filter; nothing where there is none."""
    if not finding.text:
        return ""
    if finding.is_suspended:
        return f"\\ suspended: {finding.text}"
    more = " …" if sifted.unseen else ""
    mark = "◆" if finding.is_highlight else "/"
    return f"{mark}{finding.text}  {len(sifted.matching)} of {sifted.of}{more}"


__all__ = ["AT_ONCE_S", "BadFilter", "Finding", "Sieve", "Sifted", "summary"]
