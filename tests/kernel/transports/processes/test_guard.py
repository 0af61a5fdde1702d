"""No plugin outlives its host, whatever happens to the host and whenever."""

import os
import random
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from plugin_runs import PLUGINS, ROOT, processes_mentioning, until_now

from kernel.transports.processes import guard
from kernel.transports.processes.process import GUARD

MOMENTS = [("starting", random.Random(seed).uniform(0, 0.4)) for seed in range(8)] + [("started", 0.0), ("asked", 0.0)]


def doomed_host(mark: str, folder: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "TMPDIR": folder, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, str(PLUGINS / "doomed_host.py"), mark], stdout=subprocess.PIPE, env=environment, text=True
    )


@pytest.mark.parametrize(("word", "later_s"), MOMENTS)
def test_a_killed_host_leaves_neither_processes_nor_sockets(word: str, later_s: float) -> None:
    """The host is killed at some moment of its start-up, or later; everything it started is gone soon after."""
    mark = f"mark-{secrets.token_hex(8)}"
    with TemporaryDirectory(prefix="doomed-") as folder, doomed_host(mark, folder) as host:
        assert host.stdout is not None
        while host.stdout.readline().strip() != word:
            assert host.poll() is None
        time.sleep(later_s)  # not to wait for anything: the moment is the point
        host.kill()
        host.wait()
        until_now(lambda: processes_mentioning(mark) == [])
        until_now(lambda: os.listdir(folder) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_host_that_ends_in_another_way_leaves_nothing_either(number: int) -> None:
    """Interrupted or terminated, with or without a chance to clean up."""
    mark = f"mark-{secrets.token_hex(8)}"
    with TemporaryDirectory(prefix="doomed-") as folder, doomed_host(mark, folder) as host:
        assert host.stdout is not None
        while host.stdout.readline().strip() != "asked":
            assert host.poll() is None
        host.send_signal(number)
        host.wait()
        until_now(lambda: processes_mentioning(mark) == [])
        until_now(lambda: os.listdir(folder) == [])


def test_the_guard_imports_nothing_that_takes_long() -> None:
    """Every start of a plugin waits for it."""
    code = f"exec(compile(open({str(GUARD)!r}).read(), 'guard', 'exec'), {{'__name__': 'guard'}})"

    def modules(setup: str) -> set[str]:
        run = [sys.executable, "-I", "-S", "-c", f"import sys; {setup}; print(*sys.modules)"]
        return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())

    assert modules(code) - modules("import os, select, signal, stat") == {"__future__"}


def test_only_sockets_and_empty_folders_are_removed(tmp_path: Path) -> None:
    """A plugin may name any path as its socket."""
    file, folder, full, link = (tmp_path / name for name in ("file", "folder", "full", "link"))
    file.write_text("kept")
    folder.mkdir()
    full.mkdir()
    (full / "something").touch()
    link.symlink_to(folder)
    for path in (file, folder, full, link, tmp_path / "missing"):
        guard.remove(os.fsencode(path))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "full", "link"]
