"""Claims about replies: which are results, and what those count as that are none (spec 1.5, 4.8)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.dialects.hookbus.answers import (
    CONTINUE,
    CONTINUE_BODY,
    MALFORMED_MODIFY,
    MEMBERS,
    Block,
    Confirm,
    ContextPhase,
    Continue,
    HookResult,
    Inject,
    Invalid,
    Modify,
    Replace,
    read,
    to_body,
    to_view,
)
from kernel.dialects.hookbus.json_text import decoded
from kernel.dialects.hookbus.kinds import Action
from kernel.values import JSON


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        ({"action": "continue"}, CONTINUE),
        ({"action": "continue", "reason": 7, "x": []}, CONTINUE),
        ({"action": "block", "reason": "r"}, Block("r")),
        ({"action": "block", "reason": ""}, Block("")),
        ({"action": "block", "reason": "r", "output": 1}, Block("r")),
        ({"action": "confirm", "message": "m"}, Confirm("m")),
        (
            {"action": "confirm", "message": "m", "sources": ["X"], "generations": [9], "modified_by": ["X"]},
            Confirm("m"),
        ),
        ({"action": "modify", "input": {"a": 1}}, Modify({"a": 1})),
        ({"action": "modify", "input": None}, Modify(None)),
        ({"action": "modify", "input": 0}, Modify(0)),
        ({"action": "replace", "output": ""}, Replace("")),
        ({"action": "inject", "content": "c"}, Inject("c")),
        ({"action": "context_phase", "phase": "p"}, ContextPhase("p")),
        (["continue"], CONTINUE),
        (["continue", 1, 2], CONTINUE),
        (["block", "why"], Block("why")),
        (["modify", {"a": 1}], Modify({"a": 1})),
        (["modify", None], Modify(None)),
    ],
)
def test_a_result_is_read(reply: JSON, result: HookResult) -> None:
    """Members that an action does not have are ignored, those of the bus above all."""
    assert read(reply) == result


@pytest.mark.parametrize(
    "reply",
    [
        None,
        True,
        7,
        "continue",
        [],
        {},
        {"result": "continue"},
        {"action": None},
        {"action": 5},
        {"action": ["block"]},
        {"action": "Continue"},
        {"action": "CONTINUE"},
        {"action": " continue"},
        {"action": "explode"},
        {"action": ""},
        {"action": "contextPhase", "phase": "p"},
        {"action": "block"},
        {"action": "block", "reason": None},
        {"action": "block", "reason": 7},
        {"action": "block", "message": "m"},
        {"action": "confirm"},
        {"action": "confirm", "message": ["m"]},
        {"action": "replace"},
        {"action": "replace", "output": {}},
        {"action": "inject", "content": None},
        {"action": "context_phase"},
        [None],
        ["explode"],
        ["block"],
        ["block", 7],
        ["block", "why", "more"],
        ["modify"],
        ["modify", 1, 2],
        [["block", "why"]],
    ],
)
def test_what_is_no_result_counts_as_continue(reply: JSON) -> None:
    """With a sentence that says why; a list that says modify has no member `action`, so it does not fail closed."""
    found = read(reply)
    assert isinstance(found, Invalid)
    assert found.taken_for == CONTINUE
    assert found.error


def test_a_modify_without_input_fails_closed() -> None:
    """The only one that does."""
    found = read({"action": "modify", "inputs": {}})
    assert found == Invalid("modify without 'input'", Block(MALFORMED_MODIFY))


values = st.recursive(st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3), st.lists, max_leaves=4)
results: st.SearchStrategy[HookResult] = st.one_of(
    st.just(Continue()),
    *(st.builds(kind, st.text(max_size=9)) for kind in (Block, Confirm, Replace, Inject, ContextPhase)),
    st.builds(Modify, values),
)


@given(results)
def test_what_is_written_is_read_back(result: HookResult) -> None:
    """Through the wire form."""
    assert read(decoded(to_body(result))) == result
    assert to_view(result)["action"] == result.action


def test_every_action_has_its_row() -> None:
    """And the default result is continue, as short as it can be."""
    assert MEMBERS.keys() == set(Action)
    assert to_body(CONTINUE) == CONTINUE_BODY


@given(st.recursive(values, lambda inner: st.dictionaries(st.sampled_from(["action", "reason", "input"]), inner)))
def test_no_reply_breaks_the_reader(reply: JSON) -> None:
    """Whatever it is, it comes to something."""
    read(reply)


def test_confirm_pairs_sources_with_generations() -> None:
    """As a latch wants them."""
    assert Confirm("m", ("A", "B"), (0, 2)).keys == (("A", 0), ("B", 2))
