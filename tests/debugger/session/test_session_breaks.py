"""Breakpoints by filter at the seams of real dispatches: where they hold, what they tell, what they count."""

from __future__ import annotations

import pytest
from dispatch_runs import stub
from session_at_desk import PLAN, PRE, at_desk
from session_runs import Desk

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.breakpoints.counts import parsed
from debugger.breakpoints.ready import READY
from debugger.runcontrol import Command, Stance
from kernel.errors import BadInput, HookscopeError
from kernel.faults import Fault

AFTER = Side.AFTER


@pytest.mark.parametrize(
    ("where", "side", "held_at"),
    [
        ("sub:b", Side.BEFORE, "before B"),
        ("mode:observe", Side.BEFORE, "before A, before C"),
        ("changed:yes", AFTER, "after B"),
        ("path:$.messages", AFTER, "after B"),
        ("path:$.messages[*].id=x", AFTER, "after B"),
        ("path:$.messages[*].id=y", AFTER, ""),
        ("in:\"messages[?id=='x']\"", Side.BEFORE, "before C"),
        ("status:ok", AFTER, "after A, after C"),
        ("status:ok", Side.BEFORE, ""),
        ("!status:ok", Side.BEFORE, ""),
        ("sub:c some(sub:b changed:yes)", Side.BEFORE, "before C"),
        ("rule:*", AFTER, "after A, after B, after C"),
    ],
)
def test_a_breakpoint_holds_where_its_filter_is_known_to_be_true(where: str, side: Side, held_at: str) -> None:
    """Behind a step that includes what the dialect is going to make of the answer."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(Breakpoint(where, side))
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        found = []
        while desk.places(dispatch):
            found += desk.places(dispatch)
            await desk.command(dispatch, Command.CONTINUE)
        assert ", ".join(found) == held_at
        [kept] = desk.session.view.breakpoints
        assert kept.hits == len(found)

    at_desk("A:o B:t C:o", body, B=stub("+x"))


def ready(name: str) -> Breakpoint:
    return Breakpoint(next(where for each, where, _ in READY if each == name), AFTER)


@pytest.mark.parametrize(
    ("name", "does", "fault"),
    [
        ("denied", "deny", None), ("timeout", "hang", None), ("error", "none", None), ("invalid", "ack", None),
        ("slow", "late", Fault("delay", {"ms": 900})), ("stopped", "deny", None), ("injected", "allow", Fault("hang")),
    ],
)  # fmt: skip
def test_the_ready_ones_hold_at_what_they_say(name: str, does: str, fault: Fault | None) -> None:
    """Behind a veto that does that, and behind none that allows."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(ready(name))
        seat = desk.session.setup.chains[PLAN].subscriptions[1]
        if fault is not None:
            desk.session.arm(seat, fault, is_once=True)
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.places(dispatch) == ["after B"]
        await desk.command(dispatch, Command.CONTINUE)

    does = "allow" if does == "late" else does
    at_desk("A:v B:v", body, point=PLAN, B=stub(does))


@pytest.mark.parametrize(("name", "does"), [("changed", "+x"), ("aborted", "none"), ("error", "none")])
def test_the_ready_ones_hold_behind_a_transform(name: str, does: str) -> None:
    """A change, and what ends a chain without a decision."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(ready(name))
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.places(dispatch) == ["after B"]
        await desk.command(dispatch, Command.CONTINUE)

    at_desk("A:t B:t", body, B=stub(does))


@pytest.mark.parametrize(("count", "held"), [("=2", "2"), (">=2", "2 3 4"), ("%2", "2 4"), ("", "1 2 3 4")])
def test_a_count_decides_which_hits_hold(count: str, held: str) -> None:
    """Every hit counts, whether it holds or not."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(Breakpoint("sub:a", count=parsed(count)))
        found = []
        for number in range(1, 5):
            dispatch = await desk.fire(Stance.TO_BREAKPOINT)
            if desk.places(dispatch):
                found.append(str(number))
                await desk.command(dispatch, Command.CONTINUE)
        assert " ".join(found) == held
        assert desk.session.view.breakpoints[0].hits == 4

    at_desk("A:o", body)


def test_a_log_point_tells_and_lets_go() -> None:
    """Also while a person steps, and as often as its count says."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(Breakpoint("sub:b", AFTER, parsed("%2"), "{sub} {status} in #{n}"))
        for _ in range(4):
            await desk.fire(Stance.TO_END)
        assert desk.notes == ["B changed in #2", "B changed in #4"]
        dispatch = await desk.fire()
        await desk.command(dispatch, Command.FINISH)
        assert desk.session.view.breakpoints[0].hits == 5

    at_desk("A:o B:t", body, B=stub("+x"))


def test_breakpoints_can_be_changed_turned_off_and_removed() -> None:
    """All of them at once too, without forgetting any."""

    async def body(desk: Desk) -> None:
        session = desk.session
        first = session.add_breakpoint(Breakpoint("sub:a"))
        second = session.add_breakpoint(Breakpoint("sub:b"))
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        session.change_breakpoint(first, Breakpoint("sub:a", is_on=False))
        assert [each.hits for each in session.view.breakpoints] == [1, 0], "turned off it keeps its hits"
        await desk.command(dispatch, Command.CONTINUE)
        assert desk.places(dispatch) == ["before B"]
        session.turn_breakpoints(are_on=False)
        await desk.command(dispatch, Command.CONTINUE)
        assert desk.places(await desk.fire(Stance.TO_BREAKPOINT)) == []
        assert len(session.view.breakpoints) == 2
        session.turn_breakpoints(are_on=True)
        session.change_breakpoint(second, Breakpoint("sub:b", AFTER))
        assert [each.hits for each in session.view.breakpoints] == [1, 0]
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.places(dispatch) == ["after B"]
        session.remove_breakpoint(second)
        await desk.command(dispatch, Command.CONTINUE)
        with pytest.raises(HookscopeError):
            session.remove_breakpoint(second)
        with pytest.raises(BadInput):
            session.change_breakpoint(first, Breakpoint("nofield:x"))
        for wrong in (Breakpoint(""), Breakpoint("sub:"), Breakpoint("sub:a", log="{")):
            with pytest.raises(BadInput):
                session.add_breakpoint(wrong)
        assert len(session.view.breakpoints) == 1

    at_desk("A:o B:o", body)


def test_saved_filters_are_understood() -> None:
    """Those that were there when it was set."""

    async def body(desk: Desk) -> None:
        desk.session.use_saved_filters({"mine": "sub:b"})
        desk.session.add_breakpoint(Breakpoint("@mine"))
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.places(dispatch) == ["before B"]
        await desk.command(dispatch, Command.CONTINUE)
        with pytest.raises(BadInput, match="no filter is saved"):
            desk.session.add_breakpoint(Breakpoint("@other"))

    at_desk("A:o B:o", body)


def test_the_key_sets_and_takes_away_the_same_one() -> None:
    """A breakpoint that says something else stays."""

    async def body(desk: Desk) -> None:
        desk.session.add_breakpoint(Breakpoint("sub:a"))
        desk.session.toggle_breakpoint(at_seat("A", PRE))
        assert len(desk.session.view.breakpoints) == 2
        assert desk.session.view.has_breakpoint(desk.session.setup.chains[PRE].subscriptions[0])
        desk.session.toggle_breakpoint(at_seat("A", PRE))
        assert [each.breakpoint.where for each in desk.session.view.breakpoints] == ["sub:a"]

    at_desk("A:o", body)
