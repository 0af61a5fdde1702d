"""JSON that a person wrote: what is refused beyond what is no JSON, and where."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.json_text import decode, place_in
from kernel.errors import BadInput
from kernel.values import Place

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


DOCUMENT = b"""{
  "turns": [{"says": "a \\"}{[,: b", "calls": []},
            {"cost_usd": -1.5e3, "f\\u00e9": [true, null, {"x" : "y"}]}],
  "e": {}
}
"""


@pytest.mark.parametrize(
    ("path", "member", "line", "column"),
    [
        ("$", "", 1, 1),
        ("$.turns", "", 2, 12),
        ("$.turns[0].says", "", 2, 22),
        ("$.turns[0].calls", "", 2, 46),
        ("$.turns[1]", "", 3, 13),
        ("$.turns[1].cost_usd", "", 3, 26),
        ("$.turns[1].f\u00e9[1]", "", 3, 52),
        ("$.turns[1].f\u00e9[2].x", "", 3, 65),
        ("$.turns[1]", "cost_usd", 3, 14),
        ("$.turns[1].f\u00e9[2]", "x", 3, 59),
        ("$.turns[1]", "nothing", 3, 13),
        ("$.turns[7].says", "", 2, 12),
        ("$.e.a.b[3].c", "", 4, 8),
        ("$.nothing", "", 1, 1),
        ("", "", 1, 1),
        ("anything", "", 1, 1),
    ],
)
def test_a_path_has_a_place(path: str, member: str, line: int, column: int) -> None:
    """A value where it begins, a member where its name does; what is not there where that is which is around it."""
    assert place_in(DOCUMENT, "f", path, member) == Place("f", line, column)


@given(JSON_VALUES)
def test_every_value_has_a_place_of_its_own(value: Any) -> None:
    """Read from there on, the text says that value, at any depth, however it is laid out."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    lines = text.split("\n")

    def check(inner: Any, path: str) -> None:
        place = place_in(text.encode(), "f", path)
        rest = "\n".join([lines[place.line - 1][place.column - 1 :], *lines[place.line :]])
        assert json.JSONDecoder().raw_decode(rest)[0] == inner
        if isinstance(inner, list):
            for index, each in enumerate(inner):
                check(each, f"{path}[{index}]")
        elif isinstance(inner, dict) and not any(mark in "".join(inner) for mark in ".[]"):
            for name, each in inner.items():
                check(each, f"{path}.{name}")

    check(value, "$")
