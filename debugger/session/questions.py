"""What waits for a person to decide; the clock stands still meanwhile, like at any other hold."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from debugger.runcontrol import IllegalMove
from debugger.session.board import Board
from debugger.session.seen import Asking
from kernel.asking import Answer, Question
from kernel.clock import HeldClock


class Questions:
    """Asks by way of the view: `askings` there, and `reply` here."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._asked = 0
        self._replies: dict[int, asyncio.Future[Answer]] = {}

    def reply(self, asking: Asking, answer: Answer) -> None:
        """Answer a question; raises IllegalMove where it no longer waits."""
        reply = self._replies.get(asking.number)
        if reply is None or reply.done():
            raise IllegalMove("this question no longer waits for an answer")
        reply.set_result(answer)

    async def ask(self, question: Question, clock: HeldClock, dispatch: str = "") -> Answer:
        """Wait for a person."""
        self._asked += 1
        asking = Asking(self._asked, question, dispatch)
        reply: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._replies[asking.number] = reply
        clock.hold()
        self._board.publish(askings=(*self._board.view.askings, asking))
        try:
            return await reply
        finally:
            clock.release()
            del self._replies[asking.number]
            self._board.publish(askings=tuple(each for each in self._board.view.askings if each is not asking))


@dataclass(frozen=True, slots=True)
class Person:
    """Resolves questions by asking whoever sits in front of the screen."""

    questions: Questions
    clock: HeldClock
    dispatch: str = ""
    """The dispatch whose result asks; empty in a played session."""

    async def resolve(self, question: Question) -> Answer:
        return await self.questions.ask(question, self.clock, self.dispatch)
