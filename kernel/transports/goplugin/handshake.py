"""The one line with which a plugin says where it listens. Pure: text in, address or a sentence out.

CORE-VERSION|APP-VERSION|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE[|MULTIPLEXING]
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.errors import HookscopeError

CORE_VERSION: Final = "1"
MAX_HANDSHAKE: Final = 4096
"""Bytes of a handshake line: a socket path and a certificate fit several times over."""
SHOWN: Final = 200  # characters of a strange line that are worth quoting
SHORTEST_CERTIFICATE: Final = 50  # below it, older plugins put other things into the field


class HandshakeError(HookscopeError):
    """The first line of a plugin is not the handshake that its host needs."""


@dataclass(frozen=True, slots=True)
class UnixAddress:
    """A plugin that listens on a unix socket."""

    path: str

    @property
    def target(self) -> str:
        """The address as gRPC writes it."""
        return f"unix:{self.path}"


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A plugin that listens on a loopback port."""

    host: ipaddress.IPv4Address | ipaddress.IPv6Address
    port: int

    @property
    def target(self) -> str:
        """The address as gRPC writes it."""
        return f"ipv4:{self.host}:{self.port}" if self.host.version == 4 else f"ipv6:[{self.host}]:{self.port}"


Address: TypeAlias = UnixAddress | TcpAddress


def parse_handshake(line: str, protocol_version: int) -> Address:
    """Where the plugin listens; raises HandshakeError for a line that its host must refuse."""
    if len(line) > MAX_HANDSHAKE:
        raise HandshakeError(f"its first line is longer than {MAX_HANDSHAKE} bytes, so it cannot be a handshake")
    fields = line.strip().split("|")
    if len(fields) < 4 or not fields[0].isdecimal():
        raise HandshakeError(
            f"it printed {quoted(line)} where the handshake line belongs; "
            "a plugin must not write anything else to stdout before it"
        )
    core, version, network, address = fields[:4]
    if core != CORE_VERSION:
        raise HandshakeError(f"it speaks core protocol {core} of go-plugin, and only {CORE_VERSION} is known")
    if version != str(protocol_version):
        raise HandshakeError(f"it serves protocol version {version[:SHOWN]!r}, and version {protocol_version} is asked")
    protocol = fields[4] if len(fields) > 4 else ""
    if protocol != "grpc":
        spoken = f"{protocol[:SHOWN]!r}" if protocol else "no protocol, which means net/rpc"
        raise HandshakeError(f"its handshake names {spoken}; only 'grpc' can be used")
    if len(fields) > 5 and len(fields[5]) > SHORTEST_CERTIFICATE:
        raise HandshakeError("it insists on TLS, which it was not asked for")
    match network:
        case "unix":
            return _unix(address)
        case "tcp":
            return _tcp(address)
        case _:
            raise HandshakeError(f"its handshake names the network {network[:SHOWN]!r}; 'unix' and 'tcp' are known")


def quoted(line: str) -> str:
    """A line fit for a sentence."""
    return repr(line if len(line) <= SHOWN else line[:SHOWN] + "…")


def _unix(path: str) -> UnixAddress:
    if not path.startswith("/"):
        raise HandshakeError(f"its socket path {path[:SHOWN]!r} is not absolute")
    return UnixAddress(path)


def _tcp(address: str) -> TcpAddress:
    name, _, digits = address.rpartition(":")
    name = name.removeprefix("[").removesuffix("]")
    try:
        host = ipaddress.ip_address("127.0.0.1" if name == "localhost" else name)
    except ValueError:
        raise HandshakeError(f"its address {address[:SHOWN]!r} is not an IP address with a port") from None
    if not digits.isdecimal() or not 0 < int(digits) < 65536:
        raise HandshakeError(f"its address {address[:SHOWN]!r} has no usable port")
    if not host.is_loopback:
        raise HandshakeError(f"it listens on {address[:SHOWN]!r}, which is not a loopback address")
    return TcpAddress(host, int(digits))
