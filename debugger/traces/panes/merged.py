"""Many traces as one tree, and below it how long what is on top took in the course of time."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical

from debugger.traces import plots, tables
from debugger.traces.merged import MergedRow, Merging, Moment
from debugger.traces.panes.lines import Rows, Strip
from debugger.traces.panes.place import Deeds, Place
from debugger.traces.survey import Progress, survey
from debugger.traces.window import Window
from debugger.views.text import Emphasis, Segment, fit

SHOWN_EVERY_S: Final = 0.5
PLOT: Final = 5


class MergedPane(Vertical):
    """`show` begins to merge; what was merged so far is shown meanwhile."""

    def __init__(self, place: Place) -> None:
        super().__init__(id="merged")
        self._place = place
        self._heading, self._plot = Strip(id="merged-columns"), Strip(id="over-time")
        self.listed = Rows(id="merged-rows", hint="merging ...")
        self._stop = threading.Event()
        self.only: str | None = None
        self.rows: tuple[MergedRow, ...] = ()
        self.moments: tuple[Moment, ...] = ()
        self._window = Window(0)
        self._folded: set[int] = set()
        self._shown: list[int] = []
        self._progress = Progress(0, 0)
        self.deeds: Deeds = {
            "fold_merged": lambda _: self._toggle(),
            "copy": lambda _: self._place.copy(tables.merged_text(self.rows), "the tree"),
        }

    def compose(self) -> ComposeResult:
        yield from (self._heading, self.listed, self._plot)

    def take_focus(self) -> None:
        self.listed.focus()

    def show(self, handles: Sequence[int], only: str | None) -> None:
        """Merge these traces; `only` what is below spans of a point or name."""
        self.stop()
        self._stop = stop = threading.Event()
        self.only = only
        self._folded.clear()
        self._set((), ())
        self._progress = Progress(0, len(handles))
        source, merging = self._place.source, Merging(only)
        shown_at = time.monotonic()

        def tell(progress: Progress) -> None:
            nonlocal shown_at
            if not progress.is_over and time.monotonic() - shown_at > SHOWN_EVERY_S:
                self._place.call_later(self._take, stop, progress, merging.rows(), merging.moments())
                shown_at = time.monotonic()

        def merge() -> tuple[Progress, tuple[MergedRow, ...], tuple[Moment, ...]]:
            progress = survey(source, handles, merging, stop=stop, tell=tell)
            return progress, merging.rows(), merging.moments()

        self._place.in_background("survey", merge, lambda found: self._take(stop, *found))

    def stop(self) -> None:
        """Merge no further."""
        self._stop.set()

    def _take(
        self, stop: threading.Event, progress: Progress, rows: tuple[MergedRow, ...], moments: tuple[Moment, ...]
    ) -> None:
        if stop is self._stop and not stop.is_set():
            self._progress = progress
            self._set(rows, moments)

    @property
    def said(self) -> str:
        """How far it is, for the line on top."""
        progress = self._progress
        what = f"of {self.only}, " if self.only is not None else ""
        return f"{what}{progress.traces:,} of {progress.of:,} traces merged{'' if progress.is_over else ' so far'}"

    def _set(self, rows: tuple[MergedRow, ...], moments: tuple[Moment, ...]) -> None:
        self.rows, self.moments = rows, moments
        self._window = Window(sum(row.total_ns for row in rows if row.depth == 0))
        self._lay()
        self._heading.set_lines(1, lambda _, width: tables.merged_heading(width))
        self._plot.set_lines(PLOT + 2, self._plot_line)
        self._place.show_standing()

    def _lay(self) -> None:
        self._shown = []
        place = 0
        while place < len(self.rows):
            self._shown.append(place)
            place += self.rows[place].size if place in self._folded else 1
        self.listed.hint = "nothing is called that" if self._progress.is_over else "merging ..."
        self.listed.set_rows(len(self._shown), self._line, self.listed.cursor or 0)

    def _line(self, index: int, width: int) -> tuple[Segment, ...]:
        place = self._shown[index]
        return tables.merged(self.rows[place], self._window, width, is_folded=place in self._folded)

    def _plot_line(self, index: int, width: int) -> tuple[Segment, ...]:
        if not self.moments:
            return (Segment(" " * width),)
        if index == 0:
            said = f" {len(self.moments):,} in the course of time: medians, and • the longest"
            return (Segment(fit(said, width), Emphasis.ACCENT),)
        lines = plots.over_time(self.moments, width, PLOT)
        return lines[index - 1] if index - 1 < len(lines) else (Segment(" " * width),)

    def _toggle(self) -> None:
        chosen = self.listed.chosen
        if chosen is None or chosen >= len(self._shown):
            return
        place = self._shown[chosen]
        if self.rows[place].size > 1:
            self._folded ^= {place}
            self._lay()
