"""What the session itself knows of its dispatches: enough to ask a filter at a seam. On the kernel's loop only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from debugger.breakpoints.compiled import NONE_SAVED
from debugger.filters import Sight, at_seam
from debugger.surroundings import around
from debugger.trace import DispatchTrace, StepTrace, Trace
from kernel.control import Seam
from kernel.dialect import Dialect
from kernel.facts import Event

KEPT: Final = 20
"""Finished dispatches that are kept: a filter at a seam looks at those under way."""


class Memory:
    """Folds what is told, and compiles filters with its sight."""

    def __init__(self, dialect: Dialect, saved: Mapping[str, str] = NONE_SAVED) -> None:
        self._trace = Trace(KEPT)
        self._dialect = dialect
        self.sight = Sight(dialect_named=self._named, around=lambda parent: around(self._trace, parent))
        self.saved: Mapping[str, str] = saved
        """Saved filters by name."""

    def take(self, event: Event) -> None:
        self._trace.take(event)

    def find(self, dispatch: str) -> DispatchTrace | None:
        """A dispatch as it really was, None for one that is no longer kept."""
        return self._trace.find(dispatch)

    def seen(self, seam: Seam) -> tuple[DispatchTrace, StepTrace] | None:
        """The dispatch and the step as they are at a seam; None for a dispatch that nobody told of."""
        known = self._trace.find(seam.dispatch)
        return None if known is None else at_seam(known, seam)

    def _named(self, name: str) -> Dialect | None:
        return self._dialect if name == self._dialect.name else None
