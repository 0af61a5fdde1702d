"""What can go wrong with the frame of an answer, for subscribers that send Content-Length framed JSON-RPC.

Pure: from the frame that the subscriber really sent to the bytes that arrive instead. Whoever reads them finds out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from kernel.errors import BadInput
from kernel.faults import Die, FaultKind, Plan, Rewire, always, milliseconds, text
from kernel.values import JSON

Rewrite: TypeAlias = Callable[[bytes], bytes]

OVERSIZE: Final = 4 * 1024 * 1024 + 1
LONG_LINE: Final = 1025
MOST_DELIVERIES: Final = 2
"""A host hands a request over once, and once again after a failure."""


def framed(body: bytes, length: str | None = None) -> bytes:
    """A frame around a body, perhaps with a length that is not its own."""
    return b"Content-Length: %b\r\n\r\n%b" % ((length or str(len(body))).encode(), body)


def body_of(frame: bytes) -> bytes:
    """The body in a true frame."""
    for blank in (b"\r\n\r\n", b"\n\n", b"\n\r\n"):
        _, found, body = frame.partition(blank)
        if found:
            return body
    return frame


def reworded(change: Callable[[dict[str, JSON]], JSON]) -> Rewrite:
    """The same message with other members, in a frame that fits."""

    def rewrite(frame: bytes) -> bytes:
        message = json.loads(body_of(frame))
        return framed(json.dumps(change(message), ensure_ascii=False, separators=(",", ":")).encode())

    return rewrite


IDS: Final[Mapping[str, Callable[[JSON], JSON]]] = {
    "text": lambda number: str(number),
    "float": lambda number: float(number) if isinstance(number, int) else number,
    "negative": lambda number: -number if isinstance(number, int) else number,
    "null": lambda number: None,
    "true": lambda number: True,
    "unknown": lambda number: 10**9 + number if isinstance(number, int) else number,
}
"""Ids that are not the one of the request, by name."""


def _wrong_id(params: Mapping[str, JSON]) -> Plan:
    kind = text(params, "id")
    if kind != "missing" and kind not in IDS:
        raise BadInput(f"no id {kind!r}; there are {', '.join([*IDS, 'missing'])}")

    def change(message: dict[str, JSON]) -> JSON:
        number = message.pop("id", None)
        return message if kind == "missing" else {**message, "id": IDS[kind](number)}

    return always(Rewire(reworded(change)))


def error_reply(params: Mapping[str, JSON]) -> Plan:
    """The request is handled, and an error is sent in the place of its result; raises BadInput.

    Takes a code, a message and deliveries. No fault of its own: what an error is belongs to a dialect.
    """
    code, message, deliveries = params["code"], text(params, "message"), _deliveries(params)
    if isinstance(code, bool) or not isinstance(code, int):
        raise BadInput(f"code must be a whole number, not {code!r}")
    error: JSON = {"code": code, "message": message}
    return always(
        Rewire(reworded(lambda reply: {"jsonrpc": "2.0", "id": reply.get("id"), "error": error}), deliveries=deliveries)
    )


def _without_result(params: Mapping[str, JSON]) -> Plan:
    return always(Rewire(reworded(lambda reply: {key: reply[key] for key in reply if key not in ("result", "error")})))


def _flat(frame: bytes) -> bytes:
    """The members of the result beside the id, and no result."""

    def change(message: dict[str, JSON]) -> JSON:
        result = message.pop("result", None)
        return {**(result if isinstance(result, dict) else {"value": result}), **message}

    return reworded(change)(frame)


def _result_as(token: bytes) -> Rewrite:
    """A frame whose result is this text, JSON or not."""

    def rewrite(frame: bytes) -> bytes:
        number = json.dumps(json.loads(body_of(frame)).get("id")).encode()
        return framed(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (number, token))

    return rewrite


def _result_twice(frame: bytes) -> bytes:
    """Another result first, then the true one: of two members with one name the later counts."""
    body = body_of(frame).lstrip()
    return framed(b'{"result":{"action":"injected"},' + body[1:])


def _wrong_length(params: Mapping[str, JSON]) -> Plan:
    by = params["by"]
    if isinstance(by, bool) or not isinstance(by, int) or by == 0:
        raise BadInput(f"by must be a number of bytes other than 0, not {by!r}")

    def rewrite(frame: bytes) -> bytes:
        body = body_of(frame)
        return framed(body, str(max(0, len(body) + by)))

    return always(Rewire(rewrite, deliveries=_deliveries(params)))


def _bad_length(params: Mapping[str, JSON]) -> Plan:
    length = text(params, "length")
    if "\n" in length:
        raise BadInput("a length is written on one line")
    return always(
        Rewire(
            lambda frame: b"Content-Length: %b\r\n\r\n%b" % (length.encode(), body_of(frame)),
            deliveries=_deliveries(params),
        )
    )


def _half_frame(params: Mapping[str, JSON]) -> Plan:
    return always(Rewire(lambda frame: frame[: len(frame) // 2], closes=True, deliveries=_deliveries(params)))


def _closes(params: Mapping[str, JSON]) -> Plan:
    return always(Rewire(lambda frame: b"", closes=True, deliveries=_deliveries(params)))


def _noise(params: Mapping[str, JSON]) -> Plan:
    line = text(params, "line")
    if not line:
        raise BadInput("line must not be empty: that is a stray blank line, a fault of its own")
    return _sent(lambda frame: line.encode() + b"\n" + frame)(params)


def _oversize(params: Mapping[str, JSON]) -> Plan:
    size = params["bytes"]
    if isinstance(size, bool) or not isinstance(size, int) or not 0 < size <= 64 * 1024 * 1024:
        raise BadInput(f"bytes must be a number of bytes up to 67108864, not {size!r}")
    return _sent(lambda frame: framed(body_of(frame).ljust(size)))(params)


def _drip(params: Mapping[str, JSON]) -> Plan:
    bite = params["bytes"]
    if isinstance(bite, bool) or not isinstance(bite, int) or bite < 1:
        raise BadInput(f"bytes must be a number of bytes from 1, not {bite!r}")
    return always(Rewire(lambda frame: frame, bite=bite, pause_ms=milliseconds(params, "pause_ms")))


def _keeps_crashing(params: Mapping[str, JSON]) -> Plan:
    number = params["signal"]
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= 64:
        raise BadInput(f"signal must be a signal number, not {number!r}")
    return always(Die(number, deliveries=MOST_DELIVERIES))


def _sent(rewrite: Rewrite) -> Callable[[Mapping[str, JSON]], Plan]:
    """A fault that is just other bytes."""
    return lambda params: always(Rewire(rewrite, deliveries=_deliveries(params)))


def _deliveries(params: Mapping[str, JSON]) -> int:
    deliveries = params.get("deliveries", 1)
    if isinstance(deliveries, bool) or not isinstance(deliveries, int) or not 1 <= deliveries <= MOST_DELIVERIES:
        raise BadInput(f"deliveries must be 1 or {MOST_DELIVERIES}, not {deliveries!r}")
    return deliveries


def _flat_result(params: Mapping[str, JSON]) -> Plan:
    return always(Rewire(_flat))


def _twice(params: Mapping[str, JSON]) -> Plan:
    return always(Rewire(_result_twice))


ONCE: Final[Mapping[str, JSON]] = {"deliveries": 1}

FRAME_FAULTS: tuple[FaultKind, ...] = (
    FaultKind("wrong_length", "announces another length than its answer has", _wrong_length, {"by": -1, **ONCE}),
    FaultKind("bad_length", "announces a length that is no number", _bad_length, {"length": "abc", **ONCE}),
    FaultKind(
        "no_length",
        "sends headers without a length",
        _sent(lambda frame: b"Content-Type: application/json\r\n\r\n" + body_of(frame)),
        ONCE,
    ),
    FaultKind(
        "long_header",
        "sends a header line longer than its host reads",
        _sent(lambda frame: b"X-Padding: ".ljust(LONG_LINE, b"x") + b"\r\n" + frame),
        ONCE,
    ),
    FaultKind(
        "odd_header", "sends a header that is not UTF-8", _sent(lambda frame: b"X-Name: \xff\xfe\r\n" + frame), ONCE
    ),
    FaultKind("blank_line", "prints an empty line before its answer", _sent(lambda frame: b"\n" + frame), ONCE),
    FaultKind("noise", "prints a line before its answer", _noise, {"line": "debug: handling hook", **ONCE}),
    FaultKind(
        "invalid_json",
        "answers with something that is not JSON",
        _sent(lambda frame: framed(body_of(frame)[:-1])),
        ONCE,
    ),
    FaultKind("nan", "answers with a number that JSON does not have", _sent(_result_as(b"NaN")), ONCE),
    FaultKind(
        "two_documents",
        "writes its answer twice into one frame",
        _sent(lambda frame: framed(body_of(frame) * 2)),
        ONCE,
    ),
    FaultKind("not_utf8", "answers with bytes that are not UTF-8", _sent(lambda frame: framed(b'"\xff\xfe"')), ONCE),
    FaultKind("empty_frame", "answers with an empty body", _sent(lambda frame: framed(b"")), ONCE),
    FaultKind("oversize_frame", "answers with more than its host reads", _oversize, {"bytes": OVERSIZE, **ONCE}),
    FaultKind("half_frame", "closes its stdout in the middle of its answer", _half_frame, ONCE),
    FaultKind("closes_stdout", "closes its stdout instead of answering", _closes, ONCE),
    FaultKind("wrong_id", "answers under another id", _wrong_id, {"id": "text"}),
    FaultKind(
        "array_message",
        "answers with an array around its answer",
        lambda params: always(Rewire(lambda frame: framed(b"[%b]" % body_of(frame)))),
    ),
    FaultKind("flat_result", "answers with the members of its result in the place of it", _flat_result),
    FaultKind("duplicate_member", "gives two results, of which the later one is true", _twice),
    FaultKind("no_result", "answers with neither a result nor an error", _without_result),
    FaultKind("duplicate_answer", "answers twice", lambda params: always(Rewire(lambda frame: frame + frame))),
    FaultKind("slow_drip", "answers a few bytes at a time", _drip, {"bytes": 16, "pause_ms": 20}),
    FaultKind("keeps_crashing", "its process is killed each time it is asked", _keeps_crashing, {"signal": 9}),
)
"""What a subscriber can suffer whose answers travel in frames, for a dialect with such subscribers to offer."""
