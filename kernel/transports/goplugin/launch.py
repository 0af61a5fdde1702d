"""From a reach to a live subscriber, or to a sentence that says why there is none."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable
from typing import Final

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2

from kernel.errors import LaunchError
from kernel.reach import GoPlugin
from kernel.transports.goplugin.channel import HEALTH_CHECK, HEALTH_SERVICE, open_channel
from kernel.transports.goplugin.environment import plugin_environment
from kernel.transports.goplugin.handshake import MAX_HANDSHAKE, HandshakeError, UnixAddress, parse_handshake
from kernel.transports.goplugin.link import EXIT_NEWS_S, GoPluginSubscriber
from kernel.transports.processes.lines import readable
from kernel.transports.processes.output import Output, Printed
from kernel.transports.processes.process import Process, launch
from kernel.transports.processes.refusals import ended, why_not_launched, why_not_run

KEPT_LINES: Final = 200
"""Of what a plugin printed before it failed to start: the last ones usually say why."""


async def start(name: str, reach: GoPlugin, *, on_output: Printed) -> GoPluginSubscriber:
    """Start a plugin and connect to it; raises LaunchError, and leaves nothing behind, when that fails.

    `on_output` is told (stream, line) of what it prints while it is not being asked anything.
    """
    printed: deque[str] = deque(maxlen=KEPT_LINES)

    def keep_and_tell(stream: str, line: str) -> None:
        if stream == "stderr":
            printed.append(line)
        on_output(stream, line)

    starting = _Starting(reach, Output(keep_and_tell))
    try:
        subscriber = await starting.to_end(name)
    except _Refused as refusal:
        raise LaunchError(name, str(refusal), printed="\n".join(printed)) from None
    starting.output.tell_others(on_output)
    return subscriber


class _Refused(Exception):
    """The sentence of a LaunchError, before it is known what else was printed."""


class _FirstLine:
    """Takes what a plugin writes to stdout: the first line for the handshake, everything after it as output."""

    def __init__(self, rest: Callable[[bytes], None]) -> None:
        self._rest = rest
        self._bytes = b""
        self.read: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def take(self, data: bytes) -> None:
        if self.read.done():
            self._rest(data)
            return
        self._bytes += data
        line, newline, rest = self._bytes.partition(b"\n")
        if newline or len(line) > MAX_HANDSHAKE:
            self.read.set_result(readable(line))
            self._bytes = b""
            if rest:
                self._rest(rest)


class _Starting:
    """One attempt. Keeps what must be undone when it fails."""

    def __init__(self, reach: GoPlugin, output: Output) -> None:
        self.reach = reach
        self.output = output
        self.stage = "was not started"
        self.process: Process | None = None
        self.channel: grpc.aio.Channel | None = None

    async def to_end(self, name: str) -> GoPluginSubscriber:
        try:
            async with asyncio.timeout(self.reach.start_timeout_s):
                process, channel = await self.connect()
        except TimeoutError:
            await self.undo()
            raise _Refused(f"after {self.reach.start_timeout_s:g} s it still {self.stage}") from None
        except BaseException:
            await self.undo()
            raise
        return GoPluginSubscriber(name, self.reach, process, self.output, channel)

    async def connect(self) -> tuple[Process, grpc.aio.Channel]:
        process, first_line = await self.run()
        self.stage = "has printed no handshake line"
        line = await self.line_of(process, first_line)
        try:
            address = parse_handshake(line, self.reach.protocol_version)
        except HandshakeError as error:
            raise _Refused(str(error)) from None
        if isinstance(address, UnixAddress):
            process.leave_nothing(address.path)
        self.stage = f"has not said over {address.target} that it serves"
        self.channel = open_channel(address.target)
        await self.check_health(process, self.channel, address.target)
        return process, self.channel

    async def run(self) -> tuple[Process, _FirstLine]:
        argv, cwd = self.reach.argv, self.reach.cwd
        if not argv:
            raise _Refused("it names no program")
        try:
            self.process = process = launch(argv, cwd=cwd, env=plugin_environment(self.reach, os.environ))
        except (OSError, ValueError) as error:
            raise _Refused(why_not_launched(argv, cwd, error)) from None
        first_line = _FirstLine(self.output.source("stdout"))
        process.listen(stdout=first_line.take, stderr=self.output.source("stderr"))
        try:
            await process.started
        except OSError as error:
            raise _Refused(why_not_run(argv[0], error)) from None
        return process, first_line

    async def line_of(self, process: Process, first_line: _FirstLine) -> str:
        end = asyncio.create_task(process.ended.wait(), name="end of a starting plugin")
        try:
            await asyncio.wait((first_line.read, end), return_when=asyncio.FIRST_COMPLETED)
        finally:
            end.cancel()
        await process.drain()  # a line may have been its last word
        if not first_line.read.done():
            raise _Refused(f"it {ended(process.exit)} before its handshake line")
        return first_line.read.result()

    async def check_health(self, process: Process, channel: grpc.aio.Channel, target: str) -> None:
        check = channel.unary_unary(HEALTH_CHECK, None, health_pb2.HealthCheckResponse.FromString)
        request = health_pb2.HealthCheckRequest(service=HEALTH_SERVICE).SerializeToString()
        try:
            status = (await check(request)).status
        except grpc.aio.AioRpcError as error:
            if await process.ends_within(EXIT_NEWS_S):
                raise _Refused(f"it {ended(process.exit)} after its handshake line") from None
            said = f"{error.code().name}: {error.details()}"
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                raise _Refused(f"no connection to {target} ({said})") from None
            raise _Refused(f"its health service does not answer for {HEALTH_SERVICE!r} ({said})") from None
        if status != health_pb2.HealthCheckResponse.SERVING:
            word = health_pb2.HealthCheckResponse.ServingStatus.Name(status)
            raise _Refused(f"its health service says {word} for {HEALTH_SERVICE!r}, and SERVING is needed")

    async def undo(self) -> None:
        if self.channel is not None:
            await self.channel.close(None)
        if self.process is not None:
            await self.process.finish()
            self.output.flush()
