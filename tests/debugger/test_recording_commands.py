"""`-o`, `replay`, `diff`, `chaos` and `faults` as a person uses them, on the samples with real processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FIRST = ROOT / "sample_configs" / "first_chain"


def hookscope(*words: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    argv = [sys.executable, "-m", "debugger.cli", *map(str, words)]
    env = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(cwd)}
    return subprocess.run(argv, capture_output=True, text=True, timeout=100, cwd=cwd, env=env, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two recordings of real dispatches: one that passes, one that is denied."""
    here = tmp_path_factory.mktemp("recordings")
    passed = hookscope("fire", FIRST, "plan-ready", "-o", "passed.hookscope", cwd=here)
    assert (passed.returncode, "recorded 1 dispatch in passed.hookscope" in passed.stderr) == (0, True), passed.stderr
    harmful = FIRST / "payloads" / "plan-ready.harmful.json"
    denied = hookscope("fire", FIRST, "plan-ready", "--payload", harmful, "-o", "denied.hookscope", cwd=here)
    assert denied.returncode == 1, denied.stderr
    return here


def test_an_exact_replay_starts_nobody_and_tells_the_same(folder: Path) -> None:
    """The file is all that it needs: it works where no plugin could be started."""
    done = hookscope("replay", "denied.hookscope", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "1 dispatches, 1 to the letter, 0 not" in done.stdout
    done = hookscope("replay", "denied.hookscope", "--json", cwd=folder)
    told = json.loads(done.stdout)
    assert (told["point"], told["is_same"], told["number"]) == ("plan-ready", True, 1)


def test_one_subscriber_is_fired_at_alone(folder: Path) -> None:
    """Nobody else is started; a name that is not there is told with those that are."""
    done = hookscope("fire", FIRST, "plan-ready", "--only", "audit-log", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    opened = json.loads(done.stdout.splitlines()[0])
    assert [seat["subscriber"] for seat in opened["chain"]] == ["audit-log"]
    done = hookscope("fire", FIRST, "plan-ready", "--only", "nobody", cwd=folder)
    assert done.returncode == 2
    assert "nobody called 'nobody' sits at plan-ready; there are audit-log, policy-bot" in done.stderr


def test_a_filter_says_what_is_replayed(folder: Path) -> None:
    """The same language as everywhere, with a caret under what is wrong."""
    for where, count in (("decision:deny sub:policy", 1), ("n:1", 1)):
        done = hookscope("replay", "denied.hookscope", "--where", where, cwd=folder)
        assert (done.returncode, f"{count} dispatches, {count} to the letter" in done.stdout) == (0, True), done.stderr
    done = hookscope("replay", "denied.hookscope", "--where", "status:denyed", cwd=folder)
    assert done.returncode == 2
    assert "did you mean denied?" in done.stderr
    assert "  status:denyed\n         ^^^^^^" in done.stderr
    nothing = hookscope("replay", "denied.hookscope", "--where", "decision:allow", cwd=folder)
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert "fits none of the 1 dispatches" in nothing.stderr
    unsaved = hookscope("replay", "denied.hookscope", "--where", "@mine", cwd=folder)
    assert unsaved.returncode == 2
    assert "no filter is saved as @mine" in unsaved.stderr


def test_live_subscribers_answer_as_they_did(folder: Path) -> None:
    """One of them live, and all of them."""
    for how in (["--live", "policy-bot"], ["--refire"]):
        done = hookscope("replay", "denied.hookscope", *how, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "1 dispatches, 1 as recorded, 0 not" in done.stdout


def test_a_subscriber_that_has_changed_since_is_found(folder: Path, tmp_path: Path) -> None:
    """The configuration is a copy whose judge says no to everything: what changed, and where it parts."""
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (*FIRST.glob("*.hcl"), *FIRST.glob("payloads/*"), *FIRST.glob("plugins/*.py")):
        (copy / path.relative_to(FIRST)).parent.mkdir(exist_ok=True)
        (copy / path.relative_to(FIRST)).write_text(path.read_text())
    judge = copy / "plugins" / "policy_bot.py"
    text = judge.read_text()
    judge.write_text(text.replace("return ", "return False and ", 1))
    done = hookscope("replay", "passed.hookscope", "--live", "policy-bot", "--config", copy, cwd=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "policy-bot gave something else" in done.stdout
    assert "PL-VETO-DENY" in done.stdout
    assert "is new" in done.stderr or "was changed" in done.stderr


def test_two_recordings_are_compared(folder: Path) -> None:
    """Alike with itself; the payload is what tells the others apart."""
    same = hookscope("diff", "passed.hookscope", "passed.hookscope", cwd=folder)
    assert (same.returncode, "1 alike, 0 not" in same.stdout) == (0, True)
    other = hookscope("diff", "passed.hookscope", "denied.hookscope", cwd=folder)
    assert other.returncode == 1
    assert "another payload was fired" in other.stdout
    told = json.loads(hookscope("diff", "passed.hookscope", "denied.hookscope", "--json", cwd=folder).stdout)
    assert (told["is_same"], told["differs_in"]) == (False, "payload")
    aside = hookscope("diff", "passed.hookscope", "denied.hookscope", "--ignore", "$.plan", cwd=folder)
    assert "another payload was fired" not in aside.stdout
    assert "0 alike, but for $.plan, 1 not" in aside.stdout
    wrong = hookscope("diff", "passed.hookscope", "denied.hookscope", "--ignore", "plan", cwd=folder)
    assert (wrong.returncode, "'plan' names no place" in wrong.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["replay", "missing"], "missing does not exist"),
        (["replay", "text"], "text is no recording: it is not even an SQLite file"),
        (["replay", "passed.hookscope", "--live", "nobody"], "is called 'nobody'; there are"),
        (["replay", "passed.hookscope", "--live", "a", "--refire"], "--refire asks everybody already"),
        (["diff", "passed.hookscope", "text"], "text is no recording"),
        (["fire", FIRST, "plan-ready", "-o", "passed.hookscope"], "passed.hookscope is there already"),
        (["chaos", FIRST, "--fault", "hung"], "no fault 'hung'"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(folder: Path, words: list[object], sentence: str) -> None:
    """No traceback, nothing run, nothing overwritten."""
    (folder / "text").write_text("hello")
    done = hookscope(*words, cwd=folder)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_the_catalogue_lists_every_dialect(tmp_path: Path) -> None:
    """And of one configuration's only, if so wished; as JSON too."""
    done = hookscope("faults", cwd=tmp_path)
    assert [word for word in ("pluggable", "hookbus", "rig") if f"\n  {word}\n" not in f"\n{done.stdout}"] == []
    told = [
        json.loads(text) for text in hookscope("faults", "--config", FIRST, "--json", cwd=tmp_path).stdout.splitlines()
    ]
    assert {each["dialect"] for each in told} == {"pluggable"}
    crash = next(each for each in told if each["fault"] == "crash")
    assert crash["settings"] == {"signal": 9}
    assert crash["example"] == "{at: NAME, kind: crash, signal: 9}"
    assert crash["rules"] == ["PL-OBSERVE-CRASHED", "PL-TRANSFORM-CRASHED", "PL-VETO-CRASHED"]


def test_a_recording_becomes_what_others_can_read(folder: Path) -> None:
    """Each format is written, and what is there is not replaced unless one insists."""
    for form, mark in [
        ("html", "<!doctype html>"),
        ("markdown", "plan-ready"),
        ("mermaid", "sequenceDiagram"),
        ("svg", "<svg"),
        ("jsonl", '"fact":"opened"'),
        ("scenario", "dialect: pluggable"),
        ("pytest", "def test_"),
    ]:
        done = hookscope("export", "denied.hookscope", "--as", form, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert mark.casefold() in done.stdout.casefold(), form
    words = ("export", "denied.hookscope", "--as", "markdown", "-o", "report.md")
    assert [hookscope(*words, cwd=folder).returncode, hookscope(*words, cwd=folder).returncode] == [0, 2]
    assert hookscope(*words, "--force", cwd=folder).returncode == 0


def test_what_is_recorded_can_be_redacted_while_it_is(folder: Path) -> None:
    """The secret in the prepared payload is in the plain recording, and in no byte of the other."""
    for name, more in (("plain", []), ("clean", ["--redact"])):
        payload = folder / "secret.json"
        key = "sk-live-" + "Zq8Xw2Lr7Tn5Vb3K" * 2
        payload.write_text(
            json.dumps(
                {"model": {"id": "m"}, "messages": [{"role": "ROLE_USER", "content": [{"text": {"text": key}}]}]}
            )
        )
        done = hookscope(
            "fire", FIRST, "pre-model-call", "--payload", payload, "-o", f"{name}.hookscope", *more, cwd=folder
        )
        assert "recorded 1 dispatch" in done.stderr, done.stderr
    assert key.encode() in (folder / "plain.hookscope").read_bytes()
    assert key.encode() not in (folder / "clean.hookscope").read_bytes()
    alone = hookscope("fire", FIRST, "plan-ready", "--redact", cwd=folder)
    assert (alone.returncode, "name a file to record in with -o" in alone.stderr) == (2, True)


def test_a_played_session_is_redacted_as_well(folder: Path) -> None:
    """Neither of the secrets that its person and its tools let out is in the file."""
    coding = ROOT / "sample_configs" / "coding_session"
    done = hookscope("play", coding, coding / "session.json", "-o", "played.hookscope", "--redact", cwd=folder)
    assert "in played.hookscope" in done.stderr, done.stderr
    kept = (folder / "played.hookscope").read_bytes()
    for secret in (b"sk-a1B2c3D4e5F6g7H8i9J0kLmN", b"ghp_16C7e42F292c6912E7710c838347Ae178B4a"):
        assert secret in (coding / "session.json").read_bytes()
        assert secret not in kept
