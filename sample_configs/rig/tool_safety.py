"""Says no to tools that would do harm."""

from __future__ import annotations

import json

from kernel.dialects.rig import Call, ConfigError, Context, Denial, new_denial

_HARMFUL = ("rm", "dd", "mkfs")


def check(context: Context, call: Call) -> Denial | ConfigError | None:
    """Return the denial; raising it would be a failure of ours, and nobody would see code and reason."""
    asked = call.tool_call
    if asked is None or asked.tool_name != "shell":
        return None
    try:
        argv = json.loads(asked.args_json or b"{}").get("argv") or [""]
    except ValueError:
        return new_denial("tool.arguments", "the arguments are not JSON")
    if argv[0] in _HARMFUL:
        return new_denial("tool.harmful", f"{argv[0]} is not run here")
    return None
