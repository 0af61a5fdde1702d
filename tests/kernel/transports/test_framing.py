"""Frames are cut as the host cuts them (hookbus spec 4.2, 4.6), and never depending on how the bytes arrive."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.transports.framing import MAX_BODY, MAX_LINE, Broken, Closed, Event, Frame, FrameReader, framed

NO_LENGTH = "a header block without Content-Length"
LONG = "a header line longer than 1024 bytes"
NOT_UTF8 = "a header line that is not UTF-8"
IN_HEAD = "the stream ended inside of a header block"


def read(*pieces: bytes) -> list[Event]:
    reader = FrameReader()
    return [event for piece in pieces for event in reader.feed(piece)]


def bodies(events: list[Event]) -> list[bytes | str]:
    """What came out, in short: bodies, and the last word."""
    return [
        event.body if isinstance(event, Frame) else event.reason if isinstance(event, Broken) else "closed"
        for event in events
    ]


def not_a_length(text: str) -> str:
    return f"a Content-Length that is not an unsigned integer: {text!r}"


CASES: list[tuple[bytes, list[bytes | str]]] = [
    (b"", ["closed"]),
    (framed(b"{}"), [b"{}", "closed"]),
    (framed(b"{}") + framed(b"[1]"), [b"{}", b"[1]", "closed"]),
    (b"Content-Length: 2\n\n{}", [b"{}", "closed"]),
    (b"Content-Length: 2\r\n\n{}", [b"{}", "closed"]),
    (b"Content-Length: 2\n\r\n{}", [b"{}", "closed"]),
    (b"CONTENT-LENGTH: 2\r\n\r\n{}", [b"{}", "closed"]),
    (b"content-length:2\r\n\r\n{}", [b"{}", "closed"]),
    (b"  Content-Length \t:  2 \t\r\n\r\n{}", [b"{}", "closed"]),
    (b"Content-Type: x\r\nContent-Length: 2\r\nX: y: z\r\n\r\n{}", [b"{}", "closed"]),
    (b"Content-Length: 5\r\nContent-Length: 2\r\n\r\n{}", [b"{}", "closed"]),
    (b"Content-Length: 4194305\r\nContent-Length: 2\r\n\r\n{}", [b"{}", "closed"]),
    (b"Content-Length: 2\r\ncontent-LENGTH: 0\r\n\r\n" + framed(b"x"), [b"", b"x", "closed"]),
    (b"Content-Length: 0\r\n\r\n", [b"", "closed"]),
    (b"Content-Length: 007\r\n\r\n{ 1:2 }", [b"{ 1:2 }", "closed"]),
    (b"Content-Length: +2\r\n\r\n{}", [b"{}", "closed"]),
    (b"debug: hello\n" + framed(b"{}"), [b"{}", "closed"]),
    (b"hello\n" + framed(b"{}") + b"more\r\n" + framed(b"[]"), [b"{}", b"[]", "closed"]),
    ("grün\n".encode() + framed(b"{}"), [b"{}", "closed"]),
    (framed(b"\r\n\r\n\xff"), [b"\r\n\r\n\xff", "closed"]),
    (framed(b"{}") + b"\n" + framed(b"[]"), [b"{}", NO_LENGTH]),
    (b"\r\n", [NO_LENGTH]),
    (b"\n", [NO_LENGTH]),
    (b"X: y\r\n\r\n{}", [NO_LENGTH]),
    (b"Content-Length: abc\r\n\r\n{}", [not_a_length("abc")]),
    (b"Content-Length: -1\r\n\r\n{}", [not_a_length("-1")]),
    (b"Content-Length:\r\n\r\n{}", [not_a_length("")]),
    (b"Content-Length: 2.0\r\n\r\n{}", [not_a_length("2.0")]),
    (b"Content-Length: 0x2\r\n\r\n{}", [not_a_length("0x2")]),
    (b"Content-Length: 1_0\r\n\r\n{}", [not_a_length("1_0")]),
    (b"Content-Length: 2 2\r\n\r\n{}", [not_a_length("2 2")]),
    (b"Content-Length: +\r\n\r\n{}", [not_a_length("+")]),
    ("Content-Length: ٢\r\n\r\n{}".encode(), [not_a_length("٢")]),
    (b"Content-Length: abc\r\nContent-Length: 2\r\n\r\n{}", [not_a_length("abc")]),
    (b"Content-Length: 18446744073709551616\r\n\r\n", [not_a_length("18446744073709551616")]),
    (
        b"Content-Length: 18446744073709551615\r\n\r\n",
        [f"a Content-Length of 18446744073709551615, and {MAX_BODY} is the most that is read"],
    ),
    (
        b"Content-Length: 4194305\r\n\r\n{}",
        [f"a Content-Length of 4194305, and {MAX_BODY} is the most that is read"],
    ),
    (b"X: \xff\r\n" + framed(b"{}"), [NOT_UTF8]),
    (b"\xff\xfe\n" + framed(b"{}"), [NOT_UTF8]),
    (b"Content-Le", [IN_HEAD]),
    (b"hello\n", [IN_HEAD]),
    (b"Content-Length: 2\r\n", [IN_HEAD]),
    (b"Content-Length: 2\r\n\r", [IN_HEAD]),
    (b"Content-Length: 2\r\n\r\n", ["the stream ended after 0 of the 2 bytes of a body"]),
    (b"Content-Length: 2\r\n\r\n{", ["the stream ended after 1 of the 2 bytes of a body"]),
    (framed(b"{}") + b"C", [b"{}", IN_HEAD]),
]


@pytest.mark.parametrize(("data", "expected"), CASES)
def test_every_rule_in_one_piece_and_in_every_two(data: bytes, expected: list[bytes | str]) -> None:
    """Whole, a byte at a time, and cut at each place."""
    assert bodies(read(data, b"") if data else read(b"")) == expected
    assert bodies(read(*(bytes([byte]) for byte in data), b"")) == expected
    for cut in range(1, len(data)):
        assert bodies(read(data[:cut], data[cut:], b"")) == expected


@pytest.mark.parametrize(("data", "expected"), [case for case in CASES if 0 < len(case[0]) <= 14])
def test_short_streams_in_every_way_there_is(data: bytes, expected: list[bytes | str]) -> None:
    """All ways to cut a stream into pieces."""
    for cuts in itertools.product((False, True), repeat=len(data) - 1):
        pieces, start = [], 0
        for place, is_cut in enumerate(cuts, 1):
            if is_cut:
                pieces.append(data[start:place])
                start = place
        assert bodies(read(*pieces, data[start:], b"")) == expected


BOUNDARIES: list[tuple[bytes, list[bytes | str]]] = [
    (b"x" * MAX_LINE + b"\n" + framed(b"{}"), [b"{}", "closed"]),
    (b"x" * MAX_LINE + b"\r\n" + framed(b"{}"), [b"{}", "closed"]),
    (b"x" * (MAX_LINE + 1) + b"\n" + framed(b"{}"), [LONG]),
    (b"x" * (MAX_LINE + 1) + b"\r\n" + framed(b"{}"), [LONG]),
    (b"x" * MAX_LINE + b"\rx\n" + framed(b"{}"), [LONG]),
    (b"x" * MAX_LINE, [IN_HEAD]),
    (b"x" * MAX_LINE + b"\r", [IN_HEAD]),
    (b"x" * (MAX_LINE + 1), [LONG]),
    (b"\xff" * (MAX_LINE + 1) + b"\n", [LONG]),
]


@pytest.mark.parametrize(("data", "expected"), BOUNDARIES)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 511, 1023, 1024, 1025, 1026, 1027, 4096])
def test_a_line_may_have_1024_bytes_beside_its_end(data: bytes, expected: list[bytes | str], size: int) -> None:
    """One more breaks the stream, wherever the pieces end."""
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    assert bodies(read(*pieces, b"")) == expected


@pytest.mark.parametrize("size", [4096, 65536, 10**7])
def test_the_largest_body_is_read(size: int) -> None:
    """And the one beyond is not, although it never comes."""
    data = framed(b"x" * MAX_BODY)
    (frame,) = read(*(data[start : start + size] for start in range(0, len(data), size)))
    assert isinstance(frame, Frame)
    assert (len(frame.body), frame.size) == (MAX_BODY, len(data))


def test_nothing_is_said_after_the_last_word() -> None:
    """Neither after the end nor after a break."""
    for last in (b"", b"\n"):
        reader = FrameReader()
        assert len(reader.feed(last)) == 1
        assert reader.is_over
        assert reader.feed(framed(b"{}")) == reader.feed(b"") == []


def test_a_broken_stream_holds_nothing() -> None:
    """What was refused is not kept."""
    reader = FrameReader()
    reader.feed(b"Content-Length: 4194305\r\n\r\n" + b"x" * 100_000)
    assert reader.begun < 100


def test_sizes_add_up_to_the_stream() -> None:
    """Each frame takes what stood before it since the last one."""
    stream = b"noise\n" + framed(b"{}") + b"X: y\r\n" + framed(b"[]")
    frames = read(stream)
    assert [frame.size for frame in frames if isinstance(frame, Frame)] == [6 + 23, 6 + 23]


def test_a_clone_goes_on_where_the_reader_stands() -> None:
    """And neither disturbs the other."""
    stream = b"noise\n" + framed(b"{}")
    for cut in range(1, len(stream)):
        reader = FrameReader()
        reader.feed(stream[:cut])
        other = reader.clone()
        assert reader.begun == other.begun == cut
        assert bodies(other.feed(stream[cut:])) == bodies(reader.feed(stream[cut:])) == [b"{}"]


LINES = st.sampled_from(
    [b"Content-Length: 2", b"content-length:0", b"CONTENT-LENGTH : 12", b"X: y", b"", b"noise", b"Content-Length: x",
     b"Content-Length: 99999999", b"\xff", b"x" * 1024, b"x" * 1025, b"\r", b"Content-Length: 3 "]
)  # fmt: skip


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """From the proper to the absurd."""
    parts = []
    for _ in range(draw(st.integers(0, 4))):
        match draw(st.integers(0, 3)):
            case 0 | 1:
                parts.append(framed(draw(st.binary(max_size=12))))
            case 2:
                parts.append(draw(LINES) + draw(st.sampled_from([b"\n", b"\r\n"])))
            case _:
                parts.append(draw(st.binary(max_size=20)))
    return b"".join(parts)


@given(streams(), st.data())
@settings(max_examples=500, deadline=None)
def test_no_stream_depends_on_how_it_arrives(stream: bytes, data: st.DataObject) -> None:
    """Any bytes in any pieces give what they give whole, and end with a word."""
    whole = read(stream, b"") if stream else read(b"")
    pieces, rest = [], stream
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        pieces.append(rest[:size])
        rest = rest[size:]
    assert read(*pieces, b"") == whole
    assert isinstance(whole[-1], Closed | Broken)
    assert all(isinstance(event, Frame) for event in whole[:-1])


@given(st.lists(st.binary(max_size=50), max_size=5))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read(written: list[bytes]) -> None:
    """Our own frames come back as they were."""
    assert bodies(read(b"".join(map(framed, written)), b"") if written else read(b"")) == [*written, "closed"]
