"""Armed faults by filter: which calls they befall, by order and by chance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_at_desk import PLAN, at_desk
from session_runs import Desk

from debugger.runcontrol import Stance
from debugger.session import ONCE, Only, When
from debugger.session.faults import befalls
from kernel.errors import BadInput
from kernel.faults import Draw, Fault

HANG = Fault("hang")


@pytest.mark.parametrize(
    ("when", "struck", "left"),
    [
        (ONCE, "1", 0), (When(), "1 2 3 4", 1), (When(Only.NTH, 3), "3", 0), (When(Only.FIRST, 2), "1 2", 0),
        (When(Only.NTH, 9), "", 1), (When(Only.FIRST, 9), "1 2 3 4", 1),
    ],
)  # fmt: skip
def test_a_fault_befalls_the_calls_that_it_is_meant_for(when: When, struck: str, left: int) -> None:
    """Counted among those that fit its filter; one that can befall nobody any more is gone."""

    async def body(desk: Desk) -> None:
        desk.session.arm_where("sub:b", HANG, when)
        found = []
        for number in range(1, 5):
            trace = desk.of(await desk.fire(Stance.TO_END))
            assert not trace.step(0).steered
            if any(each.what == "fault" for each in trace.step(1).steered):
                found.append(str(number))
        assert (" ".join(found), len(desk.session.view.armed)) == (struck, left)

    at_desk("A:v B:v", body, point=PLAN)


def test_chance_is_drawn_from_the_seed_and_the_number_of_the_call() -> None:
    """The record of every call that was struck says how to draw it again."""

    async def body(desk: Desk) -> None:
        when = When(chance=0.5, seed=7)
        desk.session.arm_where("sub:a", HANG, when)
        struck = []
        for call in range(1, 13):
            trace = desk.of(await desk.fire(Stance.TO_END))
            told = [each for each in trace.step(0).steered if each.what == "fault"]
            draw = Draw(0.5, 7, call)
            assert bool(told) is draw.is_hit
            struck += told
            if told:
                assert [each.detail for each in told] == [f"hang [chance 50 %, seed 7, call {call}]"]
                assert [each.fault for each in told] == [Fault("hang", draw=draw)]
        assert 0 < len(struck) < 12
        [armed] = desk.session.view.armed
        assert (armed.calls, armed.hits) == (12, len(struck))

    at_desk("A:v", body, point=PLAN)


@given(seed=st.integers(0, 2**32), chance=st.floats(0.05, 0.95))
def test_the_same_seed_draws_the_same_and_about_as_often_as_it_says(seed: int, chance: float) -> None:
    """Whatever else happens meanwhile."""
    when = When(chance=chance, seed=seed)
    drawn = [befalls(when, call) for call in range(1, 401)]
    assert drawn == [befalls(when, call) for call in range(1, 401)]
    assert abs(sum(drawn) / 400 - chance) < 0.15


def test_a_fault_meets_only_those_that_can_suffer_it_and_fit() -> None:
    """By what is known before the call; the first that was armed wins."""

    async def body(desk: Desk) -> None:
        session = desk.session
        session.arm_where("mode:veto step:1", HANG, When())
        session.arm_where("mode:veto", Fault("delay", {"ms": 2}), When())
        trace = desk.of(await desk.fire(Stance.TO_END))
        told = [[each.detail for each in step.steered] for step in trace.steps]
        assert told == [["delay (ms=2)"], ["hang"]]
        session.arm_where("mode:veto", Fault("delay", {"ms": 1}), When())
        assert len(session.view.armed) == 2, "the same filter: replaced"
        session.disarm_where("mode:veto")
        assert [armed.where for armed in session.view.armed] == ["mode:veto step:1"]
        session.disarm()
        for where, fault, when in (
            ("", HANG, ONCE), ("nofield:x", HANG, ONCE), ("sub:a", Fault("nothing"), ONCE),
            ("sub:a", HANG, When(chance=0)), ("sub:a", HANG, When(chance=1.5)), ("sub:a", HANG, When(Only.NTH, 0)),
        ):  # fmt: skip
            with pytest.raises(BadInput):
                session.arm_where(where, fault, when)
        assert session.view.armed == ()

    at_desk("A:v B:v", body, point=PLAN)


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (ONCE, "next call"), (When(), "every call"), (When(Only.NTH, 3), "call 3"),
        (When(Only.FIRST, 2), "first 2 calls"), (When(chance=0.3, seed=7), "every call, 30 %, seed 7"),
    ],
)  # fmt: skip
def test_when_is_said_in_words(when: When, words: str) -> None:
    """For the banner."""
    assert str(when) == words
