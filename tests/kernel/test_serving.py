"""What a Python program needs to be a plugin, seen from the other end of the wire and of its pipes."""

import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from plugin_runs import COOKIE, METHOD, PLUGINS, ROOT

from kernel.serving import SHUTDOWN, START_STREAM


class Served:
    """The obedient plugin, started by hand as a host would."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process = process
        self.folder = folder
        assert process.stdout is not None
        self.line = process.stdout.readline().decode()
        address = self.line.split("|")[3] if self.line else "nowhere"
        self.channel = grpc.insecure_channel(f"unix:{address}")

    def call(self, request: bytes, method: str = METHOD) -> bytes:
        return bytes(self.channel.unary_unary(method)(request, timeout=10))


@contextmanager
def served(cookie: tuple[str, str] = COOKIE, folder: str | None = None) -> Iterator[Served]:
    with TemporaryDirectory(prefix="served-") as usual:
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "TMPDIR": folder or usual,
            cookie[0]: cookie[1],
        }
        command = [sys.executable, str(PLUGINS / "obedient.py")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
            it = Served(process, Path(usual))
            try:
                yield it
            finally:
                it.channel.close()
                process.kill()


def test_the_handshake_line_is_exactly_what_a_host_expects() -> None:
    """Six fields, the last one empty, and a socket that only our user can use."""
    with served() as it:
        (name,) = os.listdir(it.folder)
        assert it.line == f"1|1|unix|{it.folder / name}|grpc|\n"
        mode = os.stat(it.folder / name).st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) & 0o177 == 0


def test_where_a_socket_path_would_be_too_long_it_listens_on_loopback(tmp_path: Path) -> None:
    """A deep temporary folder is no reason not to start."""
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    with served(folder=str(deep)) as it:
        network, address = it.line.split("|")[2:4]
        assert (network, address.rpartition(":")[0]) == ("tcp", "127.0.0.1")
        with socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=5):
            pass


@pytest.mark.parametrize("cookie", [("OTHER", "obey"), (COOKIE[0], "wrong")])
def test_without_the_cookie_it_says_that_it_is_a_plugin_and_exits_with_1(cookie: tuple[str, str]) -> None:
    """Somebody ran it by hand."""
    with served(cookie) as it:
        assert it.process.wait(10) == 1
        assert it.line == ""
        assert it.process.stderr is not None
        assert "not run by hand" in it.process.stderr.read().decode()


def test_its_health_service_says_that_it_serves() -> None:
    """Hosts also use it as a ping."""
    with served() as it:
        answer = health_pb2_grpc.HealthStub(it.channel).Check(health_pb2.HealthCheckRequest(service="plugin"))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


@pytest.mark.parametrize(
    ("request_bytes", "code", "details"),
    [
        (b"raise my fault", grpc.StatusCode.INTERNAL, "my fault"),
        (b"raise ", grpc.StatusCode.INTERNAL, "RuntimeError"),
        (b"status NOT_FOUND", grpc.StatusCode.NOT_FOUND, "as told: NOT_FOUND"),
        (b"abort", grpc.StatusCode.DATA_LOSS, "aborted by hand"),
    ],
)
def test_what_a_method_raises_becomes_a_status(request_bytes: bytes, code: grpc.StatusCode, details: str) -> None:
    """An accident is INTERNAL, a refusal what it says; the service goes on."""
    with served() as it:
        with pytest.raises(grpc.RpcError) as caught:
            it.call(request_bytes)
        assert (caught.value.code(), caught.value.details()) == (code, details)
        assert it.call(b"echo x") == b"x"


def test_only_an_accident_leaves_a_traceback() -> None:
    """A refusal is a normal answer and prints nothing."""
    with served() as it:
        for request in (b"status NOT_FOUND", b"abort", b"raise accident"):
            with pytest.raises(grpc.RpcError):
                it.call(request)
        it.process.kill()
        assert it.process.stderr is not None
        printed = it.process.stderr.read().decode()
        assert printed.count("Traceback") == 1
        assert "RuntimeError: accident" in printed


def test_an_unknown_method_is_unimplemented() -> None:
    """As any gRPC server says."""
    with served() as it:
        with pytest.raises(grpc.RpcError) as caught:
            it.call(b"", "/no.Such/Method")
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_the_brokers_stream_stays_open_until_the_host_closes_it() -> None:
    """A host opens it right after connecting and would take its end for trouble."""
    with served() as it:
        stream = it.channel.stream_stream(START_STREAM)(iter([b""]))
        assert list(stream) == []  # we closed our side, so it closed its own
        assert it.call(b"echo x") == b"x"


@pytest.mark.parametrize("busy", [False, True])
def test_asked_to_shut_down_it_exits_with_0_and_takes_its_socket_with_it(busy: bool) -> None:
    """Even while a method is at work that would never end."""
    with served() as it:
        if busy:
            it.channel.unary_unary(METHOD).future(b"hang")
            assert it.call(b"echo x") == b"x"
        ended = it.channel.unary_unary(SHUTDOWN).future(b"").code()
        assert ended in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)
        assert it.process.wait(10) == 0
        assert os.listdir(it.folder) == []


@pytest.mark.parametrize("busy", [False, True])
def test_terminated_it_takes_its_socket_with_it(busy: bool) -> None:
    """SIGTERM is not a crash."""
    with served() as it:
        if busy:
            it.channel.unary_unary(METHOD).future(b"hang")
            assert it.call(b"echo x") == b"x"
        it.process.terminate()
        assert it.process.wait(10) == 128 + signal.SIGTERM
        assert os.listdir(it.folder) == []


def test_the_interrupt_key_is_left_to_the_host() -> None:
    """The terminal sends it to everybody; a plugin ends when its host says so."""
    with served() as it:
        it.process.send_signal(signal.SIGINT)
        assert it.call(b"echo x") == b"x"


def test_importing_it_does_not_import_grpc() -> None:
    """So that the typed helpers over it can be imported for their own sake."""
    code = "import sys, kernel.serving; sys.exit('grpc' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
