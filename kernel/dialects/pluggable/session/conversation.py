"""The messages of a played session."""

from __future__ import annotations

from collections.abc import Sequence

from kernel.dialects.pluggable.sections import tokens
from kernel.dialects.pluggable.session import turn
from kernel.dialects.pluggable.session.described import Said
from kernel.dialects.pluggable.session.turn import Message


class Conversation:
    """What was said so far. Whoever adds to it takes an id for what is new."""

    def __init__(self, session: str, described: Sequence[Said]) -> None:
        self._session = session
        self._ids = 0
        self.messages: tuple[Message, ...] = tuple(turn.said(each, self.new_id()) for each in described)

    def new_id(self) -> str:
        self._ids += 1
        return f"{self._session}/message-{self._ids}"

    def say(self, said: Said) -> None:
        """Add a plain message."""
        self.add(turn.said(said, self.new_id()))

    def add(self, *messages: Message) -> None:
        self.messages = (*self.messages, *messages)

    def rewrite(self, messages: tuple[Message, ...]) -> None:
        """Put others in place of all of them: a compactor's doing, which lasts."""
        self.messages = messages

    @property
    def tokens(self) -> int:
        """What they count: each for itself, as sections of context do (spec B.11)."""
        return sum(map(tokens, turn.texts(self.messages)))
