"""Claims about judging: each key holds where it should, and a miss shows what was expected beside what happened."""

from __future__ import annotations

import json

import pytest
from scenario_texts import scenario, verdict

from debugger.scenario.judge.claims import MOST_DIFFERENCES

CHAIN = """
  - {name: A, point: pre-model-call, mode: observe, stub: {status: INTERNAL, after_ms: 10, prints: [hello, again]}}
  - {name: B, point: pre-model-call, mode: transform, stub: {answer: {append: x}}}
  - {name: C, point: pre-model-call, mode: transform, stub: none}
  - {name: D, point: pre-model-call, mode: observe, stub: ack}"""
FIRE = "{point: pre-model-call, payload: {model: {provider: p, id: x}, messages: [{id: m1}]}}"
"""A fails and prints, B adds a message, C aborts, D is not reached."""

HOLDS = [
    "decision: unspecified",
    'decided_by: ""',
    "ending: aborted",
    "rule: PL-TRANSFORM-INVALID",
    "error: ErrTransformFailed",
    "payload: none",
    "extras: {is: {}}",
    "asked: [A, B, {subscriber: C, mode: transform, phase: '', timeout_ms: 5000, "
    'payload: {jmespath: "messages[].id", is: [m1, x]}}]',
    "asked: [{subscriber: A, payload: unchanged}, B, C]",
    "together: []",
    "not_reached: [D]",
    "not_reached: [{subscriber: D, because_of: C, rule: PL-AFTER-ABORT}]",
    "steps: [{subscriber: C, status: error, effect: abort, why: without an outcome}, {subscriber: A, took_ms: 10}]",
    "steps: [{subscriber: B, answer: {contains: {transform: {payload: {pre_model_call: {model: {id: x}}}}}}}]",
    "steps: [{subscriber: A, outcome: {kind: failed, code: INTERNAL}, took_ms: {at_most: 10}, answer: {is: null}}]",
    "errors: [{subscriber: A, mode: observe, category: UNKNOWN, message: INTERNAL, rule: PL-OBSERVE-FAILED}, {}]",
    "rules: [PL-OBSERVE-FAILED, PL-TRANSFORM-CHANGED, PL-TRANSFORM-INVALID, PL-AFTER-ABORT]",
    "spans: {name: hook.dispatch, status: error, error: ErrTransform, children: [A, {status: ok}, {subscriber: C}]}",
    "spans: {attributes: {pluggableharness.hook.point: pre-model-call, other: null}}",
    "spans: {children: [{attributes: {pluggableharness.producer.name: A}, error: INTERNAL}, B, C]}",
    "metrics: [{name: pluggableharness.hook.errors, value: 1, "
    "attributes: {pluggableharness.subscriber.mode: observe}}]",
    "metrics: [{name: pluggableharness.hook.dispatch.duration, count: 1}, "
    "{name: pluggableharness.plugin.crashes, value: 0}, "
    "{name: pluggableharness.turn.duration, count: 0}]",
    "printed: [hello, {subscriber: A, stream: stderr, text: aga}]",
    "took_ms: 10",
    "took_ms: {at_least: 9.5, at_most: 10}",
    "facts: [{fact: opened}, {fact: asked, subscriber: B}, {fact: ended, result: {ending: aborted}}]",
]


@pytest.mark.parametrize("expect", HOLDS)
def test_what_happened_is_what_was_expected(expect: str) -> None:
    """Every key of an expectation, where it holds."""
    found = verdict(scenario(CHAIN, fire=FIRE, expect=f"{{{expect}}}"))
    assert found.problem is None
    assert found.misses == ()


MISSES = [
    ("decision: allow", "decision", "allow", "unspecified"),
    ("decided_by: C", "decided_by", "C", ""),
    ("ending: finished", "ending", "finished", "aborted"),
    ("rule: PL-CHAIN-END", "rule", "PL-CHAIN-END", "PL-TRANSFORM-INVALID"),
    ("error: cancelled", "error", "cancelled", "ErrTransformFailed"),
    ('error: ""', "error", "", "ErrTransformFailed"),
    ("payload: unchanged", "payload", "unchanged", None),
    ("payload: [{is: null}, {contains: {a: 1}}]", "payload[1]", {"contains": {"a": 1}}, None),
    ('payload: {jmespath: "length(@)", is: 1}', "payload", {"jmespath": "length(@)", "is": 1}, "no answer: "),
    ("extras: {contains: {a: 1}}", "extras", {"contains": {"a": 1}}, {}),
    ("asked: [A, B, C, D]", "asked", ["A", "B", "C", "D"], ["A", "B", "C"]),
    ("asked: [B, A, C]", "asked", ["B", "A", "C"], ["A", "B", "C"]),
    ("asked: [A, B, {subscriber: C, payload: unchanged}]", "asked[2].payload", "unchanged", '"id": "x"'),
    ("asked: [{subscriber: A, mode: veto}, B, C]", "asked[0].mode", "veto", "observe"),
    ("asked: [{subscriber: A, phase: begin}, B, C]", "asked[0].phase", "begin", ""),
    ("asked: [{subscriber: A, timeout_ms: null}, B, C]", "asked[0].timeout_ms", None, 5000),
    ("asked: [{subscriber: A, request: 0a}, B, C]", "asked[0].request", "0a", "0a 10 12 0e"),
    ("together: [[A, B]]", "together", [["A", "B"]], []),
    ("not_reached: []", "not_reached", [], ["D"]),
    ("not_reached: [{subscriber: D, because_of: A}]", "not_reached[0].because_of", "A", "C"),
    ("steps: [{subscriber: D, status: ok}]", "steps[0]", {"subscriber": "D", "status": "ok"}, "there is no such step"),
    ("steps: [{subscriber: A}, {subscriber: A}]", "steps[1]", {"subscriber": "A"}, "there is no such step"),
    ("steps: [{subscriber: A, phase: end}]", "steps[0]", {"subscriber": "A", "phase": "end"}, "there is no such step"),
    ("steps: [{subscriber: A, status: ok}]", "steps[0].status", "ok", "error"),
    ("steps: [{subscriber: C, effect: stop}]", "steps[0].effect", "stop", "abort"),
    ("steps: [{subscriber: A, rule: PL-EDITED}]", "steps[0].rule", "PL-EDITED", "PL-OBSERVE-FAILED"),
    ("steps: [{subscriber: A, why: because}]", "steps[0].why", "because", "it failed with INTERNAL"),
    ("steps: [{subscriber: C, answer: {contains: {veto: {}}}}]", "steps[0].answer", {"contains": {"veto": {}}}, {}),
    ("steps: [{subscriber: A, outcome: {kind: empty}}]", "steps[0].outcome", {"kind": "empty"}, '"failed"'),
    ("steps: [{subscriber: A, took_ms: 11}]", "steps[0].took_ms", 11, 10.0),
    ("errors: []", "errors", [], '"category": "INVALID_RESPONSE"'),
    ("errors: [{category: TIMEOUT}, {message: x}]", "errors[0].category", "TIMEOUT", "UNKNOWN"),
    ("errors: [{}, {message: nonsense}]", "errors[1].message", "nonsense", "without an outcome"),
    ("rules: [PL-CHAIN-END]", "rules[0]", "PL-CHAIN-END", ["PL-AFTER-ABORT"]),
    ("spans: none", "spans", "none", "hook.dispatch"),
    ("spans: {status: ok}", "spans.status", "ok", "error"),
    ("spans: {name: dispatch}", "spans.name", "dispatch", "hook.dispatch"),
    ("spans: {error: late}", "spans.error", "late", "ErrTransformFailed"),
    ("spans: {attributes: {a: 1}}", "spans.attributes", {"a": 1}, "hook.point"),
    ("spans: {attributes: {pluggableharness.hook.point: null}}", "spans.attributes", "null", "pre-model-call"),
    ("spans: {all_attributes: {}}", "spans.all_attributes", {}, "hook.point"),
    ("spans: {children: [A, B]}", "spans.children", ["A", "B"], ["A", "B", "C"]),
    ("spans: {children: [A, C, B]}", "spans.children", ["A", "C", "B"], ["A", "B", "C"]),
    ("spans: {children: [A, {status: error}, C]}", "spans.children[1].status", "error", "ok"),
    ("metrics: [{name: pluggableharness.hook.errors}]", "metrics[0]", "hook.errors", '"value": 1'),
    ("metrics: [{name: pluggableharness.hook.dispatch.duration, count: 0}]", "metrics[0]", "count", '"count": 1'),
    ("metrics: [{name: pluggableharness.turns, value: 1}]", "metrics[0]", "pluggableharness.turns", []),
    ("printed: []", "printed", [], ["A on stderr: hello", "A on stderr: again"]),
    ("printed: [again, hello]", "printed[1]", "hello", "A on stderr: hello"),
    ("took_ms: 9", "took_ms", 9, 10.0),
    ("took_ms: {at_least: 11}", "took_ms", {"at_least": 11}, 10.0),
    ("facts: [{fact: ended}, {fact: opened}]", "facts[1]", {"fact": "opened"}, '"fact": "ended"'),
]


@pytest.mark.parametrize(("expect", "key", "expected", "actual"), MISSES)
def test_a_miss_shows_expected_beside_actual(expect: str, key: str, expected: object, actual: object) -> None:
    """Under the key that it stands at, as it was written."""
    from debugger.scenario.load import dotted

    found = verdict(scenario(CHAIN, fire=FIRE, expect=f"{{{expect}}}"))
    assert found.problem is None
    miss = next(each for each in found.misses if dotted(each.path) == f"expect[0].{key}")
    for seen, wanted in ((miss.expected, expected), (miss.actual, actual)):
        if isinstance(wanted, str):
            assert wanted in json.dumps(seen) or wanted in str(seen)
        elif isinstance(wanted, list) and wanted and isinstance(seen, list):
            assert all(each in seen for each in wanted)
        else:
            assert seen == wanted
    assert (miss.place.file, miss.place.line) == ("f.scenario.yaml", 9)


def test_every_key_is_judged_by_itself() -> None:
    """One miss does not hide another."""
    expect = "{decision: allow, ending: finished, payload: unchanged, took_ms: 1}"
    found = verdict(scenario(CHAIN, fire=FIRE, expect=expect))
    assert [miss.path[-1] for miss in found.misses] == ["decision", "ending", "payload", "took_ms"]


def test_a_large_difference_is_shown_as_a_diff_with_an_end() -> None:
    """From the payload that was fired to the one that came out."""
    chain = "[{name: B, point: pre-model-call, mode: transform, stub: {answer: {append: [a, b, c, d, e]}}}]"
    [miss] = verdict(scenario(chain, fire=FIRE, expect="{payload: unchanged}")).misses
    assert any(line.startswith("+") for line in miss.difference)
    assert len(miss.difference) == MOST_DIFFERENCES + 1
    assert miss.difference[-1].endswith("lines more")


@pytest.mark.parametrize(
    ("expect", "sentence"),
    [
        ('{payload: {jmespath: "a[[", is: 1}}', "expect[0].payload.jmespath: not JMESPath"),
        ("{asked: [{subscriber: A, request: xy}, B, C]}", "expect[0].asked[0].request: not hexadecimal"),
    ],
)
def test_what_cannot_be_judged_is_bad_input(expect: str, sentence: str) -> None:
    """Neither held nor failed: the file is wrong."""
    found = verdict(scenario(CHAIN, fire=FIRE, expect=expect))
    assert found.problem is not None
    assert sentence in str(found.problem)


def test_overlapping_groups_are_found_and_told_apart() -> None:
    """Two runs of observers around a transform are two groups."""
    chain = """
  - {name: A, point: pre-model-call, mode: observe, stub: {answer: ack, after_ms: 9}}
  - {name: B, point: pre-model-call, mode: observe, stub: {answer: ack, after_ms: 3}}
  - {name: C, point: pre-model-call, mode: transform, stub: same}
  - {name: D, point: pre-model-call, mode: observe, stub: {answer: ack, after_ms: 3}}
  - {name: E, point: pre-model-call, mode: observe, stub: {answer: ack, after_ms: 9}}"""
    more = "switches: {concurrent_observe: true}"
    assert verdict(scenario(chain, fire=FIRE, expect="{together: [[B, A], [D, E]]}", more=more)).is_held
    [miss] = verdict(scenario(chain, fire=FIRE, expect="{together: [[A, B]]}", more=more)).misses
    assert miss.actual == [["A", "B"], ["D", "E"]]


HEAD_OF_ONE = "scenario: s\ndialect: pluggable\n"
CONFIG = """
scenario: s
dialect: pluggable
config:
  files:
    agent.hcl: |
      provider "A" {}
      hook "session-end" {
        provider = "A"
        mode     = "veto"
      }
    config.hcl: |
      dev_overrides {
        A = "a-program"
      }
config_error: {%s}
"""


@pytest.mark.parametrize(
    ("expect", "is_held"),
    [
        ("", True),
        ("code: ErrVetoNotPermitted", True),
        ("code: ErrVeto", False),
        ("code: ErrUnknownPoint", False),
        ("at: 4", True),
        ("at: 5", False),
        ('at: "4:14"', True),
        ('at: "4:15"', False),
        ('at: "agent.hcl:4:14"', True),
        ('at: "gent.hcl:4:14"', False),
        ('at: "other.hcl:4"', False),
        ("at: somewhere", False),
        ("message: veto-bearing points", True),
        ("message: nonsense", False),
    ],
)
def test_a_refusal_is_judged_by_code_place_and_message(expect: str, is_held: bool) -> None:
    """And the actual sentence is shown, with the file as the scenario names it."""
    found = verdict(CONFIG % expect)
    assert found.problem is None
    assert found.is_held is is_held
    assert all("agent.hcl:4:14: ErrVetoNotPermitted" in str(miss.actual) for miss in found.misses)
    assert not any("/" in str(miss.actual) for miss in found.misses)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a = 1", "unsupported-argument"),
        ("a {}", "unsupported-block"),
        ("provider {}", "missing-label"),
        ('provider "a" "b" {}', "extra-label"),
        ("provider", "syntax"),
        ('hook "plan_ready" {}', "missing-argument"),
    ],
)
def test_a_code_is_compared_with_a_code(text: str, code: str) -> None:
    """With those that the host has no name for as well; part of a code, and the message, are none."""
    one = HEAD_OF_ONE + "config: {files: {agent.hcl: '%s\n'}}\nconfig_error: {code: %s}"
    assert verdict(one % (text, code)).is_held
    for other in (code[:-1], "Err", text):
        [miss] = verdict(one % (text, json.dumps(other).replace("'", "''"))).misses
        assert str(miss.actual).startswith(f"{code} (agent.hcl:1:")


def test_the_name_of_a_file_or_a_value_is_no_code() -> None:
    """Whatever people write where a sentence repeats it."""
    one = HEAD_OF_ONE + "config: {files: {agent.hcl: '%s\n'}}\nconfig_error: {code: ErrNotFound}"
    assert [miss.path for miss in verdict(one % '"x: ErrNotFound: y" {}').misses] == [("config_error", "code")]


def test_what_a_part_of_the_configuration_is_refused_for_later_is_a_refusal() -> None:
    """It is loaded, and whatever needs that part would not start."""
    text = 'agent_profile "p" {\n  tools = ["fs"]\n}\n'
    one = HEAD_OF_ONE + f"config: {{files: {{agent.hcl: {json.dumps(text)}}}}}\nconfig_error: {{%s}}"
    assert verdict(one % 'code: ErrMalformedToolScope, at: "agent.hcl:2"').is_held
    [miss] = verdict(one % "code: ErrUnknownTool").misses
    assert str(miss.actual).startswith("ErrMalformedToolScope (agent.hcl:2:")


def test_an_error_of_a_configuration_that_is_brought_along_names_its_file() -> None:
    """And not the folder that was made for it."""
    found = verdict(HEAD_OF_ONE + "config: {files: {agent.hcl: 'a = 1\n'}}\nfire: [{point: plan-ready}]")
    assert str(found.problem).startswith("agent.hcl:1:1: ")


def test_a_setup_that_is_accepted_is_a_miss_where_a_refusal_was_expected() -> None:
    """It says so."""
    [miss] = verdict(CONFIG.replace('"veto"', '"observe"') % "code: X").misses
    assert miss.actual == "it was accepted"
