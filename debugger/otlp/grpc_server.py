"""OTLP over gRPC: what arrives goes to the intake, what it says becomes a status."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, assert_never

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from debugger.otlp import protobuf
from debugger.otlp.intake import HEAD, Busy, Intake, Taken, Unusable
from debugger.otlp.signals import SIGNALS, Signal
from kernel.errors import BadInput

TRACES: Final = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
Behaviour = Callable[[bytes, Any, str], Awaitable[bytes]]


class _Methods(grpc.GenericRpcHandler):  # type: ignore[type-arg]  # it cannot be subscripted at run time
    """The methods of the protocol, on bytes: a request that is no message of ours is ours to answer, and to keep.

    They are declared as taking a stream. To a client it makes no difference, but a stream is handed over before it is
    read: so a request that gRPC itself gives up, because it is too large, is seen here too.
    """

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._behaviours: dict[str, Behaviour] = {TRACES: self._traces}
        for signal in SIGNALS:
            self._behaviours[f"/{signal.service}/Export"] = self._declining(signal)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[bytes, bytes] | None:
        behaviour = self._behaviours.get(handler_call_details.method)
        return None if behaviour is None else grpc.stream_unary_rpc_method_handler(self._whole(behaviour))

    def _whole(self, behaviour: Behaviour) -> Callable[[AsyncIterator[bytes], Any], Awaitable[bytes]]:
        async def answer(_: AsyncIterator[bytes], context: Any) -> bytes:
            source = f"grpc {context.peer()}"  # who is gone has no address any more
            body = await context.read()
            if not isinstance(body, bytes):  # EOF: the client is told by gRPC itself, or is gone
                limit = self._intake.limits.body
                self._intake.unusable(source, f"no request came: larger than {limit} bytes, or given up", 0)
                return b""
            return await behaviour(body, context, source)

        return answer

    async def _traces(self, body: bytes, context: Any, source: str) -> bytes:
        match self._intake.receive(body, protobuf.decoded, source):
            case Taken(0):
                return b""
            case Taken(rejected, why):
                response = ExportTraceServiceResponse()
                response.partial_success.rejected_spans = rejected
                response.partial_success.error_message = why
                return response.SerializeToString()
            case Unusable(why):
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, why)
            case Busy():
                await context.abort(grpc.StatusCode.UNAVAILABLE, "there is no room for more spans now; try again")
            case never:
                assert_never(never)
        raise AssertionError("abort does not return")

    def _declining(self, signal: Signal) -> Behaviour:
        async def decline(body: bytes, context: Any, source: str) -> bytes:
            try:
                count = signal.count_protobuf(body)
            except BadInput as error:
                self._intake.unusable(source, error.message, len(body), body[:HEAD])
                await context.abort(grpc.StatusCode.INVALID_ARGUMENT, error.message)
            response: Any = signal.answer()
            setattr(response.partial_success, signal.rejected, count)
            response.partial_success.error_message = signal.why
            answer: bytes = response.SerializeToString()
            return answer

        return decline


async def serve(intake: Intake, host: str, port: int) -> tuple[grpc.aio.Server, int]:
    """A running server and its port. Raises RuntimeError where the port cannot be had."""
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", intake.limits.body),  # before and after inflating
            ("grpc.so_reuseport", 0),  # or a second receiver would share the port, and each would get half
        ]
    )
    server.add_generic_rpc_handlers((_Methods(intake),))
    bound = server.add_insecure_port(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")
    await server.start()
    return server, bound
