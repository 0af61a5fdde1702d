"""A debug session: its life, and its dispatches from their beginning to their end.

Who watches it from another thread drains `events` and reads `view`, both replaced or appended from the kernel's loop
only; wishes arrive as calls that are run on that loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from debugger.breakpoints import Breakpoint
from debugger.covering import covered_events_of
from debugger.runcontrol import Command, Stance
from debugger.session.board import Board
from debugger.session.breaks import Breaks
from debugger.session.faults import Faults
from debugger.session.flight import Flight
from debugger.session.forking import Forked
from debugger.session.memory import Memory
from debugger.session.playing import Playing
from debugger.session.questions import Person, Questions
from debugger.session.seen import Asking, Note, SessionView, When
from debugger.session.steering import PERSON, Steering
from debugger.session.stuck_watch import StuckWatch
from debugger.whatif.alternatives import Prepared
from kernel.asking import Answer, Resolver
from kernel.clock import REAL, Caller, Clock, HeldClock
from kernel.control import Control
from kernel.dispatch import dispatch
from kernel.facts import Changed, Event, Fork
from kernel.faults import Fault
from kernel.host import Host
from kernel.playing import USUAL, Course, Playable
from kernel.probe import Probe, Probes
from kernel.setup import Setup
from kernel.subscriber import Subscriber
from kernel.values import JSON, Outcome, Payload, Result, Subscription

log = logging.getLogger(__name__)

HEALTH_S = 0.5
"""How often it is looked whether everybody is still alive."""


class Session:
    """See the module's docstring. Every method but the constructor and `now_ns` belongs on the kernel's loop."""

    def __init__(
        self,
        setup: Setup,
        on_news: Callable[[], None] = lambda: None,
        *probes: Probe,
        host: Host | None = None,
        clock: Clock = REAL,
    ) -> None:
        self.setup = setup
        """As it is by now: whoever was refused when it was to be loaded sits in no chain."""
        self._configured = setup.chains
        self.clock = clock
        """What every dispatch counts on, except while it is held."""
        self._covered = covered_events_of(setup)
        self.gone: Callable[[], int] = lambda: 0
        """How many of its dispatches are not in its recording any more, or never were; whoever records says so."""
        self._board = Board(on_news, self._covered)
        self._probes = Probes(self, *(self._covered.in_front_of(probe) for probe in probes))
        unseats = setup.dialect.staging.unseats_failures
        self._host = host or Host(setup.chains.values(), self._heard, setup.others, unseats_failures=unseats)
        self._memory = Memory(setup.dialect)
        self._breaks = Breaks(self._board, self._memory, lambda: self.setup)
        self._faults = Faults(self._board, self._memory, lambda: self.setup)
        self._steering = Steering(self._board, self._breaks, self._faults, clock)
        self._questions = Questions(self._board)
        self._playing = Playing(
            self._board,
            self._questions,
            self._probes,
            clock,
            ready=self._ready_for,
            fly=self._played,
            bring=self._bring,
            load=self._load,
            switches=lambda: self.setup.dialect.switches,
            chain=lambda point: self.setup.chains[point],
            refused=lambda: self._host.refused,
        )
        self._stuck = StuckWatch(self._board, self._host.stuck)
        self._restarting = asyncio.Lock()  # a dispatch that begins meanwhile would find subscribers missing
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_closing = asyncio.Event()

    @property
    def view(self) -> SessionView:
        """How everything stands now, with the secrets of the configuration covered."""
        return self._board.shown

    @property
    def events(self) -> deque[Event]:
        """What happened, for one reader to take away."""
        return self._board.events

    @property
    def notes(self) -> deque[Note]:
        """What a person should be told, for one reader to take away."""
        return self._board.notes

    @property
    def runs_callables(self) -> bool:
        """Whether somebody's code runs in our own process."""
        return self._host.runs_callables

    def now_ns(self, dispatch_id: str) -> int | None:
        """The present on the clock of a dispatch under way. May be read from any thread."""
        flight = self._board.flights.get(dispatch_id)
        return None if flight is None else flight.clock.now_ns()

    # -- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start every subscriber; those that fail are told of and answer as dead processes."""
        for problem in self.setup.refused:
            self._board.note(f"not loaded: {problem.as_error()}", is_trouble=True)
        self._run(self._stuck.run(self._is_closing), "who is stuck")
        await self._host.start()
        self._reseat()
        self._board.publish(is_started=True, health=self._host.health)
        self._run(self._watch_health(), "health of the subscribers")
        for failure, sentence in zip(self._host.failures, self._host.told_failures, strict=True):
            printed = failure.printed.strip().splitlines()
            self._board.note(f"{sentence}{f' (it said: {printed[-1]})' if printed else ''}", is_trouble=True)

    def _reseat(self) -> None:
        """Have the chains as they are now that somebody was loaded, or was refused."""
        chains = {point: self._host.seated(chain) for point, chain in self._configured.items()}
        self.setup = replace(self.setup, chains=MappingProxyType(chains))

    def _run(self, work: Coroutine[None, None, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch_health(self) -> None:
        """Tell of subscribers that die while nobody asks them."""
        while not self._is_closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(HEALTH_S):
                    await self._is_closing.wait()
            known = {each.name for each in self.view.health if each.is_alive}
            health = self._host.health
            if health != self.view.health and not self._board.flights and not self._restarting.locked():
                self._board.publish(health=health)
                for each in health:
                    if each.name in known and not each.is_alive:
                        self._board.note(f"{each.name} is gone: {each.detail}; it is started again when it is needed")

    async def close(self) -> None:
        """Stop what is under way, then every subscriber."""
        self._is_closing.set()
        reason = "hookscope is closing"
        for flight in tuple(self._board.flights.values()):
            flight.caller.cancel(reason)
        self._playing.close(reason)
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
        self._reseat()
        self._board.publish(health=self._host.health)
        for sentence in self._host.told_failures:
            self._board.note(sentence, is_trouble=True)

    def _heard(self, name: str, stream: str, line: str) -> None:
        self._board.note(f"{name} on {stream}: {line}")

    def switch(self, name: str, is_on: bool) -> None:
        """Throw a switch of the dialect, for the dispatches to come; raises BadInput for a name it does not have."""
        self.setup = replace(self.setup, dialect=self.setup.dialect.switched(name, is_on))

    # -- dispatches ----------------------------------------------------------------------------------------------

    async def fire(
        self,
        point: str,
        payload: Payload,
        stance: Stance = Stance.TO_BREAKPOINT,
        *,
        course: Course = USUAL,
        fork: Fork | None = None,
    ) -> str:
        """Start a dispatch and return its id. Subscribers that died since the last one are started again first.

        With a `course` of its own it can be a `fork` of another one, on whose result nobody acts.
        """
        payload = self._covered.uncovered_payload(payload, point)
        await self._ready_for(point, course)
        dispatch_id = os.urandom(8).hex()
        flight = Flight(HeldClock(self.clock), Caller(), stance)
        self._board.flights[dispatch_id] = flight  # from now on it can be commanded
        self._board.publish()
        flown = self._fly(dispatch_id, flight, point, payload, course=course, fork=fork)
        self._run(flown, f"dispatch {dispatch_id}")
        return dispatch_id

    async def fork(self, ready: Prepared, stance: Stance = Stance.TO_BREAKPOINT) -> str:
        """Start a dispatch with one thing changed and return its id: only those are asked whose question is new."""
        ready = self._as_it_was(ready)
        await self._revive({seat.name for seat in ready.chain.subscriptions})
        dispatch_id, flight = self._forked(ready, stance)
        flown = self._fly(dispatch_id, flight, ready.chain.point, ready.payload, ready=ready)
        self._run(flown, f"fork {dispatch_id}")
        return dispatch_id

    async def forked(self, ready: Prepared) -> tuple[str, Result]:
        """The same, to its end: its id, and what it came to."""
        ready = self._as_it_was(ready)
        await self._revive({seat.name for seat in ready.chain.subscriptions})
        dispatch_id, flight = self._forked(ready, Stance.TO_END)
        return dispatch_id, await self._dispatched(dispatch_id, flight, ready.chain.point, ready.payload, ready=ready)

    def _as_it_was(self, ready: Prepared) -> Prepared:
        """A fork of what was shown, with what was really asked and answered where secrets are covered."""
        if not self._covered.covering:
            return ready
        known = ready.known
        given = {step: self._covered.uncovered_outcome(outcome) for step, outcome in known.given.items()}
        known = replace(known, trace=self._memory.find(known.trace.id) or known.trace, given=given)
        return replace(ready, payload=self._covered.uncovered_payload(ready.payload, ready.chain.point), known=known)

    def _forked(self, ready: Prepared, stance: Stance) -> tuple[str, Flight]:
        dispatch_id = os.urandom(8).hex()
        flight = Flight(HeldClock(self.clock), Caller(), stance)
        self._board.flights[dispatch_id] = flight
        self._board.publish()
        return dispatch_id, flight

    async def _ready_for(self, point: str, course: Course = USUAL) -> None:
        """Start again whoever of a chain has died."""
        await self._revive({seat.name for seat in course.seats(self.setup.chains[point]).subscriptions})

    async def _load(self, name: str, *, is_wanted: bool) -> str:
        """End a process for a played session, and start another where it is wanted."""
        async with self._restarting:
            reason = await self._host.load(name, is_wanted=is_wanted)
        self._reseat()
        self._board.publish(health=self._host.health)
        return reason

    async def _bring(self, name: str) -> Subscriber:
        """Somebody who is asked outside of any chain, alive if that can be had."""
        await self._revive({name})
        return self._host.subscribers[name]

    async def _revive(self, wanted: Collection[str]) -> None:
        async with self._restarting:
            health = (each for each in self._host.health if not each.state)  # those are started again by their host
            dead = [each.name for each in health if not each.is_alive and each.detail != "not started"]
            gone = [name for name in dead if name in wanted]
            if gone:
                await self._restart(gone)
                alive = [each.name for each in self._host.health if each.is_alive and each.name in gone]
                if alive:
                    self._board.note(f"started {', '.join(alive)} again")

    async def _fly(
        self,
        dispatch_id: str,
        flight: Flight,
        point: str,
        payload: Payload,
        *,
        course: Course = USUAL,
        ready: Prepared | None = None,
        fork: Fork | None = None,
    ) -> None:
        person = Person(self._questions, flight.clock, dispatch_id)
        try:
            is_fork = fork is not None or ready is not None
            resolver = None if is_fork else person  # what a fork comes to, nobody acts on
            await self._dispatched(
                dispatch_id, flight, point, payload, resolver=resolver, course=course, ready=ready, fork=fork
            )
        except Exception as error:  # ours, not a subscriber's: say so, and keep the session
            log.exception("dispatch %s", dispatch_id)
            self._board.note(f"something broke on our side during {point}: {error!r}", is_trouble=True)

    async def _played(self, flight: Flight, point: str, payload: Payload, parent: str, course: Course) -> Result:
        """A dispatch of a played session: what its result leaves open is decided by whoever plays."""
        return await self._dispatched(os.urandom(8).hex(), flight, point, payload, parent=parent, course=course)

    async def _dispatched(
        self,
        dispatch_id: str,
        flight: Flight,
        point: str,
        payload: Payload,
        *,
        parent: str = "",
        resolver: Resolver | None = None,
        course: Course = USUAL,
        ready: Prepared | None = None,
        fork: Fork | None = None,
    ) -> Result:
        """Dispatch, where it can be held; `ready` is what a fork has in the place of the usual."""
        self._board.flights[dispatch_id] = flight
        self._board.publish()
        control: Control = self._steering if ready is None else Forked(self._steering, ready)
        try:
            return await dispatch(
                self.setup.dialect if ready is None else ready.dialect,
                course.seats(self.setup.chains[point]) if ready is None else ready.chain,
                payload,
                self._host.subscribers,
                probes=self._probes,
                control=control,
                clock=flight.clock,
                caller=flight.caller,
                dispatch_id=dispatch_id,
                parent=parent,
                resolver=resolver,
                switches=course.switches,
                own=course.own,
                room=course.room,
                fork=fork if ready is None else ready.fork,
            )
        finally:
            del self._board.flights[dispatch_id]
            self._board.publish(health=self._host.health)

    def see(self, event: Event) -> None:
        self._memory.take(event)
        self._board.tell(event)
        if isinstance(event.fact, Changed):
            self._steering.refresh_holds(event.dispatch, event.fact.after)

    # -- wishes: what each means is said where it is done --------------------------------------------------------

    def play(self, playable: Playable, stance: Stance = Stance.TO_BREAKPOINT) -> None:
        """Start to play a described session; its questions are asked in `view`. Raises IllegalMove while one plays."""
        self._run(self._playing.begin(playable, stance), "played session")

    def pause_play(self) -> None:
        self._playing.pause()

    def stop_play(self) -> None:
        self._playing.stop(f"stopped by a {PERSON}")

    def reply(self, asking: Asking, answer: Answer) -> None:
        self._questions.reply(asking, answer)

    def command(self, dispatch_id: str, command: Command, step: int | None = None) -> None:
        self._steering.command(dispatch_id, command, step)

    def edit_payload(self, dispatch_id: str, step: int, view: JSON) -> None:
        view = self._covered.covering.uncovered(view)
        self._steering.edit_payload(self.setup.dialect, dispatch_id, step, view)

    def edit_answer(self, dispatch_id: str, step: int, view: JSON) -> None:
        view = self._covered.covering.uncovered(view)
        self._steering.edit_answer(self.setup.dialect, dispatch_id, step, view)

    def undo(self, dispatch_id: str) -> None:
        self._steering.undo(dispatch_id)

    def answer(self, dispatch_id: str, step: int | None, outcome: Outcome) -> None:
        self._steering.answer(dispatch_id, step, self._covered.uncovered_outcome(outcome))

    def run_to(self, dispatch_id: str, goal: Breakpoint) -> None:
        self._steering.run_to(dispatch_id, goal)

    def toggle_skipping(self, seat: Subscription) -> None:
        self._steering.toggle_skipping(seat)

    def let_time_run(self, does_time_run: bool) -> None:
        self._steering.let_time_run(does_time_run)

    def let_go_after(self, seconds: float | None) -> None:
        self._steering.letting_go.after(seconds)

    def use_saved_filters(self, saved: Mapping[str, str]) -> None:
        """What `@name` stands for in filters that are read from now on."""
        self._memory.saved = saved

    def toggle_breakpoint(self, breakpoint: Breakpoint) -> None:
        self._breaks.toggle(breakpoint)

    def add_breakpoint(self, breakpoint: Breakpoint) -> int:
        return self._breaks.add(breakpoint)

    def change_breakpoint(self, number: int, breakpoint: Breakpoint) -> None:
        self._breaks.change(number, breakpoint)

    def remove_breakpoint(self, number: int) -> None:
        self._breaks.remove(number)

    def turn_breakpoints(self, are_on: bool) -> None:
        self._breaks.turn_all(are_on)

    def arm(self, seat: Subscription, fault: Fault, *, is_once: bool) -> None:
        """Have trouble befall a subscriber at its next call, or at each; replaces what was armed for it.

        Raises BadInput for a fault that the dialect does not have, or settings that it cannot use.
        """
        self._faults.arm_seat(seat, fault, is_once=is_once)

    def arm_where(self, where: str, fault: Fault, when: When) -> None:
        """Have trouble befall whoever fits a filter when it is about to be asked. Raises BadInput."""
        self._faults.arm(where, fault, when)

    def disarm(self, seat: Subscription | None = None) -> None:
        """Take away the trouble of one subscriber, or of all."""
        self._faults.disarm(seat)

    def disarm_where(self, where: str) -> None:
        self._faults.disarm_where(where)
