"""Played sessions: the order of hook points, what hook results do inside a turn, and how sessions end (spec D)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from dispatch_runs import Scripted
from played_runs import ALLOW_ALL, TOOLS, PolicyRule, Run, deny_word, run, script, session
from pluggable_answers import ANSWERS

from kernel.asking import Answer, Question, Scope
from kernel.control import Directive, Proceed, Seam, Stop
from kernel.dialects.pluggable.agent_hcl.settings import DoomLoop, Retry, Settings
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.session.played import load_session
from kernel.dialects.pluggable.session.turn import texts
from kernel.dialects.pluggable.turn_rules import TURN_RULES
from kernel.errors import BadInput
from kernel.facts import Asked, Changed, Decided, Ended, Entered, Left, Opened
from kernel.faults import Fault
from kernel.transports.stub import Stub
from kernel.values import Ending

MODEL = ["pre-model-call", "post-model-response"]


def inner(seen: Run) -> list[str]:
    """The hooks of the first turn."""
    hooks = seen.hooks[1:-1]
    turns = [index for index, hook in enumerate(hooks) if hook == "pre-model-call"]
    return hooks[: turns[1]] if len(turns) > 1 else hooks


# -- order -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "hooks"),
    [
        pytest.param((), MODEL, id="G143 a plain answer"),
        pytest.param(("fs.read d",), [*MODEL, "pre-tool-call(d)", "post-tool-call(d)"], id="one data_source call"),
        pytest.param(
            ("fs.write a, fs.write b",),
            [*MODEL, "pre-tool-call(a)", "pre-tool-call(b)", "plan-ready", "post-tool-call(a)", "post-tool-call(b)",
             "post-apply"],
            id="two resource calls",
        ),
        pytest.param(
            ("fs.write a, fs.read d",),
            [*MODEL, "pre-tool-call(a)", "pre-tool-call(d)", "plan-ready", "post-tool-call(a)", "post-tool-call(d)",
             "post-apply"],
            id="resource and data_source",
        ),
        pytest.param(
            ("ui.ask i, fs.read d, fs.write a",),
            [*MODEL, "pre-tool-call(i)", "pre-tool-call(d)", "pre-tool-call(a)", "plan-ready", "post-tool-call(i)",
             "post-tool-call(d)", "post-tool-call(a)", "post-apply"],
            id="all three kinds",
        ),
        pytest.param(("nobody.knows x, fs.read d",), [*MODEL, "pre-tool-call(d)", "post-tool-call(d)"],
                     id="a tool out of scope reaches no hook"),
    ],
)  # fmt: skip
def test_a_turn_reaches_the_points_in_the_order_of_the_specification(turns: tuple[str, ...], hooks: list[str]) -> None:
    """The sequence examples of D.2, and G143."""
    assert inner(run(script(session(*turns)))) == hooks


def test_a_session_begins_with_session_start_and_ends_with_session_end() -> None:
    """G145: once each, around everything else, the end with the status."""
    seen = run(script(session("fs.write a")))
    assert (seen.hooks[0], seen.hooks[-1]) == ("session-start", "session-end")
    assert seen.hooks.count("session-start") == seen.hooks.count("session-end") == 1
    assert seen.payloads("session-end") == [{"session_id": "s", "status": "SESSION_STATUS_COMPLETED"}]
    assert seen.payloads("session-start") == [{"session_id": "s", "profile": "test", "working_directory": "/"}]
    assert seen.played is not None
    assert (seen.played.is_fine, seen.played.status, seen.played.totals["turns"]) == (True, "completed", 2)


def test_a_child_session_says_whose_it_is() -> None:
    """The optional member is there exactly when it is described."""
    seen = run(script(session(parent="root", working_directory="/w")))
    [start] = seen.payloads("session-start")
    assert (start["parent_session_id"], start["working_directory"]) == ("root", "/w")


def test_calls_execute_by_kind_and_are_told_in_the_order_of_the_calls() -> None:
    """Data sources overlap, interactive calls come one after the other, then the plan is applied."""
    answer = {
        "calls": [
            {"tool": "fs.write", "id": "w", "takes_ms": 7},
            {"tool": "ui.ask", "id": "i1", "takes_ms": 5},
            {"tool": "fs.read", "id": "d1", "takes_ms": 20},
            {"tool": "ui.ask", "id": "i2", "takes_ms": 5},
            {"tool": "fs.read", "id": "d2", "takes_ms": 10},
        ]
    }
    seen = run(script(session(answer)))
    times = {each.attributes["call_id"]: (start, end) for each, _, start, end in seen.stretches("tool.execute")}
    assert times == {"d1": (0, 20), "d2": (0, 10), "i1": (20, 25), "i2": (25, 30), "w": (30, 37)}
    told = [hook for hook in seen.hooks if hook.startswith("post-tool-call")]
    assert told == [f"post-tool-call({each})" for each in ("w", "i1", "d1", "i2", "d2")]


# -- what hook results do ----------------------------------------------------------------------------------------------


def test_a_deny_at_pre_tool_call_removes_this_call_alone() -> None:
    """G139: calls 1 and 3 go on; call 2 is answered with PERMISSION_DENIED and still reaches post-tool-call."""
    seen = run(
        script(session("fs.write a, fs.write b, fs.write c")),
        {"pre-tool-call": "A:v allow"},
        stubs={"A": deny_word("b")},
    )
    [shown] = seen.payloads("plan-ready")
    assert [item["call_id"] for item in shown["plan"]["items"]] == ["a", "c"]
    ends = {each["call"]["id"]: each.get("error") for each in seen.payloads("post-tool-call")}
    assert list(ends) == ["a", "b", "c"]
    assert ends["a"] is ends["c"] is None
    assert ends["b"]["category"] == "TOOL_ERROR_CATEGORY_PERMISSION_DENIED"
    assert "fs.write" in ends["b"]["message"]
    assert "hook-veto:A" in ends["b"]["message"]
    assert "fs.write (b) deny hook-veto:A" in seen.decided
    points = [(s.attributes or {}).get("pluggableharness.hook.point") for s in seen.spans if s.name == "hook.dispatch"]
    assert points.count("pre-tool-call") == 3
    [applied] = seen.payloads("post-apply")
    assert [each["call_id"] for each in applied["apply"]["items"]] == ["a", "c"]


def test_a_pre_tool_call_item_is_pending() -> None:
    """H8: the chain sees the item before policy has looked at it."""
    [shown] = run(script(session("fs.write a"))).payloads("pre-tool-call")
    assert shown["plan_item"]["decision"] == "PLAN_DECISION_PENDING"
    assert (shown["call"]["tool_name"], shown["plan_item"]["provider"]) == ("write", "fs")


def test_transformed_messages_are_for_one_request() -> None:
    """G141: what a transform adds in turn 1 is not in the payload of turn 2."""

    class Once(Stub):
        pass

    left = [ANSWERS["+x"], ANSWERS["same"]]
    seen = run(
        script(session("fs.read d")),
        {"pre-model-call": "A:t same"},
        stubs={"A": Once(lambda request: left.pop(0)(request))},
    )
    changed = [each for each in seen.facts if isinstance(each, Changed)]
    assert len(changed) == 1
    first, second = seen.payloads("pre-model-call")
    assert [each["id"] for each in first["messages"]] == ["s/message-1"]
    assert [each["id"] for each in second["messages"]] == ["s/message-1", "s/message-2", "s/message-3"]
    assert [each["role"] for each in second["messages"]] == ["ROLE_USER", "ROLE_ASSISTANT", "ROLE_USER"]
    assert second["messages"][2]["content"][0]["tool_result"]["tool_use_id"] == "d"


def test_a_failure_at_session_start_is_noted_and_the_session_goes_on() -> None:
    """G147: the dispatch is an error, the record says TRANSFORM_FAILED, and the session completes."""
    seen = run(script(session()), {"session-start": "A:t E INTERNAL"})
    assert seen.raised == ["A TRANSFORM_FAILED"]
    assert seen.rules == ["PL-SESSION-EDGE", "PL-STOP-DONE"]
    assert seen.played is not None
    assert seen.played.status == "completed"
    [span] = [s for s in seen.spans if s.name == "hook.dispatch" and not s.status.is_ok]
    assert (span.attributes or {})["pluggableharness.hook.point"] == "session-start"


@pytest.mark.parametrize("point", ["pre-model-call", "post-model-response", "pre-tool-call", "plan-ready",
                                   "post-tool-call", "post-apply"])  # fmt: skip
def test_an_aborted_chain_within_a_turn_fails_the_session(point: str) -> None:
    """Spec D.3: the turn fails, nothing more of it happens, and the end is told."""
    seen = run(script(session("fs.write a")), {point: "A:t E INTERNAL"})
    assert seen.played is not None
    assert (seen.played.status, seen.played.is_fine) == ("failed", False)
    assert seen.rules[-1] == "PL-TURN-ABORTED"
    assert seen.hooks[-1] == "session-end"
    assert seen.hooks[-2].partition("(")[0] == point
    assert seen.payloads("session-end")[0]["status"] == "SESSION_STATUS_FAILED"


@pytest.mark.parametrize(("point", "takes"), [("pre-model-call", 0), ("plan-ready", 0), ("post-apply", 0)])
def test_a_caller_who_gives_up_during_a_dispatch_cancels_the_session(point: str, takes: int) -> None:
    """It is no failure and no denial; session-end is dispatched all the same, and its chain is asked."""
    chains = {point: "A:o hang", "session-end": "B:o ack"}
    seen = run(script(session("fs.write a")), chains, gives_up_ms=10)
    assert seen.played is not None
    assert (seen.played.status, seen.took_ms) == ("cancelled", 10)
    assert seen.payloads("session-end")[0]["status"] == "SESSION_STATUS_CANCELLED"
    ends = [each.result.ending for each in seen.facts if isinstance(each, Ended)]
    assert (ends[-2], ends[-1]) == (Ending.CANCELLED, Ending.FINISHED)
    assert [each.subscription.name for each in seen.facts if isinstance(each, Asked)][-1] == "B"
    assert seen.raised == []


@pytest.mark.parametrize("what", ["model", "tool", "preview", "question", "context", "retry"])
def test_a_caller_who_gives_up_meanwhile_cancels_the_session(what: str) -> None:
    """Whatever is being waited for is left at that moment, and nothing stays behind."""

    class Thinks:
        async def resolve(self, question: Question) -> Answer:
            await asyncio.Event().wait()
            raise AssertionError

    call: dict[str, Any] = {"tool": "fs.write", "id": "a"}
    more: dict[str, Any] = {}
    answer: dict[str, Any] = {"calls": [call]}
    if what == "model":
        answer["takes_ms"] = 1000
    elif what == "tool":
        call["takes_ms"] = 1000
    elif what == "preview":
        call |= {"preview": "a", "preview_takes_ms": 1000}
    elif what == "context":
        more["context"] = [{"name": "slow", "takes_ms": 1000}]
    elif what == "retry":
        answer["fails"] = ["overloaded"]
    rules = () if what == "question" else ALLOW_ALL
    seen = run(script(session(answer, **more), rules=rules), resolver=Thinks(), gives_up_ms=10)
    assert seen.played is not None
    assert (seen.played.status, seen.took_ms) == ("cancelled", 10)
    assert "enough" in seen.played.why
    entered = sum(isinstance(each, Entered) for each in seen.facts)
    assert entered == sum(isinstance(each, Left) for each in seen.facts), "every stretch is left"


def test_a_caller_who_gave_up_before_it_began_gets_a_beginning_and_an_end() -> None:
    """Both edges are told; no turn happens."""
    seen = run(script(session()), {"session-start": "A:o ack"}, gives_up_ms=0, stubs={"A": Stub(ANSWERS["ack"], 5)})
    assert seen.hooks == ["session-start", "session-end"]
    assert seen.played is not None
    assert seen.played.status == "cancelled"


# -- calls -------------------------------------------------------------------------------------------------------------


def test_a_call_that_policy_denies_is_not_executed_and_says_who_denied() -> None:
    """An ask for a data source counts as deny; the model gets PERMISSION_DENIED, others go on."""
    rules = (PolicyRule("reads", "ask", provider="fs"), *ALLOW_ALL)
    seen = run(script(session("fs.read d, ui.ask i"), rules=rules))
    assert "fs.read (d) deny policy:reads" in seen.decided
    assert "PL-POLICY-DOWNGRADE" in seen.rules
    ends = {each["call"]["id"]: each.get("error") for each in seen.payloads("post-tool-call")}
    assert ends["d"]["message"] == "fs.read was not executed: denied by policy:reads"
    assert ends["i"] is None
    assert [each.name for each, *_ in seen.stretches("tool.execute")] == ["ui.ask"]


def test_a_tool_out_of_scope_gets_an_error_result() -> None:
    """The model reads it; no hook, no policy, no tool ever sees the call."""
    seen = run(script(session("fs.write a"), tools=()))
    assert seen.decided[0] == "fs.write (a) deny scope"
    assert seen.hooks[3:5] == MODEL
    content = seen.payloads("pre-model-call")[1]["messages"][-1]["content"]
    assert content[0]["tool_result"]["is_error"] is True


def test_results_and_errors_of_tools_reach_hooks_and_model() -> None:
    """A result as it is described; an error with its category; a tool that takes too long is a TIMEOUT."""
    answer = {
        "calls": [
            {"tool": "fs.read", "id": "fine", "result": {"text": "a"}},
            {"tool": "fs.read", "id": "bad", "error": {"message": "gone", "category": "NOT_FOUND"}},
            {"tool": "shell.run", "id": "slow", "takes_ms": 60_000},
        ]
    }
    seen = run(script(session(answer)))
    fine, bad, slow = seen.payloads("post-tool-call")
    assert fine["result"] == {"payload": {"text": "a"}}
    assert bad["error"] == {"category": "TOOL_ERROR_CATEGORY_NOT_FOUND", "message": "gone"}
    assert (slow["error"]["category"], slow["error"]["retryable"]) == ("TOOL_ERROR_CATEGORY_TIMEOUT", True)
    assert seen.took_ms == 30_000
    results = seen.payloads("pre-model-call")[1]["messages"][-1]["content"]
    assert [each["tool_result"].get("is_error", False) for each in results] == [False, True, True]
    [applied] = seen.payloads("post-apply")
    assert applied["apply"]["items"][0]["outcome"] == "APPLY_OUTCOME_FAILED"


@pytest.mark.parametrize(("takes_ms", "has_preview"), [(4999, True), (5000, True), (5001, False)])
def test_a_preview_that_takes_too_long_is_left_out(takes_ms: int, has_preview: bool) -> None:
    """The item is planned without it, after five seconds at most."""
    call = {"tool": "fs.write", "id": "a", "preview": "a diff", "preview_takes_ms": takes_ms}
    seen = run(script(session({"calls": [call]})))
    [item] = seen.payloads("plan-ready")[0]["plan"]["items"]
    assert ("preview" in item) is has_preview
    assert seen.took_ms == min(takes_ms, 5000)


# -- ends --------------------------------------------------------------------------------------------------------------


def same(count: int) -> list[dict[str, Any]]:
    """Turns that make the same call again and again."""
    return [{"calls": [{"tool": "fs.read", "arguments": {"path": "a"}}]} for _ in range(count)]


def cheap(count: int, cost_usd: float = 0, takes_ms: float = 0) -> list[dict[str, Any]]:
    """Turns with a call each, all different."""
    return [
        {"calls": [{"tool": "fs.read", "arguments": {"n": n}}], "cost_usd": cost_usd, "takes_ms": takes_ms}
        for n in range(count)
    ]


@pytest.mark.parametrize(
    ("turns", "bounds", "status", "reason", "rule", "count"),
    [
        (["fs.close z", "fs.read d"], {}, "completed", "", "PL-STOP-TERMINAL-TOOL", 1),
        (same(9), {}, "completed", "doom_loop", "PL-STOP-DOOM-LOOP", 4),
        (cheap(9), {"max_turns": 3}, "error_max_turns", "max_turns", "PL-STOP-MAX-TURNS", 4),
        (cheap(9, cost_usd=0.5), {"max_cost_usd": 1.0}, "error_max_budget_usd", "max_cost_usd", "PL-STOP-MAX-COST", 3),
        (cheap(9, takes_ms=900), {"max_wall_clock_s": 2}, "error_max_wall_clock", "max_wall_clock_s",
         "PL-STOP-WALL-CLOCK", 4),
        (cheap(30, cost_usd=1, takes_ms=1e6), {"max_turns": 0, "max_cost_usd": 0, "max_wall_clock_s": 0},
         "completed", "", "PL-STOP-DONE", 31),
        (same(2), {"max_turns": 3}, "completed", "", "PL-STOP-DONE", 3),
        (same(9), {"max_turns": 3}, "completed", "doom_loop", "PL-STOP-DOOM-LOOP", 4),
        (cheap(9, cost_usd=1), {"max_turns": 1, "max_cost_usd": 1.0}, "error_max_turns", "max_turns",
         "PL-STOP-MAX-TURNS", 2),
        (["shell.run a, shell.run b, shell.run c", "fs.read d"], {}, "completed", "circuit_breaker",
         "PL-STOP-BREAKER", 2),
    ],
)  # fmt: skip
def test_a_session_ends_for_the_first_reason_that_there_is(
    turns: list[Any], bounds: dict[str, Any], status: str, reason: str, rule: str, count: int
) -> None:
    """Spec D.5: conditions in their order; limits give the model one more answer, without tools."""
    rules = (PolicyRule("no-shell", "deny", provider="shell"), *ALLOW_ALL)
    seen = run(script(session(*turns), rules=rules, **bounds))
    assert seen.played is not None
    assert (seen.played.status, seen.played.reason) == (status, reason)
    assert rule in seen.rules
    assert len(seen.payloads("pre-model-call")) == seen.played.totals["turns"] == count
    if reason:
        last = seen.payloads("pre-model-call")[-1]["messages"][-1]
        assert "There are no tools any more" in last["content"][0]["text"]["text"]
        assert seen.hooks[-3:-1] == MODEL


def test_the_rest_of_the_hooks_runs_after_a_tool_that_ends_the_turn() -> None:
    """Calls beside it are executed and told; a denied one does not end anything."""
    seen = run(script(session("fs.close z, fs.read d")))
    assert seen.hooks[-4:] == ["post-tool-call(z)", "post-tool-call(d)", "post-apply", "session-end"]
    denied = run(script(session("fs.close z"), rules=(PolicyRule("no", "deny", provider="fs"),)))
    assert denied.played is not None
    assert denied.played.totals["turns"] == 2


def test_a_crashing_tool_trips_the_breaker() -> None:
    """Crashes count like denials; anything else resets the row."""
    crash = {"error": {"message": "dead", "category": "PROCESS_CRASHED"}}
    turns = [{"calls": [{"tool": "fs.read", "arguments": {"n": n}, **crash}]} for n in range(9)]
    seen = run(script(session(*turns)))
    assert seen.played is not None
    assert (seen.played.reason, seen.played.totals["turns"]) == ("circuit_breaker", 4)
    turns[2]["calls"][0] = {"tool": "fs.read", "arguments": {"n": 2}}
    assert run(script(session(*turns))).played.totals["turns"] == 7  # type: ignore[union-attr]


def test_a_model_that_is_overloaded_is_asked_again() -> None:
    """Each attempt has a stretch of its own; waits grow by the factor that the settings say."""
    answer = {"says": "at last", "fails": ["overloaded", "rate_limited"], "takes_ms": 10}
    seen = run(script({**session(), "turns": [answer]}))
    assert seen.took_ms == 500 + 1000 + 10
    assert [left.error for _, left, *_ in seen.stretches("model.attempt")] == ["overloaded", "rate_limited", ""]


@pytest.mark.parametrize(
    ("fails", "settings"),
    [(["auth"], Settings()), (["overloaded"] * 2, Settings(retry=Retry(1, 1, 1))), (["overloaded"] * 21, None)],
)
def test_a_model_that_fails_for_good_fails_the_session(fails: list[str], settings: Settings | None) -> None:
    """At once, after the retries of one call, or after those of a whole session."""
    patient = Settings(retry=Retry(1, 1, 1000))
    seen = run(script({**session(), "turns": [{"fails": fails}]}, settings=settings or patient))
    assert seen.played is not None
    assert seen.played.status == "failed"
    assert seen.rules[-1] == "PL-MODEL-FAILED"


def test_a_description_that_ends_too_early_fails_the_session() -> None:
    """The turn that has no answer is named."""
    seen = run(script({**session(), "turns": [{"calls": [{"tool": "fs.read"}]}]}))
    assert seen.played is not None
    assert seen.played.why == "the description has no answer for turn 2"


def test_a_turn_that_fits_no_model_fails_the_session() -> None:
    """80 % of the window count; the next model that fits is taken instead, where there is one."""
    small, large = {"provider": "p", "id": "small", "context_window": 10}, {"provider": "q", "id": "large"}
    text = [{"text": "word " * 50}]
    seen = run(script(session(messages=text, models=[small])))
    assert seen.rules[-1] == "PL-MODEL-NONE"
    seen = run(script(session(messages=text, models=[small, large])))
    assert seen.payloads("pre-model-call")[0]["model"] == {"provider": "q", "id": "large"}


@pytest.mark.parametrize(("size", "fits"), [(0, True), (317, True), (320, True), (321, False)])
def test_of_a_message_its_text_counts(size: int, fits: bool) -> None:
    """Four bytes are a token (B.11), and 80 % of 100 tokens are 320 bytes: what wraps a text on the wire is nothing."""
    model = {"provider": "p", "id": "m", "context_window": 100}
    seen = run(script(session(messages=[{"text": "x" * size}], models=[model])))
    assert (seen.played is not None and seen.played.status) == ("completed" if fits else "failed")


def test_everything_that_a_message_holds_counts() -> None:
    """Texts, names and arguments of calls, results; each message is rounded up for itself."""
    turns = [{"says": "abcd", "calls": [{"tool": "fs.read", "id": "x", "arguments": {"n": 1}, "result": {"t": "é"}}]}]
    context = [{"name": "c", "sections": [{"label": "l", "text": "t"}]}]
    seen = run(script({**session(messages=[{"text": "hello"}], context=context), "turns": [*turns, {"says": "done"}]}))
    assert list(texts(seen.payloads("pre-model-call")[1]["messages"])) == [
        "hello", 'abcdfs.read{"n":1}', '{"t": "é"}',
    ]  # fmt: skip


# -- context -----------------------------------------------------------------------------------------------------------


def test_described_context_is_assembled_in_every_turn() -> None:
    """Through no hook at all, and not in the messages that hooks see."""
    context = [{"name": "map", "sections": [{"label": "layout", "text": "abcdefgh"}]}]
    seen = run(script(session("fs.read d", context=context)))
    assert [left.attributes["tokens"] for _, left, *_ in seen.stretches("context.assemble")] == [2, 2]
    assert seen.hooks[0:2] == ["session-start", "pre-model-call"]
    assert len(seen.payloads("pre-model-call")[0]["messages"]) == 1


def test_a_compactors_history_lasts() -> None:
    """What it makes of the conversation is what every later turn begins with."""
    context = [{"name": "short", "compactor": True, "rewrites": [{"text": "so far: hello"}]}]
    seen = run(script(session("fs.read d", context=context)))
    first, second = seen.payloads("pre-model-call")
    assert first["messages"][0]["content"][0]["text"]["text"] == "so far: hello"
    assert second["messages"][0] == first["messages"][0]


def test_a_context_provider_that_fails_fails_the_turn() -> None:
    """The rest of the chain is not asked, and no model call is made."""
    context = [{"name": "broken", "error": "no index"}, {"name": "map"}]
    seen = run(script(session(context=context)))
    assert seen.rules == ["PL-CONTEXT-FAILED"]
    assert [each.name for each, *_ in seen.stretches("context.contribute")] == ["broken"]
    assert seen.hooks == ["session-start", "session-end"]


# -- steering and watching ---------------------------------------------------------------------------------------------


def test_a_dispatch_of_a_session_can_be_held_and_broken_like_any_other() -> None:
    """Every point is a real dispatch: a control sees its seams, an armed fault acts on the far side."""
    asked: list[str] = []

    async def look(seam: Seam) -> Directive:
        asked.append(seam.walk.payload.view["call"]["id"])  # type: ignore[call-overload,index]
        return Proceed(fault=Fault("hang")) if len(asked) == 2 else Proceed()

    control = Scripted(before_A=look)
    seen = run(script(session("fs.write a, fs.write b")), {"pre-tool-call": "A:v allow"}, control=control)
    assert asked == ["a", "b"]
    assert seen.raised == ["A TIMEOUT"]
    assert "fs.write (b) deny hook-veto:A" in seen.decided


def test_stopping_a_dispatch_cancels_the_session() -> None:
    """What ends a dispatch like a caller that gives up is the caller of the session too."""
    control = Scripted(before_A=Stop())
    seen = run(script(session("fs.write a")), {"plan-ready": "A:v allow"}, control=control)
    assert seen.played is not None
    assert seen.played.status == "cancelled"


def test_spans_of_a_session_make_one_tree() -> None:
    """Session, turns, calls, gate and every dispatch hang together, inside each other in time; names as published."""
    chains = {"plan-ready": "A:v allow", "pre-model-call": "B:o ack"}
    stubs = {"A": Stub(ANSWERS["allow"], 3), "B": Stub(ANSWERS["ack"], 2)}
    answer = {
        "takes_ms": 10,
        "calls": [{"tool": "fs.write", "id": "a", "takes_ms": 4}, {"tool": "fs.read", "id": "d", "takes_ms": 5}],
    }
    played = script(session(answer), rules=(PolicyRule("reads", "allow", kind="data_source"),))

    class Dana:
        async def resolve(self, question: Question) -> Answer:
            return Answer(True, Scope.ONCE, "dana")

    seen = run(played, chains, stubs=stubs, resolver=Dana())
    by_id = {span.context.span_id: span for span in seen.spans if span.context}
    assert len({span.context.trace_id for span in by_id.values() if span.context}) == 1

    def path(span: Any) -> str:
        return span.name if span.parent is None else f"{path(by_id[span.parent.span_id])} > {span.name}"

    assert {path(span) for span in seen.spans} == {
        "session",
        "session > hook.dispatch",
        "session > turn",
        "session > turn > hook.dispatch",
        "session > turn > hook.dispatch > hook.subscriber",
        "session > turn > model.call",
        "session > turn > model.call > model.attempt",
        "session > turn > policy.evaluate",
        "session > turn > tool.execute",
        "session > turn > plan.build",
        "session > turn > policy.evaluate > hook.dispatch",
        "session > turn > policy.evaluate > hook.dispatch > hook.subscriber",
        "session > turn > policy.evaluate > plan.decision.resolve",
        "session > turn > plan.apply",
        "session > turn > plan.apply > tool.execute",
    }
    for span in seen.spans:
        if span.parent is not None:
            around = by_id[span.parent.span_id]
            assert around.start_time <= span.start_time <= span.end_time <= around.end_time  # type: ignore[operator]
    named = {span.name: span for span in seen.spans}
    prefix = "pluggableharness."
    assert dict(named["session"].attributes or {}) == {
        f"{prefix}session.id": "s",
        f"{prefix}session.root_id": "s",
        f"{prefix}session.depth": 0,
        f"{prefix}session.status": "completed",
        f"{prefix}agent.profile": "test",
    }
    assert (named["model.call"].attributes or {})["gen_ai.request.model"] == "m"
    assert (named["model.call"].kind.name, named["tool.execute"].kind.name, named["turn"].kind.name) == (
        "CLIENT",
        "CLIENT",
        "INTERNAL",
    )
    assert (named["tool.execute"].attributes or {})[f"{prefix}tool.name"] == "write"
    assert (named["plan.decision.resolve"].attributes or {})[f"{prefix}plan_item.id"] == "item-1.1"
    assert all(span.status.is_ok for span in seen.spans)


def test_whoever_answers_an_interactive_call_has_a_span() -> None:
    """Inside of the call, with the name of the tool and the error that it came to (F.1)."""
    calls_ = [{"tool": "ui.ask", "id": "x", "takes_ms": 40}, {"tool": "ui.ask", "id": "y", "error": {"message": "no"}}]
    seen = run(script(session({"calls": calls_})))
    by_id = {span.context.span_id: span for span in seen.spans if span.context}
    spans = [span for span in seen.spans if span.name == "interactive.resolve"]
    assert [by_id[span.parent.span_id].name for span in spans if span.parent] == ["tool.execute"] * 2
    assert [dict(span.attributes or {}) for span in spans] == [{"pluggableharness.tool.name": "ask"}] * 2
    assert [span.status.is_ok for span in spans] == [True, False]
    assert spans[0].end_time is not None
    assert spans[0].start_time is not None
    assert spans[0].end_time - spans[0].start_time == 40_000_000
    assert len([span for span in seen.spans if span.name == "tool.execute"]) == 2


def test_a_failed_session_is_an_error_down_to_where_it_failed() -> None:
    """The error is on the dispatch, on the turn around it and on the session, with its sentence."""
    seen = run(script(session()), {"post-model-response": "A:t E INTERNAL"})
    errors = [span.name for span in seen.spans if not span.status.is_ok]
    assert errors == ["hook.subscriber", "hook.dispatch", "turn", "session"]


def test_every_fact_of_a_session_is_inside_it() -> None:
    """Every dispatch and every stretch but the session names a parent that was entered before and not left yet."""
    seen = run(script(session("fs.write a, fs.read d, ui.ask i")), {"plan-ready": "A:v allow"})
    open_stretches: set[str] = set()
    for event in seen.events:
        match event.fact:
            case Opened() as fact:
                assert fact.parent in open_stretches
            case Entered() as fact:
                assert fact.parent in open_stretches or (fact.kind == "session" and not fact.parent)
                open_stretches.add(event.dispatch)
            case Decided():
                assert event.dispatch in open_stretches
            case Left():
                open_stretches.remove(event.dispatch)
            case _:
                pass
    assert not open_stretches


# -- what cannot be played ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "options", "words"),
    [
        ({"models": []}, {}, "names a model"),
        ({}, {"tools": ("fs.nothing",)}, "ErrUnknownTool"),
        ({}, {"tools": ("fs",)}, "ErrMalformedToolScope"),
        ({}, {"settings": Settings(doom_loop=DoomLoop(8, 2))}, "threshold must be 3 to 5"),
        ({}, {"settings": Settings(doom_loop=DoomLoop(3, 4))}, "window at least as large"),
    ],
)
def test_a_script_that_cannot_be_played_is_refused(view: dict[str, Any], options: dict[str, Any], words: str) -> None:
    """Before anything happens, with what to change."""
    with pytest.raises(BadInput, match=words):
        script({**session(), **view}, **options)


def test_a_session_is_loaded_under_a_configuration(tmp_path: Path) -> None:
    """Profile, bounds and rules come from the configuration; an unknown profile names the nearest."""
    config = tmp_path / "agent.hcl"
    config.write_text(
        'agent_profile "coding" {\n  tools = ["fs.*"]\n  max_turns = 2\n}\n'
        'policy "files" {\n  match = { provider = "fs" }\n  action = "allow"\n}\n'
    )
    playable = load_session(config, {**session("fs.write a"), "profile": "coding"}, "session.json")
    assert "fs.write (a) allow policy:files" in run(playable).decided  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="did you mean 'coding'"):
        load_session(config, {**session(), "profile": "codign"}, "session.json")


# -- rules -------------------------------------------------------------------------------------------------------------


def cited() -> dict[str, Run]:
    """For each rule of the host a session in which it is applied."""
    deny = (PolicyRule("no", "deny"),)
    model = {"provider": "p", "id": "m", "context_window": 1}  # of which no token is usable
    image = {"compactor": True, "name": "c", "token_budget": 0, "sections": [{"label": "a", "text": "word"}]}
    turns = {"turns": [{"fails": ["auth"]}]}
    always: Any = [{"answer": "session"}]
    return {
        "PL-POLICY-RULE": run(script(session("fs.read d"))),
        "PL-POLICY-DEFAULT": run(script(session("fs.read d"), rules=())),
        "PL-POLICY-DOWNGRADE": run(script(session("fs.read d"), rules=(PolicyRule("a", "ask"),))),
        "PL-CALL-UNKNOWN": run(script(session("no.tool x"))),
        "PL-CALL-VETO": run(script(session("fs.read d")), {"pre-tool-call": "A:v deny"}),
        "PL-GATE-VETO": run(script(session("fs.write a")), {"plan-ready": "A:v deny"}),
        "PL-GATE-SESSION": run(script(session("fs.write a, fs.write b", answers=always), rules=())),
        "PL-GATE-RESOLVER": run(script(session("fs.write a"), rules=())),
        "PL-GATE-ALWAYS": run(script(session("fs.write a", answers=[{"answer": "always"}]), rules=())),
        "PL-CONTEXT-BUDGET": run(script(session(context=[image]))),
        "PL-CONTEXT-HISTORY": run(script(session(context=[{"name": "c", "rewrites": [{"text": "x"}]}]))),
        "PL-CONTEXT-TIMEOUT": run(script(session(context=[{"name": "c", "takes_ms": 5001}]))),
        "PL-CONTEXT-FAILED": run(script(session(context=[{"name": "c", "error": "no"}]))),
        "PL-SESSION-EDGE": run(script(session()), {"session-end": "A:t E INTERNAL"}),
        "PL-TURN-ABORTED": run(script(session()), {"pre-model-call": "A:t E INTERNAL"}),
        "PL-MODEL-FAILED": run(script({**session(), **turns})),
        "PL-MODEL-NONE": run(script(session(models=[model]))),
        "PL-STOP-DONE": run(script(session())),
        "PL-STOP-TERMINAL-TOOL": run(script(session("fs.close z"))),
        "PL-STOP-DOOM-LOOP": run(script(session(*same(4)))),
        "PL-STOP-MAX-TURNS": run(script(session(*cheap(4)), max_turns=1)),
        "PL-STOP-MAX-COST": run(script(session(*cheap(4, cost_usd=1)), max_cost_usd=0.5)),
        "PL-STOP-WALL-CLOCK": run(script(session(*cheap(4, takes_ms=2000)), max_wall_clock_s=1)),
        "PL-STOP-BREAKER": run(script(session("fs.write a, fs.write b, fs.write c", "fs.read d"), rules=deny)),
        "PL-STOP-CANCELLED": run(script(session({"takes_ms": 99})), gives_up_ms=1),
    }


ELSEWHERE = {
    "PL-CONTEXT-SCOPE", "PL-CONTEXT-NON-TEXT",  # test_sections.py
    "PL-CONTEXT-CRASHED", "PL-CONTEXT-INVALID",  # test_contributing.py
    "PL-SPAWN-DEPTH", "PL-SPAWN-WAITS", "PL-SPAWN-FAILED",  # test_sub_sessions.py
}  # fmt: skip
"""Rules that only contributors in code, plugins and sessions inside of others meet: other tests apply them."""


def test_every_rule_is_applied_by_some_session() -> None:
    """A rule that nothing applies would be a promise that nothing keeps; whatever is cited is in the catalogue."""
    runs = cited()
    assert runs.keys() | ELSEWHERE == TURN_RULES.keys()
    for rule, seen in runs.items():
        assert rule in seen.rules
        assert set(seen.rules) <= PLUGGABLE.rules.keys()


def test_the_tools_of_these_tests_are_the_three_kinds() -> None:
    """Otherwise the tables above would prove less than they say."""
    assert {tool["kind"] for tool in TOOLS} == {"resource", "data_source", "interactive"}  # type: ignore[call-overload,index]
