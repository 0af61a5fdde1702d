"""Trouble that waits for subscribers: armed, taken away, and spent."""

from __future__ import annotations

from dataclasses import replace

from debugger.session.board import Board
from debugger.session.seen import ArmedFault
from kernel import faults
from kernel.dialect import Dialect
from kernel.faults import Fault
from kernel.values import Subscription


class Faults:
    """At most one armed fault for each subscriber in each of its modes."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def arm(self, dialect: Dialect, seat: Subscription, fault: Fault, *, is_once: bool) -> None:
        """Replaces what was armed for the seat. Raises BadInput."""
        faults.find(dialect.faults, fault.kind).plan(fault)
        self._show((*self._others(seat), ArmedFault(seat.name, seat.mode, fault, is_once)))

    def disarm(self, seat: Subscription | None) -> None:
        """Of one seat, or of all."""
        self._show(() if seat is None else self._others(seat))

    def strike(self, seat: Subscription) -> Fault | None:
        """What befalls the seat at this call, which is one hit; a fault for one call is gone with it."""
        for armed in self._board.view.armed:
            if armed.befalls(seat):
                hit = () if armed.is_once else (replace(armed, hits=armed.hits + 1),)
                self._show((*self._others(seat), *hit))
                return armed.fault
        return None

    def _others(self, seat: Subscription) -> tuple[ArmedFault, ...]:
        return tuple(each for each in self._board.view.armed if not each.befalls(seat))

    def _show(self, armed: tuple[ArmedFault, ...]) -> None:
        self._board.publish(armed=armed)
