"""The hookbus samples do what their README says: real programs, over the real transport."""

from __future__ import annotations

import asyncio
import json
import re
import runpy
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from debugger.check import to_json, told
from kernel import Chain, Probes, dispatch
from kernel.dialects import check_setup, load_setup
from kernel.facts import Fact, Resolved
from kernel.host import Host
from kernel.probe import Event
from kernel.problems import Severity
from kernel.reach import StdioExtension
from kernel.setup import Setup
from kernel.values import JSON, Payload, Result

BASE = Path(__file__).parent.parent / "sample_configs" / "hookbus"
MISBEHAVING = BASE / "misbehaving"
TABLE = [line for line in (BASE / "README.md").read_text().splitlines() if line.startswith("| `")]
NEEDS = pytest.mark.skipif(shutil.which("node") is None or shutil.which("bash") is None, reason="needs node and bash")


class Kept:
    """A probe that remembers."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []

    def see(self, event: Event) -> None:
        self.facts.append(event.fact)


async def fire(setup: Setup, *names: str) -> list[Result]:
    """The results of firing these prepared payloads at one set of processes."""
    results = []
    async with Host(setup.chains.values(), others=setup.others) as host:
        assert host.failures == ()
        for name in names:
            point = name.partition(".")[0]
            payload = setup.dialect.payload_from_view(
                point, json.loads((BASE / "payloads" / f"{name}.json").read_text())
            )
            results.append(await dispatch(setup.dialect, setup.chains[point], payload, host.subscribers))
    return results


@pytest.mark.parametrize(
    "folder", [BASE, MISBEHAVING, *sorted((BASE / "plugins").iterdir())], ids=lambda path: path.name
)
def test_the_samples_are_well_written(folder: Path) -> None:
    """Nothing to complain about, but that this machine may lack a program."""
    report = check_setup(folder)
    assert {problem.code for problem in report.problems} <= {"missing-program"}
    assert all(problem.severity is Severity.WARNING for problem in report.problems)


def test_every_prepared_payload_can_be_fired() -> None:
    """Each is an event of the kind that its file names."""
    setup = load_setup(BASE)
    for path in sorted((BASE / "payloads").glob("*.json")):
        point = path.name.partition(".")[0]
        assert setup.dialect.payload_from_view(point, json.loads(path.read_text())).body
        assert setup.chains[point].subscriptions


@NEEDS
async def test_the_chain_does_what_the_walk_through_it_says() -> None:
    """One rewrites, one blocks, one asks, one replaces and one injects."""
    plain, harmful, push, output, message, start = await fire(
        load_setup(BASE, {"project_root": str(BASE)}),
        "before_tool_call",
        "before_tool_call.harmful",
        "before_tool_call.push",
        "after_tool_call",
        "before_message",
        "on_session_start",
    )
    assert (plain.decision, plain.decided_by) == ("modify", "10-input-rewriter")
    assert plain.extras["input"] == {
        "command": "cd shop && npm ci --ignore-scripts && rm -rf build && npm test",
        "timeout": 120,
    }
    assert (harmful.decision, harmful.extras["reason"]) == ("block", "~ is protected")
    assert (push.decision, push.extras["sources"], push.extras["modified_by"]) == (
        "confirm",
        ["30-push-confirmer"],
        ["10-input-rewriter"],
    )
    assert push.extras["message"] == "Overwrite what others may have on the server?"
    assert push.extras["modified_input"] == {
        "command": "npm ci --ignore-scripts && npm test && git push --force origin main"
    }
    assert output.decision == "replace"
    lines = str(output.extras["output"]).split("\n")
    assert lines[2] == "npm warn deprecated inflight@1.0.6: this module is not supported  [7 times]"
    assert (len(lines), lines[6]) == (13, "[12 lines left out]")
    assert (message.decision, message.extras["content"]) == ("inject", "Every change comes with a test.")
    assert (start.decision, start.extras["content"]) == ("inject", "Project: hookbus (no repository)")


@NEEDS
@pytest.mark.parametrize(
    ("command", "confirmed"),
    [
        ("git push", "Send these commits to the server?"),
        ("git push -f", "Overwrite what others may have on the server?"),
        ("echo 'a \"quoted\" word' && git push origin é", "Send these commits to the server?"),
        ("git push; ls --force", "Send these commits to the server?"),
        ('echo "}],{\\"id\\": 7" \\\\ && git push', "Send these commits to the server?"),
        ("echo 名前\n\tgit push --force", "Overwrite what others may have on the server?"),
    ],
)
async def test_the_shell_script_reads_any_json(command: str, confirmed: str) -> None:
    """Quotes, brackets, escapes, bytes beyond ASCII: a hand-made reader, and an exact one."""
    assert (await confirm({"command": command, "nested": [{"command": "x", "id": 9}, [], {}]})).extras["message"] == (
        confirmed
    )


@NEEDS
async def test_the_shell_script_reads_many_messages() -> None:
    """Large ones too, one after the other, by the byte."""
    result = await confirm({"command": "git push", "text": "é" * 5000}, times=3)
    assert result.decision == "confirm"


async def confirm(tool_input: JSON, *, times: int = 1) -> Result:
    """What the confirmer alone makes of an input."""
    setup = load_setup(BASE / "plugins" / "30-push-confirmer")
    view: JSON = {"tool_name": "bash", "tool_input": tool_input}
    payload = setup.dialect.payload_from_view("before_tool_call", view)
    async with Host(setup.chains.values()) as host:
        results = [
            await dispatch(setup.dialect, setup.chains["before_tool_call"], payload, host.subscribers)
            for _ in range(times)
        ]
    return results[-1]


@NEEDS
@pytest.mark.parametrize(
    ("command", "protected", "blocked"),
    [
        ("rm -rf /", "", "/ is protected"),
        ("sudo /bin/rm -r -f ~ x", "", "~ is protected"),
        ("ls && rm ./.git/", "", ".git is protected"),
        ("rm -rf '/tmp/a b'", "", None),
        ("rm x; ls /", "", None),
        ("echo rm -rf /tmp", "", None),
        ("rm 'half", "", None),
        ("rm -rf build", "build, dist", "build is protected"),
        ("rm -rf /", "build", None),
    ],
)
async def test_the_guard_knows_what_is_removed(
    command: str, protected: str, blocked: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its config, which a variable overrides."""
    if protected:
        monkeypatch.setenv("SYNAPS_EXTENSION_20_COMMAND_GUARD_PROTECTED", protected)
    setup = load_setup(BASE / "plugins" / "20-command-guard")
    payload = setup.dialect.payload_from_view(
        "before_tool_call", {"tool_name": "bash", "tool_input": {"command": command}}
    )
    async with Host(setup.chains.values()) as host:
        result = await dispatch(setup.dialect, setup.chains["before_tool_call"], payload, host.subscribers)
    assert result.extras.get("reason") == blocked


# -- the one that misbehaves -------------------------------------------------------------------------------------

ARRIVES, ONCE, REPLACED, ERROR, LATE, INVALID, MALFORMED, REFUSED = (
    re.findall(r"`([^`]+)`", line.split("|")[1]) for line in TABLE
)
RULES: Mapping[str, set[str]] = {
    "arrives": {"HB-BLOCK"},
    "replaced": {"HB-CRASHED"},
    "error": {"HB-CALL-FAILED"},
    "late": {"HB-TIMEOUT"},
    "invalid": {"HB-INVALID-RESULT", "HB-DISALLOWED"},
    "malformed": {"HB-MALFORMED-MODIFY"},
    "refused": {"HB-CRASHED"},
}


async def misbehave(mode: str, *, timeout_ms: int, slots: asyncio.Semaphore) -> tuple[str, str, str, int | None, bool]:
    """Mode, rule, decision, restarts and whether it was loaded, for one event."""
    setup = load_setup(MISBEHAVING)
    [seat] = setup.chains["before_tool_call"].subscriptions
    assert isinstance(seat.reach, StdioExtension)
    seat = replace(seat, timeout_ms=timeout_ms, reach=replace(seat.reach, config=(("mode", mode),)))
    chain = Chain("before_tool_call", (seat,))
    payload: Payload = setup.dialect.sample_payload("before_tool_call")
    kept = Kept()
    async with slots, Host([chain]) as host:
        result = await dispatch(setup.dialect, chain, payload, host.subscribers, probes=Probes(kept))
        [health] = host.health
        loaded = not host.failures
    [rule] = [fact.rule for fact in kept.facts if isinstance(fact, Resolved)]
    return mode, rule, result.decision, health.restart_count, loaded


async def all_of(modes: Iterable[str], *, timeout_ms: int) -> list[tuple[str, str, str, int | None, bool]]:
    slots = asyncio.Semaphore(4)
    return await asyncio.gather(*(misbehave(mode, timeout_ms=timeout_ms, slots=slots) for mode in modes))


@pytest.mark.parametrize(
    ("row", "modes", "decision", "restarts", "timeout_ms"),
    [
        ("arrives", ARRIVES, "block", 0, 20_000),
        ("arrives", ONCE, "block", 1, 20_000),
        ("replaced", REPLACED, "continue", 1, 20_000),
        ("error", ERROR, "continue", 1, 20_000),
        ("late", LATE, "continue", 0, 500),
        ("invalid", INVALID, "continue", 0, 20_000),
        ("malformed", MALFORMED, "block", 0, 20_000),
    ],
)
async def test_each_mode_of_misbehaving_ends_as_its_row_says(
    row: str, modes: list[str], decision: str, restarts: int, timeout_ms: int
) -> None:
    """The table of the README, line by line, with real bytes on real pipes."""
    for mode, rule, decided, restarted, loaded in await all_of(modes, timeout_ms=timeout_ms):
        assert rule in RULES[row], mode
        assert (mode, decided, restarted, loaded) == (mode, decision, restarts, True)


async def test_a_bad_handshake_is_not_loaded() -> None:
    """The last row: nobody is there to be asked."""
    for mode, rule, decided, _, loaded in await all_of(REFUSED, timeout_ms=20_000):
        assert (mode, rule, decided, loaded) == (mode, "HB-CRASHED", "continue", False)


def test_the_readme_has_every_mode() -> None:
    """And the program has no other."""
    written = [mode for line in TABLE for mode in re.findall(r"`([^`]+)`", line.split("|")[1])]
    program = runpy.run_path(str(MISBEHAVING / "main.py"))
    known = [mode for name in ("INSTEAD", "DOES", "HANDSHAKES", "AFTERWARDS") for mode in program[name]]
    assert sorted(written) == sorted(known)


# -- what people see of it ---------------------------------------------------------------------------------------


def test_check_says_where_config_comes_from_and_what_the_host_reports(tmp_path: Path) -> None:
    """On the screen and as JSON, without a value."""
    folder = tmp_path / "base"
    shutil.copytree(BASE / "plugins", folder / "plugins")
    broken = folder / "plugins" / "00-broken" / ".synaps-plugin" / "plugin.json"
    broken.parent.mkdir(parents=True)
    broken.write_text('{"extension": {"runtime": "process", "command": ""}}')
    (folder / "config").write_text("extension.20-command-guard.protected = /srv/hidden\n")
    report = check_setup(folder)
    text = "\n".join(told(Path("base"), report))
    assert f"  protected  the global config file  {folder / 'config'}\n" in text
    assert "the host reports\n  00-broken  empty-command  Extension '00-broken' has empty command\n" in text
    assert "/srv/hidden" not in text
    notes = [line for line in to_json(Path("base"), report) if line["kind"] == "note"]
    assert notes[0] == {
        "kind": "note",
        "path": "base",
        "title": "the host reports",
        "rows": [
            {"plugin": "00-broken", "code": "empty-command", "message": "Extension '00-broken' has empty command"},
        ],
    }
    assert "/srv/hidden" not in json.dumps(notes)
