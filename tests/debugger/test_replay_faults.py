"""Faults in replays: an exact one tells them to the letter, one that asks anew has them befall the same calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub
from pluggable_answers import ANSWERS
from pluggable_payloads import VIEWS
from session_at_desk import PLAN, at_desk
from session_runs import Desk

from debugger.comparing import compare
from debugger.replay.exact import replay
from debugger.replay.live import fault_of, run_again
from debugger.runcontrol import Stance
from debugger.session import When
from debugger.store import codec
from debugger.store.recording import Recording
from debugger.store.writer import Writer
from debugger.trace import DispatchTrace, StepTrace, Trace
from kernel.clock import VirtualClock
from kernel.control import Instead, Proceed, Seam, Skip
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.facts import Event, Steered
from kernel.faults import Draw, Fault
from kernel.values import Answered, Subscription

CALLS = 24
NAMES = "ABC"


def recorded(path: Path) -> list[tuple[Event, ...]]:
    """A file of dispatches in which chance chose whom faults befell."""

    async def body(desk: Desk) -> None:
        desk.session.arm_where("sub:a", Fault("hang"), When(chance=0.4, seed=3))
        desk.session.arm_where("sub:b", Fault("delay", {"ms": 7}), When(chance=0.5, seed=4))
        for _ in range(CALLS):
            await desk.fire(Stance.TO_END)

    with Writer(path) as writer:
        at_desk("A:o B:v C:v", body, point=PLAN, probes=(writer,))
    with Recording(path) as recording:
        return [tuple(recording.events(row.id)) for row in recording.rows(after=0)]


def struck(trace: DispatchTrace) -> list[Fault | None]:
    return [fault_of(step) for step in trace.steps]


def traces(path: Path) -> list[DispatchTrace]:
    with Recording(path) as recording:
        return [recording.trace(row.id) for row in recording.rows(after=0)]


def test_a_recording_in_which_chance_struck_is_told_again_to_the_letter(tmp_path: Path) -> None:
    """Every byte of every fact, draws included; some calls were struck and others were not."""
    told = recorded(tmp_path / "r")
    assert len(told) == CALLS
    for events in told:
        again, parted = replay(events, PLUGGABLE)
        assert parted is None
        pairs = zip(again, events, strict=True)
        assert all(codec.encode(now.fact, print) == codec.encode(then.fact, print) for now, then in pairs)
    draws = [fault.draw for trace in traces(tmp_path / "r") for fault in struck(trace) if fault is not None]
    assert {draw.seed for draw in draws if draw is not None} == {3, 4}
    assert CALLS / 4 < len(draws) < 2 * CALLS


def test_a_replay_that_asks_anew_has_the_same_faults_befall_the_same_calls(tmp_path: Path) -> None:
    """All of them live, or one: nobody who compares the two can tell them apart."""
    recorded(tmp_path / "r")

    async def again(clock: VirtualClock) -> None:
        stubs = {"A": stub("ack"), "B": stub("allow"), "C": stub("allow")}
        for trace in traces(tmp_path / "r"):
            for live in (NAMES, "A", "B", "C"):
                found = await run_again(trace, PLUGGABLE, trace.opened.chain, stubs, frozenset(live), clock=clock)
                assert compare(trace, found).differs_in is None
                for then, now in zip(struck(trace), found.steps, strict=True):
                    is_live = now.subscription.name in live
                    assert fault_of(now) == (then if is_live else None)

    on_virtual_time(again)


def _emptied() -> HookPayload:
    view = VIEWS["pre-model-call"]
    assert isinstance(view, dict)
    return from_view("pre-model-call", {**view, "messages": []})


async def another(seam: Seam) -> Instead:
    body = ANSWERS["+a"](seam.ask.request)
    assert body is not None
    return Instead(Answered(body))


@pytest.mark.parametrize(
    "script",
    [
        {"after_B": another},
        {"before_B": another},
        {"before_B": Skip()},
        {"after_B": Skip()},
        {"before_C": Proceed(_emptied())},
    ],
)
@pytest.mark.parametrize("live", ["", "A", "B", "C", "ABC"])
def test_a_replay_that_asks_anew_does_again_what_people_did(script: dict[str, Any], live: str) -> None:
    """Whoever compares the two can tell nothing apart, nor whose work a change is."""

    async def body(clock: VirtualClock) -> tuple[DispatchTrace, DispatchTrace]:
        stubs = {"A": stub("ack"), "B": stub("+x"), "C": stub("+y")}
        told = await Told().run("A:o B:t C:t", stubs, clock, control=Scripted(**script))
        kept = Trace()
        for event in told.events:
            kept.take(event)
        [then] = kept.dispatches
        chain = then.opened.chain
        return then, await run_again(then, PLUGGABLE, chain, stubs, frozenset(live), clock=clock)

    then, now = on_virtual_time(body)
    assert compare(then, now).differs_in is None
    assert [change.after.digest for change in then.changes] == [change.after.digest for change in now.changes]
    subscribers = {seat.name for seat in then.opened.chain.subscriptions}
    assert [change.by in subscribers for change in then.changes] == [change.by in subscribers for change in now.changes]


def test_a_draw_that_would_not_strike_is_found() -> None:
    """Whoever changes how chance is drawn, or a record by hand, is told where."""

    async def body(clock: VirtualClock) -> list[Event]:
        control = Scripted(before_A=Proceed(fault=Fault("hang", draw=Draw(0.4, 3, 1))))
        told = await Told().run("A:v", {"A": stub("allow")}, clock, point=PLAN, control=control)
        return told.events

    events = on_virtual_time(body)
    misses = next(number for number in range(1, 99) if not Draw(0.4, 3, number).is_hit)
    for call in (misses, next(number for number in range(1, 99) if Draw(0.4, 3, number).is_hit)):
        changed = [
            replace(event, fact=replace(event.fact, fault=Fault("hang", draw=Draw(0.4, 3, call))))
            if isinstance(event.fact, Steered)
            else event
            for event in events
        ]
        _, parted = replay(changed, PLUGGABLE)
        assert (parted is None) is (call != misses)


def test_of_a_call_that_was_repeated_the_last_time_counts() -> None:
    """The fault that befell the first time is gone with its answer."""
    seat = Subscription("A", PLAN, "veto")
    hang, slow = Fault("hang"), Fault("delay", {"ms": 1})
    first, again = Steered(0, "person", "fault", fault=hang), Steered(0, "person", "asked again")
    second = Steered(0, "person", "fault", fault=slow)
    assert fault_of(StepTrace(0, seat, steered=(first,))) == hang
    assert fault_of(StepTrace(0, seat, steered=(first, again))) is None
    assert fault_of(StepTrace(0, seat, steered=(first, again, second))) == slow
