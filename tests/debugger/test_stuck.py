"""Who does not come back is told in words, once for each call, and nothing is done about it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest
from plugin_runs import ROOT

from debugger.stuck import LONG_NS, NS_PER_S, VERY_LONG_NS, Once, clock, in_short, own_part, place_of, sentence
from kernel.transports.callback_threads import Stuck

LIBRARY = f"{sysconfig.get_path('stdlib')}/threading.py:629 in wait: signaled = self._cond.wait(timeout)"
STACK = ("/home/me/kernel.py:3 in ask: callback(call)", "/home/me/budget.py:12 in check: spent[call] = wait(1)")
BUDGET = Stuck("budget", "guard", "d", 1, 5 * NS_PER_S, False, STACK)


@pytest.mark.parametrize(
    ("stack", "place"),
    [
        (STACK, "budget.py:12"),
        ((*STACK, LIBRARY), "budget.py:12"),
        ((LIBRARY,), "threading.py:629"),
        ((*STACK, "<frozen importlib._bootstrap>:241 in _call_with_frames_removed"), "budget.py:12"),
        (("/home/me/b:9 in c/x.py:2 in f: a = 'y.py:7 in g: z'",), "x.py:2"),
        (("/home/me/one.py:4 in <module>",), "one.py:4"),
        (("no frame",), ""),
        ((), ""),
    ],
)
def test_the_place_is_the_innermost_line_that_somebody_wrote(stack: tuple[str, ...], place: str) -> None:
    """Waiting happens in libraries; who waits there is what a person wants to know."""
    assert place_of(stack) == place


def test_a_stack_begins_where_the_callable_was_called() -> None:
    """Our own way there is of no interest, but for trouble that is all our own."""
    ours = tuple(f"{ROOT}/kernel/transports/{name}.py:1 in act: act()" for name in ("callback", "far_side"))
    assert own_part((*ours, *STACK, LIBRARY, ours[0])) == (*STACK, LIBRARY, ours[0])
    assert own_part(ours) == ours
    assert own_part(()) == ()


def test_a_stuck_callable_is_told_in_short_and_in_a_sentence() -> None:
    """Name, duration, place; its phase, and whether anybody still waits for it."""
    assert in_short(BUDGET) == "budget stuck 0:05 in budget.py:12"
    assert sentence(BUDGET) == "budget (guard) has been stuck for 0:05 in budget.py:12"
    given_up = replace(BUDGET, is_abandoned=True, phase="", stack=(), for_ns=61 * NS_PER_S)
    assert sentence(given_up) == "budget has been stuck for 1:01, although its dispatch has given up on it"
    assert (clock(-1), clock(3599 * NS_PER_S)) == ("0:00", "59:59")


def test_each_call_is_told_once_and_again_when_it_lasts_very_long() -> None:
    """Whatever else is stuck meanwhile; another call of the same callable is another one."""
    once = Once()

    def news(*stuck: Stuck) -> list[Stuck]:
        return list(once.news(stuck, LONG_NS, VERY_LONG_NS))

    longer, very_long = replace(BUDGET, for_ns=9 * NS_PER_S), replace(BUDGET, for_ns=VERY_LONG_NS)
    another = replace(BUDGET, since_ns=2)
    assert news(replace(BUDGET, for_ns=LONG_NS - 1)) == []
    assert news(BUDGET) == [BUDGET]
    assert news(longer) == []
    assert news(very_long, another) == [very_long, another]
    assert news(very_long, another) == []
    assert news() == []
    assert list(Once().news([very_long], LONG_NS, VERY_LONG_NS)) == [very_long]


BLOCKED = textwrap.dedent(
    """
    import pathlib
    import time


    def check(context, call):
        while not pathlib.Path(__file__).with_name("open").exists():
            time.sleep(0.01)
    """
)


def test_a_command_says_on_standard_error_who_is_stuck_and_goes_on_when_it_comes_back(tmp_path: Path) -> None:
    """Where it is, after some seconds; the dispatch is what it would have been."""
    (tmp_path / "blocked.py").write_text(BLOCKED)
    (tmp_path / "one.rig.yaml").write_text(
        "policy_revision: v1\nguards:\n  - {name: gatekeeper, operation: Turn, check: 'blocked.py:check'}\n"
    )
    command = (sys.executable, "-m", "debugger.cli", "fire", str(tmp_path / "one.rig.yaml"), "Turn")
    env = {**os.environ, "COLUMNS": "120", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=env) as run:
        assert run.stderr is not None
        said = run.stderr.readline()
        (tmp_path / "open").touch()
        out, more = run.communicate(timeout=60)
    assert said.startswith("hookscope: gatekeeper (guard) has been stuck for 0:0")
    assert "in blocked.py:" in said
    assert (run.returncode, more) == (0, "")
    assert "✓ gatekeeper" in out
