"""Which calls of tools have to wait for which others (concurrency declarations). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from kernel.dialects.pluggable.session.described import Call, Tool
from kernel.dialects.pluggable.session.stops import canonical


def waits(calls: Sequence[tuple[Tool, Call]]) -> tuple[tuple[int, ...], ...]:
    """For each call the earlier ones that have to be over before it may begin."""
    return tuple(
        tuple(earlier for earlier in range(index) if _conflict(calls[earlier], calls[index]))
        for index in range(len(calls))
    )


def _conflict(one: tuple[Tool, Call], other: tuple[Tool, Call]) -> bool:
    """Providers are independent. Within one, calls share it if both are safe and differ in their keys, if any."""
    (tool, call), (other_tool, other_call) = one, other
    if tool.provider != other_tool.provider:
        return False
    if not (tool.is_safe and other_tool.is_safe):
        return True
    if tool.name != other_tool.name or not tool.key_fields:
        return False
    keys, other_keys = ([each.arguments.get(key) for key in tool.key_fields] for each in (call, other_call))
    return canonical(keys) == canonical(other_keys)
