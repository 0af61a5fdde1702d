"""Claims about running scenarios: everything in one chain, on either clock, to an end whatever happens."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plugin_runs import processes_mentioning, until_now
from scenario_texts import loaded, refusal, scenario, verdict

from debugger.scenario import report
from debugger.scenario.run import run

PLUGIN = """
import sys
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("real")

@plugin.transform("pre-model-call")
def change(payload):
    print("at work", file=sys.stderr)
    payload.messages.add(id="process")

@plugin.observe("session-end")
def look(payload):
    pass

if __name__ == "__main__":
    plugin.serve()
"""
CALLEE = """
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("callee")

@plugin.transform("pre-model-call")
def change(payload):
    payload.messages.add(id="callable")
"""
MIXED = """
  - {name: stub, point: pre-model-call, mode: transform, stub: {answer: {append: stub}}}
  - {name: callee, point: pre-model-call, mode: transform, in_process: "callee.py:plugin.answer"}
  - {name: real, point: pre-model-call, mode: transform, process: [python, real_%s.py], env: {PYTHONPATH: %s}}
  - {name: slow, point: pre-model-call, mode: observe, stub: {hang: true}, timeout_ms: %d}"""
FIRE = "{point: pre-model-call, payload: {model: {id: x}}}"


@pytest.mark.parametrize(("clock", "hang_ms"), [("virtual", 60_000), ("real", 30)])
def test_stubs_callables_and_processes_mix_in_one_chain(tmp_path: Path, clock: str, hang_ms: int) -> None:
    """On the virtual clock a minute's hang costs nothing, although a process takes part; none is left behind."""
    (tmp_path / f"real_{tmp_path.name}.py").write_text(PLUGIN)
    (tmp_path / "callee.py").write_text(CALLEE)
    expect = (
        '{payload: {jmespath: "messages[].id", is: [stub, callable, process]}, printed: [at work], '
        f"errors: [{{subscriber: slow, category: TIMEOUT}}], took_ms: {{at_least: {hang_ms}}}}}"
    )
    root = Path(__file__).parents[3]
    text = scenario(MIXED % (tmp_path.name, root, hang_ms), fire=FIRE, expect=expect, more=f"clock: {clock}")
    started = time.monotonic()
    found = verdict(text, tmp_path / "f.yaml")
    assert found.is_held, "\n".join(report.lines(found))
    assert time.monotonic() - started < 30
    until_now(lambda: not processes_mentioning(f"real_{tmp_path.name}.py"))


def test_a_process_that_does_not_start_is_told_of_and_answers_as_dead(tmp_path: Path) -> None:
    """A scenario may even expect it."""
    chain = "[{name: A, point: session-end, mode: observe, process: [no-such-program-anywhere]}]"
    told: list[str] = []
    text = scenario(chain, expect="{errors: [{subscriber: A, category: PROCESS_CRASHED}]}")
    assert run(loaded(text, tmp_path / "f.yaml"), told.append).is_held
    assert len(told) == 1
    assert "'A' did not start" in told[0]


def test_one_process_serves_several_points(tmp_path: Path) -> None:
    """It is started once; a stub may take one of its seats."""
    program = f"real_{tmp_path.name}.py"
    (tmp_path / program).write_text(PLUGIN + "    ")
    root = Path(__file__).parents[3]
    chain = f"""
  - {{name: real, point: pre-model-call, mode: transform, process: [python, {program}], env: {{PYTHONPATH: {root}}}}}
  - {{name: real, point: session-end, mode: observe, process: [python, {program}], env: {{PYTHONPATH: {root}}}}}
  - {{name: real, point: plan-ready, mode: veto, stub: deny}}"""
    text = scenario(
        chain,
        fire="{point: pre-model-call}, {point: session-end}, {point: plan-ready}",
        expect="{errors: [], steps: [{subscriber: real, status: changed}]}, {errors: []}, {decision: deny}",
    )
    found = verdict(text, tmp_path / "f.yaml")
    assert found.is_held, "\n".join(report.lines(found))


def test_dispatches_come_one_after_the_other_on_one_clock() -> None:
    """With the same subscribers: a list of acts goes on from one to the next."""
    text = scenario(
        "[{name: A, point: plan-ready, mode: veto, stub: [allow, {hang: true}, deny]}]",
        fire="{point: plan-ready}, {point: plan-ready}, {point: plan-ready}",
        expect="{decision: allow, took_ms: 0}, {decision: deny, took_ms: 5000, rules: [PL-VETO-TIMEOUT]}, "
        "{decision: deny, took_ms: 0, errors: []}",
    )
    assert verdict(text).misses == ()


def test_switches_and_callers_can_be_those_of_one_dispatch() -> None:
    """The scenario's count where a dispatch has none of its own."""
    chain = """
  - {name: A, point: session-end, mode: observe, stub: {answer: ack, after_ms: 10}}
  - {name: B, point: session-end, mode: observe, stub: {answer: ack, after_ms: 10}}"""
    text = scenario(
        chain,
        fire="{point: session-end}, {point: session-end, switches: {concurrent_observe: false}}, "
        "{point: session-end, caller: {gives_up_after_ms: 4}}",
        expect="{took_ms: 10, together: [[A, B]]}, {took_ms: 20, together: []}, {ending: cancelled, took_ms: 4}",
        more="switches: {concurrent_observe: true}\ncaller: {gives_up_after_ms: 1000}",
    )
    assert verdict(text).misses == ()


def test_a_dispatch_that_nobody_ends_is_given_up() -> None:
    """A callable that never comes back and has no deadline that could pass: a miss, not a hang of ours."""
    chain = "[{name: A, point: session-end, mode: observe, timeout_ms: 1000000000, stub: {hang: true}}]"
    text = scenario(chain, more="at_most_s: 0.05\nclock: real")
    started = time.monotonic()
    found = verdict(text)
    assert time.monotonic() - started < 10
    [miss] = found.misses
    assert miss.expected == "it ends within 0.05 s"
    assert found.fired[0].result.ending == "cancelled"


def test_a_point_that_there_is_not_is_bad_input() -> None:
    """With the nearest one."""
    problem = verdict(scenario(fire="{point: sesion-end}")).problem
    said = "ErrUnknownPoint: no hook point 'sesion-end'; did you mean 'session-end'?"
    assert str(problem) == f"f.scenario.yaml:4:9: fire[0].point: {said}"


def test_a_callable_that_cannot_be_had_is_bad_input(tmp_path: Path) -> None:
    """Found when it is wanted, and said with its place in the scenario."""
    chain = '[{name: A, point: session-end, mode: observe, in_process: "nowhere.py:x"}]'
    problem = verdict(scenario(chain), tmp_path / "f.yaml").problem
    assert "f.yaml:3:60: subscribers[0].in_process: 'nowhere.py:x' cannot be had" in str(problem).replace(
        ":3:61", ":3:60"
    )


def test_opening_a_file_runs_nothing(tmp_path: Path) -> None:
    """Neither a program nor a module is touched before the scenario is run."""
    (tmp_path / "x.py").write_text("raise SystemExit('run')")
    chain = """
  - {name: A, point: session-end, mode: observe, in_process: "x.py:x"}
  - {name: B, point: session-end, mode: observe, process: [python, x.py]}"""
    assert loaded(scenario(chain), tmp_path / "f.yaml").name == "s"


def test_a_configuration_that_comes_along_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder lives as long as the run."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    config = 'config: {files: {agent.hcl: "", deep/er.txt: x}}'
    assert verdict(scenario(more=config)).is_held
    assert list(tmp_path.iterdir()) == []


def test_one_subscriber_in_several_seats_does_as_its_one_list_says() -> None:
    """Extension mode (H1): an id for each seat; what it does is said once, an entry for each call."""
    chain = """
  - {name: A, point: plan-ready, mode: observe, options: {id: A-1}, stub: [ack, deny]}
  - {name: A, point: plan-ready, mode: veto, options: {id: A-2}}"""
    expect = "{decision: deny, errors: [], facts: [{fact: opened, chain: [{id: A-1}, {id: A-2, mode: veto}]}]}"
    assert verdict(scenario(chain, fire="{point: plan-ready}", expect=expect)).misses == ()
    again = chain.replace("A-2}}", "A-2}, stub: deny}")
    assert "'A' is there twice; what it does in several" in str(verdict(scenario(again)).problem)


def test_a_seat_of_several_in_a_configuration_is_chosen_by_its_id() -> None:
    """The registry names them; the other seat keeps its mode and deadline."""
    hook = """
      hook "plan-ready" {
        provider = "A"
        mode     = "%s"
      }"""
    config = f"""config:
  options: {{repeated_subscriptions: true}}
  files:
    agent.hcl: |
      provider "A" {{}}{hook % "observe"}{hook % "veto"}
    config.hcl: |
      dev_overrides {{
        A = "a-program"
      }}"""
    chain = """
  - {name: A, stub: [ack, deny]}
  - {name: A, point: plan-ready, timeout_ms: 7, options: {id: A-2}}"""
    expect = "{decision: deny, asked: [{subscriber: A, timeout_ms: 5000}, {subscriber: A, mode: veto, timeout_ms: 7}]}"
    found = verdict(scenario(chain, fire="{point: plan-ready}", expect=expect, more=config))
    assert found.is_held, "\n".join(report.lines(found))


_WORDS = st.sampled_from(
    ["plan-ready", "pre-model-call", "veto", "observe", "transform", "allow", "deny", "ack", "same", "none", "A", "B",
     "unchanged", "INTERNAL", "hang", "crash", "garbage", "0a00", "$", "first", "ok", "error", "x", ""]
)  # fmt: skip
_KEYS = st.sampled_from(
    ["name", "point", "mode", "stub", "answer", "json", "bytes", "nothing", "status", "hang", "crash", "after_ms", "at",
     "kind", "when", "before", "after", "edit", "skip", "stop", "payload", "payload_bytes", "faults", "steer", "is",
     "contains", "jmespath", "subscriber", "set", "remove", "append", "options", "kernel", "children", "expect", "fact"]
)  # fmt: skip
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 50) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=10,
)
_STUB = _WORDS | st.fixed_dictionaries({}, optional={"answer": _ANY, "bytes": _WORDS, "after_ms": st.integers(0, 9)})
_SEAT = st.fixed_dictionaries(
    {"name": st.sampled_from("AB"), "point": _WORDS, "mode": _WORDS, "stub": _STUB | st.lists(_STUB, max_size=2)},
    optional={"options": st.dictionaries(_KEYS, _ANY, max_size=1)},
)
_FIRE = st.fixed_dictionaries(
    {"point": _WORDS},
    optional={
        "payload": _ANY,
        "payload_bytes": _WORDS,
        "faults": st.lists(st.dictionaries(_KEYS, _ANY, max_size=3), max_size=2),
        "steer": st.lists(st.dictionaries(_KEYS, _ANY, max_size=3), max_size=2),
    },
)
_EXPECT = st.fixed_dictionaries(
    {},
    optional={
        "payload": _ANY,
        "asked": st.lists(_WORDS, max_size=3),
        "facts": st.lists(st.dictionaries(_KEYS, _ANY, max_size=2), max_size=2),
        "steps": st.lists(st.fixed_dictionaries({"subscriber": st.sampled_from("AB")}), max_size=2),
        "rules": st.lists(_WORDS, max_size=1),
        "spans": _ANY,
    },
)


@settings(deadline=None)
@given(st.lists(_SEAT, max_size=3), _FIRE, _EXPECT)
def test_no_scenario_gives_a_traceback_or_a_hang(seats: list[object], fire: object, expect: object) -> None:
    """A verdict with a report, or a sentence about the file, whatever stands in it."""
    text = json.dumps({
        "scenario": "s", "dialect": "pluggable", "subscribers": seats, "fire": [fire], "expect": [expect],
        "timeout_ms": 20,
    })  # fmt: skip
    if (error := refusal(lambda: loaded(text))) is not None:
        assert error.place is not None
        return
    found = verdict(text)
    assert list(report.lines(found))
    assert json.loads(report.as_json(found))["held"] is found.is_held


@pytest.mark.parametrize(
    ("way", "module"),
    [
        ('process: [sleep, "%d"]', ""),
        ("in_process: 'endless.py:answer'", "import threading\nthreading.Event().wait()\n"),
    ],
)
def test_starting_counts_as_well_towards_the_end_of_our_patience(tmp_path: Path, way: str, module: str) -> None:
    """A program that says nothing and a module that never comes to its end: told by name, and nobody is left behind."""
    (tmp_path / "endless.py").write_text(module)
    seconds = 1_000_000 + os.getpid()  # to know it by
    chain = f"[{{name: A, point: plan-ready, mode: veto, {way % seconds if '%' in way else way}}}]"
    text = scenario(chain, fire="{point: plan-ready}", more="at_most_s: 0.3")
    found = verdict(text, tmp_path / "f.scenario.yaml")
    assert found.problem is None
    [miss] = found.misses
    assert (miss.path, miss.actual) == (("at_most_s",), "still starting: A")
    assert found.fired == ()
    until_now(lambda: not processes_mentioning(str(seconds)))


BLOCKING = """
import time

ALLOWS = bytes.fromhex("1a020801")

async def awhile(request, seconds=0.02):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    return ALLOWS

async def long(request):
    return await awhile(request, 0.7)

def never(request):
    import threading
    threading.Event().wait()
"""


@pytest.mark.parametrize("clock", ["virtual", "real"])
@pytest.mark.parametrize("callee", ["awhile", "never"])
def test_a_callable_that_blocks_beyond_its_deadline_has_timed_out(tmp_path: Path, callee: str, clock: str) -> None:
    """As a gate it is closed, whatever it answers afterwards (spec B.6)."""
    (tmp_path / "blocking.py").write_text(BLOCKING)
    chain = f"[{{name: A, point: plan-ready, mode: veto, timeout_ms: 5, in_process: 'blocking.py:{callee}'}}]"
    expect = "{decision: deny, errors: [{subscriber: A, category: TIMEOUT}], rules: [PL-VETO-TIMEOUT]}"
    found = verdict(
        scenario(chain, fire="{point: plan-ready}", expect=expect, more=f"clock: {clock}"), tmp_path / "f.scenario.yaml"
    )
    assert found.is_held, "\n".join(report.lines(found))


@pytest.mark.parametrize("callee", ["long", "never"])
def test_our_patience_ends_with_whoever_blocks_without_a_deadline(tmp_path: Path, callee: str) -> None:
    """A coroutine that holds the loop up is found out afterwards, a plain callable is left alone."""
    (tmp_path / "blocking.py").write_text(BLOCKING)
    chain = f"[{{name: A, point: plan-ready, mode: veto, in_process: 'blocking.py:{callee}'}}]"
    text = scenario(chain, fire="{point: plan-ready}", expect="{}", more="at_most_s: 0.5")
    [miss] = verdict(text, tmp_path / "f.scenario.yaml").misses
    assert miss.actual == "it was still going on, and nobody else ended it"


def test_importing_a_callable_cannot_end_the_program(tmp_path: Path) -> None:
    """It is said instead."""
    (tmp_path / "ends.py").write_text("import sys\nsys.exit(4)\n")
    chain = "[{name: A, point: plan-ready, mode: veto, in_process: 'ends.py:answer'}]"
    found = verdict(scenario(chain), tmp_path / "f.scenario.yaml")
    assert "subscribers[0].in_process: 'ends.py:answer' cannot be had: importing it ends the program" in str(
        found.problem
    )
