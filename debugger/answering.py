"""Who answers questions where there is no application: one answer for all, a person at the terminal, or nobody."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TextIO

from debugger.views.text import visible
from kernel.asking import Answer, Nobody, Question, ReplyWord, Resolver, Scope
from kernel.values import JSON

ANSWERS: Final = tuple(ReplyWord)
"""What can be answered to everything that is asked."""
WIDEST: Final = 72
"""Characters of JSON that stay on one line."""


@dataclass(frozen=True, slots=True)
class Always:
    """Answers everything the same, with one of ANSWERS."""

    word: str

    async def resolve(self, question: Question) -> Answer:
        return ReplyWord(self.word).as_answer("--answer")


@dataclass(frozen=True, slots=True)
class AtTerminal:
    """Asks whoever sits there; `y` or `yes` in any case is yes, and all else is no, the end of the input included."""

    reads: TextIO
    writes: TextIO

    async def resolve(self, question: Question) -> Answer:
        print(*told(question), sep="\n", file=self.writes)
        print("[y/N] ", end="", flush=True, file=self.writes)
        said = await self._line()
        return Answer(said.strip().lower() in ("y", "yes"))

    async def _line(self) -> str:
        """The next line. Reads nothing before there is one, so that whoever gives up waiting leaves nothing behind."""
        loop = asyncio.get_running_loop()
        is_there = asyncio.Event()
        loop.add_reader(self.reads.fileno(), is_there.set)
        try:
            await is_there.wait()
        finally:
            loop.remove_reader(self.reads.fileno())
        return self.reads.readline()


@dataclass(frozen=True, slots=True)
class Refusing:
    """Says that there is nobody to ask, and how there could be."""

    writes: TextIO

    async def resolve(self, question: Question) -> Answer:
        subject, by = visible(question.subject), visible(question.asked_by)
        print(
            f"hookscope: nobody could be asked whether {subject} may run (asked by {by}); --answer gives an answer",
            file=self.writes,
        )
        return await Nobody().resolve(question)


def resolver(answer: str | None, *, is_input_taken: bool) -> Resolver:
    """Who answers for a command; `is_input_taken` says that standard input is read for something else."""
    if answer is not None:
        return Always(answer)
    if not is_input_taken and sys.stdin.isatty() and sys.stderr.isatty():
        return AtTerminal(sys.stdin, sys.stderr)
    return Refusing(sys.stderr)


def told(question: Question) -> Iterator[str]:
    """A question as lines for people, whole: nobody agrees to what they could not read. Text is shown literally."""
    asked = question.wording or f"May {question.subject} run?"
    yield visible(f"{asked}  asked by {question.asked_by}")
    for key, value in question.details.items():
        yield from (visible(line) for line in f"{key}: {_whole(value)}".split("\n"))


def choices(question: Question) -> Iterator[tuple[ReplyWord, str, str]]:
    """Every answer that a question takes, what it is called and how far it reaches, in words."""
    is_this_one = all(word.as_answer().scope is Scope.ONCE for word in question.replies)
    for word, reach in question.replies.items():
        name = question.yes if word.as_answer().allows else question.no
        label = "{}" if is_this_one else _CALLED[word]
        yield word, label.format(name), reach if not question.wording else ""


_CALLED: Final = {
    ReplyWord.ONCE: "{} once",
    ReplyWord.SESSION: "{} for the session",
    ReplyWord.ALWAYS: "always {}",
    ReplyWord.DENY: "{}",
    ReplyWord.DENY_SESSION: "{} for the session",
    ReplyWord.DENY_ALWAYS: "always {}",
}


def _whole(value: JSON) -> str:
    """A detail as text: JSON on one line if it fits, else as a person would lay it out, its texts as they are."""
    if isinstance(value, str):
        return value
    compact = json.dumps(value, ensure_ascii=False)
    return compact if len(compact) <= WIDEST else json.dumps(value, ensure_ascii=False, indent=2)
