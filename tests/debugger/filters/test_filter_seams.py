"""What breakpoints can know at the seams of real dispatches."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub

from debugger.filters import Predicate, Sight, at_seam, compiled, parse
from debugger.trace import Trace
from kernel.clock import VirtualClock
from kernel.control import PROCEED, Directive, Proceed, Retry, Seam
from kernel.faults import Fault
from kernel.subscriber import Subscriber

SEATS = "A:o B:t C:v D:o"


def stubs() -> dict[str, Subscriber]:
    return {"A": stub("ack", 3), "B": stub("+x", 20), "C": stub("deny", 900), "D": stub("ack")}


def fired(text: str, *, seats: str = SEATS, faulty: str = "", again: str = "", **others: Subscriber) -> list[str]:
    """The seams, such as `after B`, at which a breakpoint with this filter holds."""
    asked = compiled(parse(text), Sight())
    trace, hit = Trace(), list[str]()
    retried: set[str] = set()

    def watch(side: str, name: str) -> Callable[[Seam], Awaitable[Directive]]:
        async def at(seam: Seam) -> Directive:
            if _matches(asked, trace, seam):
                hit.append(f"{side} {name}")
            if side == "after" and name == again and name not in retried:
                retried.add(name)
                return Retry()
            return Proceed(fault=Fault("hang")) if (side, name) == ("before", faulty) else PROCEED

        return at

    names = [each.split(":")[0] for each in seats.split()]
    script = {f"{side}_{name}": watch(side, name) for side in ("before", "after") for name in names}

    class Watch:
        def see(self, event: object) -> None:
            trace.take(event)  # type: ignore[arg-type]

    async def body(clock: VirtualClock) -> Told:
        subscribers = {**stubs(), **others}
        return await Told().run(seats, subscribers, clock, control=Scripted(**script), watchers=(Watch(),))

    on_virtual_time(body)
    return hit


def _matches(asked: Predicate, trace: Trace, seam: Seam) -> bool:
    dispatch = trace.find(seam.dispatch)
    assert dispatch is not None
    known, step = at_seam(dispatch, seam)
    assert known.step(seam.ask.step) is step
    return asked.matches_step(known, step) is True


@pytest.mark.parametrize(
    ("text", "seams"),
    [
        ("sub:B", ["before B", "after B"]),
        ("mode:veto", ["before C", "after C"]),
        ("in:\"messages[?id=='x']\"", ["before C", "after C"]),
        ("sub:C in:messages", ["before C", "after C"]),
        ("status:ok", ["after A"]),
        ("status:changed", ["after B"]),
        ("status:denied", ["after C"]),
        ("!status:ok", ["after B", "after C"]),
        ("effect:stop", ["after C"]),
        ("outcome:answered", ["after A", "after B", "after C"]),
        ("path:$.messages", ["after B"]),
        ("changed:yes", ["after B"]),
        ("changed:no", ["after A", "after C"]),
        ("dur:>10ms", ["after B", "after C"]),
        ("slow:>80%", ["after C"]),
        ("rule:VETO", ["after C"]),
        ("status:waiting", ["before A", "before B", "before C"]),
        ("decision:deny", []),
        ("some(status:denied)", ["after C"]),
        ("sub:C some(status:changed)", ["before C", "after C"]),
    ],
)
def test_a_breakpoint_holds_where_its_filter_is_known_to_be_true(text: str, seams: list[str]) -> None:
    """In front of the step by what will be asked; behind it by what the dialect is going to make of the answer."""
    assert fired(text) == seams


def test_a_timeout_is_known_behind_the_step() -> None:
    """By its outcome, its status and its rule alike, whoever caused it."""
    for text in ("outcome:timeout", "status:timeout", "slow:>=100%", "category:TIMEOUT", "fault:hang outcome:timeout"):
        assert fired(text, faulty="C") == ["after C"], text


def test_a_step_that_is_asked_again_is_a_new_one() -> None:
    """What its first answer was is not known of it any more, until it has answered again."""
    assert fired("status:changed", again="B") == ["after B", "after B"]
    assert fired("status:waiting sub:B", again="B") == ["before B", "before B"]
    assert fired("dur:>10ms sub:B", again="B") == ["after B", "after B"]


def test_looking_changes_nothing() -> None:
    """The dispatch at hand keeps its own trace."""
    seen: list[bool] = []
    trace = Trace()

    async def at(seam: Seam) -> Directive:
        before = trace.find(seam.dispatch)
        assert before is not None
        at_seam(before, seam)
        seen.append(trace.find(seam.dispatch) is before)
        return PROCEED

    class Watch:
        def see(self, event: object) -> None:
            trace.take(event)  # type: ignore[arg-type]

    async def body(clock: VirtualClock) -> Told:
        script = Scripted(before_A=at, after_A=at)
        return await Told().run("A:t", {"A": stub("+x")}, clock, control=script, watchers=(Watch(),))

    run = on_virtual_time(body)
    assert seen == [True, True]
    assert run.result is not None
    assert len(trace.dispatches[0].changes) == 1
