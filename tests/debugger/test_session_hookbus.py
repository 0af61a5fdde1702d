"""A debug session over hookbus extensions: who is started again by whom, and what is not loaded."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_runs import ROOT, until

from debugger.session import Session
from kernel.dialects import load_setup
from kernel.facts import Asked

PROGRAM = ROOT / "tests" / "conformance" / "hookbus" / "odd_extension.py"


def plugin(base: Path, name: str, *words: str, **more: object) -> None:
    """A plugin in a base directory, which does these words."""
    folder = base / "plugins" / name
    (folder / ".synaps-plugin").mkdir(parents=True)
    shutil.copy(PROGRAM, folder / "main.py")
    extension = {
        "runtime": "process",
        "command": sys.executable,
        "args": ["main.py", *words],
        "permissions": ["tools.intercept"],
        "hooks": [{"hook": "before_tool_call"}],
        **more,
    }
    (folder / ".synaps-plugin" / "plugin.json").write_text(json.dumps({"extension": extension}))


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "debugger.cli", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        check=False,
    )


async def test_an_extension_that_dies_is_left_to_its_own_hosts_restarts(tmp_path: Path) -> None:
    """Each call costs it an attempt, as it would there: a fresh process with counters at zero would hide that."""
    plugin(tmp_path, "dies", "exit")
    setup = load_setup(tmp_path)
    session = Session(setup)
    await session.start()
    try:
        for count in (1, 2):
            payload = setup.dialect.sample_payload("before_tool_call")
            await session.fire("before_tool_call", payload)
            await until(lambda: not session.view.states, 20)
            [health] = session.view.health
            assert health.restart_count == count
    finally:
        await session.close()


async def test_plugins_that_are_not_loaded_are_told_of(tmp_path: Path) -> None:
    """As a note, and by the commands on standard error; the others go on."""
    plugin(tmp_path, "00-broken", command="")
    plugin(tmp_path, "10-fine", '{"action": "continue"}')
    session = Session(load_setup(tmp_path))
    await session.start()
    try:
        assert ["00-broken" in note.text for note in session.notes] == [True]
    finally:
        await session.close()
    said = "hookscope: not loaded: "
    fired = command("fire", tmp_path, "before_tool_call")
    assert fired.returncode == 0
    assert fired.stderr.startswith(said)
    assert "Extension '00-broken' has empty command" in fired.stderr
    described = tmp_path / "story.json"
    described.write_text('{"steps": []}')
    played = command("play", tmp_path, described)
    assert (played.returncode, played.stderr.startswith(said)) == (0, True)


@pytest.mark.parametrize(
    ("words", "more", "because"),
    [
        (("no handshake",), {}, "invalid initialize response"),
        (("continue",), {"command": "./no-such-program"}, "'bad' did not start"),
        (("registers",), {}, "registered tools but lacks permission 'tools.register'"),
    ],
    ids=["V099", "no program", "tools without permission"],
)
def test_a_refused_extension_has_no_records(
    tmp_path: Path, words: tuple[str, ...], more: dict[str, object], because: str
) -> None:
    """Spec 4.5, 4.12, V099: a load error, told of once, and nobody in the chain for whom anything could be asked."""
    plugin(tmp_path, "bad", *words, **more)
    plugin(tmp_path, "fine", '{"action": "block", "reason": "no"}')
    fired = command("fire", tmp_path, "before_tool_call", "--json")
    assert fired.returncode == 1
    assert "hookscope: not loaded: 'bad'" in fired.stderr
    assert because in fired.stderr
    facts = [json.loads(line) for line in fired.stdout.splitlines()]
    assert [seat["subscriber"] for seat in facts[0]["chain"]] == ["fine"]
    assert [each["subscriber"] for each in facts if each["fact"] == "asked"] == ["fine"]
    assert not [each for each in facts if each["fact"] == "raised"]


async def test_a_refused_extension_sits_nowhere_until_it_is_loaded(tmp_path: Path) -> None:
    """In the application too: its chain is without it, a note says why, and a restart that works seats it."""
    plugin(tmp_path, "bad", "no handshake")
    plugin(tmp_path, "fine", '{"action": "continue"}')
    session = Session(load_setup(tmp_path))
    await session.start()
    try:
        assert ["not loaded: 'bad' did not start" in note.text for note in session.notes] == [True]
        names = [seat.name for seat in session.setup.chains["before_tool_call"].subscriptions]
        assert names == ["fine"]
        await session.fire("before_tool_call", session.setup.dialect.sample_payload("before_tool_call"))
        await until(lambda: not session.view.states, 20)
        asked = [each.fact.subscription.name for each in session.events if isinstance(each.fact, Asked)]
        assert asked == ["fine"]
        program = tmp_path / "plugins" / "bad" / "main.py"
        program.write_text(program.read_text().replace('"no handshake"', '"another word"'))
        await session.restart(["bad"])
        names = [seat.name for seat in session.setup.chains["before_tool_call"].subscriptions]
        assert names == ["bad", "fine"]
    finally:
        await session.close()


def test_a_played_session_goes_on_without_the_refused(tmp_path: Path) -> None:
    """Its hooks are not asked, and its tools are unknown."""
    plugin(tmp_path, "bad", "no handshake", permissions=["tools.intercept", "tools.register"])
    described = tmp_path / "story.json"
    steps = [{"user": "go", "model": [{"calls": [{"tool": "bad:t"}]}, {"says": "done"}]}]
    described.write_text(json.dumps({"steps": steps}))
    played = command("play", tmp_path, described, "--json")
    assert played.returncode == 0, played.stderr
    assert played.stderr.count("not loaded: 'bad' did not start") == 1
    facts = [json.loads(line) for line in played.stdout.splitlines()]
    assert not [each for each in facts if each["fact"] in ("asked", "raised")]
    assert "Unknown tool: bad:t" in played.stdout


def test_a_tool_that_an_extension_never_declared_is_unknown(tmp_path: Path) -> None:
    """The story says why, and the process, which would have answered, is not asked."""
    plugin(tmp_path, "fine", '{"action": "continue"}', permissions=["tools.intercept", "tools.register"])
    described = tmp_path / "story.json"
    steps = [{"user": "go", "model": [{"calls": [{"tool": "fine:nope"}]}, {"says": "done"}]}]
    described.write_text(json.dumps({"steps": [*steps, {"unload": "fine"}, {"unload": "fine"}, *steps]}))
    played = command("play", tmp_path, described)
    assert played.returncode == 0, played.stderr
    assert "none was registered when it was loaded" in played.stdout
    assert "fine is not loaded, and its tools went with it" in played.stdout
    assert "HB-UNLOAD-NOTHING" in played.stdout


def test_a_sweep_leaves_the_refused_out(tmp_path: Path) -> None:
    """There is nobody whom a fault could befall."""
    plugin(tmp_path, "bad", "no handshake")
    swept = command("chaos", tmp_path, "--fault", "hang")
    assert swept.returncode == 1
    assert "nothing could be tried" in swept.stdout
    assert "bad" in swept.stderr
    assert "bad" not in swept.stdout


def test_a_played_session_is_replayed_to_the_letter(tmp_path: Path) -> None:
    """Redeliveries, the view of a worker, a reload, and an end that all answer at once are part of the record."""
    base = tmp_path / "base"
    answer = '{"action": "replace", "output": "shorter"}'
    both = ["tools.intercept", "tools.transform_output"]
    hooks = [{"hook": "before_tool_call"}, {"hook": "after_tool_call"}]
    plugin(base, "again", "error", '{"action": "continue"}')
    plugin(base, "shrinks", answer, permissions=both, hooks=hooks)
    for name in ("ends", "ends-too"):
        block = '{"action": "block", "reason": "stay"}'
        plugin(base, name, block, permissions=["session.lifecycle"], hooks=[{"hook": "on_session_end"}])
    call = {"tool": "bash", "output": "long"}
    work = {"tool": "task", "worker": {"task": "t", "model": [{"calls": [call]}, {"says": "done"}]}}
    steps = [{"user": "go", "model": [{"calls": [call, work]}, {"says": "done"}]}, {"reload": "again"}]
    described = tmp_path / "story.json"
    described.write_text(json.dumps({"steps": [*steps, steps[0]]}))
    record = tmp_path / "run.hookscope"
    played = command("play", base, described, "-o", record)
    assert played.returncode == 0, played.stderr
    assert "HB-RELOADED" in played.stdout
    replayed = command("replay", record)
    assert (replayed.returncode, ", 0 not" in replayed.stdout) == (0, True), replayed.stdout


def test_a_switch_counts_before_the_point_is_looked_up(tmp_path: Path) -> None:
    """`on_usage` is a kind with protocol 2, and only then; what can be fired is told as it is then."""
    plugin(tmp_path, "fine", '{"action": "continue"}')
    on = command("fire", tmp_path, "on_usage", "--switch", "protocol_2")
    assert (on.returncode, "on_usage" in on.stdout) == (0, True), on.stderr
    off = command("fire", tmp_path, "on_usage")
    assert off.returncode == 2
    assert "no kind 'on_usage'" in off.stderr
    assert off.stderr.count("on_usage") == 1
    wrong = command("fire", tmp_path, "zzz")
    assert "before_tool_call" in wrong.stderr
    assert "on_usage" not in wrong.stderr
    known = command("fire", tmp_path, "zzz", "--switch", "protocol_2")
    assert "on_usage" in known.stderr


def test_a_switch_of_one_dispatch_counts_in_a_scenario(tmp_path: Path) -> None:
    """The same where a scenario fires."""
    scenario = tmp_path / "usage.scenario.yaml"
    scenario.write_text(
        "scenario: usage\ndialect: hookbus\nfire:\n"
        "  - {point: on_usage, payload: {}, switches: {protocol_2: true}}\n"
        "expect:\n  - {ending: finished, rule: HB-EMPTY}\n"
    )
    assert command("run", scenario).returncode == 0
    scenario.write_text("scenario: usage\ndialect: hookbus\nfire:\n  - {point: on_usage, payload: {}}\n")
    ran = command("run", scenario)
    assert (ran.returncode, "no kind 'on_usage'" in ran.stdout + ran.stderr) == (2, True)


def test_a_sweep_gives_a_host_the_time_to_start_somebody_anew(tmp_path: Path) -> None:
    """The backoff alone takes longer than the deadlines are cut to; what only hangs is cut all the same."""
    plugin(tmp_path, "fine", '{"action": "continue"}')
    kinds = ("crash", "half_frame", "error_reply", "keeps_crashing", "hang")
    swept = command("chaos", tmp_path, "--timeout-ms", "200", "--json", *(f"--fault={kind}" for kind in kinds))
    cells = [json.loads(line) for line in swept.stdout.splitlines()]
    assert [(each["fault"], each["rule"]) for each in cells if not each["is_as_told"]] == []
    rules = {each["fault"]: each["rule"] for each in cells}
    assert rules == dict.fromkeys(kinds, "HB-CONTINUE") | {"hang": "HB-TIMEOUT", "keeps_crashing": "HB-CRASHED"}
    [hang] = (each for each in cells if each["fault"] == "hang")
    assert hang["why"].startswith("no answer after")
    assert swept.returncode == 0


def test_a_scenario_plays_without_the_refused(tmp_path: Path) -> None:
    """As `play` does: nobody asks it, and its tool is unknown; a reload that fails is told as one."""
    plugin(tmp_path / "base", "bad", "no handshake", permissions=["tools.intercept", "tools.register"])
    scenario = tmp_path / "refused.scenario.yaml"
    scenario.write_text(
        f"""scenario: refused
dialect: hookbus
config: {tmp_path / "base"}
play:
  session: {{steps: [{{user: go, model: [{{calls: [{{tool: "bad:t"}}]}}, {{says: done}}]}}, {{reload: bad}}]}}
expect_played:
  status: completed
  rules: [HB-RELOAD-FAILED]
  dispatches:
    - {{in: {{point: before_tool_call}}, asked: [], rule: HB-EMPTY, errors: []}}
"""
    )
    ran = command("run", scenario)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "not loaded: 'bad' did not start" in ran.stderr
