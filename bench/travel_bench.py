"""How long going back takes, and finding who wrote a field, beside the least that either could be."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bench.filter_bench import made
from bench.measure import Absolute, Row, interleaved, row, stopwatch
from debugger.blame import Outlines, touches
from debugger.runcontrol import Command, Stance
from debugger.session import Session
from debugger.trace import Trace
from kernel.dialects.pluggable import PLUGGABLE
from kernel.host import Host
from kernel.setup import Setup
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Chain, Outcome, Subscription

POINT: Final = "pre-model-call"
STEPS: Final = 100
TARGET_BACK_MS: Final = 50.0
TARGET_FIELD_MS: Final = 100.0


class _Acknowledges:
    """An observer in our own process."""

    async def answer(self, call: Call) -> Outcome:
        return Answered(b"\x0a\x00")


class Nobodies(Host):
    """A host without processes."""

    def __init__(self, chain: Chain) -> None:
        super().__init__(())
        self._named = MappingProxyType({seat.name: _Acknowledges() for seat in chain.subscriptions})

    @property
    def subscribers(self) -> Mapping[str, Subscriber]:
        return self._named


def rows(*, rounds: int = 9) -> list[Row]:
    """Milliseconds: a hundred steps back, each held and folded for the screen; and one field over ten thousand."""
    dispatches = made()
    outlines = Outlines()
    message = stopwatch(lambda: list(touches(dispatches, ("messages",))))
    item = stopwatch(lambda: list(touches(dispatches, ("messages", 0, "content"), outlines)))
    plain = stopwatch(lambda: sum(change.before != change.after for each in dispatches for change in each.changes))
    back, floor = interleaved(rounds, _Way().act, stopwatch(lambda: asyncio.run(_turns())))
    field, field_floor = interleaved(5, message, plain)
    inside, inside_floor = interleaved(5, item, plain)
    return [
        row(f"back {STEPS} steps", "ms", back, floor, Absolute(TARGET_BACK_MS)),
        row("who wrote a field, 10,000 dispatches", "ms", field, field_floor, Absolute(TARGET_FIELD_MS)),
        row("who wrote an item, once compared", "ms", inside, inside_floor, Absolute(TARGET_FIELD_MS)),
    ]


async def _turns() -> None:
    """As many turns of a loop as there are steps, each for a future that somebody waits for."""
    loop = asyncio.get_running_loop()
    for _ in range(STEPS):
        future: asyncio.Future[None] = loop.create_future()
        loop.call_soon(future.set_result, None)
        await future


class _Way:
    """A dispatch that is taken to its last seam, and then back to its first."""

    def act(self) -> float:
        return asyncio.run(self._back())

    async def _back(self) -> float:
        chain = Chain(POINT, tuple(Subscription(f"s{place}", POINT, "observe", None) for place in range(STEPS + 1)))
        setup = Setup(Path("agent.hcl"), (), PLUGGABLE, {POINT: chain})
        news = asyncio.Event()
        session = Session(setup, news.set, host=Nobodies(chain))
        await session.start()
        dispatch = await session.fire(POINT, PLUGGABLE.sample_payload(POINT), Stance.TO_NEXT_SEAM)

        async def held_before(step: int) -> None:
            while not any(hold.step == step for hold in session.view.holds):
                news.clear()
                await news.wait()

        await held_before(0)
        for step in range(STEPS):
            session.command(dispatch, Command.NEXT)
            await held_before(step + 1)
        trace = Trace()
        while session.events:
            trace.take(session.events.popleft())
        loop = asyncio.get_running_loop()
        started = loop.time()
        for step in reversed(range(STEPS)):
            session.command(dispatch, Command.BACK)
            await held_before(step)
            while session.events:
                trace.take(session.events.popleft())
        took_ms = (loop.time() - started) * 1e3
        await session.close()
        return took_ms
