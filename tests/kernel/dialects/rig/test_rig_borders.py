"""Whatever somebody writes is used or refused with BadInput: payloads, answers, words, set files and their bytes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_runs import tc5

from kernel import Chain, Subscription
from kernel.dialects.rig import RIG
from kernel.dialects.rig.config import chains
from kernel.dialects.rig.faults import FAULTS
from kernel.dialects.rig.own import OperationItself
from kernel.dialects.rig.payload import of
from kernel.dialects.rig.set_file import check, read
from kernel.dialects.rig.wire import begin_said, finish_said, guard_said, operation_said
from kernel.errors import BadInput
from kernel.faults import Alter, Fault
from kernel.problems import Problem
from kernel.values import JSON, Answered, Ask, Cancelled, Crashed, Empty, Failed, Outcome, Skipped, TimedOut

KEYS = st.sampled_from(
    [
        "Operation",
        "StartedAt",
        "ToolCall",
        "Turn",
        "Input",
        "Blocks",
        "Type",
        "Role",
        "ArgsJSON",
        "Result",
        "Content",
        "$null",
        "$context",
        "$body",
        "values",
        "cancellable",
        "deadline_ms",
        "cancelled",
        "context",
        "kind",
        "finish",
        "error",
        "denial",
        "raised",
        "members",
        "cause",
        "hostile",
        "code",
        "reason",
        "outcome",
        "result",
        "ended_at",
        "now",
        "val",
        "det",
        "own",
        "ok",
        "deny",
        "err",
        "wrapped",
        "joined",
        "boom",
        "failed",
        "$bytes",
        "$undecodable",
        "type",
        "message",
        "index",
        "handle",
    ]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(
        [
            "ToolCall",
            "text",
            "user",
            "same",
            "derived",
            "detached",
            "hostile",
            "none",
            "canceled",
            "guard",
            "0001-01-01T00:00:00+23:59",
            "\ud800",
        ]
    ),
)
JSONS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(RIG.points), JSONS)
def test_any_json_is_a_payload_or_refused(point: str, view: JSON) -> None:
    """And a payload comes back from its bytes."""
    try:
        payload = RIG.payload_from_view(point, view)
    except BadInput:
        return
    assert RIG.payload_from_body(point, payload.body) == payload


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(["begin", "guard", "operation", "finish"]), JSONS)
def test_any_json_is_an_answer_or_refused(phase: str, view: JSON) -> None:
    """For whatever is asked."""
    ask = Ask(0, Subscription("A0", "ToolCall", "around"), of(tc5()), b"{}", None, phase)
    try:
        RIG.answer_from_view(ask, view)
    except BadInput:
        return


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(["around", "guard", "operation"]), JSONS)
def test_any_words_are_an_answer_or_refused(mode: str, words: JSON) -> None:
    """What they come to can be read for every question that such a seat is asked."""
    try:
        answer = RIG.staging.answer_in_words(words, mode)
    except BadInput:
        return
    readers: dict[str, list[Any]] = {
        "around": [begin_said, finish_said],
        "guard": [guard_said],
        "operation": [operation_said],
    }
    for phase, reader in zip(["begin", "finish"], readers[mode], strict=False):
        body = answer(b'{"phase":"%s"}' % phase.encode())
        assert body is not None
        try:
            reader(body)
        except BadInput:
            assert mode == "operation"  # times and terminal fields are checked where they are used


OUTCOMES: list[Outcome] = [
    Empty(),
    Failed("ValueError", "x"),
    Crashed("x"),
    TimedOut(5),
    Cancelled("x"),
    Skipped("somebody"),
    Answered(b""),
    Answered(b"garbage"),
    Answered(b"[]"),
    Answered(b"{}"),
    Answered(b'{"odd":1}'),
    Answered(b'{"raised":"x"}'),
    Answered(b'{"context":{"kind":"none"},"finish":true}'),
    Answered(b'{"error":"x"}'),
    Answered(b'{"outcome":200}'),
    Answered(b'{"result":{"Odd":1}}'),
    Answered(b'{"result":{"Result":{"Content":[null]}}}'),
    Answered(b"NaN"),
]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(OUTCOMES), min_size=12, max_size=12), st.sampled_from(["A", "G", "AG", "AAGG", ""]))
def test_a_walk_goes_to_its_end_whatever_comes_back(outcomes: list[Outcome], seats: str) -> None:
    """Every outcome is answered, and there is one ask until there is a result."""
    chain = Chain("ToolCall")
    for index, kind in enumerate(seats):
        mode = "around" if kind == "A" else "guard"
        chain = RIG.staging.seated(chain, Subscription(f"{kind}{index}", "ToolCall", mode), {})
    walk, _ = RIG.open(chain, of(tc5()))
    steps = []
    for outcome in outcomes:
        if walk.result is not None:
            break
        [ask] = walk.asks
        steps.append(ask.step)
        walk, facts = walk.after(ask, outcome)
        assert facts
    assert walk.result is not None
    assert walk.asks == ()
    assert steps == sorted(set(steps))


LINES = st.lists(
    st.sampled_from(
        [
            "policy_revision: v1",
            "guards:",
            "around:",
            "  - operation: Turn",
            "    check: a:b",
            "    begin: a.py:b",
            "  - {operation: [1, 2]}",
            "- x",
            "  name: operation",
            "    name: 5",
            "&a [*a]",
            "? [1]: 2",
            "!!python/object/apply:os.system ['x']",
            "\t",
            "{",
            "guards: [~]",
            "around: ~",
        ]
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=300)
@given(LINES.map("\n".join) | st.text(max_size=40))
def test_any_text_is_a_set_file_or_has_problems(text: str) -> None:
    """Read, checked and made into chains: nothing raises."""
    from pathlib import Path

    problems: list[Problem] = []
    found = read(text, "x.rig.yaml", problems.append)
    check(found, Path("/nowhere"), problems.append)
    chains(found, Path("/nowhere"))
    assert all(each.place is not None for each in problems)


@pytest.mark.parametrize("kind", FAULTS, ids=lambda kind: kind.kind)
@pytest.mark.parametrize("phase", ["begin", "guard", "finish", "operation"])
def test_a_fault_alters_any_answer_into_one_that_is_decided_on(kind: Any, phase: str) -> None:
    """What a stub sends instead is bytes in every case."""
    ask = Ask(0, Subscription("A0", "ToolCall", "around"), of(tc5()), b"{}", None, phase)
    act = kind.plan(Fault(kind.kind))(ask)
    if isinstance(act, Alter):
        for true in (b"", b"garbage", b"[]", b'{"context":{"kind":"same"},"finish":true}'):
            assert isinstance(act.rewrite(true), bytes)


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("short_deadline", {"ms": "x"}),
        ("detached_context", {"values": 1}),
        ("raises", {"message": 1}),
        ("bad_denial", {"code": 5}),
    ],
)
def test_settings_that_cannot_be_used_are_refused(kind: str, params: dict[str, JSON]) -> None:
    """As everywhere."""
    found = next(each for each in FAULTS if each.kind == kind)
    with pytest.raises(BadInput):
        found.plan(Fault(kind, params))


def test_the_operation_itself_refuses_words_that_it_does_not_know() -> None:
    """They stand in a payload, which somebody wrote."""
    with pytest.raises(BadInput, match="no answer 'complete'"):
        RIG.payload_from_view("ToolCall", {"ToolCall": {}, "$body": "complete"})
    assert isinstance(OperationItself().wall_ns(), int)
