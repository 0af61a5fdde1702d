"""The plan gate: policy, veto, answers and what is applied (spec D.4, vectors G133 to G137)."""

from __future__ import annotations

import pytest
from played_runs import ALLOW_ALL, PolicyRule, Run, run, script, session

from kernel.asking import Answer, Question, Scope
from kernel.dialects.pluggable.payload import from_view
from kernel.dialects.pluggable.session.gate import (
    NOTHING,
    Item,
    Memory,
    Succeeded,
    ToolError,
    apply_view,
    can_keep,
    denial,
    judged,
    recalled,
    remembered,
    resolved,
    vetoed,
)
from kernel.dialects.pluggable.session.policy import Decision, Risk, ToolKind

WRITE = Item("i1", "c1", "fs", "write", {"path": "a"}, ToolKind.RESOURCE, Risk.LOW)
RUN = Item("i2", "c2", "shell", "run", {}, ToolKind.RESOURCE, Risk.HIGH, description="Run it", preview="runs")
ASKED = judged((), [WRITE])[0].item


class Answers:
    """Answers what it was given, in order, and remembers the questions."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.questions: list[Question] = []

    async def resolve(self, question: Question) -> Answer:
        self.questions.append(question)
        return self._answers.pop(0)


def plan(run: Run) -> dict[str, str]:
    """What became of every item of every plan: by its call, the last decision and who made it."""
    found = {}
    for line in run.decided:
        subject, closes, rest = line.partition(") ")
        if closes:
            found[subject.partition("(")[2]] = rest
    return found


def test_a_plugin_veto_that_allows_upgrades_nothing() -> None:
    """G133: i1 is allowed by policy and stays so, i2 is denied by policy and stays so."""
    rules = (*ALLOW_ALL, PolicyRule("no-shell", "deny", provider="shell"))
    seen = run(script(session("fs.write i1, shell.run i2"), rules=rules), {"plan-ready": "A:v allow"})
    assert plan(seen) == {"i1": "allow policy:all", "i2": "deny policy:no-shell"}
    [shown] = seen.payloads("plan-ready")
    assert [item["decision"] for item in shown["plan"]["items"]] == ["PLAN_DECISION_ALLOW", "PLAN_DECISION_DENY"]
    [applied] = seen.payloads("post-apply")
    assert [item["outcome"] for item in applied["apply"]["items"]] == ["APPLY_OUTCOME_APPLIED", "APPLY_OUTCOME_DENIED"]
    assert seen.raised == []


def test_what_is_open_is_asked_after_the_chain() -> None:
    """G135: the chain sees the item as ASK; whoever is asked comes later and decides."""
    answers = Answers(Answer(True, by="dana"))
    seen = run(script(session("fs.write i1"), rules=()), {"plan-ready": "A:v allow"}, resolver=answers)
    [shown] = seen.payloads("plan-ready")
    assert shown["plan"]["items"][0]["decision"] == "PLAN_DECISION_ASK"
    assert seen.decided[:2] == [
        "fs.write (i1) ask policy:default",
        "fs.write (i1) allow policy:default+resolver:dana",
    ]
    [question] = answers.questions
    assert (question.subject, question.asked_by) == ("fs.write", "policy:default")
    assert question.details["input"] == {"word": "i1"}


def test_a_veto_that_hangs_denies_the_whole_plan_and_nobody_is_asked() -> None:
    """G137: every item is denied by hook-veto:A, every outcome is DENIED, the record says TIMEOUT."""
    answers = Answers()
    rules = (PolicyRule("files", "allow", provider="fs"),)
    seen = run(script(session("fs.write i1, shell.run i2"), rules=rules), {"plan-ready": "A:v hang"}, resolver=answers)
    assert plan(seen) == {"i1": "deny hook-veto:A", "i2": "deny hook-veto:A"}
    [applied] = seen.payloads("post-apply")
    assert applied["apply"]["items"] == [
        {"plan_item_id": "item-1.1", "call_id": "i1", "outcome": "APPLY_OUTCOME_DENIED"},
        {"plan_item_id": "item-1.2", "call_id": "i2", "outcome": "APPLY_OUTCOME_DENIED"},
    ]
    assert seen.raised == ["A TIMEOUT"]
    assert answers.questions == []
    messages = [each["error"]["message"] for each in seen.payloads("post-tool-call")]
    assert messages[1] == "shell.run was not executed: denied by hook-veto:A"
    statuses = {span.name: span.status.is_ok for span in seen.spans if span.name.startswith("hook.")}
    assert statuses["hook.subscriber"] is False


def test_an_answer_for_the_session_is_asked_for_once() -> None:
    """Later items of the same operation are decided by it, others are not; `+session:` names who answered."""
    answers = Answers(Answer(True, Scope.SESSION, "dana"), Answer(False, Scope.ONCE, "dana"))
    seen = run(script(session("fs.write a, fs.write b", "fs.write c, shell.run d"), rules=()), resolver=answers)
    assert plan(seen) == {
        "a": "allow policy:default+resolver:dana",
        "b": "allow policy:default+session:dana",
        "c": "allow policy:default+session:dana",
        "d": "deny policy:default+resolver:dana",
    }
    assert [each.subject for each in answers.questions] == ["fs.write", "shell.run"]


def test_an_answer_once_is_forgotten() -> None:
    """The next item of the same operation is asked about again."""
    answers = Answers(Answer(True), Answer(False))
    seen = run(script(session("fs.write a, fs.write b"), rules=()), resolver=answers)
    assert plan(seen)["a"] == "allow policy:default+resolver:person"
    assert plan(seen)["b"] == "deny policy:default+resolver:person"


def test_always_fails_the_turn_and_stores_nothing() -> None:
    """There is no place to keep it; the session ends FAILED, nothing is applied, and the error is named."""
    answers = Answers(Answer(True, Scope.ALWAYS))
    seen = run(script(session("fs.write a"), rules=()), resolver=answers)
    assert seen.played is not None
    assert (seen.played.status, seen.played.is_fine) == ("failed", False)
    assert "ErrPolicyPersistenceUnavailable" in seen.played.why
    assert seen.rules[-1] == "PL-GATE-ALWAYS"
    assert seen.hooks[-1] == "session-end"
    assert seen.payloads("post-apply") == []


def test_an_aborted_plan_ready_chain_is_no_verdict() -> None:
    """A dispatch error is not turned into a denial: the turn fails, nothing is applied."""
    seen = run(script(session("fs.write a")), {"plan-ready": "A:t E INTERNAL"})
    assert seen.played is not None
    assert seen.played.status == "failed"
    assert "plan-ready: ErrTransformFailed" in seen.played.why
    assert seen.payloads("post-tool-call") == []


def test_a_chain_without_a_veto_decides_nothing() -> None:
    """Policy's decisions stand as they are."""
    [first, second] = judged(ALLOW_ALL, [WRITE, RUN])
    assert (first.item.decision, first.item.decided_by) == (Decision.ALLOW, "policy:all")
    assert second.item.decision is Decision.ALLOW


def test_a_veto_says_what_policy_had_said() -> None:
    """The reader of the why learns what was overruled."""
    [found] = vetoed([ASKED], "bot")
    assert (found.item.decision, found.item.decided_by) == (Decision.DENY, "hook-veto:bot")
    assert "policy had said ask (policy:default)" in found.why


@pytest.mark.parametrize(
    ("answer", "decision", "by", "is_remembered"),
    [
        (Answer(True), Decision.ALLOW, "policy:default+resolver:person", False),
        (Answer(False, by="dana"), Decision.DENY, "policy:default+resolver:dana", False),
        (Answer(True, Scope.SESSION), Decision.ALLOW, "policy:default+resolver:person", True),
        (Answer(False, Scope.SESSION), Decision.DENY, "policy:default+resolver:person", True),
    ],
)
def test_an_answer_decides_and_is_kept_as_far_as_it_reaches(
    answer: Answer, decision: Decision, by: str, is_remembered: bool
) -> None:
    """Allow and deny alike, once or for the session."""
    found = resolved(ASKED, answer).item
    assert (found.decision, found.decided_by) == (decision, by)
    memory = remembered(NOTHING, ASKED, answer)
    again = recalled(ASKED, memory)
    assert (again is not None) is is_remembered
    if again is not None:
        assert (again.item.decision, again.item.decided_by) == (decision, "policy:default+session:person")


def test_memory_goes_by_provider_and_operation() -> None:
    """What is answered for one operation says nothing of another, and a memory is not changed by adding to it."""
    memory: Memory = remembered(NOTHING, WRITE, Answer(True, Scope.SESSION))
    assert recalled(RUN, memory) is None
    assert recalled(WRITE, NOTHING) is None
    assert not can_keep(Answer(True, Scope.ALWAYS))


def test_an_item_is_a_payload() -> None:
    """Every member of the wire that is known of it; what is not known is absent."""
    from_view("plan-ready", {"plan": {"turn_id": "t", "items": [WRITE.view, RUN.view]}})
    assert "decided_by" not in WRITE.view
    assert "preview" not in WRITE.view
    assert RUN.view["preview"] == {"root": {"text": {"content": "runs"}}}
    assert WRITE.view["decision"] == "PLAN_DECISION_PENDING"


def test_outcomes_are_told_in_the_order_of_the_plan() -> None:
    """Applied, failed and denied; only a denied one has no result of its own."""
    allowed = judged(ALLOW_ALL, [WRITE, RUN])
    denied = vetoed([WRITE], "bot")[0].item
    items = [each.item for each in allowed]
    outcomes = {"c1": Succeeded({"bytes": 3}), "c2": ToolError("EXECUTION_FAILED", "no")}
    view = apply_view("t", items, outcomes)
    from_view("post-apply", view)
    assert [each["outcome"] for each in view["apply"]["items"]] == ["APPLY_OUTCOME_APPLIED", "APPLY_OUTCOME_FAILED"]  # type: ignore[call-overload,index]
    [only] = apply_view("t", [denied], {"c1": denial(denied)})["apply"]["items"]  # type: ignore[call-overload,index]
    assert only == {"plan_item_id": "i1", "call_id": "c1", "outcome": "APPLY_OUTCOME_DENIED"}


def test_a_denial_names_the_call_and_who_denied() -> None:
    """The text that the model reads in place of a result."""
    [found] = vetoed([RUN], "bot")
    error = denial(found.item)
    assert (error.category, error.message) == (
        "PERMISSION_DENIED",
        "shell.run was not executed: denied by hook-veto:bot",
    )
    assert error.view["category"] == "TOOL_ERROR_CATEGORY_PERMISSION_DENIED"
