"""Would have hit so many of the last."""

from __future__ import annotations

from filter_traces import CALM, DENIED, EVERY, TROUBLED, predicate

from debugger.filters import Hits, hits


def test_hits_are_counted_over_the_last_dispatches() -> None:
    """The newest count, and what is not known is said."""
    assert hits(predicate("status:denied"), EVERY) == Hits(1, 4, 0, 1)
    assert str(hits(predicate("status:denied"), EVERY)) == "would have hit 1 of the last 4, 1 not known"
    assert str(hits(predicate("sub:nobody"), EVERY)) == "would have hit 0 of the last 4"
    assert hits(predicate("status:denied"), EVERY, most=3) == Hits(0, 3, 0, 1)
    assert hits(predicate("status:denied"), EVERY, most=0).of == 0


def test_steps_are_counted_for_a_breakpoint() -> None:
    """A breakpoint holds at each step that fits, so one dispatch can be held more than once."""
    over = (DENIED, TROUBLED, CALM)
    found = hits(predicate("mode:veto"), over, of_steps=True)
    assert found == Hits(3, 3, 4, 0)
    assert str(found) == "would have hit 3 of the last 3, 4 steps"
    assert hits(predicate("status:denied"), EVERY, of_steps=True) == Hits(1, 4, 1, 1)


def test_there_is_nothing_to_try_it_on() -> None:
    """Before anything was dispatched."""
    assert str(hits(predicate("x"), ())) == "nothing to try it on yet"
