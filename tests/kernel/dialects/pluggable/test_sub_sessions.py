"""Sessions that calls of a session begin: how deep, how many at once, and what they come to (spec C.1, C.7, D, F.1)."""

from __future__ import annotations

from typing import Any

import pytest
from played_runs import ALLOW_ALL, PolicyRule, Run, calls, run, script, session

from kernel.dialects.pluggable.agent_hcl.settings import AgentProfile, Settings
from kernel.dialects.pluggable.session.loading import load
from kernel.dialects.pluggable.session.scope import depth_below, depth_of
from kernel.errors import BadInput
from kernel.facts import Asked, Decided, Entered, Left

TOOLS: list[Any] = [
    {"name": "agent.ask", "kind": "data_source"},
    {"name": "agent.do", "kind": "resource", "risk": "low"},
    {"name": "fs.read", "kind": "data_source"},
]
SCOPE = ("agent.*", "fs.*")
PREFIX = "pluggableharness."


def inner(*turns: Any, **more: Any) -> dict[str, Any]:
    """A session inside: its turns, then a plain answer."""
    said = [{"calls": calls(each)} if isinstance(each, str) else each for each in turns]
    return {"messages": [{"text": "look"}], "turns": [*said, {"says": "found"}], **more}


def begins(*sessions: dict[str, Any], tool: str = "agent.ask") -> dict[str, Any]:
    """A turn whose calls c1, c2, ... begin these sessions."""
    return {"calls": [{"tool": tool, "id": f"c{n}", "session": each} for n, each in enumerate(sessions, 1)]}


def played(*turns: Any, settings: Settings | None = None, **more: Any) -> Run:
    options = {key: more.pop(key) for key in ("chains", "gives_up_ms") if key in more}
    view = session(*turns, tools=TOOLS)
    return run(script(view, tools=SCOPE, settings=settings, **more), options.pop("chains", None), **options)


def known(seen: Run) -> dict[str, dict[str, Any]]:
    """What the facts say of each session."""
    return {begun.name: {**begun.attributes, **left.attributes} for begun, left, *_ in seen.stretches("session")}


# -- depth -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "profile", "left"),
    [(None, None, None), (3, None, 3), (None, 2, 2), (3, 2, 2), (1, 2, 1), (0, None, 0), (None, 0, 0)],
)
def test_a_session_that_nobody_began_has_the_stricter_limit(
    settings: int | None, profile: int | None, left: int | None
) -> None:
    """Unset is no limit; 0 is one (C.1)."""
    assert depth_of(settings, AgentProfile("p", max_depth=profile)) == left


@pytest.mark.parametrize(
    ("parent", "own", "left"),
    [(None, None, None), (None, 2, 2), (3, None, 2), (3, 5, 2), (3, 1, 1), (1, None, 0), (1, 0, 0), (2, 1, 1)],
)
def test_a_child_has_one_less_or_its_own_limit(parent: int | None, own: int | None, left: int | None) -> None:
    """min(parent - 1, own max_depth if set) (C.7)."""
    assert depth_below(parent, AgentProfile("p", max_depth=own)) == left


def nested(levels: int) -> dict[str, Any]:
    """A session in which a session is begun, and so on."""
    return inner(begins(nested(levels - 1))) if levels else inner()


@pytest.mark.parametrize(
    ("settings", "own", "begun"),
    [(None, None, 4), (0, None, 0), (1, None, 1), (3, None, 3), (None, 2, 2), (9, 1, 1), (4, 4, 4)],
)
def test_sessions_nest_as_deep_as_is_allowed(settings: int | None, own: int | None, begun: int) -> None:
    """Four are described inside of each other; where no depth is left the call fails and the rest goes on."""
    seen = played(begins(nested(3)), settings=Settings(max_depth=settings), max_depth=own)
    sessions = known(seen)
    assert len(sessions) == begun + 1
    assert sorted(each["session.depth"] for each in sessions.values()) == list(range(begun + 1))
    assert {each["session.status"] for each in sessions.values()} == {"completed"}
    assert seen.rules.count("PL-SPAWN-DEPTH") == (0 if begun == 4 else 1)


def test_where_no_depth_is_left_the_call_fails() -> None:
    """It is an error of the tool that hooks and model read; no session is begun and none is told."""
    seen = played(begins(inner()), settings=Settings(max_depth=0))
    assert "agent.ask (c1) deny max_depth" in seen.decided
    [told] = seen.payloads("post-tool-call")
    assert told["error"] == {
        "category": "TOOL_ERROR_CATEGORY_EXECUTION_FAILED",
        "message": "s is at depth 0, and no session may be below it",
    }
    assert seen.payloads("session-start") == [{"session_id": "s", "profile": "test", "working_directory": "/"}]
    assert not seen.stretches("session.spawn")


def test_a_profile_inside_may_allow_less_but_never_more() -> None:
    """A child whose profile says 0 begins none, although its parent's limit would allow it."""
    strict = AgentProfile("strict", SCOPE, max_depth=0)
    loose = AgentProfile("loose", SCOPE, max_depth=9)
    for name, begun in (("strict", 1), ("loose", 2)):
        child = inner(begins(inner(begins(inner()))), profile=name)
        seen = played(begins(child), settings=Settings(max_depth=2), profiles=(strict, loose))
        assert len(known(seen)) == begun + 1
        assert known(seen)["s/c1"]["agent.profile"] == name


# -- what is told ------------------------------------------------------------------------------------------------------


def test_a_session_inside_is_a_session() -> None:
    """Its hooks, ids and payloads are its own; its parent and root are named; its words are what the call gives."""
    second = begins(inner())
    second["calls"][0]["id"] = "again"
    seen = played(begins(inner("fs.read r", session="deep")), second)
    assert seen.payloads("session-start") == [
        {"session_id": "s", "profile": "test", "working_directory": "/"},
        {"session_id": "deep", "profile": "test", "parent_session_id": "s", "working_directory": "/"},
        {"session_id": "s/again", "profile": "test", "parent_session_id": "s", "working_directory": "/"},
    ]
    assert [each["session_id"] for each in seen.payloads("session-end")] == ["deep", "s/again", "s"]
    contexts = [each["call"]["call_context"] for each in seen.payloads("pre-tool-call")]
    assert [(each["session_id"], each["turn_id"]) for each in contexts] == [
        ("s", "s/turn-1"), ("deep", "deep/turn-1"), ("s", "s/turn-2"),
    ]  # fmt: skip
    ends = {each["call"]["call_context"]["turn_id"]: each for each in seen.payloads("post-tool-call")}
    assert ends["s/turn-1"]["result"] == {"payload": {"session_id": "deep", "text": "found"}}
    assert [len(each["messages"]) for each in seen.payloads("pre-model-call")] == [1, 1, 3, 3, 1, 5]
    assert seen.played is not None
    assert dict(seen.played.totals) == {"turns": 3, "cost_usd": 0.0, "sub_sessions": 2}


def test_a_described_result_takes_the_place_of_the_last_words() -> None:
    """If the session completes."""
    turn = begins(inner())
    turn["calls"][0]["result"] = {"answer": 42}
    [told] = played(turn).payloads("post-tool-call")
    assert told["result"] == {"payload": {"answer": 42}}


def test_spans_of_a_session_inside_hang_below_its_call() -> None:
    """tool.execute > session.spawn > session, with the attributes of F.1; one trace."""
    seen = played(begins(inner(begins(inner()))), chains={"session-end": "A:o ack"})
    by_id = {span.context.span_id: span for span in seen.spans if span.context}
    assert len({span.context.trace_id for span in seen.spans if span.context}) == 1

    def path(span: Any) -> str:
        return span.name if span.parent is None else f"{path(by_id[span.parent.span_id])} > {span.name}"

    below = "turn > tool.execute > session.spawn > session"
    paths = [path(span) for span in seen.spans if span.name == "session"]
    assert sorted(paths, key=len) == ["session", f"session > {below}", f"session > {below} > {below}"]
    assert f"session > {below} > hook.dispatch > hook.subscriber" in {path(span) for span in seen.spans}
    attributes = {
        str(span.attributes[f"{PREFIX}session.id"]): {
            key.removeprefix(f"{PREFIX}session."): value
            for key, value in span.attributes.items()
            if key.startswith(f"{PREFIX}session.")
        }
        for span in seen.spans
        if span.name == "session" and span.attributes
    }
    done = {"status": "completed"}
    assert attributes == {
        "s": {"id": "s", "root_id": "s", "depth": 0, **done},
        "s/c1": {"id": "s/c1", "root_id": "s", "parent_id": "s", "depth": 1, **done},
        "s/c1/c1": {"id": "s/c1/c1", "root_id": "s", "parent_id": "s/c1", "depth": 2, **done},
    }
    spawned = [dict(span.attributes or {}) for span in seen.spans if span.name == "session.spawn"]
    assert spawned == [{f"{PREFIX}session.id": "s/c1/c1"}, {f"{PREFIX}session.id": "s/c1"}]
    assert [span.kind.name for span in seen.spans if span.name == "session.spawn"] == ["INTERNAL"] * 2
    assert seen.metrics["sessions.started"] == {"": 3}
    assert seen.metrics["sessions.active"] == {"": 0}


BUSY = [{"calls": [{"tool": "fs.read", "arguments": {"n": n}}], "cost_usd": 1.0} for n in range(9)]


def test_turns_and_limits_are_each_sessions_own() -> None:
    """A child that uses up its turns ends that way, and only it; what it cost is its parent's cost too."""
    helper = AgentProfile("helper", SCOPE, max_turns=2)
    seen = played(begins(inner(*BUSY, profile="helper")), profiles=(helper,), max_cost_usd=4.0)
    sessions = known(seen)
    assert (sessions["s/c1"]["session.status"], sessions["s/c1"]["turns"]) == ("error_max_turns", 3)
    assert (sessions["s"]["session.status"], sessions["s"]["cost_usd"]) == ("completed", 3.0)
    turns = [left.attributes["cost_usd"] for begun, left, *_ in seen.stretches("turn") if begun.name == "turn 1"]
    assert sorted(turns) == [1.0, 3.0]
    assert sum(seen.metrics["cost.usd"].values()) == 3.0, "what the models cost, once"
    [error] = [each["error"] for each in seen.payloads("post-tool-call") if "error" in each]
    assert error["message"] == "session s/c1 ended error_max_turns: 2 turns of 2 are used"
    assert "PL-SPAWN-FAILED" in seen.rules


@pytest.mark.parametrize("own", [None, 0, 50.0])
def test_a_session_inside_ends_when_one_around_it_has_nothing_left(own: float | None) -> None:
    """What is left is the least that any of them has left, up to the root (D.5); each says whose limit it was."""
    helper = AgentProfile("helper", SCOPE, max_cost_usd=own)
    deep = inner(begins(inner(*BUSY, profile="helper")), profile="helper")
    seen = played({**begins(deep), "cost_usd": 0.5}, {"says": "well"}, profiles=(helper,), max_cost_usd=2.0)
    sessions = known(seen)
    assert {name: each["session.status"] for name, each in sessions.items()} == {
        "s": "error_max_budget_usd",
        "s/c1": "error_max_budget_usd",
        "s/c1/c1": "error_max_budget_usd",
    }
    assert (sessions["s/c1/c1"]["turns"], sessions["s/c1/c1"]["cost_usd"]) == (3, 3.0)
    assert (sessions["s/c1"]["cost_usd"], sessions["s"]["cost_usd"]) == (3.0, 3.5)
    assert "session error_max_budget_usd max_cost_usd" in seen.decided
    [why, *_] = [each.why for each in seen.facts if isinstance(each, Decided) and each.rule == "PL-STOP-MAX-COST"]
    assert why == "2.5000 USD of the 2.0000 of s around it are spent"


def test_a_session_beside_another_spends_from_the_same_purse() -> None:
    """Two that run side by side end together where the one around them allows less than both need."""
    seen = played(begins(inner(*BUSY), inner(*BUSY)), max_cost_usd=3.0)
    sessions = known(seen)
    assert sessions["s"]["cost_usd"] == sessions["s/c1"]["cost_usd"] + sessions["s/c2"]["cost_usd"]
    assert {each["session.status"] for each in sessions.values()} == {"error_max_budget_usd"}


def test_a_plan_may_begin_a_session_too() -> None:
    """A resource call does once it is allowed, inside of what applies the plan; a denied one does not."""
    seen = played(begins(inner(), tool="agent.do"))
    assert "s/c1" in known(seen)
    assert seen.payloads("post-apply")[0]["apply"]["items"][0]["outcome"] == "APPLY_OUTCOME_APPLIED"
    denied = played(begins(inner(), tool="agent.do"), rules=(PolicyRule("no", "deny", provider="agent"), *ALLOW_ALL))
    assert list(known(denied)) == ["s"]


# -- several -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "took_ms", "waits"), [(None, 100, 0), (0, 100, 0), (1, 300, 2), (2, 200, 1), (3, 100, 0)]
)
def test_so_many_sessions_are_under_way_at_once(most: int | None, took_ms: float, waits: int) -> None:
    """Three of 100 ms each, of calls that may run side by side; whoever is one too many waits."""
    slow = {"messages": [{"text": "x"}], "turns": [{"says": "a", "takes_ms": 100}]}
    seen = played(begins(slow, slow, slow), max_concurrent_subagents=most)
    assert seen.took_ms == took_ms
    assert seen.rules.count("PL-SPAWN-WAITS") == waits
    told = [each["call"]["id"] for each in seen.payloads("post-tool-call")]
    assert told == ["c1", "c2", "c3"]


def test_a_limit_of_sessions_counts_for_each_session_by_itself() -> None:
    """A child that begins one does not wait for its own parent's place."""
    seen = played(begins(nested(2)), max_concurrent_subagents=1)
    assert len(known(seen)) == 4
    assert "PL-SPAWN-WAITS" not in seen.rules


def test_a_sessions_own_answers_are_for_its_own_questions() -> None:
    """The child's person is not the parent's."""
    child = inner({"calls": [{"tool": "agent.do", "id": "x"}]}, answers=[{"answer": "once", "by": "kim"}])
    seen = played(begins(child), rules=())
    assert "agent.do (x) allow policy:default+resolver:kim" in seen.decided


# -- ends --------------------------------------------------------------------------------------------------------------


def test_a_caller_who_gives_up_ends_every_session_properly() -> None:
    """Innermost first, each with its session-end, and each of those chains is asked."""
    slow = {"messages": [{"text": "x"}], "turns": [{"says": "a", "takes_ms": 5000}]}
    seen = played(begins(slow, inner(begins(slow))), gives_up_ms=20, chains={"session-end": "A:o ack"})
    assert seen.took_ms == 20
    ends = {each["session_id"]: each["status"] for each in seen.payloads("session-end")}
    assert ends == dict.fromkeys(("s", "s/c1", "s/c2", "s/c2/c1"), "SESSION_STATUS_CANCELLED")
    assert list(ends)[-1] == "s"
    assert sum(isinstance(each, Asked) for each in seen.facts) == 4
    assert sum(isinstance(each, Entered) for each in seen.facts) == sum(isinstance(each, Left) for each in seen.facts)
    assert seen.metrics["sessions.active"] == {"": 0}


def test_a_session_inside_that_fails_fails_its_call_only() -> None:
    """An aborted chain in the child is the end of the child."""
    child = inner({"fails": ["auth"]})
    seen = played(begins(child), "fs.read d")
    assert known(seen)["s/c1"]["session.status"] == "failed"
    assert known(seen)["s"]["session.status"] == "completed"
    [error] = [each["error"] for each in seen.payloads("post-tool-call") if "error" in each]
    assert error["message"].startswith("session s/c1 ended failed: the model failed with auth")


# -- what cannot be played ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("child", "words"),
    [
        (inner(profile="tset"), "no agent_profile 'tset'; did you mean 'test'?"),
        (inner(begins(inner(profile="nobody"))), "no agent_profile 'nobody'"),
        ({"turns": []}, "missing required field `messages`"),
        (inner({"calls": [{"tool": "fs.read", "sesion": {}}]}),
         "$.turns[0].calls[0].session.turns[0].calls[0]: no key 'sesion'; did you mean 'session'?"),
        (inner({"calls": [{"tool": "fs.read", "id": "x"}, {"tool": "fs.read", "id": "x"}]}),
         "$.turns[0].calls[0].session.turns: the call id 'x' is used 2 times"),
        (inner(context=[{"name": "a"}, {"name": "a"}]), "$.turns[0].calls[0].session.context: 'a' is there 2 times"),
    ],
)  # fmt: skip
def test_a_mistake_inside_is_told_before_anything_happens(child: dict[str, Any], words: str) -> None:
    """With its whole path, or the name that is not there."""
    with pytest.raises(BadInput) as refused:
        played(begins(child))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        ([begins(inner(session="s"))], "$.turns[0].calls[0].session: the session id 's' is that of $.session"),
        ([begins(inner(session="k"), inner(session="k"))],
         "$.turns[0].calls[1].session: the session id 'k' is that of $.turns[0].calls[0].session"),
        ([begins(inner(session="s/c2"), inner())], "the session id 's/c2' is that of $.turns[0].calls[0].session"),
        ([begins(inner(begins(inner(session="s/c1"))))],
         "$.turns[0].calls[0].session.turns[0].calls[0].session: the session id 's/c1' is that of"),
        ([begins(inner(session="root"))], "the session id 'root' is that of $.parent"),
        ([{"calls": [{"tool": "fs.read", "id": "call-1.2"}, {"tool": "fs.read"}]}],
         "$.turns: the call id 'call-1.2' is used 2 times"),
        ([begins(inner(context=[{"name": ""}]))], "session.context[0].name: the name of a context provider"),
    ],
)  # fmt: skip
def test_no_two_sessions_and_no_two_calls_have_the_same_id(turns: list[Any], words: str) -> None:
    """Stated or given: spans, hooks and the story could not tell them apart."""
    with pytest.raises(BadInput) as refused:
        load(session(*turns, tools=TOOLS, parent="root"), "x")
    assert words in str(refused.value)


def test_calls_of_different_sessions_may_have_the_same_id() -> None:
    """They are told apart by their sessions; and so are the sessions that they begin."""
    described = load(session(begins(inner(begins(inner())), inner(begins(inner()))), tools=TOOLS, parent="root"), "x")
    assert len(described.turns) == 2


@pytest.mark.parametrize("more", [{"error": {"message": "no"}}, {"takes_ms": 5}])
def test_a_call_that_begins_a_session_ends_as_that_does(more: dict[str, Any]) -> None:
    """It has no error and no time of its own."""
    turn = begins(inner())
    turn["calls"][0] |= more
    with pytest.raises(BadInput, match=r"\$.turns\[0\].calls\[0\]: it begins a session"):
        load(session(turn, tools=TOOLS), "x")


@pytest.mark.parametrize("levels", [32, 100, 200, 400])
def test_sessions_that_are_nested_without_end_are_refused(levels: int) -> None:
    """A sentence, not a traceback; 32 below the outermost are as many as are read."""
    with pytest.raises(BadInput, match="nested too deeply"):
        load(session(begins(nested(levels)), tools=TOOLS), "x")
    assert len(known(played(begins(nested(31))))) == 33
