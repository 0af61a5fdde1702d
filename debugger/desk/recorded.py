"""The desk over a recording: nobody runs. Dispatches are folded where they are looked at, and one can stand in them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import BindingType
from textual.timer import Timer

from debugger.actions import Where
from debugger.choosing import Choosing
from debugger.desk import scrubbing
from debugger.desk.place import Deed
from debugger.desk.recorded_listing import RecordedListing
from debugger.desk.screen import Desk, bindings
from debugger.lenses.dispatches import DispatchList
from debugger.lenses.lines import LineView
from debugger.opening import RecordingOpening
from debugger.scrubbing import Reel, Scrub, paced
from debugger.session import Note, SessionView
from debugger.store.browsing import RecordedTrace
from debugger.store.notes import Remark
from debugger.store.origin import Origin, origin_of
from debugger.store.recording import Recording
from debugger.trace import DispatchTrace, StretchTrace
from debugger.version import VERSION
from debugger.views.header import HeaderView, RecordedState, recorded_view
from debugger.views.lens import Lens
from debugger.views.story import Story
from debugger.views.text import Line
from kernel.dialect import Dialect
from kernel.dialects import named
from kernel.errors import BadInput, HookscopeError

if TYPE_CHECKING:  # see debugger/desk/screen.py
    from debugger.spans import SpanBook

POLL_S: Final = 0.3
"""How often it is looked whether somebody has written to the file."""
FRESH_S: Final = 10.0
"""A recording that grew within this time is called one that is being written."""


class RecordedDesk(Desk):
    """See the module's docstring. What is open is `trace`, a `RecordedTrace` once the file was read."""

    WHERE: ClassVar[Where] = Where.RECORDED
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.RECORDED)

    def __init__(self, opening: RecordingOpening) -> None:
        self._reel = Reel()
        self._scrub: Scrub | None = None
        self._playing: Timer | None = None
        self._recorded: RecordedTrace | None = None
        self._origin = Origin()
        self._grew_at: float | None = None
        self._told: set[str] = set()
        self._dialects: dict[str, Dialect | None] = {}
        self._loop_here = asyncio.get_running_loop()
        self._context_here = copy_context()  # Textual finds the application in it
        super().__init__(opening)
        self.seen = SessionView(is_started=True)

    # -- life ----------------------------------------------------------------------------------------------------

    async def _begin(self) -> None:
        """Read what a first screen needs, then everything else."""
        path = self.opening.path
        try:
            recorded, remarks = await asyncio.to_thread(_read, path)
        except HookscopeError as error:
            self.problem = str(error)
            self.app.exit(2)
            return
        self.trace = self._recorded = recorded
        self.listing = RecordedListing(recorded, lambda: self.query_one(DispatchList), self._sifted_more)
        self.listing.remarks = remarks
        marked = [each for each in remarks.values() if each.is_marked]
        self.listing.marked = max(marked, key=lambda each: each.wall_ns).dispatch if marked else ""
        if recorded.all_numbers:
            first = recorded.row_of_number(recorded.all_numbers[0])
            self.choosing, self.point = Choosing(first.id, None, is_following=False), first.point
        self._draw()
        self.set_interval(POLL_S, self._poll)
        self._origin = await asyncio.to_thread(origin_of, recorded.recording.about, VERSION)
        for sentence in self._origin.differences:
            self._tell(Note(sentence))
        self._draw()

    async def close(self) -> None:
        if isinstance(self.listing, RecordedListing):
            await asyncio.to_thread(self.listing.close)
        if self._recorded is not None:
            self._recorded.close()

    def _poll(self) -> None:
        """Follow a recording that is still being written."""
        recorded = self._recorded
        if recorded is None:
            return
        try:
            is_longer = recorded.renew()
        except BadInput as error:
            self._tell_once(error)
            return
        if not is_longer:
            return
        self._grew_at = time.monotonic()
        if isinstance(self.listing, RecordedListing):
            self.listing.more()
        if self.choosing.is_following and not self.listing.is_frozen:
            self._to_newest()
        self._draw()

    def _sifted_more(self) -> None:
        """Called on the thread that sifts."""
        with suppress(RuntimeError):  # the screen is gone
            self._loop_here.call_soon_threadsafe(self._draw, context=self._context_here)

    # -- what is chosen, and where one stands in it ----------------------------------------------------------------

    @property
    def dialect(self) -> Dialect | None:
        whole = self._whole
        if whole is None:
            return None
        name = whole.opened.dialect
        if name not in self._dialects:
            self._dialects[name] = _as_it_was(name, self._origin.switches)
        return self._dialects[name]

    @property
    def _whole(self) -> DispatchTrace | None:
        """The chosen dispatch, to its end."""
        if self._recorded is None or self.choosing.dispatch is None:
            return None
        try:
            return self._recorded.find(self.choosing.dispatch)
        except BadInput as error:
            self._tell_once(error)
            return None

    def _tell_once(self, error: BadInput) -> None:
        """What is damaged is met with every frame."""
        if error.message not in self._told:
            self._told.add(error.message)
            self._tell(Note(str(error), is_trouble=True))

    @property
    def chosen(self) -> DispatchTrace | None:
        whole, scrub = self._whole, self._scrub
        if whole is None or scrub is None or scrub.dispatch != whole.id:
            return whole
        return self._reel.at(scrub, whole)

    @property
    def scrub(self) -> Scrub | None:
        whole = self._whole
        if whole is None or self._recorded is None:
            return None
        if self._scrub is None or self._scrub.dispatch != whole.id:
            events = self._recorded.events(whole.id)
            speed = 1.0 if self._scrub is None else self._scrub.speed
            self._scrub = Scrub(whole.id, events, len(events), speed=speed)
        return self._scrub

    def stand(self, scrub: Scrub) -> None:
        self._scrub = scrub
        step = scrub.step
        known = self.chosen
        is_there = known is not None and any(each.step == step for each in known.steps)
        self.choosing = Choosing(scrub.dispatch, step if is_there else None, is_following=False)
        if self._playing is not None:
            self._playing.stop()
            self._playing = None
        if scrub.is_playing:
            self._playing = self.set_timer(scrub.wait_s or self._gap_s(scrub), self._play_on)
        self._draw()

    def _gap_s(self, scrub: Scrub) -> float:
        """Seconds until the next dispatch begins while it plays."""
        return paced(1.0, scrub.speed)

    def _play_on(self) -> None:
        scrub = self._scrub
        if scrub is None or not scrub.is_playing or self._recorded is None:
            return
        if not scrub.is_at_end:
            self.stand(scrub.moved(1))
            return
        whole = self._recorded.row_of(scrub.dispatch)
        row = None if whole is None else self._recorded.nearest(whole.number, 1)
        if row is None:
            self.stand(scrub.playing(False))
            self.say("That was the last dispatch.", timeout=3)
            return
        self.point = row.point
        try:
            events = self._recorded.events(row.id)
        except BadInput as error:
            self._tell_once(error)
            self.choose(Choosing(row.id, None, is_following=False))
            return
        self.stand(Scrub(row.id, events, 1, is_playing=True, speed=scrub.speed))

    def choose(self, choosing: Choosing) -> None:
        self._leave(choosing.dispatch)
        super().choose(choosing)

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        if not isinstance(event.sender, DispatchList):
            super().on_line_view_moved(event)
            return
        event.prevent_default()
        listing, recorded = self.listing, self._recorded
        row = listing.row_at(event.index) if isinstance(listing, RecordedListing) else None
        if row is not None and recorded is not None:
            self.choosing = Choosing(row.id, None, row.number == recorded.all_numbers[-1])
            self.point = row.point
            self._leave(row.id)
            self._draw()

    def _leave(self, dispatch: str | None) -> None:
        """Who goes to another dispatch sees all of it, and does not play."""
        if self._scrub is not None and self._scrub.dispatch != dispatch:
            self._scrub = replace(self._scrub, is_playing=False)

    def _follow_newest(self) -> None:
        self.listing.freeze(False)
        self._to_newest()
        self._draw()

    def _to_newest(self) -> None:
        recorded = self._recorded
        if recorded is not None and recorded.all_numbers:
            row = recorded.row_of_number(recorded.all_numbers[-1])
            self._leave(row.id)
            self.choosing, self.point = Choosing(row.id), row.point

    # -- drawing -----------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        try:
            super()._draw()
        except BadInput as error:
            self._tell_once(error)
        if isinstance(self.listing, RecordedListing) and self.listing.problem:
            self._tell_once(BadInput(f"the filter has stopped looking: {self.listing.problem}"))

    def _header(self) -> HeaderView:
        recorded, scrub = self._recorded, self._scrub
        if recorded is None:
            return recorded_view(RecordedState(self.opening.title, None))
        is_standing = scrub is not None and scrub.dispatch == self.choosing.dispatch
        is_growing = self._grew_at is not None and time.monotonic() - self._grew_at < FRESH_S
        state = RecordedState(
            self.opening.title, recorded.standing, scrub if is_standing else None, self._origin, is_growing
        )
        return recorded_view(state)

    def _now_ns(self) -> int | None:
        scrub = self._scrub
        is_inside = scrub is not None and scrub.dispatch == self.choosing.dispatch and not scrub.is_at_end
        return scrub.now_ns if scrub is not None and is_inside else None

    def _hint(self) -> tuple[str, ...]:
        if self._recorded is None:
            return ("Reading the recording ...",)
        return ("No dispatch is over yet.", "They show here as they are recorded.")

    def _inspect(self, trace: DispatchTrace | None) -> None:
        if trace is not None and self.lens is Lens.SPAN:
            self.span_book = self._spans_of(trace.id)
        super()._inspect(trace)

    def _spans_of(self, dispatch: str) -> SpanBook | None:
        """The spans that the host would have exported, made again from what was told."""
        from debugger.spans import SpanBook

        dialect = self.dialect
        if dialect is None or self._recorded is None:
            return None
        book = SpanBook({dialect.name: dialect}, most=1)
        for event in self._recorded.events(dispatch):
            book.see(event)
        return book

    def _story(self, session: StretchTrace) -> tuple[Line, ...]:
        return tuple(Story(self.trace, lambda payload: "", ()).of(session.id))

    # -- actions -----------------------------------------------------------------------------------------------------

    def _deeds(self) -> dict[str, Deed]:
        """Those that need somebody who runs say what to do instead."""
        return super()._deeds() | dict(scrubbing.deeds(self)) | {"traces": self._show_traces}

    async def _show_traces(self) -> None:
        """The whole recording on the screen that spans of any program have."""
        from debugger.traces.screen import TraceDesk
        from debugger.traces.source import recording_source

        try:
            source = await asyncio.to_thread(recording_source, self.opening.path)
        except BadInput as error:
            self.say(str(error), severity="error")
            return
        await self.app.push_screen(TraceDesk(source, on_leave=self.app.pop_screen))

    def _elsewhere(self) -> None:
        path = self.opening.path.name
        config = self._origin.config or "CONFIG"
        self.say(
            f"This is a recording, nobody runs: `hookscope replay {path} --live NAME` asks again, "
            f"`hookscope open {config}` starts everybody.",
            timeout=6,
        )


def _read(path: Path) -> tuple[RecordedTrace, dict[str, Remark]]:
    recorded = RecordedTrace(Recording(path))
    return recorded, recorded.recording.remarks()


def _as_it_was(name: str, switches: Mapping[str, bool]) -> Dialect | None:
    """A dialect with its switches as they stood, as far as it still has them; None for one that is not known here."""
    try:
        dialect = named(name)
    except BadInput:
        return None
    for switch, is_on in switches.items():
        if switch in dialect.switches:
            dialect = dialect.switched(switch, is_on)
    return dialect
