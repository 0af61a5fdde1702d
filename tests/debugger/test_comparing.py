"""Claims about two dispatches beside each other: the first step at which they part is the cause of the rest."""

from __future__ import annotations

import asyncio

import pytest
from dispatch_runs import Told, chain, on_virtual_time, stub

from debugger.comparing import Part, compare
from debugger.ignoring import ignored
from debugger.replay.live import run_again
from debugger.trace import DispatchTrace, Trace
from kernel import Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.rig import RIG
from kernel.facts import Event, Steered
from kernel.transports.stub import Stub
from kernel.values import JSON


def ran(seats: str, says: list[str], point: str = "pre-model-call", timeout_ms: int = 1000) -> DispatchTrace:
    """One dispatch on virtual time, as a trace."""

    async def body(clock: VirtualClock) -> Told:
        names = [seat.split(":")[0] for seat in seats.split()]
        subscribers = {name: stub(does, 1) for name, does in zip(names, says, strict=True)}
        return await Told().run(seats, subscribers, clock, point=point, timeout_ms=timeout_ms)

    trace = Trace()
    for event in on_virtual_time(body).events:
        trace.take(event)
    [found] = trace.dispatches
    return found


CASES = {
    "nothing": (("A:o B:t", ["ack", "+x"]), ("A:o B:t", ["ack", "+x"]), None, None),
    "another seat": (("A:o B:t", ["ack", "+x"]), ("A:o C:o B:t", ["ack", "ack", "+x"]), Part.SEAT, "C"),
    "another answer": (("A:t B:o", ["+x", "ack"]), ("A:t B:o", ["+y", "ack"]), Part.OUTCOME, "A"),
    "an answer of the same effect": (("A:o B:o", ["ack", "ack"]), ("A:o B:o", ["none", "ack"]), Part.OUTCOME, "A"),
    "another kind of trouble": (("A:o", ["hang"]), ("A:o", ["none"]), Part.OUTCOME, "A"),
    "the same trouble": (("A:o", ["hang"]), ("A:o", ["hang"]), None, None),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_first_difference_is_named(case: str) -> None:
    """What, and whose step."""
    first, second, part, name = CASES[case]
    found = compare(ran(*first), ran(*second))
    assert (found.differs_in, found.at and found.at.name) == (part, name)


def test_a_denial_instead_of_a_pass_is_the_cause_and_not_who_is_asked_later() -> None:
    """Later steps differ as well, and are not blamed."""
    found = compare(
        ran("A:v B:v", ["allow", "allow"], "plan-ready"), ran("A:v B:v", ["deny", "allow"], "plan-ready")
    )  # fmt: skip
    assert found.differs_in is Part.OUTCOME
    assert found.at is not None
    assert [pairing.differs_in for pairing in found.pairings] == [Part.OUTCOME, Part.ASKED]


IGNORING = {
    "what differs": (["$.messages[*].content", "$.messages[*].id"], None, None),
    "what differs, at this point": (["pre-model-call $.messages[*].content", "$.messages[*].id"], None, None),
    "the same at another point": (["plan-ready $.messages[*].content", "$.messages[*].id"], Part.OUTCOME, "A"),
    "half of it": (["$.messages[*].content"], Part.OUTCOME, "A"),
    "something else": (["$.model"], Part.OUTCOME, "A"),
}


@pytest.mark.parametrize("case", IGNORING)
def test_places_that_are_ignored_do_not_count(case: str) -> None:
    """Neither in answers, nor in the questions and payloads of whoever comes later, nor in the result."""
    places, part, name = IGNORING[case]
    first, second = ran("A:t B:t C:o", ["+x", "same", "ack"]), ran("A:t B:t C:o", ["+y", "same", "ack"])
    found = compare(first, second, PLUGGABLE, [ignored(place) for place in places])
    assert (found.differs_in, found.at and found.at.name) == (part, name)


def test_what_is_not_ignored_counts_beside_it() -> None:
    """Another deadline, another seat, and another verdict."""
    places = [ignored("$.messages[*].content"), ignored("$.messages[*].id")]
    first = ran("A:t B:o", ["+x", "ack"])
    assert compare(first, ran("A:t B:o", ["+y", "ack"], timeout_ms=7), None, places).differs_in is Part.REQUEST
    assert compare(first, ran("A:t B:o", ["+y", "none"]), None, places).differs_in is Part.VERDICT
    assert compare(first, ran("A:t", ["+y"]), None, places).differs_in is Part.SEAT
    assert compare(first, ran("A:t B:o", ["same", "ack"]), None, places).differs_in is Part.OUTCOME


def test_another_deadline_is_another_request() -> None:
    """The bytes are the same, what the subscriber is told is not."""
    found = compare(ran("A:o", ["ack"]), ran("A:o", ["ack"], timeout_ms=7))
    assert found.differs_in is Part.REQUEST


def test_some_live_and_the_others_as_recorded() -> None:
    """Only B is called; what it gives now flows on, and the others answer as they did."""
    recorded = ran("A:t B:t C:o", ["+x", "+y", "ack"])
    calls: list[str] = []

    class Live:
        def __init__(self, name: str, does: Stub) -> None:
            self._name, self._does = name, does

        async def answer(self, call):  # type: ignore[no-untyped-def]
            calls.append(self._name)
            return await self._does.answer(call)

    live = {name: Live(name, stub("same")) for name in "ABC"}
    again = asyncio.run(
        run_again(recorded, PLUGGABLE, chain("pre-model-call", "A:t B:t C:o"), live, frozenset({"B"}))
    )  # fmt: skip
    assert calls == ["B"]
    by_record = [step.subscription.name for step in again.steps if any(isinstance(s, Steered) for s in step.steered)]
    assert by_record == ["A", "C"]
    found = compare(recorded, again)
    assert (found.differs_in, found.at and found.at.name) == (Part.OUTCOME, "B")
    everybody = asyncio.run(
        run_again(recorded, PLUGGABLE, chain("pre-model-call", "A:t B:t C:o"), live, frozenset("ABC"))
    )  # fmt: skip
    assert compare(recorded, everybody).at is not None
    assert calls == ["B", "A", "B", "C"]


def ran_rig(started_at: str, tool: str = "read") -> DispatchTrace:
    """A call of a tool with one around, as a host's clock dated it."""
    seats = [Subscription("A0", "ToolCall", "around"), Subscription("operation", "ToolCall", "operation")]
    seated = Chain("ToolCall")
    for seat in seats:
        seated = RIG.staging.seated(seated, seat, {})
    view: JSON = {"StartedAt": started_at, "ToolCall": {"ToolName": tool}}
    around = Stub(RIG.staging.answer_in_words("ok", "around"))
    trace = Trace()

    class Keeper:
        def see(self, event: Event) -> None:
            trace.take(event)

    payload = RIG.payload_from_view("ToolCall", view)
    asyncio.run(dispatch(RIG, seated, payload, {"A0": around}, probes=Probes(Keeper())))
    [found] = trace.dispatches
    return found


def test_what_the_hosts_clock_said_does_not_count_for_whoever_knows_the_dialect() -> None:
    """Neither in the call, nor in questions, nor in what the operation said; anything else does."""
    monday = ran_rig("2026-03-02T10:00:00Z")
    tuesday = ran_rig("2026-03-03T10:00:00Z")
    assert compare(monday, tuesday).differs_in is Part.PAYLOAD
    found = compare(monday, tuesday, RIG)
    assert (found.differs_in, [pairing.differs_in for pairing in found.pairings]) == (None, [None, None, None])
    other = ran_rig("2026-03-03T10:00:00Z", tool="write")
    assert compare(monday, other, RIG).differs_in is Part.PAYLOAD
