"""Where dispatches are held, how they go on, and with what: what a person says at the seams, put into directives."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from debugger.breakpoints import Breakpoint, Side
from debugger.runcontrol import STANCES, Command, Happening, IllegalMove, RunState, is_hold, moved, side_of
from debugger.session.board import Board
from debugger.session.breaks import Breaks
from debugger.session.faults import Faults
from debugger.session.flight import Edit, Flight
from debugger.session.letting_go import LettingGo
from debugger.session.seen import Hold, key_of
from kernel.clock import Clock
from kernel.control import PROCEED, Back, Directive, Instead, Proceed, Retry, Seam, Skip
from kernel.dialect import Dialect
from kernel.errors import HookscopeError
from kernel.values import JSON, Answered, Outcome, Payload, Subscription
from kernel.walk import Walk

PERSON: Final = "person"
SKIP_LIST: Final = "skip list"


class Steering:
    """The session's `Control`. `clock` says since when a step is held."""

    def __init__(self, board: Board, breaks: Breaks, faults: Faults, clock: Clock) -> None:
        self._board = board
        self._breaks = breaks
        self._faults = faults
        self._clock = clock
        self.letting_go = LettingGo(board, clock, lambda dispatch: self.command(dispatch, Command.CONTINUE, None))

    # -- at the seams --------------------------------------------------------------------------------------------

    async def before(self, seam: Seam) -> Directive:
        if key_of(seam.ask.subscription) in self._board.view.skipping:
            self._board.flights[seam.dispatch].came_to(seam.walk)
            return Skip(SKIP_LIST)
        directive = await self.held_if_wished(seam)
        if isinstance(directive, Proceed) and (fault := self._faults.strike(seam)) is not None:
            return replace(directive, fault=fault)
        return directive

    async def after(self, seam: Seam) -> Directive:
        return await self.held_if_wished(seam)

    async def held_if_wished(self, seam: Seam) -> Directive:
        """How to go on from a seam, at once or after somebody held it there."""
        flight = self._board.flights[seam.dispatch]
        flight.came_to(seam.walk)
        is_at_breakpoint = self._breaks.is_hit(seam)
        is_at_goal = self._breaks.is_at(flight.goal, seam)
        if not is_hold(side_of(seam), flight.stance, is_at_breakpoint=is_at_breakpoint, is_at_goal=is_at_goal):
            return PROCEED
        flight.goal = None
        step, seat = seam.ask.step, seam.ask.subscription
        answer = seam.outcome if isinstance(seam.outcome, Answered) else None
        since_ns = self._clock.elapsed_ns()
        hold = Hold(seam.dispatch, step, seat.name, side_of(seam), since_ns, seam.ask, answer, walk=seam.walk)
        release: asyncio.Future[Directive] = asyncio.get_running_loop().create_future()
        flight.releases[step] = release
        flight.state = moved(flight.state, Happening.HELD)
        flight.keep_time(step, is_stopped=not self._board.view.does_time_run)
        self._board.publish(holds=(*self._board.view.holds, hold))
        self.letting_go.watch(hold)
        try:
            return await release
        finally:
            self.letting_go.forget(seam.dispatch, step)
            flight.keep_time(step, is_stopped=False)
            del flight.releases[step]
            flight.state = RunState.PAUSED if flight.releases else RunState.RUNNING
            holds = self._board.view.holds
            kept = tuple(each for each in holds if (each.dispatch, each.step) != (seam.dispatch, step))
            self._board.publish(holds=kept)

    # -- going on ------------------------------------------------------------------------------------------------

    def command(self, dispatch_id: str, command: Command, step: int | None) -> None:
        """Do what a person wishes with a dispatch; raises IllegalMove where its state has no such command."""
        flight = self._legal(dispatch_id, command)
        if command is Command.STOP:
            flight.caller.cancel(f"stopped by a {PERSON}")
            return
        if command is Command.PAUSE:
            flight.state, flight.stance = RunState.PAUSING, STANCES[command]
        elif flight.state is RunState.PAUSING:
            flight.state, flight.stance = RunState.RUNNING, STANCES[command]
        elif command in (Command.FINISH, Command.CONTINUE):
            self._let_all_go(dispatch_id, flight, command)
        else:
            hold = self._held_one(dispatch_id, flight, step)
            directive = _directive(flight, hold, command)
            flight.stance = STANCES[command]
            self._release(flight, hold, directive)
        self._board.publish()

    def run_to(self, dispatch_id: str, goal: Breakpoint) -> None:
        """On to where a goal is reached, or the next breakpoint; raises IllegalMove, and BadInput for its filter."""
        flight = self._legal(dispatch_id, Command.RUN_TO)
        flight.goal = self._breaks.goal(goal)
        self._let_all_go(dispatch_id, flight, Command.RUN_TO)
        self._board.publish()

    def answer(self, dispatch_id: str, step: int | None, outcome: Outcome) -> None:
        """On with this outcome in the place of the subscriber's own; before the call it is not called at all."""
        flight = self._legal(dispatch_id, Command.ANSWER)
        hold = self._held_one(dispatch_id, flight, step)
        flight.stance = STANCES[Command.ANSWER]
        self._release(flight, hold, Instead(outcome, PERSON))
        self._board.publish()

    def _legal(self, dispatch_id: str, command: Command) -> Flight:
        flight = self._board.flights.get(dispatch_id)
        if flight is None:
            raise IllegalMove(f"cannot {command} while {RunState.FINISHED}: fire another dispatch instead")
        moved(flight.state, command)
        return flight

    def _held_one(self, dispatch_id: str, flight: Flight, step: int | None) -> Hold:
        held = step if step in flight.releases else min(flight.releases)
        hold = self._board.view.hold_of(dispatch_id, held)
        assert hold is not None
        return hold

    def _let_all_go(self, dispatch_id: str, flight: Flight, command: Command) -> None:
        flight.stance = STANCES[command]
        for held in tuple(flight.releases):
            self._release(flight, self._held_one(dispatch_id, flight, held))

    def _release(self, flight: Flight, hold: Hold, directive: Directive | None = None) -> None:
        if directive is None and hold.side is Side.BEFORE:
            directive = Proceed(hold.edited, by=PERSON)
        elif directive is None and hold.edited_answer is not None:
            directive = Instead(hold.edited_answer, PERSON)
        release = flight.releases[hold.step]
        if not release.done():
            if isinstance(directive, Back):
                flight.rewound(directive.walk)
            release.set_result(directive or PROCEED)

    # -- what a person prepares ----------------------------------------------------------------------------------

    def edit_payload(self, dialect: Dialect, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another payload in front of a held step; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.BEFORE)
        payload = dialect.payload_from_view(hold.ask.subscription.point, view)
        self._edit(hold, None if payload == hold.ask.payload else payload, None)

    def edit_answer(self, dialect: Dialect, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another answer in the place of the one that came; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.AFTER)
        answer = dialect.answer_from_view(hold.ask, view)
        self._edit(hold, None, None if answer == hold.answer else answer)

    def undo(self, dispatch_id: str) -> None:
        """Take back the last edit that is still held; raises IllegalMove where there is none."""
        flight = self._board.flights.get(dispatch_id)
        while flight is not None and flight.edits:
            last = flight.edits.pop()
            hold = self._board.view.hold_of(dispatch_id, last.step)
            if hold is not None and hold.since_ns == last.since_ns:
                undoable = hold.undoable - 1
                edited = replace(hold, edited=last.payload, edited_answer=last.answer, undoable=undoable)
                self._rehold(hold, edited)
                return
        raise IllegalMove("there is no edit to undo that has not been sent yet; back goes to before one that has")

    def _edit(self, hold: Hold, payload: Payload | None, answer: Answered | None) -> None:
        if (payload, answer) == (hold.edited, hold.edited_answer):
            return
        flight = self._board.flights[hold.dispatch]
        flight.edits.append(Edit(hold.step, hold.since_ns, hold.edited, hold.edited_answer))
        self._rehold(hold, replace(hold, edited=payload, edited_answer=answer, undoable=hold.undoable + 1))

    def refresh_holds(self, dispatch_id: str, payload: Payload) -> None:
        """What was changed at one seam is what held siblings of a parallel run will be asked about, too."""
        for hold in self._board.view.holds:
            if hold.dispatch == dispatch_id and hold.side is Side.BEFORE:
                self._rehold(hold, replace(hold, ask=replace(hold.ask, payload=payload)))

    def _held(self, dispatch_id: str, step: int, side: Side) -> Hold:
        hold = self._board.view.hold_of(dispatch_id, step)
        if hold is None or hold.side is not side:
            raise HookscopeError(f"this step is no longer held {side} its subscriber; hold it again and edit there")
        return hold

    def _rehold(self, old: Hold, new: Hold) -> None:
        self._board.publish(holds=tuple(new if each is old else each for each in self._board.view.holds))

    def toggle_skipping(self, seat: Subscription) -> None:
        """Leave a seat out of every dispatch from now on, or take it back in."""
        self._board.publish(skipping=self._board.view.skipping ^ {key_of(seat)})

    def let_time_run(self, does_time_run: bool) -> None:
        """Whether deadlines pass while a dispatch is held, those that are held now included."""
        self._board.publish(does_time_run=does_time_run)
        for flight in self._board.flights.values():
            for step in flight.releases:
                flight.keep_time(step, is_stopped=not does_time_run)


def _directive(flight: Flight, hold: Hold, command: Command) -> Directive | None:
    """What a command comes to at a hold, None to go on as prepared; raises IllegalMove where it makes no sense."""
    match command:
        case Command.SKIP:
            return Skip(PERSON)
        case Command.RETRY if hold.side is Side.BEFORE:
            raise IllegalMove(f"{hold.subscriber} has not answered yet: step first, then ask again")
        case Command.RETRY:
            return Retry(PERSON)
        case Command.BACK | Command.RESTART:
            return Back(_earlier(flight, hold, is_first=command is Command.RESTART), PERSON)
        case _:
            return None


def _earlier(flight: Flight, hold: Hold, *, is_first: bool) -> Walk:
    """The walk to go back to: from behind an answer, the one before it came."""
    assert hold.walk is not None
    if is_first and hold.walk is not flight.walks[0]:
        return flight.walks[0]
    if hold.side is Side.AFTER:
        return hold.walk
    earlier = flight.earlier(hold.walk)
    if earlier is None:
        raise IllegalMove("this is where the dispatch began: there is nothing before it")
    return earlier
