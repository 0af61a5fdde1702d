"""What the bodies of frames say: JSON-RPC as an extension's host reads and writes it (spec 4.3, 4.6). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, TypeAlias

import msgspec

from kernel.values import JSON

UNKNOWN_ERROR: Final = "unknown error"
"""The message of an error that has none."""
MAX_DEPTH: Final = 127
"""Arrays and objects inside of one another that are still read: what the host's own decoder allows."""
MAX_ID: Final = 2**64 - 1
UNSIGNED: Final = re.compile(rb"0|[1-9][0-9]{0,19}")

NO_PARAMS: Final = -32602
"""A missing or wrong parameter, a permission that is not there, a namespace of somebody else, a bad key."""
NO_METHOD: Final = -32601
NO_STORE: Final = -32000


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to a request of ours."""

    id: int
    result: bytes
    """JSON as it was sent; `null` where there was none."""


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An answer that is an error."""

    id: int
    code: str
    """As it was sent, for people: the host makes no use of it. Empty where there was none."""
    message: str


@dataclass(frozen=True, slots=True)
class Request:
    """Something that the extension wants of its host."""

    id: int
    method: str
    params: JSON


@dataclass(frozen=True, slots=True)
class Notification:
    """Something that the extension tells its host."""

    method: str
    params: JSON


@dataclass(frozen=True, slots=True)
class Ignored:
    """JSON, but nothing that anybody waits for."""

    why: str


@dataclass(frozen=True, slots=True)
class NotJson:
    """A body that breaks the stream."""

    reason: str


Message: TypeAlias = Reply | ErrorReply | Request | Notification | Ignored | NotJson


class _Envelope(msgspec.Struct):
    """The members of a message, unread; empty = not there."""

    id: msgspec.Raw = msgspec.Raw()
    method: msgspec.Raw = msgspec.Raw()
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_ENVELOPE: Final = msgspec.json.Decoder(_Envelope)
_ANY: Final = msgspec.json.Decoder()


def read(body: bytes) -> Message:
    """What one body is to the host."""
    try:
        content = _ANY.decode(body)
    except (ValueError, RecursionError) as error:
        return NotJson(f"a body that is not JSON ({_first_line(error)})" if body else "an empty body")
    if _depth_may_exceed(body) and depth(body) > MAX_DEPTH:
        return NotJson(f"a body of more than {MAX_DEPTH} levels")
    if not isinstance(content, dict):
        return Ignored(f"JSON that is no object: {shown(body)}")
    envelope = _ENVELOPE.decode(body)
    number = unsigned(bytes(envelope.id))
    method = content.get("method")
    if isinstance(method, str):
        if not bytes(envelope.id):
            return Notification(method, content.get("params"))
        if number is None:
            return Ignored(f"a request {method!r} whose id is no unsigned integer: {shown(bytes(envelope.id))}")
        return Request(number, method, content.get("params"))
    if number is None:
        what = f"is no unsigned integer: {shown(bytes(envelope.id))}" if bytes(envelope.id) else "is missing"
        return Ignored(f"an answer whose id {what}")
    if "error" in content:
        return _error(number, content["error"])
    return Reply(number, bytes(envelope.result) or b"null")


def request(number: int, method: str, params: bytes) -> bytes:
    """A request of ours, given the JSON of its parameters."""
    return b'{"jsonrpc":"2.0","method":"%b","params":%b,"id":%d}' % (method.encode(), params, number)


def reply(number: int, result: JSON) -> bytes:
    """Our answer to a request of the extension."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "result": result})


def refusal(number: int, code: int, message: str) -> bytes:
    """The same, where we have none."""
    return msgspec.json.encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def unsigned(token: bytes) -> int | None:
    """The number that a JSON token is, if it is an unsigned integer of 64 bits and written as one."""
    if UNSIGNED.fullmatch(token) is None:
        return None
    number = int(token)
    return number if number <= MAX_ID else None


def shown(data: bytes, most: int = 200) -> str:
    """The beginning of something that came over the wire, on one line."""
    text = data.decode("utf-8", "backslashreplace")
    text = text if len(text) <= most else text[:most] + "…"
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def depth(body: bytes) -> int:
    """How many arrays and objects are open at once, at most, in a text that is JSON."""
    deepest = open_now = 0
    for mark in re.finditer(rb'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]', body):
        match mark[0]:
            case b"[" | b"{":
                open_now += 1
                deepest = max(deepest, open_now)
            case b"]" | b"}":
                open_now -= 1
    return deepest


def _depth_may_exceed(body: bytes) -> bool:
    return body.count(b"[") + body.count(b"{") > MAX_DEPTH


def _error(number: int, error: JSON) -> ErrorReply:
    if not isinstance(error, dict):
        return ErrorReply(number, "", UNKNOWN_ERROR)
    code, message = error.get("code"), error.get("message")
    is_code = isinstance(code, int | str) and not isinstance(code, bool)
    return ErrorReply(number, str(code) if is_code else "", message if isinstance(message, str) else UNKNOWN_ERROR)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
