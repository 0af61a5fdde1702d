"""A live go-plugin program as a subscriber: asks it over gRPC, and turns what goes wrong over there into outcomes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Final

import grpc
import grpc.aio

from kernel.clock import REAL
from kernel.faults import Refuse
from kernel.reach import GoPlugin
from kernel.subscriber import Call
from kernel.transports.goplugin.channel import SHUTDOWN, START_STREAM, STREAM_STDIO, Unary, is_connected, unary
from kernel.transports.goplugin.relay import Relay
from kernel.transports.goplugin.timeouts import timeout_header
from kernel.transports.goplugin.wire.plugin_pb2 import Empty, StdioData
from kernel.transports.outside import Outside
from kernel.transports.processes.output import Output
from kernel.transports.processes.process import Process
from kernel.values import Answered, Crashed, Failed, Outcome, TimedOut

EXIT_NEWS_S: Final = 0.2
"""How long a lost connection may wait for the word that the process has ended, which comes another way."""
SETTLING_S: Final = 0.05
"""How long gRPC may take to notice that a connection is lost, once the calls on it have failed."""
DRAIN_S: Final = 2.0
"""How long a plugin that was asked to shut down may take to exit: what its usual host grants."""
FAR_OFF_S: Final = 1e8
"""Seconds, some three years: gRPC's arithmetic overflows on deadlines that nobody will live to see."""
DEADLINE_GRAIN_NS: Final = 5_000_000
"""How much too early gRPC's deadlines may pass: both sides keep one, in clocks and units of their own."""
STDIO_TURNS: Final = 4  # of the loop, until a message that gRPC already holds has reached us


class GoPluginSubscriber:
    """One running plugin. Made by `start`, used on the loop that started it, and to be stopped there."""

    keeps_deadlines = True

    def __init__(self, name: str, reach: GoPlugin, process: Process, output: Output, channel: grpc.aio.Channel) -> None:
        self.name = name
        self._reach = reach
        self._process = process
        self._output = output
        self._channel = channel
        self._methods: dict[str, Unary] = {"": unary(channel, reach.method)}
        """By point, each made when first used; those without a method of their own share one."""
        self._relay: Relay | None = None
        self._opening_relay = asyncio.Lock()
        self._stopping = asyncio.Lock()
        self._is_stopping = False
        self._stdio = self._companion(self._read_stdio(), "stdio")
        self._broker = self._companion(self._hold_broker(), "broker")

    @property
    def alive(self) -> bool:
        """Whether its process runs, as far as we have heard."""
        return self._process.exit is None

    @property
    def pid(self) -> int | None:
        """Its process id, also the id of its process group."""
        return self._process.pid

    @property
    def exit(self) -> str | None:
        """How its process ended, in words; None while it runs."""
        return self._process.exit

    async def answer(self, call: Call) -> Outcome:
        """Ask once. A deadline is the plugin's to know and the caller's to enforce, by cancelling this."""
        if self._process.has_output:  # what it printed before belongs to nobody's call
            await self._process.drain()
        with self._output.during(call.printed):
            try:
                return await self._outcome(call)
            finally:
                await self._drain()

    async def stop(self, drain_s: float = DRAIN_S) -> None:
        """Ask it to exit, wait a little, then kill its whole group. Never fails; doing it again does nothing."""
        async with self._stopping:
            if self._is_stopping:
                return
            self._is_stopping = True
            try:
                await self._let_exit(drain_s)
            finally:
                await self._process.finish()
                self._output.flush()
                for companion in (self._stdio, self._broker):
                    companion.cancel()
                await asyncio.gather(self._stdio, self._broker, return_exceptions=True)
                async with self._opening_relay:
                    if self._relay is not None:
                        await self._relay.close()
                await self._channel.close(None)

    async def _outcome(self, call: Call) -> Outcome:
        if self._process.exit is not None:
            return Crashed(self._process.exit)
        task = asyncio.current_task()
        assert task is not None, "a call is made by a task"
        cancelled_before = task.cancelling()
        try:
            return Answered(await self._reply(call))
        except grpc.aio.AioRpcError as error:
            if self._is_late(call, error):
                return TimedOut(0.0)  # the loop knows since when it waits
            if isinstance(call.far_side, Refuse):  # our own doing says nothing about the process
                return Failed(error.code().name, error.details() or "")
            with call.clock.outside():
                return await self._failure(error)
        except asyncio.CancelledError:
            if not self._is_stopping or task.cancelling() > cancelled_before:
                raise
            # Nobody gave up on this call: closing a channel ends calls that way.
            return Crashed(self._process.exit or "stopped")

    async def _reply(self, call: Call) -> bytes:
        """The bytes that come back, by the direct way or, for a call that is to suffer something, by the relay."""
        if call.far_side is None:
            with call.clock.outside():
                return await self._forward(call)
        with Outside(call.clock) as outside:
            relay = await self._open_relay()
            return await relay.ask(call, call.far_side, outside)

    async def _forward(self, call: Call) -> bytes:
        """Ask the plugin itself, and tell it how much time it has."""
        ask = self._methods[""] if not self._reach.methods else self._method_at(call.point)
        if call.deadline_ns is None:
            return await ask(call.request)
        if call.clock is REAL and call.far_side is None:  # then gRPC's own deadline is the true one, and cheaper
            left_s = (call.deadline_ns - REAL.now_ns()) / 1e9
            return await ask(call.request, timeout=max(0.0, left_s) if left_s < FAR_OFF_S else None)
        return await ask(call.request, metadata=(timeout_header(call.deadline_ns - call.clock.now_ns()),))

    def _method_at(self, point: str) -> Unary:
        if point not in self._methods:
            self._methods[point] = unary(self._channel, self._reach.method_at(point))
        return self._methods[point]

    def _is_late(self, call: Call, error: grpc.aio.AioRpcError) -> bool:
        """Whether it was gRPC that ended the call at its deadline, here or over there."""
        if error.code() is not grpc.StatusCode.DEADLINE_EXCEEDED or call.clock is not REAL or call.deadline_ns is None:
            return False
        return call.far_side is None and REAL.now_ns() >= call.deadline_ns - DEADLINE_GRAIN_NS

    async def _failure(self, error: grpc.aio.AioRpcError) -> Outcome:
        code = error.code()
        if code is grpc.StatusCode.UNAVAILABLE:
            await self._hear_of_exit()
        if self._process.exit is not None and code is not grpc.StatusCode.CANCELLED:
            return Crashed(self._process.exit)
        return Failed(code.name, error.details() or "")

    async def _hear_of_exit(self) -> None:
        """Wait for the word that the process has ended, as long as its connection makes that likely.

        UNAVAILABLE is also what a living plugin may answer. Then its connection stays up, which shows only after a
        moment: gRPC ends the calls of a lost connection before it calls the connection lost.
        """
        if self._is_stopping:
            await self._process.ended.wait()
        elif not await self._process.ends_within(SETTLING_S) and not is_connected(self._channel):
            await self._process.ends_within(EXIT_NEWS_S)

    async def _open_relay(self) -> Relay:
        async with self._opening_relay:
            if self._is_stopping:
                raise asyncio.CancelledError  # as if it had come a moment earlier and were ended by the stop
            if self._relay is None:
                relay = Relay(self._forward, self._process.kill)
                await relay.open(self._reach.method, self._process.leave_nothing)
                self._relay = relay
            return self._relay

    async def _drain(self) -> None:
        if not self._stdio.done():
            for _ in range(STDIO_TURNS):
                await asyncio.sleep(0)
        if self._process.has_output:
            await self._process.drain()

    async def _let_exit(self, drain_s: float) -> None:
        self._broker.cancel()
        if self._process.exit is not None:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(drain_s):
                try:
                    await unary(self._channel, SHUTDOWN)(Empty().SerializeToString())
                except grpc.aio.AioRpcError as error:
                    if error.code() is not grpc.StatusCode.UNAVAILABLE:  # which is how a success looks
                        return
                await self._process.ended.wait()

    async def _read_stdio(self) -> None:
        """Take what newer plugins send here instead of to their pipes; unread, it would block them."""
        sources = {StdioData.STDOUT: self._output.source("stdout"), StdioData.STDERR: self._output.source("stderr")}
        stream = self._channel.unary_stream(STREAM_STDIO, None, StdioData.FromString)
        with contextlib.suppress(grpc.aio.AioRpcError):  # older plugins do not serve it
            async for printed in stream(Empty().SerializeToString()):
                if printed.channel in sources:
                    sources[printed.channel](printed.data)

    async def _hold_broker(self) -> None:
        """Keep the stream open on which a plugin may announce further listeners. Nobody dials them."""
        stream = self._channel.stream_stream(START_STREAM, None, None)(None)
        with contextlib.suppress(grpc.aio.AioRpcError):  # a plugin without a broker is a plugin all the same
            async for _ in stream:
                pass

    def _companion(self, work: Coroutine[None, None, None], what: str) -> asyncio.Task[None]:
        return asyncio.create_task(work, name=f"{what} of plugin {self.name}")
