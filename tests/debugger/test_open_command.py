"""`hookscope open`: what it says of files and options that do not go together, before any screen is there."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from recorded_runs import FINE, written

from debugger.cli import cli
from kernel.errors import BadInput

ROOT = Path(__file__).parent.parent.parent
SPAN = {"traceId": "0a" * 16, "spanId": "0b" * 8, "name": "a turn", "startTimeUnixNano": "1", "endTimeUnixNano": "9"}
OTLP = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]})


def said(*arguments: str, given: str = "") -> str:
    """What it says where there is no terminal."""
    result = CliRunner().invoke(cli, ["open", *arguments], input=given)
    assert result.exit_code != 0
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_options_of_configurations_are_refused_elsewhere(tmp_path: Path) -> None:
    """Nobody runs in a recording: nothing would come of them."""
    recording = str(written(tmp_path / "r", [FINE]))
    for options in (["-o", str(tmp_path / "new")], ["--switch", "concurrent_observe"], ["--redact"]):
        assert "is no configuration: nobody runs" in said(recording, *options)
    assert not (tmp_path / "new").exists()
    assert "needs a terminal" in said(recording)


def test_a_file_that_is_not_there_or_nothing_known(tmp_path: Path) -> None:
    """With the ways out."""
    assert "does not exist" in said(str(tmp_path / "nowhere"))
    (tmp_path / "text").write_text("hello")
    with pytest.raises(BadInput, match=r"text is nothing that hookscope opens; it opens a configuration"):
        said(str(tmp_path / "text"))


def test_standard_input_is_looked_at_before_a_terminal_is_asked_for(tmp_path: Path) -> None:
    """And is called what it is."""
    with pytest.raises(BadInput, match=r"^standard input is nothing that hookscope opens"):
        said("-", given="hello")


def test_spans_from_standard_input_are_on_the_screen(tmp_path: Path) -> None:
    """Read to the end; the keys come from the terminal then."""
    (tmp_path / "otlp.json").write_text(OTLP)
    command = f"{sys.executable} -m debugger.cli open - < {tmp_path / 'otlp.json'}"
    ours, its = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color"}
    setup = (  # a session of its own, whose terminal this is
        f"import os, fcntl, termios; os.setsid(); fcntl.ioctl({its}, termios.TIOCSCTTY, 0); "
        f"os.execv('/bin/sh', ['sh', '-c', {command!r}])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", setup], cwd=ROOT, env=env, stdin=its, stdout=its, stderr=its, pass_fds=(its,)
    )
    os.close(its)
    try:
        seen = _until(ours, b"a turn")
        assert b"standard input" in seen
        os.write(ours, b"q")
        end = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    os.read(ours, 65536)
                except OSError:  # its end of the terminal is gone
                    break
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _until(terminal: int, sign: bytes) -> bytes:
    seen = b""
    end = time.monotonic() + 60
    while sign not in seen:
        assert time.monotonic() < end, seen[-2000:]
        if select.select([terminal], [], [], 0.5)[0]:
            seen += os.read(terminal, 65536)
    return seen
