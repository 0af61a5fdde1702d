"""Where a collector is, and how it is spoken to."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from debugger.otlp.outward import Protocol
from debugger.otlp.wishes import HTTP_PORT
from kernel.errors import BadInput

VARIABLES: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
"""Of the environment, which say how a collector is spoken to; the first that is set counts."""


@dataclass(frozen=True, slots=True)
class Collector:
    """An address that takes OTLP."""

    url: str
    """Without the path that OTLP over HTTP adds."""
    protocol: Protocol


def collector(url: str, environment: Mapping[str, str] = os.environ) -> Collector:
    """What a person means by a URL: OTLP over HTTP on port 4318 or where the environment says so, otherwise gRPC.

    Raises BadInput for what is no such URL.
    """
    fix = "write http://HOST:PORT, such as http://127.0.0.1:4317"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise BadInput(f"{url!r} is no address of a collector: {error}", fix=fix) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadInput(f"{url!r} is no address of a collector", fix=fix)
    protocol = _wished(environment) or (Protocol.HTTP if port == HTTP_PORT else Protocol.GRPC)
    path = parts.path.rstrip("/").removesuffix("/v1/traces")
    if path and protocol is Protocol.GRPC:
        raise BadInput(
            f"{url!r}: OTLP over gRPC has no paths", fix=f"set {VARIABLES[1]}={Protocol.HTTP}, or leave it out"
        )
    return Collector(f"{parts.scheme}://{parts.netloc}{path}", protocol)


def _wished(environment: Mapping[str, str]) -> Protocol | None:
    for name in VARIABLES:
        if text := environment.get(name, ""):
            try:
                return Protocol(text)
            except ValueError:
                known = " or ".join(Protocol)
                raise BadInput(f"{name} is {text!r}, which is not spoken here", fix=f"set it to {known}") from None
    return None
