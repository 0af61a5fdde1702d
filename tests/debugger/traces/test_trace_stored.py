"""Traces in the tables of spans."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from otlp_made import SHOP, TRACE, identity, made, numbered_traces
from traces_made import many, stored, written

from debugger.otlp.sink import Batch
from debugger.otlp.span_writer import SpanWriter
from debugger.otlp.spans import Resource, Span
from debugger.traces.source import SortKey, Wish
from debugger.traces.stored import MOST_BODY, StoredSpans
from kernel.errors import BadInput

A, B, C = numbered_traces(3)
POINT, MODE, NAME = (
    "pluggableharness.hook.point",
    "pluggableharness.subscriber.mode",
    "pluggableharness.producer.name",
)


@pytest.fixture
def three(tmp_path: Path) -> Iterator[StoredSpans]:
    """A: 2 spans of `Alpha`; B: 1 span with an error, the longest; C: 3 spans by somebody else, the first."""
    other = Resource((("service.name", "Ärger"),))
    found = stored(
        tmp_path / "three.hookscope",
        made(1, trace=A, name="Alpha", at=100, took=10),
        made(2, 1, trace=A, at=101, took=1),
        made(1, trace=B, name="beta", at=200, took=90, is_error=True),
        *(made(n, n - 1, trace=C, name="gamma", at=50, took=20, resource=other) for n in (1, 2, 3)),
    )
    yield found
    found.close()


@pytest.mark.parametrize(
    ("wish", "numbers"),
    [
        (Wish(), [1, 2, 3]),
        (Wish(is_descending=True), [3, 2, 1]),
        (Wish(key=SortKey.START), [3, 1, 2]),
        (Wish(key=SortKey.TOOK, is_descending=True), [2, 3, 1]),
        (Wish(key=SortKey.SPANS), [2, 1, 3]),
        (Wish(key=SortKey.ERRORS, is_descending=True), [2, 3, 1]),
        (Wish(key=SortKey.NAME), [1, 2, 3]),
        (Wish("ALPHA"), [1]),
        (Wish("shop"), [1, 2]),
        (Wish("äRGER"), [3]),
        (Wish(B.hex()[-4:]), [2]),
        (Wish("%"), []),
        (Wish(with_errors=True), [2]),
        (Wish("a", with_errors=True, key=SortKey.TOOK), [2]),
    ],
)
def test_traces_are_filtered_and_ordered(three: StoredSpans, wish: Wish, numbers: list[int]) -> None:
    """Whatever the alphabet, in small letters or large ones, and nothing in a filter is a wildcard."""
    assert list(three.order(wish)) == numbers


def test_a_row_says_what_a_list_shows(three: StoredSpans) -> None:
    """And nothing of a trace that is not there."""
    first, gone = three.rows([1, 99])
    assert gone is None
    assert first is not None
    assert (first.id, first.root, first.service, first.spans, first.errors) == (A.hex(), "Alpha", "shop", 2, 0)
    assert (first.took_ns, first.has_root) == (10, True)


def test_a_million_traces_in_their_order_are_just_a_range(three: StoredSpans) -> None:
    """As long as none was dropped in between."""
    assert isinstance(three.order(Wish()), range)


def test_numbers_of_dropped_traces_are_left_out(tmp_path: Path) -> None:
    """A cap may have taken one from the middle."""
    path = written(tmp_path / "r.hookscope", *(made(1, trace=trace) for trace in (A, B, C)))
    import sqlite3

    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM traces WHERE number = 2")
    connection.close()
    found = StoredSpans(path)
    assert list(found.order(Wish())) == [1, 3]
    found.close()


def test_a_skeleton_has_the_tree(three: StoredSpans) -> None:
    """With services, and in the order of parents and children."""
    made_of = three.skeleton(3)
    assert (made_of.depths, made_of.services, made_of.total_ns) == ([0, 1, 2], ["Ärger"] * 3, 20)
    span = three.span(made_of, 2)
    assert span is not None
    assert (span.span_id, span.parent_id) == (identity(3), identity(2))


def test_of_a_large_trace_the_first_spans_are_there_first(tmp_path: Path) -> None:
    """It says how many there are; what is missing is not read yet."""
    found = stored(tmp_path / "r.hookscope", *many(500))
    part = found.skeleton(1, 100)
    assert (len(part), part.all_spans) == (100, 500)
    whole = found.skeleton(1, 1_000)
    assert (len(whole), whole.all_spans) == (500, 0)
    found.close()


def test_what_was_sent_twice_is_shown_once(tmp_path: Path) -> None:
    """With the number of copies; another span of the same id is shown beside it."""
    spans = made(1), made(2, 1), made(2, 1), made(2, 1, name="another"), made(2, 1)
    found = stored(tmp_path / "r.hookscope", *spans)
    made_of = found.skeleton(1)
    assert sorted(made_of.names) == ["another", "span 1", "span 2"]
    assert dict(made_of.copies) == {made_of.names.index("span 2"): 3}
    found.close()


def test_a_missing_parent_has_no_span(tmp_path: Path) -> None:
    """It is only named."""
    found = stored(tmp_path / "r.hookscope", made(2, 9))
    made_of = found.skeleton(1)
    assert found.span(made_of, made_of.ids.index(identity(9))) is None
    found.close()


def chain_spans() -> tuple[Span, ...]:
    return (
        made(1, name="turn", took=100),
        made(2, 1, name="hook.dispatch", took=90, attributes=((POINT, "plan-ready"),)),
        made(3, 2, name="hook.subscriber", took=10, attributes=((MODE, "observe"), (NAME, "audit"))),
        made(4, 2, at=20, took=50, is_error=True, attributes=((MODE, "veto"), (NAME, "bot"), ("timeout_ms", 1))),
        made(5, 1, name="emit", attributes=(("big", "x" * MOST_BODY), (POINT, "too large to look into"))),
        made(6, 1, name="plain"),
    )


def test_hooks_are_told_of_rows_and_of_whole_traces_alike(tmp_path: Path) -> None:
    """A row at a time, or all at once: the same words."""
    found = stored(tmp_path / "r.hookscope", *chain_spans())
    made_of = found.skeleton(1)
    everything = found.all_hooks(made_of)
    by_number = {int.from_bytes(made_of.ids[place]): hook for place, hook in everything.items()}
    assert {number: (hook.point, hook.subscriber, hook.badge, hook.word) for number, hook in by_number.items()} == {
        2: ("plan-ready", "", "", "denied"),
        3: ("plan-ready", "audit", "O", "ok"),
        4: ("plan-ready", "bot", "V", "denied"),
    }
    assert by_number[4].deadline_ns == 1_000_000
    for place in range(len(made_of)):
        found.close()
        found = StoredSpans(found.path)
        assert found.hooks(made_of, [place]).get(place) == everything.get(place)
    assert found.hooks(made_of, range(len(made_of))) == everything
    found.close()


def test_it_grows_while_it_is_written(tmp_path: Path) -> None:
    """Another figure of changes says so, and nothing has to be opened anew."""
    with SpanWriter(tmp_path / "r.hookscope") as writer:
        writer.take(Batch((made(1),), "test", 1, 1))
        writer.settle()
        found = StoredSpans(writer.kept.path)
        before = found.changes()
        assert found.changes() == before
        assert len(found.skeleton(1)) == 1
        writer.take(Batch((made(2, 1), made(1, trace=A)), "test", 1, 1))
        writer.settle()
        assert found.changes() != before
        assert len(found.skeleton(1)) == 2
        assert (found.standing().traces, found.standing().spans) == (2, 3)
        found.close()


def test_whoever_asks_after_the_end_is_told_so(tmp_path: Path) -> None:
    """Another thread may still be at it."""
    found = stored(tmp_path / "r.hookscope", made(1))
    made_of = found.skeleton(1)
    found.close()
    for ask in (found.changes, found.standing, lambda: found.skeleton(1), lambda: found.span(made_of, 0)):
        with pytest.raises(BadInput):
            ask()


def test_resources_may_be_without_a_service(tmp_path: Path) -> None:
    """Then nothing is made up."""
    found = stored(tmp_path / "r.hookscope", made(1, resource=Resource()), made(2, 1, resource=SHOP))
    assert found.skeleton(1).services == ["", "shop"]
    assert TRACE.hex() in {row.id for row in found.rows([1]) if row is not None}
    found.close()
