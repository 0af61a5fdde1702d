"""Subscribers for a command: started, and stopped however it ends, an interrupt at any moment included."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from debugger.last_resort import ends_us_next_time
from debugger.stuck import narrate
from debugger.views.text import visible
from kernel.clock import Caller
from kernel.errors import HookscopeError
from kernel.host import Host


class Interrupted(HookscopeError):
    """A person gave up before there was anything to give up on."""


@asynccontextmanager
async def started(host: Host, caller: Caller) -> AsyncIterator[None]:
    """Have the host's subscribers running for the length of the block.

    SIGINT and SIGTERM make the caller give up; while somebody still starts, they raise Interrupted. Who is stuck
    meanwhile is told on standard error. A callable of our own process that keeps us from handling one is ended by the
    next, together with us.
    """
    watching = asyncio.create_task(narrate(host.stuck, _tell), name="who is stuck")
    starting = asyncio.create_task(host.start(), name="starting the subscribers")

    def give_up(number: int, reason: str) -> None:
        caller.cancel(reason)
        starting.cancel()
        arm(number)

    def arm(number: int) -> None:
        if host.runs_callables:
            ends_us_next_time(number)

    loop = asyncio.get_running_loop()
    for number, reason in ((signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated")):
        loop.add_signal_handler(number, give_up, number, reason)
        arm(number)
    try:
        await asyncio.wait([starting])
        if starting.cancelled():
            raise Interrupted(f"{caller.reason} while the subscribers were starting")
        starting.result()
        yield
    finally:
        await host.stop()
        watching.cancel()
        await asyncio.wait({watching})


def _tell(text: str) -> None:
    print(visible(f"hookscope: {text}"), file=sys.stderr)
