"""Whether a record wants an event: its tool filter, then its matcher (spec 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernel.dialects.hookbus.json_text import compact, is_same
from kernel.dialects.hookbus.payload import HookEvent
from kernel.values import JSON

TOOL, MATCH, PERMISSIONS, GENERATION = "tool", "match", "permissions", "generation"
"""Keys of `Subscription.options`: tool filter and matcher in the words of a manifest's hook entry, the permissions that
the extension holds, and how often it was unloaded before it was registered (absent: never)."""
CONTAINS, EQUALS = "input_contains", "input_equals"
"""Keys of a matcher. One that is null counts as absent."""


@dataclass(frozen=True, slots=True)
class Missed:
    """Why a record is not called for an event."""

    rule: str
    because_of: str
    """The filter or the condition, for people."""


def missed(options: Mapping[str, JSON], event: HookEvent) -> Missed | None:
    """What keeps an event from a record; None where the record wants it."""
    if not options:
        return None
    tool = options.get(TOOL)
    if isinstance(tool, str) and tool not in (event.view["tool_name"], event.view["tool_runtime_name"]):
        return Missed("HB-FILTER", f"its filter @{tool}")
    matcher = options.get(MATCH)
    return None if not isinstance(matcher, dict) else _unmet(matcher, event)


def input_text(event: HookEvent) -> str:
    """The text in which `input_contains` is looked for; an event without input has `null`."""
    return compact(event.tool_input).decode()


def _unmet(matcher: Mapping[str, JSON], event: HookEvent) -> Missed | None:
    equal, needle = matcher.get(EQUALS), matcher.get(CONTAINS)
    if equal is not None and not is_same(event.tool_input, equal):
        return Missed("HB-MATCHER", f"its condition {EQUALS} {compact(equal).decode()}")
    if isinstance(needle, str) and needle not in input_text(event):
        return Missed("HB-MATCHER", f"its condition {CONTAINS} {needle!r}")
    return None
