"""What the command line wishes of a listener. Imports nothing, for a first frame does not wait for what listens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
GRPC_PORT: Final = 4317
HTTP_PORT: Final = 4318
MOST_SPANS: Final = 1_000_000
"""Spans that a file keeps, unless another number is wished."""
MOST_BYTES: Final = 64 * 2**20
"""Of a request, after inflating. The collector's own receiver takes 20 MiB over HTTP and 4 MiB over gRPC by default."""


@dataclass(frozen=True, slots=True)
class Request:
    """Where to listen, and what to keep."""

    out: Path | None = None
    """A recording to store everything in: a new one, or one that is there."""
    is_json: bool = False
    host: str = LOOPBACK
    grpc_port: int | None = GRPC_PORT
    """0 for any free one, None for none."""
    http_port: int | None = HTTP_PORT
    most_spans: int = MOST_SPANS
    """0 for no limit."""
    most_bytes: int = MOST_BYTES
    """Of one request."""
