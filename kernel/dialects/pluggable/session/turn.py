"""What one turn hands to the hooks: messages, calls and outcomes as payload views (spec D.2). Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernel.dialects.pluggable.session.described import Call, Model, Role, Said, Tool, Turn, call_id
from kernel.dialects.pluggable.session.gate import Item, Outcome, Succeeded, ToolError
from kernel.values import JSON

Message = Mapping[str, JSON]
"""A message of the conversation as JSON, in the form that payload views have."""

PREVIEW_LIMIT_MS = 5000
"""How long a tool may take for a preview; without one the item is planned all the same."""


@dataclass(frozen=True, slots=True)
class Called:
    """A call that the model made in this turn."""

    call: Call
    id: str
    tool: Tool | None
    """None where the session was not granted it."""
    item: Item | None
    """As the plan would have it; None without a tool."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that it names, by the declaration of its tool."""
        fields = () if self.tool is None else self.tool.file_fields
        values = (self.call.arguments.get(field) for field in fields)
        return tuple(value for value in values if isinstance(value, str))

    @property
    def subject(self) -> str:
        """What decisions about it are about."""
        return f"{self.call.tool} ({self.id})"


def called(turn: Turn, number: int, tools: Mapping[str, Tool]) -> tuple[Called, ...]:
    """The calls of a turn. One that names no id is given one that no other call of the session has."""
    found = []
    for index, call in enumerate(turn.calls, 1):
        its_id = call_id(call, number, index)
        tool = tools.get(call.tool)
        item = None if tool is None else _item(call, its_id, f"item-{number}.{index}", tool)
        found.append(Called(call, its_id, tool, item))
    return tuple(found)


def _item(call: Call, call_id: str, item_id: str, tool: Tool) -> Item:
    return Item(
        id=item_id,
        call_id=call_id,
        provider=tool.provider,
        operation=tool.operation,
        input=call.arguments,
        kind=tool.kind,
        risk=tool.harm,
        description=tool.description,
    )


def said(message: Said, message_id: str) -> Message:
    """A plain message."""
    role = "ROLE_USER" if message.role is Role.USER else "ROLE_ASSISTANT"
    return {"role": role, "content": [{"text": {"text": message.text}}], "id": message_id}


def assistant(turn: Turn, calls: Sequence[Called], model: Model, message_id: str) -> Message:
    """What the model said and called."""
    content: list[JSON] = [{"text": {"text": turn.says}}] if turn.says else []
    content += [
        {"tool_use": {"id": each.id, "name": each.call.tool, "arguments": each.call.arguments}} for each in calls
    ]
    return {
        "role": "ROLE_ASSISTANT",
        "content": content,
        "id": message_id,
        "produced_by_model_id": model.id,
        "produced_by_provider": model.provider,
    }


def results(calls: Sequence[Called], outcomes: Mapping[str, Outcome], message_id: str) -> Message:
    """What the model gets back: one message with a result for every call, in the order of the calls."""
    return {
        "role": "ROLE_USER",
        "content": [{"tool_result": _result(each.id, outcomes[each.id])} for each in calls],
        "id": message_id,
    }


def _result(call_id: str, outcome: Outcome) -> JSON:
    match outcome:
        case Succeeded(payload):
            text = json.dumps(payload, ensure_ascii=False)
            return {"tool_use_id": call_id, "content": [{"text": {"text": text}}]}
        case ToolError():
            return {"tool_use_id": call_id, "content": [{"text": {"text": outcome.message}}], "is_error": True}


def request(messages: Sequence[Message], model: Model) -> dict[str, JSON]:
    """The payload of pre-model-call."""
    return {"messages": [dict(each) for each in messages], "model": {"provider": model.provider, "id": model.id}}


def response(message: Message, turn: Turn, model: Model) -> dict[str, JSON]:
    """The payload of post-model-response."""
    return {
        "message": dict(message),
        "model": {"name": model.provider, "category": "CATEGORY_MODEL"},
        "usage": turn.usage,
        "cost_usd": turn.cost_usd,
    }


def tool_call(each: Called, item: Item, context: Mapping[str, JSON]) -> dict[str, JSON]:
    """The call as a tool gets it."""
    return {
        "id": each.id,
        "tool_name": item.operation,
        "arguments": each.call.arguments,
        "call_context": dict(context),
    }


def before_call(call: Mapping[str, JSON], item: Item) -> dict[str, JSON]:
    """The payload of pre-tool-call."""
    return {"call": dict(call), "plan_item": item.view}


def after_call(call: Mapping[str, JSON], outcome: Outcome) -> dict[str, JSON]:
    """The payload of post-tool-call."""
    match outcome:
        case Succeeded(payload):
            return {"call": dict(call), "result": {"payload": dict(payload)}}
        case ToolError():
            return {"call": dict(call), "error": outcome.view}


def texts(messages: Sequence[Message]) -> Iterator[str]:
    """What each message of a conversation holds that takes up context, without what wraps it on the wire."""
    for each in messages:
        content = each.get("content")
        yield "".join(map(_text, content if isinstance(content, list) else []))


def _text(block: JSON) -> str:
    match block:
        case {"text": {"text": str(text)}}:
            return text
        case {"tool_use": {"name": str(name), "arguments": arguments}}:
            return name + _compact(arguments)
        case {"tool_result": {"content": list(content)}}:
            return "".join(map(_text, content))
        case _:
            return _compact(block)


def _compact(value: JSON) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
