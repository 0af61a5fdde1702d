"""Shows in a session who does not come back, and notes whoever was given up on."""

from __future__ import annotations

import asyncio
import contextlib

from debugger.session.board import Board
from debugger.stuck import LONG_NS, LOOK_S, Look, Once, sentence


class StuckWatch:
    """Looks from time to time, also while subscribers still start: importing one may block as well."""

    def __init__(self, board: Board, look: Look) -> None:
        self._board = board
        self._look = look
        self._abandoned = Once()

    async def run(self, closing: asyncio.Event) -> None:
        while not closing.is_set():
            self.look()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await closing.wait()

    def look(self) -> None:
        """Publish who is stuck now."""
        stuck = self._look(LONG_NS)
        if stuck != self._board.view.stuck:
            self._board.publish(stuck=stuck)
        for each in self._abandoned.news((each for each in stuck if each.is_abandoned), LONG_NS):
            self._board.note(sentence(each))
