"""Further vectors of played sessions, from the prose of spec D.2 to D.8: rows that no printed vector stands on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from rig_played import Run, Story, around, call, guard, play, session, turn

from kernel.asking import Answer, Question
from kernel.dialects.rig import BACKGROUND, Denial, GuardError, Rig, new_denial, with_cancel
from kernel.dialects.rig.context import Canceled, without_cancel
from kernel.dialects.rig.session.choices import Compacting, Dependency, Failing
from kernel.dialects.rig.session.errors import ErrorKind
from kernel.values import JSON

OPERATIONS = ("Turn", "Step", "Inference", "Compaction", "ToolCall", "GateWait", "ToolExecution", "JournalAppend")
SOON, LATER = 100_000, 600_000
"""Milliseconds on virtual time, which passes like real time while callbacks run."""
MINE = "3f1c2b84-0d2e-4a55-9a6e-5b1f6f0c1d20"
"""Identity of a record."""


class Says:
    """Answers every question the same."""

    def __init__(self, *, allows: bool) -> None:
        self._allows = allows

    async def resolve(self, question: Question) -> Answer:
        return Answer(allows=self._allows, by="dana")


def seen(view: Mapping[str, JSON], *hooks: Any, allows: bool = True, **options: Any) -> tuple[Run, Story]:
    """A session under an around for every operation, which keeps the results, and further hooks."""
    story = Story()
    run = play(view, [*story.watching(*OPERATIONS), *hooks], resolver=Says(allows=allows), **options)
    return run, story


def outcomes(run: Run, *operations: str) -> list[list[str]]:
    return [run.outcomes(each) for each in operations]


def texts(run: Run) -> list[str]:
    """Everything that was told of the calls' results."""
    return [str(each["preview"]) for each in run.told("ToolCallCompleted")]


# -- D.4: requests, steps, turns -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fails", "kind", "expected"),
    [
        (Failing.OPEN, "plain", ("failed", "failed", "failed")),
        (Failing.CUT, "plain", ("failed", "failed", "failed")),
        (Failing.EMPTY, "plain", ("failed", "failed", "failed")),
        (Failing.RAISES, "plain", ("failed", "failed", "failed")),
        (Failing.ASSEMBLY, "plain", ("failed", "failed", "failed")),
        (Failing.LIMIT, "plain", ("completed", "failed", "failed")),
        (Failing.OUTPUT_RULE, "plain", ("completed", "failed", "failed")),
        (Failing.OPEN, "canceled", ("canceled", "canceled", "canceled")),
        (Failing.CUT, "deadline", ("canceled", "canceled", "canceled")),
        (Failing.OPEN, "malformed_denial", ("failed", "failed", "failed")),
        (Failing.OPEN, "guard", ("failed", "failed", "failed")),
        (Failing.CUT, "hostile", ("failed", "failed", "failed")),
        (Failing.OPEN, "denial", ("denied", "denied", "denied")),
        (Failing.LIMIT, "deadline", ("completed", "canceled", "canceled")),
    ],
)
def test_a_request_that_fails(fails: Failing, kind: str, expected: tuple[str, str, str]) -> None:
    """D.4 by the classifier of D.2: what the error holds decides for the request, its step and its turn."""
    run, story = seen(session(turn({"fails": fails.value, "error": "it failed", "error_kind": kind, "says": "half"})))
    assert outcomes(run, "Inference", "Step", "Turn") == [[each] for each in expected]
    [inference], [step] = story.results["Inference"], story.results["Step"]
    assert (inference.err is None) == (expected[0] == "completed")
    assert step.err is not None
    if fails is Failing.RAISES:
        assert str(inference.err) == "loop: operation 3 panicked"
    payload = inference.inference
    assert (payload.stream_result is not None) == (expected[0] == "completed")  # a clean end only
    assert (payload.ai_message is not None) == (fails in (Failing.CUT, Failing.LIMIT, Failing.OUTPUT_RULE))


@pytest.mark.parametrize(
    ("says", "turn_text", "inference"),
    [
        (new_denial("policy.blocked", "secret reason"), "loop: operation 3 denied by hook policy", "denied"),
        (RuntimeError("secret"), "loop: operation 3 blocked by hook failure", "failed"),
        (Denial("BAD", "secret"), "loop: operation 3 blocked by hook failure", "failed"),
        (Canceled(), "loop: operation 3 blocked by hook failure", "failed"),
    ],
)
def test_a_request_that_a_guard_blocks(says: object, turn_text: str, inference: str) -> None:
    """D.3: the step and the turn fail, whoever blocked it; no stream is opened, and nobody is told why."""
    run, story = seen(session(turn({"says": "never"})), guard("Inference", lambda context, asked: says))
    assert outcomes(run, "Inference", "Step", "Turn") == [[inference], ["failed"], ["failed"]]
    [turned] = story.results["Turn"]
    assert str(turned.err) == turn_text
    assert [each["error"] for each in run.told("TurnFailed")] == [turn_text]
    assert "secret" not in str([each.attributes for each in run.facts if hasattr(each, "attributes")])
    [asked] = story.results["Inference"]
    assert isinstance(asked.err, Denial if inference == "denied" else GuardError)
    assert (asked.inference.ai_message, asked.inference.stream_result) == (None, None)


@pytest.mark.parametrize(
    ("changes", "step", "turned", "error"),
    [
        ({"commit": "refused", "commit_error": "no room"}, "failed", "canceled", "no room"),
        ({"commit": "cancelled", "commit_error": "gone"}, "canceled", "canceled", "gone"),
        ({"commit": "raises", "commit_error": "secret"}, "failed", "failed", "loop: operation 2 panicked"),
        ({"admission_raises": "secret", "calls": [call()]}, "failed", "failed", "loop: operation 2 panicked"),
    ],
)
def test_a_step_that_is_not_committed(changes: dict[str, JSON], step: str, turned: str, error: str) -> None:
    """D.4: refused is failed and its turn interrupted; cancelled is canceled; what it raised is told nowhere."""
    run, story = seen(session(turn({"says": "hi", **changes})))
    assert outcomes(run, "Inference", "Step", "Turn") == [["completed"], [step], [turned]]
    [ended] = story.results["Step"]
    assert str(ended.err) == error
    assert story.told.count("Step.f") == story.told.count("Step.b") == 1
    if turned == "canceled":
        assert (len(run.told("TurnInterrupted")), len(run.told("TurnFailed"))) == (1, 0)
        assert isinstance(story.results["Turn"][0].err, Canceled)
    assert "secret" not in str([each.attributes for each in run.facts if hasattr(each, "attributes")])


@pytest.mark.parametrize(
    ("more", "outcome", "error"),
    [
        ({"unstampable": "no stamp"}, "failed", "no stamp"),
        ({"terminal_fails": "not durable"}, "failed", "not durable"),
        ({"boundary_fails": "behind it"}, "failed", "behind it"),
        ({"boundary_fails": "behind it", "boundary_error_kind": "canceled"}, "canceled", "behind it"),
        ({"terminal_fails": "late", "boundary_error_kind": "deadline"}, "canceled", "late"),
        ({"boundary_fails": "odd", "boundary_error_kind": "denial"}, "denied", "odd"),
        ({"boundary_fails": "odd", "boundary_error_kind": "guard"}, "failed", "odd"),
        ({"interrupted_after_ms": SOON}, "canceled", "context canceled"),
        ({"deadline_ms": SOON}, "canceled", ""),
    ],
)
def test_how_a_turn_ends(more: dict[str, Any], outcome: str, error: str) -> None:
    """D.4: an opening event that cannot be stamped, an end or a boundary that is lost, an interruption."""
    run, story = seen(session(turn({"says": "hi", "takes_ms": LATER}, **more)))
    assert run.outcomes("Turn") == [outcome]
    [ended] = story.results["Turn"]
    assert error in str(ended.err)
    assert ("unstampable" in more) == (run.outcomes("Step") == [])
    assert len(run.told("TurnStarted")) == (0 if "unstampable" in more else 1)


def test_an_interrupted_turn_cancels_what_is_inside_and_ends_durably() -> None:
    """D.4, D.6: Inference, Step and Turn are canceled; the terminal event is not under the cancelled child."""
    run, story = seen(session(turn({"says": "hi", "takes_ms": LATER}, interrupted_after_ms=SOON)))
    assert outcomes(run, "Inference", "Step", "Turn") == [["canceled"]] * 3
    assert all(isinstance(each.err, Canceled) for name in ("Inference", "Turn") for each in story.results[name])
    [told] = run.told("TurnInterrupted")
    assert "cancelled" not in told


# -- D.3, D.4, D.5: calls ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("part", list(Dependency))
def test_a_part_of_the_host_that_raises(part: Dependency) -> None:
    """D.4: the call failed with a fixed error; its siblings and the step go on."""
    view = session(turn({"calls": [call("shell", id="a", raises_in=part.value), call(id="b")]}, {"says": "done"}))
    run, story = seen(view)
    assert outcomes(run, "ToolCall", "Step", "Turn") == [["failed", "completed"], ["completed"] * 2, ["completed"]]
    [failed] = [each for each in story.results["ToolCall"] if each.tool_call.tool_use_id == "a"]
    assert str(failed.err) == "loop: operation 5 panicked"
    assert (failed.tool_call.is_error, failed.tool_call.result_preview) == (True, "error: internal: tool call failed")
    assert run.outcomes("ToolExecution") == ["completed"]
    assert len(run.told("ToolCallStarted")) == len(run.told("ToolCallCompleted")) == 2


@pytest.mark.parametrize(
    ("tool", "more", "text", "permission"),
    [
        ("approved", {}, "ok", ("approve", "access_evaluated")),
        ("denied", {}, "error: permission denied [not authorized]", ("deny", "access_denied")),
        ("scoped", {}, "error: permission denied [out of scope]: outside /tmp", ("deny", "access_denied")),
        ("broken", {}, "error: permission denied [unavailable]", ("deny", "access_error")),
        ("gateless", {}, "error: permission denied [unavailable]", ("deny", "access_gate_missing")),
        ("prompted", {}, "ok", ("approve", "permission_approved")),
        ("unprepared", {}, "error: permission denied: tool has no call preparation", ("", "")),
        ("approved", {"preparation_fails": "no\tway"}, "error: tool preparation failed: no way", ("", "")),
        ("approved", {"args_text": "{"}, "error: invalid tool arguments (not valid JSON)", ("", "")),
        ("nobody's", {}, "error: unknown tool: nobody's", ("", "")),
        ("approved", {"empty": True}, "error: empty result", ("approve", "access_evaluated")),
        ("approved", {"raises": "secret"}, "error: tool panicked", ("approve", "access_evaluated")),
        ("approved", {"error": "it is gone"}, "error: it is gone", ("approve", "access_evaluated")),
    ],
)
def test_what_the_model_reads_of_a_call(
    tool: str, more: dict[str, JSON], text: str, permission: tuple[str, str]
) -> None:
    """D.4, D.5: completed, with an error in the result but for a success, and the reason of the permission."""
    tools: list[JSON] = [
        {"name": "approved"},
        {"name": "denied", "access": "deny"},
        {"name": "scoped", "access": "deny", "refused_as": "out of scope", "access_note": "outside /tmp"},
        {"name": "broken", "access": "error"},
        {"name": "gateless", "access": "gate_missing"},
        {"name": "prompted", "access": "prompt"},
        {"name": "unprepared", "has_preparation": False},
    ]
    run, story = seen({**session(turn({"calls": [call(tool, **more)]})), "tools": tools})
    assert run.outcomes("ToolCall") == ["completed"]
    [ended] = story.results["ToolCall"]
    assert ended.err is None
    assert (ended.tool_call.result_preview, ended.tool_call.is_error) == (text, text != "ok")
    assert ended.tool_call.result.content[0].text == text
    assert (ended.tool_call.permission_effect, ended.tool_call.permission_reason) == permission
    assert texts(run) == [text]
    assert "secret" not in str([each.attributes for each in run.facts if hasattr(each, "attributes")])
    assert len(run.results("GateWait")) == (tool == "prompted")
    assert len(run.results("ToolExecution")) == (permission[0] == "approve")


def test_a_permission_that_is_denied_at_the_gate_completes_wait_and_call() -> None:
    """D.4: a reply completes the wait, whichever; the reason is that of a prompted one."""
    run, story = seen(session(turn({"calls": [call("shell")]})), allows=False)
    assert outcomes(run, "GateWait", "ToolCall", "ToolExecution") == [["completed"], ["completed"], []]
    [waited], [called] = story.results["GateWait"], story.results["ToolCall"]
    assert (waited.gate_wait.answer.action, waited.gate_wait.answer.source.kind) == ("Deny", "user")
    assert called.tool_call.permission_reason == "permission_denied"
    assert called.tool_call.result_preview == "error: permission denied [not authorized]"


@pytest.mark.parametrize(
    ("kind", "execution", "called", "error"),
    [
        ("plain", "failed", "completed", "loop: tool execution failed"),
        ("canceled", "canceled", "completed", "context canceled"),
        ("deadline", "canceled", "completed", "context canceled"),
        ("denial", "denied", "completed", "loop: tool execution failed"),
        ("malformed_denial", "failed", "completed", "loop: tool execution failed"),
        ("guard", "failed", "completed", "loop: tool execution failed"),
        ("hostile", "failed", "completed", "loop: tool execution failed"),
    ],
)
def test_what_a_tool_returns_as_its_error(kind: str, execution: str, called: str, error: str) -> None:
    """D.4: a cancellation is told as a plain one, a denial makes it denied although nothing guards it."""
    run, story = seen(session(turn({"calls": [call(error="it failed", error_kind=kind)]})))
    assert outcomes(run, "ToolExecution", "ToolCall", "Turn") == [[execution], [called], ["completed"]]
    [ended] = story.results["ToolExecution"]
    assert str(ended.err) == error
    assert ended.tool_execution.is_error
    assert story.results["ToolCall"][0].tool_call.is_error


def test_a_tool_error_under_a_cancelled_execution_context_cancels_the_call() -> None:
    """D.4: the call is canceled with the context's error; a success stays a success."""

    def cancelled(context: Any, asked: Any) -> object:
        derived, cancel = with_cancel(context)
        cancel()
        return derived, None

    failing = call(id="a", error="it failed", deaf=True, takes_ms=1)
    fine = call(id="b", deaf=True, takes_ms=1)
    run, story = seen(session(turn({"calls": [failing, fine]})), around("ToolExecution", cancelled))
    ends = [sorted(each) for each in outcomes(run, "ToolCall", "ToolExecution")]  # siblings end in any order
    assert ends == [["canceled", "completed"], ["completed", "failed"]]
    [ended] = [each for each in story.results["ToolCall"] if each.tool_call.tool_use_id == "a"]
    assert isinstance(ended.err, Canceled)
    assert ended.tool_call.result_preview == "error: tool call canceled"


@pytest.mark.parametrize(
    ("says", "outcome", "text"),
    [
        (new_denial("policy.code", "because"), "denied", "error: tool call denied: because"),
        (new_denial("Bad", "secret"), "failed", "error: internal: tool call blocked by hook"),
        (Canceled(), "failed", "error: internal: tool call blocked by hook"),
        (False, "failed", "error: internal: tool call blocked by hook"),
    ],
)
def test_a_call_that_a_guard_blocks(says: object, outcome: str, text: str) -> None:
    """D.3: started and completed all the same; no id of the policy is told; the batch goes on."""

    def check(context: Any, asked: Any) -> object:
        return says if asked.tool_call.tool_use_id == "a" else None

    view = session(turn({"calls": [call("shell", id="a"), call(id="b")]}, {"says": "done"}))
    run, story = seen(view, guard("ToolCall", check))
    assert outcomes(run, "ToolCall", "Step", "Turn") == [[outcome, "completed"], ["completed"] * 2, ["completed"]]
    assert run.results("GateWait") == []
    [ended] = [each for each in story.results["ToolCall"] if each.tool_call.tool_use_id == "a"]
    assert (ended.tool_call.result_preview, ended.tool_call.is_error) == (text, True)
    assert (ended.tool_call.permission_effect, ended.tool_call.permission_reason) == ("", "")
    told = str([each.attributes for each in run.facts if hasattr(each, "attributes")])
    assert ("policy.code" in told, "secret" in told) == (False, False)
    assert len(run.told("ToolCallStarted")) == len(run.told("ToolCallCompleted")) == 2


def test_an_id_that_cannot_be_minted() -> None:
    """D.4: failed with that very error; the identity stays absent."""
    run, story = seen(session(turn({"calls": [call(minting_fails="no entropy")]})))
    [ended] = story.results["ToolCall"]
    assert (run.outcomes("ToolCall"), str(ended.err)) == (["failed"], "no entropy")
    assert int(ended.tool_call.tool_execution_id) == 0
    assert texts(run) == ["error: internal: could not generate call id"]


def test_a_batch_that_is_interrupted() -> None:
    """D.4: calls under way and calls that wait are canceled; every one is finished once."""
    calls = [call(id=f"c{n}", takes_ms=LATER) for n in range(10)]
    run, story = seen(session(turn({"calls": calls}, interrupted_after_ms=SOON)))
    assert run.outcomes("ToolCall") == ["canceled"] * 10
    assert run.outcomes("ToolExecution") == ["canceled"] * 8
    assert outcomes(run, "Step", "Turn") == [["canceled"], ["canceled"]]
    assert all(isinstance(each.err, Canceled) for each in story.results["ToolCall"])


# -- D.4, D.7: gates -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("plain", "failed"),
        ("canceled", "canceled"),
        ("deadline", "canceled"),
        ("denial", "denied"),
        ("guard", "failed"),
    ],
)
def test_a_gate_that_cannot_be_abandoned(kind: str, outcome: str) -> None:
    """D.4: what abandoning failed with is classified; the call goes on as refused."""

    def cancelled(context: Any, asked: Any) -> object:
        derived, cancel = with_cancel(context)
        cancel()
        return derived, None

    odd = {"abandon_fails": "no", "abandon_error_kind": kind}
    run, _ = seen(session(turn({"calls": [call("shell", gate=odd)]})), around("GateWait", cancelled))
    assert outcomes(run, "GateWait", "ToolCall", "Turn") == [[outcome], ["completed"], ["completed"]]
    assert texts(run) == ["error: permission denied [unavailable]"]
    assert run.told("GateClosed") == []


def test_a_wait_of_which_only_its_own_context_ends() -> None:
    """D.7: closed as abandoned under the wait's values and not under its cancellation, and the call is refused."""
    from kernel.dialects.rig import with_value

    def cancelled(context: Any, asked: Any) -> object:
        derived, cancel = with_cancel(with_value(context, "mine", 1))
        cancel()
        return derived, None

    run, story = seen(session(turn({"calls": [call("shell")]})), around("GateWait", cancelled))
    assert outcomes(run, "GateWait", "ToolCall") == [["canceled"], ["completed"]]
    [closed] = run.told("GateClosed")
    assert (closed["reason"], closed["values"], "cancelled" in closed) == ("abandoned", {"mine": 1}, False)
    [waited], [called] = story.results["GateWait"], story.results["ToolCall"]
    assert waited.gate_wait.answer is None
    assert isinstance(waited.err, Canceled)
    assert (called.tool_call.permission_effect, called.tool_call.permission_reason) == ("", "")
    names = run.names
    closing = run.place(lambda event: getattr(event.fact, "name", "") == "GateClosed")
    ending = run.place(lambda event: names.get(event.dispatch) == "GateWait" and type(event.fact).__name__ == "Ended")
    assert closing < ending


def test_a_reply_to_another_gate() -> None:
    """D.4: the wait failed with that; the call goes on as refused."""
    run, story = seen(session(turn({"calls": [call("shell", gate={"mismatch": True})]})))
    assert outcomes(run, "GateWait", "ToolCall", "ToolExecution") == [["failed"], ["completed"], []]
    assert "does not match" in str(story.results["GateWait"][0].err)
    assert texts(run) == ["error: permission denied [unavailable]"]


def test_a_question_of_a_tool_nests_in_its_execution_and_is_waited_for_there() -> None:
    """D.7: GateWait under ToolExecution; the strings of a loop's gate; the answer in its values."""
    run, story = seen(session(turn({"calls": [call(asks={"question": "which?", "answer": "blue"})]})))
    assert ("GateWait", "ToolExecution") in run.parents
    [waited] = story.results["GateWait"]
    shown = waited.gate_wait
    assert (shown.kind, shown.resolver, shown.blocks, shown.effect) == (
        "harness.ask_user", "loop", "tool_call", "resume",
    )  # fmt: skip
    assert (shown.answer.values, shown.answer.source.kind) == ({"answer": "blue"}, "user")
    order = [each for each in story.told if not each.startswith("Journal")]
    places = [order.index(each) for each in ("ToolExecution.b", "GateWait.b", "GateWait.f", "ToolExecution.f")]
    assert places == sorted(places)


# -- D.3, D.4: compactions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ends", [Compacting.INVALID_OUTPUT, Compacting.COUNT_FAILED, Compacting.ERROR, Compacting.RAISES]
)
def test_a_compactor_that_fails(ends: Compacting) -> None:
    """D.4: failed, and no output; whoever waits is told."""
    run, story = seen(session({"compact": {"ends": ends.value, "error": "x" * 3000, "waiters": 2}}))
    assert run.outcomes("Compaction") == ["failed"]
    [ended] = story.results["Compaction"]
    assert ended.compaction.output is None
    assert len(str(ended.err).encode()) <= 1024
    assert (len(run.told("CompactionRejected")), len(run.told("CompactionWaiterRejected"))) == (1, 2)
    if ends is Compacting.RAISES:
        assert str(ended.err) == "loop: operation 4 panicked"


@pytest.mark.parametrize(
    ("says", "reason", "outcome"),
    [(new_denial("a", "x"), 7, "denied"), (RuntimeError("x"), 12, "failed"), (Denial("A", "x"), 12, "failed")],
)
@pytest.mark.parametrize("hard", [0, 100])
def test_a_compaction_that_a_guard_blocks_inside_of_a_turn(says: object, reason: int, outcome: str, hard: int) -> None:
    """D.3: the turn goes on, unless it is at the hard limit already; nothing was started."""
    limits = {"compact_at": 50, "hard": hard}
    run, story = seen(
        session(turn({"says": "hi", "context_tokens": 100}), limits=limits), guard("Compaction", lambda c, a: says)
    )
    assert outcomes(run, "Compaction", "Turn") == [[outcome], ["failed" if hard else "completed"]]
    assert run.told("CompactionStarted") == []
    assert [each["reason"] for each in run.told("CompactionRejected")] == [reason]
    assert len(run.results("Inference")) == (0 if hard else 1)
    assert ("Compaction", "Turn") in run.parents
    assert isinstance(story.results["Compaction"][0].err, Denial if outcome == "denied" else GuardError)


def test_an_idle_compaction_has_no_turn() -> None:
    """A.1, A.5: nothing around it, no id of a turn, and the loop's identity."""
    run, story = seen(session({"compact": {"summary": "short"}}))
    [(operation, parent)] = [each for each in run.parents if each[0] == "Compaction"]
    assert (operation, parent in ("", "session")) == ("Compaction", True)
    [ended] = story.results["Compaction"]
    assert (int(ended.coordinates.turn_id), int(ended.coordinates.loop_id) != 0) == (0, True)
    assert ended.compaction.output.summary.blocks[0].text == "short"


# -- D.8: appends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gives", "record", "outcome"),
    [
        ("same", {}, "completed"),
        ("same", {"fails": "disk full"}, "failed"),
        ("same", {"fails": "disk full", "is_cancelled": True}, "canceled"),
        ("same", {"is_cancelled": True}, "completed"),
        ("detached", {"fails": "disk full", "is_cancelled": True}, "canceled"),
        ("cancelled", {"fails": "disk full"}, "canceled"),
        ("cancelled", {}, "completed"),
        ("raises", {"fails": "disk full"}, "failed"),
        ("raises", {}, "completed"),
    ],
)
def test_an_append(gives: str, record: dict[str, JSON], outcome: str) -> None:
    """D.4: a success is completed whatever the contexts; an error under either cancelled context is canceled."""

    def begin(context: Any, asked: Any) -> object:
        if asked.journal_append.record_id != MINE:
            return context, None
        match gives:
            case "detached":
                return BACKGROUND, None
            case "cancelled":
                derived, cancel = with_cancel(context)
                cancel()
                return derived, None
            case "raises":
                raise RuntimeError("secret")
            case _:
                return context, None

    run, story = seen(session({"append": {"id": MINE, **record}}), around("JournalAppend", begin))
    [mine] = [each for each in story.results["JournalAppend"] if each.journal_append.record_id == MINE]
    place = story.results["JournalAppend"].index(mine)
    assert run.outcomes("JournalAppend")[place] == outcome
    assert str(mine.err) == ("disk full" if "fails" in record else "None")


@pytest.mark.parametrize(
    ("family", "more", "behind"),
    [
        ("event", {}, ""),
        ("event", {"form": "reference"}, ""),
        ("command", {}, ""),
        ("command", {"is_fallback": True}, "/fallback_queued"),
        ("gate_prepared", {}, ""),
    ],
)
def test_the_identity_of_a_record(family: str, more: dict[str, JSON], behind: str) -> None:
    """D.8."""
    _, story = seen(session({"append": {"family": family, "id": MINE, **more}}))
    found = {(each.journal_append.family, each.journal_append.record_id) for each in story.results["JournalAppend"]}
    assert (family, MINE + behind) in found


# -- D.4, E.3: odd contexts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["Turn", "Step", "Inference"])
def test_a_begin_that_cancels_what_follows(operation: str) -> None:
    """E.3 I5: not contained, by design: the body sees it and the operation is canceled."""

    def cancelled(context: Any, asked: Any) -> object:
        derived, cancel = with_cancel(context)
        cancel()
        return derived, None

    run, _ = seen(session(turn({"says": "hi", "takes_ms": 5})), around(operation, cancelled))
    assert run.outcomes(operation) == ["canceled"]
    assert run.outcomes("Turn") == ["canceled"]


def test_a_detached_step_still_ends_with_the_turn() -> None:
    """C.4, D.4: an interruption is heard through a context that keeps neither values nor cancellation."""
    run, _ = seen(
        session(turn({"says": "hi", "takes_ms": LATER}, interrupted_after_ms=SOON)),
        around("Step", lambda context, asked: (without_cancel(BACKGROUND), None)),
    )
    assert outcomes(run, "Inference", "Step", "Turn") == [["canceled"]] * 3
    assert run.took_ms < LATER


@pytest.mark.parametrize("kind", list(ErrorKind))
def test_every_finish_of_everything_ran_once(kind: ErrorKind) -> None:
    """C.5: whatever the errors are, what begins is finished, without the original's leak."""
    steps = [
        {"calls": [call(error="x", error_kind=kind.value), call("shell")]},
        {"fails": "cut", "error_kind": kind.value},
    ]
    _, story = seen(session(turn(*steps)), dialect=Rig())
    for operation in OPERATIONS:
        assert story.told.count(f"{operation}.b") == story.told.count(f"{operation}.f")
