"""Both receivers, on an event loop of their own in a thread of its own: what others send never shows up in a key press
or in a subscriber's deadline.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Final

from debugger.otlp.intake import Intake
from debugger.otlp.wishes import GRPC_PORT, HTTP_PORT, LOOPBACK
from kernel.errors import BadInput

GRACE_S: Final = 2.0
"""How long requests that are under way may take to end."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Where to listen; a port of 0 is any free one, None is not at all."""

    host: str = LOOPBACK
    grpc_port: int | None = GRPC_PORT
    http_port: int | None = HTTP_PORT


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where one receiver listens."""

    protocol: str
    """As OTEL_EXPORTER_OTLP_PROTOCOL calls it."""
    host: str
    port: int
    is_as_wished: bool
    """False if the port was taken and this is another one."""

    @property
    def url(self) -> str:
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def environment(self) -> str:
        """What a sender needs in its environment, as a line to paste."""
        return f"OTEL_EXPORTER_OTLP_ENDPOINT={self.url} OTEL_EXPORTER_OTLP_PROTOCOL={self.protocol}"


class Receivers:
    """Listens from `start` to `close`."""

    def __init__(self, intake: Intake, wish: Wish | None = None) -> None:
        self._intake = intake
        self._wish = wish or Wish()
        self._endpoints: tuple[Endpoint, ...] = ()
        self._trouble: BaseException | None = None
        self._is_up = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="receivers", daemon=True)

    def start(self) -> tuple[Endpoint, ...]:
        """Listen; raises BadInput where that cannot be."""
        self._thread.start()
        self._is_up.wait()
        if self._trouble is not None:
            self._thread.join()
            raise self._trouble
        return self._endpoints

    def close(self) -> None:
        """Stop, once what is under way has ended or its grace is over; idempotent."""
        if self._loop is not None and self._end is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._end.set)
        if self._thread.ident is not None:
            self._thread.join()

    def __enter__(self) -> Receivers:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # -- on the thread -------------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            asyncio.run(self._listen())
        except BaseException as error:  # noqa: BLE001  # handed to whoever waits in `start`, which raises it
            self._trouble = error
        finally:
            self._is_up.set()

    async def _listen(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        async with AsyncExitStack() as stack:
            found: list[Endpoint] = []
            if self._wish.grpc_port is not None:
                port = await stack.enter_async_context(_grpc(self._intake, self._wish.host, self._wish.grpc_port))
                found.append(_endpoint("grpc", self._wish.host, port, self._wish.grpc_port))
            if self._wish.http_port is not None:
                port = await stack.enter_async_context(_http(self._intake, self._wish.host, self._wish.http_port))
                found.append(_endpoint("http/protobuf", self._wish.host, port, self._wish.http_port))
            self._endpoints = tuple(found)
            self._is_up.set()
            await self._end.wait()


def _endpoint(protocol: str, host: str, port: int, wished: int) -> Endpoint:
    return Endpoint(protocol, host, port, wished in (0, port))


@asynccontextmanager
async def _grpc(intake: Intake, host: str, wished: int) -> AsyncIterator[int]:
    from debugger.otlp.grpc_server import serve

    with bound(host, wished) as probe:  # gRPC would shout about a port that is taken
        port = probe.getsockname()[1]
    try:
        server, port = await serve(intake, host, port)
    except RuntimeError as error:  # taken in between
        raise BadInput(f"cannot listen on {host}:{port}: {error}", fix="try again, or name another port") from error
    try:
        yield port
    finally:
        await server.stop(GRACE_S)


@asynccontextmanager
async def _http(intake: Intake, host: str, wished: int) -> AsyncIterator[int]:
    import uvicorn

    from debugger.otlp.http_server import application

    listening = bound(host, wished)
    settings = uvicorn.Config(
        application(intake),
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        http="h11",
        loop="none",
        server_header=False,
        timeout_graceful_shutdown=round(GRACE_S),
    )
    is_up = asyncio.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            is_up.set()

    server = Server(settings)
    serving = asyncio.create_task(server.serve(sockets=[listening]), name="OTLP over HTTP")
    try:
        await is_up.wait()
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        listening.close()


def bound(host: str, wished: int) -> socket.socket:
    """A socket on a port, or on a free one where that is taken; raises BadInput where there is no such host."""
    try:
        return _bound(host, wished)
    except (OSError, OverflowError) as error:
        if wished == 0:
            raise BadInput(f"cannot listen on {host}: {error}", fix="name an address of this machine") from error
        return bound(host, 0)


def _bound(host: str, port: int) -> socket.socket:
    [(family, kind, protocol, _, address), *_] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
        opened.listen()
    except OSError:
        opened.close()
        raise
    return opened
