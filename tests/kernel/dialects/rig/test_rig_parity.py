"""The runner and the walk are the same semantics: for arbitrary sets both tell one story, whoever answers.

Three ways to run one set: the runner with real callbacks; a dispatch with stubs, which know nothing but JSON; a
dispatch with the same real callbacks behind their transport.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dispatch_runs import on_virtual_time
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_runs import Story, lines, logged, tc5

from kernel import Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.dialects.rig import RIG
from kernel.dialects.rig.content import RawJSON
from kernel.dialects.rig.context import BACKGROUND, Context, background, with_cancel, with_deadline, with_value
from kernel.dialects.rig.context_view import ContextView, Hostile, built, described
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.errors import Denial, GuardError
from kernel.dialects.rig.hook_set import Around, Guard, Set
from kernel.dialects.rig.live import ask
from kernel.dialects.rig.operation import Outcome
from kernel.dialects.rig.payload import of
from kernel.dialects.rig.runner import Runner
from kernel.dialects.rig.snapshot import Call, Result
from kernel.facts import Asked, Event, Raised
from kernel.subscriber import Subscriber
from kernel.transports.callback import CallbackSubscriber
from kernel.transports.stub import Stub
from kernel.values import JSON, Ending

HOUR_MS = 3_600_000


@dataclass(frozen=True)
class AroundIs:
    """How one around behaves."""

    gives: str
    values: Mapping[str, int] = field(default_factory=dict)
    own: bool = False
    cancelled: bool = False
    hours: int | None = None
    finish: str = "ok"

    @property
    def words(self) -> JSON:
        if self.gives == "boom":
            return "boom"
        finish: JSON = {"ok": True, "": False, "boom": "boom"}[self.finish]
        words: dict[str, JSON] = {"finish": finish}
        if self.gives in ("val", "det"):
            words[self.gives] = dict(self.values)
            if self.cancelled:
                words["cancelled"] = True
            if self.hours is not None:
                words["deadline_ms"] = self.hours * HOUR_MS
        else:
            words[self.gives] = True
        return words

    def context(self, before: Context) -> Context | None:
        match self.gives:
            case "none":
                return None
            case "hostile":
                return Hostile()
            case "own":
                return with_cancel(before)[0]
            case "val" | "det":
                made = before if self.gives == "val" else background(before.now_ns)
                for key, value in self.values.items():
                    made = with_value(made, key, value)
                if made is before and not (self.cancelled or self.hours):
                    made = with_value(made, object(), None)
                if self.hours is not None:
                    made = with_deadline(made, before.now_ns() + self.hours * HOUR_MS * 1_000_000)[0]
                if self.cancelled:
                    made, cancel = with_cancel(made)
                    cancel()
                return made
            case _:
                return before


@dataclass(frozen=True)
class GuardIs:
    says: str

    @property
    def words(self) -> JSON:
        if self.says == "deny":
            return {"deny": {"code": "policy.x", "reason": "no"}, "wrapped": ["in", "out"]}
        if self.says == "bad":
            return {"joined": [{"deny": {"code": "BAD", "reason": "no"}}, {"deny": {"code": "good", "reason": "no"}}]}
        return {"err": "backend"} if self.says == "err" else self.says

    def error(self) -> object:
        match self.says:
            case "deny":
                outer = RuntimeError("out")
                outer.__cause__ = Denial("policy.x", "no")
                return outer
            case "bad":
                return ExceptionGroup("joined", [Denial("BAD", "no"), Denial("good", "no")])
            case "err":
                return ValueError("backend")
            case "hostile":
                return HostileError()
            case "boom":
                raise RuntimeError("sensitive")
            case _:
                return None


class HostileError(Exception):
    @property
    def __cause__(self) -> BaseException:  # type: ignore[override]
        raise RuntimeError("sensitive")


values = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=2)
arounds = st.one_of(
    st.builds(
        AroundIs,
        st.sampled_from(["ok", "none", "own", "hostile", "boom"]),
        finish=st.sampled_from(["ok", "", "boom"]),
    ),
    st.builds(
        AroundIs, st.sampled_from(["val", "det"]), values, st.just(False), st.booleans(), st.sampled_from([None, 1, 9]),
        st.sampled_from(["ok", "", "boom"]),
    ),
)  # fmt: skip
guards = st.builds(GuardIs, st.sampled_from(["pass", "pass", "pass", "deny", "err", "bad", "hostile", "boom"]))
bases = st.builds(
    ContextView,
    values,
    st.booleans(),
    st.sampled_from([None, 5.0 * HOUR_MS]),
    st.sampled_from(["", "context canceled"]),
).map(lambda view: ContextView(view.values, view.cancellable or bool(view.cancelled) or view.deadline_ms is not None,
                               view.deadline_ms, view.cancelled))  # fmt: skip
plans = st.tuples(st.lists(arounds, max_size=4), st.lists(guards, max_size=3), bases)
Plan = tuple[list[AroundIs], list[GuardIs], ContextView]


@dataclass
class Told:
    """What can be seen of one run, whichever way."""

    order: list[str] = field(default_factory=list)
    seen: dict[str, object] = field(default_factory=dict)
    error: object = None
    outcome: int = 0
    log: list[tuple[str, int]] = field(default_factory=list)
    context: object = None


def shown(view: ContextView) -> object:
    hours = None if view.deadline_ms is None else round(view.deadline_ms / HOUR_MS, 2)
    return dict(view.values), view.cancellable, view.cancelled, hours


def callbacks(
    plan: Plan, told: Told, began: Callable[[Context], int]
) -> tuple[list[Callable[..., Any]], list[Callable[..., Any]]]:
    """Real functions that behave as planned, tell what they see, and scribble on it afterwards."""

    def note(name: str, snapshot: Call, context: Context | None = None) -> None:
        told.order.append(name)
        assert snapshot.tool_call is not None
        told.seen[name] = (
            snapshot.tool_call.args_json,
            None if context is None else shown(described(context, began(context))),
        )
        snapshot.tool_call.args_json = RawJSON(b"scribbled")

    def around(index: int, each: AroundIs) -> Callable[[Context, Call], object]:
        def begin(context: Context, call: Call) -> object:
            note(f"A{index}.b", call, context)
            if each.gives == "boom":
                raise RuntimeError("sensitive")

            def finish(result: Result) -> None:
                note(f"A{index}.f", result)
                if each.finish == "boom":
                    raise RuntimeError("sensitive")

            return each.context(context), finish if each.finish else None

        return begin

    def guard(index: int, each: GuardIs) -> Callable[[Context, Call], object]:
        def check(context: Context, call: Call) -> object:
            note(f"G{index}", call, context)
            return each.error()

        return check

    return [around(i, a) for i, a in enumerate(plan[0])], [guard(i, g) for i, g in enumerate(plan[1])]


def error_shown(error: object) -> object:
    match error:
        case None:
            return None
        case Denial():
            return "denied", error.code, error.reason
        case GuardError():
            return "failed", str(error)
        case _:
            raise AssertionError(error)


def by_runner(plan: Plan) -> Told:
    told = Told()
    begins, checks = callbacks(plan, told, lambda context: 0)
    hooks = Set("v" if checks else "", [Guard(5, each) for each in checks], [Around(5, each) for each in begins])
    call = tc5()
    with logged() as records:
        context, finish, error = Runner(hooks).start(built(plan[2], lambda: 0, 0), call)
        told.context = shown(described(context, 0))
        if error is None:
            told.order.append("op")
        told.outcome = int(outcome_of(error))
        if error is None and described(context, 0).cancelled:
            told.outcome = int(Outcome.CANCELED)  # as the operation itself has it, where nobody else plays it
        told.error = error_shown(error)
        assert finish is not None
        finish(Result.of(call, outcome=told.outcome, err=error))
        finish(Result.of(call))
    told.log = [(message, index) for message, _, index in lines(records)]
    assert call == tc5()
    return told


def chain_of(plan: Plan) -> Chain:
    chain = Chain("ToolCall")
    for index in range(len(plan[0])):
        chain = RIG.staging.seated(chain, Subscription(f"A{index}", "ToolCall", "around"), {})
    for index in range(len(plan[1])):
        chain = RIG.staging.seated(chain, Subscription(f"G{index}", "ToolCall", "guard"), {})
    return chain


def by_dispatch(plan: Plan, subscribers: Mapping[str, Subscriber], told: Told, *, notes: bool) -> Told:
    events: list[Event] = []

    class Keep:
        def see(self, event: Event) -> None:
            events.append(event)

    async def run(clock: VirtualClock) -> Any:
        payload = of(tc5(), plan[2])
        return await dispatch(RIG, chain_of(plan), payload, subscribers, probes=Probes(Keep()), clock=clock)

    result = on_virtual_time(run)
    assert result.ending is Ending.FINISHED
    for fact in (event.fact for event in events):
        if isinstance(fact, Asked):
            name = {"begin": ".b", "finish": ".f"}.get(fact.phase, "")
            name = "op" if fact.phase == "operation" else fact.subscription.name + name
            asked = json.loads(fact.request)
            if name == "op" or notes:
                told.order.append(name)
            if notes and name != "op":
                view = asked["context"]
                context = ContextView(
                    view["values"], view["cancellable"], view.get("deadline_ms"), view.get("cancelled", "")
                )
                args = json.dumps(asked["call"]["ToolCall"]["ArgsJSON"], separators=(",", ":")).encode()
                told.seen[name] = (args, None if fact.phase == "finish" else shown(context))
    told.outcome = result.extras.get("outcome", 0)
    shown_error = result.extras.get("start_error")
    if shown_error is not None:
        kind = shown_error["kind"]
        told.error = (
            ("denied", shown_error["code"], shown_error["reason"]) if kind == "denial" else ("failed", result.error)
        )
    told.log = [
        (fact.message, int(fact.subscription.name[1:])) for event in events if isinstance(fact := event.fact, Raised)
    ]
    view = result.extras["context"]
    told.context = shown(
        ContextView(view["values"], view["cancellable"], view.get("deadline_ms"), view.get("cancelled", ""))
    )
    return told


@settings(deadline=None, max_examples=150)
@given(plans)
def test_stubs_that_know_nothing_but_json_tell_the_story_of_the_runner(plan: Plan) -> None:
    """Order, what everybody sees of call and context, error, outcome, log, and the context that the owner gets."""
    subscribers = {f"A{i}": Stub(RIG.staging.answer_in_words(a.words, "around")) for i, a in enumerate(plan[0])}
    subscribers |= {f"G{i}": Stub(RIG.staging.answer_in_words(g.words, "guard")) for i, g in enumerate(plan[1])}
    expected = by_runner(plan)
    if not plan[0] and not plan[1]:
        expected.order, expected.outcome = [], int(Outcome.COMPLETED)  # an empty chain asks nobody
    assert by_dispatch(plan, subscribers, Told(), notes=True) == expected


@settings(deadline=None, max_examples=60)
@given(plans)
def test_live_callbacks_tell_the_story_of_the_runner(plan: Plan) -> None:
    """The same functions behind their transport, each call in a thread."""
    told = Told()
    began: list[int] = []

    def began_at(context: Context) -> int:
        return began[0] if began else began.append(context.now_ns()) or began[0]  # type: ignore[func-returns-value]

    begins, checks = callbacks(plan, told, began_at)
    subscribers = {f"A{i}": CallbackSubscriber(f"A{i}", each, ask) for i, each in enumerate(begins)}
    subscribers |= {f"G{i}": CallbackSubscriber(f"G{i}", each, ask) for i, each in enumerate(checks)}
    expected = by_runner(plan)
    if not plan[0] and not plan[1]:
        expected.order, expected.outcome = [], int(Outcome.COMPLETED)
    actual = by_dispatch(plan, subscribers, told, notes=False)
    actual.order.remove("op") if "op" in actual.order else None
    expected.order = [each for each in expected.order if each != "op"]  # who came when is told by the callbacks here
    assert actual == expected


@settings(deadline=None, max_examples=150)
@given(plans)
def test_what_holds_for_every_set(plan: Plan) -> None:
    """Each finish at most once and in reverse; nobody sees a scribble; a guard's block leaves a usable finish."""
    told = by_runner(plan)
    finishes = [name for name in told.order if name.endswith(".f")]
    begins = [name for name in told.order if name.endswith(".b")]
    assert begins == [f"A{index}.b" for index in range(len(plan[0]))]
    assert len(finishes) == len(set(finishes))
    assert finishes == sorted(finishes, reverse=True)
    assert finishes == [
        f"A{i}.f" for i, each in reversed(list(enumerate(plan[0]))) if each.finish and each.gives != "boom"
    ]
    assert all(args == b'{"path":"README.md"}' for args, _ in told.seen.values())  # type: ignore[misc, has-type]
    assert (told.error is not None) is any(each.says != "pass" for each in plan[1])


def test_the_story_helper_tells_what_it_should() -> None:
    """The notation itself, once, by hand."""
    story = Story()
    story.run([story.around(0), story.around(1, "none", finish="")], [story.guard(0)], context=BACKGROUND)
    assert story.order == "A0.b A1.b G0 op | A0.f"
    assert asyncio.iscoroutinefunction(CallbackSubscriber("x", print, ask).answer)
