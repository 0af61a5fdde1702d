"""How a subscriber is reached: the one word that a dialect and a transport share.

A dialect's configuration writes these values, `kernel/host.py` picks the transport that can open them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn, TypeAlias


class Secret:
    """Text that nobody sees by accident: no way of printing, formatting or encoding it gives more than `<hidden>`."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The text, for whoever hands it to the process that it is meant for."""
        return self._value

    def __repr__(self) -> str:
        return "<hidden>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __deepcopy__(self, memo: object) -> Secret:
        return self  # immutable; the other way leads through pickling

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written down")


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
    env: tuple[tuple[str, str | Secret], ...] = ()
    """Added to the allow-listed environment."""
    start_timeout_s: float = 60.0


@dataclass(frozen=True, slots=True)
class InProcess:
    """A Python callable named `module:attribute`."""

    target: str


Reach: TypeAlias = GoPlugin | InProcess
