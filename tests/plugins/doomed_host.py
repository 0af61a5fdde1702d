"""A host that starts three plugins, has one suffer a fault, says so, and waits to be killed."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]  # in this order: tests/ has a folder `kernel` too

from plugin_runs import ask, reach

from kernel.faults import Late
from kernel.transports.goplugin import start


async def main(mark: str) -> None:
    print("starting", flush=True)
    plugins = await asyncio.gather(
        *(start(f"plugin {number}", reach(mark), on_output=lambda stream, line: None) for number in range(3))
    )
    print("started", flush=True)
    await ask(plugins[0], "echo x", far_side=Late(0))
    await ask(plugins[1], "parent")
    print("asked", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it, in the background
    asyncio.run(main(sys.argv[1]))
