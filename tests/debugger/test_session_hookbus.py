"""A debug session over hookbus extensions: who is started again by whom, and what is not loaded."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from plugin_runs import ROOT, until

from debugger.session import Session
from kernel.dialects import load_setup

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
