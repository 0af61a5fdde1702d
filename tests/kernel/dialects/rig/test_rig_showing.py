"""What cannot be shown is described, and the dispatch goes on as the runner's would: only the display may degrade."""

from __future__ import annotations

import asyncio
import enum
import json
import math
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from dispatch_runs import on_virtual_time
from hypothesis import given
from hypothesis import strategies as st
from rig_runs import tc5

from kernel import Chain, Probes, Subscription, VirtualClock, dispatch
from kernel.dialects.rig import RIG
from kernel.dialects.rig.context import (
    BACKGROUND,
    Canceled,
    Context,
    DeadlineExceeded,
    background,
    with_deadline,
    with_value,
)
from kernel.dialects.rig.context_view import FURTHEST_MS, ContextView, context_from_json, described
from kernel.dialects.rig.denial import chain, classify_denial
from kernel.dialects.rig.error_view import error_view
from kernel.dialects.rig.errors import Denial, GuardError
from kernel.dialects.rig.hook_set import Around, Guard, Set
from kernel.dialects.rig.live import ask
from kernel.dialects.rig.payload import of
from kernel.dialects.rig.runner import Runner
from kernel.dialects.rig.showing import MOST_IN_ALL, class_name, text_of, value_shown
from kernel.dialects.rig.snapshot import Call, Result
from kernel.facts import Event, Resolved
from kernel.subscriber import Subscriber
from kernel.transports.callback import CallbackSubscriber
from kernel.values import JSON, Ending
from kernel.values import Result as Given


def holding_itself(made: Any) -> Any:
    if isinstance(made, dict):
        made["me"] = made
    else:
        made.append(made)
    return made


def deep(levels: int) -> Any:
    made: Any = 1
    for _ in range(levels):
        made = [made]
    return made


class Quiet:
    def __str__(self) -> str:
        raise SystemExit("sensitive")


class OddDict(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("sensitive")


class OddText(str):
    def __str__(self) -> str:
        raise RuntimeError("sensitive")


class Level(enum.IntEnum):
    HIGH = 3


class Meta(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("sensitive")


class Nameless(metaclass=Meta):
    def __str__(self) -> str:
        raise RuntimeError("sensitive")


VALUES: list[tuple[object, JSON]] = [
    (math.inf, "<number inf>"),
    (-math.inf, "<number -inf>"),
    (math.nan, "<number nan>"),
    ({"a": [1, math.nan]}, {"a": [1, "<number nan>"]}),
    ("a\ud800b", "a\\ud800b"),
    ({"\udfff": 1}, {"\\udfff": 1}),
    (holding_itself([1]), [1, "<list that holds itself>"]),
    (holding_itself({}), {"me": "<dict that holds itself>"}),
    (10**5000, "<whole number of 16610 bits>"),
    (2**1000, 2**1000),
    (Level.HIGH, 3),
    ((1, (2,)), [1, [2]]),
    ({1: "one"}, {"1": "one"}),
    (Quiet(), "<Quiet>"),
    (OddDict(a=1), "<OddDict>"),
    (OddText("text"), "text"),
    (Mock(spec=int), None),
    (Nameless(), "<Nameless>"),
]


@pytest.mark.parametrize(("value", "shown"), VALUES, ids=range(len(VALUES)))
def test_a_value_is_shown_or_described(value: object, shown: JSON) -> None:
    """Whatever it is, it is JSON in the end."""
    found = value_shown(value)
    json.dumps(found, allow_nan=False).encode()
    json.dumps(found, allow_nan=False, ensure_ascii=False).encode()
    assert shown is None or found == shown


def test_depth_and_breadth_are_bounded() -> None:
    """A value of any depth and any fan-out is shown in no time."""
    assert "not shown from here on" in json.dumps(value_shown(deep(1200)))
    wide: Any = [0] * 100
    for _ in range(10):
        wide = [wide] * 100
    shown = json.dumps(value_shown(wide))
    assert shown.count("0") < MOST_IN_ALL + 100
    assert value_shown(list(range(1000))) == list(range(100))


@given(st.recursive(st.none() | st.booleans() | st.integers(-(2**200), 2**200) | st.floats() | st.text(), st.lists))
def test_what_is_json_is_shown_as_it_is(value: Any) -> None:
    """Nothing is described that need not be."""
    try:
        expected = json.loads(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, UnicodeEncodeError):
        expected = None
    if expected is not None and "not shown" not in str(value_shown(value)) and len(str(value)) < 1000:
        assert value_shown(value) == expected


def test_an_object_says_what_it_is_or_its_class_does() -> None:
    """Even one whose class will not."""
    assert text_of(Nameless()) == "<Nameless>"
    assert class_name(Nameless()) == "Nameless"
    assert text_of("x" * 1000) == "x" * 500


# -- the dispatch --------------------------------------------------------------------------------------------------


class Story:
    """One set, run by the runner and by a dispatch with the same callbacks."""

    def __init__(self, begins: list[Callable[..., Any]], checks: list[Callable[..., Any]]) -> None:
        self.told: list[str] = []
        self.arounds = [Around(5, self._begin(index, each)) for index, each in enumerate(begins)]
        self.guards = [Guard(5, self._check(index, each)) for index, each in enumerate(checks)]
        self.rules: list[str] = []
        self.whys: list[str] = []

    def _begin(self, index: int, begin: Callable[..., Any]) -> Callable[..., Any]:
        def told(context: Context, call: Call) -> Any:
            self.told.append(f"A{index}.b")
            return begin(context), lambda result: self.told.append(f"A{index}.f {type(result.err).__name__}")

        return told

    def _check(self, index: int, check: Callable[..., Any]) -> Callable[..., Any]:
        def told(context: Context, call: Call) -> Any:
            self.told.append(f"G{index}")
            return check(context)

        return told

    def by_runner(self, context: Context = BACKGROUND) -> GuardError | Denial | None:
        started = Runner(Set("v1" if self.guards else "", self.guards, self.arounds)).start(context, tc5())
        assert started.finish is not None
        started.finish(Result.of(tc5(), ended_at=1, outcome=1))
        assert started.error is None or isinstance(started.error, GuardError | Denial)
        return started.error

    def by_dispatch(self, base: ContextView | None = None) -> Given:
        seats: list[Subscription] = []
        live: dict[str, Subscriber] = {}
        for index, around in enumerate(self.arounds):
            seats.append(Subscription(f"A{index}", "ToolCall", "around", id=f"around[{index}]"))
            assert around.begin is not None
            live[f"A{index}"] = CallbackSubscriber(f"A{index}", around.begin, ask)
        for index, guard in enumerate(self.guards):
            seats.append(Subscription(f"G{index}", "ToolCall", "guard", id=f"guards[{index}]"))
            assert guard.check is not None
            live[f"G{index}"] = CallbackSubscriber(f"G{index}", guard.check, ask)
        seats.append(Subscription("operation", "ToolCall", "operation"))
        chain_ = Chain("ToolCall", tuple(seats))

        async def run(clock: VirtualClock) -> Given:
            return await dispatch(RIG, chain_, of(tc5(), base), live, probes=Probes(self), clock=clock)

        return on_virtual_time(run)

    def see(self, event: Event) -> None:
        if isinstance(event.fact, Resolved):
            self.rules.append(event.fact.rule)
            self.whys.append(event.fact.why)


@pytest.mark.parametrize("value", [value for value, _ in VALUES] + [deep(1200)], ids=range(len(VALUES) + 1))
def test_any_value_goes_on_to_whoever_comes_next(value: object) -> None:
    """Spec C.2, C.4: values are opaque, and the very object arrives."""
    story = Story([lambda context: with_value(context, "k", value)], [])
    seen: list[object] = []
    story.guards = [Guard(5, lambda context, call: seen.append(context.value("k")))]
    assert story.by_runner() is None
    result = story.by_dispatch()
    assert result.ending is Ending.FINISHED
    assert all(each is value for each in seen)
    assert story.rules == ["RG-BEGIN-CONTEXT", "RG-GUARD-PASS", "RG-COMPLETED", "RG-FINISH"]
    assert story.told == ["A0.b", "A0.f NoneType"] * 2


def test_a_guard_may_put_anything_into_what_is_there() -> None:
    """It returned nothing, so it lets the operation go on, whatever became of the display."""

    def scribbling(context: Context) -> None:
        stats: Any = context.value("stats")
        stats["best"] = math.inf
        stats["me"] = stats

    story = Story([lambda context: with_value(context, "stats", {})], [scribbling])
    assert story.by_runner() is None
    assert story.by_dispatch().status.value == "ok"
    assert story.rules[1] == "RG-GUARD-PASS"


@pytest.mark.parametrize("when_ns", [10**18, 2**63 - 1, 10**40, 10**400, -(10**400), 0])
def test_a_deadline_may_be_as_far_away_as_it_likes(when_ns: int) -> None:
    """A number that no display holds is no reason to forget a finish."""
    story = Story([lambda context: with_deadline(context, when_ns)[0]], [lambda context: None])
    story.by_dispatch()
    assert story.told == ["A0.b", "G0", f"A0.f {'NoneType' if when_ns > 0 else 'DeadlineExceeded'}"]
    view = described(with_deadline(background(lambda: 0), when_ns)[0], 0)
    assert view.deadline_ms is not None
    assert -FURTHEST_MS <= view.deadline_ms <= FURTHEST_MS
    assert context_from_json(json.loads(json.dumps(view.to_json())), "$") == view
    far = with_deadline(background(lambda: 0), max(when_ns, 1))[0]
    far_done = far.done()
    assert far_done is not None
    assert not far_done.wait(0.001)


class Lying:
    """Claims to be an exception, or a denial."""

    code, reason = "policy.blocked", "no"

    def __init__(self, claimed: type) -> None:
        self._claimed = claimed

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return self._claimed


@pytest.mark.parametrize(
    "make",
    [
        lambda: Mock(spec=RuntimeError("x")),
        lambda: Mock(spec=Denial("policy.blocked", "no")),
        lambda: Lying(RuntimeError),
        lambda: Lying(Denial),
        lambda: Lying(ExceptionGroup),
    ],
)
def test_what_only_claims_to_be_an_error_blocks_and_is_finished(make: Callable[[], object]) -> None:
    """Spec C.3: it is some other error, and a usable finish is there."""
    story = Story([lambda context: context], [lambda context: make()])
    error = story.by_runner()
    assert isinstance(error, GuardError)
    assert classify_denial(error) is None
    result = story.by_dispatch()
    assert result.decision == "failed"
    assert story.rules == ["RG-BEGIN-SAME", "RG-GUARD-FAILED", "RG-FINISH"]
    assert story.told == ["A0.b", "G0", "A0.f NoneType", "A0.b", "G0", "A0.f GuardError"]


def test_a_context_whose_error_only_claims_to_be_one_is_answered_for() -> None:
    """Spec C.4: what cannot be meant counts as a raise."""

    class Claiming(Context):
        def err(self) -> Any:
            return Lying(RuntimeError)

    story = Story([lambda context: Claiming()], [lambda context: None])
    assert story.by_dispatch().decision == "completed"


@pytest.mark.parametrize(
    ("base", "begin"),
    [
        (ContextView(deadline_ms=-5), lambda context: context),
        (ContextView(), lambda context: with_deadline(context, context.now_ns() - 1)[0]),
    ],
)
def test_an_operation_ends_with_the_error_of_its_context(base: ContextView, begin: Callable[..., Any]) -> None:
    """Spec D.4: what ended by its deadline is told as that."""
    story = Story([begin], [])
    result = story.by_dispatch(base)
    assert (result.decision, result.error) == ("canceled", str(DeadlineExceeded()))
    assert story.told[-1] == "A0.f DeadlineExceeded"


def test_one_that_was_cancelled_ends_as_cancelled() -> None:
    """With the words of whoever cancelled it."""
    story = Story([lambda context: context], [])
    result = story.by_dispatch(ContextView(cancelled="enough"))
    assert (result.decision, result.error) == ("canceled", "enough")
    assert story.told[-1] == f"A0.f {Canceled.__name__}"


def test_causes_that_are_made_on_access_are_all_looked_at() -> None:
    """The identity of an object that is gone is the next one's."""

    class Made(Exception):
        def __init__(self, left: int) -> None:
            super().__init__(left)
            self.left = left

        @property
        def __cause__(self) -> BaseException | None:  # type: ignore[override]
            return Made(self.left - 1) if self.left else Denial("policy.blocked", "no")

    assert len(list(chain(Made(30)))) == 32
    denial = classify_denial(Made(30))
    assert denial is not None
    assert denial.code == "policy.blocked"
    view: Any = error_view(Made(30))
    depth = 0
    while "cause" in view:
        view, depth = view["cause"], depth + 1
    assert (depth, view["kind"]) == (31, "denial")


def test_a_denial_is_shown_whatever_looking_at_its_cause_does() -> None:
    """What decides was decided by the first link; the display must not end the thread."""

    class Ending_(Denial):
        @property
        def __cause__(self) -> BaseException | None:  # type: ignore[override]
            raise SystemExit

    story = Story([lambda context: context], [lambda context: Ending_("policy.blocked", "no")])
    assert isinstance(story.by_runner(), Denial)
    assert story.by_dispatch().decision == "denied"


def test_a_raise_that_cannot_be_told_is_a_raise() -> None:
    """And not a thread that never says anything."""

    class Mute(Exception):
        def __str__(self) -> str:
            raise SystemExit

    def raising(context: Context) -> Context:
        raise Mute

    story = Story([raising], [])
    assert story.by_dispatch().decision == "completed"
    assert story.rules[0] == "RG-BEGIN-RAISED"


# -- what is told of a guard ----------------------------------------------------------------------------------------


class ReadOnce(ConnectionError):
    """An error of somebody's own."""


async def waits(context: Context) -> None:
    """Nobody awaits it."""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (lambda context: ReadOnce("the policy server does not answer"), "ReadOnce (the policy server does not answer)"),
        (lambda context: True, "bool (True)"),
        (lambda context: ["no"], "list (['no'])"),
        (lambda context: Quiet(), "Quiet (<Quiet>)"),
        (waits, "coroutine (<coroutine object waits>)"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_what_a_guard_returned_is_told_by_its_own_name(said: Callable[..., Any], told: str) -> None:
    """Neither by a class of ours nor by what it was rebuilt as; and the result says the same."""
    story = Story([], [said])
    result = story.by_dispatch()
    assert story.whys[0] == f"it returned {told}, which is no well-formed denial; a guard that fails blocks"
    view: Any = result.extras["start_error"]
    name = told.partition(" ")[0]
    assert view["cause"].get("type") == name or name in view["cause"]["message"]


@pytest.mark.filterwarnings("error")
def test_a_begin_that_has_to_be_awaited_raised() -> None:
    """There is neither a context nor a finish in a coroutine."""
    seat = Subscription("A0", "ToolCall", "around", id="around[0]")

    async def begin(context: Context, call: Call) -> None:
        """Nobody awaits it."""

    live: dict[str, Subscriber] = {"A0": CallbackSubscriber("A0", begin, ask)}
    told: list[str] = []

    class Keeper:
        def see(self, event: Event) -> None:
            if isinstance(event.fact, Resolved):
                told.append(event.fact.rule)

    asyncio.run(dispatch(RIG, Chain("ToolCall", (seat,)), of(tc5()), live, probes=Probes(Keeper())))
    assert told == ["RG-BEGIN-RAISED"]
