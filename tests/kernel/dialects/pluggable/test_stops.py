"""When a session ends (spec D.4, D.5), as values."""

from __future__ import annotations

import hashlib

import pytest

from kernel.dialects.pluggable.session.ledger import Ledger
from kernel.dialects.pluggable.session.stops import (
    Allowance,
    Bounds,
    Breaker,
    Done,
    DoomLoop,
    Status,
    Tally,
    canonical,
    fingerprint,
    stop_after,
    usable,
)
from kernel.values import JSON


@pytest.mark.parametrize(
    ("calls", "loops"),
    [("aa", False), ("aaa", True), ("aba", False), ("baaa", True), ("aaab", False), ("aabaa", False), ("", False)],
)
def test_a_loop_is_the_same_call_three_times_in_a_row(calls: str, loops: bool) -> None:
    """Window 8, threshold 3: the newest calls count, however far back others lie."""
    assert DoomLoop().after(calls).is_looping is loops


def test_the_threshold_and_the_window_can_be_set() -> None:
    """Older calls than the window are forgotten."""
    assert not DoomLoop(8, 4).after("aaa").is_looping
    assert DoomLoop(8, 4).after("aaaa").is_looping
    assert DoomLoop(4, 3).after("abcdef").recent == tuple("cdef")


def test_a_fingerprint_is_of_name_and_canonical_arguments() -> None:
    """SHA-256 of the name, NUL and JSON with sorted keys: order does not matter, everything else does."""
    expected = hashlib.sha256(b'fs.read\0{"a":"\xc3\xa4","b":[1,2]}').hexdigest()
    assert fingerprint("fs.read", {"b": [1, 2], "a": "ä"}) == expected
    assert fingerprint("fs.read", {"a": "ä", "b": [1, 2]}) == expected
    assert fingerprint("fs.read", {"a": "ä", "b": [2, 1]}) != expected
    assert fingerprint("fs.write", {"a": "ä", "b": [1, 2]}) != expected


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        (1, 1.0, True),
        ([{"n": 2}], [{"n": 2.0}], True),
        (2**53 + 1, 2**53, True),
        (10**21, 1e21, True),
        (1, True, False),
        (0, False, False),
        (0, None, False),
        (1, "1", False),
        (1, 1.5, False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ],
)
def test_arguments_are_alike_when_they_are_on_the_wire(one: JSON, other: JSON, are_alike: bool) -> None:
    """Every number of a Struct is a double (spec A.8); words that are true are no numbers."""
    assert (fingerprint("t", {"a": one}) == fingerprint("t", {"a": other})) is are_alike
    assert (canonical(one) == canonical(other)) is are_alike


@pytest.mark.parametrize(
    ("calls", "trips"),
    [
        ("++", False),
        ("+++", True),
        ("++-++", False),
        ("++-++-++-+", False),
        ("++-++-++-++", True),
        ("+-" * 7, False),
        ("+-" * 8, True),
        ("+" + "-" * 19 + "++-++-++", False),
    ],
)
def test_the_breaker_trips_at_three_in_a_row_or_eight_of_twenty(calls: str, trips: bool) -> None:
    """A plus is a bad call of the provider; those of others do not count."""
    breaker = Breaker()
    for each in calls:
        breaker = breaker.after("other", is_bad=False).after("p", is_bad=each == "+")
    assert breaker.tripped == (frozenset({"p"}) if trips else frozenset())


def test_a_breaker_stays_tripped() -> None:
    """A good call later in the same turn does not undo it."""
    breaker = Breaker()
    for is_bad in (True, True, True, False):
        breaker = breaker.after("p", is_bad=is_bad)
    assert breaker.tripped == {"p"}


def test_conditions_are_looked_at_in_order() -> None:
    """Done before the loop, the loop before bounds, bounds before the breaker (spec D.5)."""
    bad = Breaker()
    for _ in range(3):
        bad = bad.after("p", is_bad=True)
    everything = Tally(9, 9.0, 9e9, DoomLoop().after("aaa"), bad)
    bounds = Bounds(9, 9.0, 9)
    order = [stop_after(everything, bounds, Done.NO_CALLS), stop_after(everything, bounds, Done.TERMINAL_TOOL)]
    order.append(stop_after(everything, bounds, None))
    order.append(stop_after(Tally(9, 9.0, 9e9, breaker=bad), bounds, None))
    order.append(stop_after(Tally(8, 9.0, 9e9, breaker=bad), bounds, None))
    order.append(stop_after(Tally(8, 8.0, 9e9, breaker=bad), bounds, None))
    order.append(stop_after(Tally(8, 8.0, 8e3, breaker=bad), bounds, None))
    order.append(stop_after(Tally(8, 8.0, 8e3), bounds, None))
    assert [stop and stop.rule for stop in order] == [
        "PL-STOP-DONE",
        "PL-STOP-TERMINAL-TOOL",
        "PL-STOP-DOOM-LOOP",
        "PL-STOP-MAX-TURNS",
        "PL-STOP-MAX-COST",
        "PL-STOP-WALL-CLOCK",
        "PL-STOP-BREAKER",
        None,
    ]
    assert [stop.gets_final_turn for stop in order if stop] == [False, False, True, True, True, True, True]


def test_what_is_left_is_the_least_that_a_session_around_has_left() -> None:
    """The why names whose limit it is (spec D.5)."""
    fine, spent = Allowance("mid", 1.0, 2.0), Allowance("root", 3.0, 3.0)
    assert stop_after(Tally(1, 1.0, around=(fine,)), Bounds(9, 9.0, 9), None) is None
    stop = stop_after(Tally(1, 1.0, around=(fine, spent)), Bounds(9, 0, 9), None)
    assert stop is not None
    assert (stop.status, stop.rule, stop.gets_final_turn) == (Status.ERROR_MAX_BUDGET_USD, "PL-STOP-MAX-COST", True)
    assert stop.why == "3.0000 USD of the 3.0000 of root around it are spent"
    last = stop_after(Tally(9, 1.0, around=(spent,)), Bounds(9, 0, 9), None)
    assert last is not None
    assert last.rule == "PL-STOP-MAX-TURNS"
    late = stop_after(Tally(1, 1.0, 9e9, around=(spent,)), Bounds(9, 0, 9), None)
    assert late is not None
    assert late.rule == "PL-STOP-MAX-COST"


def test_zero_is_no_bound() -> None:
    """However much is used."""
    assert stop_after(Tally(10**6, 1e6, 1e12), Bounds(0, 0, 0), None) is None


def test_costs_are_spent_up_to_the_root() -> None:
    """A session without a limit of its own has those around it."""
    root = Ledger("root", 5.0)
    mid = Ledger("mid", 0, root)
    one, other = Ledger("one", 2.0, mid), Ledger("other", 2.0, mid)
    for ledger, usd in ((one, 1.0), (other, 0.5), (mid, 0.25), (root, 0.125)):
        ledger.debit(usd)
    assert [each.spent_usd for each in (root, mid, one, other)] == [1.875, 1.75, 1.0, 0.5]
    assert one.allowances == (Allowance("one", 1.0, 2.0), Allowance("root", 1.875, 5.0))
    assert mid.allowances == (Allowance("root", 1.875, 5.0),)


@pytest.mark.parametrize(
    ("window", "most"), [(0, 0), (1, 0), (2, 1), (5, 4), (15, 12), (100, 80), (10**15 + 5, 8 * 10**14 + 4)]
)
def test_four_fifths_of_a_window_are_usable(window: int, most: int) -> None:
    """Whole tokens only (spec D.5)."""
    assert usable(window) == most
