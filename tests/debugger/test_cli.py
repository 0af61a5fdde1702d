"""The command as it is run: real processes, exit codes, clean pipes, and nothing left behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from plugin_configs import ASKED, HANGS, write_config
from plugin_runs import ROOT, processes_mentioning, until_now

from debugger.cli import VERSION

SAMPLE = ROOT / "sample_configs" / "first_chain"
HARMFUL = SAMPLE / "payloads" / "plan-ready.harmful.json"
COMMAND = (sys.executable, "-m", "debugger.cli")
ENV = {**os.environ, "COLUMNS": "120"}


def hookscope(*arguments: object, given: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=cwd,
        env={**ENV, "PYTHONPATH": str(ROOT)},
        check=False,
    )


def facts(run: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    """Every line of the output as JSON."""
    return [json.loads(line) for line in run.stdout.splitlines()]


def test_fire_prints_chain_diff_result_and_why() -> None:
    """The whole story of a dispatch that passes, on stdout alone, with exit code 0."""
    run = hookscope("fire", SAMPLE, "pre-model-call")
    assert (run.returncode, run.stderr) == (0, "")
    lines = run.stdout.splitlines()
    assert lines[0].strip() == "pre-model-call  4 subscribers"
    rows = [line.split()[:4] for line in lines if line.strip().startswith(("✓ audit", "✓ token", "± "))]
    assert rows == [
        ["✓", "audit-log", "observe", "ok"],
        ["✓", "token-counter", "observe", "ok"],
        ["±", "redactor", "transform", "changed"],
        ["±", "injector", "transform", "changed"],
    ]
    assert "redactor changed the payload   ~2" in run.stdout
    assert "injector changed the payload   +1" in run.stdout
    assert any(line.startswith("+") and "[api-key " in line for line in lines)
    assert any(line.startswith("-") and "sk-a1B2c3D4e5F6g7H8i9J0kLmN" in line for line in lines)
    assert "✓ allow" in run.stdout
    assert "PL-CHAIN-END" in run.stdout
    assert "\x1b" not in run.stdout


def test_fire_at_the_other_point_from_another_folder(tmp_path: Path) -> None:
    """Where one stands does not matter; the file names the configuration as well as its folder."""
    run = hookscope("fire", SAMPLE / "agent.hcl", "plan-ready", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "✓ policy-bot" in run.stdout
    assert "decision  allow" in run.stdout


def test_a_chain_that_says_no_is_exit_code_1_and_says_why() -> None:
    """No is a result, not a mistake: stderr stays empty, and the rule is named."""
    run = hookscope("fire", SAMPLE, "plan-ready", "--payload", HARMFUL)
    assert (run.returncode, run.stderr) == (1, "")
    for words in ("⊘ DENY", "⊘ policy-bot", "PL-VETO-DENY", "┄ audit-log", "Not reached because of it: audit-log"):
        assert words in run.stdout


@pytest.mark.parametrize(
    ("point", "payload", "code", "decision"),
    [("pre-model-call", None, 0, "allow"), ("plan-ready", None, 0, "allow"), ("plan-ready", HARMFUL, 1, "deny")],
)
def test_json_is_one_fact_a_line(point: str, payload: Path | None, code: int, decision: str) -> None:
    """From opened to ended, numbered without a gap; exit codes as without."""
    run = hookscope("fire", SAMPLE, point, "--json", *(("--payload", payload) if payload else ()))
    assert (run.returncode, run.stderr) == (code, "")
    lines = facts(run)
    assert [line["number"] for line in lines] == list(range(len(lines)))
    assert lines[0]["fact"] == "opened"
    assert lines[0]["point"] == point
    assert [line["fact"] for line in lines].count("ended") == 1
    assert lines[-1]["fact"] == "ended"
    assert lines[-1]["result"]["decision"] == decision


def test_a_payload_comes_from_standard_input_or_a_file() -> None:
    """Both are the same payload."""
    text = HARMFUL.read_text()
    by_pipe = facts(hookscope("fire", SAMPLE, "plan-ready", "--json", "--payload", "-", given=text))
    by_file = facts(hookscope("fire", SAMPLE, "plan-ready", "--json", "--payload", HARMFUL))
    assert by_pipe[0]["payload"] == by_file[0]["payload"] == json.loads(text)


def test_an_empty_chain_lets_the_payload_pass() -> None:
    """Nobody subscribed there, and that is fine."""
    run = hookscope("fire", SAMPLE, "session-end", "--payload", "-", given='{"session_id": "s"}')
    assert (run.returncode, run.stderr) == (0, "")
    assert "PL-CHAIN-EMPTY" in run.stdout


def test_a_switch_is_thrown() -> None:
    """With concurrent observers the second is asked before the first has answered."""
    run = hookscope("fire", SAMPLE, "pre-model-call", "--json", "--switch", "concurrent_observe")
    kinds = [line["fact"] for line in facts(run) if line["fact"] in ("asked", "replied")]
    assert kinds[:2] == ["asked", "asked"]


BAD: list[tuple[str, tuple[object, ...], str, str]] = [
    ("no such config", ("nowhere", "plan-ready"), "", "nowhere does not exist"),
    ("not a config", (Path(__file__), "plan-ready"), "", "is no configuration that hookscope knows"),
    ("no such point", (SAMPLE, "plan-redy"), "", "no hook point 'plan-redy'; did you mean 'plan-ready'?"),
    ("no such payload", (SAMPLE, "plan-ready", "--payload", "no.json"), "", "no.json cannot be read: No such file"),
    ("payload is a folder", (SAMPLE, "plan-ready", "--payload", SAMPLE), "", "cannot be read: Is a directory"),
    ("bad JSON", (SAMPLE, "plan-ready", "--payload", "-", "--json"), '{\n "plan": oops}', "input:2:10: not JSON"),
    ("no JSON at all", (SAMPLE, "plan-ready", "--payload", "-"), "", "standard input:1:1: not JSON"),
    ("unknown member", (SAMPLE, "plan-ready", "--payload", "-"), '{"plen": {}}', "did you mean 'plan'"),
    ("wrong type", (SAMPLE, "plan-ready", "--payload", "-"), '{"plan": 1}', "standard input: $.plan"),
    ("no such switch", (SAMPLE, "plan-ready", "--switch", "loud"), "", "no switch 'loud'; it has concurrent_observe"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "given", "sentence"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_bad_input_is_one_sentence_and_exit_code_2(arguments: tuple[object, ...], given: str, sentence: str) -> None:
    """On stderr, without a traceback; stdout stays clean for whoever pipes it."""
    run = hookscope("fire", *arguments, given=given)
    assert (run.returncode, run.stdout) == (2, "")
    [line] = run.stderr.splitlines()
    assert line.startswith("hookscope: ")
    assert sentence in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fyre",), "Did you mean 'fire'"),
        (("fire",), "Missing argument 'CONFIG'"),
        (("fire", SAMPLE), "Missing argument 'POINT'"),
        (("fire", SAMPLE, "plan-ready", "--payloads", "x"), "Did you mean '--payload'"),
        (("open", "nowhere"), "nowhere does not exist"),
    ],
)
def test_wrong_use_names_the_likely_intent(arguments: tuple[object, ...], words: str) -> None:
    """Exit code 2, the usage and the remedy on stderr."""
    run = hookscope(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr
    assert "Traceback" not in run.stderr


def test_an_error_in_the_configuration_names_its_place(tmp_path: Path) -> None:
    """File, line and column, in one sentence."""
    config = tmp_path / "agent.hcl"
    config.write_text('required_providers {\n}\nhook "plan-ready" {\n  provider = "nobody"\n  mode = "veto"\n}\n')
    run = hookscope("fire", config, "plan-ready")
    assert (run.returncode, run.stdout) == (2, "")
    [line] = run.stderr.splitlines()
    assert f"{config}:" in line
    assert "nobody" in line


def test_a_subscriber_that_does_not_start_is_narrated_and_answers_as_dead(tmp_path: Path) -> None:
    """What it printed is said on stderr; the dialect decides about the chain: a dead veto is a no."""
    config = write_config(tmp_path, "plan-ready", {"broken": ("veto", "import no_such_module_here")})
    run = hookscope("fire", config, "plan-ready", "--payload", "-", given="{}")
    assert run.returncode == 1
    assert "hookscope: 'broken' did not start" in run.stderr
    assert "no_such_module_here" in run.stderr
    assert "PL-VETO-CRASHED" in run.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_json", [False, True], ids=["text", "json"])
def test_an_interrupt_ends_a_hanging_dispatch_as_cancelled(tmp_path: Path, number: int, is_json: bool) -> None:
    """The result is told as for any dispatch, the exit code says that there is no yes, and no process is left."""
    config = write_config(tmp_path, "plan-ready", {"sleeper": ("veto", HANGS)})
    command = [*COMMAND, "fire", str(config), "plan-ready", "--payload", "-", *(["--json"] if is_json else [])]
    program = f"sleeper_{tmp_path.name}.py"
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=ENV
    ) as run:
        try:
            assert run.stdin is not None
            run.stdin.write("{}")
            run.stdin.close()
            run.stdin = None
            if is_json:
                assert run.stdout is not None
                for line in run.stdout:
                    if json.loads(line)["fact"] == "printed":
                        break
            else:
                until_now((tmp_path / ASKED).exists, 30)
            run.send_signal(number)
            out, err = run.communicate(timeout=30)
        finally:
            run.kill()
    word = "interrupted" if number == signal.SIGINT else "terminated"
    assert (run.returncode, err) == (1, "")
    if is_json:
        result = json.loads(out.splitlines()[-1])["result"]
        assert (result["ending"], result["decision"]) == ("cancelled", "unspecified")
        assert word in result["error"]
    else:
        assert "× cancelled" in out
        assert word in out
    until_now(lambda: not processes_mentioning(program))


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("lines", [0, 1])
def test_output_into_a_closed_pipe_is_quiet(options: tuple[str, ...], lines: int) -> None:
    """Found by trying: `--json | head -1` printed a traceback. Nothing is said, and the exit code is the chain's."""
    command = [*COMMAND, "fire", str(SAMPLE), "pre-model-call", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT, env=ENV) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        for _ in range(lines):
            assert run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
        assert run.wait(30) == 0


def test_the_application_needs_a_terminal() -> None:
    """In a pipe there is nobody to press keys: a sentence instead of a screen full of sequences."""
    run = hookscope("open", SAMPLE)
    assert (run.returncode, run.stdout) == (2, "")
    assert "the application needs a terminal" in run.stderr


def test_version_and_help() -> None:
    """On stdout, with exit code 0; the help lists every command with a line."""
    version = hookscope("--version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout == f"hookscope, version {VERSION}\n"
    for option in ("--help", "-h"):
        run = hookscope(option)
        assert (run.returncode, run.stderr) == (0, "")
        assert "An oscilloscope for hook chains." in run.stdout
        assert {"fire", "open"} <= {line.split()[0] for line in run.stdout.splitlines() if line.startswith("  ")}
    run = hookscope("fire", "--help")
    assert (run.returncode, run.stderr) == (0, "")
    assert "Exits with 0 when the chain let the payload pass" in " ".join(run.stdout.split())


def test_a_headless_command_never_loads_the_screen() -> None:
    """Whatever `fire` needs, Textual is not part of it."""
    code = "import sys; from debugger import fire, cli; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_bug_of_ours_is_exit_code_3_without_a_traceback(tmp_path: Path) -> None:
    """The sentence says how to get one."""
    (tmp_path / "kernel_breaks.py").write_text(
        "import sys\n"
        "import debugger.fire\n"
        "def broken(request):\n    raise ZeroDivisionError('ours')\n"
        "debugger.fire.fire = broken\n"
        "from debugger.cli import main\n"
        "sys.argv = ['hookscope', 'fire', 'x', 'y']\n"
        "main()\n"
    )
    run = subprocess.run(
        [sys.executable, str(tmp_path / "kernel_breaks.py")],
        capture_output=True,
        text=True,
        env={**ENV, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stdout) == (3, "")
    assert "something broke on our side: ZeroDivisionError('ours')" in run.stderr
    assert "HOOKSCOPE_TRACEBACK=1" in run.stderr
    assert "Traceback" not in run.stderr


REPEATED = """
required_providers {
  gate = { source = "example/gate", version = "~> 1.0" }
}
hook "plan-ready" {
  provider = "gate"
  mode     = "veto"
}
hook "plan-ready" {
  provider = "gate"
  mode     = "observe"
}
"""


@pytest.mark.parametrize(
    "options",
    [
        ("--lenient", "repeated_subscriptions"),
        ("--option", "repeated_subscriptions=true"),
        ("--lenient", "repeated_subscriptions", "--option", "unadvertised_points=false"),
    ],
    ids=" ".join,
)
def test_a_configuration_is_read_as_one_wishes(tmp_path: Path, options: tuple[str, ...]) -> None:
    """What the host refuses is let through, by every command that reads a configuration."""
    config = tmp_path / "agent.hcl"
    config.write_text(REPEATED)
    (tmp_path / "config.hcl").write_text('dev_overrides {\n  gate = "false"\n}\n')
    refused = hookscope("fire", config, "plan-ready", "--json")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "ErrDuplicateSubscription" in refused.stderr or "subscription" in refused.stderr
    fired = hookscope("fire", config, "plan-ready", "--json", *options)
    assert fired.returncode == 1, "its veto does not start, and silence is a no"
    assert [seat["subscriber"] for seat in facts(fired)[0]["chain"]] == ["gate", "gate"]
    checked = hookscope("check", config, *options)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize("command", ["fire", "play", "check"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--option", "repeated_subscriptions"), "'repeated_subscriptions' is not NAME=VALUE"),
        (("--option", "=true"), "'=true' is not NAME=VALUE"),
        (("--option", "repeated_subscriptions=yes"), "is true or false, not 'yes'"),
        (("--option", "loud=1"), "without an option 'loud'"),
        (("--lenient", "loud"), "without an option 'loud'"),
        (("--option", 'tools={"g": [], "g": []}'), "has the member 'g' twice"),
    ],
)
def test_an_option_that_cannot_be_is_refused(command: str, options: tuple[str, ...], words: str) -> None:
    """Exit code 2 and a sentence, whichever command reads the configuration."""
    further = {"fire": ("plan-ready",), "play": (ROOT / "pyproject.toml",), "check": ()}[command]
    run = hookscope(command, SAMPLE, *further, *options)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr
    assert "Traceback" not in run.stderr
