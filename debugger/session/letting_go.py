"""Holds that end by themselves after a while: a debugger that is forgotten must not hang a host for ever."""

from __future__ import annotations

from collections.abc import Callable

from debugger.session.board import Board
from debugger.session.seen import Hold
from kernel.clock import NS_PER_MS, Clock, Timer
from kernel.errors import BadInput


class LettingGo:
    """One timer for each hold, while a time is set. `let_go` is called with a dispatch whose time is over."""

    def __init__(self, board: Board, clock: Clock, let_go: Callable[[str], None]) -> None:
        self._board = board
        self._clock = clock
        self._let_go = let_go
        self._timers: dict[tuple[str, int], Timer] = {}

    def after(self, seconds: float | None) -> None:
        """Set the time, for the holds of now too; None = never. Raises BadInput."""
        if seconds is not None and not 0 < seconds <= 86_400:
            raise BadInput("a hold can let go after more than 0 s and at most a day", fix="or never")
        self._board.publish(release_after_s=seconds)
        for hold in self._board.view.holds:
            self.watch(hold)

    def watch(self, hold: Hold) -> None:
        """Begin to count for a hold, or no longer."""
        self.forget(hold.dispatch, hold.step)
        seconds = self._board.view.release_after_s
        if seconds is None:
            return
        waited_ns = self._clock.elapsed_ns() - hold.since_ns
        left_ns = max(0, round(seconds * 1000) * NS_PER_MS - waited_ns)
        key = hold.dispatch, hold.step
        self._timers[key] = self._clock.call_at(self._clock.now_ns() + left_ns, lambda: self._is_over(key, hold))

    def forget(self, dispatch: str, step: int) -> None:
        """A hold has ended."""
        timer = self._timers.pop((dispatch, step), None)
        if timer is not None:
            timer.cancel()

    def _is_over(self, key: tuple[str, int], hold: Hold) -> None:
        self._timers.pop(key, None)
        seconds = self._board.view.release_after_s
        self._board.note(f"let go by itself after {seconds:g} s: held {hold.side} {hold.subscriber}")
        self._let_go(hold.dispatch)
