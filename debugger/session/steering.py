"""Where dispatches are held, how they go on, and with what: what a person says at the seams, put into directives."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from debugger.runcontrol import (
    STANCES,
    Breakpoint,
    Command,
    Happening,
    IllegalMove,
    RunState,
    Side,
    is_hold,
    moved,
    side_of,
)
from debugger.session.board import Board
from debugger.session.faults import Faults
from debugger.session.flight import Flight
from debugger.session.seen import Hold
from kernel.clock import Clock
from kernel.control import PROCEED, Directive, Instead, Proceed, Seam, Skip
from kernel.dialect import Dialect
from kernel.errors import HookscopeError
from kernel.values import JSON, Answered, Payload

PERSON: Final = "person"


class Steering:
    """The session's `Control`. `clock` says since when a step is held."""

    def __init__(self, board: Board, faults: Faults, clock: Clock) -> None:
        self._board = board
        self._faults = faults
        self._clock = clock

    # -- at the seams --------------------------------------------------------------------------------------------

    async def before(self, seam: Seam) -> Directive:
        directive = await self._hold_if_wished(seam)
        if isinstance(directive, Proceed) and (fault := self._faults.strike(seam.ask.subscription)) is not None:
            return replace(directive, fault=fault)
        return directive

    async def after(self, seam: Seam) -> Directive:
        return await self._hold_if_wished(seam)

    async def _hold_if_wished(self, seam: Seam) -> Directive:
        flight = self._board.flights[seam.dispatch]
        if not is_hold(seam, flight.stance, self._board.view.breakpoints):
            return PROCEED
        step, seat = seam.ask.step, seam.ask.subscription
        answer = seam.outcome if isinstance(seam.outcome, Answered) else None
        hold = Hold(seam.dispatch, step, seat.name, side_of(seam), self._clock.elapsed_ns(), seam.ask, answer)
        release: asyncio.Future[Directive] = asyncio.get_running_loop().create_future()
        flight.releases[step] = release
        flight.state = moved(flight.state, Happening.HELD)
        flight.keep_time(step, is_stopped=not self._board.view.does_time_run)
        self._board.publish(holds=(*self._board.view.holds, hold))
        try:
            return await release
        finally:
            flight.keep_time(step, is_stopped=False)
            del flight.releases[step]
            flight.state = RunState.PAUSED if flight.releases else RunState.RUNNING
            holds = self._board.view.holds
            kept = tuple(each for each in holds if (each.dispatch, each.step) != (seam.dispatch, step))
            self._board.publish(holds=kept)

    # -- going on ------------------------------------------------------------------------------------------------

    def command(self, dispatch_id: str, command: Command, step: int | None) -> None:
        """Do what a person wishes with a dispatch; raises IllegalMove where its state has no such command."""
        flight = self._board.flights.get(dispatch_id)
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
        self._board.publish()

    def _release(self, dispatch_id: str, flight: Flight, step: int, directive: Directive | None = None) -> None:
        hold = self._board.view.hold_of(dispatch_id, step)
        assert hold is not None
        if directive is None and hold.side is Side.BEFORE:
            directive = Proceed(hold.edited, by=PERSON)
        elif directive is None and hold.edited_answer is not None:
            directive = Instead(hold.edited_answer, PERSON)
        release = flight.releases[step]
        if not release.done():
            release.set_result(directive or PROCEED)

    # -- what a person prepares ----------------------------------------------------------------------------------

    def edit_payload(self, dialect: Dialect, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another payload in front of a held step; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.BEFORE)
        payload = dialect.payload_from_view(hold.ask.subscription.point, view)
        self._rehold(hold, replace(hold, edited=None if payload == hold.ask.payload else payload))

    def edit_answer(self, dialect: Dialect, dispatch_id: str, step: int, view: JSON) -> None:
        """Put another answer in the place of the one that came; raises BadInput that names the path."""
        hold = self._held(dispatch_id, step, Side.AFTER)
        answer = dialect.answer_from_view(hold.ask, view)
        self._rehold(hold, replace(hold, edited_answer=None if answer == hold.answer else answer))

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

    def toggle_breakpoint(self, breakpoint: Breakpoint) -> None:
        """Set it, or take it away."""
        self._board.publish(breakpoints=self._board.view.breakpoints ^ {breakpoint})

    def let_time_run(self, does_time_run: bool) -> None:
        """Whether deadlines pass while a dispatch is held, those that are held now included."""
        self._board.publish(does_time_run=does_time_run)
        for flight in self._board.flights.values():
            for step in flight.releases:
                flight.keep_time(step, is_stopped=not does_time_run)
