"""Claims about the one loop: what it tells, how it ends, and what it leaves behind."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

import pytest
from dispatch_runs import Scripted, Told, chain, on_virtual_time, stub
from pluggable_answers import ACK
from pluggable_payloads import payload

from kernel import Caller, HeldClock, Probes, VirtualClock, dispatch
from kernel.asking import Answer, Question
from kernel.clock import NS_PER_MS, sleep
from kernel.control import Directive, Proceed, Seam
from kernel.dialects.pluggable import Pluggable
from kernel.errors import BadInput
from kernel.facts import Asked, Decided, Ended, Event, Printed, Raised, Replied
from kernel.subscriber import Call, Subscriber
from kernel.values import Answered, Cancelled, Ending, Outcome, Result, TimedOut


class Asking:
    """A subscriber that does what a function says."""

    def __init__(self, does: Callable[[Call], Awaitable[Outcome]]) -> None:
        self._does = does
        self.calls: list[Call] = []

    async def answer(self, call: Call) -> Outcome:
        self.calls.append(call)
        return await self._does(call)


async def acknowledge(call: Call) -> Outcome:
    return Answered(ACK)


def test_a_missing_subscriber_is_a_key_error_before_anybody_is_asked() -> None:
    """The chain is checked as a whole: no event, no call, and the missing name in the message."""

    async def body(clock: VirtualClock) -> None:
        told, first = Told(), Asking(acknowledge)
        with pytest.raises(KeyError, match="no live subscriber for 'B'"):
            await told.run("A:o B:o", {"A": first}, clock)
        assert (told.events, first.calls) == ([], [])

    on_virtual_time(body)


def test_a_dispatch_tells_its_story_in_order() -> None:
    """Opened, then each step asked, replied and resolved, then ended; numbered without gaps, times never go back."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        subscribers = {"A": stub("ack", 5), "B": stub("+x", 7), "C": stub("hang")}
        await told.run("A:o B:t C:o", subscribers, clock, timeout_ms=10)
        assert told.story == [
            "opened",
            "asked A", "A answered", "A is ok",
            "asked B", "B answered", "B is changed", "changed by B",
            "asked C", "C timedout", "C is timed out", "C raised TIMEOUT",
            "ended finished",
        ]  # fmt: skip
        assert {event.dispatch for event in told.events} == {"d"}
        times = [event.at_ns // NS_PER_MS for event in told.events]
        assert times == [0, 0, 5, 5, 5, 12, 12, 12, 12, 22, 22, 22, 22]

    on_virtual_time(body)


def test_nobody_watching_makes_no_events_and_the_same_result() -> None:
    """Without probes, or with probes that nobody is among, only the result is left."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        watched = (await told.run("A:t B:o", {"A": stub("+x"), "B": stub("ack")}, clock)).result
        for probes in (None, Probes()):
            unwatched = await dispatch(
                Pluggable(),
                chain("pre-model-call", "A:t B:o"),
                payload("pre-model-call"),
                {"A": stub("+x"), "B": stub("ack")},
                probes=probes,
                clock=clock,
            )
            assert unwatched == watched

    on_virtual_time(body)


def test_somebody_may_begin_to_watch_in_the_middle() -> None:
    """A probe added to probes that nobody was among sees the rest, numbered from 0."""

    async def body(clock: VirtualClock) -> None:
        probes, told = Probes(), Told()

        async def watch(call: Call) -> Outcome:
            probes.add(told)
            return Answered(ACK)

        subscribers = {"A": Asking(watch), "B": stub("ack")}
        place = chain("pre-model-call", "A:o B:o")
        await dispatch(Pluggable(), place, payload("pre-model-call"), subscribers, probes=probes, clock=clock)
        assert [type(fact).__name__ for fact in told.facts] == [
            "Replied", "Resolved", "Asked", "Replied", "Resolved", "Ended",
        ]  # fmt: skip
        assert [event.number for event in told.events] == list(range(6))

    on_virtual_time(body)


def test_each_dispatch_has_an_id_of_its_own() -> None:
    """Where the caller gives none, one is made."""

    async def body(clock: VirtualClock) -> None:
        seen: set[str] = set()

        class Ids:
            def see(self, event: Event) -> None:
                seen.add(event.dispatch)

        place = chain("session-end", "A:o")
        for _ in range(2):
            await dispatch(
                Pluggable(), place, payload("session-end"), {"A": stub("ack")}, probes=Probes(Ids()), clock=clock
            )
        assert len(seen) == 2

    on_virtual_time(body)


def test_what_cannot_be_opened_is_not_told_of() -> None:
    """A payload of another dialect is the caller's mistake: raised, with no dispatch begun in any trace."""

    async def body(clock: VirtualClock) -> None:
        told, caller = Told(), Caller()
        caller.give_up_at(clock, 10 * NS_PER_MS, "its own deadline")
        with pytest.raises(BadInput, match="HookPayload"):
            await dispatch(
                Pluggable(),
                chain("session-end", ""),
                object(),  # type: ignore[arg-type]
                {},
                probes=Probes(told),
                clock=clock,
                caller=caller,
            )
        await sleep(clock, 20)
        assert (told.events, caller.reason) == ([], None)

    on_virtual_time(body)


def test_what_a_subscriber_prints_is_told_with_its_step() -> None:
    """The line stands between the asking and the answer."""

    async def body(clock: VirtualClock) -> None:
        async def print_and_answer(call: Call) -> Outcome:
            call.printed("stderr", "hello")
            return Answered(ACK)

        told = await Told().run("A:o B:o", {"A": stub("ack"), "B": Asking(print_and_answer)}, clock)
        assert Printed("B", "stderr", "hello", 1) in told.facts
        assert told.story[4:6] == ["asked B", "B wrote to stderr"]

    on_virtual_time(body)


def test_a_call_carries_request_deadline_and_clock() -> None:
    """What a transport gets is what was told: the request's bytes, and a deadline on the dispatch's clock."""

    async def body(clock: VirtualClock) -> None:
        subscriber = Asking(acknowledge)
        await sleep(clock, 3)
        told = await Told().run("A:o", {"A": subscriber}, clock, timeout_ms=50)
        [call] = subscriber.calls
        [asked] = [fact for fact in told.facts if isinstance(fact, Asked)]
        assert (call.request, call.point) == (asked.request, "pre-model-call")
        assert (call.deadline_ns, call.clock, call.far_side) == (53 * NS_PER_MS, clock, None)

    on_virtual_time(body)


def test_a_reply_tells_how_long_the_call_really_took() -> None:
    """Holding a sibling does not stop a subscriber that is at work: its time goes on, its deadline does not."""

    async def body(base: VirtualClock) -> None:
        clock = HeldClock(base)

        async def work_while_held(call: Call) -> Outcome:
            clock.hold()
            await sleep(base, 500)
            clock.release()
            await sleep(clock, 10)
            return Answered(ACK)

        told = await Told().run("A:o", {"A": Asking(work_while_held)}, clock, timeout_ms=50)
        assert Replied(0, Answered(ACK), 510 * NS_PER_MS) in told.facts
        assert told.events[-1].at_ns == 10 * NS_PER_MS

    on_virtual_time(body)


@pytest.mark.parametrize("timeout_ms", [None, 0])
def test_no_deadline_waits_and_a_deadline_of_zero_reaches_nobody(timeout_ms: int | None) -> None:
    """None is no deadline; 0 has passed before the call is made (spec B.8)."""

    async def body(clock: VirtualClock) -> None:
        async def take_an_hour(call: Call) -> Outcome:
            await sleep(clock, 3_600_000)
            return Answered(ACK)

        subscriber = Asking(take_an_hour)
        told = await Told().run("A:o", {"A": subscriber}, clock, timeout_ms=timeout_ms)  # type: ignore[arg-type]
        [replied] = [fact for fact in told.facts if isinstance(fact, Replied)]
        if timeout_ms is None:
            assert (replied.outcome, len(subscriber.calls)) == (Answered(ACK), 1)
        else:
            assert (replied.outcome, subscriber.calls, clock.now_ns()) == (TimedOut(0), [], 0)

    on_virtual_time(body)


def test_an_answer_after_the_deadline_is_discarded_even_if_the_subscriber_would_not_be_cancelled() -> None:
    """Spec B.8: a subscriber that holds out against its cancellation and answers has timed out all the same."""

    async def body(clock: VirtualClock) -> None:
        async def hold_out(call: Call) -> Outcome:
            try:
                await sleep(clock, 100)
            except asyncio.CancelledError:
                return Answered(b"\x1a\x02\x08\x01")
            raise AssertionError("not reached")

        told = await Told().run("A:v", {"A": Asking(hold_out)}, clock, point="plan-ready", timeout_ms=20)
        assert told.story[2:5] == ["A timedout", "A is timed out", "A raised TIMEOUT"]
        assert told.result is not None
        assert told.result.decision == "deny"

    on_virtual_time(body)


@pytest.mark.parametrize("parallel", [False, True])
def test_cancelling_the_task_is_passed_on_and_still_tells_the_end(parallel: bool) -> None:
    """Whoever is asked is told to have been cancelled, the dispatch has an end in the trace, and no task is left."""

    async def body(clock: VirtualClock) -> None:
        told = Told()
        subscribers = {name: stub("hang") for name in "AB"}
        running = asyncio.ensure_future(told.run("A:o B:o", subscribers, clock, parallel=parallel))
        clock.call_at(10 * NS_PER_MS, lambda: running.cancel() and None)
        with pytest.raises(asyncio.CancelledError):
            await running
        assert told.result is None, "nobody got a result"
        after = ["A cancelled", "A is cancelled", "B cancelled", "B is cancelled"] if parallel else [
            "A cancelled", "A is cancelled", "B not reached because of the caller",
        ]  # fmt: skip
        asked = ["asked A", "asked B"] if parallel else ["asked A"]
        assert told.story == ["opened", *asked, *after, "ended cancelled"]

    on_virtual_time(body)


@pytest.mark.parametrize("side", ["before", "after"])
def test_a_task_cancelled_while_it_is_steered_tells_each_reply_once(side: str) -> None:
    """A step that nobody was asked in has no reply, and one that has replied does not reply again."""

    async def body(clock: VirtualClock) -> None:
        async def think_for_ever(seam: Seam) -> Directive:
            await asyncio.get_running_loop().create_future()
            raise AssertionError("not reached")

        told = Told()
        control = Scripted(**{f"{side}_A": think_for_ever})
        running = asyncio.ensure_future(told.run("A:o", {"A": stub("ack")}, clock, control=control))
        clock.call_at(10 * NS_PER_MS, lambda: running.cancel() and None)
        with pytest.raises(asyncio.CancelledError):
            await running
        between = [] if side == "before" else ["asked A", "A answered"]
        assert told.story == ["opened", *between, "caller stopped at A", "A is cancelled", "ended cancelled"]

    on_virtual_time(body)


@pytest.mark.parametrize("gives_up_ms", [None, 5])
def test_a_caller_that_gives_up_gets_no_verdict(gives_up_ms: int | None) -> None:
    """Given up before the start (None), nobody is asked; given up during a call, that one is cancelled."""

    async def body(clock: VirtualClock) -> None:
        caller, control = Caller(), Scripted()
        if gives_up_ms is None:
            caller.cancel("it went away")
        else:
            caller.give_up_at(clock, gives_up_ms * NS_PER_MS, "it went away")
        told = await Told().run("A:o B:o", {"A": stub("hang"), "B": stub("ack")}, clock, caller=caller, control=control)
        asked = ["caller stopped at A"] if gives_up_ms is None else ["asked A", "A cancelled"]
        assert told.story == [
            "opened", *asked, "A is cancelled", "B not reached because of the caller", "ended cancelled",
        ]  # fmt: skip
        assert control.places == ([] if gives_up_ms is None else ["before A"]), "nobody steers what was given up"
        assert told.result is not None
        assert (told.result.ending, told.result.decision) == (Ending.CANCELLED, "unspecified")
        assert "it went away" in told.result.error
        if gives_up_ms is not None:
            assert Replied(0, Cancelled("it went away"), gives_up_ms * NS_PER_MS) in told.facts

    on_virtual_time(body)


def test_a_parallel_run_leaves_no_task_and_goes_on_to_the_end() -> None:
    """Observers overlap, what follows is asked once they are all done, and every task is gone."""

    async def body(clock: VirtualClock) -> None:
        names: set[str] = set()

        async def look_around(call: Call) -> Outcome:
            names.update(task.get_name() for task in asyncio.all_tasks())
            return Answered(ACK)

        subscribers = {
            "A": stub("ack", 20),
            "B": stub("ack", 10),
            "C": stub("+x", 5),
            "D": Asking(look_around),
            "E": stub("ack"),
        }
        told = await Told().run("A:o B:o C:t D:o E:o", subscribers, clock, parallel=True)
        assert told.story == [
            "opened", "asked A", "asked B", "B answered", "B is ok", "A answered", "A is ok",
            "asked C", "C answered", "C is changed", "changed by C",
            "asked D", "D answered", "D is ok", "asked E", "E answered", "E is ok", "ended finished",
        ]  # fmt: skip
        assert clock.now_ns() == 25 * NS_PER_MS
        assert "dispatch d step 3 D" in names, "tasks have names"

    on_virtual_time(body)


@pytest.mark.parametrize("parallel", [False, True])
def test_a_bug_of_ours_is_loud_and_leaves_no_task_behind(parallel: bool) -> None:
    """An exception out of a subscriber object is no outcome: it ends the dispatch, siblings included."""

    async def body(clock: VirtualClock) -> None:
        async def break_down(call: Call) -> Outcome:
            await sleep(clock, 5)
            raise ZeroDivisionError("a bug in a transport")

        told, hanging = Told(), stub("hang")
        with pytest.raises((ZeroDivisionError, ExceptionGroup)) as caught:
            await told.run("A:o B:o", {"A": Asking(break_down), "B": hanging}, clock, parallel=parallel)
        found = caught.value.exceptions if isinstance(caught.value, ExceptionGroup) else (caught.value,)
        assert [str(error) for error in found] == ["a bug in a transport"]
        assert clock.now_ns() == 5 * NS_PER_MS

    on_virtual_time(body)


def test_dispatches_side_by_side_do_not_mix() -> None:
    """One dialect object and one set of subscribers serve any number of dispatches at a time."""

    async def body(clock: VirtualClock) -> None:
        subscribers = {"A": stub("ack", 10), "B": stub("+x", 10)}
        told = [Told() for _ in range(20)]
        await asyncio.gather(*(each.run("A:o B:t", subscribers, clock) for each in told))
        assert len({tuple(each.story) for each in told}) == 1
        assert clock.now_ns() == 20 * NS_PER_MS

    on_virtual_time(body)


def test_an_edit_that_could_not_be_at_this_place_is_bad_input() -> None:
    """A control that hands in the payload of another point is told so."""

    async def body(clock: VirtualClock) -> None:
        control = Scripted(before_A=Proceed(payload("session-end")))
        with pytest.raises(BadInput, match="pre-model-call is needed here, not one for session-end"):
            await Told().run("A:o", {"A": stub("ack")}, clock, control=control)

    on_virtual_time(body)


# -- what belongs to one dispatch ------------------------------------------------------------------------------


def test_subscribers_of_one_dispatch_share_a_room_and_no_other_dispatch_sees_it() -> None:
    """Each call names its dispatch; the room is the same object for all of them, and a new one for the next."""

    async def body(clock: VirtualClock) -> None:
        first, second = Asking(acknowledge), Asking(acknowledge)
        told = Told()
        for _ in range(2):
            await told.run("A:o B:o", {"A": first, "B": second}, clock)
        rooms = [call.room for call in (first.calls[0], second.calls[0], first.calls[1], second.calls[1])]
        assert rooms[0] is rooms[1]
        assert rooms[2] is rooms[3]
        assert rooms[0] is not rooms[2]
        ids = [call.dispatch for call in (first.calls[0], second.calls[0], first.calls[1], second.calls[1])]
        assert set(ids) == {event.dispatch for event in told.events} != {""}

    on_virtual_time(body)


class _Hosting(Pluggable):
    """A dialect whose host plays B itself, and which asks about every verdict."""

    played: ClassVar[Asking] = Asking(acknowledge)
    own: ClassVar[Mapping[str, Subscriber]] = {"B": played}

    def question(self, dispatch: str, result: Result) -> Question | None:
        return Question(dispatch, "verdict", {"decision": result.decision}, "test")

    def settled(self, result: Result, answer: Answer | None) -> Decided | None:
        decision = "closed" if answer is None else answer.by
        return Decided("verdict", decision, "host", "PL-CHAIN-END", "it was asked")


async def _hosted(clock: VirtualClock, told: Told, subscribers: dict[str, Subscriber], **options: Any) -> Result:
    return await dispatch(
        _Hosting(), chain("plan-ready", "A:o B:o"), payload("plan-ready"), subscribers,
        probes=Probes(told), clock=clock, **options,
    )  # fmt: skip


def test_the_host_plays_those_that_nobody_brings() -> None:
    """B is the dialect's own unless the caller has one; the verdict is left to the caller without a resolver."""

    async def body(clock: VirtualClock) -> None:
        told, mine = Told(), Asking(acknowledge)
        _Hosting.played.calls.clear()
        await _hosted(clock, told, {"A": Asking(acknowledge)})
        assert len(_Hosting.played.calls) == 1
        await _hosted(clock, told, {"A": Asking(acknowledge), "B": mine})
        assert (len(_Hosting.played.calls), len(mine.calls)) == (1, 1)
        assert not [fact for fact in told.facts if isinstance(fact, Decided)]

    on_virtual_time(body)


class _Person:
    """Answers a question after a while."""

    def __init__(self, after_ms: float, clock: VirtualClock) -> None:
        self.after_ms = after_ms
        self.clock = clock
        self.questions: list[Question] = []

    async def resolve(self, question: Question) -> Answer:
        self.questions.append(question)
        await sleep(self.clock, self.after_ms)
        return Answer(allows=True, by="a person")


def test_what_a_result_leaves_open_is_asked_and_told_after_its_end() -> None:
    """The question knows its dispatch; what the host then does is the last fact, numbered like the others."""

    async def body(clock: VirtualClock) -> None:
        told, person = Told(), _Person(30, clock)
        await _hosted(clock, told, {"A": Asking(acknowledge)}, resolver=person)
        *_, ended, decided = told.events
        assert isinstance(ended.fact, Ended)
        assert isinstance(decided.fact, Decided)
        assert decided.fact.decision == "a person"
        assert decided.number == ended.number + 1
        assert decided.at_ns - ended.at_ns == 30 * NS_PER_MS
        assert [question.stretch for question in person.questions] == [ended.dispatch]

    on_virtual_time(body)


class _Prompt:
    """Answers a question at once."""

    async def resolve(self, question: Question) -> Answer:
        return Answer(allows=True, by="a person")


def test_an_answer_that_is_there_when_the_caller_gives_up_does_not_count() -> None:
    """However quickly it comes; whoever sits in the chain is asked for nobody either."""

    async def body(clock: VirtualClock) -> None:
        told, caller, asked = Told(), Caller(), Asking(acknowledge)
        with caller.giving_up_at(clock, 10 * NS_PER_MS, "enough"):
            await _hosted(clock, told, {"A": asked}, resolver=_Prompt(), caller=caller)
            assert isinstance(last := told.events[-1].fact, Decided)
            assert last.decision == "a person"
            await sleep(clock, 10)
            result = await _hosted(clock, told, {"A": asked}, resolver=_Prompt(), caller=caller)
            assert isinstance(last := told.events[-1].fact, Decided)
            assert (last.decision, result.ending, len(asked.calls)) == ("closed", Ending.CANCELLED, 1)

    on_virtual_time(body)


def test_a_caller_whose_deadline_has_come_asks_nobody() -> None:
    """No verdict, no record, and nobody is called, however quick they would have been."""

    async def body(clock: VirtualClock) -> None:
        told, caller, asked = Told(), Caller(), Asking(acknowledge)
        caller.give_up_at(clock, clock.now_ns(), "gone")
        result = await dispatch(
            Pluggable(), chain("plan-ready", "A:o B:v"), payload("plan-ready"), {"A": asked, "B": asked},
            probes=Probes(told), clock=clock, caller=caller,
        )  # fmt: skip
        assert (result.ending, result.decision) == (Ending.CANCELLED, "unspecified")
        assert result.error == "cancelled: the caller gave up: gone"
        assert asked.calls == []
        assert not [fact for fact in told.facts if isinstance(fact, Asked | Replied | Raised)]

    on_virtual_time(body)


def test_a_caller_that_gives_up_leaves_the_question_to_nobody() -> None:
    """The person is not waited for, and the host does what it does where nobody could be asked."""

    async def body(clock: VirtualClock) -> None:
        told, caller = Told(), Caller()
        clock.call_at(10 * NS_PER_MS, lambda: caller.cancel("enough"))
        await _hosted(clock, told, {"A": Asking(acknowledge)}, resolver=_Person(30, clock), caller=caller)
        assert isinstance(last := told.events[-1].fact, Decided)
        assert last.decision == "closed"
        assert clock.now_ns() == 10 * NS_PER_MS

    on_virtual_time(body)
