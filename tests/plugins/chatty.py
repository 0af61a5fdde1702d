"""A plugin as newer go-plugin versions make them: what it prints goes only to its StreamStdio stream."""

from __future__ import annotations

import os
import queue
import secrets
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from kernel.transports.goplugin.wire.plugin_pb2 import StdioData

printed: queue.Queue[StdioData] = queue.Queue(100)
ending = threading.Event()


def stream_stdio(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
    while True:
        yield printed.get().SerializeToString()


def do(request: bytes, context: grpc.ServicerContext) -> bytes:
    verb, _, argument = request.partition(b" ")
    if verb == b"print":
        printed.put(StdioData(channel=StdioData.STDERR, data=b"err\n"))
        for number in range(int(argument)):  # blocks while nobody reads
            printed.put(StdioData(channel=StdioData.STDOUT, data=b"out %d\n" % number))
    return argument


def shut_down(request: bytes, context: grpc.ServicerContext) -> bytes:
    ending.set()
    return b""


HANDLERS = {
    "/test.Obedient/Do": grpc.unary_unary_rpc_method_handler(do),
    "/plugin.GRPCController/Shutdown": grpc.unary_unary_rpc_method_handler(shut_down),
    "/plugin.GRPCStdio/StreamStdio": grpc.unary_stream_rpc_method_handler(stream_stdio),
}


class Handlers(grpc.GenericRpcHandler):
    def service(self, details: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler | None:
        return HANDLERS.get(details.method)


if __name__ == "__main__":
    server = grpc.server(ThreadPoolExecutor(4))
    servicer = health.HealthServicer()
    servicer.set("plugin", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    server.add_generic_rpc_handlers((Handlers(),))
    path = os.path.join(tempfile.gettempdir(), f"chatty-{secrets.token_hex(4)}")
    server.add_insecure_port(f"unix:{path}")
    server.start()
    print(f"1|1|unix|{path}|grpc|", flush=True)
    ending.wait()
    server.stop(None)
    os._exit(0)
