"""A live extension as a subscriber: asked over its pipes, started again and asked again as its host would."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Final

import msgspec

from kernel.clock import NS_PER_MS, REAL, Caller, Clock, Limit, sleep
from kernel.faults import FarSide
from kernel.reach import StdioExtension
from kernel.subscriber import Call
from kernel.transports.outside import Outside
from kernel.transports.processes.output import Output
from kernel.transports.stdio.connection import Connection, LateAnswer, Lost, Numbers
from kernel.transports.stdio.handshake import Capabilities, Refused
from kernel.transports.stdio.messages import ErrorReply, Reply, shown
from kernel.transports.stdio.notifications import Listener, Notifications, Wanted
from kernel.transports.stdio.opening import Door, NotStarted
from kernel.transports.stdio.outcomes import (
    HOOK,
    OTHER_TIMEOUT_MS,
    TIMEOUTS_MS,
    TOOL,
    failure,
    said,
    second_act,
    tool_output,
    why,
)
from kernel.transports.stdio.relay import Order
from kernel.transports.stdio.restarts import MOST, Restarts, State
from kernel.transports.stdio.services import Store
from kernel.transports.stdio.watchdog import Watchdog
from kernel.values import JSON, Answered, Crashed, Delivery, Outcome, TimedOut

NO_SPAWN: Final = "handle_no_spawn"
"""The phase of a call for which no process is started: without one, or with one that fails, it just fails."""
MOST_LATE: Final = 100
"""Late answers that are kept for whoever looks later."""


class StdioSubscriber:
    """One extension, whichever process it has at the moment. Made by `start`, used on one loop, to be stopped there."""

    keeps_deadlines = True

    def __init__(
        self, reach: StdioExtension, output: Output, store: Store, hide: Callable[[str], str] = lambda text: text
    ) -> None:
        self.name = reach.id
        self.capabilities = Capabilities()
        """What it said in its first handshake."""
        self.notifications = Notifications()
        self.late: deque[LateAnswer] = deque(maxlen=MOST_LATE)
        self.restarts = Restarts()
        """How often it was started again."""
        self._output = output
        self._hide = hide
        self._numbers = Numbers()
        self._door = Door(reach, output, store, self._numbers, self.notifications, self._hear_late)
        self._lock = asyncio.Lock()
        self._watchdog = Watchdog()
        """Watches one call; others that wait behind it have timers of their own."""
        self._connection: Connection | None = None
        self._closing: dict[Connection, asyncio.Task[None]] = {}
        self._opening: Connection | None = None
        self._is_stopping = False
        self._exit = "not started"

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that it registered, as `tool.call` takes them."""
        return frozenset(tool.name for tool in self.capabilities.tools)

    @property
    def alive(self) -> bool:
        """Whether it has a process that runs, as far as we have heard."""
        return self._connection is not None and self._connection.process.exit is None

    @property
    def pid(self) -> int | None:
        """The id of its process, also the id of its process group."""
        return None if self._connection is None else self._connection.process.pid

    @property
    def exit(self) -> str | None:
        """How its last process ended, in words; None while one runs."""
        return self._exit if self._connection is None else self._connection.process.exit

    @property
    def state(self) -> State:
        """Its health in its host's words (spec 4.7)."""
        return self.restarts.state(self._connection is not None)

    @property
    def restart_count(self) -> int:
        """How often it was started again, ever."""
        return self.restarts.ever

    @property
    def health(self) -> str:
        """The same in a few words, with what led to it."""
        times = self.restarts.ever
        counted = "" if times == 0 else ", restarted once" if times == 1 else f", restarted {times} times"
        return f"{self.state}{counted}"

    async def answer(self, call: Call) -> Outcome:
        """Have a hook handled: the request is the event, the answer what the extension sent as its result.

        At the point `tool.call` it is a tool that is called: the request then has its name and input.
        """
        return await self._within(TOOL if call.point == TOOL else HOOK, call)

    async def request(self, method: str, params: JSON = None, *, clock: Clock = REAL) -> Outcome:
        """Any other call of the host, within the time that its host grants."""
        return await self._within(
            method, Call(method, msgspec.json.encode(params), None, clock, lambda stream, line: None)
        )

    async def call_tool(self, tool: str, given: JSON, *, clock: Clock = REAL) -> str | Outcome:
        """Have one of its tools run; the outcome where there is no result."""
        outcome = await self.request(TOOL, {"name": tool, "input": given}, clock=clock)
        return tool_output(outcome.body) if isinstance(outcome, Answered) else outcome

    @asynccontextmanager
    async def listening(self, wanted: Wanted) -> AsyncIterator[Listener]:
        """Be told certain notifications until the block ends. Those that are not fetched make the extension wait."""
        listener = self.notifications.listen(wanted, self._read_on)
        try:
            yield listener
        finally:
            self.notifications.unlisten(listener)
            self._read_on()

    async def open(self) -> None:
        """Start it for the first time; raises NotStarted or Refused, and leaves nothing behind then."""
        self._opening = connection = self._door.launched()
        try:
            self.capabilities = await self._door.shake_hands(connection, REAL)
        except Refused:
            await connection.shut_down()
            raise
        except BaseException:
            await connection.close()
            raise
        finally:
            self._opening = None
        self._connection = connection
        if self.capabilities:
            outcome = await self.request("info.get")
            if not isinstance(outcome, Answered):
                self._output.tell("host", f"info.get failed: {why(outcome)}")

    async def stop(self) -> None:
        """Ask it to shut down, wait a little, then kill its whole group. Final; doing it again does nothing."""
        self._is_stopping = True
        self._watchdog.close()
        if (opening := self._opening) is not None:
            opening.end("its host stops it")
        connection, self._connection = self._connection, None
        if connection is not None:
            self._retire(connection, connection.shut_down())
        await asyncio.gather(*self._closing.values())

    async def _within(self, method: str, call: Call) -> Outcome:
        """The call, for as long as its host waits for this method whatever the caller would grant."""
        grant_ms = TIMEOUTS_MS.get(method, OTHER_TIMEOUT_MS)
        end_ns = call.clock.now_ns() + grant_ms * NS_PER_MS
        if call.deadline_ns is not None and call.deadline_ns <= end_ns:
            if call.clock is not REAL or call.far_side is not None:
                return await self._in_turn(method, call)  # the caller's own deadline, which the caller keeps
            if not self._watchdog.is_busy:
                with self._watchdog.until(call.deadline_ns):
                    return await self._in_turn(method, call)
                return TimedOut(grant_ms)
            end_ns = call.deadline_ns
        with Limit(call.clock, end_ns, Caller()):
            return await self._in_turn(method, call)
        return TimedOut(grant_ms)

    async def _in_turn(self, method: str, call: Call) -> Outcome:
        async with self._lock:
            if self._has_output:  # what it printed before belongs to nobody's call
                await self._drain()
            with self._output.during(lambda stream, line: call.printed(stream, self._hide(line))):
                try:
                    return await self._outcome(method, call)
                finally:
                    if self._has_output:
                        await self._drain()

    async def _outcome(self, method: str, call: Call) -> Outcome:
        """Deliver, and once more to a new process if that fails (spec 4.7)."""
        last, pid, ever = self._numbers.last, self.pid, self.restarts.ever
        began_ns = call.clock.elapsed_ns()
        first = await self._delivered(method, call, call.far_side)
        if isinstance(first, Reply):
            self.restarts = self.restarts.answered()
            return Answered(first.result)
        reason = self._hide(said(first))
        if call.phase == NO_SPAWN or self._is_stopping:
            return failure(first, reason, ())
        took_ms = (call.clock.elapsed_ns() - began_ns) / NS_PER_MS
        delivery = Delivery(last + 1, pid=pid, took_ms=took_ms, restart_count=ever)
        deliveries = (delivery,) if self._numbers.last > last else ()
        try:
            attempt = await self._restarted(reason, call.clock)
        except NotStarted as error:
            return Crashed(self._hide(f"{reason}; {error}"), deliveries)
        last = self._numbers.last
        self._output.tell("host", f"delivered again as request {last + 1} to process {self.pid}")
        pid, at_ms = self.pid, (call.clock.elapsed_ns() - began_ns) / NS_PER_MS
        second = await self._delivered(method, call, second_act(call.far_side))
        took_ms = (call.clock.elapsed_ns() - began_ns) / NS_PER_MS - at_ms
        redelivery = Delivery(last + 1, reason, attempt.in_a_row, attempt.delay_ms, pid, at_ms, took_ms, attempt.ever)
        deliveries = (*deliveries, redelivery) if self._numbers.last > last else deliveries
        if isinstance(second, Reply):
            self.restarts = self.restarts.answered()
            return Answered(second.result, deliveries)
        return failure(second, self._hide(f"{reason}; after a restart: {said(second)}"), deliveries)

    async def _delivered(self, method: str, call: Call, act: FarSide | None) -> Reply | ErrorReply | Lost:
        connection = self._connection
        if connection is None:
            return Lost("it is stopped" if self._is_stopping else "it is not running")
        if act is None:
            with call.clock.outside():
                return await connection.ask(method, call.request, late=self._late(call))
        with Outside(call.clock) as outside:
            order = Order(act, call, outside, connection.process.kill)
            return await connection.ask(method, call.request, order, self._late(call))

    def _late(self, call: Call) -> Callable[[Reply | ErrorReply], None] | None:
        """How whoever made a call is told what comes when nobody waits for it any more."""
        tell = call.late
        if tell is None:
            return None
        hide = self._hide
        return lambda answer: tell(
            Answered(answer.result) if isinstance(answer, Reply) else failure(answer, hide(said(answer)), ())
        )

    async def _restarted(self, reason: str, clock: Clock) -> Restarts:
        """Replace the process; raises NotStarted. However it is interrupted, what it began is undone."""
        failed, self._connection = self._connection, None
        self.restarts = attempt = self.restarts.one_more()
        if failed is not None:
            failed.end("its host has ended it")
            self._retire(failed, failed.close())
        if attempt.is_spent:
            raise self._not_started(f"not started again, because {MOST} attempts in a row are the limit")
        self._output.tell("host", f"restart {attempt.in_a_row} of {MOST} after {attempt.delay_ms} ms: {reason}")
        await sleep(clock, attempt.delay_ms)
        with clock.outside():
            await asyncio.gather(*map(asyncio.shield, self._closing.values()))
        if self._is_stopping:
            raise NotStarted("its host stops it")
        self._opening = connection = self._door.launched()
        try:
            await self._door.shake_hands(connection, clock)
        except BaseException as error:
            connection.end("its host has given it up")
            self._retire(connection, connection.close())
            if isinstance(error, Refused | NotStarted):
                raise self._not_started(str(error)) from None
            raise
        finally:
            self._opening = None
        self._connection = connection
        return attempt

    def _not_started(self, reason: str) -> NotStarted:
        self._output.tell("host", reason)
        return NotStarted(reason)

    def _retire(self, connection: Connection, closing: Coroutine[None, None, None]) -> None:
        """See to it that a connection is closed, without waiting for it."""

        async def close() -> None:
            await closing
            self._exit = connection.process.exit or self._exit
            del self._closing[connection]

        self._closing[connection] = asyncio.create_task(close(), name=f"end of extension {self.name}")

    @property
    def _has_output(self) -> bool:
        return self._connection is not None and self._connection.process.has_output

    async def _drain(self) -> None:
        if self._connection is not None:
            await self._connection.process.drain()

    def _read_on(self) -> None:
        if self._connection is not None:
            self._connection.go_on()

    def _hear_late(self, answer: LateAnswer) -> None:
        self.late.append(answer)
        after = f"{answer.late_ms:.0f} ms after its caller had given up"
        said = f"request {answer.id} ({answer.method}) was answered {after}: {shown(answer.body)}"
        if not answer.is_told:
            self._output.tell("host", said)
