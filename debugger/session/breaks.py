"""Breakpoints at the seams: which hold, which only tell, and how often each was hit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from debugger.breakpoints import Breakpoint, Compiled, compiled
from debugger.breakpoints.compiled import seats
from debugger.runcontrol import side_of
from debugger.session.board import Board
from debugger.session.memory import Memory
from debugger.session.seen import SetBreakpoint, key_of
from kernel.control import Seam
from kernel.errors import HookscopeError
from kernel.setup import Setup


class Breaks:
    """The set of them. `setup` gives the configuration as it is by now."""

    def __init__(self, board: Board, memory: Memory, setup: Callable[[], Setup]) -> None:
        self._board = board
        self._memory = memory
        self._setup = setup
        self._compiled: dict[int, Compiled] = {}
        self._last = 0

    def add(self, breakpoint: Breakpoint) -> int:
        """Set one; gives its number. Raises BadInput for what cannot be read."""
        ready = compiled(breakpoint, self._memory.sight, self._memory.saved)
        self._last += 1
        self._compiled[self._last] = ready
        self._show((*self._board.view.breakpoints, self._as_set(self._last, ready)))
        return self._last

    def change(self, number: int, breakpoint: Breakpoint) -> None:
        """Put another one in its place, whose hits count from none if it says something else. Raises BadInput."""
        known = self._known(number)
        ready = compiled(breakpoint, self._memory.sight, self._memory.saved)
        self._compiled[number] = ready
        changed = self._as_set(number, ready)
        if replace(known.breakpoint, is_on=True) == replace(breakpoint, is_on=True):
            changed = replace(changed, hits=known.hits)
        self._show(changed if each.number == number else each for each in self._board.view.breakpoints)

    def remove(self, number: int) -> None:
        self._known(number)
        del self._compiled[number]
        self._show(each for each in self._board.view.breakpoints if each.number != number)

    def toggle(self, breakpoint: Breakpoint) -> None:
        """Set it, or take away the one that says the same."""
        known = self._board.view.breakpoint_like(breakpoint)
        if known is None:
            self.add(breakpoint)
        else:
            self.remove(known.number)

    def turn_all(self, are_on: bool) -> None:
        """Whether any of them means anything; none is forgotten."""
        self._board.publish(are_breakpoints_on=are_on)

    def is_hit(self, seam: Seam) -> bool:
        """Whether one of them holds at this seam. Counts every hit, and tells what log points say."""
        view = self._board.view
        if not view.are_breakpoints_on or not view.breakpoints or (seen := self._memory.seen(seam)) is None:
            return False
        side, holds, hits = side_of(seam), False, dict[int, int]()
        for each in view.breakpoints:
            known = self._compiled[each.number]
            breakpoint = each.breakpoint
            if not breakpoint.is_on or breakpoint.side is not side or not known.is_hit(*seen):
                continue
            hits[each.number] = each.hits + 1
            if not breakpoint.count.fits(each.hits + 1):
                continue
            if known.say is None:
                holds = True
            else:
                self._board.note(known.say(self._memory.sight, *seen))
        if hits:
            now = self._board.view.breakpoints
            self._show(replace(each, hits=hits.get(each.number, each.hits)) for each in now)
        return holds

    def goal(self, breakpoint: Breakpoint) -> Compiled:
        """Where a run is to end; raises BadInput."""
        return compiled(breakpoint, self._memory.sight, self._memory.saved)

    def is_at(self, goal: Compiled | None, seam: Seam) -> bool:
        """Whether a run has come to its goal."""
        if goal is None or goal.breakpoint.side is not side_of(seam):
            return False
        seen = self._memory.seen(seam)
        return seen is not None and goal.is_hit(*seen)

    def _as_set(self, number: int, ready: Compiled) -> SetBreakpoint:
        setup = self._setup()
        found = seats(ready.predicate, setup.dialect.name, setup.chains.values())
        return SetBreakpoint(number, ready.breakpoint, 0, frozenset(map(key_of, found)))

    def _known(self, number: int) -> SetBreakpoint:
        for each in self._board.view.breakpoints:
            if each.number == number:
                return each
        raise HookscopeError(f"there is no breakpoint {number} any more")

    def _show(self, breakpoints: Iterable[SetBreakpoint]) -> None:
        self._board.publish(breakpoints=tuple(breakpoints))
