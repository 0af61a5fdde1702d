"""What a body is to the host (hookbus spec 4.3, 4.6)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.transports.stdio.messages import (
    UNKNOWN_ERROR,
    ErrorReply,
    Ignored,
    Message,
    Notification,
    NotJson,
    Reply,
    Request,
    depth,
    read,
    refusal,
    reply,
    request,
    shown,
    unsigned,
)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"jsonrpc":"2.0","id":7,"result":{"action": "continue"}}', Reply(7, b'{"action": "continue"}')),
        (b'{"id":0,"result":[1, 2]}', Reply(0, b"[1, 2]")),
        (b'{"id":18446744073709551615,"result":1.0}', Reply(2**64 - 1, b"1.0")),
        (b'{"id":7,"result":null}', Reply(7, b"null")),
        (b'{"id":7}', Reply(7, b"null")),
        (b'{"id":7,"method":5,"result":1}', Reply(7, b"1")),
        (b'{"id":7,"id":8,"result":1,"result":2}', Reply(8, b"2")),
        (b' \n{"id":7,"result":"\\u00e9"} \t', Reply(7, b'"\\u00e9"')),
        ('{"id":7,"result":"é"}'.encode(), Reply(7, '"é"'.encode())),
        (b'{"id":7,"error":{"code":-32601,"message":"no"}}', ErrorReply(7, "-32601", "no")),
        (b'{"id":7,"error":{"code":"E1","message":"no","data":1},"result":1}', ErrorReply(7, "E1", "no")),
        (b'{"id":7,"error":{"message":5}}', ErrorReply(7, "", UNKNOWN_ERROR)),
        (b'{"id":7,"error":{"code":true}}', ErrorReply(7, "", UNKNOWN_ERROR)),
        (b'{"id":7,"error":null}', ErrorReply(7, "", UNKNOWN_ERROR)),
        (b'{"id":7,"error":"broken"}', ErrorReply(7, "", UNKNOWN_ERROR)),
        (b'{"id":7,"error":false,"result":1}', ErrorReply(7, "", UNKNOWN_ERROR)),
        (b'{"id":7,"method":"memory.append","params":{"a":1}}', Request(7, "memory.append", {"a": 1})),
        (b'{"id":7,"method":"m","result":1}', Request(7, "m", None)),
        (b'{"method":"task.start","params":{"id":"t"}}', Notification("task.start", {"id": "t"})),
        (b'{"method":"m"}', Notification("m", None)),
    ],
)
def test_what_a_body_means(body: bytes, message: Message) -> None:
    """Results stay in the bytes in which they were sent."""
    assert read(body) == message


@pytest.mark.parametrize(
    "body",
    [
        b"[]", b'[{"id":7,"result":1}]', b'"text"', b"7", b"1.5", b"null", b"true",
        b"{}", b'{"result":1}', b'{"id":"7","result":1}', b'{"id":7.0,"result":1}', b'{"id":7e0,"result":1}',
        b'{"id":-7,"result":1}', b'{"id":-0,"result":1}', b'{"id":null,"result":1}', b'{"id":true,"result":1}',
        b'{"id":[7],"result":1}', b'{"id":18446744073709551616,"result":1}', b'{"id":"7","error":{}}',
        b'{"id":"7","method":"m"}', b'{"id":null,"method":"m"}', b'{"id":-1,"method":"m"}', b'{"id":1.0,"method":"m"}',
    ],
)  # fmt: skip
def test_what_is_dropped(body: bytes) -> None:
    """JSON that is no object, and ids that are no unsigned integers; requests under such ids get no reply."""
    assert isinstance(read(body), Ignored)


@pytest.mark.parametrize(
    "body",
    [
        b"", b" ", b"hello", b"{", b'{"id":7', b"{'id':7}", b'{"id":7,}', b'{"id":07}', b"NaN",
        b'{"id":7,"result":NaN}', b'{"x":"\xed\xa0\x80"}',
        b'{"id":7}{"id":8}', b'{"id":7}x', b'{"id":7,"result":"\xff"}', b'\xef\xbb\xbf{"id":7}',
        b'{"id":7,"result":"\\ud800"}', b'{"id":7,"result":"\\x"}', b'{"id":7,"result":"a\nb"}',
        b'{"id":7,"result":1e999}', b'{"id":7,"result":1.}', b'{"id":7,"\xff":1}',
        b'{"id":7,"result":' + b"[" * 127 + b"]" * 127 + b"}",
        b'{"id":7,"result":' + b'{"a":' * 200 + b"1" + b"}" * 200 + b"}",
        b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000,
    ],
)  # fmt: skip
def test_what_breaks_the_stream(body: bytes) -> None:
    """What is not JSON to the host, wherever it hides."""
    assert isinstance(read(body), NotJson)


def test_levels_are_counted_outside_of_strings() -> None:
    """126 levels around a value are read; brackets in text are no levels."""
    deep = b"[" * 126 + b"]" * 126
    assert read(b'{"id":7,"result":' + deep + b"}") == Reply(7, deep)
    text = b'"' + b'[{\\"' * 1000 + b'"'
    assert read(b'{"id":7,"result":' + text + b"}") == Reply(7, text)
    assert depth(b'{"a":[1,"]]["],"b":[[{}],[]]}') == 4


@pytest.mark.parametrize(
    ("token", "number"),
    [
        (b"0", 0), (b"7", 7), (b"18446744073709551615", 2**64 - 1), (b"18446744073709551616", None), (b"", None),
        (b"-0", None), (b"07", None), (b"1.0", None), (b"1e2", None), (b"true", None), (b'"1"', None), (b"+1", None),
        (b"9" * 30, None),
    ],
)  # fmt: skip
def test_unsigned_integers(token: bytes, number: int | None) -> None:
    """As they are written, and not as what they are worth."""
    assert unsigned(token) == number


def test_our_own_messages() -> None:
    """Requests carry the parameters as they were given; null is a parameter like any other."""
    assert json.loads(request(3, "hook.handle", b'{"kind": "x"}')) == {
        "jsonrpc": "2.0",
        "method": "hook.handle",
        "params": {"kind": "x"},
        "id": 3,
    }
    assert b'"params":{"kind": "x"},' in request(3, "hook.handle", b'{"kind": "x"}')
    assert json.loads(request(4, "shutdown", b"null"))["params"] is None
    assert json.loads(reply(7, {"ok": True})) == {"jsonrpc": "2.0", "id": 7, "result": {"ok": True}}
    assert json.loads(refusal(7, -32602, "no")) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32602, "message": "no"},
    }


def test_what_is_shown_is_one_printable_line() -> None:
    """Whatever it was."""
    assert shown(b"a\nb\x1b[31m\xff\xc2\x9b") == "a\\nb\\x1b[31m\\xff\\x9b"
    assert shown(b"x" * 300) == "x" * 200 + "…"


@given(st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
@settings(max_examples=300, deadline=None)
def test_any_body_is_a_message(body: bytes) -> None:
    """No exception, whatever comes."""
    assert isinstance(read(body), Message.__args__)  # type: ignore[attr-defined]


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5).filter(lambda text: text.isascii()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(JSONS, st.sampled_from([None, 0, 2, "\t"]))
@settings(max_examples=200, deadline=None)
def test_a_result_comes_out_as_it_was_sent(result: object, indent: int | str | None) -> None:
    """Byte by byte, with whatever spaces it was written."""
    text = json.dumps(result, indent=indent).encode()
    assert read(b'{"id": 7, "result":' + text + b', "x": [1]}') == Reply(7, text)
