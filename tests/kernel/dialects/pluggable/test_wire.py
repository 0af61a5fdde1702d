"""Claims about the bytes: our messages are those of the specification's part A, number by number."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from google.protobuf.message import Message
from pluggable_payloads import payload

import kernel.dialects.pluggable as package
from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.points import CONTRIBUTE, GET_CAPABILITIES, METHOD, POINTS, Mode
from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as common_pb2
from kernel.dialects.pluggable.wire.pluggableharness.context.v1 import service_pb2 as context_service_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import (
    events_pb2,
    rpc_request_pb2,
    rpc_response_pb2,
    service_pb2,
    types_pb2,
)

MESSAGES = """
hook.DispatchHookRequest: payload 1 HookPayload, mode 2 HookMode, subscription_id 3 optional string
hook.DispatchHookResponse: oneof outcome {observe 1 DispatchHookResponse.ObserveAck, transform 2 DispatchHookResponse.TransformResult, veto 3 DispatchHookResponse.VetoResult}
hook.DispatchHookResponse.ObserveAck:
hook.DispatchHookResponse.TransformResult: payload 1 HookPayload
hook.DispatchHookResponse.VetoResult: decision 1 HookDecision
hook.HookPayload: oneof payload {session_start 1 SessionStartPayload, pre_model_call 2 PreModelCallPayload, post_model_response 3 PostModelResponsePayload, pre_tool_call 4 PreToolCallPayload, plan_ready 5 PlanReadyPayload, post_tool_call 6 PostToolCallPayload, post_apply 7 PostApplyPayload, session_end 8 SessionEndPayload}
hook.HookError: point 1 common.HookPoint, subscriber 2 common.ProducerRef, mode 3 HookMode, category 4 HookErrorCategory, message 5 string
hook.SessionStartPayload: session_id 1 string, profile 2 string, parent_session_id 3 optional string, working_directory 4 string
hook.PreModelCallPayload: messages 1 repeated content.Message, model 2 model.ModelRef
hook.PostModelResponsePayload: message 1 content.Message, model 2 common.ProducerRef, usage 3 model.Usage, cost_usd 4 double
hook.PreToolCallPayload: call 1 tool.ToolCall, plan_item 2 plan.PlanItem
hook.PlanReadyPayload: plan 1 plan.Plan
hook.PostToolCallPayload: call 1 tool.ToolCall, oneof outcome {result 2 tool.ToolResult, error 3 tool.ToolError}
hook.PostApplyPayload: apply 1 plan.ApplyResult
hook.SessionEndPayload: session_id 1 string, status 2 session.SessionStatus
common.ProducerRef: name 1 string, version 2 string, source 3 string, category 4 Category, protocol_version 5 uint32
common.CallContext: session_id 1 string, turn_id 2 string, working_directory 3 string
common.ProviderRef: category 1 Category, name 2 string
common.PromptExpansionSpec: name 1 string, description 2 string, template 3 string
content.Message: role 1 Role, content 2 repeated ContentBlock, id 3 string, produced_by_model_id 4 optional string, produced_by_provider 5 optional string
content.ContentBlock: oneof block {text 1 TextBlock, tool_use 2 ToolUseBlock, tool_result 3 ToolResultBlock, image 4 ImageBlock, thinking 5 ThinkingBlock, redacted_thinking 6 RedactedThinkingBlock, document 7 DocumentBlock}
content.TextBlock: text 1 string
content.ToolUseBlock: id 1 string, name 2 string, arguments 3 google.protobuf.Struct
content.ToolResultBlock: tool_use_id 1 string, content 2 repeated ContentBlock, is_error 3 bool
content.ImageBlock: data 1 bytes, media_type 2 string, detail 3 ImageDetail
content.ThinkingBlock: text 1 string, signature 2 bytes
content.RedactedThinkingBlock: data 1 bytes
content.DocumentBlock: data 1 bytes, media_type 2 string, filename 3 optional string
content.ContextSection: provider 1 string, label 2 string, content 3 repeated ContentBlock, tokens 4 int64, stability 5 Stability, truncated 6 bool
model.ModelRef: provider 1 string, id 2 string
model.ModelTarget: id 1 string, context_window 2 int64, effective_ceiling 3 int64
model.Usage: input_tokens 1 int64, output_tokens 2 int64, cache_read_tokens 3 optional int64, cache_write_tokens 4 optional int64, reasoning_tokens 5 optional int64, rate_limits 6 repeated RateLimitSnapshot, vendor_cost 7 optional VendorCost, vendor_total_tokens 8 optional int64, components 9 repeated UsageComponent, reasoning_already_counted 10 optional bool
model.VendorCost: amount 1 string, unit 2 string, currency 3 optional string
model.UsageComponent: name 1 string, value 2 int64
model.RateLimitSnapshot: kind 1 RateLimitKind, remaining 2 optional int64, limit 3 optional int64, reset_at 4 optional google.protobuf.Timestamp, limit_id 5 optional string, limit_name 6 optional string, window_role 7 WindowRole, used_percent 8 optional double, window_seconds 9 optional int64
plan.PlanItem: id 1 string, call_id 2 string, provider 3 string, operation_name 4 string, input 5 google.protobuf.Struct, decision 6 PlanDecision, decided_by 7 string, kind 8 tool.ToolKind, risk 9 tool.RiskClass, description 10 string, preview 11 optional render.RenderTree, producer_category 12 common.Category
plan.Plan: turn_id 1 string, items 2 repeated PlanItem
plan.ApplyResult: turn_id 1 string, items 2 repeated ApplyResult.ApplyItem
plan.ApplyResult.ApplyItem: plan_item_id 1 string, call_id 2 string, outcome 3 ApplyResult.ApplyOutcome, oneof result {tool_result 4 tool.ToolResult, tool_error 5 tool.ToolError}
tool.ToolCall: id 1 string, tool_name 2 string, arguments 3 google.protobuf.Struct, call_context 4 common.CallContext
tool.ToolResult: payload 1 google.protobuf.Struct
tool.ToolError: category 1 ToolErrorCategory, message 2 string, retryable 3 bool, details 4 optional google.protobuf.Struct
tool.ConcurrencySpec: safe 1 bool, key_fields 2 repeated string
tool.ToolSchema: name 1 string, kind 2 ToolKind, risk 3 RiskClass, description 4 string, input_schema 5 schema.Schema, output_schema 6 schema.Schema, streaming 7 bool, concurrency 8 ConcurrencySpec, default_timeout 9 optional google.protobuf.Duration, idempotent 10 bool, terminates_turn 11 bool
render.RenderTree: root 1 RenderNode
render.RenderNode: oneof node {text 1 TextNode, code_block 2 CodeBlockNode, diff 3 DiffNode, table 4 TableNode, link 5 LinkNode, list 6 ListNode, group 7 GroupNode, collapsible 8 CollapsibleNode, sub_session 9 SubSessionNode, action 10 ActionNode}
render.TextNode: content 1 string, style 2 optional TextStyle
render.CodeBlockNode: language 1 optional string, content 2 string
render.DiffNode: hunks 1 repeated DiffHunk
render.DiffHunk: old_start 1 int32, old_lines 2 int32, new_start 3 int32, new_lines 4 int32, lines 5 repeated DiffLine
render.DiffLine: op 1 DiffLineOp, text 2 string
render.TableNode: headers 1 repeated string, rows 2 repeated TableRow
render.TableRow: cells 1 repeated string
render.LinkNode: text 1 string, url 2 string
render.ListNode: items 1 repeated RenderNode, ordered 2 bool
render.GroupNode: children 1 repeated RenderNode
render.CollapsibleNode: summary 1 string, children 2 repeated RenderNode, collapsed_by_default 3 bool
render.SubSessionNode: session_id 1 string, summary 2 string
render.ActionNode: id 1 string, label 2 string, tool_name 3 string, args 4 google.protobuf.Struct, provider 5 string
schema.Schema: type 1 SchemaType, description 2 string, properties 3 map<string, Schema>, required 4 repeated string, items 5 Schema, enum_values 6 repeated string
config.ConfigAttribute: name 1 string, type 2 AttrType, required 3 bool, sensitive 4 bool, description 5 string, object_attributes 6 repeated ConfigAttribute, default_json 7 optional string
config.ConfigSchema: attributes 1 repeated ConfigAttribute
event.MessageEvent: message 1 content.Message, model 2 common.ProducerRef, usage 3 model.Usage, cost_usd 4 double
event.ToolCallEvent: call 1 tool.ToolCall
event.ToolResultEvent: tool_call_id 1 string, oneof outcome {result 2 tool.ToolResult, error 3 tool.ToolError}
event.PlanEvent: plan 1 plan.Plan
event.ApplyEvent: result 1 plan.ApplyResult
event.ContextContributionEvent: content 1 repeated content.ContentBlock, tokens 2 int64, target 3 optional model.ModelTarget
event.MemoryMutationEvent: record_id 1 string, content 2 repeated content.ContentBlock, attributes 3 map<string, string>
event.HookErrorEvent: error 1 hook.HookError
context.GetCapabilitiesRequest:
context.ContextCapabilities: default_token_budget 1 int64, stability 2 content.Stability, compactor 3 bool, config_schema 5 config.ConfigSchema, supported_hook_points 6 repeated common.HookPoint
context.ContextRequest: session_id 1 string, parent_session_id 2 string, turn_id 3 string, token_budget 4 int64, model_target 5 model.ModelTarget, files_touched 6 repeated string, working_directory 7 string, prior_sections 8 repeated content.ContextSection, conversation_history 9 repeated content.Message, history_tokens 10 int64, assembled_tokens_last_turn 11 int64
context.ContextContribution: sections 1 repeated content.ContextSection, rewritten_history 2 repeated content.Message
"""  # noqa: E501  # a row of the specification is a line
"""A.3 to A.12: members with number and type. A type of the same package stands without it."""

ENUMS = """
hook.HookMode HOOK_MODE: UNSPECIFIED 0, OBSERVE 1, TRANSFORM 2, VETO 3
hook.HookDecision HOOK_DECISION: UNSPECIFIED 0, ALLOW 1, DENY 2
hook.HookErrorCategory HOOK_ERROR_CATEGORY: UNSPECIFIED 0, TRANSFORM_FAILED 1, VETO_FAILED 2, TIMEOUT 3, INVALID_RESPONSE 4, PROCESS_CRASHED 5, UNKNOWN 6
common.Category CATEGORY: UNSPECIFIED 0, MODEL 1, TOOL 2, CONTEXT 3, MEMORY 4, FRONTEND 5, WIDGET 6, SLASHCOMMAND 7
common.HookPoint HOOK_POINT: UNSPECIFIED 0, SESSION_START 1, PRE_MODEL_CALL 2, POST_MODEL_RESPONSE 3, PRE_TOOL_CALL 4, PLAN_READY 5, POST_TOOL_CALL 6, POST_APPLY 7, SESSION_END 8
content.Role ROLE: UNSPECIFIED 0, USER 1, ASSISTANT 2
content.ImageDetail IMAGE_DETAIL: UNSPECIFIED 0, LOW 1, HIGH 2
content.Stability STABILITY: UNSPECIFIED 0, STATIC 1, DYNAMIC 2
model.RateLimitKind RATE_LIMIT_KIND: UNSPECIFIED 0, REQUESTS 1, TOKENS 2, INPUT_TOKENS 3, OUTPUT_TOKENS 4, CREDITS 5
model.WindowRole WINDOW_ROLE: UNSPECIFIED 0, PRIMARY 1, SECONDARY 2
plan.PlanDecision PLAN_DECISION: UNSPECIFIED 0, PENDING 1, ALLOW 2, ASK 3, DENY 4
plan.ApplyResult.ApplyOutcome APPLY_OUTCOME: UNSPECIFIED 0, APPLIED 1, FAILED 2, DENIED 3, SKIPPED 4
plan.ClientDecision CLIENT_DECISION: UNSPECIFIED 0, ALLOW 1, DENY 2
plan.PlanDecisionScope PLAN_DECISION_SCOPE: UNSPECIFIED 0, ONCE 1, SESSION 2, ALWAYS 3
tool.ToolKind TOOL_KIND: UNSPECIFIED 0, RESOURCE 1, DATA_SOURCE 2, INTERACTIVE 3
tool.RiskClass RISK_CLASS: UNSPECIFIED 0, READ_ONLY 1, LOW 2, MODERATE 3, HIGH 4, CRITICAL 5
tool.ToolErrorCategory TOOL_ERROR_CATEGORY: UNSPECIFIED 0, INVALID_ARGUMENTS 1, NOT_FOUND 2, PERMISSION_DENIED 3, EXECUTION_FAILED 4, TIMEOUT 5, CONCURRENCY_CONFLICT 6, CANCELLED 7, PROCESS_CRASHED 8, UNKNOWN 9
session.SessionStatus SESSION_STATUS: UNSPECIFIED 0, RUNNING 1, COMPLETED 2, ERROR_MAX_TURNS 3, ERROR_MAX_BUDGET_USD 4, ERROR_MAX_WALL_CLOCK 5, CANCELLED 6, FAILED 7
render.TextStyle TEXT_STYLE: UNSPECIFIED 0, NORMAL 1, BOLD 2, ITALIC 3, CODE 4, DIM 5, ERROR 6, WARNING 7, SUCCESS 8
render.DiffLineOp DIFF_LINE_OP: UNSPECIFIED 0, CONTEXT 1, ADD 2, REMOVE 3
schema.SchemaType SCHEMA_TYPE: UNSPECIFIED 0, OBJECT 1, STRING 2, NUMBER 3, BOOLEAN 4, ARRAY 5
context.ContextErrorCategory CONTEXT_ERROR_CATEGORY: UNSPECIFIED 0, SOURCE_UNAVAILABLE 1, BUDGET_EXCEEDED 2, SCOPE_VIOLATION 3, INVALID_REQUEST 4, UNKNOWN 5
config.AttrType ATTR_TYPE: UNSPECIFIED 0, STRING 1, NUMBER 2, BOOL 3, LIST_STRING 4, LIST_NUMBER 5, MAP_STRING 6, OBJECT 7
"""  # noqa: E501
"""A.3 to A.11: values without the prefix that stands behind the enum's name."""

TYPE_PACKAGES = {
    "common",
    "config",
    "content",
    "context",
    "hook",
    "model",
    "plan",
    "render",
    "schema",
    "session",
    "tool",
}

HOOK_FILES = ("service", "rpc_request", "rpc_response", "events", "errors")
CONTEXT_FILES = ("service", "rpc_request", "rpc_response", "errors")

SCALARS = {
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "bytes",
}


def files() -> list[FileDescriptor]:
    """Every file that we have generated code for."""
    wire = Path(package.__file__).parent / "wire"
    paths = sorted(path.relative_to(wire).with_suffix("") for path in wire.rglob("*_pb2.py"))
    return [
        importlib.import_module(f"kernel.dialects.pluggable.wire.{'.'.join(path.parts)}").DESCRIPTOR for path in paths
    ]


def with_nested(message: Descriptor) -> Iterator[Descriptor]:
    yield message
    for nested in message.nested_types:
        if not nested.GetOptions().map_entry:
            yield from with_nested(nested)


def all_messages() -> list[Descriptor]:
    return [each for file in files() for top in file.message_types_by_name.values() for each in with_nested(top)]


def all_enums() -> list[EnumDescriptor]:
    nested = [enum for message in all_messages() for enum in message.enum_types]
    return [enum for file in files() for enum in file.enum_types_by_name.values()] + nested


def short(full_name: str, seen_from: str = "") -> str:
    """`pluggableharness.content.v1.Message` as `content.Message`, or `Message` inside its own package."""
    name = full_name.removeprefix("pluggableharness.").replace(".v1.", ".")
    return name.removeprefix(f"{seen_from}.")


def type_of(field: FieldDescriptor, seen_from: str) -> str:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key, value = field.message_type.fields
        return f"map<{type_of(key, seen_from)}, {type_of(value, seen_from)}>"
    named = field.message_type or field.enum_type
    word = SCALARS[field.type] if named is None else short(named.full_name, seen_from)
    if field.is_repeated:
        return f"repeated {word}"
    oneof = field.containing_oneof
    return f"optional {word}" if oneof is not None and len(oneof.fields) == 1 else word


def in_spec_notation(message: Descriptor) -> str:
    """A message as the specification writes it down."""
    seen_from = short(message.full_name).split(".")[0]
    parts: list[str] = []
    for field in message.fields:
        oneof = field.containing_oneof
        text = f"{field.name} {field.number} {type_of(field, seen_from)}"
        if oneof is None or len(oneof.fields) == 1:
            parts.append(text)
        elif field.index == oneof.fields[0].index:
            members = ", ".join(f"{each.name} {each.number} {type_of(each, seen_from)}" for each in oneof.fields)
            parts.append(f"oneof {oneof.name} {{{members}}}")
    return f"{short(message.full_name)}: {', '.join(parts)}".rstrip()


@pytest.mark.parametrize("row", MESSAGES.strip().splitlines(), ids=lambda row: row.split(":")[0])
def test_a_message_has_the_fields_numbers_types_and_presence_of_the_specification(row: str) -> None:
    """One row of A.3 to A.12 against the descriptor of the same name."""
    found = {short(message.full_name): message for message in all_messages()}
    assert in_spec_notation(found[row.split(":")[0]]) == row


@pytest.mark.parametrize("row", ENUMS.strip().splitlines(), ids=lambda row: row.split(" ")[0])
def test_an_enum_has_the_names_and_numbers_of_the_specification(row: str) -> None:
    """One row of A.3 to A.11 against the descriptor of the same name."""
    head, _, values = row.partition(": ")
    name, prefix = head.split(" ")
    found = {short(enum.full_name): enum for enum in all_enums()}
    assert ", ".join(f"{value.name} {value.number}" for value in found[name].values) == ", ".join(
        f"{prefix}_{value}" for value in values.split(", ")
    )


def test_there_is_nothing_that_the_tables_do_not_name() -> None:
    """A message or enum that nobody checked would be a contract that nobody read."""
    rows = {row.split(":")[0] for row in MESSAGES.strip().splitlines()}
    assert {short(message.full_name) for message in all_messages()} == rows
    enums = {row.split(" ")[0] for row in ENUMS.strip().splitlines()}
    assert {short(enum.full_name) for enum in all_enums()} == enums


def test_full_names_and_file_names_are_the_newest_ones() -> None:
    """Package `pluggableharness.<pkg>.v1`, split files, proto3 (spec A.1)."""
    names = {file.name for file in files()}
    assert {file.package for file in files()} == {f"pluggableharness.{name}.v1" for name in (*TYPE_PACKAGES, "event")}
    assert names == {
        *(f"pluggableharness/{name}/v1/types.proto" for name in TYPE_PACKAGES),
        *(f"pluggableharness/hook/v1/{name}.proto" for name in HOOK_FILES),
        *(f"pluggableharness/context/v1/{name}.proto" for name in CONTEXT_FILES),
        "pluggableharness/tool/v1/errors.proto",
        "pluggableharness/event/v1/events.proto",
    }  # fmt: skip
    for file in files():
        assert all(enum.values[0].number == 0 and not enum.is_closed for enum in file.enum_types_by_name.values())
    assert events_pb2.HookPayload.DESCRIPTOR.full_name == "pluggableharness.hook.v1.HookPayload"


def test_the_service_has_one_unary_method_with_the_path_that_is_called() -> None:
    """Spec A.2."""
    [service] = service_pb2.DESCRIPTOR.services_by_name.values()
    [method] = service.methods
    assert f"/{service.full_name}/{method.name}" == METHOD
    assert (method.input_type.name, method.output_type.name) == ("DispatchHookRequest", "DispatchHookResponse")
    assert (method.client_streaming, method.server_streaming) == (False, False)


def test_the_context_service_has_the_paths_that_are_called() -> None:
    """Spec B.11: Contribute, and what a plugin says of itself before; both unary."""
    [service] = context_service_pb2.DESCRIPTOR.services_by_name.values()
    paths = {f"/{service.full_name}/{method.name}": method for method in service.methods}
    assert set(paths) == {CONTRIBUTE, GET_CAPABILITIES}
    contribute = paths["/pluggableharness.context.v1.ContextService/Contribute"]
    assert (contribute.input_type.name, contribute.output_type.name) == ("ContextRequest", "ContextContribution")
    assert not any(method.client_streaming or method.server_streaming for method in service.methods)


def test_points_and_modes_have_the_numbers_of_the_wire() -> None:
    """A point's oneof member and HookPoint share a number; the mode's is that of HookMode (spec A.4, B.1)."""
    members = events_pb2.HookPayload.DESCRIPTOR.oneofs_by_name["payload"].fields
    assert [(point.field, point.number) for point in POINTS] == [(field.name, field.number) for field in members]
    for point in POINTS:
        name = f"HOOK_POINT_{point.label.upper().replace('-', '_')}"
        assert common_pb2.HookPoint.Value(name) == point.number
    assert {mode.name: mode.number for mode in Mode} == {
        name.removeprefix("HOOK_MODE_"): number for name, number in types_pb2.HookMode.items() if number
    }
    assert [point.label for point in POINTS if point.bears_veto] == ["pre-tool-call", "plan-ready"]
    assert {point.label: set(point.mutable) for point in POINTS if point.mutable} == {"pre-model-call": {"messages"}}


_ITEM = {
    "id": "i", "call_id": "c", "provider": "p", "operation_name": "o", "decision": "PLAN_DECISION_ASK",
    "kind": "TOOL_KIND_RESOURCE", "risk": "RISK_CLASS_LOW", "producer_category": "CATEGORY_TOOL",
}  # fmt: skip
_HI = {"role": "ROLE_USER", "content": [{"text": {"text": "hi"}}], "id": "m"}


@pytest.mark.parametrize(
    ("point", "view", "mode", "request_hex"),
    [
        ("session-end", {"session_id": "s", "status": "SESSION_STATUS_COMPLETED"}, Mode.OBSERVE,
         "0A 07 42 05 0A 01 73 10 02 10 01"),
        ("pre-model-call", {"messages": [_HI], "model": {"provider": "p", "id": "x"}}, Mode.TRANSFORM,
         "0A 19 12 17 0A 0D 08 01 12 06 0A 04 0A 02 68 69 1A 01 6D 12 06 0A 01 70 12 01 78 10 02"),
        ("plan-ready", {"plan": {"turn_id": "t", "items": [_ITEM]}}, Mode.VETO,
         "0A 1D 2A 1B 0A 19 0A 01 74 12 14 0A 01 69 12 01 63 1A 01 70 22 01 6F 30 03 40 01 48 02 60 02 10 03"),
    ],
)  # fmt: skip
def test_requests_are_the_golden_bytes(point: str, view: dict, mode: Mode, request_hex: str) -> None:  # type: ignore[type-arg]
    """Spec A.13: what we send is this, to the byte, and no subscription_id."""
    golden = bytes.fromhex(request_hex)
    assert from_view(point, view).request(mode) == golden
    request = rpc_request_pb2.DispatchHookRequest.FromString(golden)
    assert (request.mode, request.HasField("subscription_id")) == (mode.number, False)
    assert request.SerializeToString(deterministic=True) == golden


@pytest.mark.parametrize(
    ("point", "view", "payload_hex"),
    [
        ("session-start", {"session_id": "s", "profile": "d", "working_directory": "/w"},
         "0A 0A 0A 01 73 12 01 64 22 02 2F 77"),
        ("post-tool-call",
         {"call": {"id": "c", "tool_name": "o"},
          "error": {"category": "TOOL_ERROR_CATEGORY_PERMISSION_DENIED", "message": "no"}},
         "32 10 0A 06 0A 01 63 12 01 6F 1A 06 08 03 12 02 6E 6F"),
    ],
)  # fmt: skip
def test_payloads_are_the_golden_bytes(point: str, view: dict, payload_hex: str) -> None:  # type: ignore[type-arg]
    """Spec A.13, both ways."""
    golden = bytes.fromhex(payload_hex)
    assert from_view(point, view).body == golden
    assert (HookPayload.parse(golden).point, HookPayload.parse(golden).view) == (point, view)


@pytest.mark.parametrize(
    ("response_hex", "member", "decision"),
    [
        ("0A 00", "observe", None),
        ("1A 02 08 01", "veto", 1),
        ("1A 02 08 02", "veto", 2),
        ("1A 00", "veto", 0),
        ("0A 00 1A 02 08 02", "veto", 2),
        ("1A 02 08 02 0A 00", "observe", None),
        ("1A 02 08 07", "veto", 7),
        ("", None, None),
    ],
)
def test_responses_decode_as_the_specification_says(
    response_hex: str, member: str | None, decision: int | None
) -> None:
    """Spec A.13: the last member wins, an empty veto is UNSPECIFIED, an unknown number stays a number."""
    response = rpc_response_pb2.DispatchHookResponse.FromString(bytes.fromhex(response_hex))
    assert response.WhichOneof("outcome") == member
    if decision is not None:
        assert response.veto.decision == decision


@pytest.mark.parametrize(
    ("a", "b", "are_equal"),
    [
        ("1A 09 21 00 00 00 00 00 00 F8 7F", "1A 09 21 00 00 00 00 00 00 F8 7F", True),  # cost_usd NaN
        ("1A 09 21 00 00 00 00 00 00 00 80", "1A 00", False),  # cost_usd -0.0, and absent
        ("0A 02 1A 00", "0A 00", False),  # parent_session_id present and empty, and absent
        ("42 03 98 06 01", "42 00", False),  # an unknown field, and none
    ],
)
def test_decoded_equality_has_the_corners_of_the_specification(a: str, b: str, are_equal: bool) -> None:
    """Spec A.13, as checked with the runtime that we use."""
    message: Message = HookPayload.parse(bytes.fromhex(b)).message
    assert HookPayload.parse(bytes.fromhex(a)).is_like(message) is are_equal  # type: ignore[arg-type]


@pytest.mark.parametrize("point", [point.label for point in POINTS])
def test_unknown_fields_travel_on_in_a_request(point: str) -> None:
    """What a newer peer put into a payload reaches the subscriber."""
    start = payload(point)
    body = start.body + bytes.fromhex("980601")
    request = rpc_request_pb2.DispatchHookRequest.FromString(HookPayload.parse(body).request(Mode.OBSERVE))
    assert request.payload == HookPayload.parse(body).message
    assert request.payload != start.message
