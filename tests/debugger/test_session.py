"""A debug session over stubs: where it holds, how it goes on, what it changes, and that nothing of it is left."""

from __future__ import annotations

import pytest
from dispatch_runs import stub
from pluggable_answers import ALLOW, DENY
from pluggable_payloads import VIEWS, payload
from session_at_desk import at_desk, edited_view
from session_runs import Desk

from debugger.breakpoints import Breakpoint, Side
from debugger.breakpoints.breakpoint import at_seat
from debugger.runcontrol import Command, IllegalMove, RunState, Stance
from debugger.session import Session
from debugger.views.states import state_of
from kernel.clock import NS_PER_MS, sleep
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.errors import BadInput, HookscopeError
from kernel.faults import Fault
from kernel.subscriber import Call, Subscriber
from kernel.values import JSON, Ending, Outcome, Subscription

PRE, PLAN = "pre-model-call", "plan-ready"
NEXT, STEP, FINISH, CONTINUE = Command.NEXT, Command.STEP, Command.FINISH, Command.CONTINUE
BEFORE_B, AFTER_A, AFTER_B = at_seat("B", PRE), at_seat("A", PRE, Side.AFTER), at_seat("B", PRE, Side.AFTER)


def seat(session: Session, name: str) -> Subscription:
    """The first seat of a subscriber."""
    seats = (seat for chain in session.setup.chains.values() for seat in chain.subscriptions)
    return next(seat for seat in seats if seat.name == name)


def words(given: HookPayload | object) -> str:
    """The ids of the messages."""
    assert isinstance(given, HookPayload)
    return " ".join(message["id"] for message in given.view["messages"])  # type: ignore[index, call-overload]


# -- holding and going on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("commands", "breakpoints", "held_at"),
    [
        ("step step step step", [], "before A, after A, before B, after B, finished"),
        ("next next", [], "before A, before B, finished"),
        ("step next next", [], "before A, after A, before B, finished"),
        ("next step step", [], "before A, before B, after B, finished"),
        ("finish", [], "before A, finished"),
        ("finish", [BEFORE_B, AFTER_B], "before A, finished"),
        ("continue", [], "before A, finished"),
        ("continue continue", [BEFORE_B], "before A, before B, finished"),
        ("continue continue continue", [AFTER_A, AFTER_B], "before A, after A, after B, finished"),
        ("next continue next", [AFTER_A, AFTER_B], "before A, after A, after B, finished"),
        ("step finish", [BEFORE_B], "before A, after A, finished"),
        ("skip next", [], "before A, before B, finished"),
        ("skip skip", [], "before A, before B, finished"),
        ("stop", [], "before A, cancelled"),
        ("step stop", [], "before A, after A, cancelled"),
        ("next stop", [BEFORE_B], "before A, before B, cancelled"),
    ],
)
def test_each_command_goes_as_far_as_it_says(commands: str, breakpoints: list[Breakpoint], held_at: str) -> None:
    """Steps hold at seams, next before subscribers, continue at breakpoints, finish and stop nowhere."""

    async def body(desk: Desk) -> None:
        for breakpoint in breakpoints:
            desk.session.toggle_breakpoint(breakpoint)
        dispatch = await desk.fire(Stance.TO_NEXT_SEAM)
        held = desk.places(dispatch)
        for command in commands.split():
            assert desk.session.view.states[dispatch] is RunState.PAUSED
            await desk.command(dispatch, Command(command))
            held += desk.places(dispatch)
        result = desk.of(dispatch).result
        assert result is not None
        assert ", ".join([*held, result.ending]) == held_at
        assert dispatch not in desk.session.view.states

    at_desk("A:t B:t", body)


def test_a_dispatch_that_nobody_wants_to_hold_runs_through() -> None:
    """Without a breakpoint a fired dispatch ends by itself."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        result = desk.of(dispatch).result
        assert result is not None
        assert result.decision == "allow"
        assert desk.asked() == "A B"

    at_desk("A:o B:t", body)


def test_nobody_is_asked_while_held_before() -> None:
    """The hold comes before the question and says what will be asked; after the answer it says what came."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        hold = desk.session.view.hold_of(dispatch)
        assert hold is not None
        assert (hold.subscriber, hold.side, hold.ask.payload, hold.answer) == ("A", Side.BEFORE, payload(PRE), None)
        assert desk.asked() == ""
        await desk.command(dispatch, STEP)
        hold = desk.session.view.hold_of(dispatch, 0)
        assert hold is not None
        assert hold.side is Side.AFTER
        assert hold.answer is not None
        assert desk.asked() == "A"
        assert desk.of(dispatch).steps[0].verdict is None, "it answered, and nothing came of it yet"

    at_desk("A:t", body)


def test_a_skipped_subscriber_is_never_asked() -> None:
    """The chain goes on as if it were absent."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.command(dispatch, Command.SKIP)
        await desk.command(dispatch, FINISH)
        assert desk.asked() == "B"
        assert [state_of(step, None) for step in desk.of(dispatch).steps] == ["skipped", "ok"]

    at_desk("A:v B:v", body, point=PLAN, A=stub("deny"))


def test_a_stopped_dispatch_blames_nobody() -> None:
    """It ends as for a caller that gave up, also while a subscriber is at work."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.session.fire(PRE, payload(PRE))
        await desk.until(lambda: desk.asked() == "A")
        desk.session.command(dispatch, Command.STOP)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        trace = desk.of(dispatch)
        assert trace.result is not None
        assert (trace.result.ending, trace.result.decision) == (Ending.CANCELLED, "unspecified")
        assert [step.raised for step in trace.steps] == [(), ()]

    at_desk("A:o B:o", body, A=Waiting())


class Waiting:
    """A subscriber without any sense of time: answers when it is told to."""

    def __init__(self, answer: str = "ack") -> None:
        self.is_released = False
        self._answer = stub(answer)

    async def answer(self, call: Call) -> Outcome:
        while not self.is_released:
            await sleep(call.clock, 0.1)
        return await self._answer.answer(call)


def test_a_pause_holds_at_the_next_seam() -> None:
    """While the subscriber still has the word the dispatch is pausing, and after its answer it is paused."""
    waiting = Waiting()

    async def body(desk: Desk) -> None:
        dispatch = await desk.session.fire(PRE, payload(PRE))
        await desk.until(lambda: desk.asked() == "A")
        desk.session.command(dispatch, Command.PAUSE)
        assert desk.session.view.states[dispatch] is RunState.PAUSING
        with pytest.raises(IllegalMove, match="cannot step while pausing"):
            desk.session.command(dispatch, STEP)
        waiting.is_released = True
        await desk.until(lambda: desk.places(dispatch) == ["after A"])
        assert desk.session.view.states[dispatch] is RunState.PAUSED

    at_desk("A:o B:o", body, A=waiting)


def test_a_pause_can_be_taken_back() -> None:
    """Continue while pausing, and nothing is held."""
    waiting = Waiting()

    async def body(desk: Desk) -> None:
        dispatch = await desk.session.fire(PRE, payload(PRE))
        await desk.until(lambda: desk.asked() == "A")
        desk.session.command(dispatch, Command.PAUSE)
        desk.session.command(dispatch, CONTINUE)
        assert desk.session.view.states[dispatch] is RunState.RUNNING
        waiting.is_released = True
        await desk.until(lambda: dispatch not in desk.session.view.states)
        assert desk.asked() == "A B"

    at_desk("A:o B:o", body, A=waiting)


def test_a_command_that_the_state_does_not_have_is_refused() -> None:
    """A finished dispatch cannot be stepped, and says what it can."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire(Stance.TO_END)
        with pytest.raises(IllegalMove, match="cannot next while finished: fire another"):
            desk.session.command(dispatch, NEXT)

    at_desk("A:o", body)


def test_a_breakpoint_is_taken_away_as_it_was_set() -> None:
    """Toggling twice leaves nothing."""

    async def body(desk: Desk) -> None:
        desk.session.toggle_breakpoint(BEFORE_B)
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert desk.places(dispatch) == ["before B"]
        desk.session.toggle_breakpoint(BEFORE_B)
        await desk.command(dispatch, CONTINUE)
        assert desk.places(await desk.fire(Stance.TO_BREAKPOINT)) == []

    at_desk("A:o B:o", body)


# -- editing ---------------------------------------------------------------------------------------------------------


def test_an_edited_payload_is_what_the_next_subscriber_gets() -> None:
    """The subscriber held and everybody after it get the edit; the one it came from is kept in the trace."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.command(dispatch, NEXT)
        desk.session.edit_payload(dispatch, 1, edited_view())
        hold = desk.session.view.hold_of(dispatch)
        assert hold is not None
        assert hold.edited is not None
        assert (words(hold.ask.payload), words(hold.edited)) == ("m1 m2 x", "e")
        await desk.command(dispatch, FINISH)
        trace = desk.of(dispatch)
        assert [words(step.given) for step in trace.steps] == ["m1 m2", "e", "e y"]
        assert trace.steps[1].edited is not None
        assert words(trace.steps[1].edited.before) == "m1 m2 x"
        assert trace.opened.payload == payload(PRE)
        assert words(trace.payload) == "e y"

    at_desk("A:t B:t C:o", body, A=stub("+x"), B=stub("+y"))


def test_an_edit_back_to_what_it_was_is_no_edit() -> None:
    """Nothing is steered that is the same as before."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.edit_payload(dispatch, 0, edited_view())
        desk.session.edit_payload(dispatch, 0, VIEWS[PRE])
        hold = desk.session.view.hold_of(dispatch)
        assert hold is not None
        assert hold.edited is None
        await desk.command(dispatch, FINISH)
        assert desk.of(dispatch).steps[0].steered == ()

    at_desk("A:t", body)


@pytest.mark.parametrize(
    ("view", "message"),
    [
        ({"message": []}, "message"),
        ({"messages": [{"role": "ROLE_KING"}]}, r"messages\[0\]\.role"),
        ({"messages": "many"}, "messages"),
        ([], "object"),
        (None, "object"),
    ],
)
def test_a_bad_edit_is_refused_and_nothing_is_lost(view: JSON, message: str) -> None:
    """The problem names its path; an earlier edit and the hold stay as they were."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.edit_payload(dispatch, 0, edited_view())
        before = desk.session.view
        with pytest.raises(BadInput, match=message):
            desk.session.edit_payload(dispatch, 0, view)
        assert desk.session.view is before
        await desk.command(dispatch, FINISH)
        assert words(desk.of(dispatch).steps[0].given) == "e"

    at_desk("A:t", body)


def test_an_edited_answer_takes_the_place_of_the_one_that_came() -> None:
    """A deny made of an allow ends the chain; the answer that really came stays in the trace."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.command(dispatch, STEP)
        desk.session.edit_answer(dispatch, 0, {"veto": {"decision": "HOOK_DECISION_DENY"}})
        hold = desk.session.view.hold_of(dispatch)
        assert hold is not None
        assert hold.answer is not None
        assert hold.edited_answer is not None
        assert (hold.answer.body, hold.edited_answer.body) == (ALLOW, DENY)
        await desk.command(dispatch, FINISH)
        trace = desk.of(dispatch)
        assert trace.result is not None
        assert (trace.result.decision, trace.result.decided_by) == ("deny", "A")
        assert (trace.steps[0].outcome, trace.steps[0].replaced) == (hold.edited_answer, hold.answer)
        assert [steered.what for steered in trace.steps[0].steered] == ["replaced answer"]
        assert desk.asked() == "A"

    at_desk("A:v B:v", body, point=PLAN)


def test_a_bad_answer_is_refused_and_the_true_one_kept() -> None:
    """What cannot be an answer never becomes one."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.command(dispatch, STEP)
        with pytest.raises(BadInput, match="decision"):
            desk.session.edit_answer(dispatch, 0, {"veto": {"decision": "MAYBE"}})
        await desk.command(dispatch, FINISH)
        result = desk.of(dispatch).result
        assert result is not None
        assert result.decision == "allow"

    at_desk("A:v", body, point=PLAN)


def test_an_edit_that_comes_too_late_is_refused_in_a_sentence() -> None:
    """What is no longer held there cannot be edited, on either side."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        with pytest.raises(HookscopeError, match="no longer held after"):
            desk.session.edit_answer(dispatch, 0, {})
        await desk.command(dispatch, FINISH)
        with pytest.raises(HookscopeError, match="no longer held before"):
            desk.session.edit_payload(dispatch, 0, edited_view())

    at_desk("A:t", body)


# -- trouble ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("is_once", "decisions", "left"), [(True, "deny allow allow", 0), (False, "deny deny deny", 1)]
)
def test_an_armed_fault_befalls_the_next_call_or_every_call(is_once: bool, decisions: str, left: int) -> None:
    """Once is once; always counts its hits; the trace names the fault."""

    async def body(desk: Desk) -> None:
        desk.session.arm(seat(desk.session, "A"), Fault("unspecified_decision"), is_once=is_once)
        traces = [desk.of(await desk.fire(Stance.TO_BREAKPOINT)) for _ in range(3)]
        assert " ".join(trace.result.decision for trace in traces if trace.result) == decisions
        assert [(each.what, each.detail) for each in traces[0].steps[0].steered] == [("fault", "unspecified_decision")]
        assert [armed.hits for armed in desk.session.view.armed] == [3] * left

    at_desk("A:v", body, point=PLAN)


def test_a_hang_is_ended_by_the_real_deadline() -> None:
    """The fault acts on the far side, so the dialect finds a timeout and decides."""

    async def body(desk: Desk) -> None:
        desk.session.arm(seat(desk.session, "A"), Fault("hang"), is_once=True)
        trace = desk.of(await desk.fire(Stance.TO_BREAKPOINT))
        assert trace.result is not None
        assert (trace.result.decision, trace.result.rule) == ("deny", "PL-VETO-TIMEOUT")
        assert trace.took_ns == 1000 * NS_PER_MS

    at_desk("A:v B:o", body, point=PLAN)


def test_arming_replaces_what_was_armed_and_disarming_takes_it_away() -> None:
    """One fault for a subscriber at a time; one or all are disarmed."""

    async def body(desk: Desk) -> None:
        session = desk.session
        session.arm(seat(session, "A"), Fault("hang"), is_once=True)
        session.arm(seat(session, "A"), Fault("delay", {"ms": 5}), is_once=False)
        session.arm(seat(session, "B"), Fault("garbage"), is_once=False)
        session.arm(seat(session, "C"), Fault("hang"), is_once=False)
        assert [(next(iter(armed.seats))[0], str(armed.fault)) for armed in session.view.armed] == [
            ("A", "delay (ms=5)"), ("B", "garbage"), ("C", "hang"),
        ]  # fmt: skip
        session.disarm(seat(session, "B"))
        assert [next(iter(armed.seats))[0] for armed in session.view.armed] == ["A", "C"]
        session.disarm()
        assert session.view.armed == ()
        trace = desk.of(await desk.fire(Stance.TO_END))
        assert [step.steered for step in trace.steps] == [(), (), ()]

    at_desk("A:o B:o C:o", body)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault("melt"), "no fault 'melt'"),
        (Fault("delay", {"ms": "soon"}), "ms must be a number"),
        (Fault("hang", {"ms": 1}), "has no setting 'ms'"),
        (Fault("grpc_status", {"code": "NOPE"}), "no gRPC status 'NOPE'"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_when_it_is_armed(fault: Fault, message: str) -> None:
    """Never later, in the middle of a dispatch; what was armed before stays."""

    async def body(desk: Desk) -> None:
        desk.session.arm(seat(desk.session, "A"), Fault("crash"), is_once=True)
        with pytest.raises(BadInput, match=message):
            desk.session.arm(seat(desk.session, "A"), fault, is_once=True)
        assert [str(armed.fault) for armed in desk.session.view.armed] == ["crash"]

    at_desk("A:o", body)


def test_a_fault_meets_the_edited_payload() -> None:
    """Editing and breaking one call go together."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.edit_payload(dispatch, 0, edited_view())
        desk.session.arm(seat(desk.session, "A"), Fault("mutate_immutable"), is_once=True)
        await desk.command(dispatch, FINISH)
        [step] = desk.of(dispatch).steps
        assert [steered.what for steered in step.steered] == ["edited payload", "fault"]
        assert words(step.given) == "e"
        assert step.verdict is not None
        assert step.verdict.rule == "PL-TRANSFORM-MODEL"

    at_desk("A:t", body)


def test_a_subscriber_that_died_is_started_again_at_the_next_fire() -> None:
    """The crash counts where it happened; the next dispatch finds everybody alive, and a note says so."""

    async def body(desk: Desk) -> None:
        desk.session.arm(seat(desk.session, "A"), Fault("crash"), is_once=True)
        first = desk.of(await desk.fire(Stance.TO_BREAKPOINT))
        assert [raised.category for raised in first.steps[0].raised] == ["PROCESS_CRASHED"]
        assert [each.name for each in desk.session.view.health if not each.is_alive] == ["A"]
        second = desk.of(await desk.fire(Stance.TO_BREAKPOINT))
        assert [state_of(step, None) for step in second.steps] == ["ok", "ok"]
        assert desk.host.restarted == ["A"]
        assert desk.notes == ["started A again"]
        assert all(each.is_alive for each in desk.session.view.health)

    at_desk("A:o B:o", body)


# -- time ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", Side)
def test_the_clock_stands_still_while_held(side: Side) -> None:
    """Looking for a minute costs the subscriber nothing of its second, and the trace none of its times."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        if side is Side.AFTER:
            await desk.command(dispatch, STEP)
        before = desk.session.now_ns(dispatch)
        await sleep(desk.session.clock, 60_000)
        assert desk.session.now_ns(dispatch) == before
        await desk.command(dispatch, FINISH)
        assert desk.session.now_ns(dispatch) is None
        trace = desk.of(dispatch)
        assert state_of(trace.steps[0], None) == "ok"
        assert trace.took_ns == 5 * NS_PER_MS

    at_desk("A:o", body, A=stub("ack", 5))


def test_time_can_be_let_run_while_held() -> None:
    """Then the deadline passes before the subscriber is asked, and the clock of the dispatch shows it."""

    async def body(desk: Desk) -> None:
        desk.session.let_time_run(True)
        assert desk.session.view.does_time_run
        dispatch = await desk.fire()
        await sleep(desk.session.clock, 60_000)
        await desk.command(dispatch, FINISH)
        trace = desk.of(dispatch)
        assert state_of(trace.steps[0], None) == "timed out"
        assert desk.asked() == "", "an expired deadline reaches nobody"

    at_desk("A:o", body)


def test_the_switch_of_the_clock_counts_at_once() -> None:
    """Thrown during a hold, the deadline runs from there on, or stands still again."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.let_time_run(True)
        await sleep(desk.session.clock, 60_000)
        await desk.command(dispatch, NEXT)
        desk.session.let_time_run(False)
        await sleep(desk.session.clock, 60_000)
        await desk.command(dispatch, FINISH)
        assert [state_of(step, None) for step in desk.of(dispatch).steps] == ["timed out", "ok"]

    at_desk("A:o B:o", body)


# -- several at once -------------------------------------------------------------------------------------------------


def test_two_dispatches_are_held_each_for_itself() -> None:
    """Each goes on when it is told to, with its own edit, and the other stays where it is."""

    async def body(desk: Desk) -> None:
        one, other = await desk.fire(), await desk.fire()
        desk.session.edit_payload(other, 0, edited_view())
        await desk.command(one, NEXT)
        assert (desk.places(one), desk.places(other)) == (["before B"], ["before A"])
        await desk.command(one, FINISH)
        assert desk.places(other) == ["before A"]
        await desk.command(other, FINISH)
        assert [words(desk.of(each).steps[1].given) for each in (one, other)] == ["m1 m2", "e"]

    at_desk("A:t B:t", body)


def test_parallel_observers_are_held_together() -> None:
    """Both are held at once; a step lets the chosen one go, and the clock runs when the last is let go."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.until(lambda: desk.places(dispatch) == ["before A", "before B"])
        before = desk.session.now_ns(dispatch)
        desk.session.command(dispatch, STEP, 1)
        await desk.until(lambda: desk.places(dispatch) == ["before A", "after B"])
        assert desk.asked() == "B"
        assert desk.session.view.states[dispatch] is RunState.PAUSED
        assert desk.session.now_ns(dispatch) == before
        desk.session.command(dispatch, STEP, 0)
        await desk.until(lambda: desk.places(dispatch) == ["after A", "after B"])
        desk.session.command(dispatch, CONTINUE)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        assert [state_of(step, None) for step in desk.of(dispatch).steps] == ["ok", "ok", "ok"]

    at_desk("A:o B:o C:t", body, parallel=True)


def test_finish_lets_every_held_sibling_go() -> None:
    """One command ends all holds of the dispatch."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.until(lambda: len(desk.places(dispatch)) == 3)
        desk.session.command(dispatch, FINISH)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        assert desk.asked() == "A B C"

    at_desk("A:o B:o C:o", body, parallel=True)


def test_stop_ends_every_held_sibling() -> None:
    """Nobody who was held is asked."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        await desk.until(lambda: len(desk.places(dispatch)) == 2)
        desk.session.command(dispatch, Command.STOP)
        await desk.until(lambda: dispatch not in desk.session.view.states)
        assert desk.asked() == ""
        result = desk.of(dispatch).result
        assert result is not None
        assert result.ending is Ending.CANCELLED

    at_desk("A:o B:o", body, parallel=True)


def test_the_same_key_twice_lets_go_once() -> None:
    """A second command before the first took effect is not one too many."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        desk.session.command(dispatch, NEXT)
        desk.session.command(dispatch, NEXT)
        await desk.settled(dispatch)
        assert desk.places(dispatch) == ["before B"]

    at_desk("A:t B:t", body)


# -- life ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", [False, True])
def test_closing_while_held_leaves_nothing(parallel: bool) -> None:
    """The dispatches end as cancelled, the subscribers are stopped, no task is left (`at_desk` checks)."""
    dispatches: list[str] = []
    desks: list[Desk] = []

    async def body(desk: Desk) -> None:
        desks.append(desk)
        dispatches.extend([await desk.fire(), await desk.fire()])

    at_desk("A:o B:o", body, parallel=parallel)
    for dispatch in dispatches:
        result = desks[0].of(dispatch).result
        assert result is not None
        assert (result.ending, result.error) == (
            Ending.CANCELLED,
            "cancelled: the caller gave up: hookscope is closing",
        )


def test_closing_ends_a_hanging_call() -> None:
    """A subscriber that never answers does not keep the session open."""

    async def body(desk: Desk) -> None:
        await desk.session.fire(PRE, payload(PRE))
        await desk.until(lambda: desk.asked() == "A")

    at_desk("A:o", body, A=Waiting())


class Broken:
    """Not a subscriber's trouble, which would be an outcome, but a bug of ours."""

    async def answer(self, call: Call) -> Outcome:
        raise ZeroDivisionError("ours")


def test_a_bug_of_ours_becomes_a_note_and_the_session_lives_on(caplog: pytest.LogCaptureFixture) -> None:
    """The person is told, the log has the traceback, and the next dispatch runs."""
    broken: dict[str, Subscriber] = {"A": Broken()}

    class Mending:
        async def answer(self, call: Call) -> Outcome:
            return await broken["A"].answer(call)

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire(Stance.TO_BREAKPOINT)
        assert dispatch not in desk.session.view.states
        [note] = desk.notes
        assert note.startswith("something broke on our side during pre-model-call")
        assert "ours" in note
        broken["A"] = stub("ack")
        trace = desk.of(await desk.fire(Stance.TO_BREAKPOINT))
        assert trace.result is not None
        assert trace.result.ending is Ending.FINISHED

    at_desk("A:o", body, A=Mending())
    assert "ZeroDivisionError" in caplog.text


def test_a_dispatch_waits_for_a_restart_that_is_under_way() -> None:
    """Found by reading: fired during a restart, it met subscribers that were not there yet."""

    async def body(desk: Desk) -> None:
        import asyncio

        restarting = asyncio.create_task(desk.session.restart(["A"]))
        await asyncio.sleep(0)
        assert desk.host.restarted == [], "it has begun, and is not over"
        await desk.session.fire(PRE, payload(PRE))
        assert desk.host.restarted == ["A"]
        await restarting

    at_desk("A:o", body)


def test_a_switch_counts_from_the_next_dispatch_on() -> None:
    """One under way goes on as it began; a name that the dialect does not have is refused."""

    async def body(desk: Desk) -> None:
        one = await desk.fire()
        desk.session.switch("concurrent_observe", True)
        other = await desk.fire()
        await desk.until(lambda: len(desk.places(other)) == 2)
        assert desk.places(one) == ["before A"]
        with pytest.raises(BadInput, match="no switch 'loud'"):
            desk.session.switch("loud", True)

    at_desk("A:o B:o", body)


def test_published_views_are_never_changed_afterwards() -> None:
    """What another thread reads at one moment stays as it was."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        before = desk.session.view
        held = before.holds
        desk.session.arm(seat(desk.session, "A"), Fault("hang"), is_once=True)
        await desk.command(dispatch, FINISH)
        assert before.holds is held
        assert dict(before.states) == {dispatch: RunState.PAUSED}
        assert before.armed == ()

    at_desk("A:o", body)


def test_an_edit_for_another_point_never_reaches_the_dispatch() -> None:
    """A payload is read for the point of the hold, so that of another point is refused as bad input."""

    async def body(desk: Desk) -> None:
        dispatch = await desk.fire()
        with pytest.raises(BadInput):
            desk.session.edit_payload(dispatch, 0, VIEWS[PLAN])
        await desk.command(dispatch, FINISH)
        assert desk.of(dispatch).steps[0].given == payload(PRE)
        assert desk.of(dispatch).opened.payload != from_view(PRE, edited_view())

    at_desk("A:t", body)
