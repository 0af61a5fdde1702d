"""What the desks have in common: what stands where, what is drawn of what is chosen, and what keys look at."""

from __future__ import annotations

import asyncio
import inspect as python
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, TypeVar, cast

from textual.app import App, ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Footer
from textual.worker import Worker, WorkerState

from debugger.actions import ACTIONS, Action, Where, actions_at, key_bindings
from debugger.choosing import Choosing
from debugger.desk import book, calling, differing, finding, looking, noting, pages, watching, wondering
from debugger.desk.ahead import TypedAhead
from debugger.desk.inspecting import Inspecting, Sources
from debugger.desk.listing import Listing
from debugger.desk.place import Deed, Severity
from debugger.lenses.banner import Banner
from debugger.lenses.chain import ChainStrip
from debugger.lenses.dispatches import DispatchList
from debugger.lenses.header import Header
from debugger.lenses.inspector import Inspector, LensTabs
from debugger.lenses.lines import LineView
from debugger.lenses.small import TooSmall
from debugger.lenses.spans import SpanTree
from debugger.opening import Opening, RecordingOpening
from debugger.session import Note, Session, SessionView
from debugger.sifting import Finding
from debugger.store.notes import Remark, keep
from debugger.trace import DispatchTrace, StretchTrace, Trace
from debugger.views import spans as span_views
from debugger.views.chain import ChainView, chain_view
from debugger.views.diffs import DiffStyle, Scope
from debugger.views.header import HeaderView
from debugger.views.lens import Lens, Subject
from debugger.views.text import Line
from kernel.dialect import Dialect
from kernel.errors import HookscopeError
from kernel.playing import Playable
from kernel.values import Payload, Subscription

if TYPE_CHECKING:  # OpenTelemetry's SDK is brought in with a session, or where a span is looked at
    from debugger.spans import SpanBook

log = logging.getLogger(__name__)

T = TypeVar("T")

MOST_TOLD: Final = 1000
"""Notes that are kept to be read."""


def bindings(where: Where) -> list[BindingType]:
    """The keys of a desk that is open on something."""
    return [
        Binding(
            action.key,
            action.call,
            action.label,
            show=action.is_in_footer and action.where in (None, where),
            tooltip=action.help,
            id=action.id,
            priority=True,  # before the key after it is looked at: that one may be meant for what this one opens
        )
        for action in key_bindings(where)
    ]


class Desk(Screen[None]):
    """The `Place` of the deeds behind the keys. Nobody runs here: see `LiveDesk` and `RecordedDesk` for who is open."""

    CSS_PATH = "desk.tcss"
    WHERE: ClassVar[Where]
    """What it is open on."""

    def __init__(self, opening: Opening | RecordingOpening) -> None:
        super().__init__()
        self.opening = opening
        self.actions = actions_at(self.WHERE)
        self.session: Session | None = None
        self.span_book: SpanBook | None = None
        self.trace = Trace()
        self.seen = SessionView()
        self.choosing = Choosing()
        self.point = ""
        self.payloads: dict[str, Payload] = {}
        self.playable: Playable | None = None
        self.book = book.Book(opening.path)
        self.listing = Listing(self.trace, lambda: self.query_one(DispatchList))
        self.told: list[Note] = []
        self.problem = ""
        """Why there is nothing to show, if so."""
        self.typed_ahead = TypedAhead()
        self._inspecting = Inspecting(self)
        self.deeds: dict[str, Deed] = self._deeds()
        """What every action does."""

    def _deeds(self) -> dict[str, Deed]:
        usual = {name: deed for theme in _THEMES for name, deed in theme.deeds(self).items()} | self._looks()
        here = {action.id for action in self.actions}
        return {
            action.id: usual.get(action.id, self._elsewhere) if action.id in here else self._elsewhere
            for action in ACTIONS
        }

    def _elsewhere(self) -> None:
        """What an action says that makes no sense here."""
        raise NotImplementedError

    # -- life ----------------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield Header()
        yield Banner()
        yield ChainStrip(id="chain")
        with Horizontal(id="main"):
            with Vertical(id="left"):
                yield DispatchList(id="dispatches")
                yield SpanTree(id="spans")
            yield Inspector(id="inspector")
        yield Footer(show_command_palette=False)
        yield TooSmall()

    def on_mount(self) -> None:
        self.query_one("#dispatches").border_title = "Dispatches"
        self.query_one("#spans").border_title = "Spans"
        self.query_one("#dispatches").focus()
        self._draw()
        self.run_worker(self._begin(), name="begin", exit_on_error=False)

    async def _begin(self) -> None:
        """Get what is open, while the screen already stands."""
        raise NotImplementedError

    async def close(self) -> None:
        """Let go of what is open."""
        raise NotImplementedError

    def lent(self) -> AbstractContextManager[None]:
        """For as long as the terminal is somebody else's."""
        return nullcontext()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A bug of ours in the background must not pass for patience."""
        if event.state is WorkerState.ERROR:
            log.error("worker %s", event.worker.name, exc_info=event.worker.error)
            self._tell(Note(f"something broke on our side: {event.worker.error!r}", is_trouble=True))

    def _tell(self, note: Note) -> None:
        self.told.append(note)
        del self.told[:-MOST_TOLD]
        if note.is_trouble:
            self.say(note.text, severity="error", timeout=8)

    # -- what deeds need: see debugger/desk/place.py -------------------------------------------------------------------

    @property
    def host(self) -> App[int]:
        return cast("App[int]", self.app)

    @property
    def dialect(self) -> Dialect | None:
        raise NotImplementedError

    @property
    def chosen(self) -> DispatchTrace | None:
        return None if self.choosing.dispatch is None else self.trace.find(self.choosing.dispatch)

    @property
    def seat(self) -> Subscription | None:
        trace, step = self.chosen, self.choosing.step
        if trace is None or step is None:
            return None
        return next((each.subscription for each in trace.steps if each.step == step), None)

    @property
    def lens(self) -> Lens:
        """What the inspector looks through."""
        return self._inspecting.lens

    @property
    def diff_style(self) -> DiffStyle:
        """How it draws diffs."""
        return self._inspecting.style

    def remark(self, remark: Remark) -> Awaitable[None] | None:
        path = self.opening.output if isinstance(self.opening, Opening) else self.opening.path
        return None if path is None else self._keep(path, remark)

    async def _keep(self, path: Path, remark: Remark) -> None:
        try:
            await asyncio.to_thread(keep, path, remark)
        except HookscopeError as error:
            self.say(str(error), severity="warning")

    def follow(self) -> None:
        self._draw()

    def find(self, finding: Finding) -> None:
        self.listing.find(finding, self.book.saved)
        self._draw()

    def choose(self, choosing: Choosing) -> None:
        self.choosing = choosing
        trace = self.chosen
        if trace is not None:
            self.point = trace.point
        self._draw()

    def say(self, text: str, *, severity: Severity = "information", timeout: float | None = None) -> None:
        self.notify(text, severity=severity, timeout=timeout)

    def wish(self, doing: Callable[[Session], object]) -> None:
        """Without a session there is nobody to wish it from."""

    async def ask(self, doing: Awaitable[T]) -> T:
        return await doing

    async def call(self, doing: Callable[[], T]) -> T:
        return doing()

    # -- drawing -------------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self.is_running or not self.is_attached:
            return
        trace, now_ns = self.chosen, self._now_ns()
        self.query_one(Header).set_view(self._header())
        self.query_one(ChainStrip).set_view(self._chain(trace, now_ns))
        self.listing.draw(self.seen, self.choosing.dispatch, self._hint())
        rows = span_views.rows(trace, self.seen, now_ns) if trace is not None else ()
        self.query_one(SpanTree).set_rows(rows, self.choosing.step)
        self._inspect(trace)

    def _header(self) -> HeaderView:
        raise NotImplementedError

    def _now_ns(self) -> int | None:
        """The present on the chosen dispatch's clock, while it is under way."""
        raise NotImplementedError

    def _chain(self, trace: DispatchTrace | None, now_ns: int | None) -> ChainView:
        return ChainView("", (), None) if trace is None else chain_view(trace, self.seen, now_ns, self.choosing.step)

    def _hint(self) -> tuple[str, ...]:
        """What an empty list of dispatches says."""
        raise NotImplementedError

    def _inspect(self, trace: DispatchTrace | None) -> None:
        dialect = self.dialect
        if trace is None or dialect is None:
            self._inspecting.show_nothing()
            return
        sources = Sources(dialect, self.span_book)
        step, hold = self.choosing.step, self.choosing.hold(self.seen)
        self._inspecting.show(trace, step, hold, sources, more=self._with_more)

    def _with_more(self, subject: Subject) -> Subject:
        match subject.lens:
            case Lens.STORY:
                session = self.trace.outermost(subject.trace.id)
                return subject if session is None else replace(subject, story=self._story(session))
            case Lens.WATCH:
                return replace(subject, watches=self.book.watches)
            case Lens.DIFF:
                return replace(subject, scope=Scope(self.choosing.since, self.book.ignored))
            case Lens.WHY:
                here = tuple(each for each in self.seen.stuck if each.dispatch == subject.trace.id)
                return replace(subject, stuck=here)
            case _:
                return subject

    def _story(self, session: StretchTrace) -> tuple[Line, ...]:
        raise NotImplementedError

    # -- what the reader does with the panes ---------------------------------------------------------------------------

    def on_line_view_moved(self, event: LineView.Moved) -> None:
        if isinstance(event.sender, DispatchList):
            trace = self.listing.at(event.index)
            if trace is None:
                return
            is_last = trace.id == self.trace.dispatches[-1].id
            hold = self.seen.hold_of(trace.id)
            self.choosing = Choosing(trace.id, None if hold is None else hold.step, is_last)
            self.point = trace.point
        elif isinstance(event.sender, SpanTree):
            self.choosing = replace(self.choosing, step=self._step_at(event.index - 1 if event.index else None))
        self._draw()

    def on_dispatch_list_entered(self, event: DispatchList.Entered) -> None:
        if self.listing.toggle_run(event.index):
            self._beside(self._folded(), "fold")

    async def _folded(self) -> None:
        """Draw the list once it is known where its runs begin."""
        await asyncio.to_thread(self.listing.prepare)
        self._draw()

    def on_chain_strip_seat_chosen(self, event: ChainStrip.SeatChosen) -> None:
        self.choosing = replace(self.choosing, step=self._step_at(event.seat))
        self._draw()

    def _step_at(self, place: int | None) -> int | None:
        """The number of the step that is drawn at a place: beyond the seats there may be gaps."""
        trace = self.chosen
        if place is None or trace is None:
            return place
        return trace.steps[place].step if place < len(trace.steps) else None

    def on_lens_tabs_chosen(self, event: LensTabs.Chosen) -> None:
        self._turn_to(event.lens)

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw)

    # -- actions: see debugger/actions.py ------------------------------------------------------------------------------

    def action_do(self, action: str) -> None:
        """What an action of the table does; what has to wait for something goes on beside the screen."""
        doing = self.deeds[action]()
        if python.isawaitable(doing):
            self._beside(self.typed_ahead.until(doing) if _BY_ID[action].opens else doing, action)

    def _beside(self, doing: Awaitable[None], name: str) -> None:
        self.run_worker(doing, name=name, exit_on_error=False)

    def on_screen_suspend(self) -> None:
        """Something is in front now: it gets what was typed for it, once it stands."""
        self.app.screen.call_after_refresh(self.typed_ahead.let_go)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        known = _BY_ID.get(str(parameters[0])) if action == "do" else None
        return True if known is None else self._makes_sense(known)

    def _makes_sense(self, action: Action) -> bool:
        return True

    def commands(self) -> Iterable[SystemCommand]:
        """Every action that makes sense now, for the palette."""
        for action in self.actions:
            if self._makes_sense(action):
                yield SystemCommand(action.label, action.help, self._runner(action.call))

    def _runner(self, call: str) -> Callable[[], Awaitable[bool]]:
        return lambda: self.app.run_action(call, self)

    # -- keys about what is drawn --------------------------------------------------------------------------------------

    def _looks(self) -> dict[str, Deed]:
        def turner(lens: Lens) -> Deed:
            return lambda: self._turn_to(lens)

        return {f"lens.{lens}": turner(lens) for lens in Lens} | {
            "diff_style": self._turn_style,
            "seat.previous": lambda: self.query_one(ChainStrip).action_seat(-1),
            "seat.next": lambda: self.query_one(ChainStrip).action_seat(1),
            "newest": self._follow_newest,
            "freeze": self._freeze,
            "fold": self._fold,
            "zoom": self._zoom,
            "copy": lambda: self.say(looking.copied(self), timeout=3),
        }

    def _turn_to(self, lens: Lens) -> None:
        self._inspecting.lens = lens
        self._draw()

    def _turn_style(self) -> None:
        self._inspecting.style = self.diff_style.following
        self._turn_to(Lens.DIFF)

    def _freeze(self) -> None:
        self.listing.freeze(not self.listing.is_frozen)
        self.choosing = replace(self.choosing, is_following=False)
        self._draw()

    async def _fold(self) -> None:
        self.listing.toggle_folding()
        await self._folded()

    def _follow_newest(self) -> None:
        raise NotImplementedError

    def _zoom(self) -> None:
        looking.zoom(self)
        self.call_after_refresh(self._draw)


_THEMES: Final = (calling, differing, finding, noting, wondering, watching, pages)
_BY_ID: Final[dict[str, Action]] = {action.id: action for action in ACTIONS}
