"""One program under its guard: started, heard, watched and ended, without blocking the event loop.

Not asyncio's subprocesses: those learn of an exit through a child watcher and depend on the loop's thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import Final, cast

from kernel.transports.processes.guard import remove
from kernel.transports.processes.pipes import BITE, Feed, Pipe

GUARD_S: Final = 5.0  # until a guard that does not do its duty is replaced by us: far more than a kill takes
GUARD: Final = Path(__file__).with_name("guard.py")


class Process:
    """A program's process, from the launch of its guard until both are gone. Made by `launch`."""

    pid: int | None = None
    exit: str | None = None
    """How it ended, once it has: `exited with code 3`, `killed by signal 9 (SIGKILL)`."""

    def __init__(self, guard: subprocess.Popen[bytes], lifeline: int, status: FileIO) -> None:
        self._guard = guard
        self._lifeline: int | None = lifeline
        self._said = b""
        self._leftovers: list[bytes] = []
        self._output: tuple[Pipe, ...] = ()
        self._feed: Feed | None = None
        self._printed = select.poll()  # one system call where two failing reads would cost three times as much
        self.started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Its process id; OSError when the system refuses to run it."""
        self.ended = asyncio.Event()
        """Set once process and guard are gone."""
        Pipe(status, self._hear, self._guard_gone)

    def listen(
        self,
        *,
        stdout: Callable[[bytes], None],
        stderr: Callable[[bytes], None],
        at_stdout_end: Callable[[], None] | None = None,
        stdout_bite: int = BITE,
    ) -> None:
        """Have what it prints taken, from its start on."""
        self._output = (
            Pipe(cast(FileIO, self._guard.stdout), stdout, at_stdout_end, bite=stdout_bite),
            Pipe(cast(FileIO, self._guard.stderr), stderr),
        )
        for file in (self._guard.stdout, self._guard.stderr):
            self._printed.register(cast(FileIO, file), select.POLLIN)

    def feed(self, at_break: Callable[[OSError], None]) -> Feed:
        """Its stdin, once, for a program that was launched to be fed. Closed when the program is finished."""
        self._feed = Feed(cast(FileIO, self._guard.stdin), at_break)
        return self._feed

    @property
    def stdout(self) -> Pipe:
        """Where it is heard, to let it wait."""
        return self._output[0]

    @property
    def has_output(self) -> bool:
        """Whether it has printed something that is not taken yet."""
        return bool(self._printed.poll(0))

    async def drain(self) -> None:
        """Take what it has printed by now."""
        for pipe in self._output:
            await pipe.drain()

    def leave_nothing(self, path: str) -> None:
        """Have a socket or a folder removed with the process, even if ours does not live to see it."""
        self._leftovers.append(os.fsencode(path))
        if self._lifeline is not None:
            with contextlib.suppress(OSError):  # the guard is gone: we remove it ourselves
                os.write(self._lifeline, os.fsencode(path) + b"\n")

    def kill(self, number: int) -> None:
        """Send a signal to its whole group."""
        if self.pid is not None and self.exit is None:
            with contextlib.suppress(OSError):  # it is just ending
                os.killpg(self.pid, number)

    def end(self) -> None:
        """Have the guard kill what is left. Comes back at once; `ended` says when it is done."""
        if self._lifeline is not None:
            os.close(self._lifeline)
            self._lifeline = None

    async def ends_within(self, seconds: float) -> bool:
        """Wait for its end, but not for long; whether it came."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.ended.wait()
        return self.ended.is_set()

    async def finish(self) -> None:
        """End it, wait until nothing is left, and take its last words."""
        self.end()  # first and without waiting: whatever happens next, it is over
        if not await self.ends_within(GUARD_S):
            self._guard.kill()
            await self.ended.wait()
        await self.drain()
        for pipe in self._output:  # something it started may have escaped the group and hold the other end
            pipe.close()
        if self._feed is not None:
            self._feed.close()

    def _hear(self, data: bytes) -> None:
        *lines, self._said = (self._said + data).split(b"\n")
        for line in lines:
            word, number = line.split()
            match word:
                case b"started":
                    self.pid = int(number)
                    self.started.set_result(self.pid)
                case b"failed":
                    self._refused(OSError(int(number), os.strerror(int(number))))
                case b"exited":
                    self.exit = f"exited with code {int(number)}"
                case b"killed":
                    self.exit = killed_by(int(number))

    def _guard_gone(self) -> None:
        if not self.started.done():
            self._refused(OSError("its guard ended before it could start it"))
        if self.exit is None:  # somebody killed the guard: its duty is ours
            self.kill(signal.SIGKILL)
            self.exit = "lost together with its guard process"
        for path in reversed(self._leftovers):  # a folder is told of before what is in it
            remove(path)
        self._guard.wait()  # it has closed its last descriptor, so it is as good as gone
        self.end()
        self.ended.set()

    def _refused(self, error: OSError) -> None:
        if not self.started.cancelled():
            self.started.set_exception(error)
            self.started.exception()  # whoever started it may have given up: then nobody else looks
        self.exit = "never started"


def launch(argv: Sequence[str], *, cwd: str | None, env: Mapping[str, str], is_fed: bool = False) -> Process:
    """Start a guard and have it start a program, without a shell; raises OSError or ValueError when it cannot.

    One that is fed has a pipe as its stdin, any other one nothing at all.
    """
    with contextlib.ExitStack() as on_failure, contextlib.ExitStack() as afterwards:
        guards_lifeline, lifeline = os.pipe()
        afterwards.callback(os.close, guards_lifeline)
        on_failure.callback(os.close, lifeline)
        status, guards_status = os.pipe()
        afterwards.callback(os.close, guards_status)
        on_failure.callback(os.close, status)
        names = "=".join(env)
        guard = subprocess.Popen(  # closes every other descriptor: the lifeline's write end must stay ours alone
            [sys.executable, "-I", "-S", str(GUARD), str(guards_lifeline), str(guards_status), names, *argv],
            bufsize=0,
            stdin=subprocess.PIPE if is_fed else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            pass_fds=(guards_lifeline, guards_status),
            start_new_session=True,
        )
        on_failure.pop_all()
        return Process(guard, lifeline, FileIO(status))


def killed_by(number: int) -> str:
    """A death by signal in words."""
    try:
        return f"killed by signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"killed by signal {number}"
