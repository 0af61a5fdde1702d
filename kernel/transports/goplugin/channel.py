"""gRPC channels as a plugin's host opens them, and the names of what every plugin serves beside its own service."""

from __future__ import annotations

from typing import Final, TypeAlias

import grpc
import grpc.aio

STREAM_STDIO: Final = "/plugin.GRPCStdio/StreamStdio"
START_STREAM: Final = "/plugin.GRPCBroker/StartStream"
SHUTDOWN: Final = "/plugin.GRPCController/Shutdown"
HEALTH_CHECK: Final = "/grpc.health.v1.Health/Check"
HEALTH_SERVICE: Final = "plugin"

UNLIMITED: Final = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
HOST_OPTIONS: Final = (
    *UNLIMITED,
    ("grpc.enable_http_proxy", 0),  # a loopback address is never meant for the proxy of the environment
    ("grpc.enable_retries", 0),  # a plugin that died is news, not an obstacle
    ("grpc.client_idle_timeout_ms", 2**31 - 1),  # never idle: a lost connection means something
    ("grpc.use_local_subchannel_pool", 1),  # nothing is shared with an earlier process at the same address
)

Unary: TypeAlias = "grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]"


def open_channel(target: str) -> grpc.aio.Channel:
    """A channel that connects when first used."""
    return grpc.aio.insecure_channel(target, options=HOST_OPTIONS)


def unary(channel: grpc.aio.Channel, method: str) -> Unary:
    """A method of the far side, bytes in and bytes out."""
    return channel.unary_unary(method, None, None)


def is_connected(channel: grpc.aio.Channel) -> bool:
    """Whether the far side still holds its end. If so, a status that just came was its own and not gRPC's guess."""
    return channel.get_state() is grpc.ChannelConnectivity.READY
