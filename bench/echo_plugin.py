"""A plugin that acknowledges, hands back what it was given, or allows, at every point, without looking at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernel.dialects.pluggable.points import COOKIE, METHOD, PROTOCOL_VERSION
from kernel.serving import serve

if TYPE_CHECKING:
    import grpc

ACKNOWLEDGED = b"\x0a\x00"
ALLOWED = b"\x1a\x02\x08\x01"


def echo(request: bytes, context: grpc.ServicerContext) -> bytes:
    """The answer to a request: field 1 is the payload, the last byte the mode."""
    match request[-1]:
        case 1:
            return ACKNOWLEDGED
        case 2:
            payload = request[:-2]  # with the tag that it has in the answer too
            return b"\x12" + _varint(len(payload)) + payload
        case _:
            return ALLOWED


def _varint(number: int) -> bytes:
    low = bytes([number & 0x7F | (0x80 if number > 0x7F else 0)])
    return low if number <= 0x7F else low + _varint(number >> 7)


if __name__ == "__main__":
    serve({METHOD: echo}, cookie=COOKIE, protocol_version=PROTOCOL_VERSION)
