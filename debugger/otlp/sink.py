"""Where received spans go, as a seam: a store, a screen, a test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from debugger.otlp.spans import Span


@dataclass(frozen=True, slots=True)
class Batch:
    """What one request brought. Every span in it can be placed: its ids are proper ones."""

    spans: tuple[Span, ...]
    source: str
    """Over what it came, and from whom: `grpc ipv4:127.0.0.1:51234`."""
    size: int
    """Bytes, inflated."""
    wall_ns: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A request, or part of one, that could not be used. Kept to be shown, never passed over."""

    source: str
    wall_ns: int
    size: int
    """Bytes as far as they were read."""
    why: str
    head: bytes = b""
    """How it began."""


class Sink(Protocol):
    """Takes what is received. Called from the thread of the receivers, and must not keep it waiting."""

    def take(self, batch: Batch) -> bool:
        """False = there is no room now, and nothing of it was taken: the sender is told to come again."""
        ...

    def refuse(self, refused: Refused) -> None:
        """Keep what could not be used."""
        ...
