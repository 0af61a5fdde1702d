"""Facts as JSON: every kind has its shape, and the shape is stable."""

from __future__ import annotations

import base64
import itertools
import json
import re
from typing import get_args

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub
from pluggable_payloads import VIEWS, payload
from plugin_runs import ROOT

from debugger.fact_json import outcome_json, to_json
from kernel.clock import VirtualClock
from kernel.control import Proceed, Skip
from kernel.dialects.pluggable import Pluggable
from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Fact,
    Fork,
    Late,
    Left,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Rewound,
    Steered,
)
from kernel.faults import Draw, Fault
from kernel.values import (
    JSON,
    Answered,
    Cancelled,
    Chain,
    Crashed,
    Effect,
    Empty,
    Ending,
    Failed,
    Outcome,
    Place,
    Result,
    Skipped,
    Status,
    Subscription,
    TimedOut,
)

P0 = payload("plan-ready")
SEAT = Subscription("A", "plan-ready", "veto", 500, place=Place("agent.hcl", 3, 1))
BARE = Subscription("B", "plan-ready", "observe")
WIRE = base64.b64encode(b"\x1a\x02\x08\x01").decode()
ALLOWED: JSON = {"kind": "answered", "answer": {"veto": {"decision": "HOOK_DECISION_ALLOW"}}, "wire": WIRE}
RESULT: JSON = {
    "ending": "finished",
    "decision": "allow",
    "decided_by": "",
    "error": "",
    "rule": "PL-CHAIN-END",
    "payload": VIEWS["plan-ready"],
    "digest": P0.digest,
    "also": 1,
}

FACTS: list[tuple[Fact, dict[str, JSON]]] = [
    (
        Opened("pluggable", Chain("plan-ready", (SEAT, BARE)), P0, 17),
        {
            "fact": "opened", "dialect": "pluggable", "point": "plan-ready", "wall_ns": 17,
            "chain": [
                {"subscriber": "A", "mode": "veto", "timeout_ms": 500, "declared": "agent.hcl:3:1"},
                {"subscriber": "B", "mode": "observe", "timeout_ms": None, "declared": None},
            ],
            "payload": VIEWS["plan-ready"], "digest": P0.digest, "parent": "",
        },
    ),
    (
        Asked(0, SEAT, P0, b"\x01\xff", 500, "begin"),
        {
            "fact": "asked", "step": 0, "subscriber": "A", "mode": "veto", "digest": P0.digest, "request": "Af8=",
            "timeout_ms": 500, "phase": "begin",
        },
    ),
    (
        Replied(0, Answered(b"\x1a\x02\x08\x01"), 12),
        {"fact": "replied", "step": 0, "took_ns": 12, "outcome": ALLOWED},
    ),
    (
        Steered(0, "person", "fault", "hang", subscription=SEAT),
        {
            "fact": "steered", "step": 0, "by": "person", "what": "fault", "detail": "hang", "outcome": None,
            "subscriber": "A",
        },
    ),
    (Rewound(4, "person"), {"fact": "rewound", "since": 4, "by": "person", "step": None}),
    (
        Resolved(0, SEAT, Status.TIMED_OUT, Effect.STOP, "PL-VETO-TIMEOUT", "too late"),
        {
            "fact": "resolved", "step": 0, "subscriber": "A", "status": "timed out", "effect": "stop",
            "rule": "PL-VETO-TIMEOUT", "why": "too late",
        },
    ),
    (
        Changed(0, "A", P0, P0, "PL-EDITED"),
        {
            "fact": "changed", "step": 0, "by": "A", "before": P0.digest, "after": P0.digest,
            "payload": VIEWS["plan-ready"], "rule": "PL-EDITED",
        },
    ),
    (
        Raised(0, SEAT, "TIMEOUT", "no answer", "PL-VETO-TIMEOUT"),
        {
            "fact": "raised", "step": 0, "subscriber": "A", "mode": "veto", "category": "TIMEOUT",
            "message": "no answer", "rule": "PL-VETO-TIMEOUT",
        },
    ),
    (
        Late(0, SEAT, Answered(b"\x1a\x02\x08\x01"), 600),
        {"fact": "late", "step": 0, "subscriber": "A", "took_ns": 600, "outcome": ALLOWED},
    ),
    (
        NotReached(BARE, "A", "PL-AFTER-DENY"),
        {"fact": "not reached", "subscriber": "B", "because_of": "A", "rule": "PL-AFTER-DENY"},
    ),
    (
        Printed("A", "stderr", "\x1b[31m \u202e", None),
        {"fact": "printed", "step": None, "subscriber": "A", "stream": "stderr", "text": "\x1b[31m \u202e"},
    ),
    (
        Ended(Result(Ending.FINISHED, P0, "allow", rule="PL-CHAIN-END", extras={"also": 1})),
        {"fact": "ended", "result": RESULT},
    ),
    (
        Entered("pluggable", "turn", "turn 1", "s", 17, {"turn.index": 0}),
        {
            "fact": "entered", "dialect": "pluggable", "kind": "turn", "name": "turn 1", "parent": "s", "wall_ns": 17,
            "attributes": {"turn.index": 0},
        },
    ),
    (
        Decided("fs.write (c1)", "deny", "policy:no", "PL-POLICY-RULE", "it says so"),
        {
            "fact": "decided", "subject": "fs.write (c1)", "decision": "deny", "by": "policy:no",
            "rule": "PL-POLICY-RULE", "why": "it says so",
        },
    ),
    (Left("it broke", {"cost_usd": 0.5}), {"fact": "left", "error": "it broke", "attributes": {"cost_usd": 0.5}}),
]  # fmt: skip

OUTCOMES: list[tuple[Outcome, dict[str, JSON]]] = [
    (Answered(b"\x1a\x02\x08\x01"), ALLOWED),
    (Answered(b"\xff"), {"kind": "answered", "answer": {"$undecodable": "/w=="}, "wire": "/w=="}),
    (Empty(), {"kind": "empty"}),
    (Failed("UNAVAILABLE", "gone"), {"kind": "failed", "code": "UNAVAILABLE", "message": "gone"}),
    (Crashed("signal 9"), {"kind": "crashed", "message": "signal 9"}),
    (TimedOut(500.5), {"kind": "timed out", "after_ms": 500.5}),
    (Cancelled("enough"), {"kind": "cancelled", "reason": "enough"}),
    (Skipped("person"), {"kind": "skipped", "by": "person"}),
]


@pytest.mark.parametrize(("fact", "shape"), FACTS, ids=[type(fact).__name__ for fact, _ in FACTS])
def test_each_fact_has_its_shape(fact: Fact, shape: dict[str, JSON]) -> None:
    """Where and when in front, then what the fact says; and it is JSON through and through."""
    found = to_json(Event("d", 3, 1_000, fact), Pluggable())
    assert found == {"dispatch": "d", "number": 3, "at_ns": 1_000} | shape
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(("outcome", "shape"), OUTCOMES, ids=[type(outcome).__name__ for outcome, _ in OUTCOMES])
def test_each_outcome_has_its_shape(outcome: Outcome, shape: dict[str, JSON]) -> None:
    """A kind, and what this kind knows."""
    assert outcome_json(outcome, Pluggable()) == shape


def documented(heading: str) -> dict[str, set[str]]:
    """The members that docs/facts.md gives each kind of a table."""
    lines = (ROOT / "docs" / "facts.md").read_text().splitlines()
    start = lines.index(f"| `{heading}` | further members |") + 2
    table = {}
    for line in itertools.takewhile(lambda line: line.startswith("|"), lines[start:]):
        _, kind, members, _ = line.split("|")
        outer = re.sub(r"\([^)]*\)", "", members)  # what a list holds, or which words there are
        table[kind.strip(" `")] = set(re.findall(r"`(\w+)`", outer))
    return table


def test_the_documentation_has_every_fact_with_its_members() -> None:
    """No member is missing there, and none is promised that does not come."""
    head = {"dispatch", "number", "at_ns", "fact"}
    shapes = {str(shape["fact"]): shape for _, shape in FACTS}
    said = documented("fact")
    assert isinstance(RESULT, dict)
    assert said.pop("ended") == {"result"} | RESULT.keys() - {"also"}
    assert said == {kind: shape.keys() - head for kind, shape in shapes.items() if kind != "ended"}


def test_the_documentation_has_every_outcome_with_its_members() -> None:
    """The same for what a subscriber gave back."""
    assert documented("kind") == {str(shape["kind"]): shape.keys() - {"kind"} for _, shape in OUTCOMES}


def test_no_kind_is_forgotten() -> None:
    """The tables above have a row for every fact and every outcome that there is."""
    assert {type(fact) for fact, _ in FACTS} == set(get_args(Fact))
    assert {type(outcome) for outcome, _ in OUTCOMES} == set(get_args(Outcome))


def test_kinds_are_told_apart_by_one_member() -> None:
    """No two facts and no two outcomes share their word, apart from the same class."""
    assert len({shape["fact"] for _, shape in FACTS}) == len(FACTS)
    assert len({(type(outcome), shape["kind"]) for outcome, shape in OUTCOMES}) == len(get_args(Outcome))


def test_what_is_there_only_sometimes() -> None:
    """A fault that befell a call with the draw that chose it, and of what a dispatch is a fork."""
    drawn = Fault("delay", {"ms": 5}, Draw(0.5, 7, 2))
    told = to_json(Event("d", 0, 0, Steered(0, "person", "fault", str(drawn), fault=drawn)), Pluggable())
    assert told["detail"] == "delay (ms=5) [chance 50 %, seed 7, call 2]"
    assert told["fault"] == {"kind": "delay", "params": {"ms": 5}, "draw": {"chance": 0.5, "seed": 7, "call": 2}}
    plain = Fault("hang")
    told = to_json(Event("d", 0, 0, Steered(0, "person", "fault", "hang", fault=plain)), Pluggable())
    assert told["fault"] == {"kind": "hang", "params": {}}
    forked = Opened("pluggable", Chain("plan-ready", ()), P0, 1, fork=Fork("e", 1, "without B"))
    told = to_json(Event("d", 0, 0, forked), Pluggable())
    assert told["fork"] == {"of": "e", "step": 1, "words": "without B"}


def test_a_payload_that_is_gone_is_null() -> None:
    """An aborted chain has no usable payload."""
    shape = to_json(Event("d", 0, 0, Ended(Result(Ending.ABORTED, None, "unspecified"))), Pluggable())["result"]
    assert isinstance(shape, dict)
    assert (shape["payload"], shape["digest"]) == (None, None)


def test_a_whole_dispatch_can_be_put_together_again_from_its_lines() -> None:
    """Numbers count without a gap, and digests link what was asked to what had changed."""

    async def body(clock: VirtualClock) -> None:
        control = Scripted(before_B=Proceed(fault=Fault("hang")), before_A=Skip())
        stubs = {"A": stub("same"), "C": stub("+x"), "B": stub("same")}
        told = await Told().run("A:t C:t B:t", stubs, clock, control=control)
        lines = [json.loads(json.dumps(to_json(event, Pluggable()))) for event in told.events]
        assert [line["number"] for line in lines] == list(range(len(lines)))
        assert {line["dispatch"] for line in lines} == {"d"}
        [changed] = [line for line in lines if line["fact"] == "changed"]
        asked = [line["digest"] for line in lines if line["fact"] == "asked"]
        assert asked == [changed["before"], changed["after"]]
        assert lines[0]["fact"] == "opened"
        assert lines[-1]["fact"] == "ended"

    on_virtual_time(body)
