"""The process beside the application. It only looks, draws while the application cannot, and ends it if told to.

It is started by `heart`, reads its orders from the command line, and ends with the other side of its standard input.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from debugger.lockwatch.ledger import Ledger, Running
from debugger.lockwatch.stacks import Dump, dumps, has_stood_still, inside
from debugger.stuck import NS_PER_S, clock, where_of
from debugger.views.text import visible
from kernel.transports import callback_threads
from kernel.transports.callback_threads import Stuck

POLL_S: Final = 0.25
SILENCE_NS: Final = 3 * NS_PER_S // 2
"""After which the screen counts as one that does not draw."""
STOPPED_NS: Final = NS_PER_S
"""A look that comes so much too late says that we, and so probably everybody, did not run."""
CTRL_C: Final = b"\x03"
MOST_WRITTEN: Final = 1 << 20
"""Bytes of dumps that are looked at, the last ones."""
_LEAVE: Final = (
    b"\x1b[?2026l\x1b[0m\x1b[<u\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l"
    b"\x1b[?2031l\x1b[?2048l\x1b[?1049l\x1b[?25h"
)
"""Off with everything that Textual turns on."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the application says of itself."""

    process: int
    main_thread: int
    ledger: int
    """Descriptor of the table."""
    dump: int
    """Descriptor of what faulthandler writes."""
    keys: int
    """Descriptor of the terminal, to read from."""
    terminal: int
    """To draw on."""
    modes: list[Any]
    """Of the terminal, before it was the application's."""
    recording: str
    has_colours: bool


class Watch:
    """Looks at one application. `look` is one look; true once it has ended the application."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._ledger = Ledger(orders.ledger)
        self._looked_ns = self._not_before_ns = time.monotonic_ns()
        self._suspects: tuple[Stuck, ...] = ()
        self.is_drawing = False

    def look(self, now_ns: int) -> None:
        """Draw, or leave the screen to the application."""
        if now_ns - self._looked_ns > STOPPED_NS:
            self._not_before_ns = now_ns
        self._looked_ns = now_ns
        beat_ns, is_armed = self._ledger.last_beat
        is_silent = is_armed and now_ns - max(beat_ns, self._not_before_ns) > SILENCE_NS
        suspects = self._found(now_ns) if is_silent and self._is_in_front() else ()
        if suspects:
            self._suspects = suspects
            self._draw()
        elif self.is_drawing and not is_silent:
            self.is_drawing = False
            self._tell_back()

    def end(self) -> None:
        """Give the terminal back as it was, say why, and end the application."""
        import termios

        orders = self._orders
        os.write(orders.terminal, _LEAVE)
        modes = [each if not isinstance(each, list) else [*map(_control, each)] for each in orders.modes]
        termios.tcsetattr(orders.terminal, termios.TCSAFLUSH, modes)
        who = " or ".join(_held(each) for each in self._suspects[:3])
        kept = f" What was recorded is in {orders.recording}." if orders.recording else ""
        os.write(orders.terminal, visible(f"hookscope: ended while {who}.{kept}").encode() + b"\n")
        os.kill(orders.process, signal.SIGKILL)

    def _is_in_front(self) -> bool:
        """Whether the terminal is not somebody else's now, as it is while a shell has stopped the application."""
        with suppress(OSError):
            return os.tcgetpgrp(self._orders.terminal) == os.getpgrp()
        return True  # it has no foreground: it controls no session

    def _found(self, now_ns: int) -> tuple[Stuck, ...]:
        """Whoever may hold the lock; nobody where the screen's own thread moves, which then is busy itself."""
        seen = self._dumps()
        if not has_stood_still(seen, self._orders.main_thread):
            return ()
        return tuple(_stuck(each, now_ns, seen[-1]) for each in self._ledger.running)

    def _dumps(self) -> tuple[Dump, ...]:
        length = os.fstat(self._orders.dump).st_size
        start = max(0, length - MOST_WRITTEN)
        return dumps(os.pread(self._orders.dump, MOST_WRITTEN, start).decode(errors="replace"))

    def _draw(self) -> None:
        from debugger.lockwatch.picture import drawn, lines

        self.is_drawing = True
        with suppress(OSError):
            width, height = os.get_terminal_size(self._orders.terminal)
            picture = drawn(lines(self._suspects), width, height, has_colours=self._orders.has_colours)
            os.write(self._orders.terminal, picture)

    def _tell_back(self) -> None:
        who = " or ".join(_held(each) for each in self._suspects[:3])
        with suppress(OSError):
            os.write(1, json.dumps(f"The screen stood still while {who}.").encode() + b"\n")


def _stuck(running: Running, now_ns: int, dump: Dump) -> Stuck:
    stack = inside(dump.get(running.thread, ()), callback_threads.__file__)
    return Stuck(
        running.subscriber,
        running.phase,
        "",
        running.since_ns,
        now_ns - running.since_ns,
        is_abandoned=False,
        stack=stack,
    )


def _held(stuck: Stuck) -> str:
    asked = f" ({stuck.phase})" if stuck.phase else ""
    return f"{stuck.subscriber}{asked} held Python's lock for {clock(stuck.for_ns)}{where_of(stuck)}"


def _control(found: int | str) -> int | bytes:
    return found if isinstance(found, int) else found.encode("latin-1")


def main() -> None:
    """Until nobody holds the other side of our standard input."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # they are meant for the application
    orders = Orders(**json.loads(sys.argv[1]))
    watch = Watch(orders)
    while True:
        watched = [0, orders.keys] if watch.is_drawing else [0]
        ready, _, _ = select.select(watched, [], [], POLL_S)
        if 0 in ready and not os.read(0, 1):
            return
        if orders.keys in ready and CTRL_C in os.read(orders.keys, 4096):
            watch.end()
            return
        watch.look(time.monotonic_ns())


if __name__ == "__main__":
    main()
