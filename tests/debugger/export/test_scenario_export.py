"""Claims about recorded dispatches as scenarios and tests: they hold, whatever was recorded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from dispatch_runs import Scripted, stub
from exported_runs import CONFORMANCE, conformance, material, recorded, scripted, told
from hypothesis import given
from hypothesis import strategies as st
from plugin_runs import ROOT
from test_export_formats import HOSTILE, text

from debugger.export.formats import Format
from debugger.export.scenario import scenario
from debugger.export.yaml_text import dumped
from debugger.scenario import document
from debugger.scenario.load import Loaded, load, parse
from debugger.scenario.run import run
from debugger.store.recording import Unreadable
from kernel.control import Instead, Proceed, Skip, Stop
from kernel.dialects.pluggable import PLUGGABLE
from kernel.errors import BadInput
from kernel.faults import Fault
from kernel.values import JSON, Answered, Empty, Failed

LEFT_OUT = {
    "hookbus": {
        "errors": "a process that is started again hands an event over twice, and a stub has no process",
        "error": "a budget over several dispatches",
    }
}
"""What stubs do not bring about, and why."""


def loaded(written: str) -> list[Loaded]:
    return parse(written.encode(), Path("x.scenario.yaml"))


@pytest.mark.parametrize("dialect", ["pluggable", "hookbus", "rig"])
def test_every_dispatch_of_the_conformance_suite_becomes_a_scenario_that_holds(dialect: str, tmp_path: Path) -> None:
    """With every expectation, but for the few that no stub can meet; and it comes to the same facts."""
    count = 0
    for number, (where, events, switches) in enumerate(conformance(dialect)):
        if number % 4:
            continue
        count += 1
        path = recorded(tmp_path / f"{number}", events, dialect=dialect, switches=switches)
        one = material(path, is_redacted=False)
        if isinstance(one.dispatches[0].opened.payload, Unreadable):
            with pytest.raises(BadInput, match="payload is none of its dialect"):
                scenario(one.dispatches[0], one)
            continue
        made = scenario(one.dispatches[0], one)
        assert set(made.left_out) <= LEFT_OUT.get(dialect, {}).keys(), where
        [again] = loaded(made.text)
        assert run(again).is_held, where
    assert count > 10


@pytest.mark.parametrize(
    ("name", "counts"),
    [("G137 ", (6, 1, 0)), ("G123 ", (1, 1, 0)), ("G161 ", (1, 1, 0)), ("G189a ", (5, 0, 3))],
)
def test_operations_that_nest_are_scenarios_of_one_dispatch_each(
    name: str, counts: tuple[int, int, int], tmp_path: Path
) -> None:
    """Also where their owner acts on a block, or never finishes: of none is anything left out."""
    [one] = [each for path in CONFORMANCE.glob("rig/g*") for each in load(path) if each.name.startswith(name)]
    written = []
    for place, fired in enumerate(run(one).fired):
        path = recorded(tmp_path / f"{place}", fired.events, dialect="rig", switches=fired.dialect.switches)
        gathered = material(path, is_redacted=False)
        made = scenario(gathered.dispatches[0], gathered)
        assert made.left_out == ()
        written.append(made.text)
    owners_asked = sum("phase: blocked" in each for each in written)
    never_finished = sum("finish: false" in each for each in written)
    assert (len(written), owners_asked, never_finished) == counts


def test_a_played_session_of_live_callbacks_is_exported_whole(tmp_path: Path) -> None:
    """Contexts that were objects are stood in for by what was told of them."""
    command = (sys.executable, "-m", "debugger.cli", "play", "sample_configs/rig", "sample_configs/rig/session.json")
    file = tmp_path / "run"
    done = subprocess.run((*command, "-o", str(file)), cwd=ROOT, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    one = material(file)
    written = text(Format.SCENARIO, one)
    assert len(loaded(written)) == len(one.dispatches) == 24
    assert [line for line in written.splitlines() if "cannot be" in line or "Not expected" in line] == []


@pytest.mark.parametrize(
    ("control", "words"),
    [
        ({"before_A": Proceed(PLUGGABLE.sample_payload("pre-model-call", 3), by="person")}, ["before: A", "edit:"]),
        ({"before_B": Instead(Answered(bytes.fromhex("0a00")), "person")}, ["before: B", "json:"]),
        ({"after_A": Instead(Failed("INTERNAL", "no"), "person")}, ["after: A", "code: INTERNAL"]),
        ({"after_B": Instead(Empty(), "person")}, ["after: B", "nothing: true"]),
        ({"before_B": Skip("person")}, ["before: B", "skip: true"]),
        ({"after_A": Skip("person")}, ["after: A", "skip: true"]),
        ({"before_B": Stop("person")}, ["before: B", "stop: true"]),
        ({"after_B": Stop("person")}, ["after: B", "stop: true"]),
        ({"before_A": Proceed(fault=Fault("hang"), by="person")}, ["hang: true"]),
    ],
)
def test_what_a_person_did_is_done_again(control: dict[str, object], words: list[str], tmp_path: Path) -> None:
    """By the script of the scenario; trouble by what the stub does."""
    events = told("d", "A:o B:t C:o", {"A": "ack", "B": "+x", "C": "ack"}, control=Scripted(**control))  # type: ignore[arg-type]
    one = material(recorded(tmp_path / "r", events))
    made = scenario(one.dispatches[0], one)
    assert made.left_out == ()
    assert [word for word in words if word not in made.text] == []
    [again] = loaded(made.text)
    assert run(again).is_held


def test_a_caller_who_gave_up_gives_up_again(tmp_path: Path) -> None:
    """At the same moment."""
    [events] = scripted("""
scenario: s
dialect: pluggable
caller: {gives_up_after_ms: 20}
subscribers: [{name: judge, point: plan-ready, mode: veto, stub: {hang: true}}]
fire: [{point: plan-ready}]
""")
    one = material(recorded(tmp_path / "r", events))
    made = scenario(one.dispatches[0], one)
    assert "gives_up_after_ms: 20" in made.text
    assert made.left_out == ()


def test_those_who_were_asked_together_answer_in_the_same_order(tmp_path: Path) -> None:
    """After as many milliseconds."""
    says = {"A": stub("ack", 30), "B": stub("+x", 10), "C": "ack"}
    events = told("d", "A:o B:o C:o", says, is_parallel=True)
    one = material(recorded(tmp_path / "r", events, switches={"concurrent_observe": True}))
    made = scenario(one.dispatches[0], one)
    assert ("after_ms: 30" in made.text, "after_ms: 10" in made.text) == (True, True)
    assert "concurrent_observe: true" in made.text
    assert made.left_out == ()


def test_a_redacted_dispatch_is_a_scenario_that_holds(tmp_path: Path) -> None:
    """With placeholders in the place of secrets, in what is fired and in what is answered."""
    [events] = scripted("""
scenario: s
dialect: hookbus
subscribers:
  - {name: a, point: before_tool_call, mode: handle, stub: {answer: {modify: {command: "login --password q1w2e3"}}}}
fire: [{point: before_tool_call, payload: {tool_name: bash, tool_input: {command: "curl -u a:s3cret x"}}}]
""")
    one = material(recorded(tmp_path / "r", events, dialect="hookbus"))
    made = scenario(one.dispatches[0], one)
    assert made.left_out == ()
    assert ("q1w2e3" in made.text, "s3cret" in made.text) == (False, False)
    assert made.text.count("[redacted:") >= 3


def test_several_dispatches_are_several_documents(tmp_path: Path) -> None:
    """One that cannot be a scenario is told of and left out; if none can, nothing is written."""
    events = told("d1", "A:o", {"A": "ack"}), told("d2", "A:o", {"A": "deny"})
    path = recorded(tmp_path / "r", *events)
    written = text(Format.SCENARIO, material(path))
    assert [each.name for each in loaded(written)] == [
        "pre-model-call 1 comes to allow",
        "pre-model-call 2 comes to allow",
    ]
    assert written.startswith("# Made from dispatch 1 of a recording. Nothing looked like a secret.\n")


@pytest.mark.parametrize("said", [*HOSTILE, '"""', "'''", "\\", "yes", "1e3", "0x1f", "", "- a", "a: b", "# c", "~"])
def test_hostile_text_passes_through_a_scenario_and_a_test_unchanged(said: str, tmp_path: Path) -> None:
    """Whatever a reader of YAML or Python could take it for."""
    view: JSON = {"call": {"id": "c", "tool_name": "t", "arguments": {"x": said, said: said}}}
    fired = PLUGGABLE.payload_from_view("pre-tool-call", view)
    one = material(recorded(tmp_path / "r", told("d", "A:v", {"A": "deny"}, point="pre-tool-call", fired=fired)))
    [again] = loaded(text(Format.SCENARIO, one))
    assert again.scenario.fire[0].payload["call"]["arguments"] == {"x": said, said: said}
    names: dict[str, object] = {}
    exec(compile(text(Format.PYTEST, one), "exported", "exec"), {"__file__": "x.py", "__name__": "x"}, names)
    assert isinstance(names["TEXT"], str)
    assert [each.scenario for each in loaded(names["TEXT"])] == [again.scenario]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(blacklist_categories=("Cs",))),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(blacklist_categories=("Cs",))), inner),
        max_leaves=15,
    )
)  # fmt: skip
def test_yaml_is_read_back_as_it_was(value: JSON) -> None:
    """By our own reader, type for type."""
    [node] = document.read(dumped({"v": value}).encode(), "x") or [None]
    assert node is not None
    assert repr(node.value) == repr({"v": value})


def test_the_exported_test_passes(tmp_path: Path) -> None:
    """In a pytest of its own, from another folder; and fails where the record says something else."""
    events = told("d", "A:v B:v", {"A": "allow", "B": "deny"}, point="plan-ready")
    written = text(Format.PYTEST, material(recorded(tmp_path / "r", events)))
    (tmp_path / "test_exported.py").write_text(written)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_exported.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout
    (tmp_path / "test_exported.py").write_text(written.replace("decision: deny", "decision: allow"))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 1
    assert "expected  allow" in done.stdout
