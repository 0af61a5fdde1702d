"""What callables print is told of the call; what they read is empty. Everybody else keeps the streams."""

from __future__ import annotations

import asyncio
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from kernel import Chain, Probes, Subscription, dispatch
from kernel.clock import REAL
from kernel.dialects.rig import RIG
from kernel.dialects.rig.live import ask
from kernel.facts import Event, Printed
from kernel.host import Host
from kernel.reach import Callback
from kernel.subscriber import Call
from kernel.transports.callback import CallbackSubscriber
from kernel.transports.callback_streams import LONGEST, MOST, NO_BREAKPOINT
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Answered, Failed, Outcome

ROOT = Path(__file__).parents[3]


def asked(act: Callable[[], object]) -> tuple[Outcome, list[tuple[str, str]]]:
    """What comes of a callable that does this, and what was told of its printing by then."""
    told: list[tuple[str, str]] = []

    def via(callee: Callable[..., object], call: Call) -> Outcome:
        callee()
        return Answered(b"{}")

    async def main() -> Outcome:
        call = Call("P", b"{}", None, REAL, lambda stream, line: told.append((stream, line)))
        return await CallbackSubscriber("s", act, via).answer(call)

    return asyncio.run(main()), told


def breakpoints() -> None:
    breakpoint()  # the very thing


@pytest.mark.parametrize(
    ("act", "lines"),
    [
        (lambda: print("one\ntwo"), [("stdout", "one"), ("stdout", "two")]),
        (lambda: print("part", end=""), [("stdout", "part")]),
        (lambda: print("trouble", file=sys.stderr), [("stderr", "trouble")]),
        (lambda: sys.stdout.buffer.write(b"raw\xff\r\n"), [("stdout", "raw\\xff")]),
        (lambda: sys.stdout.writelines(["a", "b\n"]), [("stdout", "ab")]),
        (lambda: print("x" * (LONGEST + 1)), [("stdout", "x" * LONGEST), ("stdout", "x")]),
        (breakpoints, [("stderr", NO_BREAKPOINT)]),
        (lambda: sys.stdin.read(), []),
        (lambda: None, []),
    ],
)
def test_lines_are_told_before_the_answer(
    act: Callable[[], object], lines: list[tuple[str, str]], capfd: pytest.CaptureFixture[str]
) -> None:
    """And never come to our own streams."""
    outcome, told = asked(act)
    assert isinstance(outcome, Answered)
    assert told == lines
    assert capfd.readouterr() == ("", "")


def test_who_prints_for_ever_is_told_of_in_part() -> None:
    """Lines have a bound, and it is told."""
    _, told = asked(lambda: [print(number) for number in range(MOST + 50)])
    assert len(told) == MOST + 1
    assert told[-1][1] == f"(more than {MOST} lines; the others are not kept)"


@pytest.mark.parametrize("act", [lambda: input("name? "), lambda: sys.stdout.fileno(), lambda: sys.stdin.fileno()])
def test_there_is_no_terminal(act: Callable[[], object]) -> None:
    """The keyboard stays where it is: reading finds the end, and no stream has a descriptor."""
    outcome, _ = asked(act)
    assert isinstance(outcome, Failed)
    assert outcome.code in ("EOFError", "UnsupportedOperation")


def test_everybody_else_keeps_the_streams(capsys: pytest.CaptureFixture[str]) -> None:
    """Even where they were replaced meanwhile, by somebody who then puts them back."""
    asked(lambda: print("theirs"))
    print("ours")
    replaced = io.StringIO()
    with redirect_stdout(replaced):
        _, told = asked(lambda: print("theirs"))
        print("inner")
    asked(lambda: print("theirs"))
    print("ours again")
    assert told == [("stdout", "theirs")]
    assert (capsys.readouterr().out, replaced.getvalue()) == ("ours\nours again\n", "inner\n")


def test_two_at_once_are_told_apart() -> None:
    """Lines belong to the call whose thread prints them."""
    told: dict[str, list[str]] = {"a": [], "b": []}

    async def main() -> None:
        def callee(request: bytes) -> bytes:
            for number in range(100):
                print(request.decode(), number)
            return b"{}"

        calls = [
            Call("P", name.encode(), None, REAL, lambda stream, line, lines=lines: lines.append(line))  # type: ignore[misc]
            for name, lines in told.items()
        ]
        await asyncio.gather(*(InProcessSubscriber(callee).answer(call) for call in calls))

    asyncio.run(main())
    assert told == {name: [f"{name} {number}" for number in range(100)] for name in told}


def test_lines_are_facts_of_the_step(tmp_path: Path) -> None:
    """As they are for programs; what importing prints is heard outside of any call."""
    (tmp_path / "says.py").write_text("print('imported')\ndef check(context, call):\n    print('asked')\n")
    heard: list[tuple[str, str, str]] = []
    printed: list[Printed] = []

    class Keeper:
        def see(self, event: Event) -> None:
            if isinstance(event.fact, Printed):
                printed.append(event.fact)

    reach = Callback(f"{tmp_path}/says.py:check", f"{ask.__module__}:{ask.__name__}")
    seat = Subscription("says", "ToolCall", "guard", reach=reach, id="guards[0]")
    chain = RIG.staging.seated(Chain("ToolCall"), seat, {})

    async def main() -> None:
        async with Host([chain], lambda *line: heard.append(line)) as host:
            payload = RIG.sample_payload("ToolCall")
            await dispatch(RIG, chain, payload, host.subscribers, probes=Probes(Keeper()))

    asyncio.run(main())
    assert heard == [("says", "stdout", "imported")]
    assert printed == [Printed("says", "stdout", "asked", 0)]


def test_the_command_writes_nothing_but_facts(tmp_path: Path) -> None:
    """A pipe stays clean, and a keyboard that is there is not read."""
    (tmp_path / "asks.py").write_text(
        textwrap.dedent("""
            import subprocess
            from kernel.dialects.rig import new_denial
            def check(context, call):
                print("HELLO")
                subprocess.run(["echo", "FROM A PROGRAM"])
                try:
                    return new_denial("policy.asked", input("may it? "))
                except EOFError:
                    breakpoint()
        """)
    )
    (tmp_path / "a.rig.yaml").write_text("policy_revision: v1\nguards: [{operation: ToolCall, check: asks.py:check}]\n")
    argv = [sys.executable, "-m", "debugger.cli", "fire", str(tmp_path / "a.rig.yaml"), "ToolCall", "--json"]
    done = subprocess.run(
        argv, input="yes\n", capture_output=True, text=True, timeout=60, cwd=ROOT, env={**os.environ}, check=False
    )
    assert (done.returncode, done.stderr) == (0, "FROM A PROGRAM\n")
    lines = done.stdout.splitlines()
    assert all(line.startswith("{") for line in lines)
    assert sum('"printed"' in line and "HELLO" in line for line in lines) == 1
