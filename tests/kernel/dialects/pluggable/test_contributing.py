"""Context plugins in played sessions: who is asked and how, and what every failure comes to (spec B.11)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from played_runs import Run, run, script, session

from kernel.clock import sleep
from kernel.dialects.pluggable.points import CAPABILITIES, CONTEXT_ASSEMBLE
from kernel.dialects.pluggable.session.contributing import ContextPlugin
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import rpc_request_pb2, rpc_response_pb2
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Crashed, Empty, Failed, Outcome, Producer

PREFIX = "pluggableharness."


OF_100_TOKENS = Answered(bytes.fromhex("0864"))


@dataclass
class Provider:
    """A context plugin that says what it is told to; it hands back what it was given with its own section."""

    name: str
    text: str = ""
    capabilities: Outcome = OF_100_TOKENS
    gives: Outcome | None = None
    after_ms: float = 0
    prints: tuple[str, ...] = ()
    asked: list[Any] = field(default_factory=list)
    points: list[str] = field(default_factory=list)

    async def answer(self, call: Call) -> Outcome:
        self.points.append(call.point)
        if call.point == CAPABILITIES:
            assert call.request == b""
            return self.capabilities
        for line in self.prints:
            call.printed("stderr", line)
        if self.after_ms:
            await sleep(call.clock, self.after_ms)
        request = rpc_request_pb2.ContextRequest.FromString(call.request)
        self.asked.append(request)
        if self.gives is not None:
            return self.gives
        answer = rpc_response_pb2.ContextContribution(sections=request.prior_sections)
        if self.text:
            answer.sections.add(provider=self.name, label="own").content.add().text.text = self.text
        return Answered(answer.SerializeToString())


def plugin(name: str, timeout_ms: int = 1000) -> ContextPlugin:
    return ContextPlugin(Producer(name, "1.0", category="context"), timeout_ms)


def played(*providers: Provider, turns: tuple[Any, ...] = (), gives_up_ms: float | None = None, **more: Any) -> Run:
    """A session whose configuration has these context plugins."""
    others: dict[str, Subscriber] = {each.name: each for each in providers}
    plugins = tuple(plugin(each.name) for each in providers)
    made = script(session(*turns, **more), context_plugins=plugins)
    return run(made, others=others, gives_up_ms=gives_up_ms)


def contributions(seen: Run) -> list[tuple[str, Any]]:
    """Who was asked, and what is known of it in the end."""
    return [(begun.name, left.attributes) for begun, left, *_ in seen.stretches("context.contribute")]


def test_plugins_are_asked_in_order_with_the_chain_so_far() -> None:
    """Each once a turn, after it was once asked what it is; described providers come behind them."""
    first, second = Provider("a", "abcdefgh"), Provider("b", "abcd")
    described = [{"name": "z", "sections": [{"label": "last", "text": "abcd"}]}]
    seen = played(first, second, turns=("fs.read d",), context=described)
    assert seen.played is not None
    assert seen.played.is_fine
    assert first.points == second.points == [CAPABILITIES, CONTEXT_ASSEMBLE, CONTEXT_ASSEMBLE]
    assert [name for name, _ in contributions(seen)] == ["a", "b", "z"] * 2
    assert [len(each.prior_sections) for each in first.asked] == [0, 0], "a turn begins with nothing"
    [[prior], [again]] = [list(each.prior_sections) for each in second.asked]
    assert (prior.provider, prior.label, prior.tokens, prior.content[0].text.text) == ("a", "own", 2, "abcdefgh")
    assert again == prior
    assert [each.assembled_tokens_last_turn for each in first.asked] == [0, 4]
    assert [left.attributes["tokens"] for _, left, *_ in seen.stretches("context.assemble")] == [4, 4]


def test_a_plugin_is_told_about_the_turn() -> None:
    """Session, turn, budget, model, files and counts as the contract has them; the conversation is not for it."""
    provider = Provider("a")
    tools = [{"name": "fs.write", "kind": "resource", "risk": "low", "file_fields": ["path"]}]
    turns = [
        {"calls": [{"tool": "fs.write", "id": "w", "arguments": {"path": "b.py"}},
                   {"tool": "fs.write", "id": "x", "arguments": {"path": "a.py"}},
                   {"tool": "fs.write", "id": "y", "arguments": {"path": "b.py"}},
                   {"tool": "fs.write", "id": "z", "arguments": {"path": "no.py"}, "error": {"message": "full"}}]},
    ]  # fmt: skip
    models = [{"provider": "p", "id": "m", "context_window": 1000}]
    played(provider, turns=tuple(turns), tools=tools, models=models, parent="root", working_directory="/w")
    first, second = provider.asked
    assert (first.session_id, first.parent_session_id, first.turn_id) == ("s", "root", "s/turn-1")
    assert (first.working_directory, first.token_budget) == ("/w", 100)
    assert (first.model_target.id, first.model_target.context_window, first.model_target.effective_ceiling) == (
        "m", 1000, 800,
    )  # fmt: skip
    assert first.history_tokens == 2, "5 bytes of text"
    assert list(first.files_touched) == []
    assert list(second.files_touched) == ["b.py", "a.py"], "of calls that succeeded, each once"
    assert not first.conversation_history


def test_a_compactor_is_one_that_says_so() -> None:
    """It is shown the conversation, and what it makes of it lasts."""
    rewritten = rpc_response_pb2.ContextContribution()
    rewritten.rewritten_history.add(id="m", role=1).content.add().text.text = "so far: hello"
    compactor = Provider("a", capabilities=Answered(bytes.fromhex("0864 1801")))
    compactor.gives = Answered(rewritten.SerializeToString())
    seen = played(compactor)
    [asked] = compactor.asked
    assert [each.content[0].text.text for each in asked.conversation_history] == ["hello"]
    [about] = seen.payloads("pre-model-call")
    assert about["messages"] == [
        {"role": "ROLE_USER", "content": [{"text": {"text": "so far: hello"}}], "id": "m"},
    ]


@pytest.mark.parametrize("said", [Failed("UNIMPLEMENTED", ""), Answered(b"")])
def test_a_plugin_that_says_nothing_of_itself_is_usual(said: Outcome) -> None:
    """No compactor, and the usual budget."""
    provider = Provider("a", capabilities=said)
    assert played(provider).played is not None
    assert [each.token_budget for each in provider.asked] == [4000]


@pytest.mark.parametrize(
    ("gives", "after_ms", "rule", "failure", "why"),
    [
        (Failed("INTERNAL", "boom"), 0, "PL-CONTEXT-FAILED", "status", "INTERNAL: boom (unknown)"),
        (Failed("UNAVAILABLE", "later"), 0, "PL-CONTEXT-FAILED", "status", "UNAVAILABLE: later (source_unavailable)"),
        (Failed("FAILED_PRECONDITION", ""), 0, "PL-CONTEXT-FAILED", "status", "FAILED_PRECONDITION (budget_exceeded)"),
        (Failed("ABORTED", "no"), 0, "PL-CONTEXT-FAILED", "status", "ABORTED: no"),
        (Failed("UNIMPLEMENTED", ""), 0, "PL-CONTEXT-FAILED", "status", "UNIMPLEMENTED"),
        (Failed("DEADLINE_EXCEEDED", ""), 0, "PL-CONTEXT-TIMEOUT", "timed_out", "it ended the call as late by itself"),
        (None, 5000, "PL-CONTEXT-TIMEOUT", "timed_out", "no answer within its deadline (1000 ms)"),
        (Crashed("exited with code 3"), 0, "PL-CONTEXT-CRASHED", "crashed", "exited with code 3"),
        (Answered(b"\xff"), 0, "PL-CONTEXT-INVALID", "invalid", "its answer cannot be decoded"),
        (Empty(), 0, "PL-CONTEXT-INVALID", "invalid", "it came back with nothing"),
    ],
)
def test_a_failing_plugin_fails_the_turn(
    gives: Outcome | None, after_ms: float, rule: str, failure: str, why: str
) -> None:
    """The rest of the chain is not asked, no model call is made, and nothing is a hook's error."""
    seen = played(Provider("a"), Provider("bad", gives=gives, after_ms=after_ms, prints=("oh",)), Provider("c"))
    assert seen.played is not None
    assert (seen.played.status, seen.played.why) == ("failed", f"bad failed: {why}")
    assert seen.rules == [rule]
    assert [name for name, _ in contributions(seen)] == ["a", "bad"]
    known = contributions(seen)[1][1]
    assert (known["failure"], known["printed"]) == (failure, ["oh"])
    assert seen.hooks == ["session-start", "session-end"]
    assert seen.raised == []
    assert seen.took_ms == min(after_ms, 1000)
    assert {span.name: span.status.description for span in seen.spans if not span.status.is_ok} == dict.fromkeys(
        ("context.contribute", "context.assemble", "turn", "session"), f"bad failed: {why}"
    )
    crashes = seen.metrics.get("plugin.crashes", {})
    expected = "producer.category=CATEGORY_CONTEXT producer.name=bad producer.version=1.0"
    assert crashes == ({expected: 1} if failure == "crashed" else {})


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (Failed("INTERNAL", "boom"), "PL-CONTEXT-FAILED"),
        (Answered(b"\xff"), "PL-CONTEXT-INVALID"),
        (Crashed("gone"), "PL-CONTEXT-CRASHED"),
    ],
)
def test_a_plugin_that_cannot_say_what_it_is_fails_the_turn(said: Outcome, rule: str) -> None:
    """Before anybody contributes."""
    seen = played(Provider("a", capabilities=said))
    assert seen.rules == [rule]
    assert not seen.stretches("context.contribute")
    [(_, left, *_)] = seen.stretches("pluginhost.provider.bringup")
    assert left.error


def test_each_plugin_has_a_budget_of_time_of_its_own() -> None:
    """Two that take 900 of 1000 ms are both in time."""
    seen = played(Provider("a", after_ms=900), Provider("b", after_ms=900))
    assert seen.played is not None
    assert (seen.played.is_fine, seen.took_ms) == (True, 1800)


@pytest.mark.parametrize("gives_up_ms", [0, 10])
def test_a_caller_who_gives_up_while_a_plugin_is_asked_blames_nobody(gives_up_ms: float) -> None:
    """The session is cancelled at that moment."""
    seen = played(Provider("a", after_ms=500), gives_up_ms=gives_up_ms)
    assert seen.played is not None
    assert (seen.played.status, seen.took_ms) == ("cancelled", gives_up_ms)
    assert seen.rules == ["PL-STOP-CANCELLED"]


@pytest.mark.parametrize(
    ("text", "budget", "decided"),
    [("x" * 40, "080A", []), ("x" * 41, "080A", ["a/own dropped context:budget"])],
)
def test_the_budget_is_the_one_that_the_plugin_stated(text: str, budget: str, decided: list[str]) -> None:
    """Ten tokens are forty bytes; one more and the section is gone, and the turn goes on."""
    seen = played(Provider("a", text, capabilities=Answered(bytes.fromhex(budget))))
    assert [each for each in seen.decided if "context" in each] == decided
    assert seen.played is not None
    assert seen.played.is_fine
    found = seen.metrics.get("context.contribution.violations", {})
    assert found == ({"context.violation_reason=budget": 1} if decided else {})
    assert seen.metrics["token_count.fallbacks"] == {"tokencount.fallback_reason=provider_absent": 1}


def test_touching_a_section_of_another_discards_everything() -> None:
    """G173 over the wire: even its own new section does not count, and the next one sees the chain as it was."""
    forged = rpc_response_pb2.ContextContribution()
    forged.sections.add(provider="a", label="own", tokens=2).content.add().text.text = "edited!!"
    forged.sections.add(provider="b", label="new").content.add().text.text = "x"
    last = Provider("c")
    seen = played(Provider("a", "abcdefgh"), Provider("b", gives=Answered(forged.SerializeToString())), last)
    assert seen.decided[0] == "b dropped context:scope"
    assert [(each.provider, each.content[0].text.text) for each in last.asked[0].prior_sections] == [("a", "abcdefgh")]
    assert seen.metrics["context.contribution.violations"] == {"context.violation_reason=scope": 1}


def test_an_unknown_field_in_a_section_of_another_is_handed_on() -> None:
    """What a newer provider put there is neither lost nor taken for an edit."""
    newer = rpc_response_pb2.ContextContribution()
    section = newer.sections.add(provider="a", label="own")
    section.content.add().text.text = "hi"
    section.MergeFromString(bytes.fromhex("980601"))
    last = Provider("c")
    seen = played(Provider("a", gives=Answered(newer.SerializeToString())), Provider("b"), last)
    assert [each for each in seen.decided if "dropped" in each] == []
    [prior] = last.asked[0].prior_sections
    assert prior.SerializeToString().endswith(bytes.fromhex("980601"))


def test_a_description_stands_in_for_a_plugin_of_its_name() -> None:
    """In the plugin's place in the order, and the plugin is not asked."""
    first, second = Provider("a"), Provider("b")
    seen = played(first, second, context=[{"name": "a", "sections": [{"label": "x", "text": "abcd"}]}])
    assert (first.points, second.points) == ([], [CAPABILITIES, CONTEXT_ASSEMBLE])
    assert [name for name, _ in contributions(seen)] == ["a", "b"]
    assert [each.provider for each in second.asked[0].prior_sections] == ["a"]


def test_the_call_is_told_with_its_answer() -> None:
    """Whose it was, what it may use, what it answered and what it printed."""
    seen = played(Provider("a", "abcd", prints=("one", "two")))
    [(begun, left, *_)] = seen.stretches("context.contribute")
    assert dict(begun.attributes) == {
        "producer.category": "CATEGORY_CONTEXT",
        "producer.name": "a",
        "producer.version": "1.0",
        "rpc.method": "Contribute",
        "token_budget": 100,
        "is_compactor": False,
    }
    assert left.attributes["answer"] == {
        "sections": [{"provider": "a", "label": "own", "content": [{"text": {"text": "abcd"}}]}]
    }
    assert left.attributes["printed"] == ["one", "two"]
    [span] = [each for each in seen.spans if each.name == "context.contribute"]
    assert dict(span.attributes or {}) == {
        f"{PREFIX}producer.category": "CATEGORY_CONTEXT",
        f"{PREFIX}producer.name": "a",
        f"{PREFIX}producer.version": "1.0",
    }
    assert not [each for each in seen.spans if each.name == "hook.subscriber"]


def test_a_compactor_may_make_a_conversation_fit() -> None:
    """The model is chosen after the context: one that is too small before is large enough then."""
    rewritten = rpc_response_pb2.ContextContribution()
    rewritten.rewritten_history.add(id="m", role=1).content.add().text.text = "hi"
    compactor = Provider("a", capabilities=Answered(bytes.fromhex("1801")))
    compactor.gives = Answered(rewritten.SerializeToString())
    long = [{"text": "word " * 100}]
    small = [{"provider": "p", "id": "small", "context_window": 20}]
    seen = played(compactor, messages=long, models=small)
    assert seen.played is not None
    assert seen.played.is_fine
    assert played(Provider("a"), messages=long, models=small).rules == ["PL-MODEL-NONE"]
