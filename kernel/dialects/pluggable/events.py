"""What the payload of a stored event says: its message by its kind, and one line about it (spec A.12, B.7, F.3). Pure.

Whatever cannot be decoded is a value with its reason: a file outlives the host that wrote it, and the next event may
be fine.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from google.protobuf.message import DecodeError, Message

from kernel.dialects.pluggable.points import POINTS
from kernel.dialects.pluggable.view import to_view
from kernel.dialects.pluggable.wire.pluggableharness.common.v1 import types_pb2 as common_pb2
from kernel.dialects.pluggable.wire.pluggableharness.content.v1 import types_pb2 as content_pb2
from kernel.dialects.pluggable.wire.pluggableharness.event.v1 import events_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import errors_pb2
from kernel.dialects.pluggable.wire.pluggableharness.hook.v1 import types_pb2 as hook_pb2
from kernel.dialects.pluggable.wire.pluggableharness.plan.v1 import types_pb2 as plan_pb2
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import errors_pb2 as tool_errors_pb2
from kernel.dialects.pluggable.wire.pluggableharness.tool.v1 import types_pb2 as tool_pb2
from kernel.stored import Decoded, EventPayload, HookFailure, Undecodable
from kernel.values import JSON, Producer

HOOK_ERROR: Final = "hook_error"
SCHEMA_VERSIONS: Final = ("1", "v1")
"""What the schema_version of an event may say for us to read its payload; both mean the same (spec B.7)."""

WIDTH = 100
"""Characters of one text inside a summary."""
BLOCKS = 6
"""Content blocks that a summary tells of."""

_MESSAGES: Final[Mapping[str, type[Message]]] = MappingProxyType(
    {
        "message": events_pb2.MessageEvent,
        "tool_call": events_pb2.ToolCallEvent,
        "tool_result": events_pb2.ToolResultEvent,
        "plan": events_pb2.PlanEvent,
        "apply": events_pb2.ApplyEvent,
        "context_contribution": events_pb2.ContextContributionEvent,
        "memory_write": events_pb2.MemoryMutationEvent,
        "memory_update": events_pb2.MemoryMutationEvent,
        "memory_delete": events_pb2.MemoryMutationEvent,
        HOOK_ERROR: events_pb2.HookErrorEvent,
    }
)

KINDS: Final = tuple(_MESSAGES)
"""Every kind that we can read."""


def decoded(kind: str, schema_version: str, body: bytes) -> EventPayload:
    """The payload of an event of a kind."""
    if kind not in _MESSAGES:
        return Undecodable(f"the kind {kind!r} is not known ({len(body)} bytes)")
    if schema_version not in SCHEMA_VERSIONS:
        return Undecodable(f"its schema version is {schema_version!r}, and we read 1 ({len(body)} bytes)")
    try:
        if kind == HOOK_ERROR:
            return _hook_error(body)
        message = _MESSAGES[kind].FromString(body)
    except DecodeError as error:
        return Undecodable(f"its {len(body)} bytes are no {_MESSAGES[kind].DESCRIPTOR.name}: {error}")
    return Decoded(message.DESCRIPTOR.name, _summary(message), to_view(message))


# -- hook errors -------------------------------------------------------------------------------------------------

_WRAPPED = 0x0A
_BARE = (0x08, 0x12, 0x18, 0x20, 0x2A)
"""A HookError begins with its point, or, where a host left that out, with the first member that it states."""


def _hook_error(body: bytes) -> HookFailure | Undecodable:
    """Both encodings are around; the first byte tells which one it is."""
    if not body:
        return Undecodable("it is empty")
    if body[0] == _WRAPPED:
        event = events_pb2.HookErrorEvent.FromString(body)
        return _failure(event.error, event.DESCRIPTOR.name, to_view(event))
    if body[0] in _BARE:
        error = errors_pb2.HookError.FromString(body)
        return _failure(error, error.DESCRIPTOR.name, to_view(error))
    return Undecodable(f"it begins with {body[0]:02X}, as neither a HookErrorEvent nor a HookError does")


def _failure(error: errors_pb2.HookError, form: str, view: JSON) -> HookFailure:
    """`form` is the message around it, or itself where a host writes it bare."""
    labels = {point.number: point.label for point in POINTS}
    point = labels.get(error.point, f"point {error.point}")
    mode = _word(hook_pb2.HookMode, error.mode).lower()
    category = _word(errors_pb2.HookErrorCategory, error.category)
    by = error.subscriber
    return HookFailure(
        point=point,
        mode=mode,
        category=category,
        message=error.message,
        subscriber=Producer(
            by.name, by.version, by.source, _word(common_pb2.Category, by.category).lower(), by.protocol_version
        ),
        form=form,
        summary=f"{category} at {point} ({mode}): {_short(error.message)}",
        view=view,
    )


def _word(enum: Any, number: int) -> str:
    """The name of an enum's value without what all of them begin with; the number where it has none."""
    named = enum.DESCRIPTOR.values_by_number.get(number)
    if named is None:
        return str(number)
    common: str = enum.DESCRIPTOR.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(named.name).removeprefix(common)


# -- summaries ---------------------------------------------------------------------------------------------------


def _summary(message: Message) -> str:
    match message:
        case events_pb2.MessageEvent():
            return _message(message)
        case events_pb2.ToolCallEvent(call=call):
            return f"{call.tool_name} {_compact(call.arguments)}  [{call.id}]"
        case events_pb2.ToolResultEvent(tool_call_id=call_id):
            return f"{_outcome(message)}  [{call_id}]"
        case events_pb2.PlanEvent(plan=plan):
            return _counted(len(plan.items), (_word(plan_pb2.PlanDecision, each.decision) for each in plan.items))
        case events_pb2.ApplyEvent(result=result):
            outcomes = plan_pb2.ApplyResult.ApplyOutcome
            return _counted(len(result.items), (_word(outcomes, each.outcome) for each in result.items))
        case events_pb2.ContextContributionEvent(content=content, tokens=tokens):
            return f"{tokens} tokens: {_blocks(content)}"
        case events_pb2.MemoryMutationEvent(record_id=record_id, content=content):
            return f"{record_id}: {_blocks(content)}"
        case _:
            raise AssertionError(f"{message.DESCRIPTOR.name} has no summary")


def _message(event: events_pb2.MessageEvent) -> str:
    role = _word(content_pb2.Role, event.message.role).lower()
    usage = f", {event.usage.input_tokens}+{event.usage.output_tokens} tokens" if event.HasField("usage") else ""
    by = f"  [{_short(event.model.name)}{usage}]" if event.HasField("model") else ""
    return f"{role}: {_blocks(event.message.content)}{by}"


def _outcome(event: events_pb2.ToolResultEvent) -> str:
    match event.WhichOneof("outcome"):
        case "result":
            return f"result {_compact(event.result)}"
        case "error":
            return f"{_word(tool_errors_pb2.ToolErrorCategory, event.error.category)}: {_short(event.error.message)}"
        case _:
            return "neither result nor error"


def _compact(holder: Message) -> str:
    """A Struct, or what is in a ToolResult, as JSON on one line."""
    view = to_view(holder.payload if isinstance(holder, tool_pb2.ToolResult) else holder)
    return _short(json.dumps(view, ensure_ascii=False))


def _counted(items: int, words: Iterable[str]) -> str:
    counts = ", ".join(f"{count} {word.lower()}" for word, count in Counter(words).items())
    return f"{items} {'item' if items == 1 else 'items'}{': ' if counts else ''}{counts}"


def _blocks(blocks: Iterable[content_pb2.ContentBlock]) -> str:
    told = list(blocks)
    more = f"; {len(told) - BLOCKS} more blocks" if len(told) > BLOCKS else ""
    return "; ".join(map(_block, told[:BLOCKS])) + more


def _block(block: content_pb2.ContentBlock) -> str:
    match block.WhichOneof("block"):
        case "text":
            return _short(block.text.text)
        case "tool_use":
            return f"calls {block.tool_use.name}"
        case "tool_result":
            return f"{'error' if block.tool_result.is_error else 'result'} of {block.tool_result.tool_use_id}"
        case "image" | "document" | "thinking" | "redacted_thinking" as other:
            return f"({other.replace('_', ' ')})"
        case _:
            return "(nothing)"


def _short(text: str) -> str:
    """The beginning of a text, without line breaks and runs of blanks."""
    words = " ".join(text[: WIDTH * 4].split())
    return words if len(words) <= WIDTH and len(text) <= WIDTH * 4 else f"{words[:WIDTH]}…"
