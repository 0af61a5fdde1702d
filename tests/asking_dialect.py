"""A dialect whose every result leaves something to a person: what such a question does to commands and screen."""

from __future__ import annotations

from kernel.asking import Answer, Question
from kernel.dialects.pluggable import Pluggable
from kernel.facts import Decided
from kernel.values import Ending, Result

ODD = "\x1b[2J[b]now[/]"
"""Text from outside, which must not steer a terminal."""


class Asking(Pluggable):
    """Asks before the host acts on a result; nobody's answer is a no."""

    def question(self, dispatch: str, result: Result) -> Question | None:
        if result.ending is not Ending.FINISHED:
            return None
        return Question(dispatch, "shell.run", {"message": f"really?\n{ODD}"}, "gate")

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        if answer is not None and answer.allows:
            return Decided("shell.run", "run", answer.by, "PL-CHAIN-END", f"it was allowed {answer.scope}")
        by = "" if answer is None else answer.by
        return Decided("shell.run", "blocked", by, "PL-CHAIN-END", "no answer allows it")


ASKING = Asking()
