"""Claims about start and finish: spec C, vectors G.4 to G.6 and their neighbours."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from rig_runs import ARGS, Story, call_of, lines, logged, tc5

from kernel.dialects.rig.cloning import clone
from kernel.dialects.rig.content import InferenceRequest, RawJSON, TextBlock, UserMessage
from kernel.dialects.rig.context import (
    BACKGROUND,
    Canceled,
    Context,
    DeadlineExceeded,
    background,
    with_cancel,
    with_deadline,
    with_value,
    without_cancel,
)
from kernel.dialects.rig.denial import classify_denial, new_denial
from kernel.dialects.rig.errors import CallError, CloneError, ConfigError, Denial, GuardError
from kernel.dialects.rig.hook_set import Around, Guard, Set
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.runner import Runner, handles, no_finish, start
from kernel.dialects.rig.snapshot import Call, InferencePayload, Result, TurnPayload

BEGIN_PANICKED = "hook: begin callback panicked"
NIL_CONTEXT = "hook: begin callback returned nil context"
FINISH_PANICKED = "hook: finish callback panicked"


# -- order, no-ops, isolation (G.4) ----------------------------------------------------------------------------------


def test_begins_and_guards_in_order_and_finishes_in_reverse() -> None:
    """Vector 61."""
    story = Story()
    arounds = [story.around(0, "val(a)"), story.around(1, "val(b)"), story.around(2, operation=3)]
    started = story.run(arounds, [story.guard(0), story.guard(1)])
    assert story.order == "A0.b A1.b G0 G1 op | A1.f A0.f"
    assert started.error is None
    assert [started.context.value(key) for key in "ab"] == [True, True]
    assert story.contexts["A1.b"].value("a")
    assert story.contexts["A1.b"].value("b") is None
    assert story.contexts["G0"].value("b")


def test_without_a_runner_nothing_is_looked_at() -> None:
    """Vector 63."""
    started = start(None, BACKGROUND, Call(99))
    assert started.context is BACKGROUND
    assert started.error is None
    assert started.finish is no_finish
    assert not handles(None, 1)


@pytest.mark.parametrize("hooks", ["nobody", "another operation"])
def test_without_a_callback_for_it_nothing_is_copied(hooks: str) -> None:
    """Vector 64: content that cannot be copied is nobody's business then."""
    story = Story()
    runner = Runner(Set("", [], [] if hooks == "nobody" else [story.around(0, operation=1)]))
    call = Call(Operation.INFERENCE, inference=InferencePayload(InferenceRequest(messages=[None])))  # type: ignore[list-item]
    context, finish, error = runner.start(BACKGROUND, call)
    assert (context, error) == (BACKGROUND, None)
    assert finish is not None
    finish(Result.of(call))
    assert story.told == []


@pytest.mark.parametrize(
    ("operation", "call"),
    [(1, Call(3)), (5, Call(5)), (5, Call(99, turn=TurnPayload())), (5, Call(5, turn=TurnPayload()))],
)
def test_an_invalid_call_has_nothing_to_finish(operation: int, call: Call) -> None:
    """Vectors 65 to 70: also where nobody takes part."""
    story = Story()
    started = Runner(Set("", [], [story.around(0, operation=operation)])).start(BACKGROUND, call)
    assert started.context is BACKGROUND
    assert started.finish is None
    assert isinstance(started.error, CallError)
    assert story.told == []


@pytest.mark.parametrize(
    ("messages", "kind"),
    [
        ([UserMessage([None])], "unknown_block"),  # type: ignore[list-item]
        ([None], "unknown_conversation"),
        ([UserMessage(["text"])], "unknown_block"),  # type: ignore[list-item]
        ([TextBlock("no message")], "unknown_conversation"),
    ],
)
def test_what_cannot_be_copied_raises_out_of_the_start(messages: list[object], kind: str) -> None:
    """Vector 67."""
    story = Story()
    runner = Runner(Set("", [], [story.around(0, operation=3)]))
    call = Call(Operation.INFERENCE, inference=InferencePayload(InferenceRequest(messages=messages)))  # type: ignore[arg-type]
    with pytest.raises(CloneError) as raised:
        runner.start(BACKGROUND, call)
    assert raised.value.kind == kind
    assert story.told == []


def test_an_entry_replaced_after_compiling_is_not_used() -> None:
    """Vector 71."""
    story = Story()
    arounds = [story.around(1)]
    runner = Runner(Set("", [], arounds))
    arounds[0] = story.around(100)
    _, finish, _ = runner.start(BACKGROUND, tc5())
    assert finish is not None
    finish(Result.of(tc5()))
    assert story.order == "A1.b A1.f"


def test_finish_runs_once_from_any_number_of_threads() -> None:
    """Vector 73; whoever comes second finds the first one done."""
    story = Story()
    running = threading.Event()
    may_end = threading.Event()

    def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
        def finish(result: Result) -> None:
            running.set()
            assert may_end.wait(10)
            story.told.append("finished")

        return context, finish

    _, finish, _ = Runner(Set("", [], [Around(5, begin)])).start(BACKGROUND, tc5())
    assert finish is not None
    after: list[list[str]] = []

    def call_it() -> None:
        finish(Result.of(tc5()))
        after.append(list(story.told))

    threads = [threading.Thread(target=call_it) for _ in range(20)]
    for thread in threads:
        thread.start()
    assert running.wait(10)
    assert after == []  # everybody waits for the first
    may_end.set()
    for thread in threads:
        thread.join(10)
    assert after == [["finished"]] * 20


def test_a_finish_that_finishes_does_not_wait_for_itself() -> None:
    """Undefined in the field; here the second call finds itself called."""
    story = Story()
    found: list[Callable[[Result], None]] = []

    def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
        def finish(result: Result) -> None:
            story.told.append("in")
            found[0](result)
            story.told.append("out")

        return context, finish

    _, finish, _ = Runner(Set("", [], [Around(5, begin)])).start(BACKGROUND, tc5())
    assert finish is not None
    found.append(finish)
    finish(Result.of(tc5()))
    assert story.told == ["in", "out"]


def test_a_runner_is_shared_by_dispatches_at_the_same_time() -> None:
    """Vector 75: as many begins, guards and finishes as dispatches, and nobody sees a scribble."""
    counts = {"b": 0, "g": 0, "f": 0}
    lock = threading.Lock()

    def count(kind: str, snapshot: Call) -> None:
        assert snapshot.tool_call is not None
        assert snapshot.tool_call.args_json == ARGS
        snapshot.tool_call.args_json = RawJSON(b"scribbled")
        with lock:
            counts[kind] += 1

    def begin(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
        count("b", call)
        return context, lambda result: count("f", result)

    def check(context: Context, call: Call) -> None:
        count("g", call)

    runner = Runner(Set("v1", [Guard(5, check)], [Around(5, begin)]))
    shared = tc5()

    def one(number: int) -> object:
        _, finish, error = runner.start(BACKGROUND, shared)
        assert finish is not None
        finish(Result.of(shared, outcome=1))
        return error

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(one, range(100))) == [None] * 100
    assert counts == {"b": 100, "g": 100, "f": 100}
    assert shared == tc5()


def test_nobody_sees_what_another_scribbles() -> None:
    """Vectors 77 and 79: callbacks, caller and finishes."""
    story = Story()

    def scribble(context: Context, call: Call) -> tuple[Context, None]:
        assert call.tool_call is not None
        call.tool_call.args_json = RawJSON(b"scribbled")
        call.agent_name = "scribbled"
        return context, None

    call = tc5()
    own = Result.of(call, outcome=1)
    arounds = [Around(5, scribble), story.around(1), story.around(2, finish="mutates")]
    story.run(arounds, [story.guard(0)], call=call, result=lambda _: own)
    for name in ("A1.b", "G0", "A1.f"):
        seen = story.snapshots[name]
        assert seen.tool_call is not None
        assert (seen.tool_call.args_json, seen.agent_name) == (ARGS, "")
    assert call == tc5()
    assert own.tool_call is call.tool_call
    assert own == Result.of(tc5(), outcome=1)


def test_editing_the_call_while_it_starts_is_seen_by_nobody() -> None:
    """Spec C.6: the copy is taken up front."""
    story = Story()
    call = tc5()

    def edits(context: Context, given: Call) -> tuple[Context, None]:
        assert call.tool_call is not None
        call.tool_call.args_json = RawJSON(b"edited")
        return context, None

    story.run([Around(5, edits), story.around(1)], [story.guard(0)], call=call)
    for name in ("A1.b", "G0"):
        seen = story.snapshots[name].tool_call
        assert seen is not None
        assert seen.args_json == ARGS


def test_null_and_empty_stay_what_they_are() -> None:
    """Vector 81 and spec C.6."""
    for raw in (None, RawJSON(b""), RawJSON(b"null")):
        call = tc5()
        assert call.tool_call is not None
        call.tool_call.args_json = raw
        copied = clone(call).tool_call
        assert copied is not None
        assert copied.args_json == raw


def test_junk_in_a_result_is_passed_on() -> None:
    """Vector 83: nothing of it is validated."""
    story = Story()
    story.run([story.around(0)], result=lambda call: Result(0))
    delivered = story.snapshots["A0.f"]
    assert isinstance(delivered, Result)
    assert (delivered.operation, delivered.outcome, delivered.tool_call) == (0, 0, None)


def test_an_error_is_the_same_object_for_every_finish() -> None:
    """Spec A.6, C.5."""
    story = Story()
    error = ValueError("it")
    story.run([story.around(0), story.around(1)], result=lambda call: Result.of(call, outcome=3, err=error))
    for name in ("A0.f", "A1.f"):
        seen = story.snapshots[name]
        assert isinstance(seen, Result)
        assert seen.err is error


def test_a_result_that_cannot_be_copied_is_every_finishs_own_failure() -> None:
    """Spec C.5: no body is entered, each is logged, releases run."""
    story = Story()
    context, _ = with_cancel(BACKGROUND)
    with logged() as records:
        started = story.run(
            [story.around(0, "own"), story.around(1)],
            context=context,
            result=lambda call: Result(3, inference=InferencePayload(InferenceRequest(messages=[None]))),  # type: ignore[list-item]
        )
    assert story.order == "A0.b A1.b op |"
    assert lines(records) == [(FINISH_PANICKED, 5, 1), (FINISH_PANICKED, 5, 0)]
    assert isinstance(started.context.err(), Canceled)


# -- failures of callbacks (G.5) -------------------------------------------------------------------------------------


def test_a_begin_that_raises_is_logged_and_has_no_finish() -> None:
    """Vector 85."""
    story = Story()
    with logged() as records:
        started = story.run([story.around(0, "boom"), story.around(1)])
    assert story.order == "A0.b A1.b op | A1.f"
    assert started.error is None
    assert lines(records) == [(BEGIN_PANICKED, 5, 0)]


def test_the_log_holds_who_and_nothing_of_what_was_raised() -> None:
    """Vector 87."""
    story = Story()
    with logged() as records:
        story.run([story.around(0, "boom"), story.around(1), story.around(2, finish="boom"), story.around(3)])
    assert story.order == "A0.b A1.b A2.b A3.b op | A3.f A2.f A1.f"
    assert lines(records) == [(BEGIN_PANICKED, 5, 0), (FINISH_PANICKED, 5, 2)]
    for record in records:
        assert record.levelname == "ERROR"
        assert record.name == "root"
        assert record.exc_info is None
        assert record.stack_info is None
        assert "sensitive" not in str(vars(record))
        assert "rig_runs" not in str(vars(record))


def test_no_context_keeps_the_old_one() -> None:
    """Vector 89: without a finish; the returned context is the given one."""
    story = Story()
    context = with_value(BACKGROUND, "base", 1)
    with logged() as records:
        started = story.run([story.around(0, "none", finish=""), story.around(1, finish="")], context=context)
    assert story.order == "A0.b A1.b op |"
    assert started.context is context
    assert story.contexts["A1.b"] is context
    assert lines(records) == [(NIL_CONTEXT, 5, 0)]


def test_no_context_keeps_a_finish() -> None:
    """Vector 90: it still runs (spec H 3)."""
    story = Story()
    with logged() as records:
        story.run([story.around(0, "none")])
    assert story.order == "A0.b op | A0.f"
    assert lines(records) == [(NIL_CONTEXT, 5, 0)]


@pytest.mark.parametrize(
    ("gives", "log"),
    [
        (None, NIL_CONTEXT),
        ("a text", BEGIN_PANICKED),
        (5, BEGIN_PANICKED),
        ((BACKGROUND,), BEGIN_PANICKED),
        ((BACKGROUND, None, None), BEGIN_PANICKED),
    ],
)
def test_what_is_no_context_and_finish(gives: object, log: str) -> None:
    """Nothing at all is no context; what cannot be taken apart counts as raised."""
    with logged() as records:
        started = Runner(Set("", [], [Around(5, lambda context, call: gives)])).start(BACKGROUND, tc5())  # type: ignore[arg-type, return-value]
    assert lines(records) == [(log, 5, 0)]
    assert started.error is None


DENIAL = new_denial("policy.blocked", "not permitted")


def wrapped(error: BaseException) -> BaseException:
    outer = RuntimeError("outer")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize(
    "says",
    [DENIAL, wrapped(DENIAL), ExceptionGroup("joined", [ValueError("x"), Denial("policy.blocked", "not permitted")])],
)
def test_a_denial_blocks_and_drops_its_wrappers(says: BaseException) -> None:
    """Vectors 91 to 94."""
    story = Story()
    started = story.run([story.around(0)], [story.guard(0, says), story.guard(1)])
    assert story.order == "A0.b G0 | A0.f"
    assert isinstance(started.error, Denial)
    assert started.error is not DENIAL
    assert (started.error.code, started.error.reason) == ("policy.blocked", "not permitted")
    assert started.error.__cause__ is None
    assert started.finish is not None


class HostileError(Exception):
    """Raises when somebody looks at what it wraps."""

    @property
    def __cause__(self) -> BaseException:  # type: ignore[override]
        raise RuntimeError("sensitive detail")


class HostileClass:
    """Raises when somebody asks what it is, and is no error whatever it says."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        raise RuntimeError("sensitive detail")


@pytest.mark.parametrize(
    "says",
    [
        ValueError("backend unavailable"),
        Denial("INVALID", "not permitted"),
        new_denial("INVALID", "no"),
        Canceled(),
        DeadlineExceeded(),
        asyncio.CancelledError(),
        Denial.__new__(Denial),
        ExceptionGroup("joined", [Denial("INVALID", "no"), Denial("valid", "no")]),
    ],
)
def test_any_other_error_fails_closed(says: BaseException) -> None:
    """Vectors 95 to 98: the cause can be reached and is not told."""
    story = Story()
    with logged() as records:
        started = story.run([story.around(0)], [story.guard(0, says), story.guard(1)])
    assert story.order == "A0.b G0 | A0.f"
    error = started.error
    assert isinstance(error, GuardError)
    assert (error.operation, error.index, error.cause) == (5, 0, says)
    assert error.__cause__ is says
    assert str(error) == "hook: guard failed for operation 5 at index 0"
    assert classify_denial(error) is None
    assert records == []


@pytest.mark.parametrize("says", [True, False, 0, "", "no", object(), Denial, ()])
def test_anything_but_none_blocks(says: object) -> None:
    """Spec I: a forgotten verdict is none, and a wrong one is no permission."""
    started = Story().run([], [Guard(5, lambda context, call: says)])
    assert isinstance(started.error, GuardError)


@pytest.mark.parametrize(
    "raises", [RuntimeError("sensitive"), Denial("policy.blocked", "no"), asyncio.CancelledError(), BaseException("x")]
)
def test_a_guard_that_raises_fails_closed_without_a_line(raises: BaseException) -> None:
    """Vectors 99 and 100: even a denial, if it is raised."""
    story = Story()
    with logged() as records:
        started = story.run([], [story.guard(0, raises=raises)])
    assert story.order == "G0 |"
    error = started.error
    assert isinstance(error, GuardError)
    assert str(error.cause) == "hook: guard callback panicked"
    assert "sensitive" not in str(error) + str(error.cause)
    assert error.cause.__cause__ is error.cause.__context__ is None
    assert classify_denial(error) is None
    assert started.finish is not None
    assert records == []


@pytest.mark.parametrize("make", [lambda: HostileError("x"), lambda: wrapped(HostileError("x"))])
def test_an_error_that_does_not_let_itself_be_classified_fails_closed(make: Callable[[], object]) -> None:
    """Vectors 101 and 102."""
    story = Story()
    started = story.run([story.around(0)], [story.guard(0, make()), story.guard(1)])
    assert story.order == "A0.b G0 | A0.f"
    error = started.error
    assert isinstance(error, GuardError)
    assert str(error.cause) == "hook: denial classification panicked"
    assert "sensitive" not in f"{error} {error.cause!r}"
    assert error.cause.__context__ is None
    assert classify_denial(error) is None


def test_indices_are_positions_in_the_whole_list() -> None:
    """Spec C.1: not among those that match."""
    story = Story()
    with logged() as records:
        started = story.run(
            [story.around(0, operation=1), story.around(1, "boom"), story.around(2, finish="boom")],
            [story.guard(0, operation=1), story.guard(1, operation=3), story.guard(2, ValueError("x"))],
        )
    assert lines(records) == [(BEGIN_PANICKED, 5, 1), (FINISH_PANICKED, 5, 2)]
    assert isinstance(started.error, GuardError)
    assert started.error.index == 2


def test_a_blocked_dispatch_releases_its_links_when_it_is_finished() -> None:
    """Vector 103."""
    story = Story()
    context, _ = with_cancel(BACKGROUND)
    runner = Runner(Set("v1", [story.guard(0, DENIAL)], [story.around(0, "det(k)", finish="")]))
    derived, finish, error = runner.start(context, tc5())
    assert isinstance(error, Denial)
    assert finish is not None
    assert derived.err() is None
    finish(Result.of(tc5(), outcome=2))
    assert isinstance(derived.err(), Canceled)
    assert context.err() is None


@pytest.mark.parametrize("ends", [SystemExit(3), KeyboardInterrupt(), GeneratorExit()])
@pytest.mark.parametrize("where", ["begin", "guard", "finish"])
def test_what_ends_a_thread_is_not_contained(ends: BaseException, where: str) -> None:
    """Spec C.7. A finish that does so has its links released all the same."""

    def raising(*given: object) -> None:
        raise ends

    hooks = {
        "begin": Set("", [], [Around(5, raising)]),
        "guard": Set("v", [Guard(5, raising)]),
        "finish": Set("", [], [Around(5, lambda context, call: (with_cancel(context)[0], raising))]),
    }[where]
    context, _ = with_cancel(BACKGROUND)
    if where != "finish":
        with pytest.raises(type(ends)):
            Runner(hooks).start(context, tc5())
        return
    derived, finish, _ = Runner(hooks).start(context, tc5())
    assert finish is not None
    with pytest.raises(type(ends)):
        finish(Result.of(tc5()))
    assert derived.err() is not None


# -- contexts (G.6) --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", [2, 5, 6, 7])
def test_a_detached_context_keeps_deadline_and_cancellation_of_the_one_before(operation: int) -> None:
    """Vectors 105 and 106."""
    story = Story()
    context, cancel = with_deadline(BACKGROUND, BACKGROUND.now_ns() + 3_600_000_000_000)
    runner = Runner(Set("", [], [story.around(0, "det(kept)", operation=operation)]))
    derived, _, _ = runner.start(context, call_of(operation))
    assert derived.value("kept")
    assert derived.deadline() == context.deadline()
    assert derived.err() is None
    cancel()
    assert isinstance(derived.err(), Canceled)
    signal = derived.done()
    assert signal is not None
    assert signal.is_set()


def test_a_begin_that_cancels_the_context_before_is_noticed_at_once() -> None:
    """Vectors 107 and 108."""
    story = Story()
    context, cancel = with_cancel(BACKGROUND)

    def cancels(given: Context) -> Context:
        cancel()
        return with_value(given, "second", 2)

    started = story.run([story.around(0, "det(first)"), story.around(1, cancels)], [story.guard(0)], context=context)
    for seen in (story.contexts["G0"], started.context):
        assert (seen.value("first"), seen.value("second")) == (True, 2)
        assert isinstance(seen.err(), Canceled)
    assert started.error is None


def test_a_linked_context_lives_until_the_finish() -> None:
    """Vectors 109 and 110."""
    context, _ = with_cancel(BACKGROUND)
    runner = Runner(Set("", [], [Story().around(0, "det(k)", finish="")]))
    derived, finish, _ = runner.start(context, tc5())
    assert finish is not None
    assert derived.err() is None
    finish(Result.of(tc5()))
    assert isinstance(derived.err(), Canceled)
    assert derived.cause() is derived.err()  # plain cancellation, without a reason of its own


def test_a_hostile_context_is_answered_for_by_the_one_before() -> None:
    """Vectors 111 and 112."""
    story = Story()
    context = with_value(BACKGROUND, "p", 1)
    started = story.run([story.around(0, "hostile"), story.around(1, finish="")], [story.guard(0)], context=context)
    assert story.order == "A0.b A1.b G0 op | A0.f"
    for seen in (story.contexts["A1.b"], story.contexts["G0"], started.context):
        assert seen.value("p") == 1
        assert seen.deadline() is seen.done() is seen.err() is seen.cause() is None
        assert list(seen.known()) == ["p"]
    assert started.context is not context


@pytest.mark.parametrize("junk", ["a text", 5, object(), type("Half", (), {"value": lambda self, key: "mine"})()])
def test_anything_that_is_not_none_counts_as_another_context(junk: object) -> None:
    """I6: what it lacks is answered by the one before, what it has is its own."""
    context, cancel = with_cancel(with_value(BACKGROUND, "p", 1))
    runner = Runner(Set("", [], [Around(5, lambda given, call: (junk, None))]))  # type: ignore[arg-type, return-value]
    derived, _, error = runner.start(context, tc5())
    assert error is None
    assert derived.value("p") == ("mine" if hasattr(junk, "value") else 1)
    cancel()
    assert isinstance(derived.err(), Canceled)


@pytest.mark.parametrize(
    ("own_s", "before_s", "counts_s"), [(60, 3600, 60), (3600, 60, 60), (60, None, 60), (None, 60, 60)]
)
def test_the_tighter_deadline_counts(own_s: int | None, before_s: int | None, counts_s: int) -> None:
    """Vectors 113 and 114."""
    now = 0
    root = background(lambda: now)
    context: Context = root if before_s is None else with_deadline(root, before_s)[0]
    given: Context = root if own_s is None else with_deadline(root, own_s)[0]
    derived, _, _ = Runner(Set("", [], [Around(5, lambda c, call: (given, None))])).start(context, tc5())
    assert derived.deadline() == counts_s
    now = counts_s
    assert isinstance(derived.err(), DeadlineExceeded)


def test_a_detached_context_over_a_root_stays_independent() -> None:
    """Vectors 115 and 116."""
    story = Story()
    started = story.run([story.around(0, "det(c)")])
    assert started.context.value("c")
    assert started.context.err() is None
    assert started.context.done() is None


def test_an_own_child_is_not_touched_by_the_release() -> None:
    """Vectors 117 and 118."""
    context, _ = with_cancel(BACKGROUND)
    own: list[Context] = []

    def begin(given: Context, call: Call) -> tuple[Context, None]:
        own.append(with_cancel(given)[0])
        return own[0], None

    derived, finish, _ = Runner(Set("", [], [Around(5, begin)])).start(context, tc5())
    assert finish is not None
    finish(Result.of(tc5()))
    assert isinstance(derived.err(), Canceled)
    assert own[0].err() is None
    assert context.err() is None


def test_a_context_that_is_cancelled_already_goes_on_to_the_guards() -> None:
    """Vectors 119 and 120."""
    story = Story()

    def cancelled(given: Context) -> Context:
        made, cancel = with_cancel(given)
        cancel()
        return made

    started = story.run([story.around(0, cancelled)], [story.guard(0)])
    assert story.order == "A0.b G0 op | A0.f"
    assert isinstance(story.contexts["G0"].err(), Canceled)
    assert isinstance(started.context.err(), Canceled)
    assert started.error is None


def test_a_cancelled_context_does_not_keep_anybody_from_being_asked() -> None:
    """Spec C.1: a start never looks."""
    story = Story()
    context, cancel = with_cancel(BACKGROUND)
    cancel()
    started = story.run([story.around(0)], [story.guard(0)], context=context)
    assert story.order == "A0.b G0 op | A0.f"
    assert started.context is context


def test_the_cause_of_a_cancellation_is_handed_down() -> None:
    """Spec C.4."""
    context, _ = with_cancel(BACKGROUND)
    derived, _, _ = Runner(Set("", [], [Story().around(0, "det(k)")])).start(context, tc5())
    why = ValueError("because")
    context.cancel(why)
    assert derived.cause() is why
    assert isinstance(derived.err(), Canceled)


def test_values_that_a_detached_context_lacks_are_not_looked_up_elsewhere() -> None:
    """Spec C.4 and H 2."""
    context, _ = with_cancel(with_value(BACKGROUND, "inherited", 1))
    derived, _, _ = Runner(Set("", [], [Story().around(0, "det(k)")])).start(context, tc5())
    assert derived.value("inherited") is None


def test_a_context_without_cancellation_is_linked_again() -> None:
    """Detaching the lifetime does not work either: the one before still ends it."""
    context, cancel = with_cancel(with_value(BACKGROUND, "kept", 1))
    derived, _, _ = Runner(Set("", [], [Around(5, lambda c, call: (without_cancel(c), None))])).start(context, tc5())
    assert derived.value("kept") == 1
    assert derived.err() is None
    cancel()
    assert isinstance(derived.err(), Canceled)


def test_a_value_only_child_outlives_the_finish() -> None:
    """Spec C.4: it has the signal of its parent, so there was nothing to link."""
    context, cancel = with_cancel(BACKGROUND)
    derived, finish, _ = Runner(Set("", [], [Story().around(0, "val(k)")])).start(context, tc5())
    assert finish is not None
    finish(Result.of(tc5()))
    assert derived.err() is None
    cancel()
    assert isinstance(derived.err(), Canceled)


def test_a_config_error_is_an_error_of_its_own() -> None:
    """A guard may return it; it fails closed."""
    assert isinstance(new_denial("", ""), ConfigError)
