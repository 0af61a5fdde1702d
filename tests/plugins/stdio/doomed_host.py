"""A host that starts three extensions, has one restart and one hang, says so, and waits to be killed."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

TESTS = Path(__file__).parent.parent.parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]  # in this order: tests/ has a folder `kernel` too

from plugin_runs import Heard
from stdio_runs import CONTINUE, Stage, ask, hooks

from kernel.transports.stdio import start


async def main(mark: str, folder: Path) -> None:
    print("starting", flush=True)
    plays = (
        (hooks({"child": 0, **CONTINUE}),),
        (hooks({"exit": 1}), hooks({"child": 0, **CONTINUE})),
        (hooks({"child": 0, "hang": 0}),),
    )
    stages = []
    for number, each in enumerate(plays):
        (folder / str(number)).mkdir()
        stages.append(Stage(folder / str(number), *each))
    extensions = await asyncio.gather(
        *(start(f"{number}", stage.reach(args=(mark,)), on_output=Heard()) for number, stage in enumerate(stages))
    )
    print("started", flush=True)
    asked = [asyncio.create_task(ask(extension)) for extension in extensions]
    await asyncio.gather(*asked[:2])
    print("asked", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it, in the background
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
