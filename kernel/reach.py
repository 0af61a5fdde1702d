"""How a subscriber is reached: the one word that a dialect and a transport share.

A dialect's configuration writes these values, `kernel/host.py` picks the transport that can open them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class GoPlugin:
    """A hashicorp/go-plugin gRPC program, started without a shell."""

    argv: tuple[str, ...]
    method: str
    """Full path of the unary gRPC method that is called with a request and gives an answer."""
    cookie: tuple[str, str]
    """Name and value of the handshake variable."""
    protocol_version: int = 1
    cwd: str | None = None
    env: tuple[tuple[str, str], ...] = ()
    """Added to the allow-listed environment; values may be secrets and are never shown."""
    start_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class InProcess:
    """A Python callable named `module:attribute`."""

    target: str


Reach: TypeAlias = GoPlugin | InProcess
