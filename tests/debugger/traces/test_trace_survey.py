"""Every trace of a source looked at once; and what a screenful of rows says."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from otlp_made import made, numbered_traces
from traces_made import many, stored, trace

from debugger.traces import survey as surveys
from debugger.traces.analysis import analysed, longest_top
from debugger.traces.hooks import Hook
from debugger.traces.outline import Outline
from debugger.traces.panes.seen import AROUND, SeenHooks
from debugger.traces.skeleton import Skeleton
from debugger.traces.statistics import Tally
from debugger.traces.survey import Progress, survey
from kernel.errors import BadInput


class Fake:
    """A source of traces of two spans, of which some cannot be read; remembers what it was asked."""

    def __init__(self, unreadable: Sequence[int] = ()) -> None:
        self._unreadable = unreadable
        self.asked: list[list[int]] = []

    def skeleton(self, handle: int) -> Skeleton:
        if handle in self._unreadable:
            raise BadInput("it is damaged")
        return trace((1, 0, 0, 10), (2, 1, 0, 6))

    def all_hooks(self, skeleton: Skeleton) -> Mapping[int, Hook]:
        return {1: Hook("point", "who", "observe")}

    def hooks(self, skeleton: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
        self.asked.append(list(places))
        return {place: hook for place, hook in self.all_hooks(skeleton).items() if place in places}


def surveyed(source: Fake, count: int, stop: threading.Event) -> tuple[Progress, Tally, list[Progress]]:
    tally, told = Tally(), list[Progress]()
    over = survey(source, range(count), tally, stop=stop, tell=told.append)  # type: ignore[arg-type]
    return over, tally, told


def test_traces_that_cannot_be_read_are_counted_and_left_out() -> None:
    """The others are all there."""
    over, tally, told = surveyed(Fake(unreadable=[3]), 5, threading.Event())
    assert over == told[-1] == Progress(5, 5, 1, is_over=True)
    assert (tally.traces, tally.spans) == (4, 8)


def test_progress_is_told_every_so_often() -> None:
    """Not for each single trace."""
    _, _, told = surveyed(Fake(), 2 * surveys.TOLD_EVERY + 1, threading.Event())
    assert [(each.traces, each.is_over) for each in told] == [(200, False), (400, False), (401, True)]


def test_a_survey_stops_when_nobody_wants_it_any_more() -> None:
    """With what it has."""
    stop = threading.Event()
    stop.set()
    assert surveyed(Fake(), 5, stop)[0] == Progress(0, 5, 0, is_over=True)


def test_rows_are_asked_for_a_screenful_at_a_time() -> None:
    """And nobody twice."""
    source = Fake()
    made_of = trace((1, 0, 0, 1_000), *((number, 1, 0, 6) for number in range(2, 500)))
    seen = SeenHooks(source, Outline(made_of))  # type: ignore[arg-type]
    assert seen.get(0) is None
    assert seen[1].subscriber == "who"
    assert 2 not in seen
    assert source.asked == [list(range(AROUND))]
    assert seen.get(300) is None
    assert len(source.asked) == 2
    assert list(seen) == [1]


def test_what_cannot_be_read_says_nothing_of_chains() -> None:
    """A row is drawn all the same."""

    class Broken(Fake):
        def hooks(self, skeleton: Skeleton, places: Sequence[int]) -> Mapping[int, Hook]:
            raise BadInput("it is damaged")

    assert SeenHooks(Broken(), Outline(trace((1, 0, 0, 1)))).get(0) is None  # type: ignore[arg-type]


def test_an_analysis_is_of_what_took_longest(tmp_path: Path) -> None:
    """Of an empty trace there is none."""
    [other] = numbered_traces(1)
    source = stored(tmp_path / "r.hookscope", *many(50), made(1, trace=other))
    found = analysed(source, source.skeleton(1))  # type: ignore[arg-type]
    assert found.path is not None
    assert found.sentence.startswith("14 % of the wait is shop: root (68 ns of 500 ns)")
    assert sum(found.own) == 509, "the last one outlasts the root"
    assert longest_top(trace((1, 0, 0, 5), (2, 0, 0, 9))) == 1
    empty = analysed(source, source.skeleton(99))  # type: ignore[arg-type]
    assert (empty.path, empty.sentence, list(empty.own)) == (None, "", [])
    source.close()
