"""The failure matrix of spec 7 as a grid: what each failure comes to at each kind. Rows about processes that are
restarted are the transport's; here a failure is what is left of it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hookbus_runs import CRASH, ERROR, EVENTS, HANG, PANIC, H, Raw, at, bm, bt, run

from kernel.dialects.hookbus.acting import NotRun, final_output, tool_verdict
from kernel.dialects.hookbus.answers import Confirm, Replace
from kernel.dialects.hookbus.kinds import KINDS, Action, Style
from kernel.values import JSON


@dataclass(frozen=True)
class Failure:
    """A row: what a handler does, and the error records by style of kind."""

    name: str
    does: object
    sequential: str
    concurrent: str
    notify: str


MALFORMED = "malformed modify"
# fmt: off
FAILURES = [
    Failure("no answer", HANG, "timeout", "timeout_conc", "notify_cut"),
    Failure("no process", CRASH, "call_failed", "call_failed", "call_failed"),
    Failure("bad json", b"\xff", "call_failed", "call_failed", ""),
    Failure("error reply", ERROR, "call_failed", "call_failed", "call_failed"),
    Failure("unknown action", Raw({"action": "explode"}), "invalid_result", "invalid_result", ""),
    Failure(MALFORMED, Raw({"action": "modify"}), "invalid_result disallowed", "invalid_result", ""),
    Failure("replace without output", Raw({"action": "replace"}), "invalid_result", "invalid_result", ""),
    Failure("block without reason", Raw({"action": "block"}), "invalid_result", "invalid_result", ""),
    Failure("confirm of a number", Raw({"action": "confirm", "message": 7}), "invalid_result", "invalid_result", ""),
    Failure("inject of null", Raw({"action": "inject", "content": None}), "invalid_result", "invalid_result", ""),
    Failure("panic", PANIC, "panic", "panic", "panic"),
]
# fmt: on
CELLS = [(failure, kind) for failure in FAILURES for kind in EVENTS]


@pytest.mark.parametrize(("failure", "kind"), CELLS, ids=lambda each: getattr(each, "name", each))
def test_a_failure_is_as_good_as_continue(failure: Failure, kind: str) -> None:
    """Except for the one that fails closed; the next handler is called, and what it says counts."""
    ran = run(EVENTS[kind](), H("A", failure.does), H("B"))
    records = [each.partition(" ")[2] for each in ran.raised]
    match KINDS[kind].style, failure.name:
        case Style.SEQUENTIAL, "malformed modify" if kind == "before_tool_call":
            assert (ran.came_to.decision, ran.calls, records) == ("block", ["A"], ["invalid_result"])
        case Style.CONCURRENT, "malformed modify":
            assert (ran.came_to.decision, ran.calls, records) == ("block", ["A", "B"], ["invalid_result"])
        case style, _:
            said = {Style.SEQUENTIAL: failure.sequential, Style.CONCURRENT: failure.concurrent}
            assert " ".join(records) == said.get(style, failure.notify)
            assert ran.calls == ["A", "B"]
            nothing = "unspecified" if style is Style.NOTIFY else "continue"
            assert (ran.came_to.decision, ran.came_to.payload) == (nothing, EVENTS[kind]())


WORDS: dict[Action, JSON] = {
    Action.BLOCK: {"block": "x"},
    Action.CONFIRM: {"confirm": "x"},
    Action.MODIFY: {"modify": "x"},
    Action.REPLACE: {"replace": "x"},
    Action.INJECT: {"inject": "x"},
    Action.CONTEXT_PHASE: {"context_phase": "x"},
}
ACTIONS = [(action, kind) for action in WORDS for kind in EVENTS]


@pytest.mark.parametrize(("action", "kind"), ACTIONS)
def test_an_action_that_is_not_for_this_kind(action: Action, kind: str) -> None:
    """Ignored with a warning in a sequential emit, not looked at in a concurrent one, ignored altogether else."""
    both = [KINDS[kind].permission, "tools.transform_output"] if kind.endswith("tool_call") else None
    ran = run(EVENTS[kind](), H("A", WORDS[action], {"permissions": both}))
    match KINDS[kind].style:
        case Style.NOTIFY:
            assert (ran.came_to.decision, ran.raised) == ("unspecified", [])
        case Style.CONCURRENT:
            said = "continue" if action is Action.CONTEXT_PHASE else action
            assert (ran.came_to.decision, ran.raised) == (said, [])
        case _:
            accepted = action in KINDS[kind].actions
            assert ran.came_to.decision == (action if accepted else "continue")
            assert ran.raised == ([] if accepted else ["A disallowed"])


@pytest.mark.parametrize("kind", EVENTS)
def test_a_replace_without_the_second_permission(kind: str) -> None:
    """A record of its own where outputs can be replaced, disallowed elsewhere, returned by the scan."""
    ran = run(EVENTS[kind](), H("A", {"replace": "x"}))
    by_kind = {"after_tool_call": ["A replace_denied"], "on_session_end": [], "notification": []}
    assert ran.raised == by_kind.get(kind, ["A disallowed"])
    assert (ran.came_to.decision == "replace") is (kind == "on_session_end")


def test_what_only_the_host_does() -> None:
    """An oversize replacement is cut, and a confirm that nobody can be asked about blocks."""
    assert len(final_output(Replace("x" * 2_000_000), "raw", 3_000_000).text) == 1_048_576
    assert isinstance(tool_verdict(Confirm("m"), {}), NotRun)


def test_answers_that_are_in_time_and_late_by_a_little() -> None:
    """The deadline is five seconds, whatever the kind."""
    for event in (bt(), at(), bm()):
        assert run(event, H("A", "continue", after_ms=4999)).raised == []
        assert run(event, H("A", "continue", after_ms=5001)).raised == ["A timeout"]
