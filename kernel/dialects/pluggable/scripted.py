"""The parts of a description that act: context providers that contribute and people who answer as described."""

from __future__ import annotations

from collections.abc import Callable

from kernel.clock import Clock, sleep
from kernel.dialects.pluggable import turn
from kernel.dialects.pluggable.described import ContextProvider, Reaction
from kernel.dialects.pluggable.sections import ContextRequest, ContributeError, Contribution, Section
from kernel.asking import Answer, Nobody, Question
from kernel.values import JSON


class DescribedContext:
    """A context provider that puts its own sections behind the chain so far."""

    def __init__(self, described: ContextProvider, clock: Clock, new_message_id: Callable[[], str]) -> None:
        self._described = described
        self._clock = clock
        self._new_message_id = new_message_id
        self._has_rewritten = False

    @property
    def name(self) -> str:
        return self._described.name

    @property
    def token_budget(self) -> int:
        return self._described.token_budget

    @property
    def is_compactor(self) -> bool:
        return self._described.compactor

    async def contribute(self, request: ContextRequest) -> Contribution:
        described = self._described
        if described.takes_ms:
            await sleep(self._clock, described.takes_ms)
        if described.error:
            raise ContributeError(described.error)
        others = tuple(section for section in request.prior if section.provider != self.name)
        own = tuple(Section(self.name, piece.label, ({"text": {"text": piece.text}},)) for piece in described.sections)
        rewrites: tuple[JSON, ...] = ()
        if described.rewrites and not self._has_rewritten:
            self._has_rewritten = True
            rewrites = tuple(dict(turn.said(each, self._new_message_id())) for each in described.rewrites)
        return Contribution((*others, *own), rewrites)


class Reactions:
    """Answers as described: each reaction once, the first that fits; nobody is there for the rest."""

    def __init__(self, reactions: tuple[Reaction, ...], clock: Clock) -> None:
        self._left = list(reactions)
        self._clock = clock

    async def resolve(self, question: Question) -> Answer:
        for reaction in self._left:
            if reaction.about in ("", question.subject):
                self._left.remove(reaction)
                if reaction.takes_ms:
                    await sleep(self._clock, reaction.takes_ms)
                return reaction.answer.as_answer(reaction.by)
        return await Nobody().resolve(question)
