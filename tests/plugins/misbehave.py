"""A program that a host must refuse: it does what its first argument says and never becomes a plugin."""

from __future__ import annotations

import os
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def say(line: str) -> None:
    os.write(1, line.encode() + b"\n")


def stay() -> None:
    time.sleep(3600)


def serve_health(word: str | None) -> None:
    """A server whose health service says a word, or that has none."""
    import grpc
    from grpc_health.v1 import health, health_pb2, health_pb2_grpc

    server = grpc.server(ThreadPoolExecutor(2))
    if word is not None:
        servicer = health.HealthServicer()
        servicer.set("plugin", health_pb2.HealthCheckResponse.ServingStatus.Value(word))
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
    path = f"{sys.argv[2]}/health"
    server.add_insecure_port(f"unix:{path}")
    server.start()
    say(f"1|1|unix|{path}|grpc|")
    stay()


match sys.argv[1]:
    case "exit":
        sys.stderr.write("I have my reasons\n")
        sys.exit(int(sys.argv[2]))
    case "kill itself":
        os.kill(os.getpid(), int(sys.argv[2]))
    case "say nothing":
        sys.stderr.write("thinking\n")
        stay()
    case "close stdout":
        os.close(1)
        stay()
    case "say":
        say(sys.argv[2])
        stay()
    case "say and exit":
        say(sys.argv[2])
        sys.exit(4)
    case "say without end":
        os.write(1, b"x" * 20000)
        stay()
    case "leave a socket":
        path = Path(sys.argv[2])
        socket.socket(socket.AF_UNIX).bind(str(path))
        say(f"1|1|unix|{path}|grpc|")
        stay()
    case "listen and no more":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(sys.argv[2])
        listener.listen()
        say(f"1|1|unix|{sys.argv[2]}|grpc|")
        stay()
    case "say not serving":
        serve_health("NOT_SERVING")
    case "have no health service":
        serve_health(None)
