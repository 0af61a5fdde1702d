"""OTLP over HTTP: what arrives goes to the intake, what it says becomes a status and a body in the sender's encoding.

Only the media types of the protocol are taken. A web page can send none of them to another origin without asking
first, and nobody answers that question here: so no page in a browser can write into a recording.
"""

from __future__ import annotations

import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, assert_never

from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message
from google.rpc.code_pb2 import (  # type: ignore[import-untyped]
    INVALID_ARGUMENT,
    RESOURCE_EXHAUSTED,
    UNAVAILABLE,
    UNIMPLEMENTED,
)
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from debugger.otlp import otlp_json, protobuf
from debugger.otlp.intake import HEAD, Busy, Intake, Taken, Unusable
from debugger.otlp.signals import SIGNALS, Signal
from kernel.errors import BadInput

JSON: Final = "application/json"
PROTOBUF: Final = "application/x-protobuf"
TRACES: Final = "/v1/traces"
RETRY_S: Final = 1
"""When a sender may come again that there was no room for."""
_INFLATED_AT_ONCE: Final = 2**20
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class _Body:
    """A request's body, whole and inflated."""

    content: bytes
    media: str
    source: str


class _Refusal(Exception):
    """The request is answered already: why not with what it wanted."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def application(intake: Intake) -> Starlette:
    """The application of an intake."""

    async def traces(request: Request) -> Response:
        body = await _read(request, intake)
        decode = otlp_json.decoded if body.media == JSON else protobuf.decoded
        match intake.receive(body.content, decode, body.source):
            case Taken(rejected, why):
                answer = ExportTraceServiceResponse()
                if rejected:
                    answer.partial_success.rejected_spans = rejected
                    answer.partial_success.error_message = why
                return _answered(answer, body.media)
            case Unusable(why):
                return _failed(400, INVALID_ARGUMENT, why, body.media)
            case Busy():
                refusal = _failed(503, UNAVAILABLE, "there is no room for more spans now; try again", body.media)
                refusal.headers["Retry-After"] = str(RETRY_S)
                return refusal
            case never:
                assert_never(never)

    def declining(signal: Signal) -> Endpoint:
        async def decline(request: Request) -> Response:
            body = await _read(request, intake)
            count = signal.count_json if body.media == JSON else signal.count_protobuf
            answer: Any = signal.answer()
            try:
                setattr(answer.partial_success, signal.rejected, count(body.content))
            except BadInput as error:
                intake.unusable(body.source, error.message, len(body.content), body.content[:HEAD])
                return _failed(400, INVALID_ARGUMENT, error.message, body.media)
            answer.partial_success.error_message = signal.why
            return _answered(answer, body.media)

        return decline

    endpoints = {TRACES: traces} | {signal.path: declining(signal) for signal in SIGNALS}
    return Starlette(routes=[Route(path, _guarded(endpoint), methods=["POST"]) for path, endpoint in endpoints.items()])


def _guarded(endpoint: Endpoint) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except _Refusal as refusal:
            return refusal.response

    return answer


async def _read(request: Request, intake: Intake) -> _Body:
    """The body of a request that can be read; raises _Refusal, and keeps the others with the reason."""
    client = request.client
    source = f"http {client.host}:{client.port}" if client is not None else "http"
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    coding = request.headers.get("content-encoding", "identity").strip().lower()

    def refuse(status: int, code: int, why: str, size: int, head: bytes = b"") -> _Refusal:
        intake.unusable(source, why, size, head)
        return _Refusal(_failed(status, code, why, media if media in (JSON, PROTOBUF) else JSON))

    if media not in (JSON, PROTOBUF):
        why = f"the content type is {media[:60]!r}; OTLP is sent as {PROTOBUF} or {JSON}"
        raise refuse(415, INVALID_ARGUMENT, why, 0)
    if coding not in ("identity", "gzip"):
        raise refuse(415, UNIMPLEMENTED, f"the content encoding is {coding[:60]!r}; gzip and none are read", 0)
    inflate = _Inflation(intake.limits.body) if coding == "gzip" else None
    content = bytearray()
    try:
        async for piece in request.stream():
            content += piece if inflate is None else inflate.take(piece, len(content))
            if len(content) > intake.limits.body:
                head = bytes(content[:HEAD])
                raise _Refusal(
                    _failed(413, RESOURCE_EXHAUSTED, intake.too_large(source, len(content), head).why, media)
                )
        if inflate is not None and not inflate.is_whole:
            raise refuse(400, INVALID_ARGUMENT, "the gzip stream is cut short", len(content), bytes(content[:HEAD]))
    except zlib.error as error:
        why = f"this is no gzip stream: {error}"
        raise refuse(400, INVALID_ARGUMENT, why, len(content), bytes(content[:HEAD])) from None
    except ClientDisconnect:
        why = "the sender was gone before the request was whole"
        raise refuse(400, INVALID_ARGUMENT, why, len(content), bytes(content[:HEAD])) from None
    return _Body(bytes(content), media, source)


class _Inflation:
    """Inflates a gzip stream, of one member or several, and stops where it gets larger than allowed."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._member = zlib.decompressobj(wbits=31)

    @property
    def is_whole(self) -> bool:
        """Whether the stream may end here. An empty body is no stream."""
        return self._member.eof

    def take(self, piece: bytes, already: int) -> bytes:
        """What a piece comes to; a bit more than the limit, at most. Raises zlib.error."""
        made = bytearray()
        rest = piece
        while rest and already + len(made) <= self._limit:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=31)
            made += self._member.decompress(rest, _INFLATED_AT_ONCE)
            rest = self._member.unused_data if self._member.eof else self._member.unconsumed_tail
        return bytes(made)


def _answered(message: Message, media: str, status: int = 200) -> Response:
    content = MessageToJson(message, indent=None).encode() if media == JSON else message.SerializeToString()
    return Response(content, status, media_type=media)


def _failed(status: int, code: int, why: str, media: str) -> Response:
    return _answered(Status(code=code, message=why), media, status)
