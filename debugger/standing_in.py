"""Answers that a person can give on a subscriber's behalf: the usual ones, and what can go wrong. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from debugger.session import Hold
from debugger.session.legality import of_answer
from debugger.whatif.reasons import in_short
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.values import Answered, Crashed, Empty, Failed, Outcome, TimedOut

SAID = "said by a person"


@dataclass(frozen=True, slots=True)
class Standing:
    """One answer, and what it would come to."""

    words: str
    outcome: Outcome
    meets: str
    """The rule that would apply, and why; empty where nothing can be said."""


def answers(hold: Hold, dialect: Dialect) -> tuple[Standing, ...]:
    """What can be answered at a hold, the usual first."""
    return tuple(Standing(words, outcome, _meets(hold, outcome)) for words, outcome in _outcomes(hold, dialect))


def start_of(hold: Hold, dialect: Dialect) -> Answered:
    """Where a person begins who writes an answer: what came, or else the first usual one."""
    if hold.judged_answer is not None:
        return hold.judged_answer
    usual = (outcome for _, outcome in _usual(hold, dialect) if isinstance(outcome, Answered))
    return next(usual, Answered(b""))


def _outcomes(hold: Hold, dialect: Dialect) -> Iterator[tuple[str, Outcome]]:
    yield from _usual(hold, dialect)
    if hold.ask.timeout_ms is not None:
        yield "no answer in time", TimedOut(hold.ask.timeout_ms)
    statuses = dialect.staging.statuses
    yield "an error of its own", Failed("INTERNAL" if "INTERNAL" in statuses else next(iter(statuses), "error"), SAID)
    yield "its process dies", Crashed(SAID)


def _usual(hold: Hold, dialect: Dialect) -> Iterator[tuple[str, Outcome]]:
    seat = hold.ask.subscription
    for said in dialect.staging.usual(seat, hold.ask.phase):
        try:
            body = dialect.staging.answer_in_words(said, seat.mode)(hold.ask.request)
        except BadInput:
            continue  # an answer that does not fit this payload
        yield in_short(said), Empty() if body is None else Answered(body)


def _meets(hold: Hold, outcome: Outcome) -> str:
    met = of_answer(hold, outcome)
    return "" if met is None else str(met)
