"""Claims about placeholders and counts."""

from __future__ import annotations

from debugger.redaction.ledger import Ledger
from debugger.redaction.preview import preview
from debugger.redaction.redactor import Redactor
from debugger.views.text import plain


def test_placeholders_are_numbered_by_rule_in_order_of_appearance() -> None:
    """The same secret keeps its first rule."""
    ledger = Ledger({})
    found = [
        ledger.placeholder(secret, rule, "text")
        for secret, rule in (("a1", "x"), ("b2", "y"), ("c3", "x"), ("a1", "y"))
    ]
    assert found == ["[redacted:x#1]", "[redacted:y#1]", "[redacted:x#2]", "[redacted:x#1]"]


def test_a_placeholder_says_nothing_about_the_secret() -> None:
    """Neither its length nor a hash that could be tried out: two ledgers number alike whatever they hide."""
    assert Ledger({}).placeholder("short", "x", "text") == Ledger({}).placeholder("l" * 99, "x", "text")


def test_after_settling_numbers_and_counts_begin_anew() -> None:
    """What was only looked at is not counted."""
    ledger = Ledger({})
    ledger.placeholder("first-1", "x", "text")
    ledger.placeholder("second-2", "x", "text")
    ledger.settle()
    assert ledger.counts == ()
    assert ledger.placeholder("second-2", "x", "text") == "[redacted:x#1]"
    assert ledger.secrets == 1


def test_a_preview_says_how_often_and_where_and_no_secret() -> None:
    """Counts by rule and by what it was found in; the places in JSON."""
    redactor = Redactor()
    redactor.json({"m": [{"password": "hunter2"}, {"password": "hunter3"}]}, "payload")
    redactor.text("password=hunter2 token=abc123x", "printed line")
    text = plain(preview(redactor.counts, redactor.secrets))
    assert "3 secrets replaced, 4 times" in text
    assert [" ".join(line.split()) for line in text.splitlines() if line.strip()][1:] == [
        "assigned printed line 1 times",
        "password payload 2 times, 2 different",
        "2 x m[*].password",
        "password printed line 1 times",
    ]
    assert "hunter" not in text


def test_nothing_found_is_said_too() -> None:
    """In a sentence."""
    assert plain(preview((), 0)).strip() == "Nothing looks like a secret."
