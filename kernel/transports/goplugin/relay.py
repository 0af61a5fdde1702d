"""A far side of ours: a gRPC server between us and a plugin, where the trouble of one call really happens.

The faulted call goes over the wire to the relay, which forwards it to the plugin and hangs, holds, alters, refuses
or kills there. Calls without a fault never pass here.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, assert_never

import grpc
import grpc.aio

from kernel.clock import NS_PER_MS
from kernel.far_side import held_back, no_frames
from kernel.faults import Alter, Die, FarSide, Hang, Late, LateBy, Refuse, Rewire
from kernel.subscriber import Call
from kernel.transports.goplugin.channel import UNLIMITED, Unary, open_channel, unary
from kernel.transports.outside import Outside
from kernel.values import Answered, Failed

ORDER: Final = "hookscope-order"
"""The metadata by which a call finds what is ordered for it. Goes no further than the relay."""
LONGEST_SOCKET_FOLDER: Final = 70  # bytes; with our names behind it, a socket path stays below the usual 104


class Order:
    """What is to happen to one call, and what came of it that the wire cannot tell."""

    def __init__(self, call: Call, act: FarSide, outside: Outside) -> None:
        if isinstance(act, Refuse) and status_code(act.code) is grpc.StatusCode.OK:
            raise ValueError("OK refuses nothing")
        self.call = call
        self.act = act
        self.outside = outside
        self.bug: Exception | None = None
        """Ours, met on the far side; to be raised on this one."""


class Relay:
    """The server and the channel to it. One for each plugin that ever suffers a fault."""

    def __init__(self, forward: Callable[[Call], Awaitable[bytes]], kill: Callable[[int], None]) -> None:
        self._forward = forward
        self._kill = kill
        self._orders: dict[str, Order] = {}
        self._numbers = itertools.count()
        self._server = grpc.aio.server(options=UNLIMITED)
        self._server.add_generic_rpc_handlers((_AnyMethod(self._perform),))
        self._channel: grpc.aio.Channel | None = None

    async def open(self, method: str, leave_nothing: Callable[[str], None]) -> None:
        """Listen on a socket that only our user can reach, and which is removed even if we are killed."""
        folder = os.path.join(_folder_for_sockets(), f"hookscope-{secrets.token_hex(8)}")
        leave_nothing(folder)
        os.mkdir(folder, 0o700)
        path = os.path.join(folder, "relay")
        leave_nothing(path)
        self._server.add_insecure_port(f"unix:{path}")
        await self._server.start()
        self._channel = open_channel(f"unix:{path}")
        self._ask: Unary = unary(self._channel, method)

    async def ask(self, call: Call, act: FarSide, outside: Outside) -> bytes:
        """Send a call to its fate; raises AioRpcError when that is what the far side says."""
        order = Order(call, act, outside)
        key = str(next(self._numbers))
        self._orders[key] = order
        try:
            return await self._ask(call.request, metadata=((ORDER, key),))
        except grpc.aio.AioRpcError:
            if order.bug is not None:
                raise order.bug from None
            raise
        finally:
            del self._orders[key]

    async def close(self) -> None:
        """End every call that is still here."""
        if self._channel is not None:
            await self._channel.close(None)
        await self._server.stop(None)

    async def _perform(self, request: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        key = dict(context.invocation_metadata() or ())[ORDER]
        order = self._orders[str(key)]
        try:
            return await self._act(order, context)
        except grpc.aio.AioRpcError as error:
            return await _refuse(context, error.code(), error.details() or "")
        except grpc.aio.AbortError:
            raise
        except Exception as bug:  # noqa: BLE001  # otherwise the server would log it and say UNKNOWN
            order.bug = bug
            return await _refuse(context, grpc.StatusCode.INTERNAL, "the relay failed")

    async def _act(self, order: Order, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        call = order.call
        match order.act:
            case Hang():
                with order.outside.waiting():
                    await asyncio.get_running_loop().create_future()
                raise AssertionError("nobody ends this but cancellation")
            case Late(ms):
                return await self._hold(order, lambda: ms)
            case LateBy(ms):
                return await self._hold(order, lambda: _ms_left(call) + ms)
            case Die(signal=number):
                self._kill(number)
                return await self._forward(call)
            case Refuse(code, message):
                return await _refuse(context, status_code(code), message)
            case Alter(rewrite):
                return rewrite(await self._forward(call))
            case Rewire():
                raise no_frames("a go-plugin program")
            case never:
                assert_never(never)

    async def _hold(self, order: Order, ms: Callable[[], float]) -> bytes:
        """Ask the plugin, and pass on whatever it says later than it says it."""
        answer: bytes | grpc.aio.AioRpcError
        try:
            answer = await self._forward(order.call)
        except grpc.aio.AioRpcError as error:
            answer = error
        outcome = Answered(answer) if isinstance(answer, bytes) else Failed(answer.code().name, answer.details() or "")
        with order.outside.waiting():
            await held_back(order.call, outcome, ms())
        if isinstance(answer, grpc.aio.AioRpcError):
            raise answer
        return answer


class _AnyMethod(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs only
    """Serves whatever method is called, bytes in and bytes out."""

    def __init__(self, perform: Callable[..., Awaitable[bytes]]) -> None:
        self._handler = grpc.unary_unary_rpc_method_handler(perform)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes]:
        return self._handler


def status_code(name: str) -> grpc.StatusCode:
    """The gRPC status of this name."""
    try:
        return grpc.StatusCode[name]
    except KeyError:
        raise ValueError(f"gRPC has no status {name!r}") from None


async def _refuse(context: grpc.aio.ServicerContext[bytes, bytes], code: grpc.StatusCode, message: str) -> bytes:
    await context.abort(code, message)
    raise AssertionError("abort raises")


def _ms_left(call: Call) -> float:
    return 0.0 if call.deadline_ns is None else (call.deadline_ns - call.clock.now_ns()) / NS_PER_MS


def _folder_for_sockets() -> str:
    # Not tempfile's: it tries a folder out with a file, which a kill at the wrong moment leaves behind.
    usual = os.environ.get("TMPDIR", "")
    is_usable = os.access(usual, os.W_OK) and len(os.fsencode(usual)) <= LONGEST_SOCKET_FOLDER
    return usual if is_usable else "/tmp"
