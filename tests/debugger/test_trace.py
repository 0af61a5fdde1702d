"""The fold from facts to what is shown, over the events of real dispatches against stubs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub
from pluggable_payloads import VIEWS, payload

from debugger.trace import DispatchTrace, Trace
from kernel.clock import NS_PER_MS, VirtualClock
from kernel.control import Proceed
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.facts import (
    Asked,
    Decided,
    Ended,
    Entered,
    Event,
    Fact,
    Left,
    NotReached,
    Opened,
    Printed,
    Replied,
    Resolved,
    Steered,
)
from kernel.faults import Fault
from kernel.subscriber import Call
from kernel.values import Answered, Chain, Effect, Ending, Outcome, Status, Subscription, TimedOut

POINT = "pre-model-call"


def edited() -> HookPayload:
    """P0 with another message in it."""
    view = VIEWS[POINT]
    assert isinstance(view, dict)
    message = {"role": "ROLE_USER", "content": [{"text": {"text": "edited"}}], "id": "e"}
    return from_view(POINT, {**view, "messages": [message]})  # type: ignore[dict-item]


class Chatty:
    """Acknowledges, and prints meanwhile."""

    async def answer(self, call: Call) -> Outcome:
        call.printed("stderr", "first")
        call.printed("stderr", "second")
        return Answered(b"\x0a\x00")


def told(seats: str, subscribers: dict[str, object], **options: object) -> Told:
    """One dispatch on virtual time."""

    async def body(clock: VirtualClock) -> Told:
        return await Told().run(seats, subscribers, clock, **options)  # type: ignore[arg-type]

    return on_virtual_time(body)


def folded(events: list[Event]) -> DispatchTrace:
    """The trace of one dispatch."""
    trace = Trace()
    for event in events:
        trace.take(event)
    [found] = trace.dispatches
    return found


def test_the_fold_tells_what_every_step_was_given_and_gave() -> None:
    """Payloads in the order of the chain, times as on the clock, the verdict of the dialect, and the result."""
    run = told("A:o B:t C:t D:t", {"A": stub("ack", 3), "B": stub("+x", 2), "C": stub("same"), "D": stub("+y")})
    trace = folded(run.events)
    a, b, c, d = trace.steps
    assert [step.subscription.name for step in trace.steps] == ["A", "B", "C", "D"]
    assert [step.verdict.status for step in trace.steps if step.verdict] == ["ok", "changed", "ok", "changed"]
    assert (a.took_ns, b.took_ns, c.took_ns) == (3 * NS_PER_MS, 2 * NS_PER_MS, 0)
    assert a.given == b.given == payload(POINT)
    assert b.changed is not None
    assert c.given == d.given == b.changed.after
    assert d.changed is not None
    assert trace.payload == d.changed.after
    assert trace.changes == (b.changed, d.changed)
    assert trace.result == run.result
    assert (trace.point, trace.number, trace.took_ns) == (POINT, 1, 5 * NS_PER_MS)


def test_a_trace_grows_with_the_events() -> None:
    """Before an answer the step is running; before its turn nothing is known of it but its seat."""
    run = told("A:o B:o", {"A": stub("ack"), "B": stub("ack")})
    stories = [run.story[: count + 1] for count in range(len(run.events))]
    asked = next(count for count, story in enumerate(stories) if story[-1] == "asked A")
    trace = folded(run.events[: asked + 1])
    assert trace.steps[0].is_running
    assert trace.steps[1].given is None
    assert not trace.steps[1].is_running
    assert trace.result is None
    assert trace.took_ns is None
    assert trace.payload == payload(POINT)
    assert not folded(run.events).steps[0].is_running


def test_whoever_was_not_reached_says_because_of_whom() -> None:
    """A deny leaves the rest of the chain unasked, and their rows name the one that denied."""
    trace = folded(told("A:v B:o C:v", {"A": stub("deny"), "B": stub("ack"), "C": stub("allow")}).events)
    missed = [(step.not_reached.because_of, step.not_reached.rule) for step in trace.steps[1:] if step.not_reached]
    assert missed == [("A", "PL-AFTER-DENY"), ("A", "PL-AFTER-DENY")]
    assert [step.given for step in trace.steps[1:]] == [None, None]


def test_trouble_is_kept_with_its_step() -> None:
    """A timeout has its outcome, its record in the dialect's words, and the fault that made it."""
    control = Scripted(before_A=Proceed(fault=Fault("hang")))
    trace = folded(told("A:v", {"A": stub("allow")}, control=control).events)
    [step] = trace.steps
    assert step.outcome == TimedOut(1000)
    assert [raised.category for raised in step.raised] == ["TIMEOUT"]
    assert [(steered.what, steered.detail) for steered in step.steered] == [("fault", "hang")]
    assert step.verdict is not None
    assert step.verdict.status is Status.TIMED_OUT


def test_an_edit_is_not_the_subscribers_change() -> None:
    """What a person put in front of a subscriber and what that made of it are kept apart, in order."""
    control = Scripted(before_B=Proceed(edited()))
    trace = folded(told("A:t B:t", {"A": stub("+x"), "B": stub("+y")}, control=control).events)
    a, b = trace.steps
    assert a.changed is not None
    assert a.edited is None
    assert b.edited is not None
    assert b.changed is not None
    assert (b.edited.by, b.edited.before, b.edited.after) == ("person", a.changed.after, edited())
    assert (b.changed.by, b.changed.before) == ("B", edited())
    assert b.given == edited()
    assert trace.changes == (a.changed, b.edited, b.changed)
    assert trace.payload == b.changed.after


def test_the_payload_is_the_edit_until_the_subscriber_changed_it() -> None:
    """An edit alone is the chain's payload from there on."""
    control = Scripted(before_A=Proceed(edited()))
    trace = folded(told("A:t B:o", {"A": stub("same"), "B": stub("ack")}, control=control).events)
    assert trace.payload == edited()
    assert trace.steps[1].given == edited()


def test_what_was_printed_lies_under_its_call() -> None:
    """Lines keep their order; what was printed while nobody was asked belongs to no step."""
    events = told("A:o B:o", {"A": Chatty(), "B": stub("ack")}).events
    late = Event("d", len(events), 0, Printed("A", "stderr", "between"))
    trace = folded([*events, late])
    assert [printed.text for printed in trace.steps[0].printed] == ["first", "second"]
    assert trace.steps[1].printed == ()


def test_an_aborted_dispatch_keeps_the_last_payload_there_was() -> None:
    """The result has none, but what was known can still be looked at."""
    trace = folded(told("A:t B:t", {"A": stub("+x"), "B": stub("change model")}).events)
    assert trace.result is not None
    assert (trace.result.ending, trace.result.payload) == (Ending.ABORTED, None)
    assert trace.steps[0].changed is not None
    assert trace.payload == trace.steps[0].changed.after


@pytest.fixture(scope="module")
def whole() -> tuple[Event, Event]:
    """The first and the last event of a dispatch."""
    events = told("A:o", {"A": stub("ack")}).events
    assert isinstance(events[0].fact, Opened)
    assert isinstance(events[-1].fact, Ended)
    return events[0], events[-1]


def test_the_oldest_finished_dispatches_are_dropped_and_counted(whole: tuple[Event, Event]) -> None:
    """One that still runs stays, however old it is; numbers are never given twice."""
    first, last = whole
    trace = Trace(most=3)
    for name in "abcdef":
        trace.take(replace(first, dispatch=name))
        if name != "a":
            trace.take(replace(last, dispatch=name))
    assert [each.id for each in trace.dispatches] == ["a", "e", "f"]
    assert [each.number for each in trace.dispatches] == [1, 5, 6]
    assert trace.dropped == 3
    assert trace.find("b") is None
    assert trace.find("a") is trace.dispatches[0]


def test_events_of_a_dropped_dispatch_are_let_go(whole: tuple[Event, Event]) -> None:
    """They neither fail nor bring it back."""
    first, last = whole
    trace = Trace(most=1)
    for name in "ab":
        trace.take(replace(first, dispatch=name))
        trace.take(replace(last, dispatch=name))
    trace.take(replace(last, dispatch="a"))
    assert [each.id for each in trace.dispatches] == ["b"]


def test_more_running_dispatches_than_are_kept_are_all_kept(whole: tuple[Event, Event]) -> None:
    """Nothing that is under way is ever dropped."""
    trace = Trace(most=2)
    for name in "abcd":
        trace.take(replace(whole[0], dispatch=name))
    assert len(trace.dispatches) == 4
    assert trace.dropped == 0


def test_stretches_hold_what_happened_in_them_in_order() -> None:
    """Dispatches, stretches and decisions, each under its own; what is known of one grows until it is left."""
    at = iter(range(100))

    def event(name: str, fact: Fact) -> Event:
        return Event(name, 0, next(at), fact)

    run = told("A:o", {"A": stub("ack")})
    inside = [replace(each, fact=replace(each.fact, parent="t")) if isinstance(each.fact, Opened) else each for each in run.events]  # fmt: skip  # noqa: E501
    no = Decided("call", "deny", "rule", "R", "so")
    trace = Trace()
    for each in [
        event("s", Entered("pluggable", "session", "one", "", 0, {"depth": 0})),
        event("t", Entered("pluggable", "turn", "turn 1", "s", 0)),
        event("u", Entered("pluggable", "tool.execute", "a", "t", 0)),
        *inside,
        event("t", no),
        event("u", Left("dead")),
        event("t", Left()),
        event("s", Left("", {"turns": 1})),
    ]:
        trace.take(each)
    session, turn, tool = trace.stretches
    assert (session.contents, turn.contents, tool.contents) == (("t",), ("u", "d", no), ())
    assert session.attributes == {"depth": 0, "turns": 1}
    assert (session.took_ns, tool.left) == (6, Left("dead"))
    assert trace.find_stretch("t") is turn
    [dispatch] = trace.dispatches
    assert dispatch.opened.parent == "t"


def test_no_more_stretches_are_kept_than_dispatches() -> None:
    """The oldest that are over go first; what happens in one that is gone is let go."""
    trace = Trace(most=2)
    for name in "abc":
        trace.take(Event(name, 0, 0, Entered("pluggable", "turn", name, "", 0)))
        if name != "a":
            trace.take(Event(name, 1, 0, Left()))
    trace.take(Event("d", 0, 0, Entered("pluggable", "turn", "d", "b", 0)))
    assert [each.id for each in trace.stretches] == ["a", "d"]


def test_a_walk_may_ask_more_than_its_chain_has_seats() -> None:
    """Further steps stand behind the seats by number, whoever sits there, whatever tells of them first."""
    run = told("A:o B:o", {"A": stub("ack"), "B": stub("ack")})
    before = [event for event in run.events if not isinstance(event.fact, Ended)]
    seat = run.events[0].fact.chain.subscriptions[0]  # type: ignore[union-attr]
    given = payload(POINT)
    further: list[Fact] = [
        Asked(3, seat, given, b"", None, "finish"),
        Steered(2, "person", "skipped", subscription=seat),
        Replied(3, Answered(b"x"), 7),
        Resolved(3, seat, Status.OK, Effect.CONTINUE, "R", "why"),
    ]
    late = [Event(run.events[0].dispatch, 100 + at, at, fact) for at, fact in enumerate(further)]
    trace = folded([*before, *late])
    assert [(step.step, step.subscription.name, step.phase) for step in trace.steps] == [
        (0, "A", ""), (1, "B", ""), (2, "A", ""), (3, "A", "finish"),
    ]  # fmt: skip
    assert trace.step(3).took_ns == 7
    assert [steered.what for steered in trace.step(2).steered] == ["skipped"]
    with pytest.raises(KeyError):
        trace.step(4)


def test_equal_seats_that_are_not_reached_are_told_apart() -> None:
    """Two records that look alike: each fact is about the next of them."""
    seat = Subscription("A", POINT, "observe")
    opened = Opened("pluggable", Chain(POINT, (seat, seat)), payload(POINT), 0)
    missed = [NotReached(seat, "first", "R"), NotReached(seat, "second", "R")]
    trace = folded([Event("d", at, at, fact) for at, fact in enumerate([opened, *missed])])
    assert [step.not_reached and step.not_reached.because_of for step in trace.steps] == ["first", "second"]


def test_what_happens_because_of_a_dispatch_is_kept_with_it() -> None:
    """Dispatches nest in dispatches, up to the stretch around all of them; what the host made of a result is kept."""
    chain = Chain(POINT, ())
    facts = [
        ("s", Entered("pluggable", "session", "one", "", 0)),
        ("d", Opened("pluggable", chain, payload(POINT), 0, "s")),
        ("inner", Opened("pluggable", chain, payload(POINT), 0, "d")),
        ("d", Decided("it", "run", "host", "R", "why")),
    ]
    trace = Trace()
    for number, (where, fact) in enumerate(facts):
        trace.take(Event(where, number, number, fact))
    outer = trace.find("d")
    assert outer is not None
    assert outer.contents == ("inner",)
    assert [decided.decision for decided in outer.decided] == ["run"]
    around = trace.outermost("inner")
    assert around is not None
    assert around.id == "s"
