"""Figures for each point and subscriber."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from traces_made import text, trace

from debugger.traces import tables
from debugger.traces.hooks import Hook
from debugger.traces.statistics import WHOLE, Column, Statistic, Tally, ordered, percentile

HOOKS = {
    0: Hook("pre-tool-call", is_denied=True),
    1: Hook("pre-tool-call", "audit", "observe"),
    2: Hook("pre-tool-call", "guard", "veto", is_error=True, is_timeout=True),
    3: Hook("pre-tool-call", "guard", "veto", is_denied=True, is_changed=True),
}


def counted() -> tuple[Statistic, ...]:
    tally = Tally()
    tally.take(trace((1, 0, 0, 100), (2, 1, 0, 10), (3, 1, 10, 70), (4, 1, 70, 90)), HOOKS)
    tally.take(trace((1, 0, 0, 50), (2, 1, 10, 40), (3, 1, 20, -1), errors=[2], names=["a", "b", "b"]), {})
    return tally.statistics()


def test_they_are_counted_by_point_and_subscriber() -> None:
    """Spans of anybody else by service and name; what is under way does not count."""
    found = {(row.where, row.who): row for row in counted()}
    guard = found["pre-tool-call", "guard"]
    assert (guard.count, list(guard.tooks), guard.timeouts, guard.errors) == (2, [20, 60], 1, 1)
    assert (guard.changed, guard.denied, guard.mode) == (1, 1, "veto")
    assert found["pre-tool-call", WHOLE].denied == 1
    assert (found["shop", "b"].count, found["shop", "b"].errors) == (1, 1)
    assert set(found) == {
        ("pre-tool-call", "guard"),
        ("pre-tool-call", "audit"),
        ("pre-tool-call", WHOLE),
        ("shop", "a"),
        ("shop", "b"),
    }


def test_the_share_of_the_wait_is_that_of_the_critical_paths() -> None:
    """All shares come to the whole."""
    rows = counted()
    assert sum(row.share for row in rows) == pytest.approx(1)
    assert rows[0].who == "guard", "the largest share comes first"
    assert rows[0].share == pytest.approx(80 / 150)


@pytest.mark.parametrize(
    ("share", "expected"), [(0.0, 1), (0.1, 1), (0.5, 5), (0.51, 6), (0.95, 10), (0.99, 10), (1.0, 10)]
)
def test_a_percentile_is_one_of_the_values(share: float, expected: int) -> None:
    """The smallest that at least such a share does not exceed."""
    assert percentile(range(1, 11), share) == expected
    assert percentile((), share) == 0


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0, 1))
def test_no_percentile_is_exceeded_by_more_than_the_rest(values: list[int], share: float) -> None:
    """By definition."""
    values.sort()
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6


@pytest.mark.parametrize("column", list(Column))
def test_rows_can_be_ordered_by_every_column(column: Column) -> None:
    """Either way round, and nobody is lost."""
    rows = counted()
    up, down = (ordered(rows, column, is_descending=is_descending) for is_descending in (False, True))
    assert sorted(row.who for row in up) == sorted(row.who for row in down) == sorted(row.who for row in rows)
    if column is Column.COUNT:
        assert [row.count for row in down] == sorted((row.count for row in rows), reverse=True)


@given(st.integers(60, 200), st.sampled_from(Column), st.booleans())
def test_a_row_takes_the_cells_that_there_are(width: int, column: Column, is_descending: bool) -> None:
    """So does the heading; narrow ones leave columns out."""
    assert len(text(tables.heading(column, width, is_descending=is_descending))) == width
    for row in counted():
        assert len(text(tables.statistic(row, width))) == width


def test_a_copy_of_the_table_is_for_spreadsheets() -> None:
    """Tabs, and durations in nanoseconds."""
    lines = tables.as_text(counted()).splitlines()
    assert lines[0].split("\t")[0] == "point, service"
    assert lines[1] == "pre-tool-call\tguard (veto)\t2\t20\t60\t60\t1\t1\t1\t1\t0.5333"
