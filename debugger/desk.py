"""The desk: joins the session on the kernel's thread to the lenses on the screen. Wiring only."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, cast

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer
from textual.worker import Worker, WorkerState

from debugger.actions import ACTIONS
from debugger.bridge import Bridge, OpenSession
from debugger.choosing import Choosing
from debugger.kernel_thread import KernelThread
from debugger.lenses.chain import ChainStrip
from debugger.lenses.dispatches import DispatchList
from debugger.lenses.header import Header
from debugger.lenses.inspector import Inspector, LensTabs
from debugger.lenses.lines import LineView, TextView
from debugger.lenses.spans import SpanTree
from debugger.opening import Opening
from debugger.runcontrol import Breakpoint, Command, RunState, Side, Stance
from debugger.session import Note, Session, SessionView
from debugger.spans import SpanBook
from debugger.trace import DispatchTrace, Trace
from debugger.views import inspect
from debugger.views import spans as span_views
from debugger.views.chain import ChainView, chain_view, idle_view
from debugger.views.diffs import NARROW, DiffStyle
from debugger.views.header import header_view
from debugger.views.lens import Drawn, Lens, Subject, draw
from debugger.views.story import Story
from debugger.views.text import Emphasis, Line, Segment
from kernel.dialects import load_session
from kernel.errors import HookscopeError
from kernel.playing import Playable
from kernel.values import JSON, Payload, Subscription

log = logging.getLogger(__name__)

FRAME_S = 0.03
"""At most this often the screen follows the kernel."""
MOST_AT_ONCE = 5000
"""Events that are taken in before the keys get their turn."""
TICK_S = 0.1
"""How often deadlines and holds count on screen."""
MOST_TOLD = 1000
"""Notes that are kept to be read."""
CHOOSE_FIRST = "Choose a subscriber first: [ and ] walk along the chain."


class Desk(Screen[None]):
    """The one screen. What its keys do is in debugger/actions.py."""

    CSS_PATH = "desk.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(action.key, action.call, action.label, show=action.is_in_footer, tooltip=action.help, id=action.id)
        for action in ACTIONS
    ]

    def __init__(self, opening: Opening, kernel: KernelThread, open_session: OpenSession) -> None:
        super().__init__()
        self.opening = opening
        self._open_session = open_session
        self._bridge = Bridge(kernel, self._follow_soon)
        self.session: Session | None = None
        self.span_book: SpanBook | None = None
        self.trace = Trace()
        self.seen = SessionView()
        self.choosing = Choosing()
        self.point = ""
        self.payloads: dict[str, Payload] = {}
        self.playable: Playable | None = None
        """The described session that was played last."""
        self.lens = Lens.DIFF
        self.diff_style = DiffStyle.UNIFIED
        self.told: list[Note] = []
        self.problem = ""
        """Why there is nothing to show, if so."""
        self._shown: Subject | None = None
        self._footer_state = RunState.IDLE

    # -- life ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Header()
        yield ChainStrip(id="chain")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield DispatchList(id="dispatches")
                yield SpanTree(id="spans")
            yield Inspector(id="inspector")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#dispatches").border_title = "Dispatches"
        self.query_one("#spans").border_title = "Spans"
        self.query_one("#dispatches").focus()
        self._draw()
        self.set_interval(TICK_S, self._tick)
        self._begin()

    @work(exit_on_error=False)
    async def _begin(self) -> None:
        """Read the configuration and start its subscribers, while the screen already stands."""
        try:
            opened = await self._bridge.ask(self._open_session(self.opening, self._bridge.has_news))
        except HookscopeError as error:
            self.problem = str(error)
            self.app.exit(2)
            return
        self.session, self.span_book = opened
        chains = self.session.setup.chains
        self.point = next((point for point, chain in chains.items() if chain.subscriptions), "")
        self._draw()
        await self._bridge.ask(self.session.start())
        for point in self.opening.fire_first:
            await self._fire(point, Stance.TO_BREAKPOINT)
        if self.opening.play is not None:
            await self._play(self.opening.play)

    async def close(self) -> None:
        """Stop every subscriber."""
        if self.session is not None:
            await self._bridge.ask(self.session.close())

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A bug of ours in the background must not pass for patience."""
        if event.state is WorkerState.ERROR:
            log.error("worker %s", event.worker.name, exc_info=event.worker.error)
            self._tell(Note(f"something broke on our side: {event.worker.error!r}", is_trouble=True))

    @work(exit_on_error=False)
    async def _wish(self, doing: Callable[[Session], object]) -> None:
        """Have something done to the session over there; what it refuses is told."""
        session = self.session
        if session is None:
            return
        try:
            await self._bridge.call(lambda: doing(session))
        except HookscopeError as error:
            self.notify(str(error), severity="warning")

    # -- following the kernel ------------------------------------------------------------------------------------

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
        if self.seen.askings and not before.askings:
            self.action_reply()
        self.choosing = self.choosing.after_news(self.trace.dispatches, before, self.seen)
        self._draw()

    def _tell(self, note: Note) -> None:
        self.told.append(note)
        del self.told[:-MOST_TOLD]
        if note.is_trouble:
            self.notify(note.text, severity="error", timeout=8)

    def _tick(self) -> None:
        if self.seen.states:
            self._draw()

    # -- drawing -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_running:
            return
        trace, now_ns = self._chosen(), self._now_ns()
        clock_ns = 0 if self.session is None else self.session.clock.elapsed_ns()
        self.query_one(Header).set_view(header_view(self.opening.title, self.seen, self.choosing, clock_ns))
        self.query_one(ChainStrip).set_view(self._chain(trace, now_ns))
        places = {each.id: place for place, each in enumerate(self.trace.dispatches)}
        chosen = places.get(self.choosing.dispatch or "")
        self.query_one(DispatchList).set_traces(self.trace.dispatches, self.seen, chosen, self._hint())
        rows = span_views.rows(trace, self.seen, now_ns) if trace is not None else ()
        self.query_one(SpanTree).set_rows(rows, self.choosing.step)
        self._inspect(trace)
        if self._state() is not self._footer_state:
            self._footer_state = self._state()
            self.refresh_bindings()

    def _chain(self, trace: DispatchTrace | None, now_ns: int | None) -> ChainView:
        if trace is not None:
            return chain_view(trace, self.seen, now_ns, self.choosing.step)
        if self.session is None or not self.point:
            return ChainView("", (), None)
        return idle_view(self.session.setup.chains[self.point], self.seen, self.choosing.step)

    def _hint(self) -> tuple[str, ...]:
        if not self.seen.is_started:
            return ("Starting the subscribers ...",)
        return (f"r fires {self.point}", "R fires it held at its first seam", "p chooses another point")

    def _inspect(self, trace: DispatchTrace | None) -> None:
        inspector = self.query_one(Inspector)
        if trace is None:
            hint = inspect.line(Segment("What a dispatch did shows here once one was fired.", Emphasis.DIM))
            inspector.show_lines(self.lens, "Inspector", (hint,), keep_place=False)
            return
        is_wide = inspector.size.width >= NARROW
        hold = self.choosing.hold(self.seen)
        story = self._story(trace.id) if self.lens is Lens.STORY else ()
        subject = Subject(trace, self.choosing.step, hold, self.lens, self.diff_style, is_wide, story)
        if subject == self._shown:
            return
        keep_place = subject.is_about(self._shown)
        self._shown = subject
        if subject.is_slow:
            if not keep_place:
                wait = inspect.line(Segment("… this payload is large: one moment", Emphasis.DIM))
                inspector.show_lines(subject.lens, subject.title, (wait,), keep_place=False)
            self._draw_elsewhere(subject, keep_place)
        else:
            inspector.show(subject, self._drawn(subject), keep_place=keep_place)

    def _story(self, dispatch: str) -> tuple[Line, ...]:
        session = self.trace.outermost(dispatch)
        if session is None or self.playable is None:
            return ()
        return tuple(Story(self.trace, self.playable.label, self.playable.details).of(session.id))

    def _drawn(self, subject: Subject) -> Drawn:
        assert self.session is not None
        span = None if self.span_book is None else self.span_book.span(subject.trace.id, subject.step)
        return draw(subject, self.session.setup.dialect, span)

    @work(thread=True, exclusive=True, group="draw", exit_on_error=False)
    def _draw_elsewhere(self, subject: Subject, keep_place: bool) -> None:
        drawn = self._drawn(subject)

        def show() -> None:
            if self._shown is subject:
                self.query_one(Inspector).show(subject, drawn, keep_place=keep_place)

        self.app.call_from_thread(show)

    # -- what is chosen ------------------------------------------------------------------------------------------

    def _chosen(self) -> DispatchTrace | None:
        return None if self.choosing.dispatch is None else self.trace.find(self.choosing.dispatch)

    def _now_ns(self) -> int | None:
        """The present on the chosen dispatch's clock, while it is under way."""
        if self.session is None or self.choosing.dispatch is None:
            return None
        return self.session.now_ns(self.choosing.dispatch)

    def _state(self) -> RunState:
        """The state that says which keys make sense: between two dispatches a played session is running, too."""
        if self.choosing.dispatch is None:
            return RunState.IDLE
        otherwise = RunState.RUNNING if self.seen.is_playing else RunState.FINISHED
        return self.seen.states.get(self.choosing.dispatch, otherwise)

    def _seat(self) -> Subscription | None:
        """The subscriber that the keys act on."""
        trace = self._chosen()
        if trace is not None:
            seats: tuple[Subscription, ...] = trace.opened.chain.subscriptions
        elif self.session is not None and self.point:
            seats = self.session.setup.chains[self.point].subscriptions
        else:
            seats = ()
        step = self.choosing.step
        return seats[step] if step is not None and step < len(seats) else None

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        if isinstance(event.sender, DispatchList) and event.index < len(self.trace.dispatches):
            trace = self.trace.dispatches[event.index]
            is_last = event.index == len(self.trace.dispatches) - 1
            hold = self.seen.hold_of(trace.id)
            self.choosing = Choosing(trace.id, None if hold is None else hold.step, is_last)
            self.point = trace.point
        elif isinstance(event.sender, SpanTree):
            self.choosing = replace(self.choosing, step=event.index - 1 if event.index else None)
        self._draw()

    def on_chain_strip_seat_chosen(self, event: ChainStrip.SeatChosen) -> None:
        self.choosing = replace(self.choosing, step=event.seat)
        self._draw()

    def on_lens_tabs_chosen(self, event: LensTabs.Chosen) -> None:
        self.action_lens(event.lens)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    # -- actions: see debugger/actions.py ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        known = _BY_NAME.get(action)
        return True if known is None else known.needs(self._state())

    def commands(self) -> Iterable[SystemCommand]:
        """Every action that makes sense now, for the palette."""
        for action in ACTIONS:
            if action.needs(self._state()):
                yield SystemCommand(action.label, action.help, self._runner(action.call))

    def _runner(self, call: str) -> Callable[[], Awaitable[bool]]:
        return lambda: self.app.run_action(call, self)

    def _command(self, command: Command) -> None:
        dispatch, hold = self.choosing.dispatch, self.choosing.any_hold(self.seen)
        if dispatch is not None:
            step = None if hold is None else hold.step
            self._wish(lambda session: session.command(dispatch, command, step))

    def action_next(self) -> None:
        self._command(Command.NEXT)

    def action_step(self) -> None:
        self._command(Command.STEP)

    def action_finish(self) -> None:
        self._command(Command.FINISH)

    def action_continue(self) -> None:
        self._command(Command.CONTINUE)

    def action_skip(self) -> None:
        self._command(Command.SKIP)

    def action_pause(self) -> None:
        if self.seen.is_playing:
            self._wish(lambda session: session.pause_play())
        else:
            self._command(Command.PAUSE)

    def action_stop(self) -> None:
        if self.seen.is_playing:
            self._wish(lambda session: session.stop_play())
        else:
            self._command(Command.STOP)

    @work(exit_on_error=False)
    async def action_play(self) -> None:
        from debugger import dialogs

        if self.session is None or not self.seen.is_started:
            self.notify("The subscribers are still starting.", severity="warning")
            return
        try:
            path = await dialogs.session_file(self._host, self.session.setup)
        except HookscopeError as error:
            self.notify(str(error), severity="warning")
            return
        if path is not None:
            await self._play(path)

    async def _play(self, path: Path) -> None:
        from debugger import payloads

        session = self.session
        assert session is not None
        try:
            view = await self._bridge.call(lambda: payloads.load(path))
            playable = await self._bridge.call(lambda: load_session(session.setup.path, view, str(path)))
            await self._bridge.call(lambda: session.play(playable))
        except HookscopeError as error:
            self.notify(str(error), severity="error")
            return
        self.playable = playable
        self.choosing = replace(self.choosing, is_following=True)

    @work(exit_on_error=False)
    async def action_reply(self) -> None:
        """Ask the reader what the played session asks."""
        from debugger import dialogs

        if not self.seen.askings:
            self.notify("Nothing is asked.")
            return
        asking = self.seen.askings[0]
        answer = await dialogs.reply(self._host, asking.question)
        if answer is None:
            self.notify("The session waits; a brings the question back.")
        else:
            self._wish(lambda session: session.reply(asking, answer))

    def action_continue_all(self) -> None:
        held = {hold.dispatch for hold in self.seen.holds}

        def let_all_go(session: Session) -> None:
            for dispatch in held:
                session.command(dispatch, Command.CONTINUE)

        self._wish(let_all_go)

    def action_fire(self) -> None:
        self._start(self.point, Stance.TO_BREAKPOINT)

    def action_fire_held(self) -> None:
        self._start(self.point, Stance.TO_NEXT_SEAM)

    action_another = action_fire
    action_another_held = action_fire_held

    @work(exit_on_error=False)
    async def _start(self, point: str, stance: Stance) -> None:
        await self._fire(point, stance)

    async def _fire(self, point: str, stance: Stance, payload: Payload | None = None) -> None:
        session = self.session
        if session is None or not session.view.is_started or not point:
            self.notify("The subscribers are still starting.", severity="warning")
            return
        try:
            fired = payload or await self._payload_for(session, point)
            self.payloads[point] = fired
            self.point = point
            self.choosing = replace(self.choosing, is_following=True)
            await self._bridge.ask(session.fire(point, fired, stance))
        except HookscopeError as error:
            self.notify(str(error), severity="error")

    async def _payload_for(self, session: Session, point: str) -> Payload:
        """The payload that was fired there last, or else the usual one."""
        from debugger.payloads import default

        known = self.payloads.get(point)
        return known if known is not None else await self._bridge.call(lambda: default(session.setup, point))

    def action_choose_another(self) -> None:
        self.action_choose_point()

    @work(exit_on_error=False)
    async def action_choose_point(self) -> None:
        from debugger import dialogs

        if self.session is None:
            return
        try:
            firing = await dialogs.firing(self._host, self.session.setup)
        except HookscopeError as error:
            self.notify(str(error), severity="error")
            return
        if firing is not None:
            await self._fire(firing.point, Stance.TO_BREAKPOINT, firing.payload)

    @work(exit_on_error=False)
    async def action_edit(self) -> None:
        """Edit what is held."""
        from debugger import dialogs

        hold, session = self.choosing.any_hold(self.seen), self.session
        if hold is None or session is None:
            return
        dialect, point = session.setup.dialect, hold.ask.subscription.point
        check: Callable[[JSON], object]
        if hold.side is Side.BEFORE:
            title = f"What {hold.subscriber} is asked about"
            start: JSON = (hold.edited or hold.ask.payload).view
            check = lambda view: dialect.payload_from_view(point, view)  # noqa: E731
        elif hold.answer is not None:
            title = f"What {hold.subscriber} answered"
            start = dialect.answer_view(hold.edited_answer or hold.answer)
            check = lambda view: dialect.answer_from_view(hold.ask, view)  # noqa: E731
        else:
            self.notify(f"{hold.subscriber} gave no answer that could be edited.", severity="warning")
            return
        edited = await dialogs.edited(self._host, title, start, check)
        if edited is None:
            return
        if hold.side is Side.BEFORE:
            self._wish(lambda session: session.edit_payload(hold.dispatch, hold.step, edited[0]))
        else:
            self._wish(lambda session: session.edit_answer(hold.dispatch, hold.step, edited[0]))

    @work(exit_on_error=False)
    async def action_edit_fire(self) -> None:
        """Edit the payload of the chosen dispatch, and fire the result."""
        from debugger import dialogs

        trace, session = self._chosen(), self.session
        if session is None or not self.point:
            return
        point = self.point if trace is None else trace.point
        payload = await self._payload_for(session, point) if trace is None else trace.opened.payload
        dialect = session.setup.dialect
        title = f"Fire {point} with this payload"
        check: Callable[[JSON], object] = lambda view: dialect.payload_from_view(point, view)  # noqa: E731
        edited = await dialogs.edited(self._host, title, payload.view, check)
        if edited is not None:
            await self._fire(point, Stance.TO_BREAKPOINT, dialect.payload_from_view(point, edited[0]))

    def action_break_before(self) -> None:
        self._toggle_breakpoint(Side.BEFORE)

    def action_break_after(self) -> None:
        self._toggle_breakpoint(Side.AFTER)

    def _toggle_breakpoint(self, side: Side) -> None:
        seat = self._seat()
        if seat is None:
            self.notify(CHOOSE_FIRST)
            return
        breakpoint = Breakpoint(seat.name, seat.point, side)
        verb = "no longer holds" if breakpoint in self.seen.breakpoints else "holds"
        self._wish(lambda session: session.toggle_breakpoint(breakpoint))
        self.notify(f"{verb} {side} {seat.name} at {seat.point}", timeout=2)

    @work(exit_on_error=False)
    async def action_fault(self) -> None:
        """Choose a fault for the chosen subscriber, and arm it."""
        from debugger import dialogs

        seat, session = self._seat(), self.session
        if seat is None or session is None:
            self.notify(CHOOSE_FIRST)
            return
        is_armed = any(armed.befalls(seat) for armed in self.seen.armed)
        trouble = await dialogs.trouble(self._host, seat, session.setup.dialect, is_armed=is_armed)
        if trouble is None:
            return
        fault, is_once = trouble.fault, trouble.is_once
        if fault is None:
            self._wish(lambda session: session.disarm(seat))
        else:
            self._wish(lambda session: session.arm(seat, fault, is_once=is_once))

    def action_disarm(self) -> None:
        self._wish(lambda session: session.disarm())

    def action_clock(self) -> None:
        does_run = not self.seen.does_time_run
        self._wish(lambda session: session.let_time_run(does_run))
        words = "Deadlines pass while a dispatch is held." if does_run else "A held dispatch stops its clock."
        self.notify(words, timeout=3)

    @work(exit_on_error=False)
    async def action_switches(self) -> None:
        from debugger import dialogs

        if self.session is None:
            return
        picked = await dialogs.switch(self._host, self.session.setup.dialect)
        if picked is not None:
            is_on = not self.session.setup.dialect.switches[picked]
            self._wish(lambda session: session.switch(picked, is_on))
            self.notify(f"{picked} is {'on' if is_on else 'off'} from the next dispatch on", timeout=3)

    @work(exit_on_error=False)
    async def action_restart(self) -> None:
        session = self.session
        if session is not None and self.seen.is_started:
            await self._bridge.ask(session.restart([each.name for each in self.seen.health]))
            self.notify("Every subscriber was started again.", timeout=3)

    def action_lens(self, lens: str) -> None:
        self.lens = Lens(lens)
        self._draw()

    def action_diff_style(self) -> None:
        self.diff_style = self.diff_style.following
        self.lens = Lens.DIFF
        self._draw()

    def action_seat(self, way: str) -> None:
        self.query_one(ChainStrip).action_seat(1 if way == "next" else -1)

    def action_newest(self) -> None:
        self.choosing = replace(self.choosing, is_following=True)
        self._follow()

    def action_zoom(self) -> None:
        """Give the pane in focus the room of all, or take it back."""
        panes = [self.query_one(f"#{name}", Widget) for name in ("chain", "dispatches", "spans", "inspector")]
        is_zoomed = any(pane.has_class("hidden") for pane in panes)
        focused = [pane for pane in panes if pane.has_focus or pane.has_pseudo_class("focus-within")]
        left = self.query_one("#left", Widget)
        for pane in panes:
            pane.set_class(not is_zoomed and bool(focused) and pane not in focused, "hidden")
            pane.set_class(not is_zoomed and pane in focused, "zoomed")
        is_left_empty = all(pane.has_class("hidden") for pane in panes[1:3])
        left.set_class(is_left_empty, "hidden")
        left.set_class(not is_zoomed and not is_left_empty and bool(focused), "zoomed")
        self.query_one("#main").set_class(is_left_empty and panes[3].has_class("hidden"), "hidden")
        self.call_after_refresh(self._draw)

    def action_copy(self) -> None:
        text = self.query_one("#text", TextView).text
        self.app.copy_to_clipboard(text)
        self.notify(f"{len(text)} characters were sent to the terminal's clipboard (OSC 52).", timeout=3)

    def action_notes(self) -> None:
        from debugger.lenses.help import Page

        nothing = [inspect.line(Segment("Nothing so far.", Emphasis.DIM))]
        lines = [
            inspect.line(inspect.said(note.text, Emphasis.ERROR if note.is_trouble else Emphasis.NONE))
            for note in self.told
        ]
        self.app.push_screen(Page("What hookscope had to tell", lines or nothing))

    @work(exit_on_error=False)
    async def action_state(self) -> None:
        """Show the agent's session file, as it is now."""
        from debugger import state
        from debugger.lenses.help import Page

        path = self.opening.state
        if path is None:
            self.notify("Open hookscope with --state FILE to read a session file of the agent here.")
            return
        try:
            lines = await asyncio.to_thread(state.page, path)
        except HookscopeError as error:
            self.notify(str(error), severity="error")
            return
        self.app.push_screen(Page(f"What the agent stored: {path.name}", lines))

    def action_help(self) -> None:
        from debugger.lenses.help import Page, help_lines

        focused = self.focused
        pane = [] if focused is None else [binding for _, binding in focused._bindings if binding.description]
        self.app.push_screen(Page("hookscope: keys", help_lines(pane)))

    def action_quit(self) -> None:
        self.app.exit(0)

    @property
    def _host(self) -> App[int]:
        return cast("App[int]", self.app)


_BY_NAME = {action.id.partition(".")[0]: action for action in ACTIONS}
