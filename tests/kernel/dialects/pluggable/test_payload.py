"""Claims about the payload value: immutable, compared by content, and always one that can be sent."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_messages import payloads
from pluggable_payloads import VIEWS, payload

from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import BY_LABEL, Mode
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2
from kernel.errors import BadInput


@pytest.mark.parametrize("point", sorted(BY_LABEL))
def test_a_payload_knows_its_point_and_reads_as_it_was_written(point: str) -> None:
    """Label, member, view and bytes belong together."""
    found = payload(point)
    assert (found.point, found.field) == (point, BY_LABEL[point].field)
    assert found.view == VIEWS[point]
    assert found.view is found.view, "computed once"
    assert found.digest == hashlib.sha256(found.body).hexdigest()
    assert PLUGGABLE.payload_from_view(point, found.view) == PLUGGABLE.payload_from_body(point, found.body) == found
    assert repr(found) == f"<HookPayload {point}, {len(found.body)} bytes>"


def test_payloads_are_equal_by_their_bytes_and_alike_by_their_meaning() -> None:
    """Two encodings of the same message are two payloads that are like each other (spec H6)."""
    a = HookPayload.parse(bytes.fromhex("42050a01731002"))
    b = HookPayload.parse(bytes.fromhex("420510020a0173"))
    assert a == HookPayload.parse(a.body)
    assert hash(a) == hash(HookPayload.parse(a.body))
    assert a != b
    assert a.is_like(b.message)
    assert a != a.body
    assert len({a, b, HookPayload.parse(a.body)}) == 2


def test_a_payload_is_a_copy_of_the_message_it_was_made_of() -> None:
    """Changing the message afterwards changes nothing (spec B.5)."""
    message = events_pb2.HookPayload(session_end=events_pb2.SessionEndPayload(session_id="s"))
    kept = HookPayload.of(message)
    message.session_end.session_id = "other"
    assert kept.view == {"session_id": "s"}


@pytest.mark.parametrize("body", [b"", bytes.fromhex("980601")])
def test_a_payload_without_a_variant_has_no_point(body: bytes) -> None:
    """It can be held and shown, but nobody can be asked about it."""
    empty = HookPayload.parse(body)
    assert (empty.point, empty.field) == ("", "")
    assert repr(empty).startswith("<HookPayload without variant")
    assert empty.view == ({"#payload": {"#99": [{"varint": 1}]}} if body else {})


@pytest.mark.parametrize(
    ("point", "body", "message"),
    [
        ("session-end", b"\xff", "not a HookPayload"),
        ("session-end", b"\x42\x03\x0a\x01\xff", "not a HookPayload"),
        ("session-end", b"", "a payload for session-end was expected, not one for no point"),
        ("session-end", b"\x2a\x00", "a payload for session-end was expected, not one for plan-ready"),
    ],
)
def test_bytes_that_are_no_payload_for_the_point_are_bad_input(point: str, body: bytes, message: str) -> None:
    """Truncated, not UTF-8, without a variant or with another one."""
    with pytest.raises(BadInput, match=message):
        PLUGGABLE.payload_from_body(point, body)


def test_the_last_of_several_variants_counts() -> None:
    """As proto3 decodes it (spec A.13)."""
    assert HookPayload.parse(b"\x42\x00\x2a\x00").point == "plan-ready"


@given(payloads(), st.sampled_from(Mode))
@settings(max_examples=150, deadline=None)
def test_a_request_holds_the_payload_as_it_is(payload: HookPayload, mode: Mode) -> None:
    """Decoding a request gives the payload and the mode back, whatever the payload holds."""
    request = rpc_request_pb2.DispatchHookRequest.FromString(payload.request(mode))
    assert payload.is_like(request.payload)
    assert request.mode == mode.number
    assert not request.HasField("subscription_id")


@given(st.binary(max_size=60))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_payload_or_bad_input(body: bytes) -> None:
    """What is taken keeps its bytes and has a view."""
    try:
        payload = HookPayload.parse(body)
    except BadInput:
        return
    assert payload.body == body
    assert isinstance(payload.view, dict)


@given(payloads())
@settings(max_examples=100, deadline=None)
def test_equal_views_make_equal_bytes(payload: HookPayload) -> None:
    """Encoding is deterministic, so payloads that were written alike are kept once."""
    again = from_view(payload.point, payload.view)
    assert from_view(payload.point, again.view) == again


@pytest.mark.parametrize("levels", [10, 20, 30, 31, 32, 33, 34, 40])
def test_whatever_is_taken_can_come_back_in_an_answer(levels: int) -> None:
    """The limit is the one of the deepest wrapping, a transform's answer, so no payload is lost on its way back."""
    from pluggable_answers import hand_back

    from kernel.dialects.pluggable.resolve import resolve
    from kernel.values import Answered

    view: object = "leaf"
    for _ in range(levels):
        view = {"a": view}
    try:
        deep = from_view("pre-tool-call", {"call": {"arguments": view}})  # type: ignore[dict-item]
    except BadInput:
        assert levels > 30
        return
    assert resolve(Mode.TRANSFORM, deep, Answered(hand_back(deep.message))).rule == "PL-TRANSFORM-SAME"
