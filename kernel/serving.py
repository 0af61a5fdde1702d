"""The far side: what a Python program needs to be a go-plugin program. Generic over the methods it serves.

A program that is only a plugin calls `serve` and has no other business. gRPC is imported when it does.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

if TYPE_CHECKING:
    import grpc

CORE_VERSION: Final = 1
HEALTH_SERVICE: Final = "plugin"
START_STREAM: Final = "/plugin.GRPCBroker/StartStream"
SHUTDOWN: Final = "/plugin.GRPCController/Shutdown"
LONGEST_SOCKET_PATH: Final = 103  # bytes; the smallest limit among the systems we run on
LAST_WORDS_S: Final = 0.2
"""How long a method that is still at work when the server stops may take to end before the process does."""

Method: TypeAlias = "Callable[[bytes, grpc.ServicerContext], bytes]"
"""From a request to an answer. An exception becomes the status INTERNAL, a `Refused` the status it names."""


class Refused(Exception):
    """Raised by a method that answers with a gRPC status on purpose."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def serve(
    methods: Mapping[str, Method], *, cookie: tuple[str, str], protocol_version: int = 1, threads: int = 8
) -> None:
    """Be a plugin that serves these methods (by full path) until the host says to shut down; then return.

    Without the cookie in the environment this exits with code 1: then it was not a host that started us.
    """
    _check_cookie(cookie)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the host, which ends us in its own way
    signal.signal(signal.SIGTERM, _end_on_signal)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(line_buffering=True)  # what a method prints is to be seen while it runs
    ending = threading.Event()
    pool = ThreadPoolExecutor(threads, "method")
    work = _Work(methods, ending)
    server = _server(work, pool)
    code: int = 0
    address = _listen(server)
    try:
        server.start()
        sys.stdout.write(f"{CORE_VERSION}|{protocol_version}|{address}|grpc|\n")
        sys.stdout.flush()
        ending.wait()
    except _Terminated as ended:
        code = 128 + ended.number
    finally:
        server.stop(None)
        _remove(address)
        pool.shutdown(wait=False)
    if not work.is_done_within(LAST_WORDS_S):
        _exit_at_once(code)
    if code:
        sys.exit(code)


class _Terminated(BaseException):
    """SIGTERM has come."""

    def __init__(self, number: int) -> None:
        self.number = number


class _Work:
    """The methods and the controller, as handlers that count what is going on."""

    def __init__(self, methods: Mapping[str, Method], ending: threading.Event) -> None:
        self._methods = methods
        self._ending = ending
        self._running = 0
        self._changed = threading.Condition()

    def handler_of(self, path: str) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        """What serves a path; None = nothing does."""
        import grpc

        if path in self._methods:
            method = self._methods[path]
            return grpc.unary_unary_rpc_method_handler(lambda request, context: self._run(method, request, context))
        if path == SHUTDOWN:
            return grpc.unary_unary_rpc_method_handler(self._shut_down)
        if path == START_STREAM:
            return grpc.stream_stream_rpc_method_handler(_hear_out)
        return None

    def is_done_within(self, seconds: float) -> bool:
        """Wait a moment for the methods at work; whether none is left."""
        with self._changed:
            return self._changed.wait_for(lambda: self._running == 0, seconds)

    def _shut_down(self, request: bytes, context: grpc.ServicerContext) -> bytes:
        self._ending.set()
        return b""

    def _run(self, method: Method, request: bytes, context: grpc.ServicerContext) -> bytes:
        with self._changed:
            self._running += 1
        try:
            return _answer(method, request, context)
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()


def _answer(method: Method, request: bytes, context: grpc.ServicerContext) -> bytes:
    import grpc

    try:
        return method(request, context)
    except Refused as refusal:
        context.abort(grpc.StatusCode[refusal.code], refusal.message)
    except Exception as error:
        if context.code() is not None:  # type: ignore[attr-defined]  # the stubs lack it
            raise  # the method aborted the call itself
        traceback.print_exc()
        context.abort(grpc.StatusCode.INTERNAL, str(error) or type(error).__name__)


def _hear_out(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
    """Keep the broker's stream open without ever announcing anything on it."""
    for _ in requests:
        pass
    yield from ()


def _check_cookie(cookie: tuple[str, str]) -> None:
    name, value = cookie
    if os.environ.get(name) != value:
        sys.stderr.write("This program is a plugin: it is not run by hand, but by the program that it extends.\n")
        sys.exit(1)


def _server(work: _Work, pool: ThreadPoolExecutor) -> grpc.Server:
    import grpc
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc

    class Methods(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # generic in the stubs only
        def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
            return work.handler_of(handler_call_details.method)

    server = grpc.server(pool, options=(("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)))
    server.add_generic_rpc_handlers((Methods(),))
    servicer = health.HealthServicer()
    servicer.set(HEALTH_SERVICE, health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    return server


def _listen(server: grpc.Server) -> str:
    """Bind where only our user can connect; returns network and address as the handshake line has them."""
    folder = os.environ.get("TMPDIR") or "/tmp"
    path = os.path.join(folder, f"hookscope-{secrets.token_hex(8)}.sock")
    if os.access(folder, os.W_OK) and len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        # No folder of its own and no tempfile, which tries folders out: killed in between, either would leave litter.
        before = os.umask(0o177)
        try:
            server.add_insecure_port(f"unix:{path}")
        finally:
            os.umask(before)
        return f"unix|{path}"
    return f"tcp|127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"


def _remove(address: str) -> None:
    network, _, path = address.partition("|")
    if network == "unix" and os.path.exists(path):
        os.unlink(path)


def _end_on_signal(number: int, frame: object) -> NoReturn:
    raise _Terminated(number)


def _exit_at_once(code: int) -> NoReturn:
    """End although a method still runs: its thread would keep the interpreter alive."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
