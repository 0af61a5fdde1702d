"""The failure matrix of spec F as a grid, and the catalogue of E.3: done by a live callback, and answered by a stub."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from dispatch_runs import Scripted, on_virtual_time
from rig_runs import tc5

from kernel import Caller, Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.control import Instead, Proceed, Skip
from kernel.dialects.rig import RIG
from kernel.dialects.rig.context import Context, with_cancel, with_value
from kernel.dialects.rig.context_view import ContextView
from kernel.dialects.rig.live import ask
from kernel.dialects.rig.payload import RigPayload, of
from kernel.dialects.rig.rules import RULES
from kernel.dialects.rig.snapshot import Call, Result
from kernel.errors import BadInput
from kernel.facts import Asked, Changed, Event, NotReached, Raised, Resolved
from kernel.faults import Fault
from kernel.subscriber import Subscriber
from kernel.transports.callback import CallbackSubscriber
from kernel.transports.stub import Stub
from kernel.values import JSON, Answered, Crashed, Ending, Status
from kernel.values import Result as Given

BEGIN_PANICKED = "hook: begin callback panicked"
NIL_CONTEXT = "hook: begin callback returned nil context"
FINISH_PANICKED = "hook: finish callback panicked"
BASE = ContextView({"p": 1}, cancellable=True)


@dataclass
class Run:
    """One dispatch of A0, A1, G0, G1 and the operation, with trouble somewhere."""

    subscribers: dict[str, Subscriber] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    finished: list[str] = field(default_factory=list)
    result: Given | None = None

    def see(self, event: Event) -> None:
        self.events.append(event)

    @property
    def order(self) -> str:
        names = {"begin": ".b", "finish": ".f"}
        facts = (event.fact for event in self.events)
        return " ".join(
            "op" if fact.phase == "operation" else fact.subscription.name + names.get(fact.phase, "")
            for fact in facts
            if isinstance(fact, Asked)
        )

    @property
    def logged(self) -> list[tuple[str, str]]:
        return [(each.message, each.subscription.name) for each in self.of(Raised)]

    def of(self, kind: type) -> list[Any]:
        return [event.fact for event in self.events if isinstance(event.fact, kind)]

    def rule(self, name: str, phase: str = "") -> str:
        steps = {fact.step for fact in self.of(Asked) if fact.subscription.name == name and phase in ("", fact.phase)}
        return next(each.rule for each in self.of(Resolved) if each.step in steps)

    def live(self) -> Run:
        """Everybody is a real callback that behaves well."""

        def around(name: str) -> CallbackSubscriber:
            def begin(context: Context, call: Call) -> tuple[Context, Any]:
                return context, lambda result: self.finished.append(name)

            return CallbackSubscriber(name, begin, ask)

        def guard(context: Context, call: Call) -> None:
            return None

        self.subscribers = {"A0": around("A0"), "A1": around("A1")}
        self.subscribers |= {name: CallbackSubscriber(name, guard, ask) for name in ("G0", "G1")}
        return self

    def stubs(self, **words: JSON) -> Run:
        """Everybody is a stub that behaves well, if the words say nothing else."""
        for name in ("A0", "A1", "G0", "G1"):
            mode = "around" if name[0] == "A" else "guard"
            said = words.get(name, "pass")
            self.subscribers[name] = Stub(RIG.staging.answer_in_words(said, mode))
        if "operation" in words:
            self.subscribers["operation"] = Stub(RIG.staging.answer_in_words(words["operation"], "operation"))
        return self

    def go(
        self,
        control: Any = None,
        payload: RigPayload | None = None,
        caller: Caller | None = None,
        chain: Chain | None = None,
    ) -> Run:
        async def run(clock: VirtualClock) -> Given:
            return await dispatch(
                RIG,
                chain or CHAIN,
                payload or of(tc5(), BASE),
                self.subscribers,
                probes=Probes(self),
                clock=clock,
                control=control,
                caller=caller,
            )

        self.result = on_virtual_time(run)
        return self


def seated(*names: str) -> Chain:
    chain = Chain("ToolCall")
    for name in names:
        chain = RIG.staging.seated(chain, Subscription(name, "ToolCall", "around" if name[0] == "A" else "guard"), {})
    return chain


CHAIN = seated("A0", "A1", "G0", "G1")
WHOLE = "A0.b A1.b G0 G1 op A1.f A0.f"
BLOCKED = "A0.b A1.b G0 A1.f A0.f"


@pytest.mark.parametrize("way", ["live", "stub"])
@pytest.mark.parametrize(
    ("at", "kind", "params", "order", "decision", "rule", "log"),
    [
        ("A0", "raises", {}, "A0.b A1.b G0 G1 op A1.f", "completed", "RG-BEGIN-RAISED", [(BEGIN_PANICKED, "A0")]),
        (
            "A0",
            "raises_no_exception",
            {},
            "A0.b A1.b G0 G1 op A1.f",
            "completed",
            "RG-BEGIN-RAISED",
            [(BEGIN_PANICKED, "A0")],
        ),
        ("A0", "no_context", {}, WHOLE, "completed", "RG-BEGIN-NO-CONTEXT", [(NIL_CONTEXT, "A0")]),
        ("A0", "nothing", {}, "A0.b A1.b G0 G1 op A1.f", "completed", "RG-BEGIN-NO-CONTEXT", [(NIL_CONTEXT, "A0")]),
        ("A0", "no_finish", {}, "A0.b A1.b G0 G1 op A1.f", "completed", "RG-BEGIN-SAME", []),
        ("A0", "detached_context", {"values": {"k": 2}}, WHOLE, "completed", "RG-BEGIN-LOST", []),
        ("A0", "cancelled_context", {}, WHOLE, "canceled", "RG-BEGIN-CANCELLED", []),
        ("A0", "short_deadline", {"ms": 3600000}, WHOLE, "completed", "RG-BEGIN-LINKED", []),
        ("A0", "hostile_context", {}, WHOLE, "completed", "RG-BEGIN-HOSTILE", []),
        ("A0", "mutates", {}, WHOLE, "completed", "RG-BEGIN-SAME", []),
        ("G0", "mutates", {}, WHOLE, "completed", "RG-GUARD-PASS", []),
        ("G0", "bad_denial", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "bad_denial", {"code": "ok", "reason": "r" * 1025}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "bad_denial", {"code": "ok", "reason": "a\nb"}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "bad_denial", {"code": "policy.blocked", "reason": "no"}, BLOCKED, "denied", "RG-GUARD-DENIED", []),
        ("G0", "malformed_first", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "returns_error", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "returns_cancellation", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "returns_no_error", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "null_denial", {}, BLOCKED, "failed", "RG-GUARD-FAILED", []),
        ("G0", "hostile_error", {}, BLOCKED, "failed", "RG-GUARD-HOSTILE", []),
        ("G0", "raises", {}, BLOCKED, "failed", "RG-GUARD-RAISED", []),
        ("G0", "raises_no_exception", {}, BLOCKED, "failed", "RG-GUARD-RAISED", []),
    ],
)
def test_the_grid(
    way: str,
    at: str,
    kind: str,
    params: dict[str, JSON],
    order: str,
    decision: str,
    rule: str,
    log: list[tuple[str, str]],
) -> None:
    """Operation, outcome, log, own finish and other finishes for each failure of a begin or a guard."""
    run = Run().live() if way == "live" else Run().stubs()
    control = Once(at, Fault(kind, params))
    run.go(control)
    assert run.result is not None
    assert run.order == order
    assert run.result.decision == decision
    assert run.rule(at) == rule
    usual = {} if kind != "bad_denial" else {"code": "INVALID", "reason": "not permitted"}
    exercised = RIG.exercises(kind, CHAIN.subscriptions[0 if at == "A0" else 2])
    if params in ({}, usual) and exercised:
        assert rule in exercised
    assert run.logged == log
    expected = [each.removesuffix(".f") for each in order.split() if each.endswith(".f")]
    assert run.result.extras["finished"] == expected
    if way == "live":
        assert run.finished == expected
    if kind == "mutates":
        payloads = {fact.payload for fact in run.of(Asked)}
        assert payloads == {of(tc5(), BASE)}


class Once:
    """Lets one fault befall the first question to somebody, or the first in a phase."""

    def __init__(self, at: str, fault: Fault, phase: str = "") -> None:
        self._at, self._fault, self._phase = at, fault, phase

    async def before(self, seam: Any) -> Proceed:
        if seam.ask.subscription.name == self._at and self._phase in ("", seam.ask.phase) and self._fault is not None:
            fault, self._fault = self._fault, None  # type: ignore[assignment]
            return Proceed(fault=fault)
        return Proceed()

    async def after(self, seam: Any) -> Proceed:
        return Proceed()


@pytest.mark.parametrize("way", ["live", "stub"])
@pytest.mark.parametrize(
    ("kind", "rule", "log", "finished"),
    [
        ("raises", "RG-FINISH-RAISED", [(FINISH_PANICKED, "A1")], ["A0"]),
        ("raises_no_exception", "RG-FINISH-RAISED", [(FINISH_PANICKED, "A1")], ["A0"]),
        ("mutates", "RG-FINISH", [], ["A1", "A0"]),
        ("no_context", "RG-FINISH", [], ["A1", "A0"]),
    ],
)
def test_the_grid_of_finishes(way: str, kind: str, rule: str, log: list[tuple[str, str]], finished: list[str]) -> None:
    """What a finish does wrong changes no outcome, and the remaining ones run."""
    run = (Run().live() if way == "live" else Run().stubs()).go(Once("A1", Fault(kind), "finish"))
    assert run.result is not None
    assert (run.order, run.result.decision) == (WHOLE, "completed")
    assert run.rule("A1", "finish") == rule
    assert run.logged == log
    if way == "live":
        assert run.finished == finished


@pytest.mark.parametrize("way", ["live", "stub"])
@pytest.mark.parametrize("at", ["A0", "G0"])
def test_a_callback_that_hangs_holds_the_dispatch_and_nothing_else(way: str, at: str) -> None:
    """There is no deadline; only the caller's patience ends it, and nobody after it is asked (E.3 I8)."""
    run = Run().live() if way == "live" else Run().stubs()

    async def go(clock: VirtualClock) -> Given:
        caller = Caller()
        caller.give_up_at(clock, clock.now_ns() + 60_000_000_000, "enough")
        return await dispatch(
            RIG,
            CHAIN,
            of(tc5(), BASE),
            run.subscribers,
            probes=Probes(run),
            clock=clock,
            control=Once(at, Fault("hang")),
            caller=caller,
        )

    result = on_virtual_time(go)
    assert (result.ending, result.decision) == (Ending.CANCELLED, "unspecified")
    assert run.order == {"A0": "A0.b", "G0": "A0.b A1.b G0"}[at]
    assert result.extras["never_finished"] == {"A0": [], "G0": ["A1", "A0"]}[at]
    missed = [fact.subscription.name for fact in run.of(NotReached)]
    assert missed == {"A0": ["A1", "G0", "G1", "operation"], "G0": ["G1", "operation"]}[at]


def test_a_finish_that_hangs_keeps_the_earlier_ones_waiting() -> None:
    """Outcome unchanged, and the owner is stuck."""
    run = Run().live()

    async def go(clock: VirtualClock) -> Given:
        caller = Caller()
        caller.give_up_at(clock, clock.now_ns() + 60_000_000_000, "enough")
        control = Once("A1", Fault("hang"), "finish")
        return await dispatch(
            RIG,
            CHAIN,
            of(tc5(), BASE),
            run.subscribers,
            probes=Probes(run),
            clock=clock,
            control=control,
            caller=caller,
        )

    result = on_virtual_time(go)
    assert run.order == "A0.b A1.b G0 G1 op A1.f"
    assert result.ending is Ending.CANCELLED
    assert result.extras["never_finished"] == ["A1", "A0"]


@pytest.mark.parametrize(
    ("at", "phase", "order"),
    [("A0", "", "A0.b"), ("G0", "", "A0.b A1.b G0"), ("A1", "finish", "A0.b A1.b G0 G1 op A1.f")],
)
def test_a_callback_that_ends_its_thread_ends_the_dispatch(at: str, phase: str, order: str) -> None:
    """Spec C.7: not contained, so no finish runs any more."""
    run = Run().live().go(Once(at, Fault("ends_thread"), phase))
    assert run.result is not None
    assert (run.result.ending, run.result.rule, run.order) == (Ending.ABORTED, "RG-THREAD-ENDED", order)
    assert run.finished == []


# -- the operation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "decision", "outcome", "rule", "status"),
    [
        ("completed", "completed", 1, "RG-COMPLETED", Status.OK),
        ("canceled", "canceled", 4, "RG-CANCELED", Status.CANCELLED),
        ({"failed": "disk full"}, "failed", 3, "RG-FAILED", Status.ERROR),
        ({"deny": {"code": "tool.said", "reason": "no"}}, "denied", 2, "RG-DENIED", Status.DENIED),
        ({"deny": {"code": "BAD", "reason": "no"}}, "failed", 3, "RG-FAILED", Status.ERROR),
        ("boom", "failed", 3, "RG-BODY-RAISED", Status.ERROR),
        ({"outcome": 0}, "outcome 0", 0, "RG-OUTCOME", Status.OK),
        ({"outcome": 77, "err": "x"}, "outcome 77", 77, "RG-OUTCOME", Status.OK),
        ({"outcome": "completed", "err": "x"}, "completed", 1, "RG-OUTCOME", Status.OK),
        ({"outcome": "failed"}, "failed", 3, "RG-OUTCOME", Status.ERROR),
    ],
)
def test_how_the_operation_ends(words: JSON, decision: str, outcome: int, rule: str, status: Status) -> None:
    """The classifier of D.2 where the owner does not choose; the runner never checks what it chooses."""
    run = Run().stubs(operation=words).go()
    assert run.result is not None
    assert (run.result.decision, run.result.extras["outcome"], run.result.rule) == (decision, outcome, rule)
    assert run.rule("operation") == rule
    assert [each.status for each in run.of(Resolved) if each.subscription.name == "operation"] == [status]
    assert run.order == WHOLE
    finish = json.loads(run.of(Asked)[-1].request)["result"]
    assert finish["outcome"] == outcome


def test_finishes_are_shown_the_terminal_fields_and_the_error() -> None:
    """Spec A.4 and A.6, over JSON and live."""
    run = Run().live()
    seen: list[Result] = []

    def begin(context: Context, call: Call) -> tuple[Context, Any]:
        return context, seen.append

    run.subscribers["A1"] = CallbackSubscriber("A1", begin, ask)
    run.subscribers["A0"] = CallbackSubscriber("A0", begin, ask)
    words = {
        "failed": "no disk",
        "result": {"ResultPreview": "error: no disk", "IsError": True},
        "ended_at": "2026-03-01T09:00:01Z",
    }
    run.subscribers["operation"] = Stub(RIG.staging.answer_in_words(words, "operation"))
    run.go()
    assert run.result is not None
    [changed] = run.of(Changed)
    assert (changed.rule, changed.by) == ("RG-TERMINAL", "operation")
    assert run.result.payload == changed.after
    for result in seen:
        assert result.tool_call is not None
        assert (result.tool_call.result_preview, result.tool_call.is_error, result.tool_call.tool_name) == (
            "error: no disk",
            True,
            "read",
        )
        assert (result.outcome, str(result.err), result.ended_at) == (3, "no disk", 1_772_355_601_000_000_000)
    assert seen[0].err is seen[1].err
    assert seen[0].tool_call is not seen[1].tool_call


def test_the_end_is_never_before_the_start() -> None:
    """Vector 185: whatever the clock says."""
    run = Run().live()
    seen: list[Result] = []
    run.subscribers["A0"] = CallbackSubscriber("A0", lambda context, call: (context, seen.append), ask)
    call = tc5()
    call.started_at = 9_000_000_000_000_000_000
    run.go(payload=of(call, BASE))
    assert seen[0].ended_at == call.started_at


def test_a_result_that_cannot_be_copied_enters_no_finish() -> None:
    """Spec C.5 and I16."""
    words: JSON = {"result": {"Result": {"Content": [None]}}}
    run = Run().stubs(operation=words).go()
    assert run.result is not None
    assert run.order == "A0.b A1.b G0 G1 op"
    assert run.logged == [(FINISH_PANICKED, "A1"), (FINISH_PANICKED, "A0")]
    assert [each.rule for each in run.of(Resolved)][-2:] == ["RG-FINISH-CLONE"] * 2
    assert run.result.decision == "completed"


# -- calls that are not started --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "rule", "error"),
    [
        ({}, "RG-CALL-PAYLOAD", "hook: invalid call: invalid_payload for operation 5"),
        ({"Turn": {}}, "RG-CALL-PAYLOAD", "hook: invalid call: invalid_payload for operation 5"),
        ({"ToolCall": {}, "Turn": {}}, "RG-CALL-PAYLOAD", "hook: invalid call: invalid_payload for operation 5"),
        ({"Operation": 99, "Turn": {}}, "RG-CALL-OPERATION", "hook: invalid call: unknown_operation for operation 99"),
        ({"ToolCall": {"Result": {"Content": [None]}}}, "RG-CLONE", "hook: cannot clone: unknown_block"),
    ],
)
def test_a_call_that_cannot_be_started_is_refused(view: JSON, rule: str, error: str) -> None:
    """Nobody is asked, and there is nothing to finish."""
    run = Run().stubs().go(payload=RIG.payload_from_view("ToolCall", view))
    assert run.result is not None
    assert (run.result.ending, run.result.decision, run.result.rule, run.result.error) == (
        Ending.REFUSED,
        "not started",
        rule,
        error,
    )
    assert run.order == ""


def test_without_callbacks_nothing_is_copied_and_the_operation_happens() -> None:
    """Spec C.1, step 3."""
    uncopied = RIG.payload_from_view("ToolCall", {"ToolCall": {"Result": {"Content": [None]}}})
    run = Run().stubs().go(payload=uncopied, chain=Chain("ToolCall"))
    assert run.result is not None
    assert (run.result.decision, run.result.rule, run.order) == ("completed", "RG-NO-CALLBACKS", "")


def test_a_call_of_another_operation_is_somebodys_mistake() -> None:
    """There is one chain for each operation."""
    with pytest.raises(BadInput, match="a call of Turn cannot be dispatched to the chain of ToolCall"):
        Run().stubs().go(payload=RIG.sample_payload("Turn"))


# -- steering --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "order", "decision", "rule"),
    [
        ({"before_A0": Skip()}, "A1.b G0 G1 op A1.f", "completed", "RG-SKIPPED"),
        ({"after_A0": Skip()}, "A0.b A1.b G0 G1 op A1.f", "completed", "RG-SKIPPED"),
        ({"before_G0": Skip()}, "A0.b A1.b G1 op A1.f A0.f", "completed", "RG-SKIPPED"),
        ({"before_operation": Skip()}, "A0.b A1.b G0 G1 A1.f A0.f", "completed", "RG-SKIPPED"),
        (
            {"before_G0": Instead(Answered(b'{"denial":{"code":"by.hand","reason":"no"}}'))},
            BLOCKED,
            "denied",
            "RG-GUARD-DENIED",
        ),
        ({"after_G0": Instead(Answered(b'{"error":"no"}'))}, BLOCKED, "failed", "RG-GUARD-FAILED"),
        ({"after_G0": Instead(Answered(b"garbage"))}, BLOCKED, "failed", "RG-GUARD-RAISED"),
        ({"after_A0": Instead(Answered(b"garbage"))}, "A0.b A1.b G0 G1 op A1.f", "completed", "RG-BEGIN-RAISED"),
        ({"before_operation": Instead(Answered(b'{"error":{"kind":"canceled"}}'))}, WHOLE, "canceled", "RG-CANCELED"),
    ],
)
@pytest.mark.parametrize("way", ["live", "stub"])
def test_whoever_steers_answers_as_well_as_a_callback(
    way: str, script: dict[str, Any], order: str, decision: str, rule: str
) -> None:
    """Any answer can be left out or put in its place."""
    run = (Run().live() if way == "live" else Run().stubs()).go(Scripted(**script))
    assert run.result is not None
    assert (run.order, run.result.decision) == (order, decision)
    assert rule in {each.rule for each in run.of(Resolved)}


def test_a_context_that_somebody_wrote_reaches_a_live_callback() -> None:
    """Without any live object behind it: the next callback gets a real context after the description."""
    run = Run().live()
    seen: list[Context] = []

    def begin(context: Context, call: Call) -> tuple[Context, None]:
        seen.append(context)
        return with_value(context, "mine", 3), None

    run.subscribers["A1"] = CallbackSubscriber("A1", begin, ask)
    run.subscribers["G0"] = CallbackSubscriber("G0", lambda context, call: seen.append(context), ask)
    written = Answered(
        b'{"context":{"kind":"detached","values":{"k":"by hand"},"cancelled":"context canceled"},"finish":false}'
    )
    run.go(Scripted(after_A0=Instead(written)))
    assert [each.value("k") for each in seen] == ["by hand", "by hand"]
    assert [each.value("p") for each in seen] == [None, None]
    assert [str(each.err()) for each in seen] == ["context canceled"] * 2
    assert seen[1].value("mine") == 3


def test_an_edited_answer_counts_and_not_what_was_live_behind_it() -> None:
    """The handle stays in the text that somebody edits; other words beside it mean another context."""
    run = Run().live()
    seen: list[object] = []
    run.subscribers["A0"] = CallbackSubscriber(
        "A0", lambda context, call: (with_value(context, "k", "live"), None), ask
    )
    run.subscribers["G0"] = CallbackSubscriber("G0", lambda context, call: seen.append(context.value("k")), ask)

    async def edits(seam: Any) -> Instead:
        return Instead(Answered(seam.outcome.body.replace(b'"live"', b'"edited"')))

    run.go(Scripted(after_A0=edits))
    assert seen == ["edited"]


def test_live_contexts_are_released_when_the_dispatch_is_over() -> None:
    """By the last finish; and with the dispatch, where nobody has anything to finish."""
    for finish in (None, lambda result: None):
        run = Run().live()
        seen: list[Context] = []
        own: list[Context] = []

        def begin(context: Context, call: Call, finish: Any = finish, own: list[Context] = own) -> tuple[Context, Any]:
            own.append(with_cancel(context)[0])
            return own[0], finish

        run.subscribers["A0"] = CallbackSubscriber("A0", begin, ask)
        run.subscribers["G0"] = CallbackSubscriber("G0", lambda context, call, seen=seen: seen.append(context), ask)
        run.go(chain=seated("A0", "G0"))
        assert seen[0].err() is not None
        assert own[0].err() is None


def test_an_edited_call_is_what_everybody_from_there_on_gets() -> None:
    """Spec C.6 keeps callbacks apart; whoever steers is not one of them."""
    edited = tc5()
    edited.agent_name = "edited"
    run = Run().stubs().go(Scripted(before_A1=Proceed(payload=of(edited, BASE))))
    names = [json.loads(fact.request)["call"].get("AgentName") for fact in run.of(Asked)]
    assert names == [None, *["edited"] * 6]
    assert [each.rule for each in run.of(Changed)] == ["RG-EDITED"]


@pytest.mark.parametrize(
    ("payload", "problem"),
    [
        (RIG.sample_payload("Turn"), "a call of ToolCall is needed here, not one of Turn"),
        (RIG.payload_from_view("ToolCall", {}), "invalid_payload"),
        (RIG.payload_from_view("ToolCall", {"ToolCall": {"Result": {"Content": [None]}}}), "unknown_block"),
        (of(tc5(), ContextView({"other": 1})), "before the first begin only"),
    ],
)
def test_a_call_that_could_not_be_there_is_not_taken(payload: RigPayload, problem: str) -> None:
    """The dispatch ends, loudly."""
    with pytest.raises(BadInput, match=problem):
        Run().stubs().go(Scripted(before_A1=Proceed(payload=payload)))


def test_cancelling_is_told_with_whose_finish_never_runs() -> None:
    """Spec E.1: such an operation stays open."""
    caller = Caller()

    async def cancels(seam: Any) -> Proceed:
        caller.cancel("enough")
        return Proceed()

    run = Run().stubs().go(Scripted(before_G0=cancels), caller=caller)
    assert run.result is not None
    assert (run.result.ending, run.result.rule) == (Ending.CANCELLED, "RG-CANCELLED")
    assert run.result.extras["never_finished"] == ["A1", "A0"]


def test_a_callback_that_could_not_be_loaded_is_like_a_thread_that_ended() -> None:
    """Asking it comes to Crashed; nobody is asked after it."""

    class Absent:
        async def answer(self, call: Any) -> Crashed:
            return Crashed("it is not running")

    run = Run().stubs()
    run.subscribers["A1"] = Absent()
    run.go()
    assert run.result is not None
    assert (run.result.ending, run.result.decided_by) == (Ending.ABORTED, "A1")


def test_a_derived_context_goes_on_and_a_block_says_who_is_not_reached() -> None:
    """The two that nothing above names: RG-BEGIN-CONTEXT and RG-AFTER-BLOCK."""
    run = Run().stubs(A0={"val": {"k": 1}}, G0={"deny": {"code": "no", "reason": "no"}}).go()
    assert run.rule("A0") == "RG-BEGIN-CONTEXT"
    assert [(each.subscription.name, each.because_of, each.rule) for each in run.of(NotReached)] == [
        ("G1", "G0", "RG-AFTER-BLOCK"),
        ("operation", "G0", "RG-AFTER-BLOCK"),
    ]


def test_every_rule_is_emitted_somewhere_in_these_tests() -> None:
    """The table has no rule that nothing applies: each stands in a module that is not the table."""
    from pathlib import Path

    folder = Path(__file__).parents[4] / "kernel" / "dialects" / "rig"
    code = "".join(
        path.read_text() for path in folder.rglob("*.py") if path.name not in ("rules.py", "host_rules.py", "faults.py")
    )
    assert [rule for rule in RULES if f'"{rule}"' not in code] == []
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    assert [rule for rule in RULES if rule not in tests] == []
    assert asyncio.iscoroutinefunction(dispatch)
