"""Claims about played rig sessions with live callbacks: order, live contexts, what finishes are told, how it ends."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest
from rig_played import WALL_NS, Story, around, call, guard, play, session, turn

from kernel.asking import Answer, Question, ReplyWord, Scope
from kernel.control import Instead, Proceed, Seam, Skip
from kernel.dialects.rig import BACKGROUND, RIG, Canceled, GuardError, new_denial, with_cancel, with_value
from kernel.dialects.rig.host_rules import HOST_RULES
from kernel.facts import Decided, Entered, Raised, Resolved
from kernel.subscriber import Call
from kernel.values import Answered, Ending, Outcome

GATED = {"says": "I look.", "calls": [call("shell", id="c1"), call("read", id="c2")]}
YES = [{"answer": "once", "by": "dana"}] * 3


def same(context: Any, seen: Any) -> object:
    return context, None


# -- order and parents ---------------------------------------------------------------------------------------------


def test_every_operation_lies_where_the_specification_has_it() -> None:
    """D.6, with every operation observed."""
    story = Story()
    run = play(
        session(turn(GATED, {"says": "done"}), answers=YES),
        story.watching("Turn", "Step", "Inference", "ToolCall", "GateWait", "ToolExecution"),
    )
    assert run.parents == [
        ("Turn", "session"),
        ("Step", "Turn"),
        ("Inference", "Step"),
        ("ToolCall", "Step"),
        ("ToolCall", "Step"),
        *sorted([("GateWait", "ToolCall"), ("ToolExecution", "ToolCall")]),
        ("ToolExecution", "ToolCall"),
        ("Step", "Turn"),
        ("Inference", "Step"),
    ]
    told = story.told
    assert told[:6] == ["Turn.b", "Step.b", "Inference.b", "Inference.f", "ToolCall.b", "ToolCall.b"]
    assert told[-4:] == ["Inference.b", "Inference.f", "Step.f", "Turn.f"]


def test_ids_times_and_causes_are_those_of_the_specification() -> None:
    """A.5: who carries what."""
    story = Story()
    play(session(turn(GATED), answers=YES), story.watching("Turn", "Step", "ToolCall", "GateWait", "JournalAppend"))
    [turned], [stepped] = story.results["Turn"], story.results["Step"]
    assert turned.agent_name == stepped.agent_name == "agent"
    assert turned.cause == stepped.cause == story.results["GateWait"][0].cause
    assert turned.cause.agency == 1
    assert turned.coordinates.turn_id == stepped.coordinates.turn_id
    assert int(turned.coordinates.step_id) == 0 != int(stepped.coordinates.step_id)
    assert all(int(each.coordinates.loop_id) == 0 and not each.agent_name for each in story.results["JournalAppend"])
    records = [each.journal_append.record_id for each in story.results["JournalAppend"]]
    assert len(records) == len(set(records))
    executions = {each.tool_call.tool_execution_id for each in story.results["ToolCall"]}
    assert len(executions) == 2


def test_an_end_is_never_before_its_beginning() -> None:
    """Vector 185: the loop's clock is a day ahead, and the end is read off the wall."""
    story = Story()
    ahead = 24 * 3_600_000
    play(session(turn({"says": "hi"}), loop_clock_ahead_ms=ahead), story.watching("Turn", "Step", "JournalAppend"))
    for operation in ("Turn", "Step"):
        [result] = story.results[operation]
        assert result.ended_at == result.started_at >= WALL_NS + ahead * 1_000_000
    assert all(each.ended_at < story.results["Turn"][0].started_at for each in story.results["JournalAppend"])


def test_a_batch_begins_whole_before_any_of_it_proceeds() -> None:
    """Guards included; then calls overlap."""
    story = Story()

    def check(context: Any, seen: Any) -> object:
        story.told.append(f"check {seen.tool_call.tool_use_id}")
        return None

    calls = [call(id=f"c{n}", takes_ms=50 - n) for n in range(10)]
    run = play(
        session(turn({"calls": calls})), [*story.watching("ToolCall", "ToolExecution"), guard("ToolCall", check)]
    )
    assert story.told[:20] == [part for n in range(10) for part in ("ToolCall.b", f"check c{n}")]
    assert story.told[20:28] == ["ToolExecution.b"] * 8
    assert "ToolExecution.f" in story.told[28:30]
    assert run.took_ms >= 43 + 42  # two of the ten wait for a slot


# -- contexts ------------------------------------------------------------------------------------------------------


def test_live_objects_come_down_as_they_are() -> None:
    """A value that is no JSON is the same object everywhere inside, and a lock is still a lock."""
    lock = threading.Lock()
    seen: dict[str, object] = {}

    def keep(operation: str) -> Callable[..., object]:
        def begin(context: Any, call: Any) -> object:
            seen[operation] = context.value("lock")
            return context, None

        return begin

    inside = ("Step", "Inference", "ToolCall", "GateWait", "ToolExecution")
    hooks = [around("Turn", lambda context, call: (with_value(context, "lock", lock), None))]
    play(session(turn(GATED), answers=YES), [*hooks, *(around(each, keep(each)) for each in inside)])
    assert seen == dict.fromkeys(inside, lock)


def test_a_context_that_is_cancelled_above_is_heard_below() -> None:
    """By another thread, while an operation inside waits: the very signal comes down."""
    cancels: list[Callable[[], None]] = []

    def begin(context: Any, seen: Any) -> object:
        mine, cancel = with_cancel(context)
        cancels.append(cancel)
        return mine, None

    def cancel_all(context: Any, seen: Any) -> object:
        threading.Thread(target=cancels[0]).start()
        return context, None

    run = play(
        session(turn({"says": "hi", "takes_ms": 600_000})), [around("Turn", begin), around("Inference", cancel_all)]
    )
    assert (run.outcomes("Inference"), run.outcomes("Step")) == (["canceled"], ["canceled"])


def test_after_its_finish_a_linked_context_is_over_and_nothing_else() -> None:
    """C.4: the step's own context is released with the step; what the turn does then is under the turn's."""
    kept: list[Any] = []

    def step(context: Any, seen: Any) -> object:
        mine, cancel = with_cancel(context)
        kept.append(mine)
        return mine, lambda result: cancel()

    folds = {"says": "a", "calls": [call()], "queued": ["more"]}
    run = play(
        session(turn(folds, {"says": "b"})),
        [around("Turn", lambda context, seen: (with_value(context, "turn", 1), None)), around("Step", step)],
    )
    assert len(kept) == 2
    assert all(isinstance(each.err(), Canceled) for each in kept)
    [fold] = run.told("InputFolded")
    assert fold["values"] == {"turn": 1}
    assert "cancelled" not in fold
    assert run.outcomes("Turn") == ["completed"]


def test_a_detached_context_over_a_gate_still_ends_with_the_turn() -> None:
    """D.7: whatever the observer gave."""

    class Slow:
        async def resolve(self, question: Question) -> Answer:
            import asyncio

            return await asyncio.get_running_loop().create_future()  # type: ignore[no-any-return]

    detached = around("GateWait", lambda context, seen: (with_value(BACKGROUND, "x", 1), None))
    run = play(session(turn(GATED, interrupted_after_ms=30)), [detached], resolver=Slow())
    assert run.outcomes("GateWait") == ["canceled"]
    assert run.outcomes("ToolCall") == ["canceled", "completed"]


# -- what finishes are told ------------------------------------------------------------------------------------------


def test_finishes_are_told_the_very_error() -> None:
    """One object for all of them; for a failed guard it holds what the guard returned."""
    errors: list[BaseException] = []

    def begin(context: Any, seen: Any) -> object:
        return context, lambda result: errors.append(result.err)

    hooks = [around("Inference", begin), around("Inference", begin)]
    play(session(turn({"fails": "open", "error": "no route"})), hooks)
    assert errors[0] is errors[1]
    assert str(errors[0]) == "no route"
    errors.clear()
    play(session(turn({"says": "hi"})), [*hooks, guard("Inference", lambda context, seen: ValueError("secret"))])
    assert errors[0] is errors[1]
    assert isinstance(errors[0], GuardError)
    assert "secret" not in str(errors[0])


def test_a_blocked_call_is_told_whole_to_its_finish() -> None:
    """D.3: the denial as the error, and the text that the model reads as result."""
    story = Story()
    run = play(
        session(turn({"calls": [call(id="c1")]}, {"says": "x"})),
        [*story.watching("ToolCall"), guard("ToolCall", lambda context, seen: new_denial("policy.x", "not today"))],
    )
    assert [each.rule for each in run.facts if isinstance(each, Resolved)].count("RG-OWNER-BLOCKED") == 1
    [result] = story.results["ToolCall"]
    assert (result.outcome, result.err.code) == (2, "policy.x")
    assert result.tool_call.result_preview == "error: tool call denied: not today"
    assert result.tool_call.is_error
    names = run.names
    order = [
        name if kind == "event" else kind
        for event in run.events
        if (kind := names.get(event.dispatch, "")) in ("event",)
        and isinstance(event.fact, Entered)
        and (name := event.fact.name)
    ]
    assert order.index("ToolCallStarted") < order.index("ToolCallCompleted") < order.index("StepDone")


def test_a_gate_asks_in_its_own_words_and_keeps_no_answer() -> None:
    """A permission is approved or denied, a tool's question answered or declined; this once, whatever is answered."""
    asked: list[Question] = []

    class Keeps:
        async def resolve(self, question: Question) -> Answer:
            asked.append(question)
            return Answer(True, Scope.ALWAYS, "dana")

    calls = [call("shell"), call(asks={"question": "Which one?"})]
    run = play(session(turn({"calls": calls}, {"calls": [call("shell")]})), resolver=Keeps())
    assert [(each.wording, each.yes, each.no) for each in asked] == [
        ("", "approve", "deny"), ("Which one?", "answer", "decline"), ("", "approve", "deny"),
    ]  # fmt: skip
    assert {tuple(each.replies) for each in asked} == {(ReplyWord.ONCE, ReplyWord.DENY)}
    assert run.outcomes("GateWait") == ["completed"] * 3


def test_what_a_callback_does_to_its_copy_changes_nothing() -> None:
    """The operation, the conversation and the next request are as they were."""

    def scribble(context: Any, seen: Any) -> object:
        seen.inference.request.messages.clear()
        return context, lambda result: result.inference.ai_message.blocks.clear()

    run = play(session(turn(GATED, {"says": "done"}), answers=YES), [around("Inference", scribble)])
    view: Any = run.results("Inference")[1].payload.view  # type: ignore[union-attr]
    messages = view["Inference"]["Request"]["Messages"]
    assert [each["Role"] for each in messages] == ["user", "assistant", "tool", "tool"]


def test_a_finish_that_raises_is_logged_and_nothing_else(caplog: pytest.LogCaptureFixture) -> None:
    """In the middle of a session as anywhere: the operation's outcome is what it was."""

    def begin(context: Any, seen: Any) -> object:
        def finish(result: Any) -> None:
            raise RuntimeError("secret")

        return context, finish

    with caplog.at_level(logging.ERROR):
        run = play(session(turn({"says": "hi"})), [around("Step", begin)])
    assert run.outcomes("Step") == run.outcomes("Turn") == ["completed"]
    [result] = run.results("Step")
    assert result.extras["log"] == [{"message": "hook: finish callback panicked", "operation": 2, "callback_index": 0}]


# -- loops that tools start ------------------------------------------------------------------------------------------


CHILD: dict[str, Any] = {"task": "look", "agent": "scout", "steps": [{"calls": [call()]}, {"says": "found it"}]}


def test_a_loop_that_a_tool_starts_has_the_hooks_too() -> None:
    """D.9, A.5: a turn of its own under no other, caused by the loop around it; its last words are the result."""
    story = Story()
    run = play(session(turn({"calls": [call(spawns=CHILD)]}, {"says": "thanks"})), story.watching("Turn", "ToolCall"))
    assert [parent for point, parent in run.parents if point == "Turn"] == ["session", "session"]
    child, parent = story.results["Turn"]
    assert (child.agent_name, parent.agent_name) == ("scout", "agent")
    assert child.cause.coordinates.loop_id == parent.coordinates.loop_id != child.coordinates.loop_id
    assert (child.cause.agency, parent.cause.agency) == (0, 1)
    assert story.results["ToolCall"][-1].tool_call.result_preview == "found it"
    assert run.played is not None
    assert run.played.totals["turns completed"] == 2


def test_a_loop_that_a_tool_starts_ends_with_its_tool() -> None:
    """Interrupted by whatever ends the wait for it; and a refusal of its turn is the tool's error."""
    slow = {**CHILD, "steps": [{"says": "late", "takes_ms": 900}]}
    run = play(session(turn({"calls": [call(spawns=slow)]}, interrupted_after_ms=30)))
    assert run.outcomes("Turn") == ["canceled", "canceled"]
    assert (run.outcomes("ToolExecution"), run.took_ms) == (["canceled"], 30)

    def check(context: Any, seen: Any) -> object:
        return new_denial("a", "b") if seen.agent_name == "scout" else None

    run = play(session(turn({"calls": [call(spawns=CHILD)]}, {"says": "x"})), [guard("Turn", check)])
    assert sorted(run.outcomes("Turn")) == ["completed", "denied"]
    assert run.outcomes("ToolExecution") == ["failed"]


def test_a_foreign_loop_that_a_tool_starts_dispatches_nothing() -> None:
    """D.9."""
    story = Story()
    run = play(session(turn({"calls": [call(spawns={**CHILD, "engine": "foreign"})]})), story.watching("Turn"))
    assert story.told == ["Turn.b", "Turn.f"]
    assert "RG-FOREIGN" in run.rules


# -- ends ------------------------------------------------------------------------------------------------------------


def test_a_callback_that_ends_its_thread_ends_the_session() -> None:
    """C.7: it is not contained; whoever waits for that thread waits for ever, so the session cannot go on."""

    def leave(context: Any, seen: Any) -> object:
        raise SystemExit

    run = play(session(turn({"says": "hi"}), turn({"says": "again"})), [around("Step", leave)])
    assert run.played is not None
    assert (run.played.status, run.played.is_fine) == ("failed", False)
    assert [each.ending for each in run.results("Turn")] == [Ending.ABORTED]
    assert run.rules[-1] == "RG-THREAD-ENDED"


def test_a_caller_that_gives_up_ends_everything() -> None:
    """The dispatches that are open end as cancelled, and the session says so."""
    run = play(session(turn({"calls": [call(takes_ms=500), call(takes_ms=500)]})), gives_up_ms=20)
    assert run.played is not None
    assert (run.played.status, run.took_ms) == ("cancelled", 20)
    for operation in ("Turn", "Step", "ToolCall", "ToolExecution"):
        assert {each.ending for each in run.results(operation)} == {Ending.CANCELLED}
    begun = [each for each in run.facts if isinstance(each, Entered) and each.kind == "session"]
    assert len(begun) == 1


def test_a_turn_that_is_over_leaves_nothing_open() -> None:
    """As many ends as beginnings, of dispatches and stretches, and no late fact behind the session's end."""
    run = play(session(turn(GATED, killed_after_ms=10), answers=[{"answer": "once", "takes_ms": 9000}]))
    from kernel.facts import Ended, Left, Opened

    of = [type(each) for each in run.facts]
    assert of.count(Opened) == of.count(Ended)
    assert of.count(Entered) == of.count(Left)
    assert of[-1] is Left


def test_the_leak_is_a_broken_rule_and_needs_its_switch() -> None:
    """Vector 189: begins of Step, Inference and ToolCall; finishes of Inference only."""
    leaky = turn({"calls": [call("shell", gate={"capture_fails": "no snapshot"})]})
    for is_on in (False, True):
        story = Story()
        run = play(
            session(leaky), story.watching("Step", "Inference", "ToolCall"), dialect=RIG.switched("capture_leak", is_on)
        )
        begins = ["Step.b", "Inference.b", "Inference.f", "ToolCall.b"]
        assert story.told == (begins if is_on else [*begins, "ToolCall.f", "Step.f"])
        assert run.outcomes("Turn") == ["failed"]
        broken = [each.rule for each in run.facts if isinstance(each, Raised)]
        assert broken == (["RG-NEVER-FINISHED"] * 2 if is_on else [])


# -- somebody steers -------------------------------------------------------------------------------------------------


class Hand:
    """Does one thing at the first seam before the operation itself of a kind."""

    def __init__(self, operation: str, directive: Any) -> None:
        self._operation = operation
        self._directive = directive

    async def before(self, seam: Seam) -> Any:
        ask = seam.ask
        if (ask.subscription.point, ask.subscription.mode) == (self._operation, "operation"):
            return self._directive
        return Proceed()

    async def after(self, seam: Seam) -> Any:
        return Proceed()


FAILED = Instead(Answered(b'{"error":{"type":"X","message":"as told"}}'))


@pytest.mark.parametrize(
    ("operation", "directive", "outcome", "turns"),
    [
        ("Turn", Skip(), "completed", "completed"),
        ("Turn", FAILED, "failed", "failed"),
        ("Step", FAILED, "failed", "failed"),
        ("Inference", Skip(), "completed", "completed"),
        ("Inference", FAILED, "failed", "failed"),
        ("ToolCall", Skip(), "completed", "completed"),
        ("ToolCall", FAILED, "failed", "completed"),
        ("GateWait", Skip(), "completed", "completed"),
        ("GateWait", FAILED, "failed", "completed"),
        ("ToolExecution", FAILED, "failed", "completed"),
        ("Compaction", Skip(), "completed", "completed"),
        ("Compaction", FAILED, "failed", "completed"),
        ("JournalAppend", Skip(), "completed", "completed"),
    ],
)
def test_somebody_else_may_play_an_operation(operation: str, directive: Any, outcome: str, turns: str) -> None:
    """Its owner takes what it came to; the session goes on accordingly, to its end."""
    view = session(turn({"calls": [call("shell")]}, {"says": "x", "context_tokens": 50}), limits={"compact_at": 10})
    run = play({**view, "answers": YES}, [around("JournalAppend", same)], control=Hand(operation, directive))
    assert set(run.outcomes(operation)) == {outcome}
    assert run.outcomes("Turn") == [turns]
    assert run.played is not None
    assert run.played.status == "completed"


# -- rules -------------------------------------------------------------------------------------------------------------


RULES: dict[str, dict[str, Any]] = {
    "RG-TURN-BLOCKED": {"view": session(turn()), "hooks": [guard("Turn", lambda c, s: new_denial("a", "b"))]},
    "RG-INFERENCE-BLOCKED": {"view": session(turn()), "hooks": [guard("Inference", lambda c, s: new_denial("a", "b"))]},
    "RG-CALL-DENIED": {
        "view": session(turn({"calls": [call()]})),
        "hooks": [guard("ToolCall", lambda c, s: new_denial("a", "b"))],
    },
    "RG-CALL-BLOCKED": {"view": session(turn({"calls": [call()]})), "hooks": [guard("ToolCall", lambda c, s: "no")]},
    "RG-COMPACTION-BLOCKED": {
        "view": session({"compact": {}}),
        "hooks": [guard("Compaction", lambda c, s: new_denial("a", "b"))],
    },
    "RG-ERROR-DECIDES": {"view": session(turn({"fails": "cut", "error_kind": "deadline"}))},
    "RG-COMMIT-REFUSED": {"view": session(turn({"commit": "refused"}))},
    "RG-RAISE-GOES-ON": {"view": session(turn({"commit": "raises"}))},
    "RG-CAPTURE-FAILED": {"view": session(turn({"calls": [call("shell", gate={"capture_fails": "x"})]}))},
    "RG-CAPTURE-LEAK": {
        "view": session(turn({"calls": [call("shell", gate={"capture_fails": "x"})]})),
        "dialect": RIG.switched("capture_leak", True),
    },
    "RG-HARD-KILL": {"view": session(turn({"calls": [call(takes_ms=9000, deaf=True)]}, killed_after_ms=1))},
    "RG-HARD-LIMIT": {
        "view": session(
            turn({"context_tokens": 9}),
            limits={"compact_at": 5, "hard": 5},
            compactions=[{"ends": "error"}],
        )
    },
    "RG-ACCESS": {"view": session(turn({"calls": [call()]}))},
    "RG-GATE-ANSWERED": {"view": session(turn({"calls": [call("shell")]}))},
    "RG-GATE-MISMATCH": {"view": session(turn({"calls": [call("shell", gate={"mismatch": True})]}))},
    "RG-GATE-ABANDONED": {
        "view": session(turn({"calls": [call("shell")]}), answers=[{"answer": "once", "takes_ms": 5}]),
        "hooks": [around("GateWait", lambda c, s: (_cancelled(c), None))],
    },
    "RG-VALUES-LOST": {
        "view": session(turn({"calls": [call(asks={"question": "?"})]})),
        "hooks": [around("ToolExecution", lambda c, s: (BACKGROUND, None))],
    },
    "RG-EXECUTION-DENIED": {"view": session(turn({"calls": [call(error="x", error_kind="denial")]}))},
    "RG-COMPACTION-SEALED": {"view": session({"compact": {"cancelled_after_ms": 1, "takes_ms": 5}})},
    "RG-HUSTLE": {"view": session({"compact": {"hustle": True}})},
    "RG-JOURNAL-WRAPPED": {"view": session(), "hooks": [around("JournalAppend", same)]},
    "RG-JOURNAL-PASSES": {"view": session({"append": {}})},
    "RG-JOURNAL-BYPASS": {"view": session({"append": {"form": "zero"}})},
    "RG-FENCE": {"view": session(fence="skips")},
    "RG-DRIFT": {"view": session(restored={"policy_revision": "v1"})},
    "RG-REPLAY": {"view": session(restored={})},
    "RG-FOREIGN": {"view": session(turn(), engine="foreign")},
}


def _cancelled(context: Any) -> Any:
    mine, cancel = with_cancel(context)
    cancel()
    return mine


@pytest.mark.parametrize("rule", [each.id for each in HOST_RULES])
def test_a_rule_of_the_host_is_cited_where_it_applies(rule: str) -> None:
    """Each of them, once its case is there; and every rule that is cited is one of the table."""
    case = RULES[rule]
    run = play(case["view"], case.get("hooks", ()), dialect=case.get("dialect", RIG))
    assert rule in run.rules
    assert set(run.rules) <= RIG.rules.keys()


def test_the_first_measurement_is_the_loops_and_later_ones_are_the_turns() -> None:
    """D.6 rows 3 and 16: never the finished step's."""
    steps = [{"calls": [call("read", id=str(number))]} for number in range(2)]
    run = play(session(turn(*steps, {"says": "done"})), Story().watching("Turn", "Step"))
    names = run.names
    measured = [
        names[each.parent]
        for each in run.facts
        if isinstance(each, Entered) and each.name == "ContextMeasured"
    ]  # fmt: skip
    assert measured == ["session", "Turn", "Turn"]


def test_what_was_never_sent_is_no_request() -> None:
    """It is blocked before anything is opened."""
    denying = guard("Inference", lambda context, seen: new_denial("policy.blocked", "no"))
    run = play(session(turn({"says": "done"})), [denying], revision="v1")
    assert run.played is not None
    assert run.played.totals.get("requests", 0) == 0
    assert run.outcomes("Inference") == ["denied"]
    assert play(session(turn({"says": "done"}))).played.totals["requests"] == 1  # type: ignore[union-attr]


def test_the_log_counts_on_where_a_record_names_no_number() -> None:
    """And takes the number that is named."""
    run = play(session({"append": {}}, {"append": {"sequence": 77}}, {"append": {}}))
    told = [each.decision for each in run.facts if isinstance(each, Decided) and each.subject.startswith("append")]
    first = int(told[0].removeprefix("sequence "))
    assert first > 1
    assert told == [f"sequence {first}", "sequence 77", "sequence 78"]


def test_values_that_cannot_be_shown_come_down_as_they_are() -> None:
    """Spec C.4: a session goes on whatever somebody keeps in a context."""
    stats: dict[str, Any] = {"best": math.inf}
    stats["me"] = stats
    seen: list[object] = []

    def looking(context: Any, called: Any) -> object:
        seen.append(context.value("stats"))
        return context, None

    keeping = around("Turn", lambda context, called: (with_value(context, "stats", stats), None))
    run = play(session(turn(GATED, {"says": "done"}), answers=YES), [keeping, around("ToolExecution", looking)])
    assert run.played is not None
    assert run.played.is_fine
    assert seen
    assert all(each is stats for each in seen)


def test_a_set_that_cannot_be_compiled_ends_the_session() -> None:
    """At the first operation that a callback is missing for; the operation does not happen."""
    absent = {"G0": Absent()}
    run = play(session(turn({"says": "done"})), [guard("Inference", print)], others=absent, revision="v1")
    assert run.played is not None
    assert run.played.status == "failed"
    assert "no server" in run.played.why
    assert not run.played.is_fine


class Absent:
    """Stands in for a callback that could not be loaded, as a host has it."""

    absent = "no server"

    async def answer(self, call: Call) -> Outcome:
        raise AssertionError("nobody asks it")
