"""JSON that a person wrote: what is refused beyond what is no JSON, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.json_text import decode
from kernel.errors import BadInput

TEXTS = st.text(st.characters(codec="utf-8"))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
HALF = "is half of a surrogate pair, which is no character"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"a": 1, "a": 1}', "f:1:10: $ has the member 'a' twice"),
        ('{"plan": {"turn_id": "x",\n  "turn_id": "y"}}', "f:2:3: $.plan has the member 'turn_id' twice"),
        ('[0, [{"é": {}, "b": [1, 2], "\\u00e9": 0}]]', "f:1:29: $[1][0] has the member 'é' twice"),
        ('{"a": {"b": 1}, "c": {"b": 1}, "a": {}}', "f:1:32: $ has the member 'a' twice"),
        ('{"": 0, "": 0}', "f:1:9: $ has the member '' twice"),
        ('{"plan": {"turn_id": "\\ud800"}}', f"f:1:23: \\ud800 {HALF}"),
        ('["\\ude00"]', f"f:1:3: \\ude00 {HALF}"),
        ('["\\ud83d\\ude00", "\\ud83dx\\ude00"]', f"f:1:19: \\ud83d {HALF}"),
        ('["\\\\ud83d", "\\ud83d\\ud83d\\ude00"]', f"f:1:14: \\ud83d {HALF}"),
        ('{"\\ud83d": 0}', f"f:1:3: \\ud83d {HALF}"),
    ],
)
def test_what_two_readers_would_understand_differently_is_refused(text: str, problem: str) -> None:
    """With the place in the text, counted from 1, and the path of the object."""
    with pytest.raises(BadInput) as refused:
        decode(text.encode(), "f")
    assert str(refused.value) == problem


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"a": ["a", "a", {"a": 1}]}, "b": {"a": 1}}',
        '[{"a": 1}, {"a": 1}]',
        '{"a": "{\\"a\\": 1}", "A": "\\\\ud800"}',
        '["\\ud83d\\ude00"]',
    ],
)
def test_what_looks_alike_and_is_not_is_taken(text: str) -> None:
    """Members of different objects, texts that say the same, whole pairs, escaped backslashes."""
    assert decode(text.encode(), "f") == json.loads(text)


@given(JSON_VALUES, st.booleans())
def test_every_json_is_read_as_it_was_written(view: Any, is_ascii: bool) -> None:
    """However it is escaped."""
    assert decode(json.dumps(view, ensure_ascii=is_ascii).encode(), "f") == view


@given(st.dictionaries(TEXTS, JSON_VALUES, min_size=1, max_size=5), st.data())
def test_a_member_is_never_there_twice(members: dict[str, Any], data: st.DataObject) -> None:
    """Wherever the second one stands, and however it is written."""
    again = data.draw(st.sampled_from(sorted(members)))
    pairs = [*members.items(), (again, None)]
    text = ", ".join(
        f"{json.dumps(key, ensure_ascii=data.draw(st.booleans()))}: {json.dumps(value)}" for key, value in pairs
    )
    with pytest.raises(BadInput, match=" twice"):
        decode(f"[{{{text}}}]".encode(), "f")
