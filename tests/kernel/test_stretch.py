"""Stretches: what is told of a host's own work around its dispatches."""

from __future__ import annotations

import asyncio

import pytest

from kernel import Probes, VirtualClock
from kernel.facts import Decided, Entered, Event, Left
from kernel.stretch import Stretches, random_id


class Seen:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def see(self, event: Event) -> None:
        self.events.append(event)


def test_a_stretch_is_told_from_end_to_end() -> None:
    """Its facts count from 0; what is noted comes with the end; the one inside names it as its parent."""
    seen, names = Seen(), iter("ab")
    stretches = Stretches("rig", Probes(seen), VirtualClock(), new_id=lambda: next(names))
    with stretches.entered("session", "one", None, {"depth": 0}) as session:
        session.note({"cost": 1})
        with stretches.entered("turn", "first", session) as turn:
            turn.decided("call", "deny", by="rule", rule="R", why="because")
        session.note({"cost": 2, "turns": 1})
    told = [(event.dispatch, event.number, event.fact) for event in seen.events]
    assert [(name, number) for name, number, _ in told] == [("a", 0), ("b", 0), ("b", 1), ("b", 2), ("a", 1)]
    first, inner, decided, _, last = [fact for _, _, fact in told]
    assert isinstance(first, Entered)
    assert (first.dialect, first.kind, first.name, first.parent, first.attributes) == (
        "rig",
        "session",
        "one",
        "",
        {"depth": 0},
    )
    assert isinstance(inner, Entered)
    assert inner.parent == "a"
    assert decided == Decided("call", "deny", "rule", "R", "because")
    assert last == Left("", {"cost": 2, "turns": 1})


@pytest.mark.parametrize("error", [ValueError("bad"), ValueError(), asyncio.CancelledError()])
def test_what_is_raised_ends_a_stretch_badly_and_goes_on(error: BaseException) -> None:
    """Its sentence, or else its kind, is the error."""
    seen = Seen()
    stretches = Stretches("rig", Probes(seen), VirtualClock())
    with pytest.raises(type(error)), stretches.entered("turn", "one", None):
        raise error
    assert seen.events[-1].fact == Left(str(error) or type(error).__name__)


def test_nobody_watching_costs_no_fact() -> None:
    """And ids are ids all the same, each another one."""
    with Stretches("rig", Probes(), VirtualClock()).entered("turn", "one", None) as stretch:
        stretch.fail("sadly")
    assert stretch.id
    assert random_id() != random_id()
