"""Claims about protobuf as JSON: nothing is lost either way, and mistakes are named where they are."""

from __future__ import annotations

import contextlib
import json
import math
import struct

import pytest
from google.protobuf import struct_pb2
from hypothesis import given, settings
from hypothesis import strategies as st
from pluggable_messages import ANY_JSON, messages, payloads, put

from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import BY_LABEL
from kernel.dialects.pluggable.view import MAX_DEPTH, fill, to_view, unknown_view, varint
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_response_pb2
from kernel.dialects.pluggable.wire.pluggableharness.model.v1 import types_pb2 as model
from kernel.dialects.pluggable.wire.pluggableharness.schema.v1 import types_pb2 as schema
from kernel.errors import BadInput
from kernel.values import JSON, Answered

POINTS = st.sampled_from(sorted(BY_LABEL))


@given(payloads())
@settings(max_examples=300, deadline=None)
def test_a_payload_survives_its_view(payload: HookPayload) -> None:
    """Unknown fields, unknown enum numbers, odd floats and odd Structs included, and through real JSON text."""
    text = json.dumps(payload.view, allow_nan=False)
    again = from_view(payload.point, json.loads(text))
    assert again.is_like(payload.message)
    assert again.view == payload.view


@given(messages(rpc_response_pb2.DispatchHookResponse.DESCRIPTOR))
@settings(max_examples=100, deadline=None)
def test_an_answer_survives_its_view(response: rpc_response_pb2.DispatchHookResponse) -> None:
    """An answer that a person only looks at and hands back is the same answer."""
    view = PLUGGABLE.answer_view(Answered(response.SerializeToString()))
    again = PLUGGABLE.answer_from_view(None, view)  # type: ignore[arg-type]  # no ask is needed for it
    assert rpc_response_pb2.DispatchHookResponse.FromString(again.body) == response


@given(st.binary(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_bytes_have_a_view_that_gives_them_back(body: bytes) -> None:
    """Bytes that are an answer come back as an equal one, others to the byte."""
    view = PLUGGABLE.answer_view(Answered(body))
    json.dumps(view, allow_nan=False)
    again = PLUGGABLE.answer_from_view(None, view)  # type: ignore[arg-type]
    if isinstance(view, dict) and view.keys() == {"$undecodable"}:
        assert again.body == body
    else:
        decode = rpc_response_pb2.DispatchHookResponse.FromString
        assert decode(again.body) == decode(body)


@given(POINTS, ANY_JSON)
@settings(max_examples=500, deadline=None)
def test_any_json_is_a_payload_or_bad_input(point: str, view: JSON) -> None:
    """Never another exception; and what is taken can be sent and viewed."""
    try:
        payload = from_view(point, view)
    except BadInput:
        return
    assert HookPayload.parse(payload.body).view == payload.view


@given(ANY_JSON)
@settings(max_examples=300, deadline=None)
def test_any_json_is_an_answer_or_bad_input(view: JSON) -> None:
    """The same for what a person writes as an answer."""
    try:
        answer = PLUGGABLE.answer_from_view(None, view)  # type: ignore[arg-type]
    except BadInput:
        return
    json.dumps(PLUGGABLE.answer_view(answer))


@given(payloads(), ANY_JSON, st.randoms(use_true_random=False))
@settings(max_examples=300, deadline=None)
def test_one_wrong_word_anywhere_is_bad_input_at_most(payload: HookPayload, wrong: JSON, random) -> None:  # type: ignore[no-untyped-def]
    """A valid view with one part replaced by anything is taken or refused, never a crash."""
    view = json.loads(json.dumps(payload.view))
    here: object = view
    while isinstance(here, dict | list) and here:
        key = random.choice(sorted(here) if isinstance(here, dict) else range(len(here)))
        if random.random() < 0.4 or not isinstance(here[key], dict | list):  # type: ignore[index]
            here[key] = wrong  # type: ignore[index]
            break
        here = here[key]  # type: ignore[index]
    with contextlib.suppress(BadInput):
        from_view(payload.point, view)


_BLOCK = content.ContentBlock
GO_NAN = struct.unpack(">d", bytes.fromhex("7ff8000000000001"))[0]
TABLE = [
    (content.Message(role=content.ROLE_USER, id="m"), {"role": "ROLE_USER", "id": "m"}),
    (content.Message(role=9), {"role": 9}),
    (content.Message(role=-1), {"role": -1}),
    (content.Message(produced_by_model_id=""), {"produced_by_model_id": ""}),
    (content.Message(content=[_BLOCK(), _BLOCK(text=content.TextBlock())]), {"content": [{}, {"text": {}}]}),
    (content.ThinkingBlock(signature=b"\xff\x00"), {"signature": "/wA="}),
    (events_pb2.PostModelResponsePayload(cost_usd=0.5), {"cost_usd": 0.5}),
    (events_pb2.PostModelResponsePayload(cost_usd=-0.0), {"cost_usd": -0.0}),
    (events_pb2.PostModelResponsePayload(cost_usd=math.nan), {"cost_usd": "NaN"}),
    (events_pb2.PostModelResponsePayload(cost_usd=math.inf), {"cost_usd": "Infinity"}),
    (events_pb2.PostModelResponsePayload(cost_usd=-math.inf), {"cost_usd": "-Infinity"}),
    (events_pb2.PostModelResponsePayload(cost_usd=GO_NAN), {"cost_usd": "NaN:7ff8000000000001"}),
    (model.Usage(cache_read_tokens=0), {"cache_read_tokens": 0}),
    (model.Usage(input_tokens=-(2**63)), {"input_tokens": -(2**63)}),
    (schema.Schema(properties={"a": schema.Schema(type=1)}), {"properties": {"a": {"type": "SCHEMA_TYPE_OBJECT"}}}),
    (content.Message.FromString(bytes.fromhex("980601980602")), {"#99": [{"varint": 1}, {"varint": 2}]}),
    (content.Message.FromString(bytes.fromhex("9d0601000000")), {"#99": [{"fixed32": 1}]}),
    (content.Message.FromString(bytes.fromhex("99060100000000000000")), {"#99": [{"fixed64": 1}]}),
    (content.Message.FromString(bytes.fromhex("9a0602ff00")), {"#99": [{"bytes": "/wA="}]}),
    (content.Message.FromString(bytes.fromhex("9b0608019c06")), {"#99": [{"group": {"#1": [{"varint": 1}]}}]}),
    (content.Message.FromString(bytes.fromhex("1801")), {"#3": [{"varint": 1}]}),  # a known number, in another type
]


@pytest.mark.parametrize(("message", "view"), TABLE, ids=lambda part: str(part)[:50].replace("\n", " "))
def test_each_form_reads_as_documented(message, view: JSON) -> None:  # type: ignore[no-untyped-def]
    """The table of the module's docstring, both ways."""
    assert repr(to_view(message)) == repr(view)
    again = type(message)()
    fill(again, view, "$")
    assert again == message


STRUCTS = [
    ({}, {}),
    ({"a": None, "b": "", "c": {}, "d": [], "e": False, "f": 0.0},
     {"a": None, "b": "", "c": {}, "d": [], "e": False, "f": 0}),
    ({"a": 1.0, "b": 1.5, "c": 2.0**60, "d": -0.0, "e": 2.0**53 - 1},
     {"a": 1, "b": 1.5, "c": 2.0**60, "d": -0.0, "e": 2**53 - 1}),
    ({"a": math.nan, "b": math.inf, "c": -math.inf},
     {"a": {"$value": "NaN"}, "b": {"$value": "Infinity"}, "c": {"$value": "-Infinity"}}),
    ({"a": GO_NAN}, {"a": {"$value": "NaN:7ff8000000000001"}}),
    ({"a": "NaN", "b": "NaN:7ff8000000000001"}, {"a": "NaN", "b": "NaN:7ff8000000000001"}),
    ({"$value": "NaN"}, {"$$value": "NaN"}),
    ({"a": {"$value": "NaN"}}, {"a": {"$$value": "NaN"}}),
    ({"a": {"$raw": "QQ=="}, "$$raw": 1.0}, {"a": {"$$raw": "QQ=="}, "$$$raw": 1}),
    ({"$": 1.0, "$other": 2.0, "#1": 3.0, "a.b": 4.0, "": 5.0}, {"$": 1, "$other": 2, "#1": 3, "a.b": 4, "": 5}),
    ({"a" + "." * 200: "dots are no depth"}, {"a" + "." * 200: "dots are no depth"}),
]  # fmt: skip


@pytest.mark.parametrize(("plain", "view"), STRUCTS)
def test_a_struct_is_plain_json_with_a_way_to_say_the_rest(plain: dict[str, object], view: dict[str, JSON]) -> None:
    """Null, empty and absent stay apart; what JSON lacks has a form; own keys of that name are escaped."""
    value = struct_pb2.Value()
    put(value, plain)
    kept = value.struct_value
    shown = to_view(kept)
    assert {key: repr(item) for key, item in shown.items()} == {key: repr(item) for key, item in view.items()}  # type: ignore[union-attr]
    again = struct_pb2.Struct()
    fill(again, view, "$")
    assert again == kept


@pytest.mark.parametrize("odd", ["", "0807", "980601", "0800980601"])
def test_a_value_that_json_cannot_say_is_kept_as_it_was(odd: str) -> None:
    """Unset, a null with a number of its own, and unknown fields inside of a Struct."""
    value = struct_pb2.Value.FromString(bytes.fromhex(odd))
    kept = struct_pb2.Struct()
    kept.fields["a"].CopyFrom(value)
    kept.fields["b"].list_value.values.add().CopyFrom(value)
    again = struct_pb2.Struct()
    fill(again, to_view(kept), "$")
    assert again == kept


def deep(levels: int) -> JSON:
    view: JSON = 1
    for _ in range(levels):
        view = {"a": view}
    return view


def group(levels: int) -> JSON:
    view: JSON = {"varint": 1}
    for _ in range(levels):
        view = {"group": {"#1": [view]}}
    return view


@pytest.mark.parametrize(
    ("point", "view", "message"),
    [
        ("nowhere", {}, "no point 'nowhere'; there are session-start, "),
        ("session-start", None, "session-start: a payload is a JSON object"),
        ("session-start", {"session": "s"},
         "$: SessionStartPayload has no member 'session'; did you mean 'session_id'?"),
        ("session-start", {"qqq": "s"}, "has no member 'qqq'; it has session_id, profile"),
        ("session-start", {"session_id": None}, "$.session_id: expected text, not null"),
        ("session-start", {"session_id": 3}, "$.session_id: expected text, not the number 3"),
        ("session-start", {"session_id": "\ud800"}, "$.session_id: "),
        ("session-start", {"\ud800": ""}, "has no member '\\ud800'"),
        ("pre-model-call", {"messages": {}}, "$.messages: expected a list, not an object"),
        ("pre-model-call", {"messages": [{"rol": 1}]},
         "$.messages[0]: Message has no member 'rol'; did you mean 'role'?"),
        ("pre-model-call", {"messages": [{"role": "USER"}]},
         "$.messages[0].role: expected one of ROLE_UNSPECIFIED, ROLE_USER, ROLE_ASSISTANT or a number, not 'USER'"),
        ("pre-model-call", {"messages": [{"role": True}]}, "or a number, not true"),
        ("pre-model-call", {"messages": [{"role": 2**31}]},
         "$.messages[0].role: the number 2147483648 is out of range"),
        ("pre-model-call", {"messages": [{"role": "\ud800"}]}, "$.messages[0].role: expected one of"),
        ("pre-model-call", {"messages": [{"content": [{"text": {}, "image": {}}]}]},
         "$.messages[0].content[0]: 'text' and 'image' exclude each other"),
        ("pre-model-call", {"messages": [{"content": [{"image": {"data": "?"}}]}]}, "image.data: not base64"),
        ("pre-model-call", {"messages": [{"content": [{"image": {"data": 1}}]}]}, "image.data: expected base64 text"),
        ("pre-model-call", {"model": []}, "$.model: expected an object for ModelRef, not a list"),
        ("post-model-response", {"cost_usd": "much"}, "$.cost_usd: expected a number, not 'much'"),
        ("post-model-response", {"cost_usd": "NaN:3ff0000000000000"}, "expected a number, not 'NaN:3ff0000000000000'"),
        ("post-model-response", {"cost_usd": 10**400}, "$.cost_usd: a number that large is out of range"),
        ("post-model-response", {"usage": {"input_tokens": 1.5}},
         "$.usage.input_tokens: expected a whole number, not the"),
        ("post-model-response", {"usage": {"input_tokens": 2**63}}, "$.usage.input_tokens: "),
        ("post-model-response", {"usage": {"input_tokens": 10**5000}}, "$.usage.input_tokens: a number that large"),
        ("pre-tool-call", {"plan_item": {"preview": {"root": {"table": {"headers": ["a", "\ud800"]}}}}},
         "$.plan_item.preview.root.table.headers[1]: "),
        ("pre-tool-call", {"call": {"arguments": []}}, "$.call.arguments: expected an object, not a list"),
        ("pre-tool-call", {"call": {"arguments": {"a": 10**400}}}, "$.call.arguments.a: a number that large"),
        ("pre-tool-call", {"call": {"arguments": {"$value": 1, "b": 2}}}, "a key of that name is '$$value'"),
        ("pre-tool-call", {"call": {"arguments": {"a": {"$value": "Nan"}}}}, "a key of that name is '$$value'"),
        ("pre-tool-call", {"call": {"arguments": {"a": {"$raw": "?"}}}}, "$.call.arguments.a.$raw: not base64"),
        ("pre-tool-call", {"call": {"arguments": {"a": {"$raw": "/w=="}}}}, "$.call.arguments.a.$raw: "),
        ("pre-tool-call", {"call": {"arguments": deep(40)}}, "$: nested too deep to be sent"),
        ("pre-tool-call", {"call": {"arguments": deep(MAX_DEPTH + 5)}}, f"nested deeper than {MAX_DEPTH} levels"),
        ("pre-tool-call", {"call": {"arguments": deep(900)}}, f"nested deeper than {MAX_DEPTH} levels"),
        ("session-end", {"#99": 1}, "$.#99: expected a list of unknown field values"),
        ("session-end", {"#99": [{"varint": -1}]}, "$.#99[0]: expected one of varint"),
        ("session-end", {"#99": [{"varint": 1, "bytes": ""}]}, "$.#99[0]: expected one of varint"),
        ("session-end", {"#99": [{"group": {"a": []}}]}, "a group has unknown fields only"),
        ("session-end", {"#99": [group(3000)]}, f"nested deeper than {MAX_DEPTH} levels"),
        ("session-end", {"#536870912": [{"varint": 1}]}, "below 2^29"),
        ("session-end", {"#" + "9" * 5000: [{"varint": 1}]}, "SessionEndPayload has no member '#999"),
        ("session-end", {"#1": [{"bytes": "QQ=="}]}, "field 1 of SessionEndPayload is known, write it as 'session_id'"),
        ("session-end", {"#1": [{"bytes": "/w=="}]}, "$.#1: "),
        ("session-end", {"#payload": []}, "$.#payload: expected an object"),
        ("session-end", {"#payload": {"session_end": {}}}, "$.#payload: holds unknown fields only"),
    ],
    ids=lambda part: str(part)[:40] if isinstance(part, str) else "",
)  # fmt: skip
def test_a_mistake_is_named_with_its_path_and_the_nearest_member(point: str, view: JSON, message: str) -> None:
    """Whoever wrote it finds the place and the way out."""
    with pytest.raises(BadInput) as caught:
        from_view(point, view)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 6000


def test_what_cannot_be_an_undecodable_answer_is_bad_input() -> None:
    """The form for bytes that are no message takes base64 only, and alone."""
    for view in (
        {"$undecodable": "?"},
        {"$undecodable": "\u00e9"},
        {"$undecodable": 3},
        {"$undecodable": "", "veto": {}},
    ):
        with pytest.raises(BadInput):
            PLUGGABLE.answer_from_view(None, view)  # type: ignore[arg-type]


def test_unknown_fields_can_be_viewed_alone() -> None:
    """What stands beside the variant of a payload is shown without it."""
    payload = HookPayload.parse(bytes.fromhex("4200980601"))
    assert unknown_view(payload.message) == {"#99": [{"varint": 1}]}
    assert payload.view == {"#payload": {"#99": [{"varint": 1}]}}


@given(st.integers(0, 2**64 - 1))
def test_varints_are_protobufs(number: int) -> None:
    """The same bytes as protobuf's own encoder."""
    message = model.Usage(cache_write_tokens=number if number < 2**63 else number - 2**64)
    assert message.SerializeToString() == b"\x20" + varint(number)
