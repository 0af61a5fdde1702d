"""What keys do, at a desk without a screen: deeds by themselves, over a place that writes down what was wished."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from session_runs import setup_of

from debugger.actions import ACTIONS
from debugger.breakpoints import Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.choosing import Choosing
from debugger.desk import Desk, breakpoints, editing, stepping
from debugger.desk.live import LiveDesk
from debugger.desk.place import CHOOSE_FIRST
from debugger.opening import Opening
from debugger.runcontrol import Command
from debugger.session import Hold, SessionView, SetBreakpoint
from kernel.dialects.pluggable import PLUGGABLE
from kernel.values import Answered, Ask, Subscription

SEATS = setup_of("A:v", "plan-ready").chains["plan-ready"].subscriptions


class Wishes:
    """A session that only writes down what it is asked for."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: self.made.append((name, *given))


class StillPlace:
    """As much of a desk as these deeds need."""

    def __init__(self, seen: SessionView, choosing: Choosing, seat: Subscription | None = None) -> None:
        self.seen = seen
        self.choosing = choosing
        self.seat = seat
        self.wishes = Wishes()
        self.said: list[str] = []

    def wish(self, doing: Callable[[Any], object]) -> None:
        doing(self.wishes)

    def say(self, text: str, **_: object) -> None:
        self.said.append(text)


def hold(dispatch: str, step: int, side: Side = Side.BEFORE, answer: Answered | None = None) -> Hold:
    ask = Ask(step, SEATS[0], PLUGGABLE.sample_payload("plan-ready"), b"", 1000)
    return Hold(dispatch, step, "A", side, 0, ask, answer)


HELD = SessionView(holds=(hold("d1", 0), hold("d1", 1), hold("d2", 0)))


def test_every_action_has_one_deed(monkeypatch: pytest.MonkeyPatch) -> None:
    """And every deed an action: neither a key without effect nor an effect without a key."""
    desks: list[Desk] = []
    monkeypatch.setattr("debugger.desk.live.Bridge", lambda kernel, on_news: None)
    desks.append(LiveDesk(Opening(Path("agent.hcl")), None, None))  # type: ignore[arg-type]  # nothing of them is used
    assert set(desks[0].deeds) == {action.id for action in ACTIONS}
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize(
    ("seen", "choosing", "key", "made"),
    [
        (HELD, Choosing("d1", 1), "next", [("command", "d1", Command.NEXT, 1)]),
        (HELD, Choosing("d1"), "step", [("command", "d1", Command.STEP, 0)]),
        (HELD, Choosing("d1", 7), "skip", [("command", "d1", Command.SKIP, 0)]),
        (HELD, Choosing(), "finish", []),
        (SessionView(), Choosing("d9"), "pause", [("command", "d9", Command.PAUSE, None)]),
        (SessionView(is_playing=True), Choosing("d9"), "pause", [("pause_play",)]),
        (SessionView(is_playing=True), Choosing("d9"), "stop", [("stop_play",)]),
        (SessionView(does_time_run=True), Choosing(), "clock", [("let_time_run", False)]),
    ],
)
def test_a_stepping_key_is_one_command(
    seen: SessionView, choosing: Choosing, key: str, made: list[tuple[object, ...]]
) -> None:
    """For the chosen step if it is held, or else the first that is."""
    place = StillPlace(seen, choosing)
    stepping.deeds(place)[key]()  # type: ignore[arg-type]
    assert place.wishes.made == made


def test_every_held_dispatch_is_let_go_once() -> None:
    """However many of its steps are held."""
    place = StillPlace(HELD, Choosing())
    stepping.deeds(place)["continue_all"]()  # type: ignore[arg-type]
    assert sorted(place.wishes.made) == [("command", "d1", Command.CONTINUE), ("command", "d2", Command.CONTINUE)]


def test_a_breakpoint_needs_a_subscriber() -> None:
    """Without one it is said how to choose one."""
    place = StillPlace(SessionView(), Choosing())
    breakpoints.deeds(place)["break_before"]()  # type: ignore[arg-type]
    assert (place.wishes.made, place.said) == ([], [CHOOSE_FIRST])
    point = at_seat("A", "plan-ready", Side.AFTER)
    for known, words in (((), "holds after A"), ((SetBreakpoint(1, point),), "no longer holds after A")):
        place = StillPlace(SessionView(breakpoints=known), Choosing(), SEATS[0])
        breakpoints.deeds(place)["break_after"]()  # type: ignore[arg-type]
        assert place.wishes.made == [("toggle_breakpoint", point)]
        assert place.said == [f"{words} at plan-ready"]


def test_what_can_be_edited_follows_from_the_side() -> None:
    """The payload going in, the answer that came; nothing where none came."""
    before = editing.edit_of(hold("d1", 0), PLUGGABLE)
    assert before is not None
    assert (before.title, before.start) == (
        "What A is asked about",
        PLUGGABLE.sample_payload("plan-ready").view,
    )
    after = editing.edit_of(hold("d1", 0, Side.AFTER, Answered(b"")), PLUGGABLE)
    assert after is not None
    assert after.title == "What A answered"
    assert editing.edit_of(hold("d1", 0, Side.AFTER), PLUGGABLE) is None
    wishes = Wishes()
    before.take(wishes, {"plan": {}})  # type: ignore[arg-type]
    after.take(wishes, None)  # type: ignore[arg-type]
    assert wishes.made == [("edit_payload", "d1", 0, {"plan": {}}), ("edit_answer", "d1", 0, None)]
