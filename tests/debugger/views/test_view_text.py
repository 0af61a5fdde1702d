"""Lines as values: what text from outside looks like, and how lines are made to fit."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from debugger.views.text import MARKS, Emphasis, Kind, Line, Segment, crop, dedent, plain, visible, wrap


def line(*texts: str) -> Line:
    """A line of plain segments."""
    return Line(Kind.SAME, 1, 1, tuple(Segment(text) for text in texts))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/] \\ \"", "plain [bold]text[/] \\ \""),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\tb\r\n\x00\x7f", "a␉b␍␊␀␡"),
        ("\x9b31m", "\\x9b31m"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\u202eabc\u200b\ufeff", "\\u202eabc\\u200b\\ufeff"),
        ("a\u00a0b", "a\\u00a0b"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("é日本❤\ufe0f", "é日本❤\ufe0f"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    """Controls as pictures, everything else invisible by its number; what can be seen stays as it is."""
    assert visible(text) == shown


@given(st.text())
def test_shown_text_cannot_steer_a_terminal(text: str) -> None:
    """No control, format, separator or surrogate gets through, and text without them is not touched."""
    shown = visible(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert visible(shown) == shown


@given(st.lists(st.text(max_size=12), max_size=5), st.integers(0, 20))
def test_a_cropped_line_fits(texts: list[str], width: int) -> None:
    """Never wider than asked for, and not touched when it fits."""
    whole = line(*(visible(text) for text in texts))
    cropped = crop(whole, width)
    assert cell_len(cropped.text) <= width
    assert (cropped == whole) is (cell_len(whole.text) <= width)


def test_a_cropped_line_says_so_and_minds_wide_characters() -> None:
    """The ellipsis takes a cell; a character of two cells that does not fit is left out as a whole."""
    assert crop(line("abc", "def"), 4).segments == (Segment("abc"), Segment("…", Emphasis.DIM))
    assert crop(line("日本語"), 4).text == "日…"


@given(st.lists(st.text(alphabet="ab日 ", max_size=12), max_size=5), st.integers(2, 20))
def test_a_wrapped_line_loses_nothing(texts: list[str], width: int) -> None:
    """The parts fit and add up, but for the indentation of what goes on; only the first has numbers."""
    whole = line(*texts)
    parts = wrap(whole, width)
    blanks = len(whole.text) - len(whole.text.lstrip(" "))
    hang = " " * blanks if blanks <= width - 10 else ""
    assert all(part.text.startswith(hang) for part in parts)
    assert hang + "".join(part.text.removeprefix(hang) for part in parts) == whole.text
    assert all(cell_len(part.text) <= width for part in parts)
    assert [part.left_no for part in parts] == [1] + [None] * (len(parts) - 1)


def test_a_line_is_broken_between_words_and_goes_on_under_its_indentation() -> None:
    """Prose stays readable in a narrow pane; a word that fills the line is cut."""
    parts = wrap(line("  one two three"), 12)
    assert [part.text for part in parts] == ["  one two ", "  three"]
    assert [part.text for part in wrap(line("abcdefghijklmnop"), 12)] == ["abcdefghijkl", "mnop"]


def test_a_stretch_can_do_without_the_indentation_that_all_of_it_has() -> None:
    """What stands between folds keeps its shape, further to the left."""
    fold = Line(Kind.FOLD, None, None, (Segment("… 3 unchanged lines"),))
    found = dedent((line("    a"), line("      b"), line(""), fold, line("  c")))
    assert [each.text for each in found] == ["a", "  b", "", "… 3 unchanged lines", "c"]


def test_every_kind_has_a_mark() -> None:
    """State is never told by colour alone: what differs has a sign of its own."""
    assert MARKS.keys() == set(Kind)
    telling = [mark for mark in MARKS.values() if mark != " "]
    assert len(telling) == len(set(telling))
    assert plain([Line(Kind.ADDED, None, 1, (Segment("a"), Segment("b"))), line("c")]) == "+ ab\n  c"
