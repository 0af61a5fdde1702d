"""Claims about judging sessions: each key holds where it should, and a miss shows what was expected beside what was."""

from __future__ import annotations

import json

import pytest
from scenario_texts import played, verdict

from debugger.scenario.load import dotted

CHAIN = """
  - {name: A, point: pre-tool-call, mode: veto, stub: {answer: allow, after_ms: 2, prints: looking}}
  - {name: B, point: plan-ready, mode: veto, stub: {status: INTERNAL, after_ms: 5}}
  - {name: C, point: plan-ready, mode: observe, stub: ack}"""
PLAY = "answers: []"
"""The plan is denied because B fails; the call that reads is executed; nobody is asked."""
POINTS = (
    "[session-start, pre-model-call, post-model-response, {point: pre-tool-call, label: read}, "
    "{point: pre-tool-call, label: write}, pre-tool-call, plan-ready, post-tool-call, post-tool-call, "
    "{point: post-tool-call, label: run}, post-apply, pre-model-call, post-model-response, session-end]"
)

HOLDS = [
    'status: completed, reason: "", is_fine: true, why: no tool',
    "totals: {contains: {turns: 2}}, took_ms: 11",
    "took_ms: {at_least: 10, at_most: 12}",
    f"points: {POINTS}",
    "questions: []",
    "decisions: [{subject: fs.read (r), decision: allow, by: 'policy:default', rule: PL-POLICY-DEFAULT, why: no rule}, "
    "{subject: fs.write (w)}, {}, {decision: deny, by: 'hook-veto:B'}, {rule: PL-GATE-VETO}, {subject: session}]",
    "errors: [{subscriber: B, mode: veto, category: VETO_FAILED, message: INTERNAL}]",
    "rules: [PL-GATE-VETO, PL-VETO-FAILED, PL-STOP-DONE, PL-CHAIN-END]",
    "printed: [looking, {subscriber: A}, looking]",
    "facts: [{fact: entered, kind: session}, {fact: decided, subject: session}, {fact: left}]",
    "metrics: [{name: pluggableharness.hook.errors, value: 1}]",
    "dispatches: [{in: {point: plan-ready}, decision: deny, decided_by: B, parent: policy.evaluate, label: '', "
    "asked: [B], not_reached: [{subscriber: C, because_of: B}], steps: [{subscriber: B, took_ms: 5}], took_ms: 5, "
    "spans: {name: hook.dispatch, children: [B]}, errors: [{category: VETO_FAILED}], decisions: [], questions: []}]",
    "dispatches: [{in: {point: pre-tool-call}, asked: [A], took_ms: 2, parent: turn}]",
    "dispatches: [{in: {text: run, point: pre-tool-call}, label: run}, {in: {text: hello, nth: 2}, parent: turn}]",
    "dispatches: [{in: {point: post-tool-call, payload: [{jmespath: call.id, is: r}]}, label: read}]",
    "dispatches: [{in: {nth: 14}, point: session-end, parent: session}]",
    "dispatches: [" + "{}, " * 13 + "{point: session-end}]",
    "stretches: [{kind: session, name: s, parent: '', error: '', attributes: {session.depth: 0, turn.index: null}},"
    " {kind: turn, attributes: {turn.index: 0}, took_ms: 11, parent: session}, {kind: turn, took_ms: {at_most: 0}}]",
    "stretches: [{kind: model.call, attributes: {calls: [fs.read, shell.run]}}]",
    "spans: {name: session, kind: internal, status: ok, children: [hook.dispatch, turn, turn, {name: hook.dispatch}]}",
    "spans: [{attributes: {pluggableharness.session.id: s}}]",
    "spans: {children: [{}, {name: turn, children: [{}, model.call, {}, {children: [A]}, "
    "{children: [{subscriber: A}]}, {}, {name: policy.evaluate}, {name: tool.execute, kind: client}, plan.build, "
    "{name: policy.evaluate, children: "
    "[{children: [{subscriber: B, status: error}]}]}, {}, {}, {}, {}]}, {}, {}]}",
]


def expecting(expect: str) -> str:
    return played(CHAIN, play=PLAY, expect=f"{{{expect}}}")


@pytest.mark.parametrize("expect", HOLDS)
def test_what_was_played_is_what_was_expected(expect: str) -> None:
    """Every key of an expectation, where it holds."""
    found = verdict(expecting(expect))
    assert found.problem is None
    assert [(dotted(miss.path), miss.actual) for miss in found.misses] == []


MISSES = [
    ("status: failed", "status", "failed", "completed"),
    ("reason: doom_loop", "reason", "doom_loop", ""),
    ("is_fine: false", "is_fine", False, True),
    ("why: because", "why", "because", "the model called no tool"),
    ("totals: {contains: {turns: 3}}", "totals", {"contains": {"turns": 3}}, '"turns": 2'),
    ("points: [session-start]", "points", ["session-start"], ["session-start", "plan-ready", "session-end"]),
    (f"points: {POINTS.replace('label: run', 'label: walk')}", "points[9].label", "walk", "run"),
    ("questions: [fs.write]", "questions", ["fs.write"], []),
    ("decisions: []", "decisions", [], '"by": "hook-veto:B"'),
    ("decisions: [{decision: ask}, {}, {}, {}, {}, {}]", "decisions[0].decision", "ask", "allow"),
    ("decisions: [{}, {}, {}, {}, {}, {why: x}]", "decisions[5].why", "x", "the model called no tool"),
    ("errors: []", "errors", [], '"category": "VETO_FAILED"'),
    ("errors: [{message: x}]", "errors[0].message", "x", "INTERNAL"),
    ("rules: [PL-GATE-RESOLVER]", "rules[0]", "PL-GATE-RESOLVER", ["PL-GATE-VETO"]),
    ("printed: [looking, looking, looking, looking]", "printed[3]", "looking", ["A on stderr: looking"]),
    ("took_ms: 10", "took_ms", 10, 11.0),
    ("facts: [{point: session-end}, {point: plan-ready}]", "facts[1]", "plan-ready", '"point": "session-end"'),
    ("metrics: [{name: pluggableharness.hook.errors, value: 2}]", "metrics[0]", "value", '"value": 1'),
    ("dispatches: [{}]", "dispatches", [{}], ["session-start", "plan-ready"]),
    (
        "dispatches: [{in: {point: plan-ready, nth: 2}}]",
        "dispatches[0].in",
        "plan-ready",
        "none of these: session-start",
    ),
    ("dispatches: [{in: {text: nowhere}}]", "dispatches[0].in", "nowhere", "pre-tool-call read, pre-tool-call write"),
    ("dispatches: [{in: {point: plan-ready}, decision: allow}]", "dispatches[0].decision", "allow", "deny"),
    ("dispatches: [{in: {point: plan-ready}, parent: turn}]", "dispatches[0].parent", "turn", "policy.evaluate"),
    ("dispatches: [{in: {nth: 1}, point: plan-ready}]", "dispatches[0].point", "plan-ready", "session-start"),
    ("dispatches: [{in: {text: write, point: pre-tool-call}, label: read}]", "dispatches[0].label", "read", "write"),
    ("dispatches: [{in: {point: plan-ready}, spans: {children: [C]}}]", "dispatches[0].spans.children", ["C"], ["B"]),
    ("dispatches: [{in: {point: plan-ready}, questions: [x]}]", "dispatches[0].questions", ["x"], []),
    ("dispatches: [{in: {point: plan-ready}, decisions: [{}]}]", "dispatches[0].decisions", [{}], []),
    ("stretches: [{kind: turn}, {kind: session}]", "stretches[1]", {"kind": "session"}, '"kind": "session"'),
    ("stretches: [{kind: turn, attributes: {turn.index: 7}}]", "stretches[0]", "turn.index", '"turn.index": 0'),
    ("stretches: [{kind: session, attributes: {session.id: null}}]", "stretches[0]", "session.id", '"session.id": "s"'),
    ("stretches: [{kind: nothing}]", "stretches[0]", "nothing", '"kind": "plan.build"'),
    ("stretches: [{kind: session, error: x}]", "stretches[0]", "error", '"error": ""'),
    ("stretches: [{kind: session, parent: turn}]", "stretches[0]", "parent", '"parent": ""'),
    ("stretches: [{kind: session, took_ms: 10}]", "stretches[0]", "took_ms", '"kind": "session"'),
    ("stretches: [{name: turn 3}]", "stretches[0]", "turn 3", '"name": "turn 2"'),
    ("spans: none", "spans", "none", ["session"]),
    ("spans: [{}, {}]", "spans", [{}, {}], ["session"]),
    ("spans: {children: [turn]}", "spans.children", ["turn"], ["hook.dispatch", "turn", "turn", "hook.dispatch"]),
    ("spans: {children: [turn, turn, {}, {}]}", "spans.children", "turn", ["hook.dispatch", "turn"]),
    ("spans: {kind: client}", "spans.kind", "client", "internal"),
    ("spans: {children: [{}, {status: error}, {}, {}]}", "spans.children[1].status", "error", "ok"),
    ("spans: {subscriber: A}", "spans.subscriber", "A", ""),
]


@pytest.mark.parametrize(("expect", "key", "expected", "actual"), MISSES)
def test_a_miss_shows_expected_beside_actual(expect: str, key: str, expected: object, actual: object) -> None:
    """Under the key that it stands at, as it was written."""
    found = verdict(expecting(expect))
    assert found.problem is None
    miss = next(each for each in found.misses if dotted(each.path) == f"expect_played.{key}")
    for seen, wanted in ((miss.expected, expected), (miss.actual, actual)):
        if isinstance(wanted, str):
            assert wanted in json.dumps(seen) or wanted in str(seen)
        elif isinstance(wanted, list) and wanted and isinstance(seen, list):
            assert all(each in seen for each in wanted)
        else:
            assert seen == wanted
    assert miss.place.file == "f.scenario.yaml"


def test_every_dispatch_that_fits_is_judged() -> None:
    """One miss for each that does not hold, with the dispatch that it is about."""
    misses = verdict(
        expecting("dispatches: [{in: {point: post-tool-call}, payload: {jmespath: error, is: null}}]")
    ).misses
    assert [miss.dispatch for miss in misses] == [8, 9]


@pytest.mark.parametrize(
    ("expect", "sentence"),
    [
        ("dispatches: [{in: {point: plan-redy}}]",
         "dispatches[0].in.point: ErrUnknownPoint: no hook point 'plan-redy'; did you mean 'plan-ready'?"),
        ("dispatches: [{in: {payload: {jmespath: 'a[[', is: 1}}}]",
         "expect_played.dispatches[0].in.payload: not JMESPath"),
        ("totals: {jmespath: 'a[[', is: 1}", "expect_played.totals.jmespath: not JMESPath"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_bad_input(expect: str, sentence: str) -> None:
    """Neither held nor failed: the file is wrong."""
    found = verdict(expecting(expect))
    assert found.problem is not None
    assert sentence in str(found.problem)
