"""Whatever a program writes to its stdout: frames, a clear word, and no exception; and no other result in other pieces.

`HOOKSCOPE_FUZZ=100` looks a hundred times as long.
"""

from __future__ import annotations

import json
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kernel.reach import StdioExtension
from kernel.transports.framing import MAX_BODY, Broken, Closed, Event, Frame, FrameReader, framed
from kernel.transports.stdio.handshake import Capabilities, Refused, capabilities
from kernel.transports.stdio.messages import ErrorReply, Ignored, Notification, NotJson, Reply, Request, read
from kernel.transports.stdio.notifications import Command, Notifications, stream
from kernel.transports.stdio.relay import Relay
from kernel.transports.stdio.services import Refusal, Services, Store

DEPTH = float(os.environ.get("HOOKSCOPE_FUZZ", "1"))
BITS = (
    b"Content-Length: ", b"content-length:", b"\r\n", b"\n", b"\r", b"\r\n\r\n", b":", b"4194304", b"4194305", b"-1",
    b"+1", b"\xff", b"\x00", b"x" * 1024, b'{"id":1,"result":null}', b'"id"', b'"method"', b'"error"', b"null", b"[",
    b"{", b"1e999", b'{"method":"m"}', b'{"id":"1","result":1}', b"\xef\xbb\xbf", b"\\ud800",
)  # fmt: skip
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.integers(-2, 5) | ANY_JSON,
        "method": st.sampled_from(["memory.append", "config.get", "widget.upsert", "task.log"]) | ANY_JSON,
        "params": ANY_JSON,
        "result": ANY_JSON,
        "error": ANY_JSON,
    },
)


def fuzzed(examples: int) -> settings:
    """So many examples, times the depth that was asked for."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=max(1, int(examples * DEPTH)), deadline=None, suppress_health_check=checks)


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Proper frames around anything, with bits and bytes between and inside of them."""
    data = b""
    for _ in range(draw(st.integers(0, 4))):
        match draw(st.sampled_from(["frame", "message", "bits", "bytes"])):
            case "frame":
                data += framed(draw(st.binary(max_size=30)))
            case "message":
                data += framed(json.dumps(draw(MEMBERS)).encode())
            case "bits":
                data += b"".join(draw(st.lists(st.sampled_from(BITS), max_size=5)))
            case _:
                data += draw(st.binary(max_size=20))
    if data and draw(st.booleans()):
        place = draw(st.integers(0, len(data) - 1))
        data = (
            data[:place] + draw(st.sampled_from(BITS) | st.binary(max_size=2)) + data[place + draw(st.integers(0, 2)) :]
        )
    return data


@st.composite
def in_pieces(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """A stream, and the same in pieces."""
    data = draw(streams())
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    pieces = [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    return data, [piece for piece in pieces if piece]


def events(*pieces: bytes) -> list[Event]:
    reader = FrameReader()
    return [event for piece in (*pieces, b"") for event in reader.feed(piece)]


@given(in_pieces())
@fuzzed(800)
def test_any_stream_is_frames_and_a_last_word(cut: tuple[bytes, list[bytes]]) -> None:
    """The same whole, in pieces, and a byte at a time; sizes account for what was read."""
    data, pieces = cut
    whole = events(*([data] if data else []))
    assert events(*pieces) == whole
    assert events(*(bytes([byte]) for byte in data)) == whole
    *frames, last = whole
    assert isinstance(last, Broken | Closed)
    sizes = [frame.size for frame in frames if isinstance(frame, Frame)]
    assert len(sizes) == len(frames)
    assert sum(sizes) == len(data) if isinstance(last, Closed) else sum(sizes) <= len(data)
    assert all(len(frame.body) <= MAX_BODY for frame in frames if isinstance(frame, Frame))


@given(in_pieces(), st.integers(0, 200))
@fuzzed(300)
def test_a_relay_without_orders_changes_nothing(cut: tuple[bytes, list[bytes]], at: int) -> None:
    """Wherever in the stream it takes over."""
    data, pieces = cut
    reader, seen = FrameReader(), list[Event]()
    at = min(at, len(data))
    if at:
        seen += reader.feed(data[:at])
    relay = Relay(reader, lambda piece: seen.extend(reader.feed(piece)))
    start = 0
    for piece in pieces:
        rest = piece[max(0, at - start) :]
        start += len(piece)
        if rest:
            relay.take(rest)
    relay.take(b"")
    assert seen == events(*([data] if data else []))


@given(MEMBERS | ANY_JSON | st.binary(max_size=40))
@fuzzed(600)
def test_any_body_is_a_message_and_is_served(value: object) -> None:
    """What is asked is answered or refused, what is told is taken, whatever it holds."""
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    may = frozenset({"memory.read", "memory.write", "config.write", "config.subscribe"})
    host, notifications = Services(StdioExtension("ext", "x", permissions=may), Store(), lambda: 0), Notifications()
    notifications.listen(stream, lambda: None)
    notifications.listen(Command("r"), lambda: None)
    match message := read(body):
        case Request():
            assert answer_or_code(host, message)
        case Notification():
            assert notifications.take(message)
        case _:
            assert isinstance(message, Reply | ErrorReply | Ignored | NotJson)


def answer_or_code(host: Services, request: Request) -> bool:
    """Whether a request has either a result that can be written or one of the codes."""
    try:
        return bool(json.dumps(host.answer(request)))
    except Refusal as error:
        return error.code in (-32602, -32601, -32000)


@given(ANY_JSON, ANY_JSON)
@fuzzed(300)
def test_any_reply_to_the_handshake_is_capabilities_or_refused(whole: object, offered: object) -> None:
    """With a sentence."""
    replies = (
        whole,
        {"protocol_version": 1, "capabilities": offered},
        {"protocol_version": 1, "capabilities": {"tools": [offered]}},
        {"protocol_version": 1, "capabilities": {"providers": [offered], "capabilities": offered}},
    )
    for reply in replies:
        body = json.dumps(reply).encode()
        if not isinstance(read(body), NotJson):  # it would not get so far
            assert is_taken_or_refused(body)


def is_taken_or_refused(body: bytes) -> bool:
    """Whether there is either an offer or a sentence."""
    try:
        return isinstance(capabilities(body, StdioExtension("ext", "x")), Capabilities)
    except Refused as refused:
        return bool(str(refused))
