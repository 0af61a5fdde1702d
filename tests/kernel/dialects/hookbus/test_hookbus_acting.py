"""Claims about what hosts do with results, about latches, and about the gate of one tool call (spec 2.7)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hookbus_runs import I0, I1, TI, TX, H, at, bm, bt, mc, run, se, ss

from kernel.asking import THIS_ONE, Answer, Nobody, Question, Scope
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.acting import (
    MAX_REPLACE_OUTPUT,
    NotRun,
    Run,
    attachment,
    final_output,
    is_yes,
    tool_verdict,
)
from kernel.dialects.hookbus.answers import CONTINUE, Block, Confirm, HookResult, Inject, Modify, Replace
from kernel.dialects.hookbus.gate import ToolGate
from kernel.dialects.hookbus.latch import ConfirmLatch
from kernel.dialects.hookbus.payload import HookEvent

YES, NO = Answer(allows=True), Answer(allows=False)
CONFIRM = Confirm("sure?", ("A", "B"), (0, 0), "bash")
MODIFIED = Confirm("sure?", ("B",), (0,), "bash", I1, ("A",))
NULLED = Confirm("sure?", ("B",), (0,), "bash", None, ("A",))
NO_PROMPT = "Tool call requires confirmation but no interactive prompt is available: sure?"


@pytest.mark.parametrize(
    ("result", "how", "verdict"),
    [
        (CONTINUE, {}, Run(I0, "HB-RUN", "it runs with the original input")),
        (Inject("x"), {}, Run(I0, "HB-RUN", "it runs with the original input")),
        (Modify(I1), {}, Run(I1, "HB-RUN-MODIFIED", "it runs with the modified input")),
        (Block("x"), {}, NotRun("x", "HB-TOOL-BLOCKED", "Tool call blocked by extension: x")),
        (CONFIRM, {}, NotRun(NO_PROMPT, "HB-CONFIRM-NO-PROMPT", NO_PROMPT)),
        (CONFIRM, {"answer": Answer(allows=False, by="nobody")}, NotRun(NO_PROMPT, "HB-CONFIRM-NO-PROMPT", NO_PROMPT)),
        (CONFIRM, {"answer": NO}, NotRun("Tool call confirmation denied: sure?", "HB-CONFIRM-DENIED",
                                         "Tool call confirmation denied: sure?")),
        (CONFIRM, {"answer": YES}, Run(I0, "HB-CONFIRM-APPROVED", "it was approved and runs with the original input")),
        (MODIFIED, {"answer": YES}, Run(I1, "HB-CONFIRM-APPROVED",
                                        "it was approved and runs with the modified input")),
        (NULLED, {"answer": YES}, Run(None, "HB-CONFIRM-APPROVED",
                                      "it was approved and runs with the modified input")),
        (MODIFIED, {"is_auto_approved": True}, Run(I1, "HB-CONFIRM-AUTO", "confirms are approved automatically")),
        (CONFIRM, {"is_latched": True}, Run(I0, "HB-CONFIRM-LATCHED", "A, B may go on for this conversation")),
        (Block("x"), {"is_auto_approved": True, "is_latched": True, "answer": YES},
         NotRun("x", "HB-TOOL-BLOCKED", "Tool call blocked by extension: x")),
    ],
)  # fmt: skip
def test_what_becomes_of_a_tool_call(result: HookResult, how: dict[str, object], verdict: object) -> None:
    """V081, V083: only confirms are approved, and nobody's answer is none."""
    assert tool_verdict(result, I0, **how) == verdict  # type: ignore[arg-type]


def test_the_model_reads_why_a_tool_did_not_run() -> None:
    """With the host's prefix."""
    verdict = tool_verdict(Block("no"), I0)
    assert isinstance(verdict, NotRun)
    assert verdict.told == "Tool call blocked by extension: no"


@pytest.mark.parametrize(
    ("typed", "approves"),
    [("y", True), ("Y", True), ("yes", True), (" YES\n", True), ("\tYes ", True), ("", False), ("yeah", False),
     ("ye", False), ("n", False), ("y es", False), ("\x1cy", False), ("\x85y\u3000", True)],
)  # fmt: skip
def test_what_counts_as_yes(typed: str, approves: bool) -> None:
    """Trimmed of Unicode's white space, in any case."""
    assert is_yes(typed) is approves


def test_a_replacement_is_clamped_and_cut() -> None:
    """To 1 MiB on a border, then to what the caller's model may read."""
    huge = "é" * (MAX_REPLACE_OUTPUT // 2) + "é"
    output = final_output(Replace(huge), "raw", 10_000_000)
    assert (len(output.text.encode()), output.rule) == (MAX_REPLACE_OUTPUT, "HB-OUTPUT-CLAMPED")
    odd = final_output(Replace("a" + huge), "raw", 10_000_000)
    assert len(odd.text.encode()) == MAX_REPLACE_OUTPUT - 1
    exact = final_output(Replace("a" * MAX_REPLACE_OUTPUT), "raw", 10_000_000)
    assert (len(exact.text), exact.rule) == (MAX_REPLACE_OUTPUT, "HB-OUTPUT-REPLACED")
    assert len(final_output(Replace(huge), "raw").text.encode()) == 30_000
    assert final_output(Replace("aé"), "raw", 2).text == "a"
    assert final_output(Replace(""), "raw").text == ""


def test_otherwise_the_original_output_counts() -> None:
    """The whole of it, not what hooks saw; cut all the same."""
    assert final_output(CONTINUE, "r" * 40_000).text == "r" * 30_000
    odd = final_output(Inject("x"), "raw")
    assert (odd.text, odd.rule) == ("raw", "HB-OUTPUT-KEPT")
    assert "inject is nothing to do with an output" in odd.why


@pytest.mark.parametrize(
    ("result", "attached"),
    [(Inject("x"), "x"), (Inject(" x "), " x "), (Inject(""), None), (Inject(" \t\n\u2003"), None),
     (Inject("\x1f"), "\x1f"), (CONTINUE, None), (Block("x"), None)],
)  # fmt: skip
def test_what_goes_with_a_request(result: HookResult, attached: str | None) -> None:
    """Nothing but white space does not."""
    assert attachment(result) == attached


# -- in the words of the kernel ----------------------------------------------------------------------------------


def test_a_confirm_asks_a_question() -> None:
    """With everything that a person has to know, and the input that would run."""
    ran = run(bt(), H("A", {"modify": I1}), H("B", {"confirm": "sure?"}), H("C", {"confirm": "really?"}))
    question = HOOKBUS.question("d", ran.came_to)
    assert question == Question(
        "d",
        "bash",
        {
            "message": "sure?\n\nreally?",
            "sources": ["B", "C"],
            "generations": [0, 0],
            "tool": "bash",
            "input": I1,
            "modified_by": ["A"],
        },
        "confirm:B, C",
        replies=THIS_ONE,
    )
    assert HOOKBUS.switched("auto_approve", True).question("d", ran.came_to) is None
    assert HOOKBUS.question("d", run(bt(), H("A", {"block": "x"})).came_to) is None
    assert HOOKBUS.question("d", run(bt(), H("A", {"confirm": "x"}), gives_up=True).came_to) is None


@pytest.mark.parametrize(
    ("answer", "decision", "by", "why"),
    [
        (YES, "run", "person", "it was approved and runs with the original input"),
        (NO, "not run", "person", "Tool call confirmation denied: sure?"),
        (None, "not run", "nobody", NO_PROMPT),
    ],
)
def test_the_answer_settles_it(answer: Answer | None, decision: str, by: str, why: str) -> None:
    """As a fact."""
    decided = HOOKBUS.settled(run(bt(), H("A", {"confirm": "sure?"})).came_to, answer)
    assert decided is not None
    assert (decided.subject, decided.decision, decided.by, decided.why) == ("bash", decision, by, why)


@pytest.mark.parametrize(
    ("event", "seats", "decided"),
    [
        (bt(), [], ("bash", "run", "host")),
        (bt(), [H("A", {"block": "x"})], ("bash", "not run", "A")),
        (bt(), [H("A", {"modify": I1})], ("bash", "run", "A")),
        (at(), [], ("bash", "kept", "host")),
        (at(), [H("A", {"replace": "S"}, {"permissions": [TI, TX]})], ("bash", "replaced", "A")),
        (bm(), [H("A", {"inject": "x"})], ("injection", "attached", "A")),
        (bm(), [H("A", {"inject": " "})], ("injection", "skipped", "host")),
        (bm(), [], None),
        (ss(), [H("A", {"inject": "x"})], ("injection", "stored", "A")),
        (ss(), [], None),
        (mc(), [H("A", {"block": "x"})], None),
        (se(), [H("A", {"block": "x"})], None),
    ],
)
def test_what_the_host_does(event: HookEvent, seats: list[H], decided: tuple[str, str, str] | None) -> None:
    """Nothing, where the result of a kind is discarded."""
    fact = HOOKBUS.settled(run(event, *seats).came_to, None)
    assert (None if fact is None else (fact.subject, fact.decision, fact.by)) == decided


def test_a_dispatch_that_came_to_nothing_is_not_acted_on() -> None:
    """Cancelled, refused or aborted."""
    assert HOOKBUS.settled(run(bt(), H("A"), gives_up=True).came_to, None) is None
    assert HOOKBUS.settled(run(bt(), dialect=HOOKBUS.switched("concurrent", True)).came_to, None) is None


# -- latches -----------------------------------------------------------------------------------------------------


def test_v079_every_source_has_to_be_latched() -> None:
    """V079: at its generation, and no source is none."""
    latch = ConfirmLatch()
    assert latch.allow([("A", 0)])
    assert not latch.allows_all(CONFIRM.keys)
    assert not latch.allows_all([])
    assert not latch.allow([])
    assert latch.allow([("B", 0)])
    assert latch.allows_all(CONFIRM.keys)
    assert not latch.allows_all([("A", 1)])


def test_a_latch_is_cleared_and_revoked() -> None:
    """Cleared it can be used again, revoked it cannot."""
    latch = ConfirmLatch()
    latch.allow([("b", 1), ("a", 0), ("b", 0)])
    assert latch.clear() == ("a", "b")
    assert latch.clear() == ()
    assert not latch.allows_all([("a", 0)])
    assert latch.allow([("a", 0)])
    latch.revoke()
    assert not latch.allows_all([("a", 0)])
    assert not latch.allow([("a", 0)])
    assert latch.clear() == ()


# -- the gate ----------------------------------------------------------------------------------------------------


@dataclass
class Bus:
    """Returns what it was told."""

    result: HookResult
    seen: list[HookEvent] = field(default_factory=list)

    async def emit(self, event: HookEvent) -> HookResult:
        self.seen.append(event)
        return self.result


@dataclass
class Person:
    """Answers always the same."""

    answer: Answer
    asked: list[Question] = field(default_factory=list)

    async def resolve(self, question: Question) -> Answer:
        self.asked.append(question)
        return self.answer


def verdict(gate: ToolGate) -> Run | NotRun:
    return asyncio.run(gate.before("bash", I0))


def test_a_gate_asks_and_remembers() -> None:
    """Allowed for the session, nobody is asked again, until the extension is another one."""
    person, latch = Person(Answer(allows=True, scope=Scope.SESSION)), ConfirmLatch()
    bus = Bus(MODIFIED)
    gate = ToolGate(bus, resolver=person, latch=latch, session_id="s")
    assert verdict(gate) == tool_verdict(MODIFIED, I0, answer=YES)
    assert verdict(gate).rule == "HB-CONFIRM-LATCHED"
    assert len(person.asked) == 1
    assert person.asked[0].details["input"] == I1
    assert list(person.asked[0].replies) == ["once", "session", "deny"]
    assert bus.seen[0].session_id == "s"
    bus.result = Confirm("sure?", ("B",), (1,), "bash")
    verdict(gate)
    assert len(person.asked) == 2


def test_a_gate_remembers_only_what_was_meant_to_last() -> None:
    """Once is once, a refusal is not kept, and without a latch nothing is."""
    for answer, latch in (
        (YES, ConfirmLatch()),
        (Answer(allows=False, scope=Scope.SESSION), ConfirmLatch()),
        (Answer(allows=True, scope=Scope.ALWAYS), None),
    ):
        person = Person(answer)
        gate = ToolGate(Bus(CONFIRM), resolver=person, latch=latch)
        verdict(gate)
        verdict(gate)
        assert len(person.asked) == 2
    assert list(person.asked[0].replies) == ["once", "deny"]


def test_a_gate_without_anybody_to_ask_is_closed() -> None:
    """And with automatic approval it is open; other results ask nobody."""
    assert verdict(ToolGate(Bus(CONFIRM))).rule == "HB-CONFIRM-NO-PROMPT"
    assert verdict(ToolGate(Bus(CONFIRM), resolver=Nobody())).rule == "HB-CONFIRM-NO-PROMPT"
    person = Person(NO)
    assert verdict(ToolGate(Bus(CONFIRM), resolver=person, is_auto_approved=True)).rule == "HB-CONFIRM-AUTO"
    assert verdict(ToolGate(Bus(Block("x")), resolver=person)).rule == "HB-TOOL-BLOCKED"
    assert person.asked == []


def test_a_gate_hands_hooks_a_cut_output_and_keeps_the_whole() -> None:
    """V085."""
    bus = Bus(CONTINUE)
    whole = "a" * 262_145
    output = asyncio.run(ToolGate(bus).after("bash", I0, whole, max_tool_output=300_000))
    assert output.text == whole
    assert bus.seen[0].tool_output.endswith("[truncated, 262145 total bytes]")
