"""The screen over a source of spans: joins the panes to the source and to the keys. Wiring only.

Dialogs are imported when they are opened: what they need takes longer to load than everything else here.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import ClassVar, Final, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Footer

from debugger.traces.actions import ACTIONS, View
from debugger.traces.panes.lines import Strip
from debugger.traces.panes.merged import MergedPane
from debugger.traces.panes.place import Deed, Deeds
from debugger.traces.panes.statistics import StatisticsPane
from debugger.traces.panes.traces import TracesPane
from debugger.traces.panes.tree import TreePane
from debugger.traces.seam import SpanSource, Standing, TraceRow, Wish
from debugger.traces.standing import help_lines, refusal_lines, standing_line
from debugger.views.text import Segment
from kernel.errors import BadInput

T = TypeVar("T")

LOOK_S: Final = 0.2
"""How often is looked whether something has come."""
SHARE: Final = 4
"""What comes is taken in so seldom that it costs at most about one part in so many of the time."""


class TraceDesk(Screen[None]):
    """Lists, trees and figures of one source. Closes the source when it goes."""

    CSS_PATH: ClassVar = ["../desk/desk.tcss", "traces.tcss"]  # the looks of lines and dialogs are the same
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(action.keys, action.call, action.label, show=action.is_in_footer, tooltip=action.help, priority=True)
        for action in ACTIONS
    ]

    def __init__(self, source: SpanSource, *, on_leave: Callable[[], object] | None = None) -> None:
        """`on_leave` is done when the reader leaves; without it the application ends."""
        super().__init__()
        self.source = source
        self._leaving = on_leave
        self._standing_line = Strip(id="standing")
        self._views: list[View] = [View.TRACES]
        self._turns: dict[str, int] = {}
        self._asked = threading.Condition()
        self._asking = 0
        """How many threads ask the source."""
        self._is_left = False
        self.standing = Standing()
        self._seen = -1
        """The state of the source that is on the screen."""
        self._unseen = 0
        """Changes that came while nothing new was taken in."""
        self._not_before = 0.0
        self._is_looking = False
        self.is_frozen = False
        self.traces, self.tree_pane = TracesPane(self), TreePane(self)
        self.statistics, self.merged = StatisticsPane(self), MergedPane(self)
        self._deeds: Deeds = {
            "refused": lambda _: self._show_refused(),
            "freeze": lambda _: self._freeze(),
            "back": lambda _: self._back(),
            "help": lambda _: self._show_help(),
            "quit": lambda _: self._leave(),
        }

    # -- life ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield self._standing_line
        for pane in self._panes.values():
            pane.add_class("pane")
            yield pane
        yield Footer(show_command_palette=False)

    @property
    def _panes(self) -> Mapping[View, TracesPane | TreePane | StatisticsPane | MergedPane]:
        return {
            View.TRACES: self.traces,
            View.TRACE: self.tree_pane,
            View.STATISTICS: self.statistics,
            View.MERGED: self.merged,
        }

    def on_mount(self) -> None:
        self._show_view()
        self._look()
        self.set_interval(LOOK_S, self._look)

    def on_unmount(self) -> None:
        self.statistics.stop()
        self.merged.stop()
        with self._asked:
            self._is_left = True
        threading.Thread(target=self._close_source, name="closing traces").start()

    def _close_source(self) -> None:
        """Once nobody asks any more: SQLite crashes where a connection is closed under a reader."""
        with self._asked:
            self._asked.wait_for(lambda: not self._asking)
        self.source.close()

    # -- what panes need: see panes/place.py ---------------------------------------------------------------------

    def in_background(self, group: str, act: Callable[[], T], then: Callable[[T], None]) -> None:
        turn = self._turns[group] = self._turns.get(group, 0) + 1

        def done(found: T) -> None:
            if self._turns[group] == turn and self.is_attached:
                then(found)

        def run() -> None:
            with self._asked:
                if self._is_left:
                    return
                self._asking += 1
            try:
                ask()
            finally:
                with self._asked:
                    self._asking -= 1
                    self._asked.notify_all()

        def ask() -> None:
            try:
                found = act()
            except BadInput as error:
                self.call_later(partial(self._failed, group, turn, error))
                return
            self.call_later(done, found)

        if not self._is_left:
            self.run_worker(run, thread=True, group=group)

    def _failed(self, group: str, turn: int, error: BadInput) -> None:
        if self._turns[group] == turn and self.is_attached:
            self.tell(str(error), is_trouble=True)

    def tell(self, sentence: str, *, is_trouble: bool = False) -> None:
        self.app.notify(sentence, severity="error" if is_trouble else "information", markup=False)

    def ask(self, title: str, text: str, take: Callable[[str], None]) -> None:
        from debugger.lenses.prompt import Judgement, Prompt

        def taken(written: str | None) -> None:
            if written is not None:
                take(written)

        self.app.push_screen(Prompt(title, text, lambda _: Judgement("")), taken)

    def copy(self, text: str, what: str) -> None:
        if text:
            self.app.copy_to_clipboard(text)
            self.tell(f"copied {what}, {len(text):,} characters")

    def open_trace(self, handle: int) -> None:
        try:
            self.tree_pane.show(handle)
        except BadInput as error:
            self.tell(str(error), is_trouble=True)
            return
        self._go(View.TRACE)

    def open_statistics(self) -> None:
        self.statistics.show(self.traces.handles)
        self._go(View.STATISTICS)

    def open_merged(self, only: str | None) -> None:
        self.merged.show(self.traces.handles, only)
        self._go(View.MERGED)

    def show_standing(self) -> None:
        about = {View.STATISTICS: self.statistics.said, View.MERGED: self.merged.said}.get(self.view, "")

        def draw(_: int, width: int) -> tuple[Segment, ...]:
            return standing_line(
                self.source.title,
                self.standing,
                width,
                about=about,
                unseen=self._unseen if self.is_frozen else None,
                is_following=self.traces.is_following and self.view is View.TRACES,
                listed=len(self.traces.handles),
            )

        self._standing_line.set_lines(1, draw)

    # -- views ---------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        return self._views[-1]

    def _go(self, view: View) -> None:
        if view in self._views:
            del self._views[self._views.index(view) :]
        self._views.append(view)
        self._show_view()

    def _show_view(self) -> None:
        for view, pane in self._panes.items():
            pane.set_class(view is self.view, "shown")
        self._panes[self.view].take_focus()
        self.show_standing()
        self.refresh_bindings()

    def _back(self) -> None:
        if len(self._views) == 1:
            self._leave()
            return
        gone = self._views.pop()
        if gone is View.STATISTICS:
            self.statistics.stop()
        if gone is View.MERGED:
            self.merged.stop()
        self._show_view()

    def _leave(self) -> None:
        if self._leaving is not None:
            self._leaving()
        else:
            self.app.exit(0)

    # -- what comes ----------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """See whether the source has changed, and take that in; nothing of it while the view is frozen."""
        if self._is_looking or time.monotonic() < self._not_before:
            return
        try:
            changes = self.source.changes()
        except BadInput as error:
            self._not_before = float("inf")  # it will not get better by asking again
            self.tell(str(error), is_trouble=True)
            return
        if self.is_frozen:
            self._unseen = changes - self._seen
            self.show_standing()
        elif changes != self._seen or self.standing.is_growing or self.standing.progress:
            self._take_in(changes)

    def _take_in(self, changes: int) -> None:
        self._is_looking = True
        source, wish, is_new = self.source, self.traces.wish, changes != self._seen
        handle = self.tree_pane.handle

        def read() -> tuple[float, Standing, Sequence[int] | None, TraceRow | None]:
            started = time.monotonic()
            order = source.order(wish) if is_new else None
            [row] = source.rows([handle]) if handle is not None and is_new else [None]
            return started, source.standing(), order, row

        self._seen = changes
        self.in_background("look", read, lambda found: self._took_in(wish, *found))
        self._not_before = time.monotonic() + LOOK_S

    def _took_in(
        self, wish: Wish, started: float, standing: Standing, order: Sequence[int] | None, row: TraceRow | None
    ) -> None:
        self._is_looking = False
        cost = time.monotonic() - started
        self._not_before = time.monotonic() + max(LOOK_S, cost * SHARE)
        if standing.trouble and standing.trouble != self.standing.trouble:
            self.tell(standing.trouble, is_trouble=True)
        is_news = standing != self.standing or order is not None or row is not None
        self.standing = standing
        self.traces.say_nothing()
        if order is not None and wish == self.traces.wish:
            self.traces.set_handles(order)
        if row is not None and not self.tree_pane.is_reading:
            self.tree_pane.grow_to(row)
        if is_news:
            self.show_standing()

    def _freeze(self) -> None:
        self.is_frozen = not self.is_frozen
        self._unseen = 0
        self.show_standing()
        self._look()

    def _show_help(self) -> None:
        from debugger.lenses.help import Page

        self.app.push_screen(Page("Keys of the traces", help_lines(self.view)))

    def _show_refused(self) -> None:
        from debugger.lenses.help import Page

        source = self.source

        def show(refused: tuple[str, ...]) -> None:
            self.app.push_screen(Page("What could not be used", refusal_lines(refused)))

        self.in_background("refused", source.refusals, show)

    # -- keys ----------------------------------------------------------------------------------------------------

    def _deed(self, name: str) -> Deed | None:
        return self._panes[self.view].deeds.get(name) or self._deeds.get(name)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Keys of another view are not there; some of this one have nothing to act on yet."""
        if action != "do":
            return True
        wanted = next(each for each in ACTIONS if each.id == parameters[0])
        return self.view in wanted.where

    def action_do(self, identity: str) -> None:
        """Do what a key says."""
        name, _, argument = identity.partition(".")
        deed = self._deed(name)
        is_early = self.view is View.TRACE and self.tree_pane.drawing is None and name not in self._deeds
        if deed is not None and not is_early:
            deed(argument)
