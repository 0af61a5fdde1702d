"""Questions of results, without the application: who answers, what is told, which exit code."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
import pytest
from asking_dialect import ASKING, ODD

from debugger import fire as firing
from debugger.answering import ANSWERS, Always, AtTerminal, Refusing, choices, resolver, told
from debugger.cli.asking import play
from debugger.fire import Request, fire
from kernel.asking import THIS_ONE, Answer, Question, ReplyWord, Scope
from kernel.clock import REAL, Caller, Limit
from kernel.dialects.pluggable import PLUGGABLE
from kernel.setup import Setup
from kernel.values import JSON, Chain

QUESTION = Question("d1", "shell.run", {"message": f"really?\n{ODD}", "risk": {"level": 3}}, f"gate{ODD}")


@contextmanager
def terminal() -> Iterator[tuple[int, io.TextIOWrapper]]:
    """Both ends of a pseudo-terminal: a descriptor for the person, a stream for the program."""
    person, program = pty.openpty()
    with open(program, encoding="utf-8") as stream:
        try:
            yield person, stream
        finally:
            os.close(person)


@pytest.mark.parametrize(
    ("typed", "allows"),
    [
        ("y\n", True), ("YES\n", True), ("  Yes \n", True), ("n\n", False), ("\n", False), ("yep\n", False),
        ("y es\n", False), ("\x04", False),
    ],
)  # fmt: skip
def test_a_person_says_yes_or_it_is_no(typed: str, allows: bool) -> None:
    """Trimmed and in any case; the end of the input is no yes."""
    said = io.StringIO()
    with terminal() as (person, stream):
        os.write(person, typed.encode())
        answer = asyncio.run(AtTerminal(stream, said).resolve(QUESTION))
    assert answer == Answer(allows, Scope.ONCE, "person")
    assert said.getvalue().endswith("[y/N] ")


def test_a_question_is_told_with_its_details_literally() -> None:
    """Who asks, about what, and everything that is known of it."""
    said = io.StringIO()
    with terminal() as (person, stream):
        os.write(person, b"\n")
        asyncio.run(AtTerminal(stream, said).resolve(QUESTION))
    lines = said.getvalue().splitlines()
    shown = "␛[2J[b]now[/]"
    assert lines == [
        f"May shell.run run?  asked by gate{shown}", "message: really?", shown, 'risk: {"level": 3}', "[y/N] ",
    ]  # fmt: skip


def test_nothing_of_a_question_is_left_out() -> None:
    """Neither the end of a long text, nor what is deep inside, nor the last of many details."""
    command = f"cd /srv && {'x' * 500} && rm -rf ./everything"
    details: dict[str, JSON] = {"input": {"command": command, "env": {"A": ["b", {"c": "deep"}]}}, "note": "y" * 300}
    details |= {f"more {number}": number for number in range(30)}
    lines = list(told(replace(QUESTION, details=details)))
    assert any("rm -rf ./everything" in line for line in lines)
    assert any('"c": "deep"' in line for line in lines)
    assert f"note: {'y' * 300}" in lines
    assert lines[-1] == "more 29: 29"


def test_what_can_be_answered_is_called_what_it_is_and_reaches_as_far_as_it_does() -> None:
    """Where a host keeps no answer, none is offered that would be kept."""
    assert [(word, label) for word, label, _ in choices(QUESTION)] == [
        ("once", "allow once"), ("session", "allow for the session"), ("always", "always allow"),
        ("deny", "deny"), ("deny-session", "deny for the session"), ("deny-always", "always deny"),
    ]  # fmt: skip
    once = replace(QUESTION, replies=THIS_ONE, yes="approve")
    assert list(choices(once)) == [
        (ReplyWord.ONCE, "approve", "this call only"),
        (ReplyWord.DENY, "deny", "this call does not run"),
    ]
    worded = replace(once, wording="Which one?", yes="answer", no="decline")
    assert [label for _, label, reach in choices(worded) if not reach] == ["answer", "decline"]
    assert next(told(worded)).startswith("Which one?  asked by gate")


def test_whoever_gives_up_is_not_kept_waiting_for_a_line() -> None:
    """An interrupt while it is asked ends the asking at once, and takes nothing from the input."""

    async def given_up() -> bool:
        caller = Caller()
        asyncio.get_running_loop().call_soon(caller.cancel, "interrupted")
        with Limit(REAL, None, caller) as limit:
            await AtTerminal(stream, io.StringIO()).resolve(QUESTION)
        return limit.given_up

    with terminal() as (person, stream):
        assert asyncio.run(given_up())
        os.write(person, b"later\n")
        assert stream.readline() == "later\n"


@pytest.mark.parametrize("word", ANSWERS)
def test_one_answer_for_everything(word: str) -> None:
    """Its words are those of the command line."""
    answer = asyncio.run(Always(word).resolve(QUESTION))
    assert answer == ReplyWord(word).as_answer("--answer")
    [option] = [each for each in play.params if each.name == "answer"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices) == ANSWERS


def test_who_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A named answer before a terminal; a terminal only where its input is free and both ends are one."""
    assert resolver("once", is_input_taken=False) == Always("once")
    with terminal() as (_, stream), terminal() as (_, other):
        monkeypatch.setattr(sys, "stdin", stream)
        assert resolver(None, is_input_taken=False) == Refusing(sys.stderr)
        monkeypatch.setattr(sys, "stderr", other)
        assert resolver(None, is_input_taken=False) == AtTerminal(stream, other)
        assert resolver(None, is_input_taken=True) == Refusing(other)


@pytest.fixture
def request_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Request:
    """A chain of nobody in a dialect that asks."""
    setup = Setup(tmp_path, (), ASKING, {point: Chain(point) for point in PLUGGABLE.points})
    monkeypatch.setattr(firing, "load_setup", lambda path, options: setup)
    return Request(tmp_path, "plan-ready", None, is_json=True, switches=())


def told_by(request: Request, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = fire(request)
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("answer", "code", "decision", "by", "words"),
    [
        ("once", 0, "run", "--answer", ""),
        ("always", 0, "run", "--answer", ""),
        ("deny", 1, "blocked", "--answer", ""),
        (None, 1, "blocked", "nobody", "nobody could be asked whether shell.run may run (asked by gate)"),
    ],
)
def test_fire_acts_on_the_answer(
    request_of: Request,
    capsys: pytest.CaptureFixture[str],
    answer: str | None,
    code: int,
    decision: str,
    by: str,
    words: str,
) -> None:
    """The host's decision is told after the result; without anybody to ask it is no, and said on stderr."""
    request = Request(request_of.config, "plan-ready", None, is_json=True, switches=(), answer=answer)
    found, out, err = told_by(request, capsys)
    *_, ended, decided = [json.loads(line) for line in out.splitlines()]
    assert (found, ended["fact"], decided["fact"]) == (code, "ended", "decided")
    assert (decided["decision"], decided["by"]) == (decision, by)
    assert words in err
    assert bool(err) is bool(words)


def test_fire_prints_what_the_host_then_did(request_of: Request, capsys: pytest.CaptureFixture[str]) -> None:
    """In text as well: the decision, by whom, and why."""
    request = Request(request_of.config, "plan-ready", None, is_json=False, switches=(), answer="session")
    code, out, err = told_by(request, capsys)
    assert (code, err) == (0, "")
    assert "→ shell.run: run by --answer" in out
    assert "It was allowed session." in out
    assert out.index("decision  allow") < out.index("→ shell.run")
