"""A recording as the trace that screens look at: the same as all of it folded, and never more than was looked at."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from dispatch_runs import Scripted
from recorded_runs import CHANGED, DENIED, FAILED, FINE, told, written

from debugger.store import browsing
from debugger.store.browsing import RecordedTrace
from debugger.store.caps import Caps
from debugger.store.recording import Recording, Row
from debugger.store.short import Steering, in_short, of_trace
from debugger.store.writer import Writer
from debugger.trace import Trace
from debugger.views.gists import gist_of, gist_of_row
from kernel.control import Proceed
from kernel.errors import BadInput
from kernel.facts import Decided, Entered, Event, Left
from kernel.faults import Fault


def opened(path: Path) -> RecordedTrace:
    return RecordedTrace(Recording(path))


def test_each_dispatch_is_the_one_that_was_told(tmp_path: Path) -> None:
    """By place, by id and by number, as folding everything would give it; a slice is as lazy as the whole."""
    path = written(tmp_path / "r", [FINE, CHANGED, DENIED])
    whole = Trace()
    with Recording(path) as recording:
        for event in recording.events():
            whole.take(event)
    found = opened(path)
    assert list(found.dispatches) == list(whole.dispatches)
    assert found.dispatches[-1] == whole.dispatches[2]
    assert list(found.dispatches[1:]) == list(whole.dispatches[1:])
    assert found.find("d2") == found.of_number(2) == whole.find("d2")
    assert found.find("nobody") is None
    with pytest.raises(BadInput, match="dispatch 9 is not there"):
        found.of_number(9)
    found.close()


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was looked at longest ago is let go, and folded again when it is looked at again."""
    path = written(tmp_path / "r", [FINE] * 40)
    monkeypatch.setattr(browsing, "MOST_TRACES", 5)
    found = opened(path)
    first = found.of_number(1)
    for number in range(2, 41):
        found.of_number(number)
    assert len(found._traces) == 5
    assert found.of_number(1) == first
    assert found.of_number(1) is not first
    monkeypatch.setattr(browsing, "MOST_BYTES", 1)
    found.of_number(2)
    assert list(found._traces) == ["d2"], "one is always kept, however large"
    found.close()


def test_stretches_hold_what_happened_in_them_in_order(tmp_path: Path) -> None:
    """Dispatches, further stretches and decisions, as the live trace has them; found from inside, too."""
    events = [
        Event("s", 0, 0, Entered("pluggable", "session", "one", "", 1)),
        Event("t", 0, 1, Entered("pluggable", "turn", "1", "s", 2)),
        *told("d1", FINE, parent="t", at=3),
        Event("t", 1, 2, Decided("turn", "goes on", "host", "", "a call is left")),
        *told("d2", DENIED, parent="t", at=4),
        Event("d2", 99, 9, Decided("plan", "stopped", "host", "", "it was denied")),
        Event("t", 2, 3, Decided("turn", "over", "host", "", "nothing is left")),
        Event("t", 3, 4, Left("")),
        Event("s", 1, 5, Left("", {"turns": 1})),
    ]
    whole = Trace()
    with Writer(tmp_path / "r") as writer:
        for event in events:
            writer.see(event)
            whole.take(event)
    found = opened(tmp_path / "r")
    for name in ("s", "t"):
        assert found.find_stretch(name) == whole.find_stretch(name)
    assert found.find_stretch("d1") is None
    assert found.outermost("d2") == whole.outermost("d2") == whole.find_stretch("s")
    assert found.outermost("nobody") is None
    denied = found.find("d2")
    assert denied is not None
    assert gist_of_row(found.row_of_number(2)) == gist_of(denied)
    assert gist_of(denied).decided == "stopped"
    found.close()


def test_parents_that_go_round_in_circles_are_followed_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged file does not hang whoever looks at it."""
    monkeypatch.setattr(browsing, "DEEPEST", 50)
    with Writer(tmp_path / "r") as writer:
        writer.see(Event("a", 0, 0, Entered("pluggable", "turn", "a", "b", 1)))
        writer.see(Event("b", 0, 0, Entered("pluggable", "turn", "b", "a", 1)))
        for event in told("d1", FINE, parent="a"):
            writer.see(event)
    found = opened(tmp_path / "r")
    assert found.outermost("d1") is not None
    found.close()


def test_what_comes_to_the_file_is_there_after_a_renewal(tmp_path: Path) -> None:
    """While another is writing it: nothing changes by itself, and what was seen stays as it was."""
    found = opened(written(tmp_path / "r", [FINE]))
    assert not found.renew()
    assert len(found.dispatches) == 1
    kept = found.dispatches[0]
    with sqlite3.connect(tmp_path / "r") as connection:  # as a writer would: one transaction
        connection.execute(
            "INSERT INTO events (scope, number, at_ns, body) "
            "SELECT 'd2', number, at_ns, body FROM events WHERE scope = 'd1'"
        )
        connection.execute(
            "INSERT INTO dispatches SELECT 'd2', 2, dialect, point, parent, wall_ns, took_ns, ending, decision, "
            "status, first_event, last_event, changes, errors, denials, steered, decided "
            "FROM dispatches WHERE id = 'd1'"
        )
    connection.close()
    assert found.renew()
    assert [each.id for each in found.dispatches] == ["d1", "d2"]
    assert found.dispatches[0] is kept
    assert found.dispatches[1].steps == kept.steps
    found.close()


def test_numbers_begin_where_a_cap_has_left_off(tmp_path: Path) -> None:
    """What was dropped is counted in the file, and the rest keeps its numbers."""
    path = written(tmp_path / "r", [FINE] * 9, caps=Caps(dispatches=4))
    found = opened(path)
    assert (found.standing.dispatches, found.standing.first, found.standing.dropped) == (4, 6, 5)
    assert [each.number for each in found.dispatches] == [6, 7, 8, 9]
    found.close()


def test_gaps_between_numbers_are_no_trouble(tmp_path: Path) -> None:
    """Somebody took dispatches out of the middle."""
    path = written(tmp_path / "r", [FINE] * 5)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM dispatches WHERE number IN (2, 4)")
    connection.close()
    found = opened(path)
    assert not found.standing.is_gapless
    assert [each.number for each in found.dispatches] == [1, 3, 5]
    found.close()


def test_the_next_of_a_kind_is_found_without_folding(tmp_path: Path) -> None:
    """By point, by errors, by changes, forwards and back; of which nothing is known, counts as such."""
    found = opened(written(tmp_path / "r", [FINE, CHANGED, FAILED, DENIED, FINE]))

    def number(row: Row | None) -> int:
        return 0 if row is None else row.number

    assert number(found.nearest(0, 1, such="errors")) == 3
    assert number(found.nearest(3, 1, such="errors")) == 0
    assert number(found.nearest(5, -1, such="changes")) == 2
    assert number(found.nearest(0, 1, such="denials")) == 4
    assert number(found.nearest(5, -1, point="plan-ready")) == 4
    assert not found._traces
    found.close()


@pytest.mark.parametrize("kind", [FINE, CHANGED, FAILED, DENIED])
def test_counting_agrees_with_folding(kind: tuple[str, dict[str, str], str]) -> None:
    """The quick way that every stored dispatch takes, and the one by way of its trace."""
    events = told("d", kind)
    trace = Trace()
    for event in events:
        trace.take(event)
    assert in_short(events) == of_trace(trace.dispatches[0])


def test_what_people_did_is_counted() -> None:
    """A fault that struck, an edit."""
    hit = told("d", FINE, control=Scripted(before_A=Proceed(fault=Fault("delay", {"ms": 1}))))
    assert in_short(hit).steered == Steering.FAULT
    assert in_short(told("d")).steered == Steering.NONE


def test_the_list_says_the_same_of_rows_and_of_traces(tmp_path: Path) -> None:
    """And folds where an older version has stored less."""
    found = opened(written(tmp_path / "r", [FINE, CHANGED, FAILED, DENIED]))
    for trace in found.dispatches:
        row = found.row_of_number(trace.number)
        assert gist_of_row(row) == gist_of(trace)
        assert gist_of_row(replace(row, changes=None)) is None
    found.close()
