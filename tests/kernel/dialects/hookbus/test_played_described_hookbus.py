"""Claims about descriptions of hookbus sessions: what is read, what is refused and where, and the published schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hookbus_played import bash, session, turn
from schema_walk import misfits

from kernel.dialects import load_session
from kernel.dialects.hookbus.session.described import HostKind, load
from kernel.dialects.hookbus.session.schema import schema
from kernel.errors import BadInput
from kernel.values import JSON

SCHEMA = json.loads(json.dumps(schema()))  # as it is published
SAMPLE = Path(__file__).parents[4] / "sample_configs" / "hookbus"
VALID: list[dict[str, Any]] = [
    session(),
    session(turn()),
    session(turn(bash(id="a"), bash(id="b", fails=True, takes_ms=5))),
    session({"user": "hi"}),
    session({"unload": "x"}, {"reload": "x"}, {"wait_ms": 10}, {"notify": {"events": [{"message": "m"}], "times": 2}}),
    session({"compaction": {"summary": "s", "session": "s2", "source": "auto", "data": [1], "message_count": 0}}),
    session(turn({"tool": "task", "worker": {"task": "t", "model": [{"says": "w"}]}}), host="headless", teardown_ms=0),
    session(turn({"tool": "ext:do", "input": None}), answers=[{"answer": "always", "about": "ext_do", "by": "d"}]),
]


@pytest.mark.parametrize("view", VALID, ids=range(len(VALID)))
def test_what_is_read_fits_the_schema(view: dict[str, Any]) -> None:
    """And the other way round."""
    for each in (view, {**view, "$schema": "x"}):
        load(each, "test")
        assert list(misfits(each, SCHEMA, SCHEMA)) == []


@pytest.mark.parametrize(
    "view", [{}, session(stesp=1), session({"usr": "hi"}), session(host="server"), session(turn({"input": {}}))]
)
def test_what_the_classes_refuse_does_not_fit_the_schema(view: dict[str, Any]) -> None:
    """Keys, types and words; what only belongs together is checked by `load` alone."""
    with pytest.raises(BadInput):
        load(view, "test")
    assert list(misfits(view, SCHEMA, SCHEMA)) != []


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ({}, "Object missing required field `steps`"),
        (session(stesp=1), "$: no key 'stesp'; did you mean 'steps'?"),
        (session({"usr": "hi"}), "$.steps[0]: no key 'usr'; did you mean 'user'?"),
        (
            session(turn({"tool": "bash", "ouput": ""})),
            "$.steps[0].model[0].calls[0]: no key 'ouput'; did you mean 'output'?",
        ),
        (session({}), "$.steps[0]: a step is exactly one of"),
        (session({"user": "a", "unload": "x"}), "not user and unload"),
        (session({"unload": "x", "model": [{"says": "y"}]}), "$.steps[0].model: the model answers what a user says"),
        (session(turn(bash(id="a"), bash(id="a"))), "the call id 'a' is used 2 times"),
        (
            session({"user": "u", "model": [{"says": "a"}, {"says": "b"}]}),
            "$.steps[0].model[0]: an answer without calls",
        ),
        (session(turn({"tool": "bash"})), "an output or a worker is needed"),
        (session(turn({"tool": "ext:"})), "a name is needed, or <extension>:<tool>"),
        (session(turn({"tool": "ext:do", "takes_ms": 5})), "it is really called"),
        (session({"notify": {"kind": "notfication"}}), "no kind 'notfication'; did you mean 'notification'?"),
        (session({"notify": {"times": 0}}), "$.steps[0].notify.times"),
        (
            session({"notify": {"events": [{"mesage": "x"}]}}),
            "$.steps[0].notify.events[0]: an event has no member 'mesage'",
        ),
        (session({"notify": {"events": [{}], "error": "x"}}), "a builder that fails yields no events"),
        (session({"wait_ms": -1}), "$.steps[0].wait_ms"),
        (session(max_tool_output=0), "$.max_tool_output"),
        (session(teardown_ms=-1), "$.teardown_ms"),
        (session(host="server"), "Invalid enum value 'server'"),
        (
            session(turn({"tool": "t", "worker": {"task": "t", "model": [{"calls": [{"tool": "x"}]}]}})),
            "$.steps[0].model[0].calls[0].worker.model[0].calls[0]: an output or a worker is needed",
        ),
    ],
)
def test_what_is_refused_says_where(view: JSON, problem: str) -> None:
    """With the name of the description and the path inside."""
    with pytest.raises(BadInput) as caught:
        load(view, "story.json")
    assert caught.value.message.startswith("story.json: ")
    assert problem in caught.value.message


def test_workers_cannot_be_nested_without_end() -> None:
    """A sentence, and no crash."""
    call: dict[str, JSON] = bash()
    for _ in range(40):
        call = {"tool": "task", "worker": {"task": "t", "model": [{"calls": [call]}]}}
    with pytest.raises(BadInput, match="nested too deeply"):
        load(session(turn(call)), "x")
    for _ in range(1000):
        call = {"tool": "task", "worker": {"task": "t", "model": [{"calls": [call]}]}}
    with pytest.raises(BadInput, match="nested too deeply"):
        load(session(turn(call)), "x")


def test_an_interactive_host_has_a_budget_for_the_end() -> None:
    """A headless one has none unless it is said."""
    assert load(session(), "x").teardown_budget_ms == 2000
    assert load(session(host="headless"), "x").teardown_budget_ms is None
    assert load(session(host="headless", teardown_ms=5), "x").teardown_budget_ms == 5
    assert load(session(host="headless"), "x").host is HostKind.HEADLESS


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        ({"reload": "30-push-confimer"}, "$.steps[0].reload: no extension '30-push-confimer' is loaded; did you mean"),
        ({"unload": "x"}, "$.steps[0].unload: no extension 'x' is loaded"),
        (turn({"tool": "x:do"}), "$.steps[0].model[0].calls[0].tool: no extension 'x' is loaded whose tool"),
        (turn({"tool": "20-command-guard:do"}), "'20-command-guard' may not bring tools: it lacks tools.register"),
    ],
)
def test_extensions_have_to_be_those_of_the_configuration(step: JSON, problem: str) -> None:
    """A typo is told before anything is started."""
    with pytest.raises(BadInput) as caught:
        load_session(SAMPLE, session(step), "story.json")
    assert problem in caught.value.message


def test_the_sample_fits_the_schema() -> None:
    """And can be loaded under its configuration."""
    view = json.loads((SAMPLE / "session.json").read_text())
    assert list(misfits(view, SCHEMA, SCHEMA)) == []
    assert load_session(SAMPLE, view, "session.json").details == {"tool.execute"}
