"""The events that a host makes, one function for each kind (spec 1.2), and what it cuts off before (1.4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kernel.dialects.hookbus.payload import HookEvent, event
from kernel.values import JSON

MAX_HOOK_OUTPUT = 262_144
"""Bytes of UTF-8 of a tool's output that hooks get to see."""
OLD_MAX_HOOK_OUTPUT = 32_768
"""The same in older builds, and still in the Markdown documents."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_OFF = frozenset({"0", "false", "off"})


def bounded(output: str, limit: int = MAX_HOOK_OUTPUT) -> str:
    """The output as hooks see it: cut on a character's border, with a marker that tells the size of the whole."""
    whole = output.encode()
    if len(whole) <= limit:
        return output
    return f"{prefix(whole, limit)}\u2026[truncated, {len(whole)} total bytes]"


def prefix(text: bytes, limit: int) -> str:
    """The longest beginning of some UTF-8 that has at most `limit` bytes and no half of a character."""
    return text[:limit].decode(errors="ignore")


def api_safe(name: str) -> str:
    """A tool's name as the model's API takes it."""
    return _UNSAFE.sub("_", name)


def shown_session_id(session_id: str | None, environment: Mapping[str, str]) -> str | None:
    """What tool and message events say of the session, unless the environment forbids it (spec 0.2)."""
    return None if environment.get("SYNAPS_HOOK_SESSION_ID", "").strip().lower() in _OFF else session_id


def before_tool_call(
    tool_name: str, tool_input: JSON = None, *, runtime_name: str | None = None, session_id: str | None = None
) -> HookEvent:
    return event(
        "before_tool_call",
        tool_name=tool_name,
        tool_runtime_name=runtime_name,
        tool_input=tool_input,
        session_id=session_id,
    )


def after_tool_call(
    tool_name: str,
    tool_input: JSON,
    output: str,
    *,
    runtime_name: str | None = None,
    session_id: str | None = None,
    limit: int = MAX_HOOK_OUTPUT,
) -> HookEvent:
    """`tool_input` is what was really executed; the caller keeps the whole `output` for itself."""
    return event(
        "after_tool_call",
        tool_name=tool_name,
        tool_runtime_name=runtime_name,
        tool_input=tool_input,
        tool_output=bounded(output, limit),
        session_id=session_id,
    )


def before_message(messages: Sequence[Mapping[str, JSON]], *, session_id: str | None = None) -> HookEvent | None:
    """None where the newest message of the user has no text: then nothing is emitted."""
    newest = next((message for message in reversed(messages) if message.get("role") == "user"), None)
    text = None if newest is None else _first_text(newest.get("content"))
    return None if text is None else event("before_message", message=text, session_id=session_id)


def on_message_complete(content: Sequence[Mapping[str, JSON]], *, session_id: str | None = None) -> HookEvent:
    """`content` is the assistant's: its texts are joined, its blocks are counted."""
    texts = [text for block in content if block.get("type") == "text" and isinstance(text := block.get("text"), str)]
    data = {
        "content_block_count": len(content),
        "has_tool_use": any(block.get("type") == "tool_use" for block in content),
    }
    return event("on_message_complete", message="".join(texts), session_id=session_id, data=data)


def on_compaction(
    summary: str,
    *,
    old_session_id: str,
    new_session_id: str,
    message_count: int,
    source: str,
    data: JSON = None,
) -> HookEvent:
    """The caller's own `data` stays beside the four keys of the host; whatever is no object is dropped."""
    told = {
        "old_session_id": old_session_id,
        "new_session_id": new_session_id,
        "message_count": message_count,
        "source": source,
    }
    kept = data if isinstance(data, dict) else {}
    return event("on_compaction", message=summary, session_id=new_session_id, data={**kept, **told})


def on_session_start(session_id: str) -> HookEvent:
    return event("on_session_start", session_id=session_id)


def on_session_end(session_id: str, transcript: Sequence[Mapping[str, JSON]] | None = None) -> HookEvent:
    """`transcript` is None in headless hosts and on servers."""
    messages = None if transcript is None else [dict(message) for message in transcript]
    return event("on_session_end", session_id=session_id, transcript=messages)


def _first_text(content: JSON) -> str | None:
    if isinstance(content, str):
        return content
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(text := block.get("text"), str):
            return text
    return None
