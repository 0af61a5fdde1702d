"""What the end of a trace waited for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from traces_made import TRACES, Fields, trace

from debugger.traces.critical import critical_path, sentence, shares
from debugger.traces.skeleton import Skeleton


def path(*spans: Fields) -> list[tuple[int, int, int]]:
    """Number, beginning and end of each stretch of the path below the first span."""
    made = trace(*spans)
    return [(made.keys[each.place], each.start_ns, each.end_ns) for each in critical_path(made, 0).stretches]


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(1, 0, 0, 100)], [(1, 0, 100)]),
        ([(1, 0, 0, 100), (2, 1, 20, 60)], [(1, 0, 20), (2, 20, 60), (1, 60, 100)]),
        ([(1, 0, 0, 100), (2, 1, 0, 50), (3, 1, 50, 100)], [(2, 0, 50), (3, 50, 100)]),
        # whoever ends last is what one waits for, and whoever was there before it began
        ([(1, 0, 0, 100), (2, 1, 0, 90), (3, 1, 10, 100)], [(2, 0, 10), (3, 10, 100)]),
        ([(1, 0, 0, 100), (2, 1, 0, 30), (3, 1, 0, 80), (4, 1, 0, 60)], [(3, 0, 80), (1, 80, 100)]),
        # nobody waits for what ends after its parent; only until then
        ([(1, 0, 0, 100), (2, 1, 50, 400)], [(1, 0, 50), (2, 50, 100)]),
        ([(1, 0, 50, 100), (2, 1, 0, 60)], [(2, 50, 60), (1, 60, 100)]),
        ([(1, 0, 0, 9), (2, 1, 2, 6), (3, 2, 3, 5)], [(1, 0, 2), (2, 2, 3), (3, 3, 5), (2, 5, 6), (1, 6, 9)]),
        ([(1, 0, 0, 0)], []),
    ],
)
def test_the_path(spans: list[Fields], expected: list[tuple[int, int, int]]) -> None:
    """Backwards from the end: whom did this moment wait for?"""
    assert path(*spans) == expected


@settings(deadline=None)
@given(TRACES)
def test_the_path_is_as_long_as_its_span(made: Skeleton) -> None:
    """Without gap or overlap, and only by spans that were under way."""
    for top in made.below(-1):
        found = critical_path(made, top)
        assert found.total_ns == made.took(top)
        assert all(first.end_ns == second.start_ns for first, second in pairwise(found.stretches))
        for each in found.stretches:
            assert made.starts[each.place] <= each.start_ns < each.end_ns <= made.ends[each.place]
        assert sum(ns for _, ns in shares(found, str)) == found.total_ns


def test_a_path_may_be_as_deep_as_the_trace() -> None:
    """Nothing recurses."""
    made = trace(*((number, number - 1, number, 10_000 - number) for number in range(1, 3_001)))
    assert critical_path(made, 0).total_ns == 9_998


def test_the_sentence_says_whose_most_of_the_wait_is() -> None:
    """And who else's, if that is much."""
    made = trace((1, 0, 0, 100), (2, 1, 0, 68), (3, 1, 68, 88))
    names = {0: "the host", 1: "redactor at pre-model-call", 2: "audit"}
    found = sentence(critical_path(made, 0), names.__getitem__, lambda ns: f"{ns} ns")
    assert found == "68 % of the wait is redactor at pre-model-call (68 ns of 100 ns), 20 % audit"
    nothing = trace((1, 0, 0, 0))
    assert sentence(critical_path(nothing, 0), lambda _: "it", str) == "it took no time"
