"""A dispatch over a real plugin process, beside the bare gRPC round trip to the same process with the same bytes."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bench.measure import Row, Times, interleaved, row, timed
from bench.payloads import POINT, tool_call
from bench.recorder import PRODUCER, Recorder, watchers
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.points import COOKIE, METHOD, PROTOCOL_VERSION, Mode
from kernel.dispatch import dispatch
from kernel.reach import GoPlugin
from kernel.transports.goplugin import GoPluginSubscriber, start
from kernel.transports.goplugin.channel import open_channel, unary
from kernel.values import Chain, Subscription

if TYPE_CHECKING:
    import grpc.aio

CHAINS: Final[Mapping[str, Mode]] = {"10 observers": Mode.OBSERVE, "10 transforms": Mode.TRANSFORM}
SUBSCRIBERS: Final = 10
CHARACTERS: Final = 940
"""Of text in the payload, which makes it about 1 KB."""
ROUNDS: Final = 60
DISPATCHES: Final = 2
"""In a row, for one figure."""


def rows() -> list[Row]:
    """Microseconds for each subscriber, unwatched and watched."""
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        plugin = runner.run(_started(folder))
        try:
            address = next(Path(folder).glob("*.sock"))
            unwatched, with_deadline, watched = zip(
                *(_measured(runner, plugin, f"unix:{address}", name, mode) for name, mode in CHAINS.items()),
                strict=True,
            )
            return [*unwatched, *with_deadline, *watched]
        finally:
            runner.run(plugin.stop())


async def _started(folder: str) -> GoPluginSubscriber:
    root = Path(__file__).parent.parent
    program = (sys.executable, "-m", "bench.echo_plugin")
    env = (("TMPDIR", folder), ("PYTHONPATH", str(root)))  # where its socket will be, so that we can dial it too
    reach = GoPlugin(program, METHOD, COOKIE, PROTOCOL_VERSION, env=env)
    return await start("echo", reach, on_output=lambda stream, line: print(f"{stream}: {line}", file=sys.stderr))


def _measured(
    runner: asyncio.Runner, plugin: GoPluginSubscriber, address: str, name: str, mode: Mode
) -> tuple[Row, Row, Row]:
    payload = tool_call(CHARACTERS)
    request = payload.request(mode)
    seats = tuple(Subscription(f"s{place}", POINT, mode.value, 1000, PRODUCER) for place in range(SUBSCRIBERS))
    chain = Chain(POINT, seats)
    subscribers = {seat.name: plugin for seat in seats}
    recorder = Recorder()
    probes = watchers(recorder)

    async def dialled() -> grpc.aio.Channel:
        return open_channel(address)  # the same options, but a channel of its own

    channel = runner.run(dialled())
    ask = unary(channel, METHOD)

    async def bare() -> None:
        for _ in range(SUBSCRIBERS):
            await ask(request)

    async def bare_with_deadline() -> None:
        for _ in range(SUBSCRIBERS):
            await ask(request, timeout=1)

    async def alone() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers)

    async def watched() -> None:
        await dispatch(PLUGGABLE, chain, payload, subscribers, probes=probes)

    def drained() -> float:
        recorder.events.clear()
        return runner.run(timed(watched, DISPATCHES))

    taken = interleaved(
        ROUNDS,
        lambda: runner.run(timed(bare, DISPATCHES)),
        lambda: runner.run(timed(bare_with_deadline, DISPATCHES)),
        lambda: runner.run(timed(alone, DISPATCHES)),
        drained,
    )
    runner.run(channel.close(None))
    floors, deadline_floors, figures, with_probes = ([total / SUBSCRIBERS for total in totals] for totals in taken)
    return (
        row(f"gRPC, {name}", "us", figures, floors, Times(1.15)),
        row(f"gRPC / trip with deadline, {name}", "us", figures, deadline_floors, Times(1.15)),
        row(f"gRPC watched, {name}", "us", with_probes, floors, Times(1.3)),
    )
