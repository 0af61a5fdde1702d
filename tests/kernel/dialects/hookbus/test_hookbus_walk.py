"""Claims about a sequential emit beyond the vectors: seams, facts, results, and any chain at all (spec 2.4 to 2.6)."""

from __future__ import annotations

import pytest
from dispatch_runs import Scripted
from hookbus_runs import CRASH, HANG, I0, I1, I2, PANIC, TI, TX, H, Raw, at, bm, bt, run, ss
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.control import Instead, Proceed, Skip, Stop
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.answers import Block, to_body
from kernel.errors import BadInput
from kernel.values import JSON, Answered, Effect, Ending, Status

BOTH = {"permissions": [TI, TX]}


def test_a_modify_is_told_as_a_change_of_the_event() -> None:
    """The payload of the dispatch has the working input from there on."""
    ran = run(bt(), H("A", {"modify": I1}), H("B", {"modify": I2}))
    assert [(change.by, change.before.view, change.after.view) for change in ran.changes] == [
        ("A", bt().view, bt("bash", I1).view),
        ("B", bt("bash", I1).view, bt("bash", I2).view),
    ]
    assert ran.came_to.payload == bt("bash", I2)
    assert (ran.came_to.decided_by, ran.came_to.status) == ("A, B", Status.CHANGED)


def test_a_modify_that_changes_nothing_counts_and_is_no_change() -> None:
    """The bus does not compare."""
    ran = run(bt(), H("A", {"modify": I0}))
    assert ran.changes == []
    assert ran.verdicts["A"].status is Status.OK
    assert ran.came_to.decision == "modify"


def test_one_and_one_point_zero_are_different_inputs() -> None:
    """So this is a change."""
    ran = run(bt("t", {"n": 1}), H("A", {"modify": {"n": 1.0}}))
    assert ran.verdicts["A"].status is Status.CHANGED
    assert len(ran.changes) == 1


def test_a_replace_is_told_as_a_change_of_the_output() -> None:
    """The last thing that happens."""
    ran = run(at("raw"), H("A", {"replace": "S"}, BOTH), H("B", {"replace": "T"}, BOTH))
    assert [change.after.view["tool_output"] for change in ran.changes] == ["S"]  # type: ignore[index,call-overload]
    assert ran.missed == ["B HB-AFTER-REPLACE"]
    assert (ran.came_to.decided_by, ran.came_to.rule) == ("A", "HB-REPLACE")


def test_what_is_ignored_is_told_as_an_error_and_changes_nothing() -> None:
    """A warning of the host is an error record."""
    ran = run(at(), H("A", {"replace": "S"}), H("B", {"block": "x"}), H("C", Raw(7)), H("D", CRASH), H("E", PANIC))
    assert ran.raised == ["A replace_denied", "B disallowed", "C invalid_result", "D call_failed", "E panic"]
    assert {verdict.status for verdict in ran.verdicts.values()} == {Status.ERROR}
    assert {verdict.effect for verdict in ran.verdicts.values()} == {Effect.CONTINUE}
    assert ran.came_to.decision == "continue"


def test_records_that_do_not_want_the_event_are_told_where_they_are_passed() -> None:
    """Before the next one is asked, each with what kept it."""
    ran = run(
        bt(),
        H("A", "continue", {"tool": "read"}),
        H("B"),
        H("C", "continue", {"match": {"input_equals": {}}}),
    )
    assert ran.story == [
        "opened",
        "A not reached because of its filter @read",
        "asked B",
        "B answered",
        "B is ok",
        "C not reached because of its condition input_equals {}",
        "ended finished",
    ]
    assert ran.came_to.rule == "HB-END"


def test_a_caller_that_gives_up_gets_no_result() -> None:
    """And nobody is called."""
    ran = run(bt(), H("A", {"block": "x"}), H("B"), gives_up=True)
    assert (ran.came_to.ending, ran.came_to.decision, ran.calls) == (Ending.CANCELLED, "unspecified", [])
    assert ran.missed == ["B HB-CANCELLED"]


def test_whoever_steers_can_stop_skip_and_answer() -> None:
    """As at any seam."""
    steered = {"A": Skip(), "B": Instead(Answered(to_body(Block("by hand"))))}
    ran = run(
        bt(), H("A", {"block": "a"}), H("B"), H("C"), control=Scripted(before_A=steered["A"], before_B=steered["B"])
    )
    assert (ran.came_to.decision, ran.came_to.extras) == ("block", {"reason": "by hand"})
    assert ran.verdicts["A"].status is Status.SKIPPED
    ran = run(bt(), H("A"), control=Scripted(after_A=Stop()))
    assert ran.came_to.ending is Ending.CANCELLED


def test_an_edited_event_is_the_event_from_there_on() -> None:
    """Later matchers see it too, and nobody is said to have modified it."""
    ran = run(
        bt(),
        H("A", {"confirm": "m"}),
        H("B", {"confirm": "n"}, {"match": {"input_contains": "pwd"}}),
        control=Scripted(before_A=Proceed(bt("bash", I1))),
    )
    assert ran.calls == ["A", "B"]
    assert ran.came_to.extras["modified_by"] == []
    assert ran.came_to.payload == bt("bash", I1)
    assert ran.changes[0].rule == "HB-EDITED"


@pytest.mark.parametrize(
    ("edited", "sentence"),
    [
        (bt("read"), "not called for such an event because of its filter @bash"),
        (bt("bash", I1), "because of its condition input_contains"),
        (at(), "an event of before_tool_call is needed here, not after_tool_call"),
    ],
)
def test_an_event_that_could_not_be_there_is_refused(edited: object, sentence: str) -> None:
    """The host would not have called this handler."""
    options = {"tool": "bash", "match": {"input_contains": "ls"}}
    with pytest.raises(BadInput, match=sentence):
        run(bt(), H("A", "continue", options), control=Scripted(before_A=Proceed(edited)))  # type: ignore[arg-type]


def test_a_payload_of_another_kind_is_refused() -> None:
    """Before there is a dispatch."""
    with pytest.raises(BadInput, match="an event of before_message is needed here"):
        run(bt(), H("A"), kind="before_message")


def test_a_panic_that_propagates_ends_the_dispatch() -> None:
    """Without a payload, and the rest is not called."""
    ran = run(bt(), H("A", PANIC), H("B"), dialect=HOOKBUS.switched("panics_propagate", True))
    assert (ran.came_to.ending, ran.came_to.payload) == (Ending.ABORTED, None)
    assert ran.came_to.error == "panic: it raised ValueError: boom"
    assert ran.missed == ["B HB-PANIC-PROPAGATES"]


def test_one_extension_in_two_seats_is_called_twice() -> None:
    """Two records; each confirm is one."""
    ran = run(bt(), H("A", {"confirm": "m"}), H("A", {"confirm": "m"}))
    assert ran.calls == ["A", "A"]
    assert ran.came_to.extras["sources"] == ["A", "A"]
    assert ran.came_to.decided_by == "A"


def test_on_session_start_joins_what_is_injected() -> None:
    """As before_message does."""
    ran = run(ss(), H("A", {"inject": "a"}), H("B", {"inject": "b"}))
    assert ran.came_to.extras == {"content": "a\n\nb"}
    assert ran.came_to.payload == ss()


ANSWERS: list[object] = [
    "continue",
    {"block": "x"},
    {"confirm": "m"},
    {"modify": I1},
    {"modify": I2},
    {"replace": "r"},
    {"inject": "i"},
    {"context_phase": "p"},
    Raw({"action": "modify"}),
    Raw(None),
    HANG,
    CRASH,
]


def told_by_hand(answers: list[object]) -> tuple[str, dict[str, JSON], list[JSON]]:
    """The rules of spec 2.5 and 2.6 for before_tool_call, written as one loop: decision, members, inputs seen."""
    working: JSON = I0
    confirms: list[str] = []
    modified: list[str] = []
    seen: list[JSON] = []
    for place, answer in enumerate(answers):
        seen.append(working)
        match answer:
            case {"block": reason}:
                return "block", {"reason": reason}, seen
            case Raw({"action": "modify"}):
                return "block", {"reason": "Extension returned malformed modify result"}, seen
            case {"confirm": _}:
                confirms.append(f"H{place}")
            case {"modify": value} if not confirms:
                working = value
                modified.append(f"H{place}")
    if confirms:
        members: dict[str, JSON] = {
            "message": "\n\n".join("m" for _ in confirms),
            "sources": [*confirms],
            "generations": [0 for _ in confirms],
            "tool": "bash",
            "modified_input": working if modified else None,
            "modified_by": [*modified],
        }
        return "confirm", members, seen
    return ("modify", {"input": working}, seen) if modified else ("continue", {}, seen)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(ANSWERS), max_size=7))
def test_any_chain_before_a_tool_call(answers: list[object]) -> None:
    """Against the rules written down a second time."""
    ran = run(bt(), *(H(f"H{place}", answer) for place, answer in enumerate(answers)))
    decision, members, seen = told_by_hand(answers)
    assert (ran.came_to.decision, dict(ran.came_to.extras)) == (decision, members)
    assert [event.tool_input for handler in ran.handlers.values() for event in handler.seen] == seen


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(ANSWERS), max_size=6))
def test_injections_of_any_chain_are_joined(answers: list[object]) -> None:
    """Whatever else is said, and nobody ends such a chain."""
    ran = run(bm(), *(H(f"H{place}", answer) for place, answer in enumerate(answers)))
    injected = ["i" for answer in answers if isinstance(answer, dict) and "inject" in answer]
    assert len(ran.calls) == len(answers)
    assert ran.came_to.decision == ("inject" if injected else "continue")
    assert ran.came_to.extras.get("content", "") == "\n\n".join(injected)
