"""What changed inside a string, and what is easy to overlook."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debugger.diff import Piece, PieceKind, Subtle, diff, subtle, words
from kernel.values import JSON


def read(pieces: tuple[Piece, ...]) -> str:
    """Pieces in a notation for tests."""
    forms = {PieceKind.SAME: "{}", PieceKind.REMOVED: "[-{}-]", PieceKind.ADDED: "{{+{}+}}"}
    return "".join(forms[piece.kind].format(piece.text) for piece in pieces)


@pytest.mark.parametrize(
    ("before", "after", "pieces"),
    [
        ("", "", ""),
        ("same", "same", "same"),
        ("", "new", "{+new+}"),
        ("old", "", "[-old-]"),
        ("hello world", "hello there world", "hello {+there +}world"),
        ("the key sk-a1 is", "the key *** is", "the key [-sk-a1-]{+***+} is"),
        ("colour", "color", "[-colour-]{+color+}"),
        ("f(x)", "f(y)", "f([-x-]{+y+})"),
        ("a  b", "a b", "a [- -]b"),
        ("The quick brown fox", "A slow white dog", "[-The quick brown fox-]{+A slow white dog+}"),
        ("one\ntwo\nthree", "one\n2\nthree", "one\n[-two-]{+2+}\nthree"),
        ("日本語です", "日本人です", "日本[-語-]{+人+}です"),
        ("e\u0301", "e", "[-e\u0301-]{+e+}"),
    ],
)
def test_a_string_is_compared_word_by_word(before: str, after: str, pieces: str) -> None:
    """Whole words change, spaces between two changed words change with them, line ends stay."""
    assert read(words(before, after)) == pieces


@given(st.text(alphabet="ab é\u0301\n.,", max_size=40), st.text(alphabet="ab é\u0301\n.,", max_size=40))
def test_pieces_add_up_to_both_strings(before: str, after: str) -> None:
    """Nothing is lost: same and removed make the one, same and added the other; neighbours differ in kind."""
    pieces = words(before, after)
    assert "".join(piece.text for piece in pieces if piece.kind is not PieceKind.ADDED) == before
    assert "".join(piece.text for piece in pieces if piece.kind is not PieceKind.REMOVED) == after
    assert all(left.kind is not right.kind for left, right in itertools.pairwise(pieces))
    assert all(piece.text for piece in pieces)


@pytest.mark.parametrize("separator", [" ", "\n"])
def test_very_long_strings_stay_bounded_and_complete(separator: str) -> None:
    """Above the limit for words it goes by lines, and by the whole stretch where a line is too long as well."""
    rng = random.Random(7)
    vocabulary = [f"word{number}" for number in range(500)]
    before = rng.choices(vocabulary, k=30_000)
    after = [f"new{number}" if number % 300 == 0 else word for number, word in enumerate(before)]
    pieces = words(separator.join(before), separator.join(after))
    assert "".join(piece.text for piece in pieces if piece.kind is not PieceKind.REMOVED) == separator.join(after)
    assert len(pieces) > 250 if separator == "\n" else len(pieces) <= 4


@pytest.mark.parametrize(
    ("before", "after", "flags"),
    [
        (1, 1.0, (Subtle.TYPE,)),
        (1, True, (Subtle.TYPE,)),
        (1, "1", (Subtle.TYPE,)),
        (None, "null", (Subtle.TYPE,)),
        (None, "", (Subtle.NULL,)),
        (1, 2, ()),
        (1, 2.0, ()),
        ("abc", "abd", ()),
        ("abc", "\u0430bc", (Subtle.LOOK_ALIKE,)),
        ("don't", "don\u2019t", (Subtle.LOOK_ALIKE,)),
        ("10", "1O", (Subtle.LOOK_ALIKE,)),
        ("é", "e\u0301", (Subtle.LOOK_ALIKE,)),
        ("ab", "a\u200bb", (Subtle.INVISIBLE,)),
        ("ab", "ab\U000e0041", (Subtle.INVISIBLE,)),
        ("a\u200cb", "a\u200bb", (Subtle.INVISIBLE,)),
        ("ab", "ab ", (Subtle.TRAILING,)),
        ("a\nb", "a  \nb\n", (Subtle.TRAILING,)),
        ("a b", "a\u00a0b", (Subtle.SPACING,)),
        ("a b", "a  b", (Subtle.SPACING,)),
        ("ab", "\u0430\u200bb", (Subtle.INVISIBLE, Subtle.LOOK_ALIKE)),
        ({}, [], ()),
        ("same", "same", ()),
    ],
)
def test_what_an_eye_slides_over_is_named(before: JSON, after: JSON, flags: tuple[Subtle, ...]) -> None:
    """Differences of type, look-alikes, invisible characters and white space are flagged; plain ones are not."""
    assert subtle(before, after) == flags
    assert subtle(after, before) == flags


def test_a_change_knows_its_words_and_flags() -> None:
    """Both are asked of the change; only a change between strings has words."""
    (text,) = diff({"a": "x y"}, {"a": "x \u0443"}).changes
    (number,) = diff(1, 1.0).changes
    assert read(text.words) == "x [-y-]{+\u0443+}"  # type: ignore[union-attr]
    assert text.subtle == (Subtle.LOOK_ALIKE,)
    assert (number.words, number.subtle) == ((), (Subtle.TYPE,))  # type: ignore[union-attr]
