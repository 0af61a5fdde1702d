"""What the inspector says, compared as lines: why, payload, answer, output and span."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from dispatch_runs import Scripted, stub
from pluggable_payloads import VIEWS, payload
from view_runs import LITERAL, hold, run

from debugger.breakpoints import Side
from debugger.session import Hold
from debugger.spans import SpanBook
from debugger.trace import DispatchTrace
from debugger.views import inspect
from debugger.views.text import Line
from kernel.control import Proceed, Skip
from kernel.dialects.pluggable import Pluggable
from kernel.dialects.pluggable.payload import from_view
from kernel.facts import Printed
from kernel.faults import Fault
from kernel.subscriber import Subscriber
from kernel.values import Answered, Cancelled, Crashed, Empty, Failed, Outcome, Place, Skipped, TimedOut

PLAN = "plan-ready"
GATE = "gate:v audit:o late:o"


def text(lines: tuple[Line, ...]) -> list[str]:
    """Without gutter and emphasis."""
    return [line.text for line in lines]


def gate(does: str | Subscriber, **options: object) -> DispatchTrace:
    """A dispatch of a veto and two observers."""
    stubs: Mapping[str, Subscriber | str] = {"gate": does, "audit": "ack", "late": "ack"}
    return run(GATE, stubs, point=PLAN, **options)  # type: ignore[arg-type]


def why(trace: DispatchTrace, step: int | None, held: Hold | None = None) -> list[str]:
    """The lines of Why."""
    return text(inspect.why(trace, step, Pluggable(), held))


def test_why_names_the_rule_the_grounds_and_what_came_of_it() -> None:
    """For the step that decided: its state, what happened, the rule with its source, who was not reached."""
    trace = gate("hang")
    assert trace.steps[0].verdict is not None
    particulars = trace.steps[0].verdict.why
    assert "1000 ms" in particulars
    assert why(trace, 0) == [
        "◷ timed out  gate, veto at plan-ready",
        f"{particulars[0].upper()}{particulars[1:]}.",
        "",
        "PL-VETO-TIMEOUT  spec B.3, B.8",
        "A veto that exceeds its deadline counts as DENY.",
        "",
        "hook error  TIMEOUT",
        trace.steps[0].raised[0].message,
        "",
        "Not reached because of it: audit, late",
    ]


def test_why_of_a_denied_dispatch_lists_every_seat_with_its_rule() -> None:
    """Decision, by whom, the payload, the rule, then the chain."""
    assert why(gate("deny"), None) == [
        "⊘ DENY  plan-ready #1",
        "decision  deny",
        "by        gate",
        "payload   as it came",
        "",
        "PL-VETO-DENY  spec B.3",
        "A veto that answers DENY ends the chain with DENY; that is no error.",
        "",
        "⊘ gate             denied       PL-VETO-DENY",
        "┄ audit            not reached  PL-AFTER-DENY",
        "┄ late             not reached  PL-AFTER-DENY",
    ]


def test_why_of_an_aborted_dispatch_says_that_there_is_no_payload() -> None:
    """And in which words the host would raise it."""
    lines = why(run("a:t b:o", {"a": "change model", "b": "ack"}), None)
    assert lines[0] == "✗ ABORTED  pre-model-call #1"
    assert any(line.startswith("error     ErrTransformFailed: ") for line in lines)
    assert "payload   none: there is no usable one" in lines
    assert "✗ a                error        PL-TRANSFORM-MODEL" in lines


def test_why_of_somebody_who_was_not_reached() -> None:
    """Because of whom, and by which rule."""
    assert why(gate("deny"), 2) == [
        "┄ not reached  late, observe at plan-ready",
        "Never asked, because of gate.",
        "",
        "PL-AFTER-DENY  spec B.2",
        "After a DENY no later subscriber of any mode is asked.",
    ]


def test_why_before_there_is_a_verdict() -> None:
    """Waiting, being asked, held before and held after have a sentence each."""
    asked = gate("allow", until="asked gate")
    assert why(asked, 0)[1] == "It is being asked right now."
    assert why(asked, 1)[1] == "Its turn has not come yet."
    assert why(asked, 0, hold(asked, 0)) == [
        "‖ held  gate, veto at plan-ready",
        "Held before it is asked: edit what it gets, break it, or step on.",
    ]
    answered = gate("allow", until="gate answered")
    assert why(answered, 0, hold(answered, 0, Side.AFTER))[1].startswith("Held after it answered: ")


def test_why_tells_what_people_did() -> None:
    """A fault with its settings, a skip: by whom."""
    control = Scripted(before_gate=Proceed(fault=Fault("grpc_status", {"code": "INTERNAL"})))
    assert "steered  fault by the person: grpc_status (code=INTERNAL)" in why(gate("allow", control=control), 0)
    assert "steered  skipped by the person" in why(gate("allow", control=Scripted(before_gate=Skip())), 0)


def test_why_says_where_the_subscriber_was_declared() -> None:
    """As seen from the current folder, where that is shorter."""
    trace = gate("allow")
    seat = replace(trace.steps[0].subscription, place=Place("agent.hcl", 65, 1))
    placed = replace(trace, steps=(replace(trace.steps[0], subscription=seat), *trace.steps[1:]))
    assert why(placed, 0)[-1] == "declared at agent.hcl:65:1"


OUTCOMES: list[tuple[Outcome, list[str]]] = [
    (
        Answered(b"\x1a\x02\x08\x02"),
        [
            "answered  4 bytes", "{", '  "veto": {', '    "decision": "HOOK_DECISION_DENY"', "  }", "}", "",
            "on the wire", "00 1a 02 08 02             ....",
        ],
    ),
    (
        Answered(b"\xff"),
        [
            "answered  1 bytes", "{", '  "$undecodable": "/w=="', "}", "",
            "on the wire", "00 ff                      .",
        ],
    ),
    (Empty(), ["came back with nothing at all"]),
    (Failed("UNAVAILABLE", "\x1b[2J[bold]x[/]"), ["ended with UNAVAILABLE", "␛[2J[bold]x[/]"]),
    (Crashed("killed by signal 9"), ["its process is gone", "killed by signal 9"]),
    (TimedOut(1000.4), ["no answer after 1000 ms"]),
    (Cancelled("enough"), ["the caller gave up: enough"]),
    (Skipped("person"), ["left out by the person"]),
]  # fmt: skip


@pytest.mark.parametrize(("outcome", "lines"), OUTCOMES, ids=[type(outcome).__name__ for outcome, _ in OUTCOMES])
def test_every_outcome_has_words(outcome: Outcome, lines: list[str]) -> None:
    """What came back, as people read it and as it was on the wire."""
    step = replace(gate("allow").steps[0], outcome=outcome)
    assert text(inspect.answer(step, Pluggable(), None)) == lines


def test_a_long_answer_is_shown_in_part_on_the_wire() -> None:
    """The start of the bytes, and how many more there are."""
    step = replace(gate("allow").steps[0], outcome=Answered(b"\xff" * 300))
    lines = text(inspect.answer(step, Pluggable(), None))
    assert lines[-1] == "… 44 more bytes"
    assert lines[-2].startswith("f8 ff ff")


def test_without_an_answer_the_reason_is_said() -> None:
    """Still waiting is not the same as never asked."""
    asked = gate("allow", until="asked gate")
    assert text(inspect.answer(asked.steps[0], Pluggable(), None)) == ["Still waiting for the answer."]
    assert text(inspect.answer(asked.steps[1], Pluggable(), None)) == ["There is no answer: it was not asked."]


def test_an_edited_answer_is_the_one_that_is_shown() -> None:
    """With a note that it is not the one that came."""
    trace = gate("allow", until="gate answered")
    held = hold(trace, 0, Side.AFTER, edited_answer=Answered(b"\x1a\x02\x08\x02"))
    lines = text(inspect.answer(trace.steps[0], Pluggable(), held))
    assert lines[0] == "✎ edited: this answer will be taken instead"
    assert '    "decision": "HOOK_DECISION_DENY"' in lines


def test_a_payload_is_shown_as_json() -> None:
    """And its absence in words."""
    assert '  "model": {' in text(inspect.payload(payload("pre-model-call")))
    assert text(inspect.payload(None)) == ["There is no payload: the subscriber was not asked."]


def test_output_is_shown_under_its_call_and_literally() -> None:
    """One line for each that was printed, with who and where; markup and escape sequences are text."""
    trace = gate("allow")
    printed = [Printed("gate", "stderr", name, 0) for name in LITERAL]
    first = replace(trace.steps[0], printed=tuple(printed))
    second = replace(trace.steps[1], printed=(Printed("audit", "stdout", "there", 1),))
    told = replace(trace, steps=(first, second, trace.steps[2]))
    shown = ["[bold]x[/]", "␛[31mred", "日本語のなまえ", "a\\u202eb␉c"]
    assert text(inspect.output(told, 0)) == [f"gate stderr │ {each}" for each in shown]
    assert text(inspect.output(told, None))[-1] == "audit stdout │ there"
    assert text(inspect.output(told, 2)) == ["Nothing was printed during the call."]


@pytest.mark.parametrize("name", LITERAL)
def test_odd_names_are_literal_everywhere(name: str) -> None:
    """In Why of the step, of those it did not reach, and of the whole."""
    trace = gate("deny")
    seat = replace(trace.steps[0].subscription, name=name)
    late = trace.steps[1]
    assert late.not_reached is not None
    assert trace.result is not None
    late = replace(late, not_reached=replace(late.not_reached, because_of=name))
    steps = (replace(trace.steps[0], subscription=seat), late, trace.steps[2])
    odd = replace(trace, steps=steps, result=replace(trace.result, decided_by=name, error=f"because {name}"))
    for step in (None, 0, 1):
        said = "\n".join(why(odd, step))
        assert not set("\x1b\u202e\t") & set(said)
        assert name.replace("\x1b", "␛").replace("\u202e", "\\u202e").replace("\t", "␉") in said


def test_a_finished_span_is_shown_as_it_is_exported() -> None:
    """Name, status, times and attributes; before it is finished that is said."""
    dialect = Pluggable()
    book = SpanBook({dialect.name: dialect})
    trace = run(GATE, {"gate": "deny", "audit": "ack", "late": "ack"}, point=PLAN, watchers=(book,))
    whole, step = (text(inspect.span(book.span(trace.id, which))) for which in (None, 0))
    assert any(line.startswith("trace     ") for line in whole)
    assert not any(line.startswith("parent    ") for line in whole)
    [parent] = [line for line in step if line.startswith("parent    ")]
    assert parent.split()[1] in " ".join(whole)
    assert step[0] == "hook.subscriber"
    assert step[-1] == "pluggableharness.subscriber.mode  veto"
    assert text(inspect.span(book.span(trace.id, 1))) == [
        "There is no finished span: a subscriber has one once it was asked."
    ]


def test_an_edit_shows_in_the_payload_that_was_given() -> None:
    """What a subscriber was asked about is what it really got."""
    view = VIEWS["pre-model-call"]
    assert isinstance(view, dict)
    edit = from_view("pre-model-call", {**view, "messages": []})
    trace = run("a:t", {"a": stub("same")}, control=Scripted(before_a=Proceed(edit)))
    assert '"hi"' not in "\n".join(text(inspect.payload(trace.steps[0].given)))
