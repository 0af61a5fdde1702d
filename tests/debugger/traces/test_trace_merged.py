"""Many traces as one tree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from traces_made import SPANS, Fields, text, trace

from debugger.traces import tables
from debugger.traces.hooks import Hook
from debugger.traces.merged import MOST_DEPTH, MergedRow, Merging
from debugger.traces.window import Window

NAMES = ["turn", "call", "call", "tool"]
SPANS_OF_A_TURN: list[Fields] = [(1, 0, 0, 100), (2, 1, 0, 30), (3, 1, 30, 50), (4, 3, 35, 45)]


def merged(only: str | None = None) -> Merging:
    merging = Merging(only)
    for _ in range(2):
        merging.take(trace(*SPANS_OF_A_TURN, errors=[4], names=NAMES), {})
    return merging


def drawn(rows: tuple[MergedRow, ...]) -> list[str]:
    return [f"{'  ' * row.depth}{row.name} x{row.count} {row.total_ns} own {row.own_ns}" for row in rows]


def test_spans_of_one_name_below_the_same_names_become_one() -> None:
    """With their number, their sum, what of it was their own, and the median."""
    rows = merged().rows()
    assert drawn(rows) == ["turn x2 200 own 100", "  call x4 100 own 80", "    tool x2 20 own 20"]
    assert [row.p50_ns for row in rows] == [100, 20, 10]
    assert [(row.errors, row.size) for row in rows] == [(0, 3), (0, 2), (2, 1)]


def test_only_what_is_below_a_name_is_merged_if_so_wished() -> None:
    """Wherever in a trace it is; of one inside another of the same name only the outer one is on top."""
    assert drawn(merged("call").rows()) == ["call x4 100 own 80", "  tool x2 20 own 20"]
    nested = Merging("a")
    nested.take(trace((1, 0, 0, 9), (2, 1, 1, 8), (3, 2, 2, 7), names=["a", "b", "a"]), {})
    assert drawn(nested.rows()) == ["a x1 9 own 2", "  b x1 7 own 2", "    a x1 5 own 5"]
    assert len(nested.moments()) == 1


def test_a_point_is_known_by_its_hooks() -> None:
    """Its steps are called as their subscribers are."""
    merging = Merging("plan-ready")
    hooks = {0: Hook("plan-ready"), 1: Hook("plan-ready", "bot", "veto")}
    merging.take(trace((1, 0, 0, 9), (2, 1, 1, 8), names=["hook.dispatch", "hook.subscriber"]), hooks)
    assert drawn(merging.rows()) == ["plan-ready x1 9 own 2", "  bot x1 7 own 7"]


def test_bars_of_siblings_follow_one_another() -> None:
    """Whoever took longest together comes first."""
    merging = Merging()
    merging.take(trace((1, 0, 0, 100), (2, 1, 0, 30), (3, 1, 30, 90), names=["a", "short", "long"]), {})
    assert [(row.name, row.offset_ns) for row in merging.rows()] == [("a", 0), ("long", 0), ("short", 60)]


def test_what_is_deeper_than_anybody_looks_counts_for_the_last_level() -> None:
    """Nothing recurses, and nothing is lost."""
    merging = Merging()
    merging.take(trace(*((number, number - 1, number, 5_000) for number in range(1, 1_001))), {})
    rows = merging.rows()
    assert max(row.depth for row in rows) == MOST_DEPTH
    assert sum(row.count for row in rows) == 1_000


@settings(deadline=None)
@given(st.lists(SPANS, min_size=1, max_size=3))
def test_nobody_is_lost_in_a_merge(traces: list[list[Fields]]) -> None:
    """Counts, sums and sizes are those of the parts."""
    merging = Merging()
    skeletons = [trace(*spans) for spans in traces]
    for made in skeletons:
        merging.take(made, {})
    rows = merging.rows()
    assert sum(row.count for row in rows) == sum(map(len, skeletons))
    assert sum(row.total_ns for row in rows) == sum(made.took(at) for made in skeletons for at in range(len(made)))
    for place, row in enumerate(rows):
        below = rows[place + 1 : place + row.size]
        assert all(each.depth > row.depth for each in below)
        assert place + row.size == len(rows) or rows[place + row.size].depth <= row.depth


@given(st.integers(60, 200), st.booleans())
def test_a_merged_row_takes_the_cells_that_there_are(width: int, is_folded: bool) -> None:
    """So does the heading."""
    assert len(text(tables.merged_heading(width))) == width
    for row in merged().rows():
        assert len(text(tables.merged(row, Window(200), width, is_folded=is_folded))) == width


def test_a_copy_is_an_indented_tree() -> None:
    """With figures behind the names."""
    assert tables.merged_text(merged().rows()).splitlines()[1] == "  call  x4  total 100 ns  own 80 ns  p50 20 ns"
