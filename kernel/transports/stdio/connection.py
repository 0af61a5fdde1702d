"""One process of an extension and the conversation with it: requests out, replies in, its own requests served.

Knows nothing of restarts: once it is lost, every request that waits and every later one is told why.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Final, assert_never

import msgspec

from kernel.clock import NS_PER_MS, REAL
from kernel.transports.framing import Broken, Closed, Event, Frame, FrameReader, framed
from kernel.transports.processes.output import Output, Source
from kernel.transports.processes.pipes import Feed
from kernel.transports.processes.process import Process
from kernel.transports.processes.refusals import ended
from kernel.transports.stdio.messages import (
    ErrorReply,
    Ignored,
    Message,
    Notification,
    NotJson,
    Reply,
    Request,
    read,
    refusal,
    reply,
    request,
    shown,
)
from kernel.transports.stdio.notifications import Notifications
from kernel.transports.stdio.relay import Order, Relay
from kernel.transports.stdio.services import Refusal, Services

MOST_REPLIES: Final = 64
"""Answers of ours that may wait for an extension to read them. With more, nothing of it is read either."""
MOST_GIVEN_UP: Final = 1000
"""Requests that are remembered after whoever made them has given up, to know a late answer by."""
EXIT_NEWS_S: Final = 0.2
"""How long the end of stdout may wait for the word that the process has ended, which comes another way."""
STDERR_BYTES: Final = 131_072
"""Of one process that are told; beyond, they are counted."""
SHUTDOWN_S: Final = 0.5
"""For an answer to `shutdown`, and again for the process to end after it."""


@dataclass(frozen=True, slots=True)
class Lost:
    """No answer, and no more conversation."""

    reason: str
    may_be_exit: bool = False
    """Whether the end of its process may be behind it, which is the better reason."""


@dataclass(frozen=True, slots=True)
class LateAnswer:
    """An answer that came when nobody waited for it any more."""

    id: int
    method: str
    late_ms: float
    """After whoever had asked gave up, in real time."""
    body: bytes
    """The result, or the message of the error."""
    is_told: bool = False
    """Whether whoever had asked was told what it is."""


@dataclass(slots=True)
class _Waiting:
    """A request without an answer."""

    method: str
    answer: asyncio.Future[Reply | ErrorReply | Lost] | None
    """None once whoever waited has given up."""
    late: Callable[[Reply | ErrorReply], None] | None = None
    """To be told its answer if that comes later; None where only its line in the output is wanted."""
    given_up_ns: int = 0


@dataclass(slots=True)
class Numbers:
    """Counts requests from 1, over all processes of one extension."""

    last: int = 0

    def next(self) -> int:
        self.last += 1
        return self.last


@dataclass(slots=True, eq=False)
class Connection:
    """Made around a process that was just launched; to be closed."""

    process: Process
    output: Output
    numbers: Numbers
    services: Services
    notifications: Notifications
    hear_late: Callable[[LateAnswer], None]
    lost: Lost | None = None
    _reader: FrameReader = field(default_factory=FrameReader)
    _waiting: dict[int, _Waiting] = field(default_factory=dict)
    _put_off: deque[Event] = field(default_factory=deque)
    """Events behind one that somebody has no room for."""
    _relay: Relay | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _is_catching_up: bool = False
    _errors: Source = field(init=False)
    _feed: Feed = field(init=False)

    def __post_init__(self) -> None:
        self._errors = self.output.source("stderr", STDERR_BYTES)
        self._feed = self.process.feed(
            lambda error: self._lose(f"its stdin cannot be written to: {error.strerror}", may_be_exit=True)
        )
        self.process.listen(
            stdout=self._take, stderr=self._errors, at_stdout_end=lambda: self._take(b""), stdout_bite=65536
        )

    async def ask(
        self,
        method: str,
        params: bytes,
        order: Order | None = None,
        late: Callable[[Reply | ErrorReply], None] | None = None,
    ) -> Reply | ErrorReply | Lost:
        """Make one request and wait for its answer. Given up by cancellation, it stays where it was written, and `late`
        is told what is answered after all.
        """
        await self._feed.room()
        if self.lost is not None:
            return await self._explained(self.lost)
        number = self.numbers.next()
        given: asyncio.Future[Reply | ErrorReply | Lost] = asyncio.get_running_loop().create_future()
        waiting = self._waiting[number] = _Waiting(method, given, late)
        is_sent = order is None or self._relayed(number, order)
        try:
            if is_sent:
                self._feed.put(framed(request(number, method, params)))
            if order is None:
                answer = await given
            else:
                with order.pending():
                    answer = await given
        except asyncio.CancelledError:
            self._give_up(waiting)
            raise
        return await self._explained(answer) if isinstance(answer, Lost) else answer

    async def shut_down(self) -> None:
        """Ask it to end, grant it what its host grants, and close."""
        try:
            if self.lost is None and self.process.exit is None:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SHUTDOWN_S):
                        await self.ask("shutdown", b"null")
                await self.process.ends_within(SHUTDOWN_S)
        finally:
            await self.close()

    def end(self, reason: str) -> None:
        """Have it killed, at once and without waiting."""
        self._lose(reason)
        self.process.end()

    async def close(self) -> None:
        """Kill what is left of it, and wait until nothing is. Once."""
        self.end("its host has ended it")
        if self._relay is not None:
            await self._relay.close()
        await self.process.finish()
        self.output.forget(self._errors)
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def go_on(self) -> None:
        """Read on, if everybody who had no room has some."""
        if self._is_catching_up:
            return
        self._is_catching_up = True  # taking one out may call us again
        try:
            while self._put_off and self._event(self._put_off[0]):
                self._put_off.popleft()
        finally:
            self._is_catching_up = False
        if not self._put_off and self.lost is None:
            self.process.stdout.resume()

    def _relayed(self, number: int, order: Order) -> bool:
        if self._relay is None:
            self._relay = Relay(self._reader, self._read)
        return self._relay.order(number, order)

    def _take(self, data: bytes) -> None:
        if self._relay is None:
            self._read(data)
        else:
            self._relay.take(data)

    def _read(self, data: bytes) -> None:
        for event in self._reader.feed(data):
            if self._put_off or not self._event(event):
                self._put_off.append(event)
                self.process.stdout.pause()

    def _event(self, event: Event) -> bool:
        """What one event means; False if it has to wait."""
        match event:
            case Frame(body, strays=strays):
                self._tell_strays(strays)
                return self.lost is not None or self._message(read(body))
            case Broken(reason, strays):
                self._tell_strays(strays)
                self._lose(f"it broke the protocol with {reason}")
            case Closed():
                self._lose("it closed its stdout", may_be_exit=True)
            case never:
                assert_never(never)
        return True

    def _tell_strays(self, lines: tuple[str, ...]) -> None:
        """What it prints between frames, its host reads over; whoever wrote it wants to know where it went."""
        for line in lines:
            self.output.tell("stdout", line)

    def _message(self, message: Message) -> bool:
        match message:
            case Reply(number) | ErrorReply(number):
                self._answered(number, message)
            case Request():
                return self._serve(message)
            case Notification():
                if not self.notifications.take(message):
                    return False
                self.output.tell("host", f"heard {message.method}: {shown(msgspec.json.encode(message.params))}")
            case Ignored(why):
                self.output.tell("host", f"dropped {why}")
            case NotJson(reason):
                self._lose(f"it broke the protocol with {reason}")
            case never:
                assert_never(never)
        return True

    def _answered(self, number: int, answer: Reply | ErrorReply) -> None:
        waiting = self._waiting.pop(number, None)
        if waiting is None:
            what = "was answered already" if 0 < number <= self.numbers.last else "was never made"
            self.output.tell("host", f"dropped an answer to request {number}, which {what}")
        elif waiting.answer is None:
            late_ms = (REAL.now_ns() - waiting.given_up_ns) / NS_PER_MS
            body = answer.result if isinstance(answer, Reply) else answer.message.encode()
            self.hear_late(LateAnswer(number, waiting.method, late_ms, body, is_told=waiting.late is not None))
            if waiting.late is not None:
                waiting.late(answer)
        elif not waiting.answer.done():
            waiting.answer.set_result(answer)

    def _serve(self, wanted: Request) -> bool:
        if self._feed.waiting >= MOST_REPLIES:
            self._spawn(self._wait_for_reader())
            return False
        try:
            result = self.services.answer(wanted)
        except Refusal as error:
            self.output.tell("host", f"refused {wanted.method} (its request {wanted.id}): {error.code} {error.message}")
            self._feed.put(framed(refusal(wanted.id, error.code, error.message)))
        else:
            self.output.tell("host", f"served {wanted.method} (its request {wanted.id})")
            self._feed.put(framed(reply(wanted.id, result)))
        return True

    async def _wait_for_reader(self) -> None:
        await self._feed.room()
        self.go_on()

    async def _explained(self, lost: Lost) -> Lost:
        """The same, with how the process ended if it did."""
        if lost.may_be_exit and await self.process.ends_within(EXIT_NEWS_S):
            return Lost(f"it {ended(self.process.exit)}")
        return lost

    def _give_up(self, waiting: _Waiting) -> None:
        waiting.answer = None
        waiting.given_up_ns = REAL.now_ns()
        given_up = [number for number, each in self._waiting.items() if each.answer is None]
        for number in given_up[:-MOST_GIVEN_UP]:
            del self._waiting[number]

    def _lose(self, reason: str, *, may_be_exit: bool = False) -> None:
        """The end of the conversation; the first reason counts."""
        if self.lost is not None:
            return
        self.lost = lost = Lost(reason, may_be_exit)
        self.process.stdout.pause()
        for waiting in self._waiting.values():
            if waiting.answer is not None and not waiting.answer.done():
                waiting.answer.set_result(lost)
        self._waiting.clear()
        self.notifications.drop_listeners()

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, name="waiting for an extension to read")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
