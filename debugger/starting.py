"""Subscribers for a command: started, and stopped however it ends, an interrupt at any moment included."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kernel.clock import Caller
from kernel.errors import HookscopeError
from kernel.host import Host


class Interrupted(HookscopeError):
    """A person gave up before there was anything to give up on."""


@asynccontextmanager
async def started(host: Host, caller: Caller) -> AsyncIterator[None]:
    """Have the host's subscribers running for the length of the block.

    SIGINT and SIGTERM make the caller give up; while somebody still starts, they raise Interrupted.
    """
    starting = asyncio.create_task(host.start(), name="starting the subscribers")

    def give_up(reason: str) -> None:
        caller.cancel(reason)
        starting.cancel()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, give_up, "interrupted")
    loop.add_signal_handler(signal.SIGTERM, give_up, "terminated")
    try:
        await asyncio.wait([starting])
        if starting.cancelled():
            raise Interrupted(f"{caller.reason} while the subscribers were starting")
        starting.result()
        yield
    finally:
        await host.stop()
