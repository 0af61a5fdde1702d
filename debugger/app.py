"""The application: joins the session on the kernel's thread to the lenses on the screen. Wiring only."""

from __future__ import annotations

import asyncio
import gc
import logging
import signal
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias, TypeVar

from textual import work
from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer
from textual.worker import Worker, WorkerState

from debugger.actions import ACTIONS
from debugger.kernel_thread import KernelThread
from debugger.lenses.chain import ChainStrip
from debugger.lenses.dispatches import DispatchList
from debugger.lenses.header import Header, HeaderView
from debugger.lenses.inspector import Inspector, Lens, LensTabs
from debugger.lenses.lines import LineView, TextView
from debugger.lenses.spans import SpanTree
from debugger.opening import Opening
from debugger.runcontrol import Breakpoint, Command, RunState, Side, Stance
from debugger.session import Hold, Note, Session, SessionView
from debugger.trace import DispatchTrace, Trace
from debugger.views import diffs, inspect
from debugger.views import spans as span_views
from debugger.views.chain import ChainView, chain_view, idle_view
from debugger.views.diffs import NARROW, DiffStyle
from debugger.views.text import Emphasis, Line, Segment, visible
from kernel.errors import BadInput, HookscopeError
from kernel.faults import Fault
from kernel.values import JSON, Payload, Subscription

if TYPE_CHECKING:
    from debugger.lenses.fault_form import Arming
    from debugger.spans import SpanBook

T = TypeVar("T")
log = logging.getLogger(__name__)

FRAME_S = 0.03
"""At most this often the screen follows the kernel."""
MOST_AT_ONCE = 5000
"""Events that are taken in before the keys get their turn."""
TICK_S = 0.1
"""How often deadlines and holds count on screen."""
NS_PER_S = 1_000_000_000
LARGE = 64 * 1024
"""Bytes of payload beyond which a diff is computed off the screen's loop."""


OpenSession: TypeAlias = "Callable[[Opening, Callable[[], None]], Awaitable[tuple[Session, SpanBook]]]"
"""Makes the session for an opening, on the kernel's loop; is given what to call when there is news. Starts nothing."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """What is chosen on screen: a dispatch and one of its steps, or the dispatch as a whole."""

    dispatch: str | None = None
    step: int | None = None
    is_following: bool = True
    """Whether a newer dispatch takes the place of this one."""


class Hookscope(App[int]):
    """The screen. Its exit value is the exit code."""

    CSS_PATH = "app.tcss"
    TITLE = "hookscope"
    ENABLE_COMMAND_PALETTE = True
    HORIZONTAL_BREAKPOINTS = [(0, "narrow"), (110, "wide")]  # noqa: RUF012  # typed so by Textual
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(action.key, action.call, action.label, show=action.is_in_footer, tooltip=action.help, id=action.id)
        for action in ACTIONS
    ]

    def __init__(self, opening: Opening, open_session: OpenSession | None = None) -> None:
        super().__init__()
        self.opening = opening
        self._open_session = open_session or _opened
        self.kernel = KernelThread()
        self.session: Session | None = None
        self.span_book: SpanBook | None = None
        self.trace = Trace()
        self.seen = SessionView()
        self.choosing = Choosing()
        self.point = ""
        self.payloads: dict[str, Payload] = {}
        self.lens = Lens.DIFF
        self.diff_style = DiffStyle.UNIFIED
        self.told: list[Note] = []
        self.problem = ""
        """Why there is nothing to show: printed once the screen is gone."""
        self._is_news_due = False
        self._shown: object = None
        self._footer_state = RunState.IDLE
        self._loop: asyncio.AbstractEventLoop | None = None

    # -- screen --------------------------------------------------------------------------------------------------

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
        self._loop = asyncio.get_running_loop()
        if not self.is_headless:  # a terminal is left as it was found, also when we are told to end
            self._loop.add_signal_handler(signal.SIGTERM, self.exit, 128 + signal.SIGTERM)
        self.query_one("#dispatches").border_title = "Dispatches"
        self.query_one("#spans").border_title = "Spans"
        self.query_one("#dispatches").focus()
        self._draw()
        self.set_interval(TICK_S, self._tick)
        self.call_after_refresh(self._begin)  # what it imports would be in the way of the first frame

    @work(exit_on_error=False)
    async def _begin(self) -> None:
        """Read the configuration and start its subscribers, while the screen already stands."""
        gc.enable()  # see debugger/cli.py
        opening = self.opening
        try:
            session, book = await self._over_there(self._open_session(opening, self._has_news))
        except HookscopeError as error:
            self.problem = str(error)
            self.exit(2)
            return
        self.session, self.span_book = session, book
        self.point = next((point for point, chain in session.setup.chains.items() if chain.subscriptions), "")
        self._draw()
        await self._over_there(session.start())
        for point in opening.fire_first:
            await self._fire(point, Stance.TO_BREAKPOINT)

    async def _over_there(self, doing: Awaitable[T]) -> T:
        """Have something done on the kernel's loop and wait for what it gives."""

        async def do() -> T:
            return await doing

        return await asyncio.wrap_future(self.kernel.call(do()))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Tell something in passing; text from outside is shown literally, like everywhere else."""
        super().notify(visible(message), title=title, severity=severity, timeout=timeout, markup=markup)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A bug of ours in the background must not pass for patience."""
        if event.state is WorkerState.ERROR:
            log.error("worker %s", event.worker.name, exc_info=event.worker.error)
            self._tell(Note(f"something broke on our side: {event.worker.error!r}", is_trouble=True))

    def _wish(self, doing: Callable[[Session], object]) -> None:
        """Have something done to the session over there; what it refuses is told."""
        if self.session is not None:
            self._do_wish(self.session, doing)

    @work(exit_on_error=False)
    async def _do_wish(self, session: Session, doing: Callable[[Session], object]) -> None:
        async def do() -> None:
            doing(session)

        try:
            await self._over_there(do())
        except HookscopeError as error:
            self.notify(str(error), severity="warning")

    # -- following the kernel ------------------------------------------------------------------------------------

    def _has_news(self) -> None:
        """Called over there, as often as anything happens."""
        if not self._is_news_due and self._loop is not None:
            self._is_news_due = True
            try:
                self._loop.call_soon_threadsafe(self._follow_soon)
            except RuntimeError:  # the screen is gone
                self._loop = None

    def _follow_soon(self) -> None:
        self.set_timer(FRAME_S, self._follow)

    def _follow(self) -> None:
        session = self.session
        self._is_news_due = False
        if session is None or not self.is_running:
            return
        for _ in range(min(len(session.events), MOST_AT_ONCE)):
            self.trace.take(session.events.popleft())
        if session.events:
            self._has_news()
        while session.notes:
            self._tell(session.notes.popleft())
        held_before = {(hold.dispatch, hold.step) for hold in self.seen.holds}
        self.seen = session.view
        self._choose_after_news(held_before)
        self._draw()

    def _choose_after_news(self, held_before: set[tuple[str, int]]) -> None:
        newest = self.trace.dispatches[-1].id if self.trace.dispatches else None
        if self.choosing.is_following and newest is not None and newest != self.choosing.dispatch:
            self.choosing = Choosing(newest)
        for hold in sorted(self.seen.holds, key=lambda hold: hold.step):
            is_new = (hold.dispatch, hold.step) not in held_before
            is_watched = self.choosing.is_following or hold.dispatch == self.choosing.dispatch
            is_free = self.choosing.step is None or self._held() is None
            if is_new and is_watched and is_free:
                self.choosing = replace(self.choosing, dispatch=hold.dispatch, step=hold.step)

    def _tell(self, note: Note) -> None:
        self.told.append(note)
        del self.told[:-1000]
        if note.is_trouble:
            self.notify(note.text, severity="error", timeout=8)

    def _tick(self) -> None:
        if self.seen.states:
            self._draw()

    # -- drawing -------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_running or not self.screen_stack:
            return
        base = self.screen_stack[0]
        trace, now_ns = self._chosen(), self._now_ns()
        base.query_one(Header).set_view(self._header())
        base.query_one(ChainStrip).set_view(self._chain(trace, now_ns))
        places = {each.id: place for place, each in enumerate(self.trace.dispatches)}
        chosen = places.get(self.choosing.dispatch or "")
        base.query_one(DispatchList).set_traces(self.trace.dispatches, self.seen, chosen, self._hint())
        rows = span_views.rows(trace, self.seen, now_ns) if trace is not None else ()
        base.query_one(SpanTree).set_rows(rows, self.choosing.step)
        self._inspect(base.query_one(Inspector), trace)
        if self._state() is not self._footer_state:
            self._footer_state = self._state()
            self.refresh_bindings()

    def _header(self) -> HeaderView:
        path = self.opening.path
        title = f"{path.parent.name}/{path.name}" if path.parent.name else path.name
        if not self.seen.is_started:
            return HeaderView(title, "starting the subscribers ...", Emphasis.RUNNING)
        held = self._held() or (self.seen.holds[0] if self.seen.holds else None)
        armed = len(self.seen.armed)
        alarm = f"↯ {armed} fault{'s' if armed > 1 else ''} armed" if armed else ""
        if held is not None:
            elsewhere = len({hold.dispatch for hold in self.seen.holds}) - 1
            state = f"‖ PAUSED {held.side} {held.subscriber}" + (f" (+{elsewhere} held)" if elsewhere else "")
            seconds = self._seconds_since(held.since_ns)
            word = "time runs" if self.seen.does_time_run else "clock held"
            return HeaderView(title, state, Emphasis.HELD, f"{word} {seconds // 60}:{seconds % 60:02}", alarm)
        if self.seen.states:
            return HeaderView(title, "▶ running", Emphasis.RUNNING, alarm=alarm)
        gone = [each.name for each in self.seen.health if not each.is_alive]
        state = f"✗ not running: {', '.join(gone)}" if gone else "ready"
        return HeaderView(title, state, Emphasis.ERROR if gone else Emphasis.DIM, alarm=alarm)

    def _seconds_since(self, since_ns: int) -> int:
        return 0 if self.session is None else (self.session.clock.elapsed_ns() - since_ns) // NS_PER_S

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

    def _inspect(self, inspector: Inspector, trace: DispatchTrace | None) -> None:
        session = self.session
        if trace is None or session is None:
            hint = inspect.line(Segment("What a dispatch did shows here once one was fired.", Emphasis.DIM))
            inspector.show_lines(self.lens, "Inspector", (hint,), keep_place=False)
            return
        step = self.choosing.step
        hold = self._held()
        is_wide = inspector.size.width >= NARROW
        subject = (trace, step, hold, self.lens, self.diff_style, is_wide)
        if subject == self._shown:
            return
        keep_place = isinstance(self._shown, tuple) and _about(self._shown) == _about(subject)
        self._shown = subject
        name = trace.point if step is None else trace.steps[step].subscription.name
        title = f"#{trace.number} {name}"
        if self.lens is Lens.DIFF and len(trace.payload.body) > LARGE:
            self._compare_elsewhere(inspector, f"{title} · {self.diff_style}", subject, keep_place)
        elif self.lens is Lens.DIFF:
            self._show_diff(inspector, f"{title} · {self.diff_style}", self._compare(subject), keep_place)
        else:
            inspector.show_lines(self.lens, title, self._lens_lines(trace, step, hold), keep_place=keep_place)

    def _lens_lines(self, trace: DispatchTrace, step: int | None, hold: Hold | None) -> Sequence[Line]:
        assert self.session is not None
        dialect = self.session.setup.dialect
        match self.lens:
            case Lens.PAYLOAD if step is None:
                return inspect.payload(trace.payload)
            case Lens.PAYLOAD if hold is not None and hold.edited is not None:
                return inspect.payload(hold.edited)
            case Lens.PAYLOAD if hold is not None:
                return inspect.payload(hold.ask.payload)
            case Lens.PAYLOAD:
                assert step is not None
                return inspect.payload(trace.steps[step].given)
            case Lens.ANSWER if step is None:
                return (inspect.line(Segment("Choose a subscriber to see what it answered.", Emphasis.DIM)),)
            case Lens.ANSWER:
                assert step is not None
                return inspect.answer(trace.steps[step], dialect, hold)
            case Lens.WHY:
                return inspect.why(trace, step, dialect, hold)
            case Lens.SPAN:
                assert self.span_book is not None
                return inspect.span(self.span_book.span(trace.id, step))
            case Lens.OUTPUT:
                return inspect.output(trace, step)
            case Lens.DIFF:
                raise AssertionError("a diff is no plain text")

    def _compare(self, subject: tuple[DispatchTrace, int | None, Hold | None, Lens, DiffStyle, bool]) -> object:
        assert self.session is not None
        trace, step, hold, _, style, is_wide = subject
        found = diffs.comparisons(trace, step, self.session.setup.dialect, hold)
        if style is DiffStyle.SIDE_BY_SIDE and is_wide and found:
            return list(diffs.pairs(found))
        nothing = "" if step is None else diffs.nothing_to_compare(trace, step)
        return diffs.lines(found, style, nothing)

    def _show_diff(self, inspector: Inspector, title: str, drawn: object, keep_place: bool) -> None:
        if isinstance(drawn, list):
            inspector.show_pairs(Lens.DIFF, title, drawn, keep_place=keep_place)
        elif isinstance(drawn, tuple):
            inspector.show_lines(Lens.DIFF, title, drawn, keep_place=keep_place)

    @work(thread=True, exclusive=True, group="diff", exit_on_error=False)
    def _compare_elsewhere(
        self,
        inspector: Inspector,
        title: str,
        subject: tuple[DispatchTrace, int | None, Hold | None, Lens, DiffStyle, bool],
        keep_place: bool,
    ) -> None:
        drawn = self._compare(subject)

        def show() -> None:
            if self._shown is subject:
                self._show_diff(inspector, title, drawn, keep_place)

        self.call_from_thread(show)

    # -- what is chosen ------------------------------------------------------------------------------------------

    def _chosen(self) -> DispatchTrace | None:
        return None if self.choosing.dispatch is None else self.trace.find(self.choosing.dispatch)

    def _held(self) -> Hold | None:
        """The hold that the keys act on: of the chosen step, or else of the chosen dispatch."""
        if self.choosing.dispatch is None:
            return None
        return self.seen.hold_of(self.choosing.dispatch, self.choosing.step)

    def _any_hold(self) -> Hold | None:
        return self._held() or (
            self.seen.hold_of(self.choosing.dispatch) if self.choosing.dispatch is not None else None
        )

    def _now_ns(self) -> int | None:
        """The present on the chosen dispatch's clock, while it is under way."""
        if self.session is None or self.choosing.dispatch is None:
            return None
        return self.session.now_ns(self.choosing.dispatch)

    def _state(self) -> RunState:
        if self.choosing.dispatch is None:
            return RunState.IDLE
        return self.seen.states.get(self.choosing.dispatch, RunState.FINISHED)

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
            is_last = event.index == len(self.trace.dispatches) - 1
            self.choosing = Choosing(self.trace.dispatches[event.index].id, None, is_last)
            if (hold := self._any_hold()) is not None:
                self.choosing = replace(self.choosing, step=hold.step)
            self.point = self.trace.dispatches[event.index].point
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
        for each in _BY_NAME.get(action, ()):
            return each.needs(self._state())
        return True

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        yield from super().get_system_commands(screen)
        for action in ACTIONS:
            if action.needs(self._state()):
                yield SystemCommand(f"{action.label}", action.help, self._runner(action.call))

    def _runner(self, call: str) -> Callable[[], Awaitable[bool]]:
        return lambda: self.run_action(call)

    def _command(self, command: Command) -> None:
        dispatch = self.choosing.dispatch
        hold = self._any_hold()
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
        self._command(Command.PAUSE)

    def action_stop(self) -> None:
        self._command(Command.STOP)

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

    @work(exit_on_error=False)
    async def _start(self, point: str, stance: Stance, payload: Payload | None = None) -> None:
        await self._fire(point, stance, payload)

    async def _fire(self, point: str, stance: Stance, payload: Payload | None = None) -> None:
        session = self.session
        if session is None or not session.view.is_started or not point:
            self.notify("The subscribers are still starting.", severity="warning")
            return
        try:
            known = payload or self.payloads.get(point)
            fired = known if known is not None else await self._over_there(_default_payload(session, point))
            self.payloads[point] = fired
            self.point = point
            self.choosing = replace(self.choosing, is_following=True)
            await self._over_there(session.fire(point, fired, stance))
        except HookscopeError as error:
            self.notify(str(error), severity="error")

    @work(exit_on_error=False)
    async def action_choose_point(self) -> None:
        if self.session is None:
            return
        from debugger import payloads
        from debugger.lenses.picker import Choice, Picker

        setup = self.session.setup
        prepared = {(each.point, each.name): each for each in payloads.samples(setup)}
        choices = []
        for point, chain in setup.chains.items():
            seats = ", ".join(seat.name for seat in chain.subscriptions) or "nobody subscribed"
            names = [name for of, name in prepared if of == point] or [""]
            choices += [Choice(f"{point}\n{name}", f"{point} {name}".rstrip(), seats) for name in names]
        picked = await self.push_screen_wait(Picker("Fire which point?", choices))
        if picked is None:
            return
        point, _, name = picked.partition("\n")
        try:
            sample = prepared.get((point, name))
            payload = None if sample is None else payloads.read(setup.dialect, point, sample.path)
        except BadInput as error:
            self.notify(str(error), severity="error")
            return
        await self._fire(point, Stance.TO_BREAKPOINT, payload)

    @work(exit_on_error=False)
    async def action_edit(self) -> None:
        """Edit what is held."""
        hold, session = self._any_hold(), self.session
        if hold is None or session is None:
            return
        dialect = session.setup.dialect
        point = hold.ask.subscription.point
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
        view = await self._edited(title, start, check)
        if view is None:
            return
        if hold.side is Side.BEFORE:
            self._wish(lambda session: session.edit_payload(hold.dispatch, hold.step, view[0]))
        else:
            self._wish(lambda session: session.edit_answer(hold.dispatch, hold.step, view[0]))

    @work(exit_on_error=False)
    async def action_edit_fire(self) -> None:
        """Edit the payload of the chosen dispatch, and fire the result."""
        trace, session = self._chosen(), self.session
        if session is None or not self.point:
            return
        point = self.point if trace is None else trace.point
        payload = (
            trace.opened.payload if trace is not None else await self._over_there(_default_payload(session, point))
        )
        dialect = session.setup.dialect
        title = f"Fire {point} with this payload"
        view = await self._edited(title, payload.view, lambda view: dialect.payload_from_view(point, view))
        if view is not None:
            await self._fire(point, Stance.TO_BREAKPOINT, dialect.payload_from_view(point, view[0]))

    async def _edited(self, title: str, start: JSON, check: Callable[[JSON], object]) -> tuple[JSON] | None:
        """Have a person edit JSON until it passes the check; in a tuple, since null is JSON too."""
        from debugger.lenses.editor import Editor
        from debugger.payloads import decode, editable

        def problem(text: str) -> str | None:
            try:
                check(decode(text.encode("utf-8", "surrogatepass"), "text"))
            except BadInput as error:
                return str(error)
            return None

        text = await self.push_screen_wait(Editor(title, editable(start), problem))
        return None if text is None else (decode(text.encode(), "text"),)

    def action_break_before(self) -> None:
        self._toggle_breakpoint(Side.BEFORE)

    def action_break_after(self) -> None:
        self._toggle_breakpoint(Side.AFTER)

    def _toggle_breakpoint(self, side: Side) -> None:
        seat = self._seat()
        if seat is None:
            self.notify("Choose a subscriber first: [ and ] walk along the chain.")
            return
        breakpoint = Breakpoint(seat.name, seat.point, side)
        verb = "no longer holds" if breakpoint in self.seen.breakpoints else "holds"
        self._wish(lambda session: session.toggle_breakpoint(breakpoint))
        self.notify(f"{verb} {side} {seat.name} at {seat.point}", timeout=2)

    @work(exit_on_error=False)
    async def action_fault(self) -> None:
        """Choose a fault for the chosen subscriber, and arm it."""
        seat, session = self._seat(), self.session
        if seat is None or session is None:
            self.notify("Choose a subscriber first: [ and ] walk along the chain.")
            return
        from debugger.lenses.fault_form import FaultForm
        from debugger.lenses.picker import Choice, Picker

        catalogue = {
            each.kind: each for each in session.setup.dialect.faults if each.modes is None or seat.mode in each.modes
        }
        choices = [Choice(kind, kind, each.summary) for kind, each in catalogue.items()]
        if any(armed.subscriber == seat.name for armed in self.seen.armed):
            choices.insert(0, Choice("", "none", "take away the fault that is armed"))
        picked = await self.push_screen_wait(Picker(f"What shall go wrong at {seat.name}?", choices))
        if picked is None:
            return
        if not picked:
            self._wish(lambda session: session.disarm(seat.name))
            return
        kind = catalogue[picked]

        def problem(params: Mapping[str, JSON]) -> str | None:
            try:
                kind.plan(Fault(picked, params))
            except BadInput as error:
                return str(error)
            return None

        form = FaultForm(f"{kind.kind}: {seat.name} {kind.summary}", kind.defaults, problem)
        arming: Arming | None = await self.push_screen_wait(form)
        if arming is not None:
            fault = Fault(picked, arming.params)
            self._wish(lambda session: session.arm(seat.name, fault, is_once=arming.is_once))

    def action_disarm(self) -> None:
        self._wish(lambda session: session.disarm())

    def action_clock(self) -> None:
        does_run = not self.seen.does_time_run
        self._wish(lambda session: session.let_time_run(does_run))
        words = "Deadlines pass while a dispatch is held." if does_run else "A held dispatch stops its clock."
        self.notify(words, timeout=3)

    @work(exit_on_error=False)
    async def action_switches(self) -> None:
        if self.session is None:
            return
        from debugger.lenses.picker import Choice, Picker

        switches: Mapping[str, bool] = self.session.setup.dialect.switches
        choices = [Choice(name, name, "is on" if is_on else "is off") for name, is_on in switches.items()]
        picked = await self.push_screen_wait(Picker("Throw which switch of the dialect?", choices))
        if picked is not None:
            is_on = not switches[picked]
            self._wish(lambda session: session.switch(picked, is_on))
            self.notify(f"{picked} is {'on' if is_on else 'off'} from the next dispatch on", timeout=3)

    @work(exit_on_error=False)
    async def action_restart(self) -> None:
        session = self.session
        if session is not None and self.seen.is_started:
            await self._over_there(session.restart([each.name for each in self.seen.health]))
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

    def action_maximize(self) -> None:
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
        self.copy_to_clipboard(text)
        self.notify(f"{len(text)} characters were sent to the terminal's clipboard (OSC 52).", timeout=3)

    def action_notes(self) -> None:
        from debugger.lenses.help import Page

        nothing = [inspect.line(Segment("Nothing so far.", Emphasis.DIM))]
        lines = [
            inspect.line(inspect.said(note.text, Emphasis.ERROR if note.is_trouble else Emphasis.NONE))
            for note in self.told
        ]
        self.push_screen(Page("What hookscope had to tell", lines or nothing))

    def action_help(self) -> None:
        from debugger.lenses.help import Page, help_lines

        focused = self.screen.focused
        pane = [] if focused is None else [binding for _, binding in focused._bindings if binding.description]
        self.push_screen(Page("hookscope: keys", help_lines(pane)))

    async def action_quit(self) -> None:
        self.exit(0)

    async def close_kernel(self) -> None:
        """Stop every subscriber and the kernel's thread."""
        if self.session is not None:
            await self._over_there(self.session.close())
        await asyncio.to_thread(self.kernel.close)

    async def on_unmount(self) -> None:
        await self.close_kernel()


_BY_NAME = {action.id.partition(".")[0]: [action] for action in ACTIONS}


def _about(subject: tuple[object, ...]) -> tuple[object, ...]:
    """What a lens is turned to, whatever has become of it meanwhile."""
    trace, step, _, lens, style, is_wide = subject
    assert isinstance(trace, DispatchTrace)
    return trace.id, step, lens, style, is_wide


async def _opened(opening: Opening, has_news: Callable[[], None]) -> tuple[Session, SpanBook]:
    """Read the configuration on the kernel's loop; nothing of it is started yet."""
    from debugger.spans import SpanBook
    from kernel.dialects import load_setup

    setup = load_setup(opening.path)
    dialect = setup.dialect
    for name in opening.switches:
        dialect = dialect.switched(name, True)
    book = SpanBook({dialect.name: dialect})
    return Session(replace(setup, dialect=dialect), has_news, book), book


async def _default_payload(session: Session, point: str) -> Payload:
    from debugger import payloads

    return payloads.default(session.setup, point)


def run(opening: Opening) -> tuple[int, str]:
    """Open the application; gives the exit code and what to say once the screen is gone."""
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)  # nothing may write over the screen
    app = Hookscope(opening)
    code = app.run()
    return (code if code is not None else 3), app.problem
