"""Figures of everything that is listed: a table, and the durations of the chosen row as a plot below it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical

from debugger.lenses.lines import LineView
from debugger.traces import plots, tables
from debugger.traces.panes.lines import Rows, Strip
from debugger.traces.panes.place import Deeds, Place
from debugger.traces.statistics import WHOLE, Column, Statistic, Tally, ordered
from debugger.traces.survey import Progress, survey
from debugger.views.text import Emphasis, Segment, fit

SHOWN_EVERY_S: Final = 0.5
"""At most so often figures are shown that are not final."""
PLOT: Final = 6
"""Lines of the plot."""
_UP: Final = frozenset({Column.WHERE, Column.WHO})


class StatisticsPane(Vertical):
    """`show` begins to count; what was counted so far is shown meanwhile."""

    def __init__(self, place: Place) -> None:
        super().__init__(id="statistics")
        self._place = place
        self._heading, self._plot = Strip(id="figures-columns"), Strip(id="plot")
        self.table = Rows(id="figures", hint="counting ...")
        self._stop = threading.Event()
        self.rows: tuple[Statistic, ...] = ()
        self._progress = Progress(0, 0)
        self._column, self._is_descending = Column.SHARE, True
        self._shows_boxes = False
        self.deeds: Deeds = {
            "column": lambda _: self._next_column(),
            "turn": lambda _: self._order(self._column, is_descending=not self._is_descending),
            "plot": lambda _: self._switch_plot(),
            "merge_row": lambda _: self._merge(),
            "copy": lambda _: self._place.copy(tables.as_text(self.rows), "the table"),
        }

    def compose(self) -> ComposeResult:
        yield from (self._heading, self.table, self._plot)

    def take_focus(self) -> None:
        self.table.focus()

    def show(self, handles: Sequence[int]) -> None:
        """Count these traces."""
        self.stop()
        self._stop = stop = threading.Event()
        self.rows = ()
        self._progress = Progress(0, len(handles))
        self._draw()
        source, tally = self._place.source, Tally()
        shown_at = time.monotonic()

        def tell(progress: Progress) -> None:
            nonlocal shown_at
            if not progress.is_over and time.monotonic() - shown_at > SHOWN_EVERY_S:
                self._place.call_later(self._take, stop, progress, tally.statistics())
                shown_at = time.monotonic()

        def count() -> tuple[Progress, tuple[Statistic, ...]]:
            progress = survey(source, handles, tally, stop=stop, tell=tell)
            return progress, tally.statistics()

        self._place.in_background("survey", count, lambda found: self._take(stop, *found))

    def stop(self) -> None:
        """Count no further."""
        self._stop.set()

    def _take(self, stop: threading.Event, progress: Progress, rows: tuple[Statistic, ...]) -> None:
        if stop is self._stop and not stop.is_set():
            self._progress = progress
            self.rows = ordered(rows, self._column, is_descending=self._is_descending)
            self._draw()

    @property
    def said(self) -> str:
        """How far it is, for the line on top."""
        progress = self._progress
        counted = f"{progress.traces:,} of {progress.of:,} traces"
        unreadable = f", {progress.unreadable:,} cannot be read" if progress.unreadable else ""
        return f"{counted} counted{unreadable}{'' if progress.is_over else ' so far'}"

    def _draw(self) -> None:
        column, is_descending = self._column, self._is_descending
        self._heading.set_lines(1, lambda _, width: tables.heading(column, width, is_descending=is_descending))
        self.table.hint = "nothing to count" if self._progress.is_over else "counting ..."
        self.table.set_rows(len(self.rows), self._line, self.table.cursor or 0)
        self._draw_plot()
        self._place.show_standing()

    def _line(self, index: int, width: int) -> tuple[Segment, ...]:
        row = self.rows[index]
        if not self._shows_boxes or not row.tooks:
            return tables.statistic(row, width)
        label = fit(f" {row.where or '-'}  {tables.who_of(row)}", min(36, width // 3))
        whole = [each for row in self.rows for each in (row.tooks[0], row.tooks[-1]) if row.tooks]
        scale = plots.scale_of(sorted(whole), width - len(label))
        return Segment(label), Segment(plots.box(row.tooks, scale), Emphasis.NUMBER)

    def _draw_plot(self) -> None:
        self._plot.set_lines(PLOT + 2, self._plot_line)

    def _plot_line(self, index: int, width: int) -> tuple[Segment, ...]:
        chosen = self.table.chosen
        if chosen is None or chosen >= len(self.rows):
            return (Segment(" " * width),)
        row = self.rows[chosen]
        if index == 0:
            said = f" {tables.who_of(row)} at {row.where or '-'}: {row.count:,} durations, p50 and p95 marked"
            return (Segment(fit(said, width), Emphasis.ACCENT),)
        lines = plots.histogram(row.tooks, width, PLOT)
        return lines[index - 1] if index - 1 < len(lines) else (Segment(" " * width),)

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        event.stop()
        self._draw_plot()

    def _next_column(self) -> None:
        columns = list(Column)
        column = columns[(columns.index(self._column) + 1) % len(columns)]
        self._order(column, is_descending=column not in _UP)

    def _order(self, column: Column, *, is_descending: bool) -> None:
        self._column, self._is_descending = column, is_descending
        self.rows = ordered(self.rows, column, is_descending=is_descending)
        self._draw()

    def _switch_plot(self) -> None:
        self._shows_boxes = not self._shows_boxes
        self.table.refresh()

    def _merge(self) -> None:
        chosen = self.table.chosen
        if chosen is not None and chosen < len(self.rows):
            row = self.rows[chosen]
            self._place.open_merged(row.where if row.who == WHOLE else row.who)
