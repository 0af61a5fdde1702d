"""Claims about JSON: snapshots, contexts, errors and answers go there and come back, or say why they cannot."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rig_runs import call_of, tc5

from kernel import Subscription
from kernel.dialects.rig import RIG
from kernel.dialects.rig.cloning import BLOCKS, MESSAGES, clone
from kernel.dialects.rig.content import (
    ImageBlock,
    InferenceRequest,
    RawJSON,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    TypedNull,
    UserMessage,
)
from kernel.dialects.rig.context import (
    BACKGROUND,
    Canceled,
    Context,
    background,
    with_cancel,
    with_deadline,
    with_timeout,
    with_value,
    without_cancel,
)
from kernel.dialects.rig.context_view import built, context_from_json, described, given_context, given_from_json, onward
from kernel.dialects.rig.denial import classify_denial, outcome_of
from kernel.dialects.rig.error_view import HostileError, error_from_view, error_view
from kernel.dialects.rig.errors import Denial, GuardError
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.payload import of
from kernel.dialects.rig.room import description
from kernel.dialects.rig.shape import Field, Kind, fields_of, key_of
from kernel.dialects.rig.shield import derived
from kernel.dialects.rig.snapshot import Call, InferencePayload
from kernel.dialects.rig.snapshot_view import call_from_view, call_view, encoded, time_from_view
from kernel.errors import BadInput
from kernel.values import JSON, Answered, Ask

texts = st.text(st.characters(codec="utf-8"), max_size=4)
_PLAIN: dict[type, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(0, 2**64 - 1),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
}


def records(record: type, depth: int = 3) -> st.SearchStrategy[Any]:
    """Any record of a class, to a certain depth."""
    if issubclass(record, Call):
        return st.sampled_from(Operation).flatmap(
            lambda operation: records_of_fields(record, depth, {"operation": st.just(operation)})
        )
    return records_of_fields(record, depth, {})


def records_of_fields(record: type, depth: int, given_fields: dict[str, Any]) -> st.SearchStrategy[Any]:
    values = {
        each.name: given_fields[each.name] if each.name in given_fields else values_of(each, depth)
        for each in fields_of(record)
    }
    return st.builds(record, **values)


def values_of(field: Field, depth: int) -> st.SearchStrategy[Any]:
    value = _values(field, depth)
    return st.none() | value if field.is_nullable else value


def _values(field: Field, depth: int) -> st.SearchStrategy[Any]:
    match field.kind:
        case Kind.PLAIN if field.name == "agency":
            return st.integers(0, 255)
        case Kind.PLAIN:
            return st.integers(0, 2**62) if field.name.endswith("_at") else _PLAIN[field.of]
        case Kind.ID:
            return st.uuids() | st.just(UUID(int=0))
        case Kind.BYTES:
            return st.binary(max_size=4)
        case Kind.RAW:
            return st.sampled_from(
                [
                    b"",
                    b"null",
                    b'{"a":1}',
                    b'{"a": 1}',
                    b"[1,2]",
                    b'"x"',
                    b"nonsense",
                    b"\xff",
                    b'{"$bytes":"AA=="}',
                    b"1e400",
                ]
            )
        case Kind.RECORD:
            return records(field.of, depth - 1)
        case Kind.RECORDS:
            return st.lists(records(field.of, depth - 1), max_size=2)
        case Kind.PLAINS:
            return st.lists(_PLAIN[field.of], max_size=2)
        case Kind.MAP:
            return st.dictionaries(texts, _PLAIN[field.of], max_size=2)
        case _:
            kinds = sorted(BLOCKS if field.kind is Kind.BLOCKS else MESSAGES, key=lambda each: each.__name__)
            if depth <= 0:
                return st.just([])
            any_of = st.sampled_from(kinds).flatmap(lambda kind: records(kind, depth - 1) | st.just(TypedNull(kind)))
            return st.lists(any_of, max_size=2)


@settings(deadline=None, max_examples=300)
@given(records(Call))
def test_a_call_comes_back_from_json_as_it_was(call: Call) -> None:
    """Null and empty, half-set pairs and typed nulls included."""
    again = call_from_view(json.loads(encoded(call_view(call))))
    assert again == call


@settings(deadline=None, max_examples=100)
@given(records(Call))
def test_a_copy_is_equal_and_shares_nothing_that_can_be_changed(call: Call) -> None:
    """Spec C.6: as deep as anybody can reach."""
    copied = clone(call)
    assert copied == call
    mine, its = set(mutable(call)), set(mutable(copied))
    assert not mine & its


def mutable(value: object) -> list[int]:
    """Identities of everything in a value that could be changed."""
    found: list[int] = []
    if isinstance(value, list | dict):
        found.append(id(value))
        for each in value.values() if isinstance(value, dict) else value:
            found += mutable(each)
    elif hasattr(value, "__dataclass_fields__") and not isinstance(value, TypedNull):
        found.append(id(value))
        for name in value.__dataclass_fields__:
            found += mutable(getattr(value, name))
    return found


def test_what_could_be_changed_in_place_of_bytes_is_copied() -> None:
    """A bytearray is bytes that somebody can scribble on."""
    call = tc5()
    assert call.tool_call is not None
    call.tool_call.args_json = bytearray(b"abc")  # type: ignore[assignment]
    copied = clone(call)
    call.tool_call.args_json[0] = 0  # type: ignore[index]
    assert copied.tool_call is not None
    assert copied.tool_call.args_json == b"abc"


def test_half_a_pair_and_a_typed_null_stay_what_they_are() -> None:
    """Spec C.6."""
    blocks = [
        ThinkingBlock(provider_state=RawJSON(b"{}")),
        ToolUseBlock(provider_state_format="f"),
        TypedNull(TextBlock),
        ToolResultBlock(content=[ImageBlock()]),
    ]
    request = InferenceRequest(messages=[UserMessage(blocks), TypedNull(UserMessage)])  # type: ignore[arg-type, list-item]
    call = Call(Operation.INFERENCE, inference=InferencePayload(request))
    assert clone(call) == call
    assert call_from_view(call_view(call)) == call


def test_keys_are_the_fields_own_names() -> None:
    """As the field writes them."""
    names = [
        "tool_use_id",
        "args_json",
        "ai_message",
        "base_url",
        "api_format",
        "through_event_id",
        "top_p",
        "is_error",
    ]
    assert [key_of(name) for name in names] == [
        "ToolUseID", "ArgsJSON", "AIMessage", "BaseURL", "APIFormat", "ThroughEventID", "TopP", "IsError",
    ]  # fmt: skip
    assert call_view(tc5()) == {
        "Operation": "ToolCall",
        "ToolCall": {"ToolUseID": "tool-use-1", "ToolName": "read", "ArgsJSON": {"path": "README.md"}},
    }


@pytest.mark.parametrize(
    ("view", "problem"),
    [
        ([], "a call is a JSON object"),
        ({"Operation": "Tool"}, "no operation 'Tool'; did you mean 'ToolCall'"),
        ({"ToolCal": {}}, r"\$: no field 'ToolCal'; did you mean 'ToolCall'"),
        ({"ToolCall": {"tool_name": "x"}}, r"\$.ToolCall: no field 'tool_name'"),
        ({"ToolCall": {"ToolName": 5}}, r"\$.ToolCall.ToolName: text is needed"),
        ({"ToolCall": {"ToolName": None}}, "null is not allowed"),
        ({"ToolCall": {"IsError": 1}}, "true or false is needed"),
        ({"ToolCall": {"ToolName": "\ud800"}}, "lone surrogates"),
        ({"Turn": {"Index": True}}, "a whole number is needed"),
        ({"Turn": {"Index": 1.5}}, "a whole number is needed"),
        ({"Turn": {"Index": 2**70}}, "out of range"),
        ({"Turn": {"Input": {"Role": "assistant"}}}, r"\$.Turn.Input.Role: 'user' is needed here"),
        ({"Turn": {"Input": {"Blocks": [{"Type": "video"}]}}}, r"Blocks\[0\].Type: 'video' is none"),
        ({"Turn": {"Input": {"Blocks": ["x"]}}}, "a JSON object with 'Type' is needed"),
        ({"Turn": {"Input": {"Blocks": {}}}}, "a list is needed"),
        ({"Coordinates": {"TurnID": "x"}}, "no UUID"),
        ({"Cause": {"Agency": 300}}, r"\$.Cause.Agency: 300 is out of range; it is a number from 0 to 255"),
        ({"Cause": {"Agency": -1}}, "out of range"),
        ({"Cause": {"Agency": True}}, "a whole number is needed"),
        ({"StartedAt": "yesterday"}, "no time"),
        ({"StartedAt": "2026-03-01T09:00:00"}, "lacks its offset"),
        ({"$context": []}, r"\$.\$context: a JSON object is needed"),
        ({"$context": {"value": 1}}, "no key 'value'"),
        ({"$context": {"deadline_ms": "soon"}}, "number of milliseconds"),
        ({"$context": {"cancellable": "yes"}}, "true or false"),
    ],
)
def test_what_is_no_call_is_told_with_its_path(view: JSON, problem: str) -> None:
    """Never a traceback."""
    with pytest.raises(BadInput, match=problem):
        RIG.payload_from_view("ToolCall", view)


def test_a_payload_nested_too_deep_is_told() -> None:
    """JSON can be deeper than anybody reads."""
    view: Any = {"Type": "tool_result"}
    for _ in range(5000):
        view = {"Type": "tool_result", "Content": [view]}
    with pytest.raises(BadInput, match="nested too deep"):
        RIG.payload_from_view("ToolCall", {"ToolCall": {"Result": {"Content": [view]}}})


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2026-03-01T09:00:00Z", 1_772_355_600_000_000_000),
        ("2026-03-01T10:00:00+01:00", 1_772_355_600_000_000_000),
        ("2026-03-01T09:00:00.123456789Z", 1_772_355_600_123_456_789),
        (5, 5),
    ],
)
def test_times_keep_their_nanoseconds(text: JSON, ns: int) -> None:
    """As Go's do."""
    assert time_from_view(text, "$") == ns


@pytest.mark.parametrize("point", RIG.points)
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 17])
def test_a_sample_can_be_dispatched_and_is_the_same_every_time(point: str, seed: int) -> None:
    """Same seed, same bytes; and back from its bytes and from its view."""
    payload = RIG.sample_payload(point, seed)
    assert payload == RIG.sample_payload(point, seed)
    assert payload == RIG.payload_from_body(point, payload.body) == RIG.payload_from_view(point, payload.view)
    assert payload.point == point
    assert clone(payload.call) == payload.call
    assert payload.digest == RIG.payload_from_body(point, payload.body).digest
    ids = payload.call.coordinates
    assert ids.session_id.int != 0
    assert (ids.loop_id.int == 0) is (point == "JournalAppend")  # spec A.5


def test_samples_of_one_seed_tell_of_one_step() -> None:
    """Ids of one operation come back at the others."""
    call, execution = (
        RIG.sample_payload("ToolCall", 3).call.tool_call,
        RIG.sample_payload("ToolExecution", 3).call.tool_execution,
    )
    assert call is not None
    assert execution is not None
    assert (call.tool_use_id, call.tool_execution_id) == (execution.tool_use_id, execution.tool_execution_id)
    with pytest.raises(BadInput, match="no operation 'Tool'"):
        RIG.sample_payload("Tool")


# -- errors ----------------------------------------------------------------------------------------------------------


def wrapped(error: BaseException) -> BaseException:
    outer = RuntimeError("outer")
    outer.__cause__ = error
    return outer


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")


LEAVES: list[Any] = [
    lambda: ValueError("x"),
    lambda: Denial("good", "no"),
    lambda: Denial("BAD", "no"),
    lambda: Denial.__new__(Denial),
    lambda: Denial("good", "\udcff"),
    lambda: Denial("good", 5),  # type: ignore[arg-type]
    Canceled,
    lambda: HostileError("x"),
    Unreadable,
    lambda: GuardError(5, 1, ValueError("y")),
    lambda: GuardError(5, 1, Canceled()),
    lambda: GuardError(5, 1, Denial("good", "no")),
]
errors = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(lambda make: lambda: wrapped(make())),
        st.lists(inner, min_size=1, max_size=3).map(lambda makes: lambda: grouped([make() for make in makes])),
    ),
    max_leaves=5,
)


def grouped(errors: list[BaseException]) -> BaseException:
    return BaseExceptionGroup("joined", errors)


@settings(deadline=None, max_examples=300)
@given(errors)
def test_an_error_after_its_description_comes_to_the_same(make: Any) -> None:
    """Denials, guard errors, cancellations and hostility: everything that decides is in the JSON."""
    error = make()
    again = error_from_view(json.loads(encoded(dict(error_view(error)))), "$")
    assert outcome_of(again) == outcome_of(error)
    assert verdict(again) == verdict(error)


def verdict(error: object) -> object:
    try:
        denial = classify_denial(error)
    except RuntimeError:
        return "hostile"
    return None if denial is None else (denial.code, denial.reason)


def test_a_chain_that_bites_its_tail_can_be_shown() -> None:
    """Once around."""
    one, two = RuntimeError("one"), RuntimeError("two")
    one.__cause__, two.__cause__ = two, one
    assert error_view(one)["cause"] == {
        "type": "RuntimeError",
        "message": "two",
        "cause": {"type": "RuntimeError", "message": "one"},
    }


# -- contexts --------------------------------------------------------------------------------------------------------


def contexts() -> list[tuple[str, Any]]:
    """What a begin may make of the context that it was given."""
    return [
        ("child", lambda c: with_value(c, "k", 1)),
        ("shadow", lambda c: with_value(c, "p", 2)),
        ("own", lambda c: with_cancel(c)[0]),
        ("own in value", lambda c: with_value(with_cancel(c)[0], "k", 1)),
        ("own deadline", lambda c: with_deadline(c, 3_600_000_000_000)[0]),
        ("late deadline", lambda c: with_deadline(c, 36_000_000_000_000)[0]),
        ("detached", lambda c: with_value(background(c.now_ns), "k", 1)),
        ("root", lambda c: background(c.now_ns)),
        ("detached deadline", lambda c: with_deadline(background(c.now_ns), 60_000_000_000)[0]),
        ("detached same values", lambda c: with_value(background(c.now_ns), "p", 1)),
        ("no cancellation", lambda c: without_cancel(c)),
        ("cancelled", cancelled),
        ("odd key", lambda c: with_value(c, ("a", 1), {"deep": [1, object()]})),
    ]


def cancelled(context: Context) -> Context:
    made, cancel = with_cancel(context)
    cancel()
    return made


@pytest.mark.parametrize(
    "base",
    [
        {},
        {"values": {"p": 1}},
        {"values": {"p": 1}, "cancellable": True},
        {"deadline_ms": 7_200_000},
        {"values": {"p": 1}, "cancelled": "context canceled"},
    ],
)
@pytest.mark.parametrize(("name", "make"), contexts(), ids=[name for name, _ in contexts()])
def test_a_description_leads_to_the_same_context(base: dict[str, JSON], name: str, make: Any) -> None:
    """What a live begin gave, described, built anew and derived again: the same as the live one derived."""
    view = context_from_json(base, "$")
    before = built(view, lambda: 0, 0)
    live = make(before)
    given = description(before, live, 0)
    after, link = derived(before, live)
    again = onward(view, given_from_json(given.to_json(), "$"))
    assert again.view == described(after, 0)
    assert again.is_linked is (link is not None)
    assert described(derived(before, given_context(before, given, 0))[0], 0) == described(after, 0)


def test_a_context_for_authors() -> None:
    """Go's words, as far as they are needed: waiting included."""
    context, cancel = with_timeout(with_value(BACKGROUND, "k", 1), 3600)
    signal = context.done()
    assert signal is not None
    assert not signal.wait(0)
    told: list[str] = []
    undo = signal.on_set(lambda: told.append("undone"))
    signal.on_set(lambda: told.append("told"))
    undo()
    cancel()
    cancel()
    signal.on_set(lambda: told.append("at once"))
    assert signal.wait()
    assert told == ["told", "at once"]
    soon, _ = with_timeout(BACKGROUND, 0)
    assert str(soon.err()) == "context deadline exceeded"
    ends = with_timeout(BACKGROUND, 0.001)[0].done()
    assert ends is not None
    assert ends.wait(30)


# -- answers ---------------------------------------------------------------------------------------------------------


def ask_of(phase: str) -> Ask:
    return Ask(0, Subscription("A0", "ToolCall", "around"), of(tc5()), b"{}", None, phase)


@pytest.mark.parametrize(
    ("phase", "view", "problem"),
    [
        ("begin", {"context": {"kind": "derived", "values": {"a": [1, None]}}, "finish": True}, None),
        ("begin", {}, None),
        ("begin", {"raised": "text"}, None),
        ("begin", {"context": {"kind": "other"}}, r"\$.context.kind: 'other' is none"),
        ("begin", {"finish": "yes"}, r"\$.finish: true or false"),
        ("begin", {"denial": {}}, "no key 'denial' in this answer"),
        ("guard", {"denial": {"code": "a", "reason": "b"}}, None),
        ("guard", {"denial": {"code": "a", "text": "b"}}, "an object with code and reason"),
        ("guard", {"error": {"kind": "odd"}}, r"\$.error.kind: 'odd' is none"),
        ("guard", {"error": {"odd": 1}}, "no key 'odd'"),
        ("guard", [], "an answer is a JSON object"),
        ("operation", {"outcome": "denied"}, None),
        ("operation", {"outcome": "won"}, "'won' is none"),
        ("operation", {"outcome": 256}, "a word or a number"),
        ("operation", {"result": {"ResultPreview": "x"}}, None),
        ("operation", {"result": {"Preview": "x"}}, "no field 'Preview'"),
        ("operation", {"result": 5}, r"\$.result: a JSON object"),
        ("operation", {"ended_at": "x"}, "no time"),
        ("finish", {}, None),
        ("finish", {"raised": {"type": "E", "message": "m"}}, None),
        ("finish", {"raised": 5}, "a text or an object"),
    ],
)
def test_an_answer_that_somebody_writes_is_checked_for_its_phase(phase: str, view: JSON, problem: str | None) -> None:
    """Before it is taken."""
    if problem is None:
        answer = RIG.answer_from_view(ask_of(phase), view)
        assert RIG.answer_view(answer) == view
    else:
        with pytest.raises(BadInput, match=problem):
            RIG.answer_from_view(ask_of(phase), view)


def test_bytes_that_are_no_json_are_shown_as_such() -> None:
    """And can be written again."""
    view = RIG.answer_view(Answered(b"\xff"))
    assert RIG.answer_from_view(ask_of("begin"), view) == Answered(b"\xff")
    assert RIG.answer_view(Answered(b"")) == {}


def test_only_the_operation_proposes_anything() -> None:
    """Terminal fields, in the call that it was asked about; callbacks have copies."""
    given = of(tc5())
    assert RIG.proposed(given, Answered(b"{}")) is None
    assert RIG.proposed(given, Answered(b'{"context":{"kind":"same"}}')) is None
    assert RIG.proposed(given, Answered(b'{"result":{"Odd":1}}')) is None
    proposed = RIG.proposed(given, Answered(b'{"result":{"IsError":true}}'))
    assert proposed == given.with_terminal({"IsError": True}).view


@pytest.mark.parametrize(
    ("mode", "words", "problem"),
    [
        ("around", "okay", "did you mean 'ok'"),
        ("around", {}, "an answer is one of"),
        ("around", 5, "an answer is one of"),
        ("around", {"val": {"a": 1}, "det": {}}, "one context is needed"),
        ("around", {"cancelled": True}, "one context is needed"),
        ("around", {"val": 1}, "val has values by name, or one name, not 1"),
        ("around", {"det": ["a"]}, "det has values by name"),
        ("around", {"ok": True, "cancelled": True}, "neither a deadline nor an end"),
        ("around", {"ok": True, "finish": "later"}, "finish is true, false, ok, boom"),
        ("guard", "passs", "did you mean 'pass'"),
        ("guard", "ok-no-finish", "no answer"),
        ("guard", {"deny": "no"}, "deny has a code and a reason"),
        ("guard", {"err": "a", "deny": {}}, "one of deny"),
        ("guard", {"joined": []}, "one of deny"),
        ("guard", None, "an answer is one of"),
        ("operation", "complete", "did you mean 'completed'"),
        ("operation", {"failed": "a", "canceled": True}, "it ends in one way"),
        ("operation", [], "an answer is one of"),
    ],
)
def test_words_that_there_are_not(mode: str, words: JSON, problem: str) -> None:
    """With the nearest one."""
    with pytest.raises(BadInput, match=problem):
        RIG.staging.answer_in_words(words, mode)


def test_any_answer_as_json() -> None:
    """One that fits some question."""
    for view in (
        {"context": {"kind": "none"}},
        {"denial": {"code": "a", "reason": "b"}},
        {"outcome": 3},
        {"note": "x"},
    ):
        assert json.loads(RIG.staging.answer_in_json(view)) == view
    with pytest.raises(BadInput):
        RIG.staging.answer_in_json({"odd": 1})


@pytest.mark.parametrize(
    ("seat", "options", "problem"),
    [
        (Subscription("g", "Step", "guard"), {}, "operation_not_guardable"),
        (Subscription("g", "ToolCall", "observe"), {}, "no mode 'observe'; there are around, guard, operation"),
        (Subscription("g", "ToolCall", "guard", 100), {}, "knows no deadline"),
        (Subscription("other", "ToolCall", "operation"), {}, "is called 'operation'"),
        (Subscription("operation", "ToolCall", "guard"), {}, "already takes part"),
        (Subscription("A0", "ToolCall", "around"), {}, "already takes part"),
        (Subscription("A1", "ToolCall", "around"), {"index": 0}, r"at around\[0\] already"),
        (Subscription("A1", "ToolCall", "around"), {"index": -1}, "no option index: -1"),
        (Subscription("A1", "ToolCall", "around"), {"place": 1}, "no option place: 1"),
        (Subscription("A1", "ToolCall", "around"), {"owned": True}, "no option owned: True; a seat has index"),
        (Subscription("operation", "ToolCall", "operation"), {"index": 1}, "no option index: 1; the operation has"),
        (Subscription("operation", "ToolCall", "operation"), {"owned": 1}, "no option owned: 1"),
    ],
)
def test_a_seat_that_there_cannot_be(seat: Subscription, options: dict[str, JSON], problem: str) -> None:
    """As compiling a set would say."""
    from kernel import Chain

    chain = RIG.staging.seated(Chain("ToolCall"), Subscription("A0", "ToolCall", "around"), {})
    with pytest.raises(BadInput, match=problem):
        RIG.staging.seated(chain, seat, options)


def test_seats_are_put_where_they_belong() -> None:
    """Whatever the order of naming; the index is that of the whole list where somebody says it."""
    from kernel import Chain

    chain = Chain("ToolCall")
    for name, mode, options in (
        ("G0", "guard", {}),
        ("A2", "around", {"index": 2}),
        ("A0", "around", {"index": 0}),
        ("operation", "operation", {}),
    ):
        chain = RIG.staging.seated(chain, Subscription(name, "ToolCall", mode), options)
    assert [(seat.name, seat.id) for seat in chain.subscriptions] == [
        ("A0", "around[0]"), ("A2", "around[2]"), ("G0", "guards[0]"), ("operation", ""),
    ]  # fmt: skip


def test_an_owner_can_be_seated_by_hand() -> None:
    """The seat of the operation says whether somebody acts on a block, as in a session; not unless somebody says so."""
    from kernel import Chain
    from kernel.dialects.rig.seats import OWNED

    seat = Subscription("operation", "ToolCall", "operation")
    for options, is_owned in (({"owned": True}, True), ({"owned": False}, False), ({}, False)):
        [seated] = RIG.staging.seated(Chain("ToolCall"), seat, options).subscriptions
        assert seated.options == ({OWNED: True} if is_owned else {})


@pytest.mark.parametrize("request_", [b"", b"x", b"[]", b"{}", b'{"context":[],"result":1}'])
def test_what_stands_beside_a_call_is_nothing_in_what_is_no_question(request_: bytes) -> None:
    """Whatever was recorded: nothing is raised."""
    assert RIG.beside(request_) == {}


def test_usual_answers_are_answers() -> None:
    """The first one lets the dispatch go on."""
    for mode in ("around", "guard", "operation"):
        for phase in ("", "finish"):
            for words in RIG.staging.usual(Subscription("x", "ToolCall", mode), phase):
                RIG.staging.answer_in_words(words, "around" if phase == "finish" else mode)
    assert call_of(1).turn is not None
