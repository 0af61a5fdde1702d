"""Trouble that waits for subscribers: armed, taken away, drawn, and spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from debugger.breakpoints.breakpoint import in_mode
from debugger.breakpoints.compiled import read, seats
from debugger.filters import Predicate
from debugger.filters import compiled as compiled_filter
from debugger.session.board import Board
from debugger.session.memory import Memory
from debugger.session.seen import ONCE, ArmedFault, Only, When, key_of
from kernel import faults
from kernel.control import Seam
from kernel.errors import BadInput
from kernel.faults import Draw, Fault, FaultKind
from kernel.setup import Setup
from kernel.values import Subscription


def befalls(when: When, call: int) -> bool:
    """Whether a fault befalls this call, counted from 1 among those that fit."""
    match when.only:
        case Only.FIRST if call > when.number:
            return False
        case Only.NTH if call != when.number:
            return False
        case _:
            return Draw(when.chance, when.seed, call).is_hit


class Faults:
    """Armed faults, each with a filter. At most one befalls a call: the one that was armed first."""

    def __init__(self, board: Board, memory: Memory, setup: Callable[[], Setup]) -> None:
        self._board = board
        self._memory = memory
        self._setup = setup
        self._predicates: dict[str, Predicate] = {}

    def arm(self, where: str, fault: Fault, when: When = ONCE) -> None:
        """Replaces what was armed for the same filter. Raises BadInput."""
        setup = self._setup()
        kind = faults.find(setup.dialect.faults, fault.kind)
        kind.plan(fault)
        _check(when)
        predicate = compiled_filter(read(where, self._memory.saved), self._memory.sight)
        self._predicates[where] = predicate
        found = seats(predicate, setup.dialect.name, setup.chains.values())
        known = frozenset(key_of(seat) for seat in found if _can_suffer(kind, seat))
        self._show((*self._others(where), ArmedFault(where, fault, when, known)))

    def arm_seat(self, seat: Subscription, fault: Fault, *, is_once: bool) -> None:
        """For one subscriber in its mode, at any point."""
        self.arm(in_mode(seat.name, seat.mode), fault, ONCE if is_once else When())

    def disarm(self, seat: Subscription | None) -> None:
        """Of one subscriber in its mode, or of all."""
        self._show(() if seat is None else self._others(in_mode(seat.name, seat.mode)))

    def disarm_where(self, where: str) -> None:
        """What was armed for a filter."""
        self._show(self._others(where))

    def strike(self, seam: Seam) -> Fault | None:
        """What befalls the call at this seam. Counts it; a fault that can befall nobody any more is gone with it."""
        if not self._board.view.armed or (seen := self._memory.seen(seam)) is None:
            return None
        struck: Fault | None = None
        now: list[ArmedFault] = []
        kinds = self._setup().dialect.faults
        for armed in self._board.view.armed:
            fits = (
                struck is None
                and _can_suffer(faults.find(kinds, armed.fault.kind), seam.ask.subscription)
                and self._predicates[armed.where].matches_step(*seen) is True
            )
            if fits:
                call = armed.calls + 1
                is_hit = befalls(armed.when, call)
                armed = replace(armed, calls=call, hits=armed.hits + is_hit)
                if is_hit:
                    kind = faults.find(kinds, armed.fault.kind)
                    struck = kind.settled(_as_drawn(armed, call), Draw(armed.when.chance, armed.when.seed, call))
            now.append(armed)
        self._show(tuple(each for each in now if not each.is_spent))
        return struck

    def _others(self, where: str) -> tuple[ArmedFault, ...]:
        return tuple(each for each in self._board.view.armed if each.where != where)

    def _show(self, armed: tuple[ArmedFault, ...]) -> None:
        if armed != self._board.view.armed:
            self._board.publish(armed=armed)


def _can_suffer(kind: FaultKind, seat: Subscription) -> bool:
    return kind.modes is None or seat.mode in kind.modes


def _as_drawn(armed: ArmedFault, call: int) -> Fault:
    when, fault = armed.when, armed.fault
    if when.chance >= 1:
        return fault
    return replace(fault, draw=Draw(when.chance, when.seed, call))


def _check(when: When) -> None:
    if not 0 < when.chance <= 1:
        raise BadInput(f"a chance of {when.chance * 100:g} % is none", fix="more than 0 %, at most 100 %")
    if when.number < 1:
        raise BadInput(f"there is no call number {when.number}", fix="count from 1")
