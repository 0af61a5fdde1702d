"""Small valid payloads, one for each point."""

from __future__ import annotations

from kernel.dialects.pluggable.payload import HookPayload, from_view
from kernel.values import JSON

_CALL: JSON = {"id": "c1", "tool_name": "write", "arguments": {"path": "/etc/hosts", "mode": 420}}
_ITEM: JSON = {
    "id": "i1",
    "call_id": "c1",
    "provider": "fs",
    "operation_name": "write",
    "input": {"a": "x", "b": "y"},
    "decision": "PLAN_DECISION_ASK",
    "kind": "TOOL_KIND_RESOURCE",
    "risk": "RISK_CLASS_LOW",
}
VIEWS: dict[str, JSON] = {
    "session-start": {"session_id": "s", "profile": "d", "working_directory": "/w"},
    "pre-model-call": {
        "messages": [
            {"role": "ROLE_USER", "content": [{"text": {"text": "hi"}}], "id": "m1"},
            {"role": "ROLE_ASSISTANT", "content": [{"text": {"text": "hello"}}], "id": "m2"},
        ],
        "model": {"provider": "p", "id": "x"},
    },
    "post-model-response": {
        "message": {"role": "ROLE_ASSISTANT", "content": [{"text": {"text": "ok"}}], "id": "m3"},
        "model": {"name": "p", "version": "1"},
        "usage": {"input_tokens": 3, "output_tokens": 5},
        "cost_usd": 0.25,
    },
    "pre-tool-call": {"call": _CALL, "plan_item": _ITEM},
    "plan-ready": {"plan": {"turn_id": "t", "items": [_ITEM]}},
    "post-tool-call": {"call": _CALL, "result": {"payload": {"bytes": 12}}},
    "post-apply": {
        "apply": {
            "turn_id": "t",
            "items": [
                {"plan_item_id": "i1", "call_id": "c1", "outcome": "APPLY_OUTCOME_APPLIED"},
                {"plan_item_id": "i2", "call_id": "c2", "outcome": "APPLY_OUTCOME_DENIED"},
            ],
        }
    },
    "session-end": {"session_id": "s", "status": "SESSION_STATUS_COMPLETED"},
}


def payload(point: str) -> HookPayload:
    """P0 of the vectors."""
    return from_view(point, VIEWS[point])
