"""A hook handled by a real extension, beside the bare framed round trip to the same program with the same bytes.

The bare trip goes over asyncio's own streams, with a fast JSON codec: what a host on an event loop can hardly do less.
One that blocks its thread instead takes a third of that.
"""

from __future__ import annotations

import asyncio
import asyncio.subprocess
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.measure import Row, Times, interleaved, row, timed
from kernel.clock import REAL
from kernel.dialects.hookbus import HOOKBUS
from kernel.dispatch import dispatch
from kernel.reach import StdioExtension
from kernel.subscriber import Call
from kernel.transports.stdio import StdioSubscriber, start
from kernel.values import Answered, Chain, Payload, Subscription

POINT: Final = "before_tool_call"
CHARACTERS: Final = {"1 KB": 800, "100 KB": 100_000}
"""Of text in the event."""
ROUNDS: Final = 80
CALLS: Final = 20
"""In a row, for one figure."""
HANDLERS: Final = 10
CONTINUE: Final = '{"action":"continue"}'
MODIFY: Final = '{"action":"modify","input":{"command":"%s"}}' % ("y" * CHARACTERS["1 KB"])
PROGRAM: Final = Path(__file__).with_name("echo_extension.py")


def rows() -> list[Row]:
    """Microseconds for one call; for one handler of a dispatch."""
    with asyncio.Runner() as runner:
        pairs = {
            given: (runner.run(_started(*given)), runner.run(_bare(*given))) for given in ((), (MODIFY,), (CONTINUE,))
        }
        try:
            return [
                *(_called(runner, *pairs[()], size) for size in CHARACTERS),
                _dispatched(runner, *pairs[MODIFY,], "modify"),
                _dispatched(runner, *pairs[CONTINUE,], "continue"),
            ]
        finally:
            for extension, bare in pairs.values():
                runner.run(extension.stop())
                runner.run(bare.stop())


class Bare:
    """The floor: the program at the other ends of two streams."""

    def __init__(self, program: asyncio.subprocess.Process) -> None:
        assert program.stdin is not None
        assert program.stdout is not None
        self._program, self._in, self._out = program, program.stdin, program.stdout
        self._number = 0

    async def trip(self, event: object) -> object:
        """Encode, write, read, decode."""
        self._number += 1
        message = {"jsonrpc": "2.0", "method": "hook.handle", "params": event, "id": self._number}
        body = msgspec.json.encode(message)
        self._in.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        await self._in.drain()
        head = await self._out.readuntil(b"\r\n\r\n")
        answer: dict[str, Any] = msgspec.json.decode(await self._out.readexactly(int(head[16:-4])))
        assert answer["id"] == self._number
        return answer["result"]

    async def stop(self) -> None:
        """Let it see the end."""
        self._in.close()
        await self._program.wait()


async def _bare(*arguments: str) -> Bare:
    pipe = asyncio.subprocess.PIPE
    return Bare(
        await asyncio.create_subprocess_exec(
            sys.executable, str(PROGRAM), *arguments, stdin=pipe, stdout=pipe, limit=2**20
        )
    )


async def _started(*arguments: str) -> StdioSubscriber:
    reach = StdioExtension("echo", sys.executable, (str(PROGRAM), *arguments), str(PROGRAM.parent))
    return await start("echo", reach, on_output=lambda stream, line: print(f"{stream}: {line}", file=sys.stderr))


def _event(characters: int) -> Payload:
    return HOOKBUS.payload_from_view(
        POINT, {"kind": POINT, "tool_name": "bash", "tool_input": {"command": "x" * characters}, "data": None}
    )


def _called(runner: asyncio.Runner, extension: StdioSubscriber, bare: Bare, size: str) -> Row:
    event = _event(CHARACTERS[size])
    view = msgspec.json.decode(event.body)

    async def trip() -> None:
        await bare.trip(view)

    async def hook() -> None:
        call = Call(POINT, event.body, REAL.now_ns() + 5_000_000_000, REAL, lambda stream, line: None)
        assert isinstance(await extension.answer(call), Answered)

    floors, figures = interleaved(
        ROUNDS, lambda: runner.run(timed(trip, CALLS)), lambda: runner.run(timed(hook, CALLS))
    )
    return row(f"stdio hook, {size}", "us", figures, floors, Times(1.5))


def _dispatched(runner: asyncio.Runner, extension: StdioSubscriber, bare: Bare, decision: str) -> Row:
    event = _event(CHARACTERS["1 KB"])
    view = msgspec.json.decode(event.body)
    seats = tuple(Subscription(f"s{place}", POINT, "handle", 5000) for place in range(HANDLERS))
    chain, subscribers = Chain(POINT, seats), {seat.name: extension for seat in seats}

    async def trips() -> None:
        for _ in range(HANDLERS):
            await bare.trip(view)

    async def whole() -> None:
        assert (await dispatch(HOOKBUS, chain, event, subscribers)).decision == decision

    taken = interleaved(ROUNDS, lambda: runner.run(timed(trips, 2)), lambda: runner.run(timed(whole, 2)))
    floors, figures = ([total / HANDLERS for total in totals] for totals in taken)
    return row(f"stdio dispatch, {HANDLERS} x {decision}", "us", figures, floors, Times(1.5))
