"""The vectors of spec 8 that one dispatch decides, on virtual time against stubs. Numbers are the spec's; rows with a
letter are further cases of the same prose."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hookbus_runs import (
    ERROR,
    HANG,
    I0,
    I1,
    I2,
    LC,
    SL,
    TI,
    TX,
    H,
    Raw,
    at,
    bm,
    bt,
    mc,
    run,
    se,
    ss,
)

from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.payload import HookEvent
from kernel.values import JSON

BOTH = {"permissions": [TI, TX]}


@dataclass(frozen=True)
class Vector:
    """One row. `calls` is who was called, each with its input where a row says so; `gives` is the decision, and its
    members beside it."""

    number: str
    event: HookEvent
    seats: list[H]
    calls: str
    decision: str
    gives: dict[str, JSON] = field(default_factory=dict)
    logs: str = ""
    inputs: list[JSON] | None = None
    took_ms: float = 0
    switch: str = ""
    rule: str = ""


def equals(value: JSON) -> dict[str, JSON]:
    return {"match": {"input_equals": value}}


def contains(needle: str) -> dict[str, JSON]:
    return {"match": {"input_contains": needle}}


# fmt: off
VECTORS = [
    Vector("001", bt(), [], "", "continue", rule="HB-EMPTY"),
    Vector("003", bt(), [H("A", {"block": "x"}), H("B")], "A", "block", {"reason": "x"}, "block A", rule="HB-BLOCK"),
    Vector("003a", bt(), [H("A"), H("B", {"block": "x"}), H("C")], "A B", "block", {"reason": "x"}, "block B"),
    Vector("003b", bt(), [H("A", {"modify": I1}), H("B", {"block": "x"})], "A B", "block", {"reason": "x"},
           "modify A, block B"),
    Vector("003c", bt(), [H("A", {"confirm": "m"}), H("B", {"block": "x"})], "A B", "block", {"reason": "x"},
           "confirm A, block B"),
    Vector("003d", bt(), [H("A"), H("B")], "A B", "continue", rule="HB-END"),
    Vector("005", bt(), [H("A", {"modify": I1}), H("B", {"modify": I2})], "A B", "modify", {"input": I2},
           "modify A, modify B", [I0, I1], rule="HB-MODIFIED"),
    Vector("005a", bt(), [H("A", {"modify": None}), H("B")], "A B", "modify", {"input": None}, "modify A", [I0, None]),
    Vector("005b", bt(), [H("A", {"modify": I0})], "A", "modify", {"input": I0}, "modify A"),
    Vector("007", bt(), [H("A", {"confirm": "m"}), H("B")], "A B", "confirm",
           {"message": "m", "sources": ["A"], "generations": [0], "tool": "bash", "modified_input": None,
            "modified_by": []}, "confirm A", [I0, I0], rule="HB-CONFIRM-MERGED"),
    Vector("007a", bt(), [H("A", {"confirm": "m"}), H("B", {"modify": I1}), H("C")], "A B C", "confirm",
           {"modified_input": None, "modified_by": []}, "confirm A, modify_late B", [I0, I0, I0]),
    Vector("009", bt(), [H("A", {"modify": I1}), H("B", {"confirm": "m"})], "A B", "confirm",
           {"message": "m", "sources": ["B"], "modified_input": I1, "modified_by": ["A"]},
           "modify A, confirm B", [I0, I1]),
    Vector("009a", bt(), [H("A", {"modify": I1}), H("B", {"modify": I2}), H("C", {"confirm": "m"}),
                          H("D", {"modify": I0}), H("E")], "A B C D E", "confirm",
           {"sources": ["C"], "modified_input": I2, "modified_by": ["A", "B"]},
           "modify A, modify B, confirm C, modify_late D", [I0, I1, I2, I2, I2]),
    Vector("011", bt(), [H("A", {"confirm": "m1"}), H("B", {"confirm": "m2"})], "A B", "confirm",
           {"message": "m1\n\nm2", "sources": ["A", "B"], "generations": [0, 0]}, "confirm A, confirm B"),
    Vector("011a", bt(), [H("A", {"confirm": "m1"}, {"generation": 3}), H("B", {"confirm": "m2"}, {"generation": 1})],
           "A B", "confirm", {"sources": ["A", "B"], "generations": [3, 1]}, "confirm A, confirm B"),
    Vector("013", bt(), [H("A", {"inject": "x"}), H("B")], "A B", "continue", {}, "disallowed A"),
    Vector("013a", bt(), [H("A", {"replace": "x"}, BOTH), H("B")], "A B", "continue", {}, "disallowed A"),
    Vector("013b", bt(), [H("A", {"context_phase": "x"}), H("B")], "A B", "continue", {}, "disallowed A"),
    Vector("015", at(), [H("A", {"block": "b"})], "A", "continue", {}, "disallowed A"),
    Vector("015a", at(), [H("A", {"confirm": "b"}), H("B", {"modify": I1})], "A B", "continue", {},
           "disallowed A, disallowed B", [I0, I0]),
    Vector("017", at(), [H("A", {"replace": "S"}), H("B", {"replace": "T"}, BOTH)], "A B", "replace",
           {"output": "T", "observed_len": 3, "replacement_len": 1}, "replace_denied A, replace B", rule="HB-REPLACE"),
    Vector("017a", at(), [H("A", {"replace": "S"}, BOTH), H("B", {"replace": "T"}, BOTH)], "A", "replace",
           {"output": "S"}, "replace A"),
    Vector("017b", at("räw"), [H("A", {"replace": "ü"}, BOTH)], "A", "replace",
           {"output": "ü", "observed_len": 4, "replacement_len": 2}, "replace A"),
    Vector("019", bm(), [H("A", {"inject": "a"}), H("B", {"inject": "b"})], "A B", "inject", {"content": "a\n\nb"},
           "inject A, inject B", rule="HB-INJECTED"),
    Vector("021", bm(), [H("A", {"block": "x"}), H("B", {"inject": "b"})], "A B", "inject", {"content": "b"},
           "disallowed A, inject B"),
    Vector("023", bm(), [H("A", {"inject": ""}), H("B", {"inject": "b"})], "A B", "inject", {"content": "\n\nb"},
           "inject A, inject B"),
    Vector("023a", bm(), [H("A", {"inject": ""})], "A", "inject", {"content": ""}, "inject A"),
    Vector("025", mc("Block me"), [H("A", {"block": "x"})], "A", "continue", {}, "disallowed A"),
    Vector("027", ss(), [H("A", {"inject": "h"})], "A", "inject", {"content": "h"}, "inject A"),
    Vector("027a", ss(), [H("A", {"inject": "h"})], "A", "continue", {}, "disallowed A",
           switch="session_start_inject"),
    Vector("031", bt("srv_do", I0, "srv/do"), [H("A", {"block": "b"}, {"tool": "srv/do"})], "A", "block",
           {"reason": "b"}, "block A"),
    Vector("031a", bt("srv_do", I0, "srv/do"), [H("A", {"block": "b"}, {"tool": "srv_do"})], "A", "block",
           {"reason": "b"}, "block A"),
    Vector("031b", bt("srv_do", I0), [H("A", {"block": "b"}, {"tool": "srv/do"})], "", "continue"),
    Vector("033", bt(), [H("A", {"block": "b"}, {"tool": "Bash"})], "", "continue"),
    Vector("035", bt("bash", {"command": "echo safe", "extra": True}),
           [H("A", {"block": "b"}, equals({"command": "echo safe"}))], "", "continue"),
    Vector("037", bt("bash", {"command": "ls"}), [H("A", {"block": "r"}, contains('"command":"ls"'))], "A", "block",
           {"reason": "r"}, "block A"),
    Vector("037a", bt("bash", {"command": "ls"}), [H("A", {"block": "r"}, contains('"command": "ls"'))], "",
           "continue"),
    Vector("037b", bt("bash", {"b": 1, "a": 2}), [H("A", {"block": "r"}, contains('{"a":2,"b":1}'))], "A", "block",
           {"reason": "r"}, "block A"),
    Vector("039", bm("x"), [H("A", {"inject": "a"}, contains("null")), H("B", {"inject": "b"}, contains("x"))], "A",
           "inject", {"content": "a"}, "inject A"),
    Vector("041a", bt("t", {"n": 1.0}), [H("A", {"block": "b"}, equals({"n": 1}))], "", "continue"),
    Vector("041b", bt("t", {"n": True}), [H("A", {"block": "b"}, equals({"n": 1}))], "", "continue"),
    Vector("041c", bt("t", {"n": 1}), [H("A", {"block": "b"}, equals({"n": 1}))], "A", "block", {"reason": "b"},
           "block A"),
    Vector("043", bt("t", {"text": "é"}), [H("A", {"block": "b"}, contains("é"))], "A", "block", {"reason": "b"},
           "block A"),
    Vector("043a", bt(), [H("A", {"modify": I1}), H("B", {"block": "b"}, contains("pwd")),
                          H("C", {"block": "c"}, contains("ls"))], "A B", "block", {"reason": "b"},
           "modify A, block B"),
    Vector("043b", bt(), [H("A", {"modify": I1}), H("B", {"block": "b"}, contains("ls")), H("C")], "A C", "modify",
           {"input": I1}, "modify A"),
    Vector("043c", bt(), [H("A", {"confirm": "m"}), H("B", {"modify": I1}), H("C", {"confirm": "n"}, contains("ls")),
                          H("D", {"block": "d"}, contains("pwd"))], "A B C", "confirm",
           {"sources": ["A", "C"], "modified_input": None}, "confirm A, modify_late B, confirm C"),
    Vector("049", bt(), [H("A", HANG), H("B", {"block": "b"})], "A B", "block", {"reason": "b"}, "timeout A, block B",
           took_ms=5000),
    Vector("049a", bt(), [H("A", HANG), H("B", HANG)], "A B", "continue", {}, "timeout A, timeout B", took_ms=10000),
    Vector("051", se(), [H("A", HANG), H("B", HANG), H("C", HANG)], "A B C", "continue", {},
           "timeout_conc, timeout_conc, timeout_conc", took_ms=5000, rule="HB-END"),
    Vector("051a", se(), [H("A", HANG), H("B")], "A B", "continue", {}, "timeout A", took_ms=5000,
           switch="concurrent_session_end"),
    Vector("053", se(), [H("A"), H("B", {"block": "r"}), H("C", {"inject": "i"})], "A B C", "block", {"reason": "r"},
           rule="HB-CONC-FIRST"),
    Vector("053a", se(), [H("A", {"inject": "i"}), H("B", {"modify": I1}), H("C", {"block": "r"})], "A B C", "modify",
           {"input": I1}, "inject A"),
    Vector("053b", se(), [H("A", {"inject": "i"}), H("B"), H("C", {"inject": "j"})], "A B C", "inject",
           {"content": "i\n\nj"}, "inject A, inject C"),
    Vector("053c", se(), [H("A", Raw({"action": "modify"})), H("B", {"replace": "x"})], "A B", "block",
           {"reason": "Extension returned malformed modify result"}, "invalid_result A"),
    Vector("055", se(), [H("A", "continue", contains("zzz")), H("B")], "B", "continue"),
    Vector("059", bt(), [H("A"), H("B", {"block": "b"})], "A B", "block", {"reason": "b"}, "block B"),
    Vector("089", at(), [H("A", Raw({"action": "replace"}), BOTH)], "A", "continue", {}, "invalid_result A"),
    Vector("091", bt(), [H("A", Raw({"action": "explode"}))], "A", "continue", {}, "invalid_result A"),
    Vector("091a", bt(), [H("A", Raw({"action": "modify"}))], "A", "block",
           {"reason": "Extension returned malformed modify result"}, "invalid_result A, block A"),
    Vector("091b", at(), [H("A", Raw({"action": "modify"}))], "A", "continue", {}, "invalid_result A, disallowed A"),
    Vector("091c", bt(), [H("A", Raw(["block", "why"]))], "A", "block", {"reason": "why"}, "block A"),
    Vector("091d", bt(), [H("A", Raw(["modify"]))], "A", "continue", {}, "invalid_result A"),
    Vector("091e", bt(), [H("A", ERROR), H("B", {"block": "b"})], "A B", "block", {"reason": "b"},
           "call_failed A, block B"),
    Vector("drift1", bt(), [H("A", {"confirm": "m"}), H("B", {"block": "x"})], "A", "confirm", {"message": "m"},
           "confirm A", switch="ends_on_first"),
    Vector("drift2", bt(), [H("A", {"modify": I1}), H("B", {"block": "x"})], "A", "modify", {"input": I1}, "modify A",
           switch="ends_on_first"),
]
# fmt: on


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: row.number)
def test_a_vector_holds(row: Vector) -> None:
    """Calls, inputs, result, logs and time."""
    is_on = not HOOKBUS.switches[row.switch] if row.switch else False
    dialect = HOOKBUS.switched(row.switch, is_on) if row.switch else HOOKBUS
    ran = run(row.event, *row.seats, dialect=dialect)
    assert " ".join(ran.calls) == row.calls
    assert ran.came_to.decision == row.decision
    assert {key: ran.came_to.extras[key] for key in row.gives} == row.gives
    assert row.gives or not ran.came_to.extras
    assert ran.log == row.logs
    assert ran.took_ms == row.took_ms
    if row.inputs is not None:
        seen = [event.tool_input for handler in ran.handlers.values() for event in handler.seen]
        assert seen == row.inputs
    if row.rule:
        assert ran.came_to.rule == row.rule


def test_v059_traces_every_call_in_order() -> None:
    """V059: the trace record of a step comes before what is logged of its answer."""
    ran = run(bt(), H("A"), H("B", {"block": "b"}), tracing=True)
    assert [(line.code, line.fields["extension"], line.fields.get("action")) for line in ran.logs] == [
        ("trace", "A", "continue"),
        ("trace", "B", "block"),
        ("block", "B", None),
    ]


def test_v073_a_worker_calls_nobody_but_after_tool_calls() -> None:
    """V073, V075: other kinds continue at once, and so do records without the second permission."""
    dialect = HOOKBUS.switched("worker_view", True)
    for event in (bt(), bm(), ss(), se(), mc()):
        held = {"permissions": [TI, TX, LC, SL]}
        ran = run(event, H("A", {"block": "x"}, held), dialect=dialect)
        assert (ran.calls, ran.came_to.decision, ran.missed) == ([], "continue", ["A HB-WORKER-VIEW"])
    ran = run(at(), H("A", {"replace": "S"}), H("B", {"replace": "T"}, BOTH), H("C", "continue", BOTH), dialect=dialect)
    assert (ran.calls, ran.came_to.extras["output"]) == (["B"], "T")
    assert ran.handlers["B"].phases == ["handle_no_spawn"]
    assert ran.missed == ["A HB-WORKER-VIEW", "C HB-AFTER-REPLACE"]
