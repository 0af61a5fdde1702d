"""Claims about chains set up by hand: records, programs, answers in words; and about the fault catalogue."""

from __future__ import annotations

import pytest
from dispatch_runs import Scripted
from hookbus_runs import EVENTS, TI, TX, H, Raw, at, bt, chain_of, run

from kernel import Chain, Subscription
from kernel.control import Proceed
from kernel.dialects.hookbus import HOOKBUS
from kernel.dialects.hookbus.answers import CONTINUE_BODY
from kernel.dialects.hookbus.faults import FAULTS
from kernel.dialects.hookbus.kinds import KINDS
from kernel.errors import BadInput
from kernel.faults import Fault, Refuse, Rewire, find
from kernel.frame_faults import FRAME_FAULTS
from kernel.reach import StdioExtension
from kernel.values import JSON, Ask


def test_a_seat_has_its_defaults() -> None:
    """One mode, five seconds, and the permission of its kind and no more."""
    [seat] = chain_of("after_tool_call", H("A")).subscriptions
    assert (seat.mode, seat.timeout_ms, seat.options) == ("handle", 5000, {"permissions": [TI]})


def test_an_extension_may_sit_in_a_chain_twice() -> None:
    """Told apart by id."""
    seats = chain_of("before_tool_call", H("A"), H("B"), H("A")).subscriptions
    assert [(seat.name, seat.id) for seat in seats] == [("A", ""), ("B", ""), ("A", "A-2")]


@pytest.mark.parametrize(
    ("kind", "mode", "options", "sentence"),
    [
        ("before_tool_cal", "", {}, "did you mean 'before_tool_call'"),
        ("before_tool_call", "veto", {}, "no mode 'veto'"),
        ("before_tool_call", "", {"tol": "x"}, "did you mean 'tool'"),
        ("before_tool_call", "", {"tool": 7}, "the name of a tool"),
        ("before_message", "", {"tool": "bash"}, "hook 'before_message' does not allow a tool filter"),
        ("before_tool_call", "", {"match": "rm"}, "an object with input_contains"),
        ("before_tool_call", "", {"match": {"input_contain": "x"}}, "did you mean 'input_contains'"),
        ("before_tool_call", "", {"match": {"input_contains": 5}}, "text is needed"),
        ("before_tool_call", "", {"permissions": "x"}, "a list of names"),
        ("before_tool_call", "", {"permissions": []}, "lacks permission 'tools.intercept'"),
        ("before_tool_call", "", {"permissions": ["tools.typo"]}, "Unknown extension permission: tools.typo"),
        ("before_tool_call", "", {"permissions": ["tools.override"]}, "Reserved extension permission is not"),
        ("before_tool_call", "", {"generation": -1}, "a number from 0"),
        ("before_tool_call", "", {"generation": True}, "a number from 0"),
    ],
)
def test_a_seat_that_the_host_would_refuse_is_refused(
    kind: str, mode: str, options: dict[str, JSON], sentence: str
) -> None:
    """In the host's words where it has some."""
    with pytest.raises(BadInput) as raised:
        HOOKBUS.staging.seated(Chain(kind), Subscription("A", kind, mode), options)
    assert sentence in str(raised.value)


def test_a_deadline_is_not_negative() -> None:
    """Neither of a seat nor of those that name none; 0 has passed before anybody is asked."""
    seat = Subscription("A", "before_tool_call", "", timeout_ms=-1)
    with pytest.raises(BadInput, match="timeout_ms is -1"):
        HOOKBUS.staging.seated(Chain("before_tool_call"), seat, {})
    with pytest.raises(BadInput, match="is -1"):
        HOOKBUS.staging.check_default(-1)
    HOOKBUS.staging.check_default(0)


def test_a_program_is_an_extension_of_its_seat() -> None:
    """With the permissions that it was given by hand, and no environment."""
    reach = HOOKBUS.staging.program(("python3", "main.py"), "/plugins/a", {})
    chain = HOOKBUS.staging.seated(
        Chain("after_tool_call"), Subscription("A", "after_tool_call", "", reach=reach), {"permissions": [TI, TX]}
    )
    assert chain.subscriptions[0].reach == StdioExtension(
        "A", "python3", ("main.py",), "/plugins/a", frozenset({TI, TX})
    )
    with pytest.raises(BadInput, match="no others"):
        HOOKBUS.staging.program(("x",), ".", {"A": "1"})


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("continue", CONTINUE_BODY),
        ("pass", CONTINUE_BODY),
        ({"block": "x"}, b'{"action":"block","reason":"x"}'),
        ({"confirm": "x"}, b'{"action":"confirm","message":"x"}'),
        ({"modify": None}, b'{"action":"modify","input":null}'),
        ({"modify": {"b": 1, "a": [1.0]}}, b'{"action":"modify","input":{"a":[1.0],"b":1}}'),
        ({"replace": ""}, b'{"action":"replace","output":""}'),
        ({"inject": "x"}, b'{"action":"inject","content":"x"}'),
        ({"context_phase": "x"}, b'{"action":"context_phase","phase":"x"}'),
    ],
)
def test_answers_in_words(words: JSON, body: bytes) -> None:
    """The notation of the vectors."""
    assert HOOKBUS.staging.answer_in_words(words, "handle")(b"") == body


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("block", "an answer is continue, or one of"),
        ("contine", "did you mean 'continue'"),
        ({"blok": "x"}, "did you mean 'block'"),
        ({"continue": "x"}, "no answer 'continue'"),
        ({"block": 7}, "text is needed"),
        ({}, "an answer is continue"),
        ({"block": "x", "confirm": "y"}, "an answer is continue"),
        (7, "an answer is continue"),
        ({"modify": {"n": float("nan")}}, "modify.n: a number"),
    ],
)
def test_words_that_there_are_not(words: JSON, sentence: str) -> None:
    """With the nearest there is."""
    with pytest.raises(BadInput) as raised:
        HOOKBUS.staging.answer_in_words(words, "handle")
    assert sentence in str(raised.value)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_usual_is_accepted_by_the_kind(kind: str) -> None:
    """And the first lets the chain go on."""
    usual = HOOKBUS.staging.usual(Subscription("A", kind, "handle"))
    assert usual[0] == "continue"
    held = {"permissions": [TI, TX]} if kind.endswith("tool_call") else {}
    for words in usual:
        assert run(EVENTS.get(kind, lambda: HOOKBUS.sample_payload(kind))(), H("A", words, held)).raised == []
    assert HOOKBUS.staging.usual(Subscription("A", "other", "handle")) == ()


# -- faults ------------------------------------------------------------------------------------------------------


ON_PIPES = {fault.kind for fault in FRAME_FAULTS}
CELLS = [(fault.kind, kind) for fault in FAULTS if fault.kind not in ON_PIPES for kind in EVENTS]


@pytest.mark.parametrize(("kind", "point"), CELLS)
def test_a_fault_exercises_the_rule_that_it_says(kind: str, point: str) -> None:
    """At every kind, with its usual settings, on the far side; whatever the switches say."""
    control = Scripted(before_A=Proceed(fault=Fault(kind)))
    ran = run(EVENTS[point](), H("A"), control=control)
    [seat] = chain_of(point, H("A")).subscriptions
    expected = HOOKBUS.exercises(kind, seat)
    usual = run(EVENTS[point](), H("A")).verdicts["A"].rule
    assert ran.verdicts["A"].rule in (expected or {usual})


def test_a_huge_replace_with_both_permissions_counts() -> None:
    """Only the host cuts it."""
    [seat] = chain_of("after_tool_call", H("A", options={"permissions": [TI, TX]})).subscriptions
    assert len({fault.kind for fault in FAULTS}) == len(FAULTS)
    assert HOOKBUS.exercises("oversize_replace", seat) == {"HB-REPLACE"}


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("crash", set()),
        ("keeps_crashing", {"HB-CRASHED"}),
        ("error_reply", set()),
        ("not_json", set()),
        ("invalid_json", set()),
        ("blank_line", set()),
        ("noise", set()),
        ("duplicate_answer", set()),
        ("wrong_id", {"HB-TIMEOUT"}),
        ("array_message", {"HB-TIMEOUT"}),
        ("no_result", {"HB-INVALID-RESULT"}),
        ("flat_result", {"HB-INVALID-RESULT"}),
        ("duplicate_member", set()),
        ("nan", set()),
        ("two_documents", set()),
        ("hang", {"HB-TIMEOUT"}),
    ],
)
def test_a_process_that_is_asked_again_answers_after_all(kind: str, rules: set[str]) -> None:
    """So its answer counts; what is dropped silently is a timeout."""
    seat = Subscription("A", "after_tool_call", "handle", reach=StdioExtension("A", "x"))
    assert HOOKBUS.exercises(kind, seat) == rules


@pytest.mark.parametrize("kind", ["crash", "keeps_crashing", "error_reply", "not_json", "half_frame", "blank_line"])
def test_a_host_takes_time_to_start_a_process_anew(kind: str) -> None:
    """As much as a handler has; a stub has no process, and what only hangs or answers wrongly needs none started."""
    process = Subscription("A", "before_tool_call", "handle", reach=StdioExtension("A", "x"))
    assert HOOKBUS.takes_ms(kind, process) == 5000
    assert HOOKBUS.takes_ms(kind, Subscription("A", "before_tool_call", "handle")) == 0
    assert [HOOKBUS.takes_ms(other, process) for other in ("hang", "delay", "unknown_action", "wrong_id")] == [0] * 4


def test_an_error_reply_is_sent_by_the_process_where_there_is_one() -> None:
    """It has handled the event by then, as a real one; a stub is refused. Settings are looked at in either case."""
    [entry] = (fault for fault in FAULTS if fault.kind == "error_reply")
    process = Subscription("A", "before_tool_call", "handle", reach=StdioExtension("A", "x"))
    for seat, act in ((process, Rewire), (Subscription("A", "before_tool_call", "handle"), Refuse)):
        ask = Ask(0, seat, bt(), bt().body, 5000)
        assert isinstance(entry.plan(Fault("error_reply", {"deliveries": 2}))(ask), act)
    for params in ({"code": "x"}, {"message": 1}, {"deliveries": 3}):
        with pytest.raises(BadInput):
            entry.plan(Fault("error_reply", params))


@pytest.mark.parametrize("kind", sorted(ON_PIPES))
def test_what_happens_to_frames_needs_frames(kind: str) -> None:
    """A stub has none, and says so; every such fault has its place in the catalogue all the same."""
    control = Scripted(before_A=Proceed(fault=Fault(kind)))
    if kind != "keeps_crashing":
        with pytest.raises(BadInput, match="frames on a pipe"):
            run(bt(), H("A"), control=control)
    for point in EVENTS:
        seat = Subscription("A", point, "handle", reach=StdioExtension("A", "x"))
        assert HOOKBUS.exercises(kind, seat) <= HOOKBUS.rules.keys()


@pytest.mark.parametrize(
    ("kind", "params", "sentence"),
    [
        ("unknown_action", {"action": "block"}, "every host knows"),
        ("no_member", {"action": "continue"}, "no action 'continue' that needs a member"),
        ("wrong_type", {"action": "modify"}, "none is of a wrong type"),
        ("oversize_replace", {"bytes": -1}, "a number from 0"),
        ("deep_modify", {"depth": True}, "a number from 0"),
        ("raw_result", {"result": float("nan")}, "cannot hold"),
        ("no_action", {"x": 1}, "has no setting"),
    ],
)
def test_settings_that_cannot_be_used(kind: str, params: dict[str, JSON], sentence: str) -> None:
    """Said before anything is done."""
    with pytest.raises(BadInput, match=sentence):
        find(FAULTS, kind).plan(Fault(kind, params))


@pytest.mark.parametrize(
    ("kind", "params", "sent"),
    [
        ("no_member", {"action": "inject"}, b'{"action":"inject"}'),
        ("wrong_type", {"action": "replace"}, b'{"action":"replace","output":7}'),
        ("raw_result", {"result": {"action": "block", "reason": "é"}}, '{"action":"block","reason":"é"}'.encode()),
        ("oversize_replace", {"bytes": 3}, b'{"action":"replace","output":"xxx"}'),
    ],
)
def test_what_a_fault_sends(kind: str, params: dict[str, JSON], sent: bytes) -> None:
    """Instead of the true answer."""
    [seat] = chain_of("before_tool_call", H("A")).subscriptions
    act = find(FAULTS, kind).plan(Fault(kind, params))(Ask(0, seat, bt(), bt().body, 5000))
    assert act.rewrite(b"true") == sent  # type: ignore[union-attr]


def test_replies_that_are_bytes() -> None:
    """Whatever they are, there is a verdict."""
    for body in (b"", b"\xff", b"[" * 5000, b"NaN", b'"\\ud800"'):
        ran = run(at(), H("A", body), H("B", Raw({"action": "continue"})))
        assert (ran.raised, ran.calls) == (["A call_failed"], ["A", "B"])
