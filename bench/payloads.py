"""Payloads of a known size, and the answers that go with them."""

from __future__ import annotations

from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import rpc_response_pb2, types_pb2
from kernel.values import JSON

POINT = "pre-tool-call"


def tool_call(characters: int = 0) -> HookPayload:
    """A tool call with a plan item, whose argument has so many characters."""
    arguments: JSON = {"path": "/etc/hosts", "text": "x" * characters}
    item: JSON = {
        "id": "i1",
        "call_id": "c1",
        "provider": "fs",
        "operation_name": "write",
        "input": {"path": "/etc/hosts"},
    }
    call = {"id": "c1", "tool_name": "write", "arguments": arguments}
    return from_view(POINT, {"call": call, "plan_item": item})


def answers(payload: HookPayload) -> dict[str, bytes]:
    """By mode: acknowledged, handed back as it was, allowed."""
    observed, transformed, judged = (rpc_response_pb2.DispatchHookResponse() for _ in range(3))
    observed.observe.SetInParent()
    transformed.transform.payload.CopyFrom(payload.message)
    judged.veto.decision = types_pb2.HOOK_DECISION_ALLOW
    return {
        "observe": observed.SerializeToString(),
        "transform": transformed.SerializeToString(),
        "veto": judged.SerializeToString(),
    }
