"""Who answers questions where there is no application: one answer for all, a person at the terminal, or nobody."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TextIO

from debugger.views.json_lines import preview
from debugger.views.text import visible
from kernel.asking import Answer, Nobody, Question, ReplyWord, Resolver
from kernel.values import JSON

ANSWERS: Final = tuple(ReplyWord)
"""What can be answered to everything that is asked."""
MOST_DETAILS: Final = 14
"""Lines of details that a question shows."""


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
    """A question as lines for people; text from outside is shown literally."""
    yield visible(f"May {question.subject} run?  asked by {question.asked_by}")
    for key, value in list(question.details.items())[:MOST_DETAILS]:
        yield from (visible(line) for line in f"{key}: {brief(value)}".split("\n"))


def brief(value: JSON) -> str:
    """A detail as text."""
    return value if isinstance(value, str) else "".join(part.text for part in preview(value, 120))
