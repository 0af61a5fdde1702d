"""The real program in a pseudo-terminal: what a person sees, that keys work, and what it leaves behind."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from plugin_configs import write_config
from plugin_runs import ROOT, is_running, until_now

SEQUENCES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P_^][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
"""What steers a terminal: everything else in the output is seen."""
PLENTY_S = 40


def _surroundings() -> dict[str, str]:
    """Ours, but for what would overrule the size of the terminal: whoever runs tests in several processes sets that."""
    return {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """One program in a pseudo-terminal, with everything that it wrote so far."""

    def __init__(self, *arguments: str, columns: int = 120, rows: int = 40) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(theirs)
        self._theirs = theirs  # kept open, so that the modes can be read after the program has gone
        self.program = subprocess.Popen(
            [sys.executable, "-m", "debugger.cli", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=ROOT,
            env={**_surroundings(), "TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""},
            start_new_session=True,
        )
        self.output = b""
        self._read_to = 0

    def _read(self, seconds: float) -> None:
        if select.select([self._ours], [], [], seconds)[0]:
            self.output += os.read(self._ours, 65536)

    def wait_for(self, *words: str) -> None:
        """Until all these words were drawn since the last keys."""
        end = time.monotonic() + PLENTY_S
        while not all(word in self.text for word in words):
            assert time.monotonic() < end, f"{words} did not show; the screen got {self.text[-3000:]!r}"
            assert self.program.poll() is None, f"it ended: {self.text[-3000:]!r}"
            self._read(0.1)

    def is_quiet(self, seconds: float) -> bool:
        """Whether nothing is drawn for so long: what a lone escape needs to be one."""
        drawn = len(self.output)
        self._read(seconds)
        return len(self.output) == drawn

    @property
    def text(self) -> str:
        """What was drawn since the last keys, a blank for each jump of the cursor."""
        return SEQUENCES.sub(b" ", self.output[self._read_to :]).decode("utf-8", "replace").replace("  ", " ")

    def press(self, keys: str) -> None:
        self._read_to = len(self.output)
        os.write(self._ours, keys.encode())

    def end(self) -> int:
        """Wait until the program has gone; gives its exit code."""
        end = time.monotonic() + PLENTY_S
        while self.program.poll() is None:
            assert time.monotonic() < end, "it does not end"
            self._read(0.05)
        self._read(0)
        return self.program.returncode

    def wait_for_rest(self) -> None:
        """Everything that is still on its way to the screen."""
        while not self.is_quiet(0.3):
            pass

    @property
    def modes(self) -> list[object]:
        """How the line of the terminal is set now."""
        return termios.tcgetattr(self._theirs)

    def is_on(self, mode: int) -> bool:
        """Whether a private mode of the terminal was switched on and not off again."""
        on, off = (self.output.rfind(f"\x1b[?{mode}{word}".encode()) for word in "hl")
        return on > off

    def descendants(self) -> set[int]:
        """Every process that the program has started, directly or not."""
        parents = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
        found = {self.program.pid}
        while more := {pid for pid, parent in parents.items() if parent in found and pid not in found}:
            found |= more
        return found - {self.program.pid}

    def hang_up(self) -> None:
        """Close our end, as a terminal window does."""
        os.close(self._theirs)
        os.close(self._ours)
        self._ours = self._theirs = -1

    def close(self) -> None:
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait()
        for end in (self._ours, self._theirs):
            if end >= 0:
                os.close(end)


@contextmanager
def terminal(*arguments: str, columns: int = 120, rows: int = 40) -> Iterator[Terminal]:
    """A program in a terminal, which is gone at the end, whatever happens."""
    found = Terminal(*arguments, columns=columns, rows=rows)
    try:
        yield found
    finally:
        found.close()


MODES = {
    1049: "the alternate screen",
    1000: "clicks of the mouse",
    1003: "moves of the mouse",
    1006: "the mouse's format",
    1004: "news about the focus",
    2004: "bracketed paste",
}


def assert_left_tidy(screen: Terminal) -> None:
    """The terminal is as it was before."""
    assert [name for mode, name in MODES.items() if screen.is_on(mode)] == []
    assert screen.output.rfind(b"\x1b[?25h") > screen.output.rfind(b"\x1b[?25l"), "the cursor is shown again"
    assert screen.modes == screen.modes_before


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_the_demonstration_runs_steps_and_leaves_nothing(columns: int, rows: int) -> None:
    """Opened on nothing, it fires both points of the sample; R holds, n and c go on, q leaves with code 0."""
    with terminal(columns=columns, rows=rows) as screen:
        screen.wait_for("Dispatches", "Spans")
        assert screen.is_on(1049)
        screen.wait_for("redactor", "#2", "allow", "ready")
        plugins = screen.descendants()
        assert len(plugins) >= 5
        screen.press("R")
        screen.wait_for("PAUSED before audit-log", "clock held", "next")
        screen.press("n")
        screen.wait_for("PAUSED before token-counter")
        screen.press("c")
        screen.wait_for("ready", "allow")
        screen.press("q")
        assert screen.end() == 0
        assert_left_tidy(screen)
        assert not re.search(r"Traceback|Error", screen.text)
        until_now(lambda: not any(is_running(pid) for pid in plugins))


def test_the_screen_follows_the_size_of_the_terminal() -> None:
    """Made smaller while it runs, it draws itself anew."""
    with terminal("open", "sample_configs/first_chain") as screen:
        screen.wait_for("Dispatches", "ready")
        screen.press("")
        fcntl.ioctl(screen._theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        screen.program.send_signal(signal.SIGWINCH)
        screen.wait_for("Dispatches", "token-count…")
        screen.press("q")
        assert screen.end() == 0


def test_a_wrong_configuration_is_said_after_the_screen_has_gone(tmp_path: Path) -> None:
    """Exit code 2, a tidy terminal, and a sentence that stays."""
    config = tmp_path / "agent.hcl"
    config.write_text('hook "plan-ready" {\n')
    with terminal("open", str(config)) as screen:
        assert screen.end() == 2
        assert_left_tidy(screen)
        last = screen.output.rpartition(b"\x1b[?1049l")[2]
        assert b"hookscope: " in last
        assert f"{config}:".encode() in last
        assert b"Traceback" not in last


@pytest.mark.parametrize("way", ["hang up", "terminate"])
def test_an_end_from_outside_leaves_no_process(way: str) -> None:
    """A closed window or a signal: the subscribers go with the program."""
    with terminal("open", "sample_configs/first_chain") as screen:
        screen.wait_for("Dispatches", "ready")
        screen.press("R")
        screen.wait_for("PAUSED before audit-log")
        plugins = screen.descendants()
        assert len(plugins) >= 5
        if way == "hang up":
            screen.hang_up()
            screen.program.send_signal(signal.SIGHUP)
            screen.program.wait(PLENTY_S)
        else:
            screen.program.terminate()
            assert screen.end() == 128 + signal.SIGTERM
            assert_left_tidy(screen)
        until_now(lambda: not any(is_running(pid) for pid in plugins))


UP, DOWN, RIGHT, LEFT, HOME, END = (f"\x1b[{letter}" for letter in "ABCDHF")
DELETE, BACKSPACE, ENTER, TAKE, ESCAPE = "\x1b[3~", "\x7f", "\r", "\x13", "\x1b"
BEFORE_THE_QUOTE = DOWN + DOWN + END + LEFT
"""From the beginning of the text to the end of the only word in it."""

LISTENS = """
from pathlib import Path
from kernel.dialects.pluggable.plugin import Plugin

plugin = Plugin("listener")

@plugin.veto("plan-ready")
def judge(payload):
    Path(__file__).with_name("heard").write_text(payload.plan.turn_id)
    return True

if __name__ == "__main__":
    plugin.serve()
"""
"""Writes down which turn it was asked about."""


@contextmanager
def listening(folder: Path) -> Iterator[tuple[Terminal, Path]]:
    """The application on one veto that is asked about the turn AB, and the file in which it writes what it heard."""
    config = write_config(folder, "plan-ready", {"listener": ("veto", LISTENS)})
    (folder / "payloads").mkdir()
    (folder / "payloads" / "plan-ready.json").write_text('{"plan": {"turn_id": "AB"}}')
    with terminal("open", str(config)) as screen:
        screen.wait_for("r fires plan-ready")
        yield screen, folder / "heard"


@pytest.mark.parametrize(
    ("typed", "heard"),
    [
        ("CD", "ABCD"),
        ("C" + LEFT + "x", "ABxC"),
        ("CD" + LEFT + LEFT + "x" + RIGHT + "y" + END + LEFT + "z", "ABxCyDz"),
        ("C" + BACKSPACE + BACKSPACE + "d" + LEFT + LEFT + DELETE + "q", "qd"),
        (HOME + END + LEFT + "1" + UP + DOWN + END + LEFT + "2" + "34567890" * 20, "AB12" + "34567890" * 20),
    ],
)
def test_keys_that_come_at_once_arrive_in_order(tmp_path: Path, typed: str, heard: str) -> None:
    """Found by a stranger: a key that opens the editor, text, arrows and the key that takes it, in one read."""
    with listening(tmp_path) as (screen, file):
        screen.press("e" + BEFORE_THE_QUOTE + typed + TAKE)
        screen.wait_for("#1", "allow")
        assert file.read_text() == heard
        screen.press("q")
        assert screen.end() == 0


@pytest.mark.parametrize("keys", ["e" + TAKE + TAKE, "e" + TAKE + TAKE + TAKE + TAKE])
def test_what_is_taken_twice_at_once_is_fired_once(tmp_path: Path, keys: str) -> None:
    """Found by reading: a dialog that was ended twice took the desk with it."""
    with listening(tmp_path) as (screen, file):
        screen.press(keys)
        screen.wait_for("#1", "allow")
        screen.press("R")
        screen.wait_for("#2", "PAUSED before listener")
        screen.press("Xq")
        assert screen.end() == 0
        assert file.read_text() == "AB"


@pytest.mark.parametrize("keys", ["]x" + ENTER * 3, "]xjjkkqp" + ENTER * 2, "??NNoqq"])
def test_dialogs_that_are_opened_and_closed_at_once_break_nothing(tmp_path: Path, keys: str) -> None:
    """Wherever such keys lead, the application can be left, and nothing went wrong."""
    with listening(tmp_path) as (screen, _):
        screen.press(keys)
        for _ in range(5):
            if screen.program.poll() is None:
                screen.press(ESCAPE)
                until_now(lambda: screen.is_quiet(0.3))
        if screen.program.poll() is None:
            screen.press("q")
        assert screen.end() == 0
        assert not re.search(r"Traceback|Error", screen.text)


HOLDS = """
import ctypes
import re


def endless(context, call):
    if re.match(r"(a+)+$", "a" * 64 + "b"):
        return None


def for_a_while(context, call):
    ctypes.PyDLL(None).sleep(5)  # as a library that keeps the lock
"""


def holder(folder: Path, function: str) -> Path:
    """A set with one guard that holds Python's lock."""
    (folder / "holds.py").write_text(HOLDS)
    config = folder / "agent.rig.yaml"
    config.write_text(
        f"policy_revision: v1\nguards: [{{operation: ToolCall, check: 'holds.py:{function}', name: greedy}}]\n"
    )
    return config


def fired_at_a_holder(screen: Terminal) -> None:
    """Go to the point that has the guard, and fire."""
    screen.wait_for("greedy", "ready")
    watch = screen.descendants()
    assert len(watch) == 1
    screen.press("r")
    screen.wait_for("hookscope cannot draw", "greedy (guard) has held Python's lock for 0:0", "ctrl+c ends hookscope")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (120, 40)])
def test_who_never_lets_go_of_the_lock_is_named_and_can_be_ended(tmp_path: Path, columns: int, rows: int) -> None:
    """The screen cannot draw, so the watch beside it does: who, where, for how long. ctrl+c leaves a tidy terminal."""
    record = tmp_path / "run.hookscope"
    config = holder(tmp_path, "endless")
    with terminal("open", str(config), "-o", str(record), columns=columns, rows=rows) as screen:
        fired_at_a_holder(screen)
        screen.wait_for("in holds.py:7", "0:04")
        watch = screen.descendants()
        screen.press("\x03")
        assert screen.end() == -signal.SIGKILL
        until_now(lambda: not any(is_running(pid) for pid in watch))
        screen.wait_for_rest()
        assert_left_tidy(screen)
        last = screen.output.rpartition(b"\x1b[?1049l")[2].decode()
        assert "hookscope: ended while greedy (guard) held Python's lock" in last
        assert f"What was recorded is in {record}." in last


def test_the_screen_goes_on_once_the_lock_is_free_again(tmp_path: Path) -> None:
    """The box is gone, keys work, and it was told who it was."""
    with terminal("open", str(holder(tmp_path, "for_a_while"))) as screen:
        fired_at_a_holder(screen)
        screen.wait_for("The screen stood still while", "Dispatches")
        drawn = screen.output.rpartition(b"hookscope cannot draw")[2]
        assert b"Spans" in drawn, "what the box covered is drawn anew"
        screen.press("q")
        assert screen.end() == 0
        assert_left_tidy(screen)
