"""The table that the application and its watch share."""

from __future__ import annotations

import os
import tempfile
from types import SimpleNamespace

from debugger.lockwatch.ledger import SLOTS, Ledger, Running


def test_both_sides_see_who_runs() -> None:
    """Whoever began first is first; who ended is gone; names of any length and script fit or are cut."""
    with tempfile.TemporaryFile() as file:
        ours, theirs = Ledger(file.fileno()), Ledger(os.dup(file.fileno()))
        later = SimpleNamespace(subscriber="wächter", phase="guard", since_ns=7, thread=11)
        first = SimpleNamespace(subscriber="x" * 500, phase="begin", since_ns=5, thread=12)
        ours.began(later)
        ours.began(first)
        assert theirs.running == (Running("x" * 238, "", 5, 12), Running("wächter", "guard", 7, 11))
        ours.ended(first)
        ours.ended(first)
        assert theirs.running == (Running("wächter", "guard", 7, 11),)


def test_who_finds_no_room_is_not_told_of() -> None:
    """And takes nobody's place."""
    with tempfile.TemporaryFile() as file:
        ledger = Ledger(file.fileno())
        all_of_them = [
            SimpleNamespace(subscriber=f"s{number}", phase="", since_ns=number + 1, thread=1)
            for number in range(SLOTS + 2)
        ]
        for each in all_of_them:
            ledger.began(each)
        assert [each.subscriber for each in ledger.running] == [f"s{number}" for number in range(SLOTS)]
        for each in all_of_them:
            ledger.ended(each)
        assert ledger.running == ()


def test_signs_of_life() -> None:
    """None is awaited before the first."""
    with tempfile.TemporaryFile() as file:
        ledger = Ledger(file.fileno())
        assert ledger.last_beat == (0, False)
        ledger.beat(2**63, is_armed=True)
        assert ledger.last_beat == (2**63, True)
