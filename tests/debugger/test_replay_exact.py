"""Exact replay: whatever was told is told again, and what no longer fits is found where it begins."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

from dispatch_runs import Scripted, Told, on_virtual_time, stub
from hypothesis import given
from hypothesis import strategies as st
from pluggable_answers import ANSWERS
from pluggable_payloads import VIEWS

from debugger.replay.exact import replay
from kernel import Caller, VirtualClock
from kernel.clock import NS_PER_MS
from kernel.control import Back, Directive, Instead, Proceed, Retry, Seam, Skip, Stop
from kernel.dialects.pluggable import PLUGGABLE, Pluggable
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.facts import Ended, Event, Resolved
from kernel.faults import Fault
from kernel.values import Answered, Failed

SAYS = ["ack", "same", "+x", "allow", "deny", "none", "hang"]


def told(seats: str, says: list[str], *, gives_up_ms: float | None = None, **how: object) -> list[Event]:
    """Everything that one dispatch told."""

    async def body(clock: VirtualClock) -> Told:
        caller = Caller()
        if gives_up_ms is not None:
            caller.give_up_at(clock, round(gives_up_ms * NS_PER_MS), "enough")
        subscribers = {name: stub(does, 1) for name, does in zip("ABCD", says, strict=False)}
        return await Told().run(seats, subscribers, clock, caller=caller, **how)  # type: ignore[arg-type]

    return on_virtual_time(body).events


@given(
    modes=st.lists(st.sampled_from("otv"), min_size=0, max_size=4),
    says=st.lists(st.sampled_from(SAYS), min_size=4, max_size=4),
    parallel=st.booleans(),
    gives_up_ms=st.none() | st.sampled_from([0.5, 1.5, 2.5]),
)
def test_every_dispatch_is_told_again_to_the_letter(
    modes: list[str], says: list[str], parallel: bool, gives_up_ms: float | None
) -> None:
    """Parallel runs, failures, callers that give up at any moment: every fact, number and time."""
    seats = " ".join(f"{name}:{mode}" for name, mode in zip("ABCD", modes, strict=False))
    events = told(seats, says, parallel=parallel, gives_up_ms=gives_up_ms)
    again, divergence = replay(events, Pluggable(concurrent_observe=parallel))
    assert divergence is None
    assert list(again) == events


def _edited() -> HookPayload:
    view = VIEWS["pre-model-call"]
    assert isinstance(view, dict)
    return from_view("pre-model-call", {**view, "messages": []})


async def _other_change(seam: Seam) -> Directive:
    body = ANSWERS["+y"](seam.ask.request)
    assert body is not None
    return Instead(Answered(body))


async def _as_recorded(seam: Seam) -> Directive:
    body = ANSWERS["+y"](seam.ask.request)
    assert body is not None
    return Instead(Answered(body), "what-if", is_its_own=True)


STEERING: list[dict[str, Any]] = [
    {"before_B": Skip()},
    {"after_B": Skip()},
    {"before_B": Stop()},
    {"after_A": Stop()},
    {"before_B": Instead(Failed("INTERNAL", "no"))},
    {"after_B": Instead(Answered(b"\x0a\x00"))},
    {"after_C": Instead(Answered(b"\x12\x00"))},
    {"after_C": _other_change},
    {"before_C": _other_change},
    {"before_C": _as_recorded},
    {"before_A": Proceed(_edited())},
    {"before_B": Proceed(_edited(), Fault("hang"))},
]


@given(
    at=st.sampled_from(["before_A", "after_A", "before_B", "after_B", "before_C", "after_C"]),
    parallel=st.booleans(),
    is_torn=st.booleans(),
)
def test_a_dispatch_that_ends_while_it_is_held_is_told_again(at: str, parallel: bool, is_torn: bool) -> None:
    """Before and after each subscriber: the caller is sent away, or the whole task is ended."""
    found = Told()

    async def body(clock: VirtualClock) -> None:
        caller, reached = Caller(), asyncio.Event()

        async def held(seam: Seam) -> Directive:
            reached.set()
            await asyncio.get_running_loop().create_future()
            raise AssertionError("nobody lets it go")

        subscribers = {name: stub(does, 1) for name, does in {"A": "ack", "B": "ack", "C": "+x"}.items()}
        running = asyncio.create_task(
            found.run(
                "A:o B:o C:t", subscribers, clock, caller=caller, control=Scripted(**{at: held}), parallel=parallel
            )
        )
        await reached.wait()
        if is_torn:
            running.cancel()
        else:
            caller.cancel("stopped by a person")
        with contextlib.suppress(asyncio.CancelledError):
            await running

    on_virtual_time(body)
    assert isinstance(found.facts[-1], Ended)
    again, divergence = replay(found.events, Pluggable(concurrent_observe=parallel))
    assert divergence is None
    assert list(again) == found.events


@given(script=st.sampled_from(STEERING), parallel=st.booleans())
def test_what_people_did_is_done_again(script: dict[str, Any], parallel: bool) -> None:
    """Edits, skips, answers, stops and faults, in a run of observers too."""
    events = told("A:o B:o C:t", ["ack", "ack", "+x"], control=Scripted(**script), parallel=parallel)
    again, divergence = replay(events, Pluggable(concurrent_observe=parallel))
    assert divergence is None
    assert list(again) == events


class _Wanderer:
    """Goes back once, and has somebody asked again once."""

    def __init__(self) -> None:
        self.seams: list[Seam] = []
        self.is_back = self.is_again = False

    async def before(self, seam: Seam) -> Directive:
        self.seams.append(seam)
        if seam.ask.subscription.name == "C" and not self.is_back:
            self.is_back = True
            return Back(self.seams[1].walk)
        return Proceed()

    async def after(self, seam: Seam) -> Directive:
        if seam.ask.subscription.name == "A" and not self.is_again:
            self.is_again = True
            return Retry()
        return Proceed()


def test_going_back_and_asking_again_are_told_again() -> None:
    """As they were."""
    events = told("A:t B:t C:t", ["+x", "+y", "same"], control=_Wanderer())
    again, divergence = replay(events, PLUGGABLE)
    assert divergence is None
    assert list(again) == events


def test_what_no_longer_fits_is_found_where_it_begins() -> None:
    """A verdict that this kernel would not give: its number, what was recorded and what is told now."""
    events = told("A:o B:v", ["ack", "deny"], point="plan-ready")
    [place] = [n for n, event in enumerate(events) if isinstance(event.fact, Resolved) and event.fact.step == 1]
    verdict = events[place].fact
    assert isinstance(verdict, Resolved)
    events[place] = replace(events[place], fact=replace(verdict, rule="PL-VETO-ALLOW"))
    again, divergence = replay(events, PLUGGABLE)
    assert divergence is not None
    assert (divergence.number, len(again)) == (place, place)
    assert isinstance(divergence.recorded, dict)
    assert isinstance(divergence.now, dict)
    assert (divergence.recorded["rule"], divergence.now["rule"]) == ("PL-VETO-ALLOW", "PL-VETO-DENY")


def test_another_switch_tells_another_story() -> None:
    """A parallel run replayed one after another parts where the second is asked too early."""
    events = told("A:o B:o", ["ack", "ack"], parallel=True)
    _, divergence = replay(events, PLUGGABLE)
    assert divergence is not None
    assert divergence.now is None
