"""JSON with places: what is read and refused is what the host's parser reads and refuses."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.dialects.hookbus.manifest.text import MAX_DEPTH, Node, Text, decoded, parse
from kernel.errors import BadInput
from kernel.values import JSON, Place


def tree(text: str) -> Node:
    return parse(Text(text, "f"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" \t\r\n1 ", 1),
        ("-0", -0.0),
        ("1E5", 100000.0),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("-9223372036854775808", -9223372036854775808),
        ("-9223372036854775809", -9223372036854775809.0),
        (r'"\u00e9\ud83d\ude00\/"', "é😀/"),
        ('"\x7f"', "\x7f"),
        ('{"a":1,"b":[{}],"a":2}', {"b": [{}], "a": 2}),
    ],
)
def test_a_value_is_what_the_host_reads(text: str, value: JSON) -> None:
    """Whole numbers of 64 bits, floats otherwise; the last of equal names."""
    found = tree(text).value
    assert (type(found), json.dumps(found)) == (type(value), json.dumps(value))


@pytest.mark.parametrize(
    ("text", "place", "says"),
    [
        ("", "1:1", "ends too early"),
        ("{\n  'a': 1}", "2:3", "a name in quotes or } is expected"),
        ('{"a": 1,\n}', "2:1", "a name in quotes is expected"),
        ('{"a" 1}', "1:6", "a colon"),
        ('{"a": 1 "b": 2}', "1:9", "a comma or }"),
        ("[1,]", "1:4", "a value"),
        ("[1 2]", "1:4", "a comma or ]"),
        ("[1", "1:3", "ends too early"),
        ("{} {}", "1:4", "the text ends before this"),
        ("01", "1:2", "a number goes on"),
        ("+1", "1:1", "a value"),
        (".5", "1:1", "a value"),
        ("1.", "1:2", "a number goes on"),
        ("NaN", "1:1", "a value"),
        ("1e400", "1:1", "too large"),
        ("// x\n1", "1:1", "a value"),
        ('"a\tb"', "1:3", "control character"),
        ('"a\\xb"', "1:3", "no such escape"),
        ('"\\u12g4"', "1:2", "no such escape"),
        ('"\\ud800"', "1:1", "surrogate"),
        ('"\\ude00\\ud83d"', "1:1", "surrogate"),
        ('"abc', "1:5", "ends too early"),
        ("\ufeff{}", "1:1", "a value"),
        ("\x0c{}", "1:1", "a value"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "1:128", "127 brackets"),
    ],
)
def test_a_mistake_has_a_place(text: str, place: str, says: str) -> None:
    """Line and column count from 1, columns in characters."""
    with pytest.raises(BadInput, match=f"^f:{place}: .*{re.escape(says)}"):
        tree(text)


def test_brackets_up_to_the_bound_are_read() -> None:
    """127 within one another, and no further."""
    assert tree("[" * MAX_DEPTH + "]" * MAX_DEPTH).value is not None


def test_bytes_that_are_not_utf_8_are_refused_at_their_place() -> None:
    """The host reads text."""
    with pytest.raises(BadInput, match=r"^f:2:3: byte 0xff is not UTF-8"):
        decoded(b'{\n "\xff"}', "f")
    with pytest.raises(BadInput, match="reads manifests up to"):
        decoded(b" " * (4 << 20) + b"1", "f")


def test_everything_knows_where_it_stands() -> None:
    """Values by their first character, names too; what goes on in the next line counts to the end of its first."""
    root = tree('{\n  "a": [1, "é😀"],\n  "b": {\n    "c": null}}\n')
    items = root.members["a"].value.items
    assert root.members["b"].span.place == Place("f", 3, 3)
    assert [(each.span.place.line, each.span.place.column, each.span.length) for each in items] == [
        (2, 9, 1),
        (2, 12, 4),
    ]
    assert (root.members["b"].value.span.place, root.members["b"].value.span.length) == (Place("f", 3, 8), 1)
    assert root.members["b"].value.members["c"].value.span.place == Place("f", 4, 10)


def test_members_that_do_not_count_are_kept_apart() -> None:
    """For whoever wants to say so."""
    root = tree('{"a": 1, "b": 2, "a": 3}')
    assert [(member.name, member.value.value) for member in root.overwritten] == [("a", 1)]
    assert root.value == {"b": 2, "a": 3}


def test_a_line_is_shown_without_its_end() -> None:
    """Also where lines end as on Windows."""
    text = Text('{\r\n "a": 1\r\n}', "f")
    assert [text.line(number) for number in (1, 2, 3)] == ["{", ' "a": 1', "}"]
    assert parse(text).members["a"].span.place == Place("f", 2, 2)


@given(st.text('{}[]",:\\u0123d89aeE.-+ \n\ttruefalsenull\x01', max_size=16))
@settings(max_examples=1500, deadline=None)
def test_any_text_is_judged_as_by_another_strict_reader(text: str) -> None:
    """msgspec is one; -0 and 64 bits, which it does otherwise, are in the table above."""
    try:
        expected = json.dumps(msgspec.json.decode(text.encode()))
    except (msgspec.MsgspecError, ValueError):
        with pytest.raises(BadInput):
            tree(text)
        return
    if "-0" not in text:
        assert json.dumps(tree(text).value) == expected


NUMBERS = st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=6)
JSONS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(JSONS, st.sampled_from([None, 0, 2]), st.booleans())
@settings(max_examples=300, deadline=None)
def test_what_was_written_is_read_and_found_again(value: JSON, indent: int | None, ascii_only: bool) -> None:
    """The value comes back, and every plain item stands where its span says."""
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    root = tree(text)
    lines = text.split("\n")
    assert repr(root.value).replace("-0.0", "0.0") == repr(value).replace("-0.0", "0.0")
    for node in _plain(root):
        place = node.span.place
        written = lines[place.line - 1][place.column - 1 : place.column - 1 + node.span.length]
        assert json.loads(written) == node.value


def _plain(node: Node) -> list[Node]:
    inner = [*node.items, *(member.value for member in node.members.values())]
    if isinstance(node.value, list | dict):
        return [plain for each in inner for plain in _plain(each)]
    return [node]
