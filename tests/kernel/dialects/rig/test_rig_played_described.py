"""Claims about descriptions of rig sessions: what is read, what is refused and where; schema, sample and page."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rig_played import call, session, turn
from schema_walk import misfits

from debugger.scenario import report
from debugger.scenario.load import parse
from debugger.scenario.run import run
from kernel.dialects import load_session
from kernel.dialects.rig.session import choices, described, texts
from kernel.dialects.rig.session.loading import load
from kernel.dialects.rig.session.schema import schema
from kernel.errors import BadInput
from kernel.values import JSON

ROOT = Path(__file__).parents[4]
SCHEMA = json.loads(json.dumps(schema()))  # as it is published
SAMPLE = ROOT / "sample_configs" / "rig"
PAGE = ROOT / "docs" / "sessions-rig.md"
VALID: list[dict[str, Any]] = [
    {"inputs": []},
    session(turn(), {"wait_ms": 5}, {"compact": {}}, {"append": {"family": "fence", "id": "7"}}),
    session(
        turn({"calls": [call(id="a"), call(args_text="{")]}, {"says": "x", "fails": "cut", "error_kind": "deadline"})
    ),
    session(restored={"policy_revision": "v1", "decider": "accepts"}, engine="foreign", fence="skips"),
    session(turn({"calls": [call(gate={"mismatch": True}, asks={"question": "?"})], "queued": ["a"]}, {"says": "x"})),
    *(json.loads(path.read_text()) for path in sorted(SAMPLE.glob("session*.json"))),
]


@pytest.mark.parametrize("view", VALID, ids=range(len(VALID)))
def test_what_is_read_fits_the_schema(view: dict[str, Any]) -> None:
    """And the other way round."""
    for each in (view, {**view, "$schema": "x"}):
        load(each, "test")
        assert list(misfits(each, SCHEMA, SCHEMA)) == []


@pytest.mark.parametrize(
    "view", [{}, session(inpts=[]), session({"usr": "hi"}), session(engine="alien"), session({"user": 7})]
)
def test_what_the_classes_refuse_does_not_fit_the_schema(view: dict[str, Any]) -> None:
    """Keys, types and words; what only belongs together is checked by `load` alone."""
    with pytest.raises(BadInput):
        load(view, "test")
    assert list(misfits(view, SCHEMA, SCHEMA)) != []


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ({}, "Object missing required field `inputs`"),
        (session(inptus=1), "$: no key 'inptus'; did you mean 'inputs'?"),
        (session({"usr": "hi"}), "$.inputs[0]: no key 'usr'; did you mean 'user'?"),
        (session(turn({"cals": []})), "$.inputs[0].steps[0]: no key 'cals'; did you mean 'calls'?"),
        (session(turn({"calls": [call(reslt="x")]})), "no key 'reslt'; did you mean 'result'?"),
        (session({}), "$.inputs[0]: one of user, compact, append, wait_ms is needed, not none"),
        (session({"user": "a", "wait_ms": 1}), "not user and wait_ms"),
        (session({"wait_ms": 1, "steps": [{}]}), "$.inputs[0].steps: only an input of a user is a turn"),
        (session({"wait_ms": -1}), "$.inputs[0].wait_ms"),
        (session({"compact": {}, "interrupted_after_ms": 5}), "$.inputs[0].interrupted_after_ms"),
        (session(turn({"says": "a"}, {"says": "b"})), "the turn ends behind this step"),
        (
            session(turn({"fails": "open"}, {"says": "b"})),
            "$.inputs[0].steps[0]: the turn ends behind this step, since it",
        ),
        (session(turn({"calls": [call(id="a"), call(id="a")]})), "the id 'a' is there 2 times"),
        (session(turn({"calls": [call(result="x", raises="y")]})), "one way, not with result and raises"),
        (session(turn({"calls": [call(args={"a": 1}, args_text="{}")]})), "args or args_text, not both"),
        (session(turn({"calls": [call("")]})), "the model has to name a tool"),
        (session(turn({"calls": [call(takes_ms=-1)]})), "$.inputs[0].steps[0].calls[0].takes_ms"),
        (session({"compact": {"ends": "nothing"}}), "needs cancelled_after_ms"),
        (session({"append": {"family": "evnt"}}), "'evnt' is none; there are event, command"),
        (session({"append": {"id": "x"}}), "$.inputs[0].append.id: a UUID is needed"),
        (session({"append": {"family": "fence", "id": "x"}}), "by the number of its epoch"),
        (session({"append": {"is_fallback": True}}), "only commands are queued"),
        (session(journal=[{"record": "StepDon", "fails": "x"}]), "did you mean 'StepDone'?"),
        (session(journal=[{"record": "StepDone"}]), "fails or raises is needed"),
        (session(tools=[{"name": "a"}, {"name": "a"}]), "'a' is there 2 times"),
        (session(parallel=0), "$.parallel"),
        (session(limits={"compact_at": 9, "hard": 5}), "$.limits.hard"),
        (session(engine="alien"), "Invalid enum value 'alien'"),
        ("nothing", "Expected `object`"),
    ],
)
def test_what_is_refused_says_where(view: JSON, problem: str) -> None:
    """With the name of the description and the path inside."""
    with pytest.raises(BadInput) as error:
        load(view, "night.json")
    assert str(error.value).startswith("night.json: ")
    assert problem in str(error.value)


def test_a_session_is_loaded_by_the_registry() -> None:
    """Under a set file or the folder that holds it; the configuration's own problems come first."""
    for path in (SAMPLE, SAMPLE / "agent.rig.yaml"):
        playable = load_session(path, {"inputs": []}, "x")
        assert playable.details
    with pytest.raises(BadInput, match="no option"):
        load_session(SAMPLE, {"inputs": []}, "x", {"odd": 1})


@pytest.mark.parametrize("limit", [texts.MOST_PREVIEW_BYTES])
def test_a_preview_is_so_many_lines_and_bytes(limit: int) -> None:
    """D.5: whole characters, and a marker where there is more."""
    assert texts.preview("a" * limit) == "a" * limit
    assert texts.preview("a" * (limit + 1)) == "a" * limit + "… [truncated]"
    assert texts.preview("é" * limit) == "é" * (limit // 2) + "… [truncated]"
    twenty = "\n".join("x" * 20)
    assert texts.preview(twenty) == twenty
    assert texts.preview(twenty + "\nx") == twenty + "… [truncated]"
    assert texts.preview("") == ""


def test_a_diagnostic_has_no_control_characters_and_1024_bytes() -> None:
    """D.5."""
    assert texts.bounded("a\nb\tc\x7fd\x85e") == "a b c d e"
    assert texts.bounded("é" * 600) == "é" * 512
    assert texts.unknown_tool("x\n") == "error: unknown tool: x "
    denied = texts.permission_denied(texts.Refused.OUT_OF_SCOPE, "why\nnot")
    assert denied == "error: permission denied [out of scope]: why not"


# -- sample and page ---------------------------------------------------------------------------------------------------


def play(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "debugger.cli", "play", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "160"},
        check=False,
    )


def test_the_sample_session_is_told_to_its_end() -> None:
    """Two calls at once and a gate; a denial; values that a detached context lost; a compaction; an interruption."""
    done = play(SAMPLE, SAMPLE / "session.json")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.strip() for line in done.stdout.splitlines()]
    for expected in (
        "✓ GateWait  harness.permission  completed  ✓ tracing  ✓ operation  ✓ tracing finish",
        "→ shell: Approve by dana",
        "✓ ToolExecution  shell  completed  ✓ tracing  ✓ metrics  ✓ operation  ✓ metrics finish  ✓ tracing finish",
        "→ shell (remove): not run by tool-safety",
        "tool-safety: it denied with tool.harmful: rm is not run here  RG-GUARD-DENIED",
        "→ ask_user (which): cannot ask by host",
        "✓ Compaction  completed  ✓ operation",
    ):
        assert expected in lines, expected
    assert lines[-1].startswith("COMPLETED: everything that was to come to the loop has come.")
    assert "turns canceled 1  turns completed 2" in lines[-1]


def test_the_sample_over_its_budget_is_never_sent() -> None:
    """The denial stands at the request; what is around it failed."""
    done = play(SAMPLE, SAMPLE / "session_over_budget.json", "--json")
    assert done.returncode == 0
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    point = {fact["dispatch"]: fact["point"] for fact in facts if fact["fact"] == "opened"}
    ended = {point[fact["dispatch"]]: fact["result"]["decision"] for fact in facts if fact["fact"] == "ended"}
    assert ended == {"Inference": "denied", "Step": "failed", "Turn": "failed"}


def test_an_example_of_the_page_holds() -> None:
    """Whoever copies it gets what the page says."""
    [block] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.S)
    [loaded] = parse(block.encode(), PAGE.parent / "x.yaml")
    verdict = run(loaded)
    assert verdict.is_held, "\n".join(report.lines(verdict))


def test_the_page_names_every_key_and_word() -> None:
    """Of every part of a description."""
    page = PAGE.read_text()
    parts = [each for each in vars(described).values() if isinstance(each, type)]
    keys = {field.name for part in parts if dataclasses.is_dataclass(part) for field in dataclasses.fields(part)}
    sets = [each for each in vars(choices).values() if isinstance(each, type) and issubclass(each, choices.StrEnum)]
    words = {str(word) for each in sets for word in each}
    assert [key for key in sorted(keys | words) if f"`{key}`" not in page] == []
