"""Claims about steering: what each directive does, before a subscriber is called and after it has answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from dispatch_runs import Scripted, Told, on_virtual_time, stub
from pluggable_answers import ACK, DENY, given
from pluggable_payloads import VIEWS, payload

from debugger.trace import Trace
from kernel import Caller, Chain, HeldClock, VirtualClock
from kernel.clock import NS_PER_MS, sleep
from kernel.control import PROCEED, Back, Directive, Instead, Proceed, Retry, Seam, Skip, Stop
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.walk import begin
from kernel.errors import BadInput
from kernel.facts import Asked, Changed, Ended, Rewound, Steered
from kernel.faults import Fault
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Cancelled, Failed, Outcome, Result, TimedOut


class Recording:
    """A stub that keeps what it was asked."""

    def __init__(self, answer: str = "allow") -> None:
        self.calls: list[Call] = []
        self._stub = stub(answer)

    async def answer(self, call: Call) -> Outcome:
        self.calls.append(call)
        return await self._stub.answer(call)


def edited(point: str = "plan-ready") -> HookPayload:
    """P0 of a point with something else in it."""
    view = VIEWS[point]
    assert isinstance(view, dict)
    other = {"plan": {"turn_id": "edited"}} if point == "plan-ready" else {**view, "model": {"id": "edited"}}
    return from_view(point, other)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Row:
    """One directive at one seam of `A:v B:v`, where both would allow. `calls` says whose subscriber was called."""

    seam: str
    directive: Directive
    story: str
    decision: str
    calls: str


B_ALLOWS = "asked B, B answered, B is ok, ended finished"
A_ALLOWS = "asked A, A answered, A is ok"
ROWS = [
    Row("before_A", PROCEED, f"{A_ALLOWS}, {B_ALLOWS}", "allow", "AB"),
    Row("before_A", Proceed(edited()),
        f"person edited payload at A, changed by person, {A_ALLOWS}, {B_ALLOWS}", "allow", "AB"),
    Row("before_A", Proceed(edited(), by="script"),
        f"script edited payload at A, changed by script, {A_ALLOWS}, {B_ALLOWS}", "allow", "AB"),
    Row("before_A", Proceed(payload("plan-ready")),
        f"person edited payload at A, {A_ALLOWS}, {B_ALLOWS}", "allow", "AB"),
    Row("before_A", Proceed(fault=Fault("grpc_status", {"code": "INTERNAL"})),
        "person fault at A, asked A, A failed, A is error, A raised VETO_FAILED, B not reached because of A, "
        "ended finished", "deny", "A"),
    Row("before_A", Proceed(edited(), Fault("unknown_decision"), "script"),
        "script edited payload at A, changed by script, script fault at A, asked A, A answered, A is denied, "
        "B not reached because of A, ended finished", "deny", "A"),
    Row("before_A", Instead(Answered(DENY)),
        "person answered at A, asked A, A answered, A is denied, B not reached because of A, ended finished",
        "deny", ""),
    Row("before_A", Instead(TimedOut(1000), "script"),
        "script answered at A, asked A, A timedout, A is timed out, A raised TIMEOUT, B not reached because of A, "
        "ended finished", "deny", ""),
    Row("before_A", Skip(), f"person skipped at A, A is skipped, {B_ALLOWS}", "allow", "B"),
    Row("before_A", Stop(),
        "person stopped at A, A is cancelled, B not reached because of the caller, ended cancelled",
        "unspecified", ""),
    Row("after_A", PROCEED, f"{A_ALLOWS}, {B_ALLOWS}", "allow", "AB"),
    Row("after_A", Instead(Answered(DENY)),
        "asked A, A answered, person replaced answer at A, A is denied, B not reached because of A, ended finished",
        "deny", "A"),
    Row("after_A", Instead(Failed("UNAVAILABLE", "gone"), "script"),
        "asked A, A answered, script replaced answer at A, A is error, A raised PROCESS_CRASHED, "
        "B not reached because of A, ended finished", "deny", "A"),
    Row("after_A", Skip(), f"asked A, A answered, person skipped at A, A is skipped, {B_ALLOWS}", "allow", "AB"),
    Row("after_A", Stop("script"),
        "asked A, A answered, script stopped at A, A is cancelled, B not reached because of the caller, "
        "ended cancelled", "unspecified", "A"),
    Row("before_B", Skip(), f"{A_ALLOWS}, person skipped at B, B is skipped, ended finished", "allow", "A"),
    Row("after_B", Stop(),
        f"{A_ALLOWS}, asked B, B answered, person stopped at B, B is cancelled, ended cancelled",
        "unspecified", "AB"),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.seam} {type(row.directive).__name__}")
def test_each_directive_does_what_it_says(row: Row) -> None:
    """The facts, the decision and who was really called follow from the directive alone."""

    async def body(clock: VirtualClock) -> None:
        subscribers = {"A": Recording(), "B": Recording()}
        control = Scripted(**{row.seam: row.directive})
        told = await Told().run("A:v B:v", subscribers, clock, point="plan-ready", control=control)
        assert told.story == ["opened", *row.story.split(", ")]
        assert told.result is not None
        assert told.result.decision == row.decision
        assert "".join(name for name, each in subscribers.items() if each.calls) == row.calls

    on_virtual_time(body)


def test_a_control_that_only_proceeds_changes_nothing() -> None:
    """The default adds no facts, whatever the outcome."""

    async def body(clock: VirtualClock) -> None:
        seats = "A:o B:t C:t"
        subscribers = {"A": stub("garbage"), "B": stub("+x"), "C": stub("change model")}
        control = Scripted()
        steered = await Told().run(seats, subscribers, clock, control=control)
        alone = await Told().run(seats, subscribers, clock)
        assert steered.facts[1:] == alone.facts[1:]
        assert control.places == [f"{side} {name}" for name in "ABC" for side in ("before", "after")]

    on_virtual_time(body)


def test_an_edited_payload_is_what_this_subscriber_and_the_next_ones_get() -> None:
    """The request of both is made from it, the facts say who changed it and by which rule, the result returns it."""

    async def body(clock: VirtualClock) -> None:
        first, second = Recording(), Recording()
        control = Scripted(before_A=Proceed(edited()))
        told = await Told().run("A:v B:v", {"A": first, "B": second}, clock, point="plan-ready", control=control)
        turns = [given(each.calls[0].request).plan_ready.plan.turn_id for each in (first, second)]
        assert turns == ["edited", "edited"]
        assert [fact for fact in told.facts if isinstance(fact, Changed)] == [
            Changed(0, "person", payload("plan-ready"), edited(), "PL-EDITED")
        ]
        assert [fact.payload for fact in told.facts if isinstance(fact, Asked)] == [edited(), edited()]
        assert told.result is not None
        assert told.result.payload == edited()

    on_virtual_time(body)


def test_what_a_transform_may_change_is_judged_by_the_edited_payload() -> None:
    """Handing back what it was given is right, although that is not what the dispatch began with."""

    async def body(clock: VirtualClock) -> None:
        control = Scripted(before_A=Proceed(edited("pre-model-call")))
        told = await Told().run("A:t", {"A": stub("same")}, clock, control=control)
        assert told.story[-2:] == ["A is ok", "ended finished"]

    on_virtual_time(body)


def test_a_seam_shows_walk_ask_and_outcome() -> None:
    """Before: no outcome yet; after: the subscriber's own."""

    async def body(clock: VirtualClock) -> None:
        control = Scripted()
        await Told().run("A:o", {"A": stub("ack")}, clock, control=control)
        before, after = control.seams
        assert (before.dispatch, before.outcome, after.outcome) == ("d", None, Answered(ACK))
        assert before.ask in before.walk.asks
        assert before.ask.subscription.name == "A"

    on_virtual_time(body)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault("no such thing"), "there are hang, delay"),
        (Fault("delay", {"by": 1}), "fault 'delay' has no setting 'by'; it has ms, jitter_ms, spread, of_deadline"),
    ],
)
def test_a_fault_that_does_not_exist_is_said_before_the_call(fault: Fault, message: str) -> None:
    """It names what there is; nothing was asked."""

    async def body(clock: VirtualClock) -> None:
        told, subscriber = Told(), Recording()
        with pytest.raises(BadInput, match=message):
            await told.run(
                "A:v", {"A": subscriber}, clock, point="plan-ready", control=Scripted(before_A=Proceed(fault=fault))
            )
        ended = ["opened", "caller stopped at A", "A is cancelled", "ended cancelled"]  # loud, but not without an end
        assert (told.story, subscriber.calls) == (ended, [])

    on_virtual_time(body)


def test_a_fault_is_told_with_its_settings() -> None:
    """The fact reads like the fault."""

    async def body(clock: VirtualClock) -> None:
        fault = Fault("delay", {"ms": 30})
        control = Scripted(before_A=Proceed(fault=fault, by="scenario"))
        told = await Told().run("A:o", {"A": stub("ack")}, clock, control=control)
        [steered] = [fact for fact in told.facts if isinstance(fact, Steered)]
        assert (steered.step, steered.by, steered.what, steered.detail) == (0, "scenario", "fault", "delay (ms=30)")
        assert steered.subscription is not None
        assert steered.subscription.name == "A"
        assert clock.now_ns() == 30 * NS_PER_MS

    on_virtual_time(body)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_caller_that_gives_up_does_not_wait_for_the_person(side: str) -> None:
    """A seam that is open when the caller goes is left; the control is cancelled, not abandoned."""

    async def body(clock: VirtualClock) -> None:
        cleaned = []

        async def think_for_ever(seam: Seam) -> Directive:
            try:
                await asyncio.get_running_loop().create_future()
            finally:
                cleaned.append(side)
            raise AssertionError("not reached")

        caller = Caller()
        caller.give_up_at(clock, 10 * NS_PER_MS, "enough")
        control = Scripted(**{f"{side}_A": think_for_ever})
        told = await Told().run("A:o B:o", {"A": stub("ack"), "B": stub("ack")}, clock, control=control, caller=caller)
        asked = [] if side == "before" else ["asked A", "A answered"]
        assert told.story == [
            "opened", *asked, "caller stopped at A", "A is cancelled", "B not reached because of the caller",
            "ended cancelled",
        ]  # fmt: skip
        assert cleaned == [side]

    on_virtual_time(body)


def test_a_person_may_take_their_time_on_a_held_clock() -> None:
    """Held at both seams for minutes, a subscriber keeps its whole deadline and the facts show no time passing."""

    async def body(base: VirtualClock) -> None:
        clock = HeldClock(base)

        async def look(seam: Seam) -> Directive:
            clock.hold()
            await sleep(base, 120_000)
            clock.release()
            return PROCEED

        control = Scripted(before_A=look, after_A=look)
        told = await Told().run("A:o", {"A": stub("ack", 40)}, clock, control=control, timeout_ms=50)
        assert told.story[1:4] == ["asked A", "A answered", "A is ok"]
        assert [event.at_ns // NS_PER_MS for event in told.events] == [0, 0, 40, 40, 40]

    on_virtual_time(body)


def test_without_holding_the_deadline_runs_from_the_subscribers_turn() -> None:
    """A control that dawdles on a running clock uses up the subscriber's time, which is then not called at all."""

    async def body(clock: VirtualClock) -> None:
        async def dawdle(seam: Seam) -> Directive:
            await sleep(clock, 60)
            return PROCEED

        subscriber = Recording()
        told = await Told().run(
            "A:v", {"A": subscriber}, clock, point="plan-ready", control=Scripted(before_A=dawdle), timeout_ms=50
        )
        assert told.story[2] == "A timedout"
        assert subscriber.calls == []

    on_virtual_time(body)


def test_several_seams_are_open_at_once_in_a_parallel_run() -> None:
    """Everybody waits at their own seam; an edit at one reaches the siblings that were not called yet, no others."""

    async def body(clock: VirtualClock) -> None:
        order = {"A": 10, "B": 20, "C": 30}
        open_at_once: list[int] = []
        waiting: set[str] = set()

        async def wait_for_my_turn(seam: Seam) -> Directive:
            name = seam.ask.subscription.name
            waiting.add(name)
            await sleep(clock, order[name])
            open_at_once.append(len(waiting))
            waiting.discard(name)
            return Proceed(edited("pre-model-call")) if name == "B" else PROCEED

        control = Scripted(before_A=wait_for_my_turn, before_B=wait_for_my_turn, before_C=wait_for_my_turn)
        recorders = {name: Recording("ack") for name in "ABC"}
        told = await Told().run("A:o B:o C:o", recorders, clock, control=control, parallel=True)
        models = {name: given(each.calls[0].request).pre_model_call.model.id for name, each in recorders.items()}
        assert models == {"A": "x", "B": "edited", "C": "edited"}
        assert open_at_once == [3, 2, 1]
        payloads = [fact.payload.view["model"]["id"] for fact in told.facts if isinstance(fact, Asked)]  # type: ignore[index, call-overload]
        assert payloads == ["x", "edited", "edited"]

    on_virtual_time(body)


def test_an_edit_at_a_sibling_shows_in_an_answer_given_instead() -> None:
    """A step that is answered by a person after a sibling's edit is told to be about the edited payload."""

    async def body(clock: VirtualClock) -> None:
        async def answer_later(seam: Seam) -> Directive:
            await sleep(clock, 20)
            return Instead(Answered(ACK))

        control = Scripted(before_A=answer_later, before_B=Proceed(edited("pre-model-call")))
        told = await Told().run("A:o B:o", {"A": stub("ack"), "B": stub("ack")}, clock, control=control, parallel=True)
        assert [fact.payload for fact in told.facts if isinstance(fact, Asked)] == [edited("pre-model-call")] * 2

    on_virtual_time(body)


def test_a_stop_at_one_seam_ends_its_siblings_too() -> None:
    """Calls under way and seams that are open are cancelled together; nothing after them is reached."""

    async def body(clock: VirtualClock) -> None:
        async def stop_later(seam: Seam) -> Directive:
            await sleep(clock, 10)
            return Stop()

        async def think_for_ever(seam: Seam) -> Directive:
            await asyncio.get_running_loop().create_future()
            raise AssertionError("not reached")

        control = Scripted(before_A=stop_later, before_C=think_for_ever)
        subscribers = {name: stub("hang") for name in "ABCD"}
        told = await Told().run("A:o B:o C:o D:t", subscribers, clock, control=control, parallel=True)
        assert sorted(told.story[:-1]) == sorted([
            "opened", "asked B", "person stopped at A", "A is cancelled", "B cancelled", "B is cancelled",
            "C is cancelled", "D not reached because of the caller",
        ])  # fmt: skip
        assert told.story[-1] == "ended cancelled"
        assert clock.now_ns() == 10 * NS_PER_MS

    on_virtual_time(body)


def test_a_person_may_say_that_the_caller_gave_up() -> None:
    """Cancelled as an answer ends the chain without a verdict, and there is nothing left to steer."""

    async def body(clock: VirtualClock) -> None:
        control = Scripted(before_A=Instead(Cancelled("as if it went away")))
        told = await Told().run("A:v", {"A": Recording()}, clock, point="plan-ready", control=control)
        assert told.story[-2:] == ["A is cancelled", "ended cancelled"]
        assert control.places == ["before A"]

    on_virtual_time(body)


# -- going back ------------------------------------------------------------------------------------------------


async def _result(
    told: Told, seats: str, subscribers: dict[str, Subscriber], clock: VirtualClock, **how: Any
) -> Result:
    run = await told.run(seats, subscribers, clock, **how)
    assert run.result is not None
    return run.result


class _Guide:
    """Does at the nth seam what it is told, given every seam so far; proceeds at all others."""

    def __init__(self, **wishes: Callable[[list[Seam]], Directive]) -> None:
        self._wishes = wishes
        self.seams: list[Seam] = []

    async def before(self, seam: Seam) -> Directive:
        return self._at("before", seam)

    async def after(self, seam: Seam) -> Directive:
        return self._at("after", seam)

    def _at(self, side: str, seam: Seam) -> Directive:
        self.seams.append(seam)
        wish = self._wishes.pop(f"{side}_{seam.ask.subscription.name}", None)
        return PROCEED if wish is None else wish(self.seams)


def _back_to_start(seams: list[Seam]) -> Directive:
    return Back(seams[0].walk, by="scenario")


def test_going_back_asks_nobody_and_voids_what_came_since() -> None:
    """The chain goes on from the earlier place with the payload of that time; its result is as if nothing had been."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        guide = _Guide(before_C=_back_to_start)
        subscribers = {"A": stub("+x"), "B": stub("+y"), "C": stub("+x")}
        result = await _result(told, "A:t B:t C:t", subscribers, clock, control=guide)
        plain = await _result(Told(), "A:t B:t C:t", subscribers, clock)
        assert result.payload == plain.payload
        assert [fact.subscription.name for fact in told.facts if isinstance(fact, Asked)] == ["A", "B", "A", "B", "C"]
        [place] = [place for place, fact in enumerate(told.facts) if isinstance(fact, Rewound)]
        assert told.facts[place] == Rewound(1, "scenario", 0)
        assert [event.number for event in told.events] == list(range(len(told.events)))
        trace = Trace()
        for event in told.events:
            trace.take(event)
        [found] = trace.dispatches
        assert (found.rewinds, found.rewound_to) == (1, 0)
        assert [change.by for change in found.changes] == ["A", "B", "C"]
        assert len(found.steps) == 3

    on_virtual_time(body)


def test_what_the_trace_shows_right_after_going_back_is_what_it_showed_before() -> None:
    """Every step since is a waiting one again."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        guide = _Guide(after_B=_back_to_start)
        await told.run("A:t B:t", {"A": stub("+x"), "B": stub("+y")}, clock, control=guide)
        [place] = [place for place, fact in enumerate(told.facts) if isinstance(fact, Rewound)]
        trace = Trace()
        for event in told.events[: place + 1]:
            trace.take(event)
        [found] = trace.dispatches
        assert [(step.asked_at_ns, step.outcome, step.verdict, step.changed) for step in found.steps] == [
            (None,) * 4
        ] * 2

    on_virtual_time(body)


def test_going_back_from_a_parallel_run_cancels_the_calls_of_the_siblings() -> None:
    """Nobody of the run is still asked, and all of them are asked anew."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        guide = _Guide(after_B=_back_to_start)
        subscribers = {"A": stub("ack", 50), "B": stub("ack", 10), "C": stub("ack", 50)}
        await told.run("A:o B:o C:o", subscribers, clock, control=guide, parallel=True)
        asked = [fact.subscription.name for fact in told.facts if isinstance(fact, Asked)]
        assert asked == ["A", "B", "C", "A", "B", "C"]
        assert clock.now_ns() == 60 * NS_PER_MS

    on_virtual_time(body)


def test_a_subscriber_can_be_asked_once_more() -> None:
    """The second answer counts, the first is told as well; the payload of the chain was never touched by it."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        guide = _Guide(after_A=lambda seams: Retry("scenario"))
        result = await _result(told, "A:t B:o", {"A": stub("+x"), "B": stub("ack")}, clock, control=guide)
        assert [fact.subscription.name for fact in told.facts if isinstance(fact, Asked)] == ["A", "A", "B"]
        assert [fact.what for fact in told.facts if isinstance(fact, Steered)] == ["asked again"]
        assert result.payload is not None
        plain = await _result(Told(), "A:t B:o", {"A": stub("+x"), "B": stub("ack")}, clock)
        assert result.payload == plain.payload

    on_virtual_time(body)


@pytest.mark.parametrize(
    "wish", [Retry(), Back(begin(Chain("plan-ready"), payload("plan-ready"), concurrent_observe=False)[0])]
)
def test_no_way_back_to_where_it_never_was(wish: Directive) -> None:
    """Told plainly, and the dispatch ends in good order."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        with pytest.raises(BadInput, match=r"was not asked yet|has never been"):
            await told.run("A:o", {"A": stub("ack")}, clock, control=_Guide(before_A=lambda seams: wish))
        assert isinstance(told.facts[-1], Ended)

    on_virtual_time(body)
