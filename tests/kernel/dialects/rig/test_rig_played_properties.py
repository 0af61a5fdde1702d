"""For arbitrary sessions and hooks: what begins is finished once and in reverse, nests as D.6 says, and overlaps only
where it may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rig_played import Hook, Run, around, guard, play, session

from kernel.dialects.rig import RIG
from kernel.dialects.rig.operation import GUARDABLE, Operation
from kernel.dialects.rig.seats import AROUND, GUARD
from kernel.dialects.rig.session.checks import EVENTS, FAMILIES
from kernel.dialects.rig.words import answer_in_words
from kernel.facts import Asked, Ended, Entered, Event, Left, Opened, Replied
from kernel.subscriber import Subscriber
from kernel.transports.stub import Stub
from kernel.values import JSON, Ending

OPERATIONS = [each.label for each in Operation]
AROUND_WORDS: list[JSON] = [
    "ok",
    "own",
    "none",
    "hostile",
    "boom",
    "ok-no-finish",
    {"val": {"k": 1}},
    {"det": {"d": 1}},
    {"own": True, "cancelled": True},
    {"own": True, "deadline_ms": 15},
    {"ok": True, "finish": "boom"},
]
GUARD_WORDS: list[JSON] = [
    "pass",
    "pass",
    "pass",
    {"deny": {"code": "a", "reason": "no"}},
    {"deny": {"code": "A", "reason": "no"}},
    {"err": "down"},
    "boom",
    "hostile",
]
INSIDE: Mapping[str, set[str]] = {
    "Turn": {"session"},
    "Step": {"Turn"},
    "Inference": {"Step"},
    "ToolCall": {"Step"},
    "GateWait": {"ToolCall", "ToolExecution"},
    "ToolExecution": {"ToolCall"},
    "Compaction": {"Turn", "session"},
}
TERMINAL = {"TurnDone", "TurnFailed", "TurnInterrupted", "TurnRejected", "InputCancelled"}

milliseconds = st.sampled_from([0, 5, 10, 20])
kinds = st.sampled_from(["plain", "canceled", "deadline", "denial", "malformed_denial", "guard", "hostile"])


def rarely(text: str) -> st.SearchStrategy[str]:
    """Mostly empty."""
    return st.sampled_from(["", "", "", "", "", text])


def some(**members: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """An object with any of these members."""
    return st.fixed_dictionaries({}, optional=members)


ways = st.one_of(
    some(result=st.text(max_size=5), takes_ms=milliseconds),
    st.fixed_dictionaries({"error": st.just("it failed"), "error_kind": kinds, "takes_ms": milliseconds}),
    st.just({"empty": True}),
    st.just({"raises": "secret"}),
    st.just({"asks": {"question": "why?"}}),
    st.just({"minting_fails": "no entropy"}),
    st.just({"preparation_fails": "no plan"}),
    st.just({"args_text": "{"}),
    st.fixed_dictionaries({"raises_in": st.sampled_from(["info", "audit", "prepare", "access"])}),
    st.fixed_dictionaries({"gate": some(mismatch=st.booleans(), abandon_fails=st.just("gone"))}),
    st.just({"takes_ms": 40, "deaf": True}),
)
calls = st.tuples(
    st.sampled_from(["read", "shell", "serial", "unknown"]),
    ways,
    st.sampled_from([None, "approve", "deny", "prompt", "error", "gate_missing"]),
).map(lambda parts: {"tool": parts[0], **parts[1], **({"access": parts[2]} if parts[2] else {})})
compactions = some(
    ends=st.sampled_from(["summary", "invalid_output", "count_failed", "error", "raises"]),
    takes_ms=milliseconds,
    cancelled_after_ms=milliseconds,
    rejection_fails=rarely("disk full"),
    waiters=st.integers(0, 2),
    hustle=st.booleans(),
)
between = st.tuples(
    st.lists(calls, min_size=1, max_size=4),
    some(
        takes_ms=milliseconds,
        context_tokens=st.sampled_from([0, 50, 200]),
        queued=st.just(["more"]),
        compact=compactions,
        admission_raises=rarely("secret"),
        tool_events_raise=rarely("secret"),
        commit=st.sampled_from(["ok"] * 9 + ["cancelled", "refused", "raises"]),
    ),
).map(lambda parts: {"calls": parts[0], **parts[1]})
last = some(
    says=st.just("done"),
    takes_ms=milliseconds,
    fails=st.sampled_from([None] * 7 + ["open", "cut", "empty", "raises", "assembly", "limit", "output_rule"]),
    error_kind=kinds,
    commit=st.sampled_from(["ok"] * 9 + ["cancelled", "refused", "raises"]),
)
turns = st.tuples(
    st.lists(between, max_size=2),
    last,
    some(
        interrupted_after_ms=st.sampled_from([5, 20, 90, 200, 500]),
        deadline_ms=st.sampled_from([5, 20, 90, 200, 500]),
        is_delegated=st.booleans(),
        unstampable=rarely("no clock"),
        boundary_fails=rarely("gone"),
        boundary_error_kind=kinds,
    ),
).map(lambda parts: {"user": "go", "steps": [*parts[0], parts[1]], **parts[2]})
inputs = st.lists(st.one_of(turns, compactions.map(lambda each: {"compact": each})), min_size=1, max_size=3)
answers = st.lists(
    st.fixed_dictionaries({"answer": st.sampled_from(["once", "deny"]), "takes_ms": milliseconds}), max_size=4
)
hooks = st.lists(
    st.one_of(
        st.tuples(st.just(AROUND), st.sampled_from(OPERATIONS), st.sampled_from(AROUND_WORDS)),
        st.tuples(
            st.just(GUARD), st.sampled_from(sorted(each.label for each in GUARDABLE)), st.sampled_from(GUARD_WORDS)
        ),
    ),
    max_size=8,
)


def played(
    view: list[JSON], seats: list[tuple[str, str, JSON]], answered: list[JSON], *, leaks: bool = False, **more: JSON
) -> Run:
    """A session under stubs, which sit in as many seats as there are."""
    stubs: dict[str, Subscriber] = {}
    placed: list[Hook] = []
    counts: Counter[str] = Counter()
    for mode, operation, words in seats:
        stubs[f"{mode[0].upper()}{counts[mode]}"] = Stub(answer_in_words(words, mode))
        counts[mode] += 1
        placed.append((around if mode == AROUND else guard)(operation, print))
    tools: list[JSON] = [{"name": "read"}, {"name": "shell", "access": "prompt"}, {"name": "serial", "serial": True}]
    limits: JSON = {"compact_at": 40, "hard": 150, "summary": 10}
    described = session(*view, tools=tools, answers=answered, limits=limits, parallel=2, **more)
    return play(described, placed, others=stubs, dialect=RIG.switched("capture_leak", leaks))


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers)
def test_what_begins_is_finished_once_and_in_reverse(view: Any, seats: Any, answered: Any) -> None:
    """Whatever the hooks do and whatever goes wrong; and the session comes to its end."""
    run = played(view, seats, answered)
    assert run.played is not None
    assert run.played.status == "completed"
    of = Counter(type(each) for each in run.facts)
    assert (of[Opened], of[Entered]) == (of[Ended], of[Left])
    for dispatch, own in by_dispatch(run).items():
        result = next(each.fact.result for each in own if isinstance(each.fact, Ended))
        assert result.ending is Ending.FINISHED, dispatch
        finishes = [each.fact.subscription.name for each in own if is_asked(each, "finish")]
        assert finishes == result.extras["finished"]
        assert len(finishes) == len(set(finishes))
        begins = [each.fact.subscription.name for each in own if is_asked(each, "begin")]
        assert finishes == [each for each in reversed(begins) if each in finishes]
        phases = [each.fact.phase for each in own if isinstance(each.fact, Asked)]
        assert phases == sorted(phases, key=["begin", "guard", "operation", "blocked", "finish"].index)
        assert phases.count("operation") + phases.count("blocked") == 1


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers)
def test_operations_nest_as_they_may(view: Any, seats: Any, answered: Any) -> None:
    """Parents, and times: whatever is inside of an operation happens while its own seat is asked."""
    run = played(view, seats, answered)
    for operation, parent in run.parents:
        if operation in INSIDE:
            assert parent in INSIDE[operation]
    spans = {}
    owners: dict[str, tuple[int, int]] = {}
    for place, event in enumerate(run.events):
        match event.fact:
            case Opened(parent=parent):
                spans[event.dispatch] = (parent, place)
            case Asked(phase="operation" | "blocked"):
                owners[event.dispatch] = (place, -1)
            case Replied() if event.dispatch in owners and owners[event.dispatch][1] < 0:
                owners[event.dispatch] = (owners[event.dispatch][0], place)
            case _:
                pass
    ends = {event.dispatch: place for place, event in enumerate(run.events) if isinstance(event.fact, Ended)}
    for dispatch, (parent, opened) in spans.items():
        if parent in owners:
            begun, over = owners[parent]
            assert begun < opened < ends[dispatch] < over


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers)
def test_batches_overlap_as_they_may(view: Any, seats: Any, answered: Any) -> None:
    """Every call of a step begins before any of them runs; no more run at once than may; each is told twice."""
    run = played(view, seats, answered)
    names, parents = run.names, {}
    reached: dict[str, list[int]] = {}
    first: dict[str, int] = {}
    running, most = set(), 0
    for place, event in enumerate(run.events):
        fact = event.fact
        if isinstance(fact, Opened):
            parents[event.dispatch] = fact.parent
        kind = names.get(event.dispatch, "")
        if kind == "ToolCall" and is_asked(event, "operation", "blocked"):
            reached.setdefault(parents[event.dispatch], []).append(place)
        if isinstance(fact, Entered) and fact.name == "ToolCallStarted":
            first.setdefault(parents[fact.parent], place)
        if kind == "ToolExecution":
            if is_asked(event, "operation"):
                running.add(event.dispatch)
                most = max(most, len(running))
            if isinstance(fact, Ended):
                running.discard(event.dispatch)
    assert most <= 2
    for step, started in first.items():
        assert max(reached[step]) < started
    told = Counter(each.parent for each in run.facts if isinstance(each, Entered) and each.name.startswith("ToolCall"))
    assert set(told.values()) <= {2}


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers)
def test_a_turn_is_told_one_end(view: Any, seats: Any, answered: Any) -> None:
    """A terminal event, or a rejection, or neither where the turn could not be opened; its outcome goes with it."""
    run = played(view, seats, answered)
    ends: dict[str, list[str]] = {}
    for fact in run.facts:
        if isinstance(fact, Entered) and fact.name in TERMINAL:
            ends.setdefault(fact.parent, []).append(fact.name)
    for event in run.events:
        if isinstance(event.fact, Opened) and event.fact.chain.point == "Turn":
            told = ends.get(event.dispatch, [])
            result = next(each for each in by_dispatch(run)[event.dispatch] if isinstance(each.fact, Ended)).fact
            assert isinstance(result, Ended)
            match result.result.decision, told:
                case "completed", ["TurnDone"]:
                    pass
                case "denied", ["TurnRejected" | "InputCancelled"]:
                    assert result.result.rule == "RG-GUARD-DENIED"
                case decision, [name]:
                    assert name != "TurnDone" or decision != "completed"
                case decision, []:
                    assert decision == "failed"
                case _:
                    raise AssertionError(told)


troubles = st.lists(
    st.tuples(st.sampled_from([*EVENTS, *FAMILIES]), st.integers(0, 3), st.sampled_from(["fails", "raises"])).map(
        lambda parts: {"record": parts[0], "nth": parts[1], parts[2]: "disk full"}
    ),
    min_size=1,
    max_size=3,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers, troubles)
def test_a_log_in_trouble_leaves_nothing_open(view: Any, seats: Any, answered: Any, log: Any) -> None:
    """Whichever append fails or raises: the session ends, and every operation that began is over and finished."""
    run = played(view, seats, answered, journal=log)
    assert run.played is not None
    assert run.played.status in ("completed", "not opened", "failed")
    of = Counter(type(each) for each in run.facts)
    assert (of[Opened], of[Entered]) == (of[Ended], of[Left])
    for own in by_dispatch(run).values():
        result = next(each.fact.result for each in own if isinstance(each.fact, Ended))
        assert result.ending is Ending.FINISHED
        assert [each.fact.subscription.name for each in own if is_asked(each, "finish")] == result.extras["finished"]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(inputs, hooks, answers)
def test_the_same_session_comes_to_the_same(view: Any, seats: Any, answered: Any) -> None:
    """Nothing is left to chance: order, ids, outcomes and times."""
    one, two = played(view, seats, answered), played(view, seats, answered)
    assert one.parents == two.parents
    assert one.published == two.published
    assert one.took_ms == two.took_ms
    for operation in OPERATIONS:
        assert one.outcomes(operation) == two.outcomes(operation)


def by_dispatch(run: Run) -> dict[str, list[Event]]:
    """The events of each dispatch."""
    found: dict[str, list[Event]] = {}
    opened = {event.dispatch for event in run.events if isinstance(event.fact, Opened)}
    for event in run.events:
        if event.dispatch in opened:
            found.setdefault(event.dispatch, []).append(event)
    return found


def is_asked(event: Event, *phases: str) -> bool:
    return isinstance(event.fact, Asked) and event.fact.phase in phases
