"""When a session ends (spec D.4, D.5), as values."""

from __future__ import annotations

import hashlib

import pytest

from kernel.dialects.pluggable.stops import Bounds, Breaker, Done, DoomLoop, Tally, fingerprint, stop_after, tokens


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


def test_zero_is_no_bound() -> None:
    """However much is used."""
    assert stop_after(Tally(10**6, 1e6, 1e12), Bounds(0, 0, 0), None) is None


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("ä", 1), ("äöü", 2)])
def test_four_bytes_are_a_token(text: str, count: int) -> None:
    """Bytes of UTF-8, rounded up."""
    assert tokens(text) == count
