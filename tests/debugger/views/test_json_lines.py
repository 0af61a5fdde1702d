"""A JSON value as lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.views.json_lines import Spot, count_rows, json_lines, preview, rows
from debugger.views.text import Emphasis, Kind, plain

JSON = Any

payloads = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet="a\n\x1b\u2028é", max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)


def text(value: JSON, **options: Any) -> list[str]:
    """The lines without their marks."""
    return [line.text for line in json_lines(value, **options)]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (None, ["null"]),
        ([], ["[]"]),
        ({"a": 1, "b": [True, {}]}, ["{", '  "a": 1', '  "b": [', "    true", "    {}", "  ]", "}"]),
        ({"t": "one\ntwo\n"}, ["{", '  "t": "one↵', "    two↵", '    "', "}"]),
        ({"\x1b]0;": "\x1b[31m"}, ["{", '  "␛]0;": "␛[31m"', "}"]),
        (1.0, ["1.0"]),
        (10**4000, [str(10**4000)[:2000]]),
    ],
)
def test_a_value_reads_like_indented_json(value: JSON, lines: list[str]) -> None:
    """One line for each value, text with line ends on several lines, nothing from outside raw."""
    shown = text(value)
    assert [line[:2000] for line in shown] == lines or shown[0].startswith("0x")


def test_each_type_has_its_emphasis() -> None:
    """Keys, strings, numbers and constants can be told apart."""
    lines = json_lines({"k": "s", "n": 1, "c": None})
    found = [[segment.emphasis for segment in line.segments if segment.text.strip(' ":')] for line in lines[1:-1]]
    assert found == [
        [Emphasis.KEY, Emphasis.STRING],
        [Emphasis.KEY, Emphasis.NUMBER],
        [Emphasis.KEY, Emphasis.CONSTANT],
    ]


def test_each_line_knows_its_path_and_number() -> None:
    """So that a gutter can say who wrote it, and a selection can jump."""
    lines = json_lines({"m": ["x", {"y": 1}]})
    assert [(line.right_no, line.path) for line in lines] == [
        (1, ()),
        (2, ("m",)),
        (3, ("m", 0)),
        (4, ("m", 1)),
        (5, ("m", 1, "y")),
        (6, ("m", 1)),
        (7, ("m",)),
        (8, ()),
    ]


def test_what_is_long_is_folded_until_it_is_opened() -> None:
    """Containers and texts above the limit take one line; opening one changes no number below it."""
    value = {"m": [1, 2, 3], "t": "a\nb\nc\nd\ne", "end": 0}
    folded = json_lines(value, fold_over=4)
    assert [line.text for line in folded] == ["{", '  "m": [… 3 items]', '  "t": "a↵… 4 more lines"', '  "end": 0', "}"]
    assert [line.kind for line in folded] == [Kind.SAME, Kind.FOLD, Kind.FOLD, Kind.SAME, Kind.SAME]
    opened = json_lines(value, fold_over=4, unfolded={("m",)})
    assert [line.text for line in opened][1:6] == ['  "m": [', "    1", "    2", "    3", "  ]"]
    assert folded[-1].right_no == opened[-1].right_no == len(json_lines(value)) == 13


@given(payloads)
def test_rows_can_be_counted_and_read_from_either_end(value: JSON) -> None:
    """Counting draws nothing and agrees with drawing; the last rows come as cheaply as the first."""
    forwards = list(rows(value, Spot()))
    assert len(forwards) == count_rows(value)
    backwards = list(rows(value, Spot(), backwards=True))
    assert backwards[::-1] == forwards or "\n" in json.dumps(value)


@given(payloads)
def test_nothing_shown_is_raw(value: JSON) -> None:
    """Every line is printable."""
    assert all(line.text.isprintable() for line in json_lines(value))


def test_a_long_line_is_cut_and_says_so() -> None:
    """A line is kept to what can be drawn, however long the text."""
    (line,) = json_lines("x" * 1_000_000)
    assert line.text.endswith('… 998,000 more characters"')
    assert len(line.text) < 2_100


def test_depth_is_told_as_a_number_once_it_cannot_be_shown() -> None:
    """A thousand levels are drawn without recursion and without a thousand indents."""
    value: JSON = 1
    for _ in range(1500):
        value = [value]
    lines = json_lines(value)
    assert len(lines) == 3001
    assert lines[1500].text.strip() == "(1500) 1"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": [1, "x\n"], "b": {}}, '{"a": [1, "x␊"], "b": {}}'),
        ("a" * 100, '"' + "a" * 59 + '…"'),
        (list(range(1000)), None),
        ([[[[[]]]]], "[[[[[]]]]]"),
    ],
)
def test_a_preview_fits_on_a_line(value: JSON, shown: str | None) -> None:
    """One line of about the length that was asked for, whatever the value."""
    line = "".join(segment.text for segment in preview(value))
    assert shown is None or line == shown
    assert len(line) < 75
    assert plain(()) == ""
