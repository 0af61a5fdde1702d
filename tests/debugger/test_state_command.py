"""`hookscope state` and `hookscope payload` as they are run: clean pipes, exit codes, nothing changed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from plugin_configs import write_config
from plugin_runs import ROOT
from session_files import Agent, write_session
from test_cli import COMMAND, ENV, hookscope

from kernel.dialects.pluggable import PLUGGABLE
from kernel.values import JSON


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_session(tmp_path / "01JN.sqlite")


def records(file: Path, *options: str) -> list[dict[str, JSON]]:
    """Every line of the output as JSON."""
    run = hookscope("state", file, "--json", *options)
    assert (run.returncode, run.stderr) == (0, "")
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_state_prints_the_whole_session(file: Path) -> None:
    """On stdout alone, and the file is as it was."""
    before = file.read_bytes()
    run = hookscope("state", file)
    assert (run.returncode, run.stderr) == (0, "")
    for words in ("01JNSESSION0000000000000AB", "calls fs.remove", "PROCESS_CRASHED  veto at plan-ready",
                  "hook-veto:policy-bot", "anthropic/sonnet", "0.006200"):  # fmt: skip
        assert words in run.stdout
    assert file.read_bytes() == before


def test_state_as_json_is_one_record_a_line(file: Path) -> None:
    """Session, events, decisions, costs: the shape of docs/state-files.md."""
    found = records(file)
    kinds = [record["record"] for record in found]
    assert kinds == ["session", *["event"] * 13, *["plan item"] * 2, *["cost"] * 2]
    assert found[0]["meta"]["profile"] == "coder"  # type: ignore[index, call-overload]
    wrapped, bare = (record for record in found if record.get("kind") == "hook_error")
    assert (wrapped["message"], bare["message"]) == ("HookErrorEvent", "HookError")
    assert wrapped["hook_error"] == {
        "point": "plan-ready",
        "mode": "veto",
        "category": "TIMEOUT",
        "message": "no answer within 1500 ms",
        "subscriber": {"category": "tool", "name": "policy-bot", "version": "0.9.0"},
    }
    assert found[-1]["model"] == "haiku"


def test_state_picks_events(file: Path) -> None:
    """By kind and by number, the newest."""
    picked = [record for record in records(file, "--kind", "message", "--limit", "2") if record["record"] == "event"]
    assert [record["sequence"] for record in picked] == [2, 13]


def test_an_event_that_cannot_be_read_goes_out_with_its_bytes(tmp_path: Path) -> None:
    """For whoever can read them."""
    agent = Agent(tmp_path / "s.sqlite")
    agent.event("from_the_future", b"\x00\xff")
    agent.close()
    [record] = [each for each in records(agent.path) if each["record"] == "event"]
    assert (record["wire"], record["undecodable"]) == ("AP8=", "the kind 'from_the_future' is not known (2 bytes)")


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_a_file_that_is_none_is_one_sentence_and_exit_code_2(tmp_path: Path, options: tuple[str, ...]) -> None:
    """On stderr; stdout stays clean."""
    (tmp_path / "s.sqlite").write_bytes(b"\x1b[2J" * 500)
    for path, words in ((tmp_path / "s.sqlite", "is no SQLite file"), (tmp_path / "x", "does not exist")):
        run = hookscope("state", path, *options)
        assert (run.returncode, run.stdout) == (2, "")
        [line] = run.stderr.splitlines()
        assert line.startswith("hookscope: ")
        assert words in line


def test_output_into_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    """`hookscope state FILE | head -1` is a fine thing to say."""
    agent = Agent(tmp_path / "s.sqlite")
    agent.events(("plan", {"plan": {}}) for _ in range(3000))
    agent.close()
    command = [*COMMAND, "state", str(agent.path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=ENV) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(30) == 0


def test_payload_prints_json_that_fire_takes(tmp_path: Path) -> None:
    """The same for the same seed, and what `fire` uses where nothing is prepared."""
    run = hookscope("payload", "plan-ready", "--seed", "5")
    assert (run.returncode, run.stderr) == (0, "")
    assert json.loads(run.stdout) == PLUGGABLE.sample_payload("plan-ready", 5).view
    config = write_config(tmp_path, "plan-ready", {})
    given = hookscope("fire", config, "plan-ready", "--json", "--payload", "-", given=run.stdout)
    assert json.loads(given.stdout.splitlines()[0])["payload"] == json.loads(run.stdout)
    default = hookscope("fire", config, "plan-ready", "--json")
    assert json.loads(default.stdout.splitlines()[0])["payload"] == PLUGGABLE.sample_payload("plan-ready").view
    assert hookscope("payload", "plan-ready", "--config", config, "--seed", "5").stdout == run.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("payload", "plan-raedy"), "no point 'plan-raedy'"),
        (("payload", "plan-ready", "--seed", "x"), "'x' is not a valid integer"),
        (("payload",), "Missing argument 'POINT'"),
        (("state",), "Missing argument 'FILE'"),
        (("state", "x", "--limit", "0"), "0 is not in the range"),
        (("state", "x", "--knid", "y"), "--kind"),
    ],
)
def test_wrong_use_is_exit_code_2(arguments: tuple[str, ...], words: str) -> None:
    """With the likely intent, and without a traceback."""
    run = hookscope(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_a_refusal_cannot_steer_the_terminal(tmp_path: Path) -> None:
    """Found by fuzzing: a configuration is quoted in what is said about it, escape sequences included."""
    (tmp_path / "agent.hcl").write_text('a = "\\\x1b[2J"\n')
    run = hookscope("fire", tmp_path / "agent.hcl", "plan-ready")
    assert (run.returncode, run.stdout) == (2, "")
    assert "unknown escape `\\␛`" in run.stderr
    assert "\x1b" not in run.stderr


def test_neither_command_loads_the_screen() -> None:
    """Whatever they need, Textual is not part of it."""
    code = "import sys; from debugger import state, payloads; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
