"""A diff as lines: what a reader sees, without any colour."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.diff import diff
from debugger.views.diff_lines import inline, side_by_side, tree, unified
from debugger.views.json_lines import json_lines
from debugger.views.text import Emphasis, Kind, Line, plain

JSON = Any


def drawn(draw: Any, before: JSON, after: JSON, **options: Any) -> list[str]:
    """The lines of one style, with marks."""
    return plain(draw(before, after, diff(before, after), **options)).split("\n")


BEFORE = {"id": 1, "text": "use key sk-a1 now", "n": 1, "rest": [0, 1, 2, 3, 4, 5, 6]}
AFTER = {"id": 1, "text": "use key *** now", "n": 1, "rest": [0, 1, 2, 3, 4, 5, 6, 7]}


def test_unified_shows_both_versions_and_folds_the_rest() -> None:
    """Old and new lines carry their marks, unchanged stretches are counted, and the place that follows is named."""
    assert drawn(unified, BEFORE, AFTER, context=1) == [
        "  {",
        '    "id": 1',
        '-   "text": "use key sk-a1 now"',
        '+   "text": "use key *** now"',
        '    "n": 1',
        "  … 7 unchanged lines",
        "@ rest[7]",
        "      6",
        "+     7",
        "    ]",
        "  }",
    ]


def test_only_the_words_that_differ_are_emphasised() -> None:
    """Within a changed line, what stayed is plain text."""
    old, new = (line for line in unified(BEFORE, AFTER, diff(BEFORE, AFTER))[2:4])
    assert [segment.text for segment in old.segments if segment.emphasis is Emphasis.REMOVED] == ["sk-a1"]
    assert [segment.text for segment in new.segments if segment.emphasis is Emphasis.ADDED] == ["***"]


def test_inline_marks_words_so_that_they_read_without_colour() -> None:
    """One line for an edit, with brackets around what went and what came."""
    assert drawn(inline, BEFORE | {"n": 0.5}, AFTER, context=0)[2:5] == [
        '~   "text": "use key [-sk-a1-]{+***+} now"',
        '~   "n": 0.5 → 1',
        "  … 8 unchanged lines",
    ]


def test_side_by_side_keeps_the_columns_level() -> None:
    """What is only on one side faces nothing; line numbers are each side's own."""
    pairs = side_by_side([1, "a", 2], [0, 1, "b"], diff([1, "a", 2], [0, 1, "b"]))

    def cell(line: Line | None, number: int | None) -> str:
        return "" if line is None else f"{number} {line.mark} {line.text}"

    assert [(cell(left, left and left.left_no), cell(right, right and right.right_no)) for left, right in pairs] == [
        ("1   [", "1   ["),
        ("", "2 +   0"),
        ("2     1", "3     1"),
        ('3 ~   "a"', '4 ~   "b"'),
        ("4 -   2", ""),
        ("5   ]", "5   ]"),
    ]


def test_the_tree_has_one_line_for_each_change() -> None:
    """Path, old, new; long texts show the surroundings of what changed."""
    before = {"a": 1, "t": "x" * 100 + " key sk-a1 " + "y" * 100, "m": [{"id": 1}, {"id": 2}], "old": None}
    after = {"a": 1.0, "t": "x" * 100 + " key *** " + "y" * 100, "m": [{"id": 2}, {"id": 1}], "new": [1]}
    assert plain(tree(diff(before, after))).split("\n") == [
        "~ a  1 → 1.0  ◂ type only",
        '~ t  "…' + "x" * 15 + " key [-sk-a1-]{+***+} " + "y" * 19 + '…"',
        '> m[0] → m[1]  {"id": 1}',
        "- old  null  ◂ null is not absent",
        "+ new  [1]",
    ]


def test_a_moved_item_is_named_at_both_places() -> None:
    """One line where it was and one where it is, with its changes below if there are any."""
    a, b, c = {"id": 1, "v": 0}, {"id": 2, "v": 0}, {"id": 3, "v": 0}
    assert drawn(unified, [a, b, c], [c, a, b], context=0) == [
        "  [",
        '>   moved from [2]: {"id": 3, "v": 0}',
        "  … 8 unchanged lines",
        "@ [2]",
        '>   moved to [0]: {"id": 3, "v": 0}',
        "  ]",
    ]
    assert drawn(unified, [a, b, c], [{"id": 3, "v": 9}, a, b], context=0)[1:6] == [
        ">   moved from [2], and changed:",
        "  … 2 unchanged lines",
        "@ [0].v",
        '-     "v": 0',
        '+     "v": 9',
    ]


def test_text_of_many_lines_is_compared_line_by_line() -> None:
    """Lines of a text that stayed are unchanged lines, and fold like any other."""
    lines = [f"line {number}" for number in range(30)]
    before, after = {"t": "\n".join(lines)}, {"t": "\n".join([*lines[:20], "changed", *lines[21:]])}
    assert drawn(unified, before, after, context=1) == [
        "  … 20 unchanged lines",
        "@ t",
        "      line 19↵",
        "-     line 20↵",
        "+     changed↵",
        "      line 21↵",
        "  … 9 unchanged lines",
    ]


def test_a_change_in_a_long_line_is_in_sight() -> None:
    """Unchanged text is shortened around the words that differ, on both sides alike."""
    before, after = "a " * 5000 + "old" + " z" * 5000, "a " * 5000 + "new" + " z" * 5000
    for line, word in zip(drawn(unified, before, after), ["old", "new"], strict=True):
        assert word in line
        assert "… 9,940 characters …" in line
        assert len(line) < 250
    for line in drawn(unified, before, after.replace("new", "")):
        assert len(line) < 250


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        ({"v": 1}, {"v": 1.0}, "type only"),
        ({"v": "paypal"}, {"v": "p\u0430ypal"}, "look-alike characters"),
        ({"v": "a"}, {"v": "a\u200b"}, "invisible characters"),
        ({"v": "end"}, {"v": "end "}, "white space at line end"),
        ({"v": "one two \u0441at three"}, {"v": "one 2 cat three"}, "look-alike characters"),
        ({"u": 1}, {"u": 1, "v": None}, "null is not absent"),
    ],
)
@pytest.mark.parametrize("draw", [unified, inline])
def test_a_subtle_difference_is_pointed_out(draw: Any, before: JSON, after: JSON, note: str) -> None:
    """In words, on the line where it is, also when it hides beside a plain one."""
    assert any(line.endswith(f"◂ {note}") for line in drawn(draw, before, after))


def test_spaces_that_came_or_went_can_be_seen() -> None:
    """A changed piece that is nothing but spaces is shown as dots."""
    assert drawn(unified, "a b", "a  b") == ['- "a b"', '+ "a ·b"  ◂ white space only']


def test_text_from_outside_is_literal() -> None:
    """Escape sequences and markup reach the screen as characters."""
    lines = drawn(unified, {"\x1b[2J": "[red]x[/]"}, {"\x1b[2J": "\x1b[31m\u2028"})
    assert lines[1:3] == ['-   "␛[2J": "[red]x[/]"', '+   "␛[2J": "␛[31m\\u2028"  ◂ invisible characters']
    assert all(line.isprintable() for line in lines)


def test_equal_payloads_are_one_fold() -> None:
    """Nothing changed is said in one line, or shown in full when nothing is to be folded."""
    value = {"a": [1, 2]}
    assert drawn(unified, value, value) == ["  … 6 unchanged lines"]
    assert drawn(unified, value, value, context=None) == plain(json_lines(value)).split("\n")


_scalars = st.none() | st.booleans() | st.integers(0, 3) | st.text(alphabet="ab \n\x1b", max_size=6)
payloads = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=20,
)
_items = st.fixed_dictionaries({"id": st.integers(1, 6), "v": payloads})
lists = st.lists(_items, max_size=6)


@given(payloads | lists, payloads | lists, st.sampled_from([0, 1, 2, 5]))
def test_every_line_is_shown_once_or_counted(before: JSON, after: JSON, context: int) -> None:
    """Line numbers rise on both sides, end within the payload, and every change is in each style."""
    found = diff(before, after)
    columns = side_by_side(before, after, found, context=context)
    shown = unified(before, after, found, context=context)
    for numbers, whole in (
        ([line.left_no for line in shown if line.left_no], json_lines(before)),
        ([line.right_no for line in shown if line.right_no], json_lines(after)),
        ([left.left_no for left, _ in columns if left and left.left_no], json_lines(before)),
        ([right.right_no for _, right in columns if right and right.right_no], json_lines(after)),
    ):
        assert numbers == sorted(set(numbers))
        assert not numbers or numbers[-1] <= len(whole)
    differs = any(line.kind not in (Kind.SAME, Kind.FOLD, Kind.HUNK) for line in shown)
    assert differs is bool(found)
    assert len(tree(found)) == len(found.changes)
    assert all(line.text.isprintable() for line in (*shown, *inline(before, after, found), *tree(found)))


@given(payloads | lists, payloads | lists)
def test_without_folds_each_line_says_what_the_payload_says_there(before: JSON, after: JSON) -> None:
    """Numbered lines on the right are the payload after, line by line, apart from notes, dots and moves."""
    found = diff(before, after)
    whole = json_lines(after)
    lines = unified(before, after, found, context=None)
    for line in lines:
        if line.right_no and line.kind in (Kind.SAME, Kind.ADDED) and "◂" not in line.text and "·" not in line.text:
            assert line.text == whole[line.right_no - 1].text
    assert not any(line.kind in (Kind.FOLD, Kind.HUNK) for line in lines)
    if str(found.summary).startswith(("+", "~", "-", "no")) and not found.summary.moved:
        assert sum(1 for line in lines if line.right_no) == len(whole)


def test_depth_and_size_are_drawn_without_recursion() -> None:
    """A thousand levels, and a small change in a long list."""
    before: JSON = 1
    after: JSON = 2
    for _ in range(1000):
        before, after = [before], [after]
    assert drawn(unified, before, after, context=0)[2:4] == ["-" + " " * 61 + "(1000) 1", "+" + " " * 61 + "(1000) 2"]
    long_before = [{"v": number} for number in range(20_000)]
    long_after = [*long_before[:10_000], {"v": -1}, *long_before[10_001:]]
    assert len(unified(long_before, long_after, diff(long_before, long_after))) < 20


def test_a_diff_of_other_payloads_is_refused() -> None:
    """Drawing the wrong payloads is a mistake of ours, and says so."""
    with pytest.raises(ValueError, match="other payloads"):
        unified({"a": 1}, [1], diff({"a": {"b": 1}}, {"a": {"b": 2}}))
