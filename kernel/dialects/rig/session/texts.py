"""Fixed texts and bounds around calls of tools (spec D.5). Pure."""

from __future__ import annotations

import unicodedata
from enum import StrEnum
from typing import Final

MOST_PREVIEW_BYTES: Final = 2048
MOST_PREVIEW_LINES: Final = 20
MOST_DIAGNOSTIC_BYTES: Final = 1024
TRUNCATED: Final = "… [truncated]"

BAD_ARGUMENTS: Final = "error: invalid tool arguments (not valid JSON)"
EMPTY_RESULT: Final = "error: empty result"
TOOL_PANICKED: Final = "error: tool panicked"
CALL_CANCELED: Final = "error: tool call canceled"
CALL_FAILED: Final = "error: internal: tool call failed"
NO_CALL_ID: Final = "error: internal: could not generate call id"
NO_PREPARATION: Final = "error: permission denied: tool has no call preparation"
BLOCKED_BY_HOOK: Final = "error: internal: tool call blocked by hook"


class Refused(StrEnum):
    """As what a permission is refused."""

    OUT_OF_SCOPE = "out of scope"
    NOT_AUTHORIZED = "not authorized"
    UNAVAILABLE = "unavailable"


class Reason(StrEnum):
    """Why a call was permitted or refused."""

    ACCESS_EVALUATED = "access_evaluated"
    ACCESS_DENIED = "access_denied"
    ACCESS_ERROR = "access_error"
    ACCESS_GATE_MISSING = "access_gate_missing"
    PERMISSION_APPROVED = "permission_approved"
    PERMISSION_DENIED = "permission_denied"


def unknown_tool(name: str) -> str:
    return f"error: unknown tool: {bounded(name)}"


def preparation_failed(error: str) -> str:
    return f"error: tool preparation failed: {bounded(error)}"


def permission_denied(refused: Refused, note: str = "") -> str:
    """The text of a refusal, with what the evaluation said beside its verdict."""
    return f"error: permission denied [{refused}]" + (f": {bounded(note)}" if note else "")


def call_denied(reason: str) -> str:
    """The text of a call that a guard denied. The denial's code is not told."""
    return f"error: tool call denied: {reason}"


def tool_error(message: str) -> str:
    return f"error: {bounded(message)}"


def bounded(text: str) -> str:
    """A diagnostic: control characters are blanks, and there are at most so many bytes."""
    clean = "".join(" " if unicodedata.category(char) == "Cc" else char for char in text)
    return _first_bytes(clean, MOST_DIAGNOSTIC_BYTES)


def preview(text: str) -> str:
    """What is shown of a result: so many lines and bytes of it, and a marker where there is more."""
    lines = text.split("\n")
    shown = _first_bytes("\n".join(lines[:MOST_PREVIEW_LINES]), MOST_PREVIEW_BYTES)
    return shown if shown == text else shown + TRUNCATED


def _first_bytes(text: str, most: int) -> str:
    """As many whole characters as fit."""
    data = text.encode(errors="replace")
    return text if len(data) <= most else data[:most].decode(errors="ignore")
