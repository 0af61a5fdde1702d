"""The list of dispatches, newest last."""

from __future__ import annotations

from collections.abc import Sequence

from debugger.lenses.lines import LineView
from debugger.session import SessionView
from debugger.trace import DispatchTrace
from debugger.views.dispatches import NO_MARKS, Marks, row
from debugger.views.text import Emphasis, Segment, fit


class DispatchList(LineView):
    """One line for each dispatch; empty, it says what fills it."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._traces: Sequence[DispatchTrace] = ()
        self._session = SessionView()
        self._hint: Sequence[str] = ()
        self._marks = NO_MARKS

    def set_traces(
        self,
        traces: Sequence[DispatchTrace],
        session: SessionView,
        chosen: int | None,
        hint: Sequence[str],
        marks: Marks = NO_MARKS,
    ) -> None:
        """Show other dispatches, one of them chosen."""
        is_longer = len(traces) != len(self._traces)
        self._traces, self._session, self._hint, self._marks = traces, session, hint, marks
        self.show(len(traces) or len(hint))
        if chosen != self.cursor:
            self.cursor = chosen
        elif is_longer and chosen is not None:
            self.watch_cursor(chosen)

    def segments(self, index: int, width: int) -> tuple[Segment, ...]:
        if not self._traces:
            return (Segment(fit(self._hint[index], width), Emphasis.DIM),)
        return row(self._traces[index], self._session, width, self._marks)
