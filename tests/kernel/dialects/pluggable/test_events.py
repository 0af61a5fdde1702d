"""Claims about stored payloads: each kind has its message and its line, and what cannot be read says why."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_messages import messages
from session_files import FAILURE, MESSAGES, encoded, hook_error

from kernel.dialects.pluggable.events import KINDS, decoded
from kernel.dialects.pluggable.points import POINTS
from kernel.dialects.pluggable.view import fill
from kernel.dialects.pluggable.wire.pluggableharness.event.v1 import events_pb2
from kernel.stored import Decoded, HookFailure, Undecodable
from kernel.values import JSON, Producer

TEXT: JSON = [{"text": {"text": "one\n  two\tthree"}}]
LONG: JSON = [{"text": {"text": "x" * 5000}}]
SAMPLES = [
    ("message", {"message": {"role": "ROLE_USER", "content": TEXT}}, "user: one two three"),
    ("message", {"message": {"role": "ROLE_USER", "content": LONG}}, f"user: {'x' * 100}…"),
    ("message", {"message": {"role": "ROLE_ASSISTANT", "content": [{"tool_use": {"name": "fs.read"}}]},
                 "model": {"name": "anthropic"}, "usage": {"input_tokens": 7, "output_tokens": 5}},
     "assistant: calls fs.read  [anthropic, 7+5 tokens]"),
    ("message", {"message": {"content": [{"tool_result": {"tool_use_id": "c1"}}, {"image": {}}, {}]}},
     "unspecified: result of c1; (image); (nothing)"),
    ("message", {"message": {"role": 9, "content": [{"redacted_thinking": {}}] * 8}},
     f"9: {'; '.join(['(redacted thinking)'] * 6)}; 2 more blocks"),
    ("tool_call", {"call": {"id": "c1", "tool_name": "read", "arguments": {"path": "é", "n": 1}}},
     'read {"n": 1, "path": "é"}  [c1]'),
    ("tool_result", {"tool_call_id": "c1", "result": {"payload": {"a": None}}}, 'result {"a": null}  [c1]'),
    ("tool_result", {"tool_call_id": "c1", "error": {"category": "TOOL_ERROR_CATEGORY_TIMEOUT", "message": "slow"}},
     "TIMEOUT: slow  [c1]"),
    ("tool_result", {"tool_call_id": "c1"}, "neither result nor error  [c1]"),
    ("plan", {"plan": {"items": [{"decision": "PLAN_DECISION_ALLOW"}, {"decision": 2}, {"decision": 77}]}},
     "3 items: 2 allow, 1 77"),
    ("plan", {"plan": {}}, "0 items"),
    ("apply", {"result": {"items": [{"outcome": "APPLY_OUTCOME_DENIED"}]}}, "1 item: 1 denied"),
    ("context_contribution", {"content": TEXT, "tokens": 3}, "3 tokens: one two three"),
    ("memory_write", {"record_id": "r", "content": TEXT, "attributes": {"a": "b"}}, "r: one two three"),
    ("memory_update", {"record_id": "r", "content": TEXT}, "r: one two three"),
    ("memory_delete", {"record_id": "r"}, "r: "),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "view", "summary"), SAMPLES)
def test_a_payload_is_its_message_and_one_line(kind: str, view: JSON, summary: str) -> None:
    """Under either spelling of the schema version; nothing of the payload is lost in its view."""
    for version in ("1", "v1"):
        payload = decoded(kind, version, encoded(kind, view))
        assert isinstance(payload, Decoded)
        assert (payload.message, payload.summary) == (MESSAGES[kind].DESCRIPTOR.name, summary)
        assert encoded(kind, payload.view) == encoded(kind, view)
        assert "\n" not in payload.summary


@pytest.mark.parametrize("is_wrapped", [True, False])
@pytest.mark.parametrize("version", ["1", "v1"])
def test_a_hook_error_is_read_in_both_encodings(is_wrapped: bool, version: str) -> None:
    """Vector 163 of the specification: the first byte says which one it is, and both say the same."""
    body = hook_error(FAILURE, is_wrapped=is_wrapped)
    assert body[0] == (0x0A if is_wrapped else 0x08)
    failure = decoded("hook_error", version, body)
    assert isinstance(failure, HookFailure)
    assert (failure.point, failure.mode, failure.category) == ("plan-ready", "veto", "TIMEOUT")
    assert failure.message == "no answer within 1500 ms"
    assert failure.subscriber == Producer("policy-bot", "0.9.0", "", "tool", 1)
    assert failure.form == ("HookErrorEvent" if is_wrapped else "HookError")
    assert failure.view == ({"error": FAILURE} if is_wrapped else FAILURE)
    assert failure.summary == "TIMEOUT at plan-ready (veto): no answer within 1500 ms"


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.label)
def test_a_hook_error_names_its_point_as_a_configuration_does(point) -> None:  # type: ignore[no-untyped-def]
    """The number on the wire is the point's."""
    failure = decoded("hook_error", "1", bytes([0x08, point.number]))
    assert isinstance(failure, HookFailure)
    assert failure.point == point.label


@pytest.mark.parametrize(
    ("body", "point", "mode", "category"),
    [
        ("0863188f0120d20f", "point 99", "143", "2002"),
        ("0800", "point 0", "unspecified", "UNSPECIFIED"),
        ("1803", "point 0", "veto", "UNSPECIFIED"),
        ("2a026e6f", "point 0", "unspecified", "UNSPECIFIED"),
        ("0a00", "point 0", "unspecified", "UNSPECIFIED"),
    ],
)
def test_an_odd_hook_error_says_what_it_says(body: str, point: str, mode: str, category: str) -> None:
    """Numbers without a name stay numbers, and what is left out is said to be."""
    failure = decoded("hook_error", "1", bytes.fromhex(body))
    assert isinstance(failure, HookFailure)
    assert (failure.point, failure.mode, failure.category) == (point, mode, category)


@pytest.mark.parametrize(
    ("kind", "version", "body", "words"),
    [
        ("hook_error", "1", b"", "it is empty"),
        ("hook_error", "1", b"\x40\x01", "begins with 40"),
        ("hook_error", "1", b"\x0a\x05\x08", "its 3 bytes are no HookErrorEvent"),
        ("hook_error", "1", b"\x08", "its 1 bytes are no HookErrorEvent"),
        ("message", "1", b"\xff\xff", "its 2 bytes are no MessageEvent"),
        ("message", "2", b"", "schema version is '2', and we read 1"),
        ("message", "", b"", "schema version is ''"),
        ("session_started", "1", b"abc", "the kind 'session_started' is not known (3 bytes)"),
        ("\x1b[2J", "1", b"", "the kind '\\x1b[2J' is not known"),
    ],
)
def test_what_cannot_be_read_is_a_value_that_says_why(kind: str, version: str, body: bytes, words: str) -> None:
    """No exception: the next event may be fine."""
    payload = decoded(kind, version, body)
    assert isinstance(payload, Undecodable)
    assert words in payload.reason
    assert payload.summary == f"not decoded: {payload.reason}"


@given(st.sampled_from(KINDS), st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_any_bytes_have_a_summary(kind: str, body: bytes) -> None:
    """Of any kind; the view is JSON that goes out as text."""
    payload = decoded(kind, "1", body)
    assert "\n" not in payload.summary
    if not isinstance(payload, Undecodable):
        json.dumps(payload.view, allow_nan=False)


@given(
    st.sampled_from(sorted(MESSAGES)).flatmap(
        lambda kind: st.tuples(st.just(kind), messages(MESSAGES[kind].DESCRIPTOR))
    )
)
@settings(max_examples=150, deadline=None)
def test_any_message_of_a_kind_is_decoded(made) -> None:  # type: ignore[no-untyped-def]
    """Odd members included; the view gives the message back."""
    kind, message = made
    body = message.SerializeToString(deterministic=True)
    payload = decoded(kind, "1", body)
    if isinstance(payload, Decoded):
        again = MESSAGES[kind]()
        fill(again, payload.view, "$")
        assert again == message
    else:
        assert kind == "hook_error"


def test_text_in_a_map_of_texts_has_a_view() -> None:
    """Found by building this: a map was only ever taken to hold messages."""
    event = events_pb2.MemoryMutationEvent(attributes={"b": "2", "a": ""})
    payload = decoded("memory_write", "1", event.SerializeToString())
    assert isinstance(payload, Decoded)
    assert payload.view == {"attributes": {"a": "", "b": "2"}}
