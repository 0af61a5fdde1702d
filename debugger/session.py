"""A debug session: fires dispatches against live subscribers, holds them at seams, breaks what answers.

Lives on the kernel's loop and is free of Textual. Who watches it from another thread drains `events` and reads `view`,
both replaced or appended from the kernel's loop only; wishes arrive as calls that are run on that loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from debugger.runcontrol import (
    CARRIED,
    STANCES,
    Breakpoint,
    Command,
    Happening,
    IllegalMove,
    RunState,
    Side,
    Stance,
    is_hold,
    moved,
    side_of,
)
from kernel import faults
from kernel.clock import REAL, Caller, Clock, HeldClock
from kernel.control import PROCEED, Directive, Instead, Proceed, Seam, Skip
from kernel.dispatch import dispatch
from kernel.errors import HookscopeError
from kernel.facts import Changed, Event
from kernel.faults import Fault
from kernel.host import Health, Host
from kernel.asking import Answer, Question
from kernel.playing import Playable, Stage
from kernel.probe import Probe, Probes
from kernel.setup import Setup
from kernel.values import JSON, Answered, Ask, Chain, Payload, Result, Subscription

log = logging.getLogger(__name__)

PERSON = "person"
HEALTH_S = 0.5
"""How often it is looked whether everybody is still alive."""
MOST_NOTES = 5000
"""Notes that wait to be read; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A step that is being held."""

    dispatch: str
    step: int
    subscriber: str
    side: Side
    since_ns: int
    """On the session's clock, as `elapsed_ns` counts."""
    ask: Ask
    answer: Answered | None
    """What the subscriber answered, when held after it did."""
    edited: Payload | None = None
    """The payload that it will go on with, once somebody edited it."""
    edited_answer: Answered | None = None


@dataclass(frozen=True, slots=True)
class ArmedFault:
    """Trouble that waits for a subscriber in one of its modes."""

    subscriber: str
    mode: str
    fault: Fault
    is_once: bool
    hits: int = 0

    def befalls(self, seat: Subscription) -> bool:
        """Whether it is meant for this seat."""
        return (self.subscriber, self.mode) == (seat.name, seat.mode)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question of a played session that waits for a person."""

    number: int
    question: Question


@dataclass(frozen=True, slots=True)
class SessionView:
    """What a session looks like from outside, at one moment."""

    states: Mapping[str, RunState] = field(default_factory=lambda: MappingProxyType({}))
    """Of the dispatches that are not finished."""
    holds: tuple[Hold, ...] = ()
    breakpoints: frozenset[Breakpoint] = frozenset()
    armed: tuple[ArmedFault, ...] = ()
    health: tuple[Health, ...] = ()
    is_started: bool = False
    askings: tuple[Asking, ...] = ()
    """Questions that nobody has answered yet."""
    is_playing: bool = False
    """Whether a described session is being played."""
    does_time_run: bool = False
    """Whether deadlines go on passing while a person holds a dispatch."""

    def hold_of(self, dispatch: str, step: int | None = None) -> Hold | None:
        """The hold of this step, or the first of the dispatch."""
        for hold in self.holds:
            if hold.dispatch == dispatch and step in (None, hold.step):
                return hold
        return None


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a person should be told, in a sentence."""

    text: str
    is_trouble: bool = False


@dataclass(slots=True)
class _Flight:
    """A dispatch under way."""

    clock: HeldClock
    caller: Caller
    stance: Stance
    state: RunState = RunState.RUNNING
    releases: dict[int, asyncio.Future[Directive]] = field(default_factory=dict)
    """What lets each held step go on."""
    stops: set[int] = field(default_factory=set)
    """Held steps for which the clock stands still."""

    def keep_time(self, step: int, *, is_stopped: bool) -> None:
        """Have the clock stand still for a held step, or no longer."""
        if is_stopped and step not in self.stops:
            self.stops.add(step)
            self.clock.hold()
        elif not is_stopped and step in self.stops:
            self.stops.remove(step)
            self.clock.release()


@dataclass(slots=True)
class _Play:
    """A described session that is being played: all its dispatches share a clock."""

    clock: HeldClock
    caller: Caller
    stance: Stance
    """How its next dispatch begins."""


@dataclass(frozen=True, slots=True)
class _Person:
    """Resolves questions by asking whoever sits in front of the screen."""

    ask: Callable[[Question], Awaitable[Answer]]

    async def resolve(self, question: Question) -> Answer:
        return await self.ask(question)


class Session:
    """See the module's docstring. Every method but the constructor belongs on the kernel's loop."""

    def __init__(
        self,
        setup: Setup,
        on_news: Callable[[], None] = lambda: None,
        *probes: Probe,
        host: Host | None = None,
        clock: Clock = REAL,
    ) -> None:
        self.setup = setup
        self.clock = clock
        """What every dispatch counts on, except while it is held."""
        self.view = SessionView()
        self.events: deque[Event] = deque()
        self.notes: deque[Note] = deque(maxlen=MOST_NOTES)
        self._on_news = on_news
        self._probes = Probes(self, *probes)
        self._host = Host(setup.chains.values(), self._heard) if host is None else host
        self._restarting = asyncio.Lock()  # a dispatch that begins meanwhile would find subscribers missing
        self._flights: dict[str, _Flight] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = asyncio.Event()
        self._play: _Play | None = None
        self._questions = 0
        self._replies: dict[int, asyncio.Future[Answer]] = {}

    # -- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start every subscriber; those that fail are told of and answer as dead processes."""
        await self._host.start()
        self._publish(is_started=True, health=self._host.health)
        watch = asyncio.create_task(self._watch_health(), name="health of the subscribers")
        self._tasks.add(watch)
        watch.add_done_callback(self._tasks.discard)
        for failure in self._host.failures:
            printed = failure.printed.strip().splitlines()
            self._note(f"{failure}{f' (it said: {printed[-1]})' if printed else ''}", is_trouble=True)

    async def _watch_health(self) -> None:
        """Tell of subscribers that die while nobody asks them."""
        while not self._is_closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_S):
                    await self._is_closing.wait()
            known = {each.name for each in self.view.health if each.is_alive}
            health = self._host.health
            if health != self.view.health and not self._flights and not self._restarting.locked():
                self._publish(health=health)
                for each in health:
                    if each.name in known and not each.is_alive:
                        self._note(f"{each.name} is gone: {each.detail}; it is started again when it is needed")

    async def close(self) -> None:
        """Stop what is under way, then every subscriber."""
        self._is_closing.set()
        callers = [flight.caller for flight in self._flights.values()]
        if self._play is not None:
            callers.append(self._play.caller)
        for caller in callers:
            caller.cancel("hookscope is closing")
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        for task in self._tasks:
            task.cancel()
        await self._host.stop()

    async def restart(self, names: Iterable[str]) -> None:
        """Restart some subscribers."""
        async with self._restarting:
            await self._restart(names)

    async def _restart(self, names: Iterable[str]) -> None:
        await self._host.restart(names)
        self._publish(health=self._host.health)
        for failure in self._host.failures:
            self._note(str(failure), is_trouble=True)

    # -- dispatches ----------------------------------------------------------------------------------------------

    async def fire(self, point: str, payload: Payload, stance: Stance = Stance.TO_BREAKPOINT) -> str:
        """Start a dispatch and return its id. Subscribers that died since the last one are started again first."""
        await self._ready_for(self.setup.chains[point])
        dispatch_id = os.urandom(8).hex()
        flight = _Flight(HeldClock(self.clock), Caller(), stance)
        self._flights[dispatch_id] = flight  # from now on it can be commanded
        self._publish()
        task = asyncio.create_task(self._fly(dispatch_id, flight, point, payload), name=f"dispatch {dispatch_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return dispatch_id

    async def _ready_for(self, chain: Chain) -> None:
        """Start again whoever of a chain has died."""
        async with self._restarting:
            await self._start_again({seat.name for seat in chain.subscriptions})

    async def _start_again(self, wanted: set[str]) -> None:
        """Start those of the wanted that have died."""
        dead = [each.name for each in self._host.health if not each.is_alive and each.detail != "not started"]
        gone = [name for name in dead if name in wanted]
        if gone:
            await self._restart(gone)
            alive = [each.name for each in self._host.health if each.is_alive and each.name in gone]
            if alive:
                self._note(f"started {', '.join(alive)} again")

    async def _fly(self, dispatch_id: str, flight: _Flight, point: str, payload: Payload) -> None:
        try:
            await self._dispatched(dispatch_id, flight, point, payload)
        except Exception as error:  # ours, not a subscriber's: say so, and keep the session
            log.exception("dispatch %s", dispatch_id)
            self._note(f"something broke on our side during {point}: {error!r}", is_trouble=True)

    async def _dispatched(
        self, dispatch_id: str, flight: _Flight, point: str, payload: Payload, parent: str = ""
    ) -> Result:
        """Dispatch, where it can be held; `parent` is the stretch of a played session that it belongs to."""
        self._flights[dispatch_id] = flight
        self._publish()
        try:
            return await dispatch(
                self.setup.dialect,
                self.setup.chains[point],
                payload,
                self._host.subscribers,
                probes=self._probes,
                control=self,
                clock=flight.clock,
                caller=flight.caller,
                dispatch_id=dispatch_id,
                parent=parent,
            )
        finally:
            del self._flights[dispatch_id]
            self._publish(health=self._host.health)

    # -- played sessions -----------------------------------------------------------------------------------------

    def play(self, playable: Playable, stance: Stance = Stance.TO_BREAKPOINT) -> None:
        """Start to play a described session; its questions are asked in `view`. Raises IllegalMove while one plays."""
        if self._play is not None:
            raise IllegalMove("a session is being played; stop it first, or wait for its end")
        self._play = _Play(HeldClock(self.clock), Caller(), stance)
        task = asyncio.create_task(self._played(playable, self._play), name="played session")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._publish(is_playing=True)

    def pause_play(self) -> None:
        """Hold the played session at its next seam, whichever dispatch that is in."""
        if self._play is None:
            raise IllegalMove("no session is being played")
        self._play.stance = Stance.TO_NEXT_SEAM
        for flight in self._flights.values():
            if flight.caller is self._play.caller and flight.state is RunState.RUNNING:
                flight.state, flight.stance = RunState.PAUSING, Stance.TO_NEXT_SEAM
        self._publish()

    def stop_play(self) -> None:
        """End the played session, the way a caller that gives up would."""
        if self._play is None:
            raise IllegalMove("no session is being played")
        self._play.caller.cancel(f"stopped by a {PERSON}")

    def reply(self, asking: Asking, answer: Answer) -> None:
        """Answer a question; raises IllegalMove where it no longer waits."""
        reply = self._replies.get(asking.number)
        if reply is None or reply.done():
            raise IllegalMove("this question no longer waits for an answer")
        reply.set_result(answer)

    async def _played(self, playable: Playable, play: _Play) -> None:
        async def fire(point: str, payload: Payload, parent: str, caller: Caller) -> Result:
            await self._ready_for(self.setup.chains[point])
            flight = _Flight(play.clock, caller, play.stance)
            try:
                return await self._dispatched(os.urandom(8).hex(), flight, point, payload, parent)
            finally:
                play.stance = CARRIED[flight.stance]

        async def ask(question: Question) -> Answer:
            return await self._asked(question, play)

        try:
            played = await playable.play(Stage(fire, self._probes, play.clock, play.caller, resolver=_Person(ask)))
            reason = f" ({played.reason})" if played.reason else ""
            self._note(f"the session ended {played.status}{reason}: {played.why}", is_trouble=not played.is_fine)
        except Exception as error:  # ours, not a subscriber's: say so, and keep the debug session
            log.exception("played session")
            self._note(f"something broke on our side while a session was played: {error!r}", is_trouble=True)
        finally:
            self._play = None
            self._publish(is_playing=False, health=self._host.health)

    async def _asked(self, question: Question, play: _Play) -> Answer:
        """Wait for a person, with the clock standing still like at any other hold."""
        self._questions += 1
        asking = Asking(self._questions, question)
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._replies[asking.number] = reply
        play.clock.hold()
        self._publish(askings=(*self.view.askings, asking))
        try:
            return await reply
        finally:
            play.clock.release()
            del self._replies[asking.number]
            self._publish(askings=tuple(each for each in self.view.askings if each is not asking))

    # -- run control ---------------------------------------------------------------------------------------------

    def command(self, dispatch_id: str, command: Command, step: int | None = None) -> None:
        """Do what a person wishes with a dispatch; raises IllegalMove where its state has no such command."""
        flight = self._flights.get(dispatch_id)
        if flight is None:
            raise IllegalMove(f"cannot {command} while {RunState.FINISHED}: fire another dispatch instead")
        moved(flight.state, command)
        if command is Command.STOP:
            flight.caller.cancel(f"stopped by a {PERSON}")
            return
        flight.stance = STANCES[command]
        if command is Command.PAUSE:
            flight.state = RunState.PAUSING
        elif flight.state is RunState.PAUSING:
            flight.state = RunState.RUNNING
        elif command in (Command.FINISH, Command.CONTINUE):
            for held in tuple(flight.releases):
                self._release(dispatch_id, flight, held)
        else:
            held = step if step in flight.releases else min(flight.releases)
            self._release(dispatch_id, flight, held, Skip(PERSON) if command is Command.SKIP else None)
        self._publish()

    def _release(self, dispatch_id: str, flight: _Flight, step: int, directive: Directive | None = None) -> None:
        hold = self.view.hold_of(dispatch_id, step)
        assert hold is not None
        if directive is None and hold.side is Side.BEFORE:
            directive = Proceed(hold.edited, by=PERSON)
        elif directive is None and hold.edited_answer is not None:
            directive = Instead(hold.edited_answer, PERSON)
        release = flight.releases[step]
        if not release.done():
            release.set_result(directive or PROCEED)

    # -- control -------------------------------------------------------------------------------------------------

    async def before(self, seam: Seam) -> Directive:
        directive = await self._hold_if_wished(seam)
        if isinstance(directive, Proceed) and (armed := self._armed_for(seam)) is not None:
            return replace(directive, fault=armed.fault)
        return directive

    async def after(self, seam: Seam) -> Directive:
        return await self._hold_if_wished(seam)

    async def _hold_if_wished(self, seam: Seam) -> Directive:
        flight = self._flights[seam.dispatch]
        if not is_hold(seam, flight.stance, self.view.breakpoints):
            return PROCEED
        step, seat = seam.ask.step, seam.ask.subscription
        answer = seam.outcome if isinstance(seam.outcome, Answered) else None
        hold = Hold(seam.dispatch, step, seat.name, side_of(seam), self.clock.elapsed_ns(), seam.ask, answer)
        release: asyncio.Future[Directive] = asyncio.get_running_loop().create_future()
        flight.releases[step] = release
        flight.state = moved(flight.state, Happening.HELD)
        flight.keep_time(step, is_stopped=not self.view.does_time_run)
        self._publish(holds=(*self.view.holds, hold))
        try:
            return await release
        finally:
            flight.keep_time(step, is_stopped=False)
            del flight.releases[step]
            flight.state = RunState.PAUSED if flight.releases else RunState.RUNNING
            kept = tuple(each for each in self.view.holds if (each.dispatch, each.step) != (seam.dispatch, step))
            self._publish(holds=kept)

    def _armed_for(self, seam: Seam) -> ArmedFault | None:
        for armed in self.view.armed:
            if armed.befalls(seam.ask.subscription):
                hit = replace(armed, hits=armed.hits + 1)
                others = tuple(each for each in self.view.armed if each is not armed)
                self._publish(armed=others if armed.is_once else (*others, hit))
                return armed
        return None

    # -- what a person prepares ----------------------------------------------------------------------------------

    def edit_payload(self, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another payload in front of a held step; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.BEFORE)
        payload = self.setup.dialect.payload_from_view(hold.ask.subscription.point, view)
        self._rehold(hold, replace(hold, edited=None if payload == hold.ask.payload else payload))

    def edit_answer(self, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another answer in the place of the one that came; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.AFTER)
        answer = self.setup.dialect.answer_from_view(hold.ask, view)
        self._rehold(hold, replace(hold, edited_answer=None if answer == hold.answer else answer))

    def _held(self, dispatch_id: str, step: int, side: Side) -> Hold:
        hold = self.view.hold_of(dispatch_id, step)
        if hold is None or hold.side is not side:
            raise HookscopeError(f"this step is no longer held {side} its subscriber; hold it again and edit there")
        return hold

    def _rehold(self, old: Hold, new: Hold) -> None:
        self._publish(holds=tuple(new if each is old else each for each in self.view.holds))

    def toggle_breakpoint(self, breakpoint: Breakpoint) -> None:
        """Set it, or take it away."""
        self._publish(breakpoints=self.view.breakpoints ^ {breakpoint})

    def arm(self, seat: Subscription, fault: Fault, *, is_once: bool) -> None:
        """Have trouble befall a subscriber at its next call, or at each; replaces what was armed for it.

        Raises BadInput for a fault that the dialect does not have, or settings that it cannot use.
        """
        faults.find(self.setup.dialect.faults, fault.kind).plan(fault)
        others = tuple(each for each in self.view.armed if not each.befalls(seat))
        self._publish(armed=(*others, ArmedFault(seat.name, seat.mode, fault, is_once)))

    def disarm(self, seat: Subscription | None = None) -> None:
        """Take away the trouble of one subscriber, or of all."""
        kept = () if seat is None else tuple(each for each in self.view.armed if not each.befalls(seat))
        self._publish(armed=kept)

    def let_time_run(self, does_time_run: bool) -> None:
        """Whether deadlines pass while a dispatch is held, those that are held now included."""
        self._publish(does_time_run=does_time_run)
        for flight in self._flights.values():
            for step in flight.releases:
                flight.keep_time(step, is_stopped=not does_time_run)

    def switch(self, name: str, is_on: bool) -> None:
        """Throw a switch of the dialect, for the dispatches to come; raises BadInput for a name it does not have."""
        self.setup = replace(self.setup, dialect=self.setup.dialect.switched(name, is_on))

    def now_ns(self, dispatch_id: str) -> int | None:
        """The present on the clock of a dispatch under way. May be read from any thread."""
        flight = self._flights.get(dispatch_id)
        return None if flight is None else flight.clock.now_ns()

    # -- telling -------------------------------------------------------------------------------------------------

    def see(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event.fact, Changed):
            self._refresh_holds(event.dispatch, event.fact.after)
        self._on_news()

    def _refresh_holds(self, dispatch_id: str, payload: Payload) -> None:
        """What was changed at one seam is what held siblings of a parallel run will be asked about, too."""
        for hold in self.view.holds:
            if hold.dispatch == dispatch_id and hold.side is Side.BEFORE:
                self._rehold(hold, replace(hold, ask=replace(hold.ask, payload=payload)))

    def _heard(self, name: str, stream: str, line: str) -> None:
        self._note(f"{name} on {stream}: {line}")

    def _note(self, text: str, *, is_trouble: bool = False) -> None:
        self.notes.append(Note(text, is_trouble))
        self._on_news()

    def _publish(self, **changes: object) -> None:
        states = MappingProxyType({name: flight.state for name, flight in self._flights.items()})
        self.view = replace(self.view, states=states, **changes)  # type: ignore[arg-type]  # SessionView's names
        self._on_news()
