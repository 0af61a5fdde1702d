"""What an edit would meet: the rule that the dialect would apply, and the error that it would raise. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from debugger.session.seen import Hold
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.facts import Fact, Raised, Resolved
from kernel.values import Answered, Ask, Outcome, Payload, Status
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a dialect would make of an outcome."""

    verdict: Resolved
    raised: tuple[Raised, ...] = ()

    @property
    def is_fine(self) -> bool:
        """Whether no rule would be broken: a denial is fine, an answer that cannot be taken is not."""
        return not self.raised and self.verdict.status not in (Status.ERROR, Status.TIMED_OUT)

    def __str__(self) -> str:
        errors = "".join(f"; raises {each.category}: {each.message}" for each in self.raised)
        return f"{self.verdict.rule}: {self.verdict.why}{errors}"


def judged(walk: Walk, ask: Ask, outcome: Outcome) -> Judgement | None:
    """What would come of an outcome, told by the walk itself; None where it says nothing of this step."""
    _, facts = walk.after(ask, outcome)
    return _judgement(ask, facts)


def _judgement(ask: Ask, facts: tuple[Fact, ...]) -> Judgement | None:
    verdict = next((each for each in facts if isinstance(each, Resolved) and each.step == ask.step), None)
    if verdict is None:
        return None
    return Judgement(verdict, tuple(each for each in facts if isinstance(each, Raised) and each.step == ask.step))


def of_answer(hold: Hold, answer: Outcome) -> Judgement | None:
    """What an answer would meet at a hold, before or after the subscriber."""
    return None if hold.walk is None else judged(hold.walk, hold.ask, answer)


def of_payload(hold: Hold, dialect: Dialect, payload: Payload) -> Judgement | None:
    """The rule that the subscriber itself would have broken with this payload; None where it could have given it,
    or could never have given any.

    Raises BadInput for a payload that could not have been here at all.
    """
    if hold.walk is None:
        return None
    hold.walk.edited(hold.ask, payload, "person")
    same, edited = (_handed_back(hold, dialect, each) for each in (hold.ask.payload, payload))
    if same is None or edited is None or not same.is_fine or edited.is_fine:
        return None
    return edited


def _handed_back(hold: Hold, dialect: Dialect, payload: Payload) -> Judgement | None:
    """What would come of it if the subscriber gave a payload back; None where it has no words for that."""
    assert hold.walk is not None
    mode = hold.ask.subscription.mode
    try:
        body = dialect.staging.answer_in_words({"payload": payload.view}, mode)(hold.ask.request)
    except BadInput:
        return None
    return None if body is None else judged(hold.walk, hold.ask, Answered(body))
