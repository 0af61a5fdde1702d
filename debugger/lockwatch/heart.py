"""The application's side: signs of life of the screen, where all threads are if one stays away, and the watch."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from debugger import own_terminal
from debugger.lockwatch.ledger import Ledger
from kernel.transports.callback_threads import tell_ledger

DUMP_S: Final = 0.8
"""How long after a sign of life, and how often then, it is written down where all threads are."""


class Heart:
    """Beats on the screen's loop, some times in a second. Made while the terminal is ours, and to be stopped."""

    def __init__(self, terminal: own_terminal.Terminal, recording: str = "") -> None:
        """Raises OSError where the system does not let us."""
        with ExitStack() as undo:
            self._table = undo.enter_context(tempfile.TemporaryFile())
            self._dump = undo.enter_context(tempfile.TemporaryFile())
            self._ledger = Ledger(self._table.fileno())
            orders = {
                "process": os.getpid(),
                "main_thread": threading.get_ident(),
                "ledger": self._table.fileno(),
                "dump": self._dump.fileno(),
                "keys": terminal.reads,
                "terminal": terminal.draws,
                "modes": terminal.modes,
                "recording": recording,
                "has_colours": not os.environ.get("NO_COLOR"),
            }
            self._watch = subprocess.Popen(
                [sys.executable, "-P", "-m", "debugger.lockwatch.watch", json.dumps(orders)],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(self._table.fileno(), self._dump.fileno(), terminal.reads, terminal.draws),
            )
            self._undo = undo.pop_all()
        assert self._watch.stdout is not None
        os.set_blocking(self._watch.stdout.fileno(), False)
        tell_ledger(self._ledger)
        self.beat()

    def beat(self) -> tuple[str, ...]:
        """A sign of life; gives what the watch has drawn since the last one, so that the screen is drawn anew."""
        self._sign(is_armed=True)
        faulthandler.dump_traceback_later(DUMP_S, repeat=True, file=self._dump)
        return self._heard()

    def pause(self) -> None:
        """Until the next sign of life nobody waits for one: the terminal is somebody else's."""
        self._sign(is_armed=False)

    def stop(self) -> None:
        """End the watch. Idempotent."""
        if self._watch.returncode is not None:
            return
        tell_ledger(None)
        self.pause()
        assert self._watch.stdin is not None
        with suppress(OSError):
            self._watch.stdin.close()
        try:
            self._watch.wait(5)
        except subprocess.TimeoutExpired:
            self._watch.kill()
            self._watch.wait()
        if self._watch.stdout is not None:
            self._watch.stdout.close()
        self._undo.close()

    def _sign(self, *, is_armed: bool) -> None:
        faulthandler.cancel_dump_traceback_later()
        self._ledger.beat(time.monotonic_ns(), is_armed=is_armed)
        if os.fstat(self._dump.fileno()).st_size:
            os.ftruncate(self._dump.fileno(), 0)
            os.lseek(self._dump.fileno(), 0, os.SEEK_SET)

    def _heard(self) -> tuple[str, ...]:
        assert self._watch.stdout is not None
        try:
            said = os.read(self._watch.stdout.fileno(), 65_536)
        except BlockingIOError:
            return ()
        return tuple(json.loads(line) for line in said.splitlines())
