"""Spans as they are sent: protobuf and JSON, both ways, with nothing lost."""

from __future__ import annotations

import base64
import json
import math

import pytest
from google.protobuf.json_format import MessageToDict, MessageToJson
from hypothesis import given, settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage
from otlp_made import REQUESTS, made

from debugger.otlp import otlp_json, protobuf
from debugger.otlp.json_out import encoded
from debugger.otlp.spans import Pairs, Span, fault_of
from kernel.errors import BadInput

ID_OF_TRACE, ID_OF_SPAN = "00112233445566778899aabbccddeeff", "0123456789abcdef"


def one(**fields: object) -> Span:
    """What becomes of a span of these fields in JSON."""
    sent = {"traceId": ID_OF_TRACE, "spanId": ID_OF_SPAN, **fields}
    [span] = otlp_json.decoded(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [sent]}]}]}).encode())
    return span


@settings(deadline=None, max_examples=50)
@given(REQUESTS)
def test_protobuf_comes_back_as_it_was(request: ExportTraceServiceRequest) -> None:
    """Ours in between; field by field the same message, unknown enum numbers and absent parts included."""
    assert protobuf.request_of(protobuf.decoded(request.SerializeToString())) == request


@settings(deadline=None, max_examples=50)
@given(REQUESTS)
def test_json_comes_back_as_it_was(request: ExportTraceServiceRequest) -> None:
    """From ours to JSON and back, judged as protobuf, which sees the type of every value."""
    spans = protobuf.decoded(request.SerializeToString())
    again = otlp_json.decoded(encoded(spans))
    assert protobuf.request_of(again) == request
    assert encoded(again) == encoded(spans)


@settings(deadline=None, max_examples=50)
@given(REQUESTS)
def test_the_json_of_protobuf_itself_is_read(request: ExportTraceServiceRequest) -> None:
    """Ids in base64, enums by name, numbers as text, NaN and infinities by name."""
    assert protobuf.request_of(otlp_json.decoded(MessageToJson(request).encode())) == request
    proto_names = json.dumps(MessageToDict(request, preserving_proto_field_name=True)).encode()
    assert protobuf.request_of(otlp_json.decoded(proto_names)) == request


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ({"intValue": "7"}, 7),
        ({"intValue": 7}, 7),
        ({"intValue": 7.0}, 7),
        ({"intValue": str(-(2**63))}, -(2**63)),
        ({"doubleValue": 7}, 7.0),
        ({"doubleValue": "7.5"}, 7.5),
        ({"doubleValue": "-Infinity"}, -math.inf),
        ({"boolValue": True}, True),
        ({"stringValue": ""}, ""),
        ({"bytesValue": "-_8="}, b"\xfb\xff"),
        ({"bytesValue": "+/8"}, b"\xfb\xff"),
        ({"arrayValue": {}}, ()),
        ({"kvlistValue": {"values": [{"key": "a"}]}}, Pairs((("a", None),))),
        ({}, None),
        (None, None),
        ({"stringValue": None, "boolValue": False}, False),
    ],
)
def test_every_way_to_write_a_value(sent: object, value: object) -> None:
    """And each keeps its type."""
    [(_, read)] = one(attributes=[{"key": "k", "value": sent}]).attributes
    assert read == value
    assert type(read) is type(value)


def test_nan_stays_nan() -> None:
    """It is no JSON number, so it has a name."""
    span = made(1, attributes=(("k", math.nan),))
    [back] = otlp_json.decoded(encoded((span,)))
    [(_, value)] = back.attributes
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"traceId": "xyz"}, "spans[0].traceId is 'xyz', which is no id of 16 bytes in hex"),
        ({"startTimeUnixNano": "-1"}, "startTimeUnixNano is '-1', which is not between 0 and"),
        ({"startTimeUnixNano": "1_0"}, "'1_0', which is no whole number"),
        ({"kind": "SPAN_KIND_FRIEND"}, "none of UNSPECIFIED, INTERNAL"),
        ({"attributes": [{"key": "k", "value": {"intValue": "x"}}]}, "k is 'x', which is no whole number"),
        ({"attributes": [{"key": "k", "value": {"intValue": 1.5}}]}, "k is 1.5, which is no whole number"),
        ({"attributes": [{"key": "k", "value": {"intValue": "1", "boolValue": True}}]}, "2 values instead of one"),
        ({"attributes": [{"key": "k", "value": {"bytesValue": "%"}}]}, "k is '%', which is not base64"),
        ({"attributes": 7}, "$.resourceSpans[0].scopeSpans[0].spans[0].attributes"),
        ({"events": [{}, {"timeUnixNano": "soon"}]}, "events[1].timeUnixNano is 'soon'"),
    ],
)
def test_a_complaint_names_the_place(fields: dict[str, object], complaint: str) -> None:
    """Wherever it is in the request."""
    with pytest.raises(BadInput) as caught:
        one(**fields)
    assert complaint in str(caught.value)
    assert "resourceSpans[" in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b'"x"',
        b'{"resourceSpans": {}}',
        b"\xff",
        b'{"resourceSpans":[{"schemaUrl":"\\ud800"}]}',
    ],
)
def test_what_is_no_otlp_json_is_refused(body: bytes) -> None:
    """With a sentence; half of a character is none."""
    with pytest.raises(BadInput, match="this is no OTLP JSON"):
        otlp_json.decoded(body)


def test_what_is_no_protobuf_is_refused() -> None:
    """With a sentence."""
    with pytest.raises(BadInput, match="no protobuf message of OTLP"):
        protobuf.decoded(b"GET / HTTP/1.1")


def nested(depth: int, kind: str) -> dict[str, object]:
    value: dict[str, object] = {"intValue": "1"}
    for _ in range(depth):
        value = {kind: {"values": [value if kind == "arrayValue" else {"key": "k", "value": value}]}}
    return value


@pytest.mark.parametrize("kind", ["arrayValue", "kvlistValue"])
def test_the_deepest_json_that_is_taken_can_go_out_as_protobuf(kind: str) -> None:
    """And what is deeper is refused; a thousand levels as well as a hundred thousand."""
    deepest = 46 if kind == "arrayValue" else 31
    span = one(events=[{"attributes": [{"key": "k", "value": nested(deepest, kind)}]}])
    assert protobuf.decoded(protobuf.encoded((span,)))[0].events == span.events
    with pytest.raises(BadInput, match="nested deeper"):
        one(events=[{"attributes": [{"key": "k", "value": nested(deepest + 1, kind)}]}])
    body = b'{"resourceSpans":[{"resource":{"attributes":[{"key":"k","value":' + b'{"arrayValue":{"values":[' * 100_000
    with pytest.raises(BadInput):
        otlp_json.decoded(body)


def test_unknown_fields_are_passed_over() -> None:
    """Newer senders say more."""
    assert one(somethingNew={"a": [1]}) == one()


def test_ids_in_capitals_are_ids() -> None:
    """Hex is read whatever its case."""
    assert one(traceId=ID_OF_TRACE.upper()).trace_id.hex() == ID_OF_TRACE


def test_ids_in_base64_are_ids() -> None:
    """As the JSON of protobuf has them."""
    assert one(spanId=base64.b64encode(bytes.fromhex(ID_OF_SPAN)).decode()).span_id.hex() == ID_OF_SPAN


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({}, ""),
        ({"trace_id": b""}, "its trace id is 0 bytes long instead of 16"),
        ({"trace_id": bytes(16)}, "its trace id is all zeros"),
        ({"span_id": bytes(8)}, "its span id is all zeros"),
        ({"span_id": b"abc"}, "its span id is 3 bytes long instead of 8"),
        ({"parent_id": b"abc"}, "its parent's id is 3 bytes long instead of 8"),
    ],
)
def test_what_is_wrong_with_ids(fields: dict[str, bytes], fault: str) -> None:
    """A span without proper ids has no place in any trace."""
    assert fault_of(Span(**({"trace_id": b"t" * 16, "span_id": b"s" * 8} | fields))) == fault


def test_a_megabyte_and_thousands_of_attributes_come_through() -> None:
    """Nothing is cut."""
    span = made(1, attributes=(("big", "x" * 2**20), *((f"key {number}", number) for number in range(5000))))
    assert protobuf.decoded(protobuf.encoded((span,)))[0].attributes == span.attributes
    assert otlp_json.decoded(encoded((span,)))[0].attributes == span.attributes


def test_groups_of_equal_resources_stay_apart() -> None:
    """`1` and `true` are equal to Python, and two resources that differ in no more must not become one."""
    message = ExportTraceServiceRequest(
        resource_spans=[
            ResourceSpans(
                resource={"attributes": [KeyValue(key="k", value=value)]},  # type: ignore[arg-type]
                scope_spans=[ScopeSpans(spans=[SpanMessage(name="a")])],
            )
            for value in (AnyValue(int_value=1), AnyValue(bool_value=True), AnyValue(double_value=1.0))
        ]
    )
    assert protobuf.request_of(protobuf.decoded(message.SerializeToString())) == message
