"""Claims about the closed domain and what may be declared: spec A.1, A.2, B, vectors G.1 to G.3 and neighbours."""

from __future__ import annotations

import pytest
from rig_runs import call_of

from kernel.dialects.rig.denial import classify_denial, new_denial
from kernel.dialects.rig.errors import CallError, CallKind, ConfigError, Denial, GuardError
from kernel.dialects.rig.hook_set import Around, Guard, Set
from kernel.dialects.rig.operation import Operation, is_guardable, is_operation, is_outcome
from kernel.dialects.rig.runner import Runner
from kernel.dialects.rig.snapshot import Call, StepPayload, ToolCallPayload, TurnPayload, call_error
from kernel.dialects.rig.text import WHITE_SPACE, is_blank, is_code, is_reason, is_revision


def check(context: object, call: object) -> None:
    return None


def begin(context: object, call: object) -> None:
    return None


def guard(operation: int = 1) -> Guard:
    return Guard(operation, check)


def around(operation: int = 1) -> Around:
    return Around(operation, begin)


@pytest.mark.parametrize(
    ("operation", "valid", "guardable"),
    [
        (0, False, False),
        (1, True, True),
        (2, True, False),
        (3, True, True),
        (4, True, True),
        (5, True, True),
        (6, True, False),
        (7, True, False),
        (8, True, False),
        (9, False, False),
        (255, False, False),
        (-1, False, False),
        (True, False, False),
        (1.0, False, False),
        ("1", False, False),
        (None, False, False),
    ],
)
def test_there_are_eight_operations_of_which_four_can_be_guarded(
    operation: object, valid: bool, guardable: bool
) -> None:
    """Vectors 1 and 2; a bool is no number."""
    assert is_operation(operation) is valid
    assert is_guardable(operation) is guardable


@pytest.mark.parametrize(
    ("outcome", "valid"), [(0, False), (1, True), (2, True), (3, True), (4, True), (5, False), (True, False)]
)
def test_there_are_four_outcomes(outcome: object, valid: bool) -> None:
    """Vector 3."""
    assert is_outcome(outcome) is valid


def test_operations_and_their_names_belong_together() -> None:
    """The names are those of the field."""
    assert [each.label for each in Operation] == [
        "Turn", "Step", "Inference", "Compaction", "ToolCall", "GateWait", "ToolExecution", "JournalAppend",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("vector", "hooks", "expected"),
    [
        (5, Set(), None),
        (7, Set("policy-v1", [guard(o) for o in (1, 3, 4, 5)], [around(o) for o in range(1, 9)]), None),
        (8, Set("", [], [around(o) for o in range(1, 9)]), None),
        (9, Set("v1", [guard(2)]), ("operation_not_guardable", "guards", 2, 0)),
        (10, Set("v1", [guard(1), guard(8)]), ("operation_not_guardable", "guards", 8, 1)),
        (11, Set("v1", [guard(99)]), ("unknown_operation", "guards", 99, 0)),
        (12, Set("v1", [guard(0)]), ("unknown_operation", "guards", 0, 0)),
        (13, Set("v1", [Guard(1, None)]), ("nil_guard", "guards", 1, 0)),
        (14, Set("v1", [guard(1), Guard(5, None)]), ("nil_guard", "guards", 5, 1)),
        (15, Set("", [], [around(99)]), ("unknown_operation", "around", 99, 0)),
        (16, Set("", [], [around(1), around(0)]), ("unknown_operation", "around", 0, 1)),
        (17, Set("", [], [Around(2, None)]), ("nil_around", "around", 2, 0)),
        (18, Set("", [], [around(1), around(2), Around(8, None)]), ("nil_around", "around", 8, 2)),
        (19, Set("", [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (21, Set(" \t", [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (22, Set("\u00a0\u2003\u3000", [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (22, Set("\u2028", [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (22, Set("\u0085", [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (22, Set(" " * 200, [guard()]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (23, Set("r" * 129, [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (24, Set("r" * 128, [guard()]), None),
        (24, Set("é" * 64, [guard()]), None),
        (24, Set("é" * 64 + "e", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (25, Set("policy\nrevision", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (26, Set("policy\trevision", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (26, Set("\u001c", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (26, Set("a\u007f", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (26, Set("a\u0085b", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (26, Set("trailing\n", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (27, Set("\udcff", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),
        (27, Set(b"\xff", [guard()]), ("invalid_policy_revision", "policy_revision", 0, 0)),  # type: ignore[arg-type]
        (28, Set("  v1  ", [guard()]), None),
        (28, Set("\u200b", [guard()]), None),
        (28, Set("a\u2028b\u202e", [guard()]), None),
        (29, Set("v1", [], [around()]), ("unexpected_policy_revision", "policy_revision", 0, 0)),
        (30, Set(" "), ("unexpected_policy_revision", "policy_revision", 0, 0)),
        (31, Set("", [guard(99)]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (32, Set("\n", [Guard(99, None)], [around(99)]), ("missing_policy_revision", "policy_revision", 0, 0)),
        (33, Set("v", [], [around(99)]), ("unexpected_policy_revision", "policy_revision", 0, 0)),
        (34, Set("v", [guard(2)], [around(99)]), ("operation_not_guardable", "guards", 2, 0)),
        (34, Set("v", [Guard(2, None)]), ("operation_not_guardable", "guards", 2, 0)),
        (34, Set("v", [Guard(99, None)]), ("unknown_operation", "guards", 99, 0)),
        (34, Set("v", [guard(1), Guard(1, None), guard(99)]), ("nil_guard", "guards", 1, 1)),
        (34, Set("", [], [Around(99, None)]), ("unknown_operation", "around", 99, 0)),
        (34, Set("v", [guard(True)]), ("unknown_operation", "guards", 0, 0)),
    ],
)
def test_a_set_is_refused_for_the_first_thing_that_is_wrong(
    vector: int, hooks: Set, expected: tuple[str, str, int, int] | None
) -> None:
    """Vectors 5 to 34."""
    error = hooks.validate()
    if expected is None:
        assert error is None
        Runner(hooks)
    else:
        assert error is not None
        assert (error.kind, error.field, error.operation, error.index) == expected
        with pytest.raises(ConfigError):
            Runner(hooks)


def test_the_empty_set_handles_nothing() -> None:
    """Vector 5."""
    assert not any(Runner(Set()).handles(operation) for operation in range(10))


@pytest.mark.parametrize(
    ("hooks", "message"),
    [
        (Set("v"), "hook: invalid configuration: unexpected_policy_revision (policy_revision)"),
        (Set("v", [guard(2)]), "hook: invalid configuration: operation_not_guardable (guards) for operation 2"),
        (Set("v", [guard(0)]), "hook: invalid configuration: unknown_operation (guards)"),
    ],
)
def test_a_config_error_says_kind_field_and_operation(hooks: Set, message: str) -> None:
    """Spec B.2: the operation only where it is one."""
    assert str(hooks.validate()) == message


def test_the_lists_of_a_set_are_copied_when_it_is_compiled() -> None:
    """Later edits have no effect (vector 71 does it with a list entry)."""
    arounds = [around(1)]
    runner = Runner(Set("", [], arounds))
    arounds.append(around(2))
    assert not runner.handles(2)


# -- texts and denials ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["a", "a-", "a.", "a_", "a9", "policy.blocked-1", "c" * 64])
def test_a_code_may_be(code: str) -> None:
    """Spec B.3, accepted edges."""
    assert is_code(code)


@pytest.mark.parametrize(
    "code",
    ["", " \t", "A", "aB", "1policy", ".policy", "_p", "-p", "policy/blocked", "a b", "a\n", "\na", "c" * 65,
     "policy.bloqué", "\udcff", b"a", None, 5],
)  # fmt: skip
def test_a_code_may_not_be(code: object) -> None:
    """Vectors 37 to 43: each is `invalid_denial`, and there is no denial in its chain."""
    assert not is_code(code)
    error = new_denial(code, "a reason")  # type: ignore[arg-type]
    assert isinstance(error, ConfigError)
    assert (error.kind, error.field, error.operation, error.index) == ("invalid_denial", "denial", 0, 0)
    assert classify_denial(error) is None


@pytest.mark.parametrize("reason", ["r", " r ", "r" * 1024, "é" * 512, "a \u2014 b", "\u200b", "a\u2028b", "\u202e"])
def test_a_reason_may_be(reason: str) -> None:
    """Spec B.3, accepted edges."""
    assert is_reason(reason)
    assert isinstance(new_denial("a", reason), Denial)


@pytest.mark.parametrize(
    "reason",
    [
        "",
        "\n\t",
        "\u00a0",
        "\u2028",
        "bad\nreason",
        "a\0",
        "a\u0085",
        "a\x1c",
        "\udcff",
        "r" * 1025,
        "é" * 513,
        b"r",
        None,
    ],
)
def test_a_reason_may_not_be(reason: object) -> None:
    """Vector 45 and its neighbours."""
    assert not is_reason(reason)
    assert isinstance(new_denial("a", reason), ConfigError)  # type: ignore[arg-type]


def test_white_space_is_the_property_and_not_what_python_strips() -> None:
    """U+001C to U+001F are controls; there are 25 characters in all."""
    assert len(set(WHITE_SPACE)) == 25
    assert not is_blank("\x1c")
    assert "\x1c".strip() == ""
    assert is_blank("\u3000\u205f\u1680")
    assert not is_revision("\x1c")


def test_a_denial_says_code_and_reason() -> None:
    """Vector 35."""
    made = new_denial("policy.blocked", "operation is not permitted")
    assert isinstance(made, Denial)
    assert (made.code, made.reason) == ("policy.blocked", "operation is not permitted")
    assert str(made) == "hook: denied: policy.blocked: operation is not permitted"


def wrapped(error: BaseException, *texts: str) -> BaseException:
    for text in texts:
        outer = RuntimeError(text)
        outer.__cause__ = error
        error = outer
    return error


def in_context(error: BaseException) -> BaseException:
    outer = RuntimeError("while handling")
    outer.__context__ = error
    return outer


def suppressed(error: BaseException) -> BaseException:
    outer = in_context(error)
    outer.__suppress_context__ = True
    return outer


GOOD = Denial("policy.blocked-1", "not \u2014 permitted")


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (None, False),
        (GOOD, True),
        (wrapped(GOOD, "text"), True),
        (wrapped(GOOD, "a", "b", "c"), True),
        (in_context(GOOD), True),
        (suppressed(GOOD), False),
        (ExceptionGroup("joined", [ValueError("first"), GOOD]), True),
        (
            ExceptionGroup("joined", [wrapped(ValueError("x"), "y"), ExceptionGroup("inner", [wrapped(GOOD, "z")])]),
            True,
        ),
        (Denial("Policy.blocked", "no"), False),
        (Denial("policy", " "), False),
        (ExceptionGroup("joined", [Denial("BAD", "no"), GOOD]), False),
        (wrapped(ExceptionGroup("joined", [GOOD, Denial("BAD", "no")]), "x"), True),
        (Denial.__new__(Denial), False),
        (wrapped(Denial.__new__(Denial), "x"), False),
        (GuardError(5, 0, GOOD), True),
        (GuardError(5, 0, ValueError("x")), False),
        (ValueError("x"), False),
        ("policy.blocked", False),
        (new_denial("BAD", "no"), False),
    ],
)
def test_the_first_denial_of_a_chain_counts(error: object, found: bool) -> None:
    """Vectors 47 to 52."""
    denial = classify_denial(error)
    assert (denial is not None) is found
    if denial is not None:
        assert (denial.code, denial.reason) == (GOOD.code, GOOD.reason)
        assert denial is not GOOD


def test_a_member_of_a_group_comes_before_the_cause_of_the_group() -> None:
    """Depth first, each before what it wraps."""
    group = ExceptionGroup("joined", [wrapped(Denial("BAD", "no"), "deep")])
    group.__cause__ = GOOD
    assert classify_denial(group) is None


def test_a_classified_denial_is_a_copy() -> None:
    """Vector 51."""
    original = Denial("policy.blocked", "no")
    found = classify_denial(original)
    original.code, original.reason = "other", "changed"
    assert found is not None
    assert (found.code, found.reason) == ("policy.blocked", "no")


def test_a_chain_that_bites_its_tail_ends() -> None:
    """Python lets a chain be a circle."""
    one, two = RuntimeError("one"), RuntimeError("two")
    one.__cause__, two.__cause__ = two, one
    assert classify_denial(one) is None


# -- calls -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", range(1, 9))
def test_a_call_with_its_own_payload_is_valid(operation: int) -> None:
    """Vector 53."""
    assert call_error(call_of(operation)) is None


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (Call(99, turn=TurnPayload()), "unknown_operation"),
        (Call(0, turn=TurnPayload()), "unknown_operation"),
        (Call(9), "unknown_operation"),
        (Call(True, turn=TurnPayload()), "unknown_operation"),
        (Call(1), "invalid_payload"),
        (Call(1, step=StepPayload()), "invalid_payload"),
        (Call(1, turn=TurnPayload(), step=StepPayload()), "invalid_payload"),
        (Call(5, turn=TurnPayload()), "invalid_payload"),
        (Call(5, tool_call=ToolCallPayload(), turn=TurnPayload()), "invalid_payload"),
    ],
)
def test_a_call_is_refused_for_its_operation_before_its_payloads(call: Call, kind: str) -> None:
    """Vectors 55 to 60."""
    error = call_error(call)
    assert isinstance(error, CallError)
    assert not isinstance(error, ConfigError)
    assert error.kind == CallKind(kind)
    number = 0 if call.operation is True else call.operation
    assert str(error) == f"hook: invalid call: {kind} for operation {number}"
