"""The list of traces: filtered, ordered, followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical

from debugger.lenses.lines import LineView
from debugger.traces import listing
from debugger.traces.naming import iso
from debugger.traces.panes.lines import Rows, Strip
from debugger.traces.panes.place import Deeds, Place
from debugger.traces.seam import SortKey, TraceRow, Wish
from debugger.traces.window import precise
from debugger.views.text import Segment
from kernel.errors import BadInput

PAGE: Final = 100
"""Rows that are asked for at a time."""
MOST_PAGES: Final = 200
_FIRST_DOWN: Final = frozenset({SortKey.TOOK, SortKey.SPANS, SortKey.ERRORS})
"""What is looked at from its largest on."""


class TracesPane(Vertical):
    """One line for each trace."""

    def __init__(self, place: Place) -> None:
        super().__init__(id="traces")
        self._place = place
        self._heading = Strip(id="columns")
        self.rows = Rows(id="list", hint="reading ...")
        self.wish = Wish()
        self.is_following = True
        self.handles: Sequence[int] = ()
        self._pages: dict[int, tuple[TraceRow | None, ...]] = {}
        self.deeds: Deeds = {
            "open": lambda _: self._open(),
            "filter": lambda _: self._ask_filter(),
            "sort": lambda _: self._sort(),
            "reverse": lambda _: self._wish(replace(self.wish, is_descending=not self.wish.is_descending)),
            "errors_only": lambda _: self._wish(replace(self.wish, with_errors=not self.wish.with_errors)),
            "follow": lambda _: self.follow(not self.is_following),
            "copy": lambda _: self._copy(),
            "statistics": lambda _: self._place.open_statistics(),
            "merge_all": lambda _: self._place.open_merged(None),
        }

    def compose(self) -> ComposeResult:
        yield from (self._heading, self.rows)

    def on_mount(self) -> None:
        self._draw_heading()

    def take_focus(self) -> None:
        self.rows.focus()

    # -- what is listed ------------------------------------------------------------------------------------------

    def load(self) -> None:
        """Ask the source for the order anew."""
        wish = self.wish
        self._place.in_background("order", lambda: self._place.source.order(wish), self.set_handles)

    def set_handles(self, handles: Sequence[int]) -> None:
        """Show other traces; the chosen one stays chosen, unless the newest is followed."""
        chosen = self.chosen_handle
        before = self.rows.chosen
        self.handles = handles
        self._pages.clear()
        cursor = before or 0
        if self.is_following and self.wish.key is SortKey.ARRIVAL:
            cursor = 0 if self.wish.is_descending else len(handles) - 1
        elif chosen is not None:
            try:
                cursor = handles.index(chosen)
            except ValueError:
                cursor = min(cursor, len(handles) - 1)
        self.rows.hint = self._nothing()
        self.rows.set_rows(len(handles), self._line, cursor)
        self._draw_heading()
        self._place.show_standing()

    def _nothing(self) -> str:
        if self.wish.text or self.wish.with_errors:
            return "no trace fits: / changes the filter, e lists those without errors too"
        return self._place.standing.invitation or "no trace so far: they show here as they come"

    def say_nothing(self) -> None:
        """What an empty list says depends on how things stand."""
        self.rows.set_hint(self._nothing())

    @property
    def chosen_handle(self) -> int | None:
        chosen = self.rows.chosen
        return None if chosen is None or chosen >= len(self.handles) else self.handles[chosen]

    def row(self, index: int) -> TraceRow | None:
        """A row of the list; asks for a page of them where it is not known yet."""
        page, within = divmod(index, PAGE)
        if page not in self._pages:
            if len(self._pages) >= MOST_PAGES:
                self._pages.clear()
            handles = self.handles[page * PAGE : (page + 1) * PAGE]
            try:
                self._pages[page] = self._place.source.rows(handles)
            except BadInput as error:
                self._pages[page] = (None,) * len(handles)
                self._place.tell(str(error), is_trouble=True)
        rows = self._pages[page]
        return rows[within] if within < len(rows) else None

    def _line(self, index: int, width: int) -> tuple[Segment, ...]:
        return listing.line(self.row(index), width)

    def _draw_heading(self) -> None:
        wish = self.wish
        self._heading.set_lines(1, lambda _, width: listing.heading(wish, width))

    # -- deeds ---------------------------------------------------------------------------------------------------

    def _open(self) -> None:
        if self.chosen_handle is not None:
            self._place.open_trace(self.chosen_handle)

    def _ask_filter(self) -> None:
        title = "Only traces whose name, service or id has this in it (empty: all)"
        self._place.ask(title, self.wish.text, lambda text: self._wish(replace(self.wish, text=text.strip())))

    def _sort(self) -> None:
        keys = list(SortKey)
        key = keys[(keys.index(self.wish.key) + 1) % len(keys)]
        self._wish(replace(self.wish, key=key, is_descending=key in _FIRST_DOWN))

    def _wish(self, wish: Wish) -> None:
        if wish != self.wish:
            self.is_following = self.is_following and wish.key is SortKey.ARRIVAL
            self.wish = wish
            self._draw_heading()
            self.load()

    def follow(self, is_following: bool) -> None:
        """Stay at the newest from now on, or do not."""
        self.is_following = is_following
        if is_following:
            self.wish = replace(self.wish, key=SortKey.ARRIVAL, is_descending=False)
            self._draw_heading()
            self.load()
        self._place.show_standing()

    def on_rows_at_end(self, event: Rows.AtEnd) -> None:
        """Whoever goes up wants to look at something; whoever comes to the end wants to follow again."""
        event.stop()
        is_newest_last = self.wish.key is SortKey.ARRIVAL and not self.wish.is_descending
        if is_newest_last and event.is_at_end != self.is_following:
            self.is_following = event.is_at_end
            self._place.show_standing()

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        event.stop()

    def _copy(self) -> None:
        chosen = self.rows.chosen
        row = None if chosen is None else self.row(chosen)
        if row is not None:
            named = f"{row.service}: {row.root}" if row.service else row.root
            text = f"{row.id}  {iso(row.start_ns)}  {precise(row.took_ns)}  {row.spans} spans, {row.errors} errors  "
            self._place.copy(text + named, "the trace")
