"""Claims about JSON as the host has it: what is read, what is equal, and the exact text of a value."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernel.dialects.hookbus.json_text import MOST_NESTED, checked, compact, decoded, is_same
from kernel.errors import BadInput
from kernel.values import JSON


def written(value: JSON) -> str:
    """The same text, written without a library, from the table of spec 2.3."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + "".join(_escaped(each) for each in value) + '"'
        case int():
            return str(value)
        case float():
            return _float(value)
        case list():
            return "[" + ",".join(written(each) for each in value) + "]"
        case dict():
            keys = sorted(value, key=lambda key: key.encode())
            return "{" + ",".join(f"{written(key)}:{written(value[key])}" for key in keys) + "}"


def _escaped(character: str) -> str:
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return short.get(character) or (f"\\u{ord(character):04x}" if character < " " else character)


def _float(value: float) -> str:
    """The shortest digits that give the number back, laid out as the host's encoder does."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    parts = Decimal(repr(abs(value))).as_tuple()
    digits = "".join(map(str, parts.digits)).lstrip("0")
    assert isinstance(parts.exponent, int)
    exponent = parts.exponent + len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0")
    point = len(digits) + exponent
    if exponent >= 0 and point <= 16:
        return f"{sign}{digits}{'0' * exponent}.0"
    if 0 < point <= 16:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -5 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    head = digits if len(digits) == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{head}e{point - 1}"


texts = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(values)
def test_the_text_is_that_of_the_specification(value: JSON) -> None:
    """Separators, sorted keys, escapes and floats, against a second writer."""
    assert compact(value).decode() == written(value)


@given(st.binary(min_size=8, max_size=8))
def test_floats_are_as_short_as_they_can_be(bits: bytes) -> None:
    """Over all bit patterns, and each comes back as the same number."""
    [value] = struct.unpack("d", bits)
    if math.isfinite(value):
        text = compact(value).decode()
        assert text == _float(value)
        assert float(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1e16, "1e16"),
        (1e15, "1000000000000000.0"),
        (1.5e16, "1.5e16"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e-7, "1e-7"),
        (1e-5, "0.00001"),
        (1e-6, "1e-6"),
        (5e-324, "5e-324"),
        (1e100, "1e100"),
        (100, "100"),
        (2**64 - 1, "18446744073709551615"),
        ('\x00\x1f\x7f\u2028é😀/"\\\n', '"\\u0000\\u001f\x7f\u2028é😀/\\"\\\\\\n"'),
        ({"\uffff": 1, "😀": 2, "a": [], "": {}}, '{"":{},"a":[],"\uffff":1,"😀":2}'),
    ],
)
def test_exact_texts(value: JSON, text: str) -> None:
    """By hand; keys of equal UTF-16 order differ in UTF-8 order."""
    assert compact(value).decode() == text


@given(values)
def test_what_is_written_is_read_back_and_the_same(value: JSON) -> None:
    """Including the kind of each number, and against Python's own reader."""
    back = decoded(compact(value))
    assert is_same(back, value)
    assert json.loads(compact(value)) == value


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b"18446744073709551616", 1.8446744073709552e19),
        (b"[-9223372036854775809]", [-9.223372036854776e18]),
        (b"9223372036854775808", 9223372036854775808),
        (b"-0", -0.0),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b' [1 , "\\ud83d\\ude00"] ', [1, "😀"]),
    ],
)
def test_odd_texts_that_are_read(body: bytes, value: JSON) -> None:
    """Big whole numbers become floats, a negative zero is one, the last of equal keys counts."""
    assert is_same(decoded(body), value)
    assert repr(decoded(body)) == repr(value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"NaN",
        b"Infinity",
        b"1e999",
        b"1" + b"0" * 400,
        b"01",
        b"1.",
        b"[1,]",
        b"'a'",
        b'"\\ud800"',
        b'"\\udc00x"',
        b'"\x01"',
        b'"\xff"',
        b"\xef\xbb\xbf1",
        b"\xff\xfe1\x00",
        b"1 2",
        b"[" * (MOST_NESTED + 1) + b"]" * (MOST_NESTED + 1),
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
    ],
)
def test_what_is_no_json(body: bytes) -> None:
    """An error in words, whatever it is."""
    with pytest.raises(BadInput, match="not JSON"):
        decoded(body)


def test_the_last_level_that_is_read() -> None:
    """One less than what is refused."""
    assert decoded(b"[" * MOST_NESTED + b"]" * MOST_NESTED)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        (1.0, True, False),
        (True, True, True),
        (0.0, -0.0, True),
        (2**64, float(2**64), True),
        (2**64 - 1, float(2**64), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1, 2], [2, 1], False),
        ({"a": None}, {}, False),
        ([[1]], [[1.0]], False),
        ("1", 1, False),
        (None, False, False),
        ("a", "a", True),
        ([], {}, False),
    ],
)
def test_strict_equality(one: JSON, other: JSON, same: bool) -> None:
    """Both ways round."""
    assert is_same(one, other) is same
    assert is_same(other, one) is same


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"a": [1, {"b": float("nan")}]}, r"\$\.a\[1\]\.b: a number that JSON cannot hold"),
        (10**400, "cannot hold"),
        ({"a": "\ud800"}, r"\$\.a: half of a character"),
        ({"\udfff": 1}, "half of a character"),
        ({1: 2}, "1 is no text"),
        ({"a": b"x"}, "bytes is nothing that JSON has"),
    ],
)
def test_what_a_person_wrote_is_checked(value: object, sentence: str) -> None:
    """With the path."""
    with pytest.raises(BadInput, match=sentence):
        checked(value, "$")


def test_too_deep_is_told_and_what_is_checked_is_a_copy() -> None:
    """A list that somebody changes afterwards is theirs."""
    deep: object = 1
    for _ in range(MOST_NESTED + 1):
        deep = [deep]
    with pytest.raises(BadInput, match="nested deeper"):
        checked(deep, "$")
    theirs = {"a": [1, (2,)]}
    ours = checked(theirs, "$")
    theirs["a"].append(3)  # type: ignore[arg-type]
    assert ours == {"a": [1, [2]]}
    assert checked(2**64, "$") == 1.8446744073709552e19
