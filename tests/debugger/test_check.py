"""What `hookscope check` prints: all problems under their lines, the chains, exit codes, JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from plugin_runs import ROOT

from debugger.check import Request, run, told
from debugger.cli import cli
from kernel.problems import Problem, Report, Severity
from kernel.values import JSON, Chain, Place, Subscription

GOLDEN = Path(__file__).parent / "golden" / "check"
PAGE = (ROOT / "docs" / "configuration.md").read_text()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a configuration and without variables."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)


def checked(
    capsys: pytest.CaptureFixture[str], *paths: Path | str, is_json: bool = False, leniencies: tuple[str, ...] = ()
) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    code = run(Request(tuple(map(Path, paths)), is_json, dict.fromkeys(leniencies, True)))
    out, err = capsys.readouterr()
    return code, out, err


def test_a_config_with_many_problems_is_told_as_it_was(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed text is a changed output, to be read in the diff of tests/debugger/golden/check/expected.txt."""
    monkeypatch.chdir(GOLDEN)
    code, out, err = checked(capsys, "agent.hcl")
    assert (code, err) == (1, "")
    assert out.replace(str(GOLDEN), "FOLDER") == (GOLDEN / "expected.txt").read_text()


def test_a_good_config_gives_its_chains_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    """Each member with its mode, its deadline and where it was declared."""
    agent = ROOT / "sample_configs" / "first_chain" / "agent.hcl"
    code, out, err = checked(capsys, agent)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "chains"
    assert lines[1] == "  pre-model-call"
    assert lines[2] == f"     1  audit-log      observe    2000 ms  {agent}:41:1"
    assert lines[-1] == f"{agent}: all is well"


def test_warnings_alone_are_exit_code_0(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Legal is legal."""
    (tmp_path / "agent.hcl").write_text('policy "p" {\nmatch = {}\naction = "ask"\n}')
    code, out, _ = checked(capsys, tmp_path)
    assert code == 0
    assert "warning empty-match" in out
    assert "warning downgraded-ask" in out
    assert out.endswith("2 warnings\n")


def test_a_path_that_cannot_be_read_is_exit_code_2_and_the_others_are_checked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The worst of all paths decides."""
    (tmp_path / "a.hcl").write_text("a = 1")
    code, out, err = checked(capsys, tmp_path / "none.hcl", tmp_path / "a.hcl")
    assert code == 2
    assert "none.hcl does not exist" in err
    assert "unsupported-argument" in out
    assert checked(capsys, tmp_path / "a.hcl")[0] == 1


def test_json_is_one_problem_a_line_and_then_the_chains(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With everything that the text has, except for the lines of the file."""
    monkeypatch.chdir(GOLDEN)
    code, out, err = checked(capsys, "agent.hcl", is_json=True)
    assert (code, err) == (1, "")
    lines: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
    problems = [line for line in lines if line["kind"] == "problem"]
    assert lines[: len(problems)] == problems
    assert problems[0] == {
        "kind": "problem",
        "path": "agent.hcl",
        "severity": "error",
        "code": "ErrMissingField",
        "file": "agent.hcl",
        "line": 2,
        "column": 3,
        "length": 5,
        "message": "guard has no version",
        "fix": "",
    }
    chains = {line["point"]: line["chain"] for line in lines[len(problems) :]}
    assert len(chains) == 8
    assert chains["plan-ready"] == [
        {
            "subscriber": "guard",
            "mode": "veto",
            "timeout_ms": 0,
            "declared": "agent.hcl:38:1",
            "subscription_id": "",
        }
    ]
    assert "hunter2" not in out


def test_what_the_host_refuses_can_be_let_through(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """By the name of the leniency; in the chain each of the seats has its id then."""
    hook = 'hook "plan-ready" {\nprovider = "g"\nmode = "observe"\n}\n'
    (tmp_path / "agent.hcl").write_text(hook + hook)
    (tmp_path / "config.hcl").write_text('dev_overrides { g = "sh" }')
    assert checked(capsys, tmp_path)[0] == 1
    code, out, _ = checked(capsys, tmp_path, leniencies=("repeated_subscriptions",))
    assert code == 0
    assert "g [g-2]  observe  5000 ms" in out
    code, _, err = checked(capsys, tmp_path, leniencies=("everything",))
    assert code == 2
    assert "without an option 'everything'" in err


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (("agent.hcl",), 1, "23 errors"),
        (("agent.hcl", "config.hcl", "--json"), 1, '"code":"missing-program"'),
        (("none.hcl",), 2, "none.hcl does not exist"),
        ((), 2, "Missing argument 'PATH...'"),
    ],
)
def test_the_command_hands_on_what_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, part: str
) -> None:
    """Paths and switches arrive, and the exit code comes back."""
    monkeypatch.chdir(GOLDEN)
    result = CliRunner().invoke(cli, ["check", *arguments])
    assert result.exit_code == code
    assert part in result.output


def lines_of(text: str, column: int, length: int) -> list[str]:
    """How one problem in a line of a file is shown."""
    problem = Problem("code", Severity.ERROR, Place("f", 7, column), length, "m\x1b", "fix\n")
    return list(told(Path("f"), Report((problem,), {}, {("f", 7): text})))[:4]


@pytest.mark.parametrize(
    ("text", "column", "length", "shown", "under"),
    [
        ("a = 1", 5, 1, "a = 1", "    ^"),
        ("\ta = 1", 6, 1, "    a = 1", "        ^"),
        ("名 = 1", 5, 1, "名 = 1", "     ^"),
        ("a = 名", 5, 1, "a = 名", "    ^^"),
        ("a = \x1b1", 5, 1, "a = ␛1", "    ^"),
        ("a =", 4, 1, "a =", "   ^"),
        ("", 1, 1, "", "^"),
        ("x" * 100 + "yy" + "z" * 200, 101, 2, "…" + "x" * 60 + "yy" + "z" * 160 + "…", " " * 61 + "^^"),
    ],
)
def test_what_is_meant_is_underlined(text: str, column: int, length: int, shown: str, under: str) -> None:
    """Whatever is in the line: tabs, wide characters, something that would steer a terminal, or much too much."""
    assert lines_of(text, column, length) == [
        "f:7:" + f"{column}: error code: m␛",
        f"     7 | {shown}".rstrip(),
        f"       | {under}",
        "   fix: fix␊",
    ]


def test_a_problem_without_a_place_has_no_line() -> None:
    """There is nothing to point at."""
    problem = Problem("code", Severity.WARNING, None, 1, "message")
    assert next(told(Path("f"), Report((problem,), {}, {}))) == "warning code: message"


def test_a_chain_shows_what_it_has() -> None:
    """A dialect without deadlines, a seat that was not declared anywhere."""
    chain = Chain("p", (Subscription("a", "p", "m", place=Place("f", 1, 2)), Subscription("bcd", "p", "m")))
    shown = list(told(Path("f"), Report((), {"p": chain, "q": Chain("q"), "r": Chain("r")}, {})))
    assert shown == [
        "chains",
        "  p",
        "     1  a    m  no deadline  f:1:2",
        "     2  bcd  m  no deadline",
        "  nobody is asked at q, r",
        "",
        "f: all is well",
    ]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_documentation_shows_what_check_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The example of the page is what comes out for the configuration of the page."""
    agent, programs = blocks("hcl")[:2]
    (tmp_path / "agent.hcl").write_text(agent)
    (tmp_path / "config.hcl").write_text(programs)
    monkeypatch.chdir(tmp_path)
    code, out, _ = checked(capsys, "agent.hcl")
    assert code == 1
    assert blocks("text")[0] == "$ hookscope check agent.hcl\n" + out


def test_the_documentation_has_every_member_of_the_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shapes are stable because they are written down."""
    monkeypatch.chdir(GOLDEN)
    _, out, _ = checked(capsys, "agent.hcl", is_json=True)
    lines: list[Mapping[str, JSON]] = [json.loads(line) for line in out.splitlines()]
    members = {name for line in lines for name in line} | {"subscriber", "mode", "timeout_ms", "declared"}
    assert {name for name in members if f"`{name}`" not in PAGE} == set()
