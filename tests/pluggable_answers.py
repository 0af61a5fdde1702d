"""Answers of pluggable subscribers, proper and odd, in the notation of spec section G.

Shared by stubs in our own process and by the real plugin of `tests/plugins/behave.py`, so that both say the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable

from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import events_pb2, rpc_request_pb2, rpc_response_pb2
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import errors_pb2

ACK = bytes.fromhex("0a00")
ALLOW = bytes.fromhex("1a020801")
DENY = bytes.fromhex("1a020802")


def given(request: bytes) -> events_pb2.HookPayload:
    """The payload that a request asks about."""
    return rpc_request_pb2.DispatchHookRequest.FromString(request).payload


def hand_back(payload: events_pb2.HookPayload) -> bytes:
    """A transform's answer."""
    response = rpc_response_pb2.DispatchHookResponse()
    response.transform.payload.CopyFrom(payload)
    return response.SerializeToString()


def user_message(word: str) -> content.Message:
    """A message that says one word; its id is the word."""
    block = content.ContentBlock(text=content.TextBlock(text=word))
    return content.Message(role=content.ROLE_USER, content=[block], id=word)


def _edited(edit: Callable[[events_pb2.HookPayload], None]) -> Callable[[bytes], bytes]:
    def answer(request: bytes) -> bytes:
        payload = given(request)
        edit(payload)
        return hand_back(payload)

    return answer


def _add(word: str) -> Callable[[bytes], bytes]:
    return _edited(lambda payload: payload.pre_model_call.messages.append(user_message(word)))


def _reverse(payload: events_pb2.HookPayload) -> None:
    messages = list(payload.pre_model_call.messages)[::-1]
    del payload.pre_model_call.messages[:]
    payload.pre_model_call.messages.extend(messages)


def _edit_inside(payload: events_pb2.HookPayload) -> None:
    message = payload.pre_model_call.messages[0]
    message.id, message.role, message.produced_by_model_id = "other", content.ROLE_ASSISTANT, "model"
    message.produced_by_provider = "provider"


def _result_to_error(payload: events_pb2.HookPayload) -> None:
    payload.post_tool_call.error.CopyFrom(
        errors_pb2.ToolError(category=errors_pb2.TOOL_ERROR_CATEGORY_UNKNOWN, message="no")
    )


def _drop_item(payload: events_pb2.HookPayload) -> None:
    del payload.post_apply.apply.items[0]


def _change_model(payload: events_pb2.HookPayload) -> None:
    payload.pre_model_call.model.id = "another"


def _change_arguments(payload: events_pb2.HookPayload) -> None:
    payload.pre_tool_call.call.arguments["path"] = "/elsewhere"


def _unknown_in_message(payload: events_pb2.HookPayload) -> None:
    payload.pre_model_call.messages[0].MergeFromString(bytes.fromhex("980601"))


def _unknown_beside_messages(payload: events_pb2.HookPayload) -> None:
    payload.pre_model_call.MergeFromString(bytes.fromhex("980601"))


def _unknown_beside_variant(payload: events_pb2.HookPayload) -> None:
    payload.MergeFromString(bytes.fromhex("980601"))


def _struct_keys_reordered(request: bytes) -> bytes:
    """The same plan_ready payload with the keys of its item's input encoded the other way round, by hand."""
    a = bytes.fromhex("0a08" + "0a0161" + "1203" + "1a0178")  # fields { key: "a" value { string_value: "x" } }
    b = bytes.fromhex("0a08" + "0a0162" + "1203" + "1a0179")
    body = given(request).SerializeToString(deterministic=True)
    assert a + b in body, "the payload of this vector has the input {a: x, b: y}"
    swapped = body.replace(a + b, b + a)
    inner = b"\x0a" + bytes([len(swapped)]) + swapped
    return b"\x12" + bytes([len(inner)]) + inner


ANSWERS: dict[str, Callable[[bytes], bytes | None]] = {
    "ack": lambda request: ACK,
    "allow": lambda request: ALLOW,
    "deny": lambda request: DENY,
    "same": _edited(lambda payload: None),
    "+x": _add("x"),
    "+y": _add("y"),
    "+a": _add("a"),
    "+b": _add("b"),
    "none": lambda request: b"",
    "nothing": lambda request: None,
    "garbage": lambda request: b"\xff\xff\xff",
    "unspecified": lambda request: bytes.fromhex("1a00"),
    "decision 7": lambda request: bytes.fromhex("1a020807"),
    "no payload": lambda request: bytes.fromhex("1200"),
    "payload without variant": lambda request: bytes.fromhex("12020a00"),
    "plan_ready payload": lambda request: bytes.fromhex("12040a022a00"),
    "observe then veto": lambda request: ACK + DENY,
    "change model": _edited(_change_model),
    "clear model": _edited(lambda payload: payload.pre_model_call.ClearField("model")),
    "no messages": _edited(lambda payload: payload.pre_model_call.ClearField("messages")),
    "reverse": _edited(_reverse),
    "edit inside": _edited(_edit_inside),
    "change arguments": _edited(_change_arguments),
    "result to error": _edited(_result_to_error),
    "drop item": _edited(_drop_item),
    "unknown in message": _edited(_unknown_in_message),
    "unknown beside messages": _edited(_unknown_beside_messages),
    "unknown beside variant": _edited(_unknown_beside_variant),
    "unknown in session_end": lambda request: bytes.fromhex("120c0a0a42080a01731002980601"),
    "struct keys reordered": _struct_keys_reordered,
}
