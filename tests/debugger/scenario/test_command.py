"""Claims about `hookscope run` and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from scenario_texts import scenario

ROOT = Path(__file__).parents[3]
GOOD = scenario("[{name: A, point: session-end, mode: observe, stub: ack}]", expect="{decision: allow}")
BAD = scenario(expect="{decision: deny}").replace("scenario: s", "scenario: wrong")
BROKEN = scenario(fire="{point: nowhere}").replace("scenario: s", "scenario: broken")
UNREADABLE = "scenario: s\ndialekt: pluggable\n"


def hookscope(*arguments: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "debugger.cli", *map(str, arguments)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd, env=env, check=False)


def written(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.scenario.yaml").write_text(text)
    return folder


def test_all_held_is_exit_code_0(tmp_path: Path) -> None:
    """A line for each on stdout, and the count."""
    run = hookscope("run", written(tmp_path, a=GOOD, b=f"{GOOD}\n---\n{GOOD}"))
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == "✓ s\n✓ s\n✓ s\n3 held\n"


@pytest.mark.parametrize(
    ("texts", "code", "last"),
    [
        ({"a": GOOD, "b": BAD}, 1, "1 held, 1 failed"),
        ({"a": BROKEN, "b": GOOD}, 2, "1 held, 1 could not be run"),
        ({"a": BROKEN, "b": BAD}, 2, "0 held, 1 failed, 1 could not be run"),
    ],
)
def test_the_worst_verdict_is_the_exit_code(tmp_path: Path, texts: dict[str, str], code: int, last: str) -> None:
    """Everything that can be run is run."""
    run = hookscope("run", written(tmp_path, **texts))
    assert (run.returncode, run.stderr) == (code, "")
    assert run.stdout.splitlines()[-1] == last


def test_nothing_is_run_unless_every_file_can_be_read(tmp_path: Path) -> None:
    """Every file that cannot is told of, on stderr."""
    folder = written(tmp_path, a=GOOD, b=UNREADABLE, c="[")
    run = hookscope("run", folder)
    assert (run.returncode, run.stdout) == (2, "")
    first, second = run.stderr.splitlines()
    assert first == f"hookscope: {folder}/b.scenario.yaml:2:1: dialekt: unknown key; did you mean 'dialect'?"
    assert second.startswith(f"hookscope: {folder}/c.scenario.yaml:")


def test_some_are_chosen_by_a_part_of_their_name(tmp_path: Path) -> None:
    """In any case; none is a mistake."""
    folder = written(tmp_path, a=GOOD, b=BAD)
    assert hookscope("run", folder, "-k", "S").returncode == 0
    assert hookscope("run", folder, "-k", "WRON").returncode == 1
    run = hookscope("run", folder, "-k", "nobody")
    assert (run.returncode, run.stdout) == (2, "")
    assert "none of 2 scenarios has 'nobody' in its name" in run.stderr


def test_json_is_one_scenario_a_line(tmp_path: Path) -> None:
    """And nothing else on stdout."""
    run = hookscope("run", "--json", written(tmp_path, a=GOOD, b=BAD))
    assert run.returncode == 1
    assert [json.loads(line)["held"] for line in run.stdout.splitlines()] == [True, False]
    assert run.stderr == "hookscope: 1 held, 1 failed\n"


def test_junit_is_written_beside_the_text(tmp_path: Path) -> None:
    """Or refused with a sentence."""
    folder = written(tmp_path, a=GOOD, b=BAD)
    run = hookscope("run", folder, "--junit", tmp_path / "out.xml")
    assert run.returncode == 1
    suites = ElementTree.parse(tmp_path / "out.xml").getroot()
    assert [suite.get("failures") for suite in suites] == ["0", "1"]
    run = hookscope("run", folder, "--junit", tmp_path / "nowhere" / "out.xml")
    assert run.returncode == 2
    assert "cannot be written: No such file or directory" in run.stderr
    assert run.stdout == ""  # nothing ran in vain
    (tmp_path / "out.xml").write_text("older and longer " * 1000)
    assert hookscope("run", folder, "--junit", tmp_path / "out.xml").returncode == 1
    ElementTree.parse(tmp_path / "out.xml")
    assert hookscope("run", "nowhere", "--junit", tmp_path / "new.xml").returncode == 2
    assert not (tmp_path / "new.xml").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run",), "Missing argument"),
        (("run", "nowhere"), "nowhere does not exist"),
        (("run", "."), "holds no *.scenario.yaml"),
        (("run", "x", "--jsn"), "Did you mean"),
    ],
)
def test_wrong_use_is_exit_code_2(tmp_path: Path, arguments: tuple[object, ...], words: str) -> None:
    """With the remedy."""
    run = hookscope(*arguments, cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert words in run.stderr


def test_what_is_narrated_goes_to_stderr(tmp_path: Path) -> None:
    """A program that does not start, for example."""
    chain = "[{name: A, point: session-end, mode: observe, process: [no-such-program-anywhere]}]"
    run = hookscope("run", written(tmp_path, a=scenario(chain)))
    assert (run.returncode, run.stdout) == (0, "✓ s\n1 held\n")
    assert run.stderr.startswith("hookscope: 'A' did not start")


def test_running_scenarios_never_loads_the_screen() -> None:
    """Textual is not part of it."""
    code = "import sys; from debugger.scenario import command; sys.exit('textual' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
