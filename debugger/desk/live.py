"""The desk over subscribers that run: joins the session on the kernel's thread to the lenses. Wiring only."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import ClassVar, Final, TypeVar

from textual.binding import BindingType

from debugger.actions import Action, Where
from debugger.bridge import Bridge, OpenSession
from debugger.desk import answering, book, breaking, breakpoints, editing, firing, playing, stepping
from debugger.desk.place import Deed
from debugger.desk.pulse import BEAT_S, Pulse
from debugger.desk.screen import Desk, bindings
from debugger.kernel_thread import KernelThread
from debugger.lenses.banner import Banner
from debugger.opening import Opening
from debugger.runcontrol import RunState, Stance
from debugger.session import Note, Session
from debugger.trace import DispatchTrace, StretchTrace
from debugger.views.banner import banner
from debugger.views.chain import ChainView, idle_view
from debugger.views.header import HeaderView, header_view
from debugger.views.story import Story
from debugger.views.text import Line
from kernel.dialect import Dialect
from kernel.errors import HookscopeError
from kernel.values import Subscription

T = TypeVar("T")

FRAME_S: Final = 0.03
"""At most this often the screen follows the kernel."""
MOST_AT_ONCE: Final = 5000
"""Events that are taken in before the keys get their turn."""
TICK_S: Final = 0.1
"""How often deadlines and holds count on screen."""


class LiveDesk(Desk):
    """See the module's docstring. `session` is None until the configuration was read."""

    WHERE: ClassVar[Where] = Where.LIVE
    BINDINGS: ClassVar[list[BindingType]] = bindings(Where.LIVE)

    def __init__(self, opening: Opening, kernel: KernelThread, open_session: OpenSession) -> None:
        self._described = opening
        self._open_session = open_session
        self._footer_state = RunState.IDLE
        self._pulse: Pulse | None = None
        self._bridge = Bridge(kernel, self._follow_soon)
        super().__init__(opening)

    def _deeds(self) -> dict[str, Deed]:
        return super()._deeds() | {name: deed for theme in _THEMES for name, deed in theme.deeds(self).items()}

    def _elsewhere(self) -> None:
        """What an action says that makes no sense here."""
        self.say("That goes through a recording: `hookscope open FILE`, of a run that was recorded with -o.", timeout=5)

    # -- life ----------------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        """After what every desk does then: Textual calls both."""
        self.set_interval(TICK_S, self._tick)

    async def _begin(self) -> None:
        """Read the configuration and start its subscribers, while the screen already stands."""
        try:
            opened = await self.ask(self._open_session(self._described, self._bridge.has_news))
        except HookscopeError as error:
            self.problem = str(error)
            self.app.exit(2)
            return
        self.session, self.span_book = opened
        chains = self.session.setup.chains
        self.point = next((point for point, chain in chains.items() if chain.subscriptions), "")
        self._draw()
        if self.session.runs_callables:
            self._pulse = Pulse(self._described.output)
            self.set_interval(BEAT_S, self._beat)
        await self._open_book(self.session)
        await self.ask(self.session.start())
        for point in self._described.fire_first:
            await firing.fire(self, point, Stance.TO_BREAKPOINT)
        if self._described.play is not None:
            await playing.play(self, self._described.play)

    async def _open_book(self, session: Session) -> None:
        """Go on with what the project file keeps; what is wrong there is told, and nothing of it is lost."""
        kept = await asyncio.to_thread(book.read, self.book.file)
        self.book.take(kept)
        for problem in kept.problems:
            self._tell(Note(problem, is_trouble=True))

        def set_up() -> None:
            session.use_saved_filters(kept.filters)
            for breakpoint in kept.breakpoints:
                session.add_breakpoint(breakpoint)

        await self.call(set_up)

    async def close(self) -> None:
        """Stop every subscriber."""
        if self._pulse is not None:
            await asyncio.to_thread(self._pulse.stop)
        if self.session is not None:
            await self.ask(self.session.close())

    def lent(self) -> AbstractContextManager[None]:
        return nullcontext() if self._pulse is None else self._pulse.held()

    # -- what deeds need: see debugger/desk/place.py -------------------------------------------------------------------

    @property
    def dialect(self) -> Dialect | None:
        return None if self.session is None else self.session.setup.dialect

    @property
    def seat(self) -> Subscription | None:
        step = self.choosing.step
        if step is None or self.chosen is not None:
            return super().seat
        seats = self.session.setup.chains[self.point].subscriptions if self.session is not None and self.point else ()
        return seats[step] if step < len(seats) else None

    def follow(self) -> None:
        self._follow()

    def wish(self, doing: Callable[[Session], object]) -> None:
        self.run_worker(self._wish(doing), name="wish", exit_on_error=False)

    async def _wish(self, doing: Callable[[Session], object]) -> None:
        session = self.session
        if session is None:
            return
        try:
            await self.call(lambda: doing(session))
        except HookscopeError as error:
            self.say(str(error), severity="warning")

    async def ask(self, doing: Awaitable[T]) -> T:
        return await self._bridge.ask(doing)

    async def call(self, doing: Callable[[], T]) -> T:
        return await self._bridge.call(doing)

    # -- following the kernel ------------------------------------------------------------------------------------------

    def _follow_soon(self) -> None:
        self.set_timer(FRAME_S, self._follow)

    def _follow(self) -> None:
        session = self.session
        self._bridge.read()
        if session is None or not self.is_running:
            return
        for _ in range(min(len(session.events), MOST_AT_ONCE)):
            self.trace.take(session.events.popleft())
        if session.events:
            self._bridge.has_news()
        while session.notes:
            self._tell(session.notes.popleft())
        before, self.seen = self.seen, session.view
        if self.seen.askings and self.seen.askings[:1] != before.askings[:1]:
            self._beside(playing.reply(self), "reply")  # by itself: keys that come meanwhile are not meant for it
        self.choosing = self.choosing.after_news(self.trace.dispatches, before, self.seen)
        self._draw()

    def _tick(self) -> None:
        if self.seen.states:
            self._draw()

    def _beat(self) -> None:
        for sentence in () if self._pulse is None else self._pulse.beat():
            self._tell(Note(sentence, is_trouble=True))
            self.refresh(layout=True)

    def _follow_newest(self) -> None:
        self.listing.freeze(False)
        self.choosing = replace(self.choosing, is_following=True)
        self._follow()

    # -- drawing -------------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        super()._draw()
        if not self.is_running or not self.is_attached:
            return
        self.query_one(Banner).set_lines(banner(self.seen, self._numbers(), self._clock_ns))
        if self.listing.sifted.unseen:
            self._follow_soon()
        if self._state() is not self._footer_state:
            self._footer_state = self._state()
            self.refresh_bindings()

    @property
    def _clock_ns(self) -> int:
        return 0 if self.session is None else self.session.clock.elapsed_ns()

    def _header(self) -> HeaderView:
        gone = 0 if self.session is None else self.session.gone()
        return header_view(self.opening.title, self.seen, self.choosing, self._clock_ns, gone)

    def _now_ns(self) -> int | None:
        if self.session is None or self.choosing.dispatch is None:
            return None
        return self.session.now_ns(self.choosing.dispatch)

    def _chain(self, trace: DispatchTrace | None, now_ns: int | None) -> ChainView:
        if trace is not None or self.session is None or not self.point:
            return super()._chain(trace, now_ns)
        return idle_view(self.session.setup.chains[self.point], self.seen, self.choosing.step)

    def _numbers(self) -> dict[str, int]:
        ids = [*(hold.dispatch for hold in self.seen.holds), *(each.dispatch for each in self.seen.stuck)]
        named = (self.trace.find(each) for each in ids)
        return {trace.id: trace.number for trace in named if trace is not None}

    def _hint(self) -> tuple[str, ...]:
        if not self.seen.is_started:
            return ("Starting the subscribers ...",)
        return (f"r fires {self.point}", "R fires it held at its first seam", "p chooses another point")

    def _story(self, session: StretchTrace) -> tuple[Line, ...]:
        if self.playable is None:
            return ()
        return tuple(Story(self.trace, self.playable.label, self.playable.details).of(session.id))

    # -- actions: see debugger/actions.py ------------------------------------------------------------------------------

    def _makes_sense(self, action: Action) -> bool:
        return action.needs(self._state())

    def _state(self) -> RunState:
        """The state that says which keys make sense: between two dispatches a played session is running, too."""
        if self.choosing.dispatch is None:
            return RunState.IDLE
        otherwise = RunState.RUNNING if self.seen.is_playing else RunState.FINISHED
        return self.seen.states.get(self.choosing.dispatch, otherwise)


_THEMES: Final = (stepping, answering, firing, editing, breakpoints, breaking, playing)
