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
    methods: tuple[tuple[str, str], ...] = ()
    """Points at which it is another method that is called, and which."""

    def method_at(self, point: str) -> str:
        """Full path of the method that is called at a point."""
        return dict(self.methods).get(point, self.method)


Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""JSON, as in `kernel/values.py`, which knows this module and so cannot be asked."""


@dataclass(frozen=True, slots=True)
class StdioExtension:
    """A program that speaks JSON-RPC in Content-Length frames over its own pipes, started without a shell."""

    id: str
    """Under which it is known to its host, and to itself after the handshake."""
    command: str
    """Absolute: as it is; without a slash: looked for in PATH; otherwise inside of `plugin_dir`."""
    args: tuple[str, ...] = ()
    """Those that name something inside of `plugin_dir` become absolute paths."""
    plugin_dir: str = "."
    """Absolute; also its working directory."""
    permissions: frozenset[str] = frozenset()
    """What it was granted."""
    config: tuple[tuple[str, Plain | Secret], ...] = ()
    """What it is told in the handshake, at each start."""
    protocol_version: int = 1
    host_version: str = "0.12.0"
    """What it is told of the version of its host."""
    start_timeout_s: float = 10.0
    """Seconds for the handshake."""


@dataclass(frozen=True, slots=True)
class InProcess:
    """A Python callable named `module:attribute`."""

    target: str


@dataclass(frozen=True, slots=True)
class Callback:
    """A Python callable that may block, and is called in a thread in the manner of its dialect."""

    target: str
    """`module:attribute`, or `/path/to/file.py:attribute`."""
    via: str
    """`module:attribute` of the dialect's function that takes such a callable and a `kernel.subscriber.Call`."""


Reach: TypeAlias = GoPlugin | StdioExtension | InProcess | Callback
