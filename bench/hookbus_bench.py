"""The HookBus where nobody hooked anything, which is what most events of most hosts meet."""

from __future__ import annotations

import asyncio
from typing import Final

from bench.measure import Absolute, Row, computed, interleaved, row
from kernel.dialects.hookbus.bus import HookBus
from kernel.dialects.hookbus.events import before_tool_call
from kernel.dialects.hookbus.kinds import Style

ROUNDS: Final = 60
EMITS: Final = 5_000
"""In a row, for one figure."""


def rows() -> list[Row]:
    """Microseconds that an emit takes beyond a coroutine that does nothing."""
    event = before_tool_call("bash", {"command": "ls"})
    with asyncio.Runner() as runner:
        bus = HookBus()
        view = bus.worker_transforms()

        async def nothing() -> None:
            pass

        async def emit() -> None:
            await bus.emit(event)

        async def emit_for_worker() -> None:
            await view.emit(event)

        floors, emitted, for_worker = interleaved(
            ROUNDS,
            *(lambda act=act: runner.run(computed(act, EMITS)) for act in (nothing, emit, emit_for_worker)),
        )
    return [
        _beyond(f"{Style.SEQUENTIAL} without handlers, beyond a coroutine", emitted, floors),
        _beyond("the same on a worker's view", for_worker, floors),
    ]


def _beyond(name: str, figures: list[float], floors: list[float]) -> Row:
    more = [figure - floor for figure, floor in zip(figures, floors, strict=True)]
    return row(name, "us", more, floors, Absolute(1))
