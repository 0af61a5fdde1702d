"""What an extension can be allowed to do, as a table (spec 3), and the texts of the host's refusals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Permission:
    """One permission."""

    name: str
    """The wire string."""
    grants: str
    is_reserved: bool = False
    """Known, not implemented: a manifest that asks for it is refused."""
    registers: bool = False
    """Reason enough for an extension without hooks to exist (spec 5.2, check 4)."""


TOOLS_INTERCEPT = "tools.intercept"
TOOLS_TRANSFORM_OUTPUT = "tools.transform_output"
LLM_CONTENT = "privacy.llm_content"
SESSION_LIFECYCLE = "session.lifecycle"

_PERMISSIONS = (
    Permission(TOOLS_INTERCEPT, "subscribing to before_tool_call and after_tool_call"),
    Permission(TOOLS_TRANSFORM_OUTPUT, "replacing the output of a tool; membership in the view of workers"),
    Permission(LLM_CONTENT, "subscribing to before_message, on_message_complete and on_compaction"),
    Permission(SESSION_LIFECYCLE, "subscribing to on_session_start and on_session_end"),
    Permission("tools.register", "tools in the initialize reply", registers=True),
    Permission("providers.register", "model providers in the initialize reply", registers=True),
    Permission("context_providers.register", "dormant memory-context providers"),
    Permission("memory.read", "memory.query", registers=True),
    Permission("memory.write", "memory.append", registers=True),
    Permission("config.write", "config.set", registers=True),
    Permission("config.subscribe", "config.subscribe", registers=True),
    Permission("audio.input", "audio input capabilities", registers=True),
    Permission("audio.output", "audio output capabilities", registers=True),
    Permission("session.drive", "driven turns proposed in command replies (later builds)"),
    Permission("tools.override", "nothing: it is always refused", is_reserved=True),
)

PERMISSIONS: Mapping[str, Permission] = MappingProxyType({each.name: each for each in _PERMISSIONS})
"""Every permission by its wire string."""


def unknown(permission: str) -> str:
    """The host's words for a permission that there is not."""
    return f"Unknown extension permission: {permission}"


def reserved(permission: str) -> str:
    """The host's words for a permission that there will be."""
    return f"Reserved extension permission is not implemented yet: {permission}"


def lacking(extension: str, permission: str, kind: str) -> str:
    """The host's words for a subscription without the permission of its kind (spec 2.2)."""
    return f"Extension '{extension}' lacks permission '{permission}' required for hook '{kind}'"
