"""Further vectors, from the prose of spec B and C: edges that no printed vector stands on."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rig_runs import Story, call_of, tc5

from kernel.dialects.rig import BACKGROUND, Around, Call, Context, Guard, Result, Runner, Set, new_denial, with_cancel
from kernel.dialects.rig.content import RawJSON, TextBlock, ThinkingBlock, TypedNull, UserMessage
from kernel.dialects.rig.context import Canceled, DeadlineExceeded, with_deadline, with_value
from kernel.dialects.rig.denial import classify_denial, outcome_of
from kernel.dialects.rig.errors import CallError, CloneError, ConfigError, Denial, GuardError
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.snapshot import CompactionPayload, InferencePayload, StepPayload, TurnPayload


def passes(context: Context, call: Call) -> object:
    return None


def begins(context: Context, call: Call) -> tuple[Context, None]:
    return context, None


def gives(other: Context) -> Callable[[Context, Call], tuple[Context, None]]:
    """A begin that always gives the same context."""
    return lambda context, call: (other, None)


GOOD = Guard(Operation.TURN, passes)


# -- B.1, B.2: sets ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hooks", "kind", "field", "operation", "index"),
    [
        (Set("", [], [Around(0, begins)]), "unknown_operation", "around", 0, 0),
        (Set("", [], [Around(9, begins)]), "unknown_operation", "around", 9, 0),
        (Set("", [], [Around(1, begins), Around(8, None)]), "nil_around", "around", 8, 1),
        (Set("", [], [Around(99, None)]), "unknown_operation", "around", 99, 0),
        (Set("", [], [Around(True, begins)]), "unknown_operation", "around", 0, 0),
        (Set("v", [Guard(0, passes)]), "unknown_operation", "guards", 0, 0),
        (Set("v", [Guard(255, None)]), "unknown_operation", "guards", 255, 0),
        (Set("v", [GOOD, Guard(2, None)]), "operation_not_guardable", "guards", 2, 1),
        (Set("v", [GOOD, GOOD, Guard(6, passes)]), "operation_not_guardable", "guards", 6, 2),
        (Set("v", [Guard(7, passes)]), "operation_not_guardable", "guards", 7, 0),
        (Set("v", [GOOD, Guard(4, None)]), "nil_guard", "guards", 4, 1),
        (Set("v", [Guard(1, None), Guard(99, passes)]), "nil_guard", "guards", 1, 0),
        (Set("v", [Guard(2, passes)], [Around(99, None)]), "operation_not_guardable", "guards", 2, 0),
        (Set("v", [GOOD], [Around(99, None)]), "unknown_operation", "around", 99, 0),
        (Set("\t", [], []), "unexpected_policy_revision", "policy_revision", 0, 0),
        (Set(" ", [], [Around(99, begins)]), "unexpected_policy_revision", "policy_revision", 0, 0),
        (Set("\u00a0", [GOOD]), "missing_policy_revision", "policy_revision", 0, 0),
        (Set("\u2003\u3000\u2028", [GOOD]), "missing_policy_revision", "policy_revision", 0, 0),
        (Set("\u0085", [GOOD]), "missing_policy_revision", "policy_revision", 0, 0),
        (Set(" " * 200, [GOOD]), "missing_policy_revision", "policy_revision", 0, 0),
        (Set("\u001c", [Guard(99, None)]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("\u001f \u001d", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("a\tb", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("a\u007f", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("a\u0085b", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("v1\n", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("é" * 65, [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("\U0001f600" * 33, [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("\ud800", [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
        (Set("v\udfff" + "x" * 10, [GOOD]), "invalid_policy_revision", "policy_revision", 0, 0),
    ],
)
def test_the_first_thing_that_is_wrong_with_a_set(
    hooks: Set, kind: str, field: str, operation: int, index: int
) -> None:
    """B.2: revision, then every guard, then every around; of each its operation first."""
    with pytest.raises(ConfigError) as raised:
        Runner(hooks)
    error = raised.value
    assert (error.kind, error.field, error.operation, error.index) == (kind, field, operation, index)
    of_operation = f" for operation {operation}" if operation else ""
    assert str(error) == f"hook: invalid configuration: {kind} ({field}){of_operation}"


@pytest.mark.parametrize(
    "revision",
    [
        "r" * 128,
        "é" * 64,
        "\U0001f600" * 32,
        " v1 ",
        "\u200b",
        "\u2028x",
        "a\u202eb",
        "a\u00a0",
        "\ufeff",
        "0",
        "\u00ad",
    ],
)
def test_a_policy_revision_may_be(revision: str) -> None:
    """B.3: bytes of UTF-8, not trimmed, anything but controls."""
    assert Runner(Set(revision, [GOOD])).policy_revision == revision


@pytest.mark.parametrize("code", ["a", "a-", "a.", "a_", "z9", "a" * 64, "a..b--c__", "policy.blocked-1"])
def test_a_code_at_its_edge(code: str) -> None:
    """B.3: byte by byte."""
    assert isinstance(new_denial(code, "x"), Denial)


@pytest.mark.parametrize(
    "code",
    ["", "A", "aB", "9a", "_a", "-a", ".a", "a/b", "a b", " a", "a\n", "\na", "aé", "a\u0661", "ａ", "a" * 65,
     "a\x00", "a\ud800"],
)  # fmt: skip
def test_a_code_beyond_its_edge(code: str) -> None:
    """B.3: a line's end is no part of it, and other alphabets have no digits here."""
    error = new_denial(code, "x")
    assert isinstance(error, ConfigError)
    assert (error.kind, error.field, classify_denial(error)) == ("invalid_denial", "denial", None)
    assert str(error) == "hook: invalid configuration: invalid_denial (denial)"


@pytest.mark.parametrize(
    "reason", ["x" * 1024, "é" * 512, "—", "\u200b", "\u2028", "\u202e", " x ", "\ufeff", "\u00a0x", "\U0001f600" * 256]
)
def test_a_reason_at_its_edge(reason: str) -> None:
    """B.3: U+2028 alone is white space, and so no reason; everything else here is one."""
    denial = new_denial("a", reason)
    if reason == "\u2028":
        assert isinstance(denial, ConfigError)
    else:
        assert isinstance(denial, Denial)
        assert str(denial) == f"hook: denied: a: {reason}"


@pytest.mark.parametrize(
    "reason",
    ["", " ", "\u00a0", "\u3000\u2003", "x\n", "x\x00", "x\u0085y", "\x1c", "x\x9f", "x\x7f", "x" * 1025,
     "é" * 513, "\udc80", "\u2029"],
)  # fmt: skip
def test_a_reason_beyond_its_edge(reason: str) -> None:
    """B.3."""
    assert isinstance(new_denial("a", reason), ConfigError)


# -- B.4, D.2: what an error holds ---------------------------------------------------------------------------------


def wrapped(error: BaseException, text: str = "outer") -> Exception:
    outer = RuntimeError(text)
    outer.__cause__ = error
    return outer


def joined(*errors: Exception) -> ExceptionGroup[Exception]:
    return ExceptionGroup("joined", list(errors))


YES, OTHER, BAD = Denial("a", "first"), Denial("b", "second"), Denial("BAD", "x")
NULL = Denial.__new__(Denial)
HELD_BY_GUARD = GuardError(5, 0, Denial("c", "cause"))


@pytest.mark.parametrize(
    ("error", "code", "outcome"),
    [
        (None, None, Outcome.COMPLETED),
        (wrapped(wrapped(wrapped(YES))), "a", Outcome.DENIED),
        (joined(RuntimeError("x"), wrapped(YES), OTHER), "a", Outcome.DENIED),
        (joined(joined(RuntimeError("x"), OTHER), YES), "b", Outcome.DENIED),
        (joined(wrapped(joined(RuntimeError("y"), OTHER)), YES), "b", Outcome.DENIED),
        (joined(BAD, YES), None, Outcome.FAILED),
        (joined(wrapped(BAD), YES), None, Outcome.FAILED),
        (joined(YES, BAD), "a", Outcome.DENIED),
        (joined(NULL, YES), None, Outcome.FAILED),
        (wrapped(NULL), None, Outcome.FAILED),
        (NULL, None, Outcome.FAILED),
        (HELD_BY_GUARD, "c", Outcome.DENIED),
        (wrapped(HELD_BY_GUARD), "c", Outcome.DENIED),
        (GuardError(3, 1, BAD), None, Outcome.FAILED),
        (GuardError(3, 1, DeadlineExceeded()), None, Outcome.FAILED),
        (joined(Canceled(), GuardError(3, 1, RuntimeError())), None, Outcome.FAILED),
        (joined(BAD, Canceled()), None, Outcome.CANCELED),
        (joined(RuntimeError(), wrapped(DeadlineExceeded())), None, Outcome.CANCELED),
        (joined(Canceled(), YES), "a", Outcome.DENIED),
        (wrapped(Canceled()), None, Outcome.CANCELED),
        (new_denial("", "x"), None, Outcome.FAILED),
        (TimeoutError(), None, Outcome.FAILED),
        (Denial("a", "x" * 1025), None, Outcome.FAILED),
        (Denial("a\n", "x"), None, Outcome.FAILED),
    ],
)
def test_what_an_error_holds_decides(error: BaseException | None, code: str | None, outcome: Outcome) -> None:
    """B.4: the first denial in pre-order. D.2: a denial, a guard's failure, a cancellation, anything else."""
    found = classify_denial(error)
    assert (None if found is None else found.code) == code
    assert found is None or (found is not YES and found is not OTHER)
    assert outcome_of(error) is outcome


def test_a_chain_is_looked_into_member_by_member_and_stops_at_the_first_denial() -> None:
    """B.4: a hostile member behind the first denial is never looked at; before it, traversing raises."""

    class Hostile(Exception):
        @property
        def __cause__(self) -> BaseException | None:  # type: ignore[override]
            raise RuntimeError("hostile")

    assert classify_denial(joined(wrapped(YES), Hostile())) is not None
    with pytest.raises(RuntimeError):
        classify_denial(joined(Hostile(), YES))
    assert outcome_of(joined(Hostile(), YES)) is Outcome.FAILED


# -- B.5: calls ----------------------------------------------------------------------------------------------------

TURN, STEP = TurnPayload(), StepPayload()


@pytest.mark.parametrize(
    ("call", "kind", "operation"),
    [
        (Call(0, turn=TURN), "unknown_operation", 0),
        (Call(9), "unknown_operation", 9),
        (Call(-1, turn=TURN, step=STEP), "unknown_operation", -1),
        (Call(True, turn=TURN), "unknown_operation", 0),
        (Call(1, step=STEP), "invalid_payload", 1),
        (Call(2, turn=TURN), "invalid_payload", 2),
        (Call(8), "invalid_payload", 8),
        (Call(4, inference=InferencePayload(), compaction=CompactionPayload()), "invalid_payload", 4),
    ],
)
def test_a_call_is_refused_whether_or_not_anybody_takes_part(call: Call, kind: str, operation: int) -> None:
    """B.5, C.1: validated before it is known that nobody takes part; the context is handed back, and no finish."""
    for hooks in (Set(), Set("", [], [Around(each, begins) for each in Operation])):
        context, finish, error = Runner(hooks).start(BACKGROUND, call)
        assert (context, finish) == (BACKGROUND, None)
        assert isinstance(error, CallError)
        assert not isinstance(error, ConfigError)
        assert str(error) == f"hook: invalid call: {kind} for operation {operation}"


def test_fields_of_a_payload_are_never_looked_at() -> None:
    """B.5: an empty one of each operation is a call, and so is one full of nonsense."""
    for operation in Operation:
        assert Runner(Set()).start(BACKGROUND, call_of(operation)).error is None
    odd = replace(call_of(1), turn=TurnPayload(-7), started_at=-1, agent_name="\x00")
    assert Runner(Set()).start(BACKGROUND, odd).error is None


# -- C: start and finish -------------------------------------------------------------------------------------------


def test_nobody_takes_part_in_an_operation_of_others_and_nothing_is_copied() -> None:
    """C.1, C.7: an uncloneable call of an operation without callbacks starts."""
    call = Call(1, turn=TurnPayload(1, UserMessage([object()])))  # type: ignore[list-item]
    runner = Runner(Set("", [], [Around(2, begins)]))
    assert runner.start(BACKGROUND, call).error is None
    assert [runner.handles(each) for each in (1, 2, 0, 9, True)] == [False, True, False, False, False]


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        (UserMessage([None]), "unknown_block"),  # type: ignore[list-item]
        (UserMessage([TextBlock(), object()]), "unknown_block"),  # type: ignore[list-item]
        (UserMessage([TypedNull(TextBlock)]), ""),  # type: ignore[list-item]
        (TypedNull(UserMessage), ""),
        (UserMessage([ThinkingBlock(provider_state=RawJSON(b"{}"))]), ""),
        (UserMessage(None), ""),
        (UserMessage([]), ""),
    ],
)
def test_what_can_be_copied(message: Any, kind: str) -> None:
    """C.6: an unknown variant raises out of the start before anybody is asked; nulls, halves and empties stay."""
    seen: list[Call] = []

    def keep(context: Context, call: Call) -> tuple[Context, None]:
        seen.append(call)
        return context, None

    call = Call(1, turn=TurnPayload(1, message))
    runner = Runner(Set("v", [Guard(1, passes)], [Around(1, keep)]))
    if kind:
        with pytest.raises(CloneError) as raised:
            runner.start(BACKGROUND, call)
        assert (raised.value.kind, seen) == (kind, [])
    else:
        runner.start(BACKGROUND, call)
        assert seen == [call]
        assert seen[0] is not call


def test_a_begin_that_lost_its_context_keeps_its_finish_in_order() -> None:
    """C.2: A1 gives no context but a finish; A0 and A2 are as ever."""
    story = Story()
    story.run([story.around(0), story.around(1, "none"), story.around(2)])
    assert story.order == "A0.b A1.b A2.b op | A2.f A1.f A0.f"


def test_a_begin_that_built_a_finish_and_then_raised_has_none() -> None:
    """C.2."""
    told: list[str] = []

    def boom(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
        finish = told.append
        finish("built")  # type: ignore[arg-type]
        raise RuntimeError

    runner = Runner(Set("", [], [Around(5, boom)]))
    _, finish, _ = runner.start(BACKGROUND, tc5())
    assert finish is not None
    finish(Result.of(tc5()))
    assert told == ["built"]


def test_values_of_earlier_begins_come_down_and_a_detached_one_loses_them() -> None:
    """C.4: A2 sees what A0 put there, A4 does not see it any more, and neither does the operation."""
    story = Story()
    started = story.run(
        [
            story.around(0, "val(a)"),
            story.around(1, lambda context: with_value(context, "k", 1)),
            story.around(2),
            story.around(3, lambda context: with_value(BACKGROUND, "d", 2)),
            story.around(4),
        ]
    )
    assert story.contexts["A2.b"].value("k") == 1
    for late in (story.contexts["A4.b"], started.context):
        assert (late.value("k"), late.value("d")) == (None, 2)


def test_links_are_live_while_finishes_run_and_released_after_the_last() -> None:
    """C.4, C.5: plain cancellation; the context before and the observer's own are untouched."""
    root, cancel = with_cancel(BACKGROUND)
    own, _ = with_cancel(BACKGROUND)
    during: list[BaseException | None] = []
    linked: list[Context] = []

    def detach(context: Context, call: Call) -> tuple[Context, Callable[[Result], None]]:
        return own, lambda result: during.append(linked[0].err())

    context, finish, _ = Runner(Set("", [], [Around(5, detach)])).start(root, tc5())
    linked.append(context)
    assert finish is not None
    finish(Result.of(tc5()))
    assert during == [None]
    assert isinstance(context.err(), Canceled)
    assert isinstance(context.cause(), Canceled)
    assert (own.err(), root.err()) == (None, None)
    cancel()
    assert own.err() is None


def test_a_cause_comes_down_through_two_links() -> None:
    """C.4: the previous context's cancellation applies with its cause."""
    root, _ = with_cancel(BACKGROUND)
    first, second = with_cancel(BACKGROUND)[0], with_cancel(BACKGROUND)[0]
    arounds = [Around(5, lambda context, call: (first, None)), Around(5, lambda context, call: (second, None))]
    context = Runner(Set("", [], arounds)).start(root, tc5()).context
    why = RuntimeError("why")
    root.cancel(why)
    assert isinstance(context.err(), Canceled)
    assert context.cause() is why
    assert (first.err(), second.err()) == (None, None)


def test_deadlines_are_the_tightest_of_all() -> None:
    """C.4: of the one before and of the new one, either way, through a detached one."""
    now = BACKGROUND.now_ns()
    hour, minute = now + 3_600 * 10**9, now + 60 * 10**9
    for outer, inner in ((hour, minute), (minute, hour)):
        root, _ = with_deadline(BACKGROUND, outer)
        other, _ = with_deadline(BACKGROUND, inner)
        again, _ = with_cancel(BACKGROUND)
        arounds = [Around(5, gives(other)), Around(5, gives(again))]
        assert Runner(Set("", [], arounds)).start(root, tc5()).context.deadline() == minute


def test_every_begin_runs_although_the_first_guard_blocks() -> None:
    """C.1: begins first, all of them; then the first guard that blocks ends the asking."""
    story = Story()
    started = story.run(
        [story.around(0), story.around(1)], [story.guard(0, Denial("a", "x")), story.guard(1, RuntimeError("never"))]
    )
    assert story.order == "A0.b A1.b G0 | A1.f A0.f"
    assert isinstance(started.error, Denial)


@pytest.mark.parametrize("operation", [1, 3, 4, 5])
def test_a_failed_guard_names_its_place_and_hides_its_cause(operation: int) -> None:
    """C.3: the operation's number and the index in the whole list; the cause can be had by unwrapping."""
    cause = RuntimeError("sensitive")
    others = [Guard(each, passes) for each in (1, 3, 4, 5) if each != operation]
    runner = Runner(Set("v", [*others, Guard(operation, lambda context, call: cause)]))
    error = runner.start(BACKGROUND, call_of(operation)).error
    assert isinstance(error, GuardError)
    assert str(error) == f"hook: guard failed for operation {operation} at index 3"
    assert error.__cause__ is cause
    assert "sensitive" not in str(error)


def test_whoever_finishes_second_with_something_else_is_ignored() -> None:
    """C.5: the first call wins, with its own result; another thread's call waits and then does nothing."""
    seen: list[int] = []
    is_in, may_go = threading.Event(), threading.Event()

    def slow(result: Result) -> None:
        is_in.set()
        may_go.wait(5)
        seen.append(result.outcome)

    _, finish, _ = Runner(Set("", [], [Around(5, lambda context, call: (context, slow))])).start(BACKGROUND, tc5())
    assert finish is not None
    first = threading.Thread(target=finish, args=(Result.of(tc5(), outcome=1),))
    second = threading.Thread(target=finish, args=(Result.of(tc5(), outcome=3),))
    first.start()
    assert is_in.wait(5)
    second.start()
    second.join(0.05)
    assert second.is_alive()
    may_go.set()
    first.join(5)
    second.join(5)
    finish(Result.of(tc5(), outcome=4))
    assert seen == [1]


def test_a_log_line_has_two_attributes_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    """C.7: level error on the process-default logger; the number of the operation and the index in the whole list."""
    story = Story()
    with caplog.at_level(logging.DEBUG):
        story.run([Around(1, begins), story.around(1, "none"), story.around(2, "boom"), story.around(3, finish="boom")])
    told = [
        (each.name, each.levelname, each.getMessage(), each.__dict__["operation"], each.__dict__["callback_index"])
        for each in caplog.records
    ]
    assert told == [
        ("root", "ERROR", "hook: begin callback returned nil context", 5, 1),
        ("root", "ERROR", "hook: begin callback panicked", 5, 2),
        ("root", "ERROR", "hook: finish callback panicked", 5, 3),
    ]
    assert all(type(each.__dict__["operation"]) is int and each.exc_info is None for each in caplog.records)
    usual = set(logging.LogRecord("", 0, "", 0, "", (), None).__dict__) | {"message", "asctime", "taskName"}
    assert {key for each in caplog.records for key in each.__dict__} - usual == {"operation", "callback_index"}
