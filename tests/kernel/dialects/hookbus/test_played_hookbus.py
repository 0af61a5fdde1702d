"""Claims about played sessions: which events are emitted in which order, and what the host makes of the answers."""

from __future__ import annotations

from typing import Any

import pytest
from hookbus_played import Run, bash, play, session, turn
from hookbus_runs import HANG, I1, PANIC, TI, TX, H

from kernel.asking import Answer, Question, Scope
from kernel.clock import sleep
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.kinds import KINDS
from kernel.facts import Asked
from kernel.subscriber import Call
from kernel.values import JSON, Answered, Crashed, Delivery, Failed, Outcome, TimedOut

BOTH: dict[str, JSON] = {"permissions": [TI, TX]}
CONFIRMS = H("A", {"confirm": "sure?"})


def confirming(*steps: JSON, **more: Any) -> Run:
    """A session in which A wants each call of a tool confirmed."""
    given = {key: more.pop(key) for key in ("answers", "host", "latch", "auto_approve") if key in more}
    return play(session(*steps, **given), {"before_tool_call": (CONFIRMS,)}, **more)


# -- the order ---------------------------------------------------------------------------------------------------


def test_a_session_goes_through_its_events_in_order() -> None:
    """A turn with a call has two requests; the second one's newest user message has no text, so nothing is emitted."""
    run = play(session(turn(bash())))
    assert run.points == [
        "on_session_start",
        "before_message",
        "on_message_complete",
        "before_tool_call",
        "after_tool_call",
        "on_message_complete",
        "on_session_end",
    ]
    assert run.played is not None
    assert (run.played.is_fine, run.played.status) == (True, "completed")
    assert dict(run.played.totals) == {"requests": 2, "tool_calls": 1, "turns": 1}
    assert "HB-MESSAGE-NO-TEXT" in run.rules


def test_events_have_the_fields_of_their_kind() -> None:
    """And those of the table only."""
    view = session(
        turn(bash("ls", "out", id="c1"), says="done"),
        {"compaction": {"summary": "all", "session": "s2", "data": {"k": 1}}},
    )
    run = play(view)
    [before], [after] = run.emitted("before_tool_call"), run.emitted("after_tool_call")
    assert (before["tool_name"], before["tool_input"], before["session_id"]) == ("bash", {"command": "ls"}, "s1")
    assert (after["tool_output"], after["tool_input"]) == ("out", {"command": "ls"})
    assert [each["data"] for each in run.emitted("on_message_complete")] == [
        {"content_block_count": 1, "has_tool_use": True},
        {"content_block_count": 1, "has_tool_use": False},
    ]
    assert [each["message"] for each in run.emitted("on_message_complete")] == ["", "done"]
    [compaction] = run.emitted("on_compaction")
    assert (compaction["session_id"], compaction["message"]) == ("s2", "all")
    assert compaction["data"] == {
        "k": 1,
        "old_session_id": "s1",
        "new_session_id": "s2",
        "message_count": 4,
        "source": "manual",
    }
    [end] = run.emitted("on_session_end")
    assert (end["session_id"], end["transcript"]) == ("s2", [{"role": "user", "content": "all"}])
    for kind in run.points:
        filled = {key for view in run.emitted(kind) for key, value in view.items() if value is not None} - {"kind"}
        assert filled <= {str(each) for each in KINDS[kind].fields}


def test_the_conversation_is_what_the_model_reads() -> None:
    """Results are one message, injections are no part of it."""
    run = play(session(turn(bash(output="out", id="c1"), says="done")), {"before_message": (H("A", {"inject": "zz"}),)})
    [end] = run.emitted("on_session_end")
    assert end["transcript"] == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "c1", "name": "bash", "input": {"command": "ls"}}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "out", "is_error": False}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
    ]


def test_the_session_id_can_be_left_out_of_tool_and_message_events() -> None:
    """Start and end, and compaction, tell it all the same."""
    run = play(session(turn(bash()), {"compaction": {"summary": "x", "session": "s2"}}, tells_session_id=False))
    for kind in ("before_message", "on_message_complete", "before_tool_call", "after_tool_call"):
        assert {each["session_id"] for each in run.emitted(kind)} == {None}
    told = [run.emitted(kind)[0]["session_id"] for kind in ("on_session_start", "on_compaction", "on_session_end")]
    assert told == ["s1", "s2", "s2"]


def test_earlier_messages_are_part_of_the_conversation() -> None:
    """The newest of the user is what before_message tells."""
    run = play(session(turn(user="new"), messages=[{"text": "old"}, {"text": "yes", "role": "assistant"}]))
    assert [each["message"] for each in run.emitted("before_message")] == ["new"]
    assert len(run.emitted("on_session_end")[0]["transcript"]) == 4


# -- injections --------------------------------------------------------------------------------------------------


def test_what_is_injected_at_the_start_is_kept_for_that_session() -> None:
    """Told with each request of it, and not after a compaction, which begins another one."""
    view = session(turn(bash()), {"compaction": {"summary": "x", "session": "s2"}}, turn())
    run = play(view, {"on_session_start": (H("A", {"inject": "héllo"}),)})
    assert "injection: stored by A" in run.decided
    assert [each.get("session_injection_bytes") for each in run.left("request")] == [6, 6, None]
    assert "injection: left behind by host" in run.decided


def test_what_is_injected_before_a_message_goes_with_that_request_only() -> None:
    """White space is skipped, with a word about it."""
    run = play(session(turn(bash())), {"before_message": (H("A", {"inject": "abc"}),)})
    assert [each.get("attached_bytes") for each in run.left("request")] == [3, None]
    run = play(session(turn()), {"before_message": (H("A", {"inject": " \n"}),)})
    assert "HB-INJECT-BLANK" in run.rules
    assert run.left("request")[0].get("attached_bytes") is None


# -- calls of tools ----------------------------------------------------------------------------------------------


def test_a_blocked_tool_does_not_run() -> None:
    """The model reads the exact error, and nothing is emitted after it."""
    run = play(session(turn(bash(takes_ms=500), bash("pwd"))), {"before_tool_call": (H("A", {"block": "no"}),)})
    assert run.results == [("Tool call blocked by extension: no", True)] * 2
    assert run.emitted("after_tool_call") == []
    assert run.took_ms == 0
    assert run.decided.count("bash (call-1): not run by A") == 1


def test_a_modified_tool_runs_with_its_new_input() -> None:
    """Which is what after_tool_call tells."""
    run = play(session(turn(bash())), {"before_tool_call": (H("A", {"modify": I1}),)})
    assert run.emitted("after_tool_call")[0]["tool_input"] == I1
    assert "HB-RUN-MODIFIED" in run.rules


def test_a_failed_tool_is_told_after_it_and_stays_failed() -> None:
    """Even if its output is replaced."""
    run = play(session(turn(bash(output="boom", fails=True))), {"after_tool_call": (H("A", {"replace": "R"}, BOTH),)})
    assert run.emitted("after_tool_call")[0]["tool_output"] == "boom"
    assert run.results == [("R", True)]


@pytest.mark.parametrize(
    ("does", "limit", "length", "expected", "rules"),
    [
        ("continue", 10, 20, "x" * 10, {"HB-OUTPUT-KEPT"}),
        ({"replace": "é" * 10}, 5, 3, "éé", {"HB-OUTPUT-REPLACED"}),
        ("continue", 10, 10, "x" * 10, set()),
        ({"replace": "y" * 1_048_580}, 2_000_000, 1, "y" * 1_048_576, {"HB-OUTPUT-CLAMPED"}),
    ],
)
def test_outputs_are_cut_to_what_the_model_may_read(
    does: JSON, limit: int, length: int, expected: str, rules: set[str]
) -> None:
    """On a character's border; a replacement at 1 MiB first."""
    view = session(turn(bash(output="x" * length)), max_tool_output=limit)
    run = play(view, {"after_tool_call": (H("A", does, BOTH),)})
    assert run.results == [(expected, False)]
    assert rules == {rule for rule in run.rules if rule.startswith("HB-OUTPUT")}


def test_hooks_see_a_bounded_output_and_the_history_the_whole() -> None:
    """The copy in the event is cut and marked."""
    view = session(turn(bash(output="x" * 50)), hook_output_limit=10)
    run = play(view, {"after_tool_call": (H("A", "continue", BOTH),)})
    assert run.emitted("after_tool_call")[0]["tool_output"] == "x" * 10 + "…[truncated, 50 total bytes]"
    assert run.results == [("x" * 50, False)]


# -- confirms ----------------------------------------------------------------------------------------------------


def test_a_confirm_is_asked_about() -> None:
    """Whoever is described answers, and takes a while."""
    run = confirming(turn(bash()), answers=[{"answer": "once", "by": "dana", "takes_ms": 40}])
    assert "bash (call-1): run by dana" in run.decided
    assert (run.results, run.took_ms) == ([("raw", False)], 40)


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([{"answer": "deny"}], "Tool call confirmation denied: sure?"),
        ([], "Tool call requires confirmation but no interactive prompt is available: sure?"),
        (
            [{"answer": "once", "about": "other"}],
            "Tool call requires confirmation but no interactive prompt is available: sure?",
        ),
    ],
)
def test_a_confirm_that_is_not_approved_blocks(answers: list[JSON], told: str) -> None:
    """The model reads why."""
    run = confirming(turn(bash()), answers=answers)
    assert run.results == [(f"Tool call blocked by extension: {told}", True)]


def test_a_headless_host_asks_nobody() -> None:
    """Whatever is described, and whoever is there; unless confirms are approved automatically."""
    run = confirming(turn(bash()), answers=[{"answer": "once"}], host="headless")
    assert "HB-CONFIRM-NO-PROMPT" in run.rules
    run = confirming(turn(bash()), host="headless", auto_approve=True)
    assert (run.results, "HB-CONFIRM-AUTO" in run.rules) == ([("raw", False)], True)


def test_a_switch_of_the_dialect_approves_too() -> None:
    """The description need not say it."""
    run = confirming(turn(bash()), dialect=HOOKBUS.switched("auto_approve", True))
    assert "HB-CONFIRM-AUTO" in run.rules


@pytest.mark.parametrize("scope", ["session", "always"])
def test_an_answer_for_good_latches(scope: str) -> None:
    """The second call is not asked about; a reload of the extension moves its generation, and asks again."""
    run = confirming(turn(bash(), bash()), {"reload": "A"}, turn(bash()), answers=[{"answer": scope}])
    rules = [rule for rule in run.rules if rule.startswith("HB-CONFIRM")]
    assert rules == ["HB-CONFIRM-APPROVED", "HB-CONFIRM-LATCHED", "HB-CONFIRM-NO-PROMPT"]
    assert "HB-LATCHED" in run.rules
    assert run.loads == [("A", True)]


@pytest.mark.parametrize(("scope", "latch"), [("once", True), ("session", False)])
def test_without_a_latch_or_for_once_each_call_is_asked_about(scope: str, latch: bool) -> None:
    """There is nothing that could hold."""
    run = confirming(turn(bash(), bash()), answers=[{"answer": scope}, {"answer": "deny"}], latch=latch)
    assert [rule for rule in run.rules if rule.startswith("HB-CONFIRM")] == ["HB-CONFIRM-APPROVED", "HB-CONFIRM-DENIED"]
    assert "HB-LATCHED" not in run.rules


def test_whoever_plays_is_asked_before_the_description() -> None:
    """The question holds the input that would run, who asks, and whether an answer can hold."""
    asked: list[Question] = []

    class Somebody:
        async def resolve(self, question: Question) -> Answer:
            asked.append(question)
            return Answer(True, Scope.ONCE, "me")

    hooks = {"before_tool_call": (H("M", {"modify": I1}), CONFIRMS)}
    run = play(session(turn(bash()), answers=[{"answer": "deny"}]), hooks, resolver=Somebody())
    [question] = asked
    assert (question.subject, question.asked_by) == ("bash", "confirm:A")
    assert question.details["input"] == I1
    assert list(question.replies) == ["once", "session", "deny"], "there is a latch for a yes, and none for a no"
    assert question.stretch in {each.dispatch for each in run.events}
    assert run.emitted("after_tool_call")[0]["tool_input"] == I1
    assert "bash (call-1): run by me" in run.decided


# -- workers -----------------------------------------------------------------------------------------------------

WORKER: dict[str, JSON] = {
    "tool": "subagent",
    "worker": {"task": "look", "model": [{"calls": [bash("rm", "out")]}, {"says": "seen"}]},
}


def test_a_worker_shows_extensions_nothing_but_outputs() -> None:
    """Blocks and injections of the host do not reach it; its outputs can be replaced, by holders of both keys."""
    hooks = {
        "before_message": (H("C", {"inject": "c"}),),
        "before_tool_call": (H("A", {"block": "b"}, {"match": {"input_contains": "rm"}}),),
        "after_tool_call": (
            H("B", {"replace": "b"}, {"match": {"input_contains": "rm"}}),
            H("T", {"replace": "t"}, {**BOTH, "match": {"input_contains": "rm"}}),
        ),
    }
    run = play(session(turn(WORKER)), hooks)
    assert run.results == [("t", False), ("seen", False)]
    assert [each["session_id"] for each in run.emitted("after_tool_call")] == [None, "s1"]
    assert run.points.count("before_message*") == 1
    assert run.handlers["T"].phases == ["handle_no_spawn"]
    assert run.played is not None
    assert run.played.totals["workers"] == 1


def test_the_last_words_of_a_worker_are_the_output_unless_one_is_described() -> None:
    """The call around it is emitted as any other."""
    run = play(session(turn({**WORKER, "output": "described"})))
    assert run.results[-1] == ("described", False)
    assert run.emitted("after_tool_call")[-1]["tool_output"] == "described"


# -- loading -----------------------------------------------------------------------------------------------------


def test_an_extension_that_is_unloaded_is_asked_no_more() -> None:
    """And loaded again at the very end, for whoever comes next."""
    run = play(session(turn(bash()), {"unload": "A"}, turn(bash())), {"before_tool_call": (H("A"), H("B"))})
    assert [len(run.handlers[name].seen) for name in "AB"] == [1, 2]
    assert run.loads == [("A", False), ("A", True)]
    assert run.left("unload") == [{"name": "A", "error": "", "generation": 1}]


def test_an_extension_that_is_reloaded_is_asked_last() -> None:
    """Its records are appended, with its new generation."""
    hooks = {"before_tool_call": (H("A", {"confirm": "a"}), H("B", {"confirm": "b"}))}
    run = play(session({"reload": "A"}, {"reload": "A"}, turn(bash())), hooks)
    [result] = [each.fact.result for each in run.events if getattr(getattr(each.fact, "result", None), "extras", None)]  # type: ignore[union-attr]
    assert result.extras["sources"] == ["B", "A"]
    assert result.extras["generations"] == [0, 2]
    assert result.extras["message"] == "b\n\na"


def test_an_extension_that_was_refused_can_be_loaded_by_a_reload() -> None:
    """It was never unloaded: it is asked behind everybody else, as generation 0, and an unload before is no event."""
    hooks = {"before_tool_call": (H("late"), H("stays"))}
    steps = (turn(bash()), {"unload": "late"}, {"reload": "late"}, turn(bash()))
    run = play(session(*steps), hooks, refused=frozenset({"late"}))
    assert [each.subscription.name for each in run.facts if isinstance(each, Asked)] == ["stays", "stays", "late"]
    assert run.left("reload")[0]["generation"] == 0
    assert [rule for rule in run.rules if rule in ("HB-UNLOADED", "HB-RELOADED")] == ["HB-RELOADED"]
    assert run.loads == [("late", False), ("late", True)]


def test_an_extension_that_was_refused_is_not_tried_again_at_the_end() -> None:
    """Only what the session itself took away is given back."""
    run = play(session(turn(bash())), {"before_tool_call": (H("late"),)}, refused=frozenset({"late"}))
    assert run.loads == []
    assert not [each for each in run.facts if isinstance(each, Asked)]


def test_a_reload_that_fails_leaves_it_unloaded() -> None:
    """The reason is told."""
    run = play(session({"reload": "A"}, turn(bash())), {"before_tool_call": (H("A"),)}, fails_to_load=frozenset({"A"}))
    assert run.handlers["A"].seen == []
    assert run.why("HB-RELOAD-FAILED") == ["it does not start"]


# -- deliveries --------------------------------------------------------------------------------------------------


def notify(*events: JSON, **more: JSON) -> dict[str, JSON]:
    return {"notify": {"events": [*events], **more}}


def test_nobody_waits_for_a_delivery() -> None:
    """Its events come in order, those of another kind do not; the session waits at its very end only."""
    view = session(notify({"message": "1"}, {"kind": "on_session_start"}, {"message": "2"}), turn())
    run = play(view, {"notification": (H("A", "continue", after_ms=30),)})
    assert [str(each.view["message"]) for each in run.handlers["A"].seen] == ["1", "2"]
    assert run.took_ms == 60
    assert "HB-NOTIFY-OTHER-KIND" in run.rules
    assert run.points.index("on_session_end") < len(run.points)


def test_sixty_four_deliveries_may_be_under_way() -> None:
    """The next two are dropped, and their builder is not run."""
    run = play(session(notify({"message": "x"}, times=66)), {"notification": (H("A", HANG),)})
    assert (run.rules.count("HB-NOTIFY-FULL"), len(run.handlers["A"].seen)) == (2, 64)
    assert run.played is not None
    assert run.played.totals == {"deliveries": 64, "dropped": 2}
    later = play(
        session(notify({"message": "x"}, times=64), {"wait_ms": 5001}, notify({})), {"notification": (H("A", HANG),)}
    )
    assert "HB-NOTIFY-FULL" not in later.rules


@pytest.mark.parametrize(
    ("notice", "rule", "error"),
    [
        ({"kind": "before_message"}, "HB-NOTIFY-KIND", ""),
        ({"error": "no news"}, "", "no news"),
        ({}, "", ""),
    ],
)
def test_deliveries_that_call_nobody(notice: dict[str, JSON], rule: str, error: str) -> None:
    """A kind that is no notification, a builder that fails, one that yields nothing."""
    run = play(session({"notify": notice}), {"notification": (H("A"),)})
    assert run.handlers["A"].seen == []
    assert (rule == "" or rule in run.rules, run.left("delivery")[0]["error"]) == (True, error)


def test_a_builder_takes_its_time_outside_of_the_deadline() -> None:
    """Six seconds are none of the handlers' business."""
    run = play(session(notify({"message": "x"}, takes_ms=6000)), {"notification": (H("A"),)})
    assert (run.took_ms, len(run.handlers["A"].seen)) == (6000, 1)


# -- the end -----------------------------------------------------------------------------------------------------


def test_the_end_of_a_session_has_a_budget() -> None:
    """Everybody is called at once; who has not answered by then is left out, and that is told."""
    hooks = {"on_session_end": (H("A", "continue", after_ms=1500), H("B", HANG), H("C", "continue", after_ms=1500))}
    run = play(session(), hooks)
    assert run.took_ms == 2000
    assert "HB-TEARDOWN-CUT" in run.rules
    assert run.played is not None
    assert run.played.is_fine
    assert play(session(teardown_ms=1600), {"on_session_end": hooks["on_session_end"][::2]}).took_ms == 1500


def test_a_headless_host_ends_one_by_one_without_a_transcript() -> None:
    """With no budget unless one is described."""
    hooks = {"on_session_end": (H("A", "continue", after_ms=1500), H("B", "continue", after_ms=1500))}
    run = play(session(turn(), host="headless"), hooks)
    assert (run.took_ms, run.emitted("on_session_end")[0]["transcript"]) == (3000, None)
    cut = play(session(host="headless", teardown_ms=1600), hooks)
    assert (cut.took_ms, "HB-TEARDOWN-CUT" in cut.rules) == (1600, True)


def test_a_caller_that_gives_up_ends_the_session() -> None:
    """on_session_end is emitted all the same, and deliveries under way are ended."""
    view = session(notify({"message": "x"}), turn(bash(takes_ms=1000), bash()))
    run = play(view, {"notification": (H("A", HANG),)}, gives_up_ms=300)
    assert run.played is not None
    assert (run.played.is_fine, run.played.status) == (False, "cancelled")
    assert (run.took_ms, run.points[-1]) == (300, "on_session_end")
    assert "session: cancelled by " in run.decided


def test_a_caller_that_gives_up_while_somebody_is_asked() -> None:
    """The question is over with it."""
    run = confirming(turn(bash()), answers=[{"answer": "once", "takes_ms": 10_000}], gives_up_ms=50)
    assert run.played is not None
    assert (run.played.status, run.took_ms) == ("cancelled", 50)


def test_a_panic_that_goes_through_fails_the_session() -> None:
    """Where the host lets it."""
    panics = {"before_message": (H("A", PANIC),)}
    run = play(session(turn()), panics, dialect=HOOKBUS.switched("panics_propagate", True))
    assert run.played is not None
    assert (run.played.status, run.rules[-1]) == ("failed", "HB-PANIC-PROPAGATES")
    assert play(session(turn()), panics).played.is_fine  # type: ignore[union-attr]


# -- tools of extensions -----------------------------------------------------------------------------------------


class Tool:
    """An extension that is asked for a tool, and gives an outcome."""

    def __init__(self, outcome: Outcome | None, after_ms: float = 0) -> None:
        self.calls: list[Call] = []
        self._outcome = outcome

    async def answer(self, call: Call) -> Outcome:
        self.calls.append(call)
        call.printed("stderr", "working")
        if self._outcome is None:
            await sleep(call.clock, 10**9)
            raise AssertionError("nobody waits so long")
        return self._outcome


class Registered(Tool):
    """One that says which tools it has."""

    def __init__(self, outcome: Outcome, tools: tuple[str, ...]) -> None:
        super().__init__(outcome)
        self.tools = tools


TWICE = (Delivery(2), Delivery(4, "it exited with code 1", 1, 250))


@pytest.mark.parametrize(
    ("outcome", "text", "is_error", "rules"),
    [
        (Answered(b'"plain"'), "plain", False, set()),
        (Answered(b'{"content":"inside","more":1}'), "inside", False, set()),
        (Answered(b'{"b":1,"a":[2.5,"\xc3\xa9"]}'), '{"a":[2.5,"é"],"b":1}', False, set()),
        (Answered(b"null"), "null", False, set()),
        (Answered(b'"ran"', TWICE), "ran", False, {"HB-TOOL-TWICE"}),
        (Failed("-32000", "no", TWICE), "ext:do failed: no", True, {"HB-TOOL-TWICE", "HB-TOOL-FAILED"}),
        (Crashed("gone"), "ext:do failed: gone", True, {"HB-TOOL-FAILED"}),
        (TimedOut(120_000), "ext:do failed: no result within 120 s", True, {"HB-TOOL-TIMEOUT"}),
    ],
)
def test_a_tool_of_an_extension_is_really_called(outcome: Outcome, text: str, is_error: bool, rules: set[str]) -> None:
    """By its own name; hooks see the API-safe one and the runtime name."""
    tool = Tool(outcome)
    run = play(session(turn({"tool": "ext:do", "input": {"n": 1}})), others={"ext": tool})
    [call] = tool.calls
    assert (call.point, call.request) == ("tool.call", b'{"input":{"n":1},"name":"do"}')
    assert run.results == [(text, is_error)]
    assert rules == {rule for rule in run.rules if rule.startswith("HB-TOOL")}
    [before], [after] = run.emitted("before_tool_call"), run.emitted("after_tool_call")
    assert (before["tool_name"], before["tool_runtime_name"], after["tool_output"]) == ("ext_do", "ext:do", text)
    assert run.left("tool.execute")[0]["printed"] == ["stderr: working"]


def test_a_tool_has_two_minutes() -> None:
    """Or as long as the caller waits."""
    view = session(turn({"tool": "ext:do"}))
    run = play(view, others={"ext": Tool(None)})
    assert (run.took_ms, run.results[0][1]) == (120_000, True)
    run = play(view, others={"ext": Tool(None)}, gives_up_ms=70)
    assert run.took_ms == 70


def test_a_tool_of_an_extension_that_is_unloaded_is_unknown() -> None:
    """Nobody is asked."""
    tool = Tool(Answered(b'"x"'))
    run = play(session({"unload": "ext"}, turn({"tool": "ext:do"})), others={"ext": tool})
    assert (tool.calls, run.results) == ([], [("Unknown tool: ext:do", True)])
    assert run.why("HB-TOOL-UNKNOWN") == ["ext is not loaded, and its tools went with it"]


@pytest.mark.parametrize(
    ("registered", "why"),
    [
        ((), "of the tools of ext, none was registered when it was loaded"),
        (("re", "be"), "of the tools of ext, only be, re was registered when it was loaded"),
    ],
)
def test_a_tool_that_was_never_registered_is_unknown(registered: tuple[str, ...], why: str) -> None:
    """Spec 4.5: what may be called is what the reply to initialize declared. Hooks see the call all the same."""
    tool = Registered(Answered(b'"x"'), registered)
    run = play(session(turn({"tool": "ext:do"})), others={"ext": tool})
    assert (tool.calls, run.results) == ([], [("Unknown tool: ext:do", True)])
    assert run.why("HB-TOOL-UNKNOWN") == [why]
    assert run.emitted("after_tool_call")[0]["tool_output"] == "Unknown tool: ext:do"


def test_v061_a_notification_that_nobody_hooks_starts_nothing() -> None:
    """Spec 2.10: no delivery, no builder, no slot; whoever is unloaded by then is nobody."""
    slow: JSON = {"notify": {"kind": "notification", "takes_ms": 60_000, "times": 70}}
    run = play(session(slow, turn()))
    assert (run.took_ms, run.rules.count("HB-NOTIFY-NOBODY"), run.rules.count("HB-NOTIFY-FULL")) == (0, 70, 0)
    assert run.played is not None
    assert "deliveries" not in run.played.totals
    assert run.points.count("notification") == 0


def test_a_notification_counts_who_hooks_its_kind_when_it_comes() -> None:
    """Not who did at the beginning."""
    notice: JSON = {"notify": {"kind": "notification", "events": [{}]}}
    run = play(session(notice, {"wait_ms": 1}, {"unload": "A"}, notice), {"notification": (H("A"),)})
    assert run.rules.count("HB-NOTIFY-NOBODY") == 1
    assert [each.subscription.name for each in run.facts if isinstance(each, Asked)] == ["A"]
