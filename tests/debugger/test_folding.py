"""Runs of dispatches that look alike, as one line each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from debugger.folding import LEAST, Run, folded


def runs(looks: list[str | None], is_open: set[int] | None = None) -> list[tuple[int, int]]:
    return [(run.start, run.count) for run in folded(looks, is_open or set())]


def test_three_alike_in_a_row_are_one_line() -> None:
    """Two are not: they say as much as the line that would stand for them."""
    assert runs(list("aabbbc")) == [(0, 1), (1, 1), (2, 3), (5, 1)]
    assert runs(list("aaa")) == [(0, 3)]
    assert runs([]) == []


def test_what_is_under_way_is_never_folded() -> None:
    """Nobody knows yet what it will look like."""
    assert runs([None, None, None, None]) == [(0, 1), (1, 1), (2, 1), (3, 1)]
    assert runs(["a", "a", "a", None]) == [(0, 3), (3, 1)]


def test_an_open_run_shows_every_one() -> None:
    """By the place of its first."""
    assert runs(list("xaaaa"), {1}) == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1)]
    assert runs(list("xaaaa"), {2}) == [(0, 1), (1, 4)], "only its first opens it"


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=60), st.sets(st.integers(0, 60)))
def test_nothing_is_lost_and_every_place_has_its_line(looks: list[str | None], is_open: set[int]) -> None:
    """The lines cover all places, each once and in order; a place is on the line that covers it."""
    found = folded(looks, is_open)
    assert [place for run in found for place in range(run.start, run.start + run.count)] == list(range(len(looks)))
    for line, run in enumerate(found):
        assert run.count == 1 or (run.count >= LEAST and len({looks[run.start + n] for n in range(run.count)}) == 1)
        for place in range(run.start, run.start + run.count):
            assert found.line_of(place) == line
    assert all(isinstance(run, Run) for run in found)
