"""Claims about the scripted person: what a result leaves to a person is asked, answered and settled."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from scenario_texts import scenario, verdict

from debugger.scenario import report
from kernel import dialects
from kernel.asking import Answer, Question
from kernel.dialects.pluggable.dialect import Pluggable
from kernel.facts import Decided
from kernel.values import Result


@dataclass(frozen=True, slots=True)
class Confirming(Pluggable):
    """A host that lets a person overrule every DENY."""

    def question(self, dispatch: str, result: Result) -> Question | None:
        if result.decision != "deny":
            return None
        return Question(dispatch, f"deny by {result.decided_by}", {"who": result.decided_by}, "test:always")

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        if answer is None:
            return Decided("the plan", result.decision, "nobody asked", "PL-VETO-DENY", "as it came out")
        return Decided("the plan", "allow" if answer.allows else "deny", answer.by, "PL-VETO-DENY", "somebody said so")


CHAIN = "[{name: A, point: plan-ready, mode: veto, stub: [deny, deny, allow]}]"


@pytest.fixture
def _confirming(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "named", lambda name: Confirming())


@pytest.mark.usefixtures("_confirming")
@pytest.mark.parametrize(
    ("answers", "question", "decision"),
    [
        ("", "{subject: deny by A, asked_by: 'test:always', answer: deny, by: nobody}", "{decision: deny, by: nobody}"),
        (", answers: [once]", "{subject: deny by A, answer: once, by: person}", "{decision: allow, by: person}"),
        (", answers: [{answer: always, by: eve}]", "{subject: deny by A, answer: always}", "{by: eve}"),
        (", answers: [{answer: once, about: else}, deny]", "{subject: deny by A, answer: deny, by: person}",
         "{subject: the plan, decision: deny, why: somebody}"),
        (", answers: [{answer: once, details: {contains: {who: B}}}]", "{subject: deny by A, by: nobody}", "{}"),
        (", answers: [{answer: session, details: {contains: {who: A}}}]", "{subject: deny by A, by: person}", "{}"),
        (", answers: [{answer: once, details: {jmespath: length(who.x), is: 1}}]", "{subject: deny by A, by: nobody}",
         "{}"),
    ],
)  # fmt: skip
def test_what_a_fired_dispatch_leaves_open_is_answered(answers: str, question: str, decision: str) -> None:
    """By the script of that dispatch; beyond it nobody is there. The host's decision comes after the end."""
    text = scenario(
        CHAIN,
        fire=f"{{point: plan-ready{answers}}}",
        expect=f"{{decision: deny, questions: [{question}], decisions: [{decision}], "
        "facts: [{fact: ended}, {fact: decided, subject: the plan}]}",
    )
    found = verdict(text)
    assert found.is_held, "\n".join(report.lines(found))


@pytest.mark.usefixtures("_confirming")
def test_each_dispatch_has_a_person_of_its_own() -> None:
    """What the first left unanswered the second does not hear; where nothing is open nobody is asked."""
    text = scenario(
        CHAIN,
        fire="{point: plan-ready, answers: [once, once]}, {point: plan-ready}, {point: plan-ready, answers: [deny]}",
        expect="{questions: [{subject: deny by A, answer: once}]}, {questions: [{subject: deny by A, answer: deny}]}, "
        "{questions: [], decisions: [{decision: allow, by: nobody asked}]}",
    )
    found = verdict(text)
    assert found.is_held, "\n".join(report.lines(found))


@pytest.mark.usefixtures("_confirming")
def test_an_answer_takes_its_time_on_the_clock_of_the_scenario() -> None:
    """A caller that does not wait for it gets no answer."""
    fire = "{point: plan-ready, answers: [{answer: once, takes_ms: 60000}]%s}"
    assert verdict(scenario(CHAIN, fire=fire % "", expect="{took_ms: 60000}")).misses == ()
    hasty = scenario(CHAIN, fire=fire % ", caller: {gives_up_after_ms: 5}", expect="{questions: []}")
    [miss] = verdict(hasty).misses
    assert miss.actual == [{"subject": "deny by A", "asked_by": "test:always", "answer": None, "by": ""}]


def test_answers_are_harmless_where_nothing_asks() -> None:
    """As in every dispatch of a dialect that asks elsewhere."""
    text = scenario(CHAIN, fire="{point: plan-ready, answers: [once]}", expect="{questions: [], decisions: []}")
    assert verdict(text).misses == ()
