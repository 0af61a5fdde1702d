"""No extension outlives its host, nor anything that it has started, whatever happens to the host and whenever."""

from __future__ import annotations

import json
import random
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from plugin_runs import PLUGINS, is_running, processes_mentioning, until_now

MOMENTS = [("starting", random.Random(seed).uniform(0, 0.5)) for seed in range(6)] + [
    ("started", 0.0), ("started", 0.1), ("started", 0.27), ("asked", 0.0),
]  # fmt: skip


def doomed_host(mark: str, folder: Path) -> subprocess.Popen[str]:
    program = str(PLUGINS / "stdio" / "doomed_host.py")
    return subprocess.Popen([sys.executable, program, mark, str(folder)], stdout=subprocess.PIPE, text=True)


def noted_pids(folder: Path) -> list[int]:
    """Extensions and their children, as they have noted them themselves."""
    lines = [json.loads(line) for log in folder.glob("*/log") for line in log.read_text().splitlines()]
    return [line[key] for line in lines for key in ("pid", "child") if key in line]


def read_until(host: subprocess.Popen[str], word: str) -> None:
    assert host.stdout is not None
    while host.stdout.readline().strip() != word:
        assert host.poll() is None


@pytest.mark.parametrize(("word", "later_s"), MOMENTS)
def test_a_killed_host_leaves_no_process(tmp_path: Path, word: str, later_s: float) -> None:
    """At some moment of its start-up, in the middle of a restart, or later."""
    mark = f"mark-{secrets.token_hex(8)}"
    with doomed_host(mark, tmp_path) as host:
        read_until(host, word)
        time.sleep(later_s)  # not to wait for anything: the moment is the point
        host.kill()
        host.wait()
        until_now(lambda: processes_mentioning(mark) == [])
        until_now(lambda: not any(map(is_running, noted_pids(tmp_path))))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_host_that_ends_in_another_way_leaves_none_either(tmp_path: Path, number: int) -> None:
    """Interrupted or terminated."""
    mark = f"mark-{secrets.token_hex(8)}"
    with doomed_host(mark, tmp_path) as host:
        read_until(host, "asked")
        assert len(noted_pids(tmp_path)) == 7, "four processes of extensions and three children"
        host.send_signal(number)
        host.wait()
        until_now(lambda: processes_mentioning(mark) == [])
        until_now(lambda: not any(map(is_running, noted_pids(tmp_path))))
