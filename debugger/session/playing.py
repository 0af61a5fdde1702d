"""Described sessions that are played: one at a time, all its dispatches on one clock."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from debugger.runcontrol import CARRIED, IllegalMove, RunState, Stance
from debugger.session.board import Board
from debugger.session.flight import Flight
from debugger.session.questions import Person, Questions
from kernel.clock import Caller, Clock, HeldClock
from kernel.playing import USUAL, Bring, Course, Load, Playable, Stage
from kernel.probe import Probes
from kernel.values import Chain, Payload, Result

log = logging.getLogger(__name__)

Ready: TypeAlias = Callable[[str, Course], Awaitable[None]]
"""Has everybody alive who is asked at a point."""
Fly: TypeAlias = Callable[[Flight, str, Payload, str, Course], Awaitable[Result]]
"""Has a payload dispatched at a point, inside the stretch or dispatch named; gives the result."""
Switches: TypeAlias = Callable[[], Mapping[str, bool]]
"""The dialect's, as they are by now."""


@dataclass(slots=True)
class _Play:
    """A described session that is being played."""

    clock: HeldClock
    caller: Caller
    stance: Stance
    """How its next dispatch begins."""


class Playing:
    """Plays on the session's clock; everything of it can be held, and ended."""

    def __init__(
        self,
        board: Board,
        questions: Questions,
        probes: Probes,
        clock: Clock,
        *,
        ready: Ready,
        fly: Fly,
        bring: Bring,
        load: Load,
        switches: Switches,
        chain: Callable[[str], Chain],
        refused: Callable[[], frozenset[str]],
    ) -> None:
        self._board = board
        self._questions = questions
        self._ready = ready
        self._fly = fly
        self._bring = bring
        self._load = load
        self._switches = switches
        self._chain = chain
        self._refused = refused
        self._probes = probes
        self._clock = clock
        self._play: _Play | None = None

    def begin(self, playable: Playable, stance: Stance) -> Coroutine[None, None, None]:
        """What plays it, to be run as a task; raises IllegalMove while another one plays."""
        if self._play is not None:
            raise IllegalMove("a session is being played; stop it first, or wait for its end")
        self._play = _Play(HeldClock(self._clock), Caller(), stance)
        self._board.publish(is_playing=True)
        return self._played(playable, self._play)

    def pause(self) -> None:
        """Hold it at its next seam, whichever dispatch that is in; raises IllegalMove where nothing plays."""
        play = self._under_way()
        play.stance = Stance.TO_NEXT_SEAM
        for flight in self._board.flights.values():
            if flight.caller is play.caller and flight.state is RunState.RUNNING:
                flight.state, flight.stance = RunState.PAUSING, Stance.TO_NEXT_SEAM
        self._board.publish()

    def stop(self, reason: str) -> None:
        """End it, the way a caller that gives up would; raises IllegalMove where nothing plays."""
        self._under_way().caller.cancel(reason)

    def close(self, reason: str) -> None:
        """End whatever plays."""
        if self._play is not None:
            self._play.caller.cancel(reason)

    def _under_way(self) -> _Play:
        if self._play is None:
            raise IllegalMove("no session is being played")
        return self._play

    async def _played(self, playable: Playable, play: _Play) -> None:
        async def fire(point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL) -> Result:
            await self._ready(point, course)
            flight = Flight(play.clock, caller, play.stance)
            try:
                return await self._fly(flight, point, payload, parent, course)
            finally:
                play.stance = CARRIED[flight.stance]

        person = Person(self._questions, play.clock)
        try:
            stage = Stage(
                fire,
                self._probes,
                play.clock,
                play.caller,
                resolver=person,
                bring=self._bring,
                load=self._load,
                switches=self._switches(),
                chain=self._chain,
                refused=self._refused(),
            )
            played = await playable.play(stage)
            reason = f" ({played.reason})" if played.reason else ""
            text = f"the session ended {played.status}{reason}: {played.why}"
            self._board.note(text, is_trouble=not played.is_fine)
        except Exception as error:  # ours, not a subscriber's: say so, and keep the debug session
            log.exception("played session")
            self._board.note(f"something broke on our side while a session was played: {error!r}", is_trouble=True)
        finally:
            self._play = None
            self._board.publish(is_playing=False)
