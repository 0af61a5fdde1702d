"""The person that a scenario scripts: answers what a host asks, and remembers what was asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import UNSET

from debugger.scenario import matching
from debugger.scenario.document import Path
from debugger.scenario.load import Loaded
from debugger.scenario.model import Answers, Reply
from kernel.asking import Answer, Nobody, Question, ReplyWord
from kernel.clock import Clock, sleep
from kernel.errors import BadInput


@dataclass(frozen=True, slots=True)
class Questioned:
    """Something that was asked, and what was answered."""

    question: Question
    answer: Answer | None = None
    """None when whoever wanted the answer gave up before there was one."""

    @property
    def word(self) -> ReplyWord | None:
        """The answer in the word that a scenario has for it."""
        return None if self.answer is None else ReplyWord.of(self.answer)


@dataclass(slots=True)
class ScriptedPerson:
    """A resolver. A question is answered by the first entry that fits and is not used up; denied by nobody else."""

    answers: Answers
    clock: Clock
    loaded: Loaded
    path: Path
    """Of the answers in the scenario."""
    asked: list[Questioned] = field(default_factory=list)
    """In the order in which it was asked."""
    used: dict[int, int] = field(default_factory=dict)
    """How often each entry was the answer."""

    async def resolve(self, question: Question) -> Answer:
        number = len(self.asked)
        self.asked.append(Questioned(question))
        answer = await self._answer(question)
        self.asked[number] = Questioned(question, answer)
        return answer

    async def _answer(self, question: Question) -> Answer:
        for place, entry in enumerate(self.answers):
            reply = Reply(answer=entry) if isinstance(entry, str) else entry
            if self.used.get(place, 0) == reply.times or not self._is_for(reply, question, place):
                continue
            self.used[place] = self.used.get(place, 0) + 1
            if reply.takes_ms:
                await sleep(self.clock, reply.takes_ms)
            return reply.answer.as_answer(reply.by)
        return await Nobody().resolve(question)

    def _is_for(self, reply: Reply, question: Question, place: int) -> bool:
        if reply.about not in ("", question.subject):
            return False
        try:
            return reply.details is UNSET or matching.all_hold(reply.details, dict(question.details))
        except BadInput as error:
            raise self.loaded.wrong((*self.path, place, "details"), error) from None
