"""A far side of ours: between an extension's stdout and our reader, where the trouble of one call really happens.

The extension's true frame comes in, other bytes go out, later or never. What no trouble was ordered for passes as it
is. From the first order on, everything an extension writes goes through here.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import assert_never

import msgspec

from kernel.clock import sleep
from kernel.far_side import until_deadline_ms
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse, Rewire
from kernel.subscriber import Call
from kernel.transports.framing import Broken, Closed, Frame, FrameReader, framed
from kernel.transports.outside import Outside
from kernel.transports.stdio.messages import NO_STORE, ErrorReply, Reply, read


@dataclass(frozen=True, slots=True)
class Order:
    """What is to happen to one delivery of a call."""

    act: FarSide
    call: Call
    outside: Outside
    kill: Callable[[int], None]

    def pending(self) -> AbstractContextManager[None]:
        """While its answer is waited for: of one that hangs, our clock alone decides how long."""
        return self.outside.waiting() if isinstance(self.act, Hang) else nullcontext()


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes that go out, and what follows them."""

    data: bytes
    order: Order | None = None
    pause_ms: float = 0.0
    closes: bool = False


class Relay:
    """Made when the first trouble is ordered; `reader` stands where the reader behind it stands."""

    def __init__(self, reader: FrameReader, onward: Callable[[bytes], None]) -> None:
        self._reader = reader.clone()
        self._ahead = reader.begun  # bytes of a frame under way that went past before we stood here
        self._onward = onward
        self._held = bytearray()
        self._orders: dict[int, Order] = {}
        self._line: deque[_Piece] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._sending: asyncio.Task[None] | None = None
        self._is_closed = False

    def order(self, number: int, order: Order) -> bool:
        """Take an order for the answer to a request; whether the request is to be sent at all."""
        match order.act:
            case Hang():
                return False
            case Refuse(code, message):
                self._send(_Piece(framed(_error(number, code, message))))
                return False
            case Die(signal=signal):
                order.kill(signal)
                return True
            case Late() | LateBy() | Alter() | Rewire():
                self._orders[number] = order
                return True
            case never:
                assert_never(never)

    def take(self, data: bytes) -> None:
        """What the extension wrote; b"" when it has closed its stdout."""
        self._held += data
        for event in self._reader.feed(data):
            match event:
                case Frame(body, size):
                    raw = bytes(self._held[: size - self._ahead])
                    del self._held[: size - self._ahead]
                    self._ahead = 0
                    self._frame(raw, body)
                case Broken() | Closed():
                    pass  # for the reader behind us to find out
                case never:
                    assert_never(never)
        if self._held and (self._reader.is_over or not data):
            self._send(_Piece(bytes(self._held)))
            self._held.clear()
        if not data:
            self._send(_Piece(b"", closes=True))

    async def close(self) -> None:
        """End whatever is still held up."""
        self._is_closed = True
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _frame(self, raw: bytes, body: bytes) -> None:
        order = None
        match read(body):
            case Reply(number) | ErrorReply(number):
                order = self._orders.pop(number, None)
        if order is None:
            self._send(_Piece(raw))
            return
        match order.act:
            case Late(ms):
                self._spawn(self._hold(order, ms, raw))
            case LateBy(ms):
                self._spawn(self._hold(order, until_deadline_ms(order.call.deadline_ns, order.call.clock) + ms, raw))
            case Alter(rewrite):
                self._send(_Piece(framed(_altered(body, rewrite))))
            case Rewire(rewrite, closes, bite, pause_ms):
                self._rewired(rewrite(raw), order, closes, bite, pause_ms)
            case Hang() | Refuse() | Die():
                raise AssertionError("no order is kept for these")
            case never:
                assert_never(never)

    def _rewired(self, data: bytes, order: Order, closes: bool, bite: int, pause_ms: float) -> None:
        size = bite or max(1, len(data))
        for start in range(0, len(data), size):
            self._send(_Piece(data[start : start + size], order, pause_ms if start + size < len(data) else 0.0))
        if closes:
            self._send(_Piece(b"", closes=True))

    async def _hold(self, order: Order, ms: float, raw: bytes) -> None:
        """Keep one frame back; others may overtake it, for it is this call alone that is to suffer."""
        with order.outside.waiting():
            await sleep(order.call.clock, ms)
        self._send(_Piece(raw))

    def _send(self, piece: _Piece) -> None:
        """Pass something on, behind whatever is still on its way."""
        if self._sending is not None:
            self._line.append(piece)
            return
        self._pass(piece)
        if piece.pause_ms and piece.order is not None:
            self._sending = self._spawn(self._go_on(piece.order, piece.pause_ms))

    async def _go_on(self, order: Order, pause_ms: float) -> None:
        with order.outside.waiting():
            await sleep(order.call.clock, pause_ms)
        while self._line:
            piece = self._line.popleft()
            self._pass(piece)
            if piece.pause_ms and piece.order is not None:
                with piece.order.outside.waiting():
                    await sleep(piece.order.call.clock, piece.pause_ms)
        self._sending = None

    def _pass(self, piece: _Piece) -> None:
        if self._is_closed:
            return
        if piece.data:
            self._onward(piece.data)
        if piece.closes:
            self._is_closed = True
            self._onward(b"")

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name="trouble on the far side")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _error(number: int, code: str, message: str) -> bytes:
    """A refusal as an error reply. JSON-RPC knows numbers only: another code becomes part of the message."""
    is_number = code.removeprefix("-").isdecimal()
    text = message if is_number else f"{code}: {message}" if message else code
    error = {"code": int(code) if is_number else NO_STORE, "message": text}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": error})


def _altered(body: bytes, rewrite: Callable[[bytes], bytes]) -> bytes:
    """The same answer with another result, whatever that is. An error has none and stays as it is."""
    match read(body):
        case Reply(number, result):
            return b'{"jsonrpc":"2.0","id":%d,"result":%b}' % (number, rewrite(result))
        case _:
            return body
