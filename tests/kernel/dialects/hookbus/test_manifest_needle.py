"""What can never stand in compact JSON is recognised; what can stand there is never called impossible."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernel.dialects.hookbus.json_text import compact
from kernel.dialects.hookbus.manifest.needle import why_never
from kernel.values import JSON


@pytest.mark.parametrize(
    ("needle", "why"),
    [
        ('"command": "ls"', "no space after a colon"),
        ('"a":1, "b":2', "no space after a colon or a comma"),
        ('"b":1,"a":2', "'a' stands before 'b'"),
        ('{"b":1,"a":2}', "'a' stands before 'b'"),
        ('"x":{"b":1,"a":2}', "'a' stands before 'b'"),
        ('"Z":1,"A":2', "'A' stands before 'Z'"),
        ('"é":1,"z":2', "'z' stands before 'é'"),
        ("line one\nline two", "escaped"),
        ("\t", "escaped"),
        ('"a":+1', "cannot follow"),
        ('"a":1E5', "cannot follow"),
        ('"a":1e+5', "cannot follow"),
        ('"a":.5', "cannot follow"),
        ('"a":True', "cannot follow"),
        ('{"a":1,}', "cannot follow"),
        ('":"caf\\u00e9', "cannot follow"),
        ('":"\\u001F', "cannot follow"),
        ('":"\\u000a', "cannot follow"),
        ('":"a\\/b', "cannot follow"),
    ],
)
def test_what_compact_json_never_holds(needle: str, why: str) -> None:
    """Spaces, order of keys, escapes and numbers that its writer does not write."""
    # A backslash may be the second half of one, and a word may be in a string: quotes in the needle make it sure.
    assert why in why_never(needle)


@pytest.mark.parametrize(
    "needle",
    [
        *(
            "",
            "rm -rf",
            "a: b, c",
            '"command":"ls"',
            '"a":1,"b":2',
            "null",
            "[1, 2]",
            ": ",
            "\\n",
            "\\u00e9",
            '\\"x\\"',
        ),
        *("é", '"', "}}", "1e16", "-7", '":"\\u001f', "ue,"),
    ],
)
def test_what_it_may_hold(needle: str) -> None:
    """Inside of a string nearly everything is possible."""
    assert why_never(needle) == ""


TEXTS = st.text(st.characters(codec="utf-8"), max_size=5) | st.text('"\\/\n\t\x1f\x7f {}:,', max_size=5)
NUMBERS = st.integers(-(1 << 63), (1 << 64) - 1) | st.floats(allow_nan=False, allow_infinity=False)
JSONS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(JSONS, st.data())
@settings(max_examples=500, deadline=None)
def test_no_piece_of_any_compact_text_is_called_impossible(value: JSON, data: st.DataObject) -> None:
    """The warning is never wrong."""
    text = compact(value).decode()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert why_never(text[start:end]) == ""
