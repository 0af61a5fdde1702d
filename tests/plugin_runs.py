"""What tests of the goplugin transport share: the obedient plugin started, and calls to it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from kernel.clock import NS_PER_MS, REAL, Clock
from kernel.faults import FarSide
from kernel.reach import GoPlugin
from kernel.subscriber import Call
from kernel.transports.goplugin import GoPluginSubscriber, start
from kernel.values import Outcome

ROOT = Path(__file__).parent.parent
PLUGINS = Path(__file__).parent / "plugins"
METHOD = "/test.Obedient/Do"
COOKIE = ("OBEDIENT_COOKIE", "obey")


class Heard(list[tuple[str, str]]):
    """Collects (stream, line)."""

    def __call__(self, stream: str, line: str) -> None:
        self.append((stream, line))

    def lines(self, stream: str) -> list[str]:
        return [line for heard, line in self if heard == stream]


def reach(*arguments: str, script: str = "obedient.py", timeout_s: float = 30, **env: str) -> GoPlugin:
    """How to reach one of our Python plugins."""
    return GoPlugin(
        (sys.executable, str(PLUGINS / script), *arguments),
        METHOD,
        COOKIE,
        env=(("PYTHONPATH", str(ROOT)), *env.items()),
        start_timeout_s=timeout_s,
    )


@asynccontextmanager
async def running(
    *arguments: str, script: str = "obedient.py", between: Heard | None = None, **env: str
) -> AsyncIterator[GoPluginSubscriber]:
    """A plugin that lives as long as the block."""
    between = Heard() if between is None else between
    plugin = await start("obedient", reach(*arguments, script=script, **env), on_output=between)
    try:
        yield plugin
    finally:
        await plugin.stop()


def call(
    request: bytes | str,
    *,
    far_side: FarSide | None = None,
    ms: float | None = None,
    heard: Heard | None = None,
    clock: Clock = REAL,
) -> Call:
    """A call as the dispatch loop makes it."""
    body = request.encode() if isinstance(request, str) else request
    deadline_ns = None if ms is None else clock.now_ns() + round(ms * NS_PER_MS)
    return Call("point", body, deadline_ns, clock, Heard() if heard is None else heard, far_side)


async def ask(plugin: GoPluginSubscriber, request: bytes | str, *, far_side: FarSide | None = None) -> Outcome:
    """Ask without a deadline and without listening."""
    return await plugin.answer(call(request, far_side=far_side))


def is_running(pid: int) -> bool:
    """Whether a process is there and not merely waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Come back when something that nobody announces has happened; fails when it does not."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110  # nobody announces it
            await asyncio.sleep(0.005)


def until_now(condition: Callable[[], bool], seconds: float = 10) -> None:
    """The same for tests without a loop."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it has not happened"
        time.sleep(0.005)


def parent_of(pid: int) -> int:
    """Of a plugin, that is its guard."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def ignored_signals(pid: int) -> set[int]:
    """The numbers of the signals that a process ignores."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = int(next(line for line in status if line.startswith("SigIgn")).split()[1], 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def pipes_of(pid: int | str) -> set[str]:
    """The pipes that a process holds an end of."""
    found = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            found.add(os.readlink(entry))
        except OSError:  # the one that listed the folder
            continue
    return {link for link in found if link.startswith("pipe:")}


def names_in(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(entry.name for entry in folder.iterdir())


def processes_mentioning(word: str) -> list[int]:
    """Processes with this word among their arguments."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                arguments = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in arguments:
                found.append(int(entry.name))
    return found
