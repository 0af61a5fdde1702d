"""One trace: its tree, each row with its bar, a map of the whole on top and the details of the chosen span below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.timer import Timer

from debugger.lenses.lines import LineView
from debugger.traces import heads, rows
from debugger.traces.analysis import Analysis, analysed, told
from debugger.traces.critical import Path, critical_path
from debugger.traces.hooks import Hook
from debugger.traces.lanes import Lanes
from debugger.traces.naming import called, iso
from debugger.traces.outline import By, Hide, Outline
from debugger.traces.panes.detail import DetailPane
from debugger.traces.panes.lines import Rows, Strip
from debugger.traces.panes.place import Deeds, Place
from debugger.traces.panes.seen import SeenHooks
from debugger.traces.rows import Drawing
from debugger.traces.seam import TraceRow
from debugger.traces.seeking import next_error, next_match
from debugger.traces.skeleton import Skeleton
from debugger.traces.window import Window, precise
from debugger.views.text import Segment, visible

FIRST: Final = 5_000
"""Spans that are shown first of a trace that has more than `LARGE`, while all of it is read."""
LARGE: Final = 20_000
GIANT: Final = 25_000
"""Dispatches and stretches of one trace that is made of facts, beyond which it is read bit by bit, as a reader asks."""
REST_S: Final = 0.06
"""How long a reader has to stay at a row before its details are looked up: who holds a key down does not want them."""
ZOOM: Final = 0.5
PAN: Final = 0.25
_DETAIL: Final = ("usual", "large", "none")


class TreePane(Vertical):
    """`show` opens a trace; a growing one is shown anew whenever more of it has come."""

    def __init__(self, place: Place) -> None:
        super().__init__(id="trace")
        self._place = place
        self._story_line, self._minimap = Strip(id="story"), Strip(id="minimap")
        self.listed = Rows(id="tree", hint="reading ...")
        self.detail = DetailPane(id="detail")
        self.handle: int | None = None
        self.outline: Outline | None = None
        self.drawing: Drawing | None = None
        self.analysis: Analysis | None = None
        self._hidden: frozenset[Hide] = frozenset()
        self._needle = ""
        self._all_hooks: Mapping[int, Hook] = {}
        self._all_hooks_of: Skeleton | None = None
        """Everything that a trace says about hook chains, once somebody looks for a word in it."""
        self._chosen_path: Path | None = None
        """The critical path of the span it was asked for, instead of that of the whole."""
        self._sentence = ""
        self._resting: Timer | None = None
        self._detail = 0
        self.is_reading = False
        self._most: int | None = None
        """Spans that are read of this trace; None for all."""
        self.deeds: Deeds = {
            "more": lambda _: self._more(),
            "fold": lambda _: self._toggle(),
            "left": lambda _: self._left(),
            "right": lambda _: self._right(),
            "unfold_all": lambda _: self._refold(lambda outline: outline.unfold_all()),
            "depth": lambda level: self._refold(lambda outline: outline.to_depth(int(level))),
            "zoom": self._zoom,
            "pan": lambda way: self._look(self._window.panned(-PAN if way == "left" else PAN)),
            "error": lambda way: self._next_error(way == "next"),
            "find": lambda _: self._place.ask("Find spans that have this in them", self._needle, self._find),
            "match": lambda way: self._next_match(way == "next"),
            "path": lambda of: self._show_path(of == "chosen"),
            "own": lambda _: self._redraw(shows_own=not self._now.shows_own),
            "absolute": lambda _: self._redraw(is_absolute=not self._now.is_absolute),
            "hide": self._hide,
            "merge": lambda _: self._merge(),
            "detail": lambda _: self._size_detail(),
            "value": lambda _: self.detail.toggle(),
            "copy": lambda _: self._copy(),
            "copy_path": lambda _: self._copy_path(),
        }

    def compose(self) -> ComposeResult:
        yield from (self._story_line, self._minimap, self.listed, self.detail)

    def take_focus(self) -> None:
        self.listed.focus()

    @property
    def _now(self) -> Drawing:
        assert self.drawing is not None, "deeds are done once there is a trace"
        return self.drawing

    @property
    def _window(self) -> Window:
        return self._now.window

    @property
    def chosen(self) -> int | None:
        """The place of the chosen row."""
        row = self.listed.chosen
        return None if row is None or self.outline is None or row >= len(self.outline) else self.outline.place(row)

    # -- opening -------------------------------------------------------------------------------------------------

    def show(self, handle: int) -> None:
        """Another trace; one that is large shows its first spans while the others are read."""
        if handle != self.handle:
            self.handle = handle
            self.outline = self.drawing = self.analysis = self._chosen_path = self._most = None
            self._sentence = ""
            self.listed.set_hint("reading ...")
            self.listed.set_rows(0, self._line, None)
            self.detail.clear()
        source = self._place.source
        [row] = source.rows([handle])
        if row is not None and row.is_least and row.spans > GIANT and self.outline is None:
            self._most = FIRST
            self.refresh_trace()
        elif row is not None and row.spans > LARGE and self.outline is None:
            self._place.in_background("trace", lambda: source.skeleton(handle, FIRST), self._take_first)
        else:
            self.refresh_trace()

    def refresh_trace(self) -> None:
        """Read the trace that is shown again: all of it, or as much as was asked for."""
        handle, source, most = self.handle, self._place.source, self._most
        if handle is not None:
            self.is_reading = True
            self._place.in_background("trace", lambda: source.skeleton(handle, most), self._take)

    def _more(self) -> None:
        """Four times as much of a trace of which not all is read."""
        if self._most is None or self.outline is None or not self.outline.skeleton.all_spans:
            self._place.tell("All of this trace is read.")
            return
        self._most *= 4
        self.refresh_trace()
        self._story()

    def grow_to(self, row: TraceRow) -> None:
        """Read the trace again if more of it has come than is shown."""
        if self.outline is not None and row.handle == self.handle and row.touched != self.outline.skeleton.touched:
            self.refresh_trace()

    def _take_first(self, skeleton: Skeleton) -> None:
        self._set(skeleton)
        self._story()
        self.refresh_trace()

    def _take(self, skeleton: Skeleton) -> None:
        self.is_reading = False
        source = self._place.source
        self._set(skeleton)
        self._story()
        self._place.in_background("analysis", lambda: analysed(source, skeleton), self._take_analysis)

    def _set(self, skeleton: Skeleton) -> None:
        """Show a skeleton; of the same trace, as it was looked at before."""
        before, window = self.outline, Window(skeleton.total_ns)
        chosen = None if before is None or self.chosen is None else before.skeleton.ids[self.chosen]
        outline = Outline(skeleton, self._hidden)
        if before is not None:
            window = self._window.of(skeleton.total_ns)
            if folded := before.folded_ids():
                outline.fold_ids(folded)
        settings = self.drawing or Drawing(outline, window, Lanes(skeleton))
        self.outline = outline
        self.drawing = replace(
            settings,
            outline=outline,
            window=window,
            lanes=Lanes(skeleton),
            hooks=SeenHooks(self._place.source, outline),
            own=(),
            path=None,
        )
        self.analysis = self._chosen_path = None
        cursor = 0
        if chosen is not None and chosen in skeleton.ids:
            cursor = outline.row_of(skeleton.ids.index(chosen))
        self.listed.hint = "this trace has no spans"
        self.listed.set_rows(len(outline), self._line, cursor)
        self._draw_map()
        self._rest()

    def _take_analysis(self, analysis: Analysis) -> None:
        shows_path = self.drawing is not None and self.drawing.path is not None
        self.analysis = analysis
        self._sentence = analysis.sentence
        self._redraw(own=analysis.own)
        if shows_path and analysis.path is not None and self._chosen_path is None:
            self._redraw(path=analysis.path.by_place())
        self._draw_map()
        self._story()
        self._rest()

    # -- drawing -------------------------------------------------------------------------------------------------

    def _line(self, index: int, width: int) -> tuple[Segment, ...]:
        return () if self.drawing is None else rows.line(self.drawing, index, width)

    def _redraw(self, **changes: object) -> None:
        self.drawing = replace(self._now, **changes)  # type: ignore[arg-type]  # names of its fields
        self.listed.refresh()
        self._draw_map()

    def _story(self) -> None:
        """What the trace is, and what its wait was made of."""
        if self.outline is None:
            return
        what = heads.about(self.outline.skeleton, self._hidden)
        is_partial = bool(self.outline.skeleton.all_spans)
        if is_partial and self._most is not None and not self.is_reading:
            sentence = "M reads more"
        elif self.is_reading:
            sentence = "reading on ..."
        else:
            sentence = self._sentence or ("reading on ..." if is_partial else "")
        self._story_line.set_lines(1, lambda _, width: heads.story(what, sentence, width))

    def _draw_map(self) -> None:
        self._minimap.set_lines(heads.LINES, self._map_line)

    def _map_line(self, index: int, width: int) -> tuple[Segment, ...]:
        if self.drawing is None:
            return (Segment(" " * width),)
        below = self.listed.scrollable_content_region.width or width
        density = None if self.analysis is None else self.analysis.density
        return heads.map_line(self.drawing, density, index, width, below)

    # -- the chosen row ------------------------------------------------------------------------------------------

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        event.stop()
        if event.sender is self.listed:
            self._follow_row()

    def _follow_row(self) -> None:
        """What is chosen has to be in the window; and its details are shown once the reader stays there."""
        place = self.chosen
        if place is not None and self.drawing is not None:
            made = self.drawing.skeleton
            window = self._window.showing(made.starts[place], made.ends[place])
            if window != self._window:
                self._look(window)
        self._rest()

    def _rest(self) -> None:
        if self._resting is not None:
            self._resting.stop()
        self._resting = self.set_timer(REST_S, self._show_detail)

    def _show_detail(self) -> None:
        place = self.chosen
        if place is not None and self.drawing is not None and self._detail != 2:
            self.detail.show_span(self._place, self.drawing, place)

    def _go(self, place: int) -> None:
        """Choose a place, whatever it is folded into."""
        assert self.outline is not None
        row = self.outline.reveal(place)
        self.listed.set_rows(len(self.outline), self._line, row)
        self._follow_row()

    # -- deeds ---------------------------------------------------------------------------------------------------

    def _toggle(self) -> None:
        row, outline = self.listed.chosen, self.outline
        if row is None or outline is None:
            return
        if (marker := outline.marker(row)) is not None:
            self._set_hidden({hide for hide in self._hidden if not self._hides(hide, marker.first, marker.end)})
            self._go(marker.first)
        elif outline.fold(row, is_folded=not outline.is_folded(outline.rows[row])):
            self.listed.set_rows(len(outline), self._line, row)

    def _hides(self, hide: Hide, first: int, end: int) -> bool:
        """Whether this is why one of these is hidden."""
        made = self._now.skeleton
        column = made.names if hide.by is By.NAME else made.services
        return hide.value in column[first:end]

    def _left(self) -> None:
        row, outline = self.listed.chosen, self.outline
        if row is None or outline is None:
            return
        place = outline.place(row)
        if outline.marker(row) is None and outline.fold(row, is_folded=True):
            self.listed.set_rows(len(outline), self._line, row)
        elif outline.skeleton.parents[place] >= 0:
            self._go(outline.skeleton.parents[place])

    def _right(self) -> None:
        row, outline = self.listed.chosen, self.outline
        if row is None or outline is None or outline.marker(row) is not None:
            return
        place = outline.place(row)
        if outline.fold(row, is_folded=False):
            self.listed.set_rows(len(outline), self._line, row)
        elif outline.skeleton.children[place]:
            self.listed.set_rows(len(outline), self._line, row + 1)
            self._follow_row()

    def _refold(self, change: Callable[[Outline], None]) -> None:
        if self.outline is None:
            return
        place = self.chosen
        change(self.outline)
        row = 0 if place is None else self.outline.row_of(place)
        self.listed.set_rows(len(self.outline), self._line, row)
        self._follow_row()

    def _zoom(self, how: str) -> None:
        window, place, made = self._window, self.chosen, self._now.skeleton
        match how:
            case "fit":
                self._look(window.fit())
            case "selection" if place is not None:
                self._look(window.onto(made.starts[place], made.ends[place]))
            case "in" | "out":
                around = None
                if place is not None and made.starts[place] < window.end_ns and made.ends[place] > window.from_ns:
                    shown = max(made.starts[place], window.from_ns), min(made.ends[place], window.end_ns)
                    around = (shown[0] + shown[1]) // 2
                self._look(window.zoomed(ZOOM if how == "in" else 1 / ZOOM, around))

    def _look(self, window: Window) -> None:
        self._redraw(window=window)

    def _next_error(self, is_forward: bool) -> None:
        """Round the ends of the trace, if need be."""
        found = next_error(self._now.skeleton, self.chosen or 0, is_forward=is_forward)
        if found is None:
            self._place.tell("no span of this trace has an error")
        else:
            self._go(found)

    def _find(self, text: str) -> None:
        self._needle = text
        made, source = self._now.skeleton, self._place.source
        if text and self._all_hooks_of is not made:
            self._place.in_background("find", lambda: (made, source.all_hooks(made)), self._take_all_hooks)
        elif text:
            self._next_match(True)

    def _take_all_hooks(self, found: tuple[Skeleton, Mapping[int, Hook]]) -> None:
        self._all_hooks_of, self._all_hooks = found
        if self._all_hooks_of is self._now.skeleton:
            self._next_match(True)

    def _next_match(self, is_forward: bool) -> None:
        if not self._needle:
            self._place.tell("/ says what to find")
            return
        made, place = self._now.skeleton, -1 if self.chosen is None else self.chosen
        hooks = self._all_hooks if self._all_hooks_of is made else {}
        found = next_match(made, hooks, self._needle, place, is_forward=is_forward)
        if found is None:
            self._place.tell(f"nothing here has {visible(self._needle)} in it")
        else:
            self._go(found)

    def _show_path(self, of_chosen: bool) -> None:
        """The critical path of the whole, or of the chosen span; once more to see all spans alike."""
        made, place, source = self._now.skeleton, self.chosen, self._place.source
        if of_chosen and place is not None:

            def of_this() -> tuple[Path, str]:
                path = critical_path(made, place)
                return path, told(source, made, path)

            self._place.in_background("path", of_this, self._take_path)
        elif self._now.path is not None:
            self._chosen_path = None
            self._sentence = "" if self.analysis is None else self.analysis.sentence
            self._redraw(path=None)
            self._story()
        elif self.analysis is not None and self.analysis.path is not None:
            self._redraw(path=self.analysis.path.by_place())
        else:
            self._place.tell("the critical path is not counted yet")

    def _take_path(self, found: tuple[Path, str]) -> None:
        path, sentence = found
        self._chosen_path = path
        name = called(self._now.skeleton, path.top, self._now.hooks)
        self._sentence = f"of {name}: {sentence}"
        self._redraw(path=path.by_place())
        self._story()

    def _hide(self, what: str) -> None:
        made, place = self._now.skeleton, self.chosen
        if what == "nothing":
            self._set_hidden(frozenset())
        elif place is not None and made.keys[place] >= 0:
            hide = Hide(By.NAME, made.names[place]) if what == "name" else Hide(By.SERVICE, made.services[place])
            self._set_hidden(self._hidden | {hide})
        self._story()

    def _set_hidden(self, hidden: frozenset[Hide] | set[Hide]) -> None:
        self._hidden = frozenset(hidden)
        self._refold(lambda outline: outline.hide(self._hidden))

    def _merge(self) -> None:
        place = self.chosen
        if place is None:
            return
        hook = self._now.hooks.get(place)
        name = called(self._now.skeleton, place, self._now.hooks)
        self._place.open_merged(hook.point if hook is not None and hook.point and not hook.is_step else name)

    def _size_detail(self) -> None:
        self._detail = (self._detail + 1) % len(_DETAIL)
        for number, name in enumerate(_DETAIL):
            self.set_class(number == self._detail, f"detail-{name}")
        if self.detail.has_focus and self._detail == 2:
            self.listed.focus()
        self._show_detail()

    def _copy(self) -> None:
        if self.detail.has_focus:
            self._place.copy(self.detail.value, "the value")
            return
        place, made = self.chosen, self._now.skeleton
        if place is None:
            return
        began, ended = made.base_ns + made.starts[place], made.base_ns + made.ends[place]
        name = called(made, place, self._now.hooks)
        self._place.copy(f"{name}  {precise(made.took(place))}  {iso(began)} to {iso(ended)}", "the span")

    def _copy_path(self) -> None:
        if self.detail.path:
            self._place.copy(self.detail.path, "the path")
        else:
            self._place.tell("in the details (tab), a line that has a value")
