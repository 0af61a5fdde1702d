"""What deliveries of a call come to: outcomes, and words about them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, assert_never

import msgspec

from kernel.faults import Die, FarSide, Rewire
from kernel.transports.stdio.connection import Lost
from kernel.transports.stdio.messages import ErrorReply
from kernel.values import Crashed, Delivery, Failed, Outcome, TimedOut

HOOK: Final = "hook.handle"
TOOL: Final = "tool.call"
TIMEOUTS_MS: Final[Mapping[str, int]] = {
    HOOK: 5_000,
    TOOL: 120_000,
    "info.get": 5_000,
    "sidecar.spawn_args": 5_000,
    "settings.editor.open": 5_000,
    "settings.editor.key": 5_000,
    "settings.editor.commit": 5_000,
}
"""Milliseconds for one call, restarts included (spec 4.4)."""
OTHER_TIMEOUT_MS: Final = 30_000


def tool_output(result: bytes) -> str:
    """What a tool gave, as text: a string, the content of an object that has one, any other JSON as it is."""
    match msgspec.json.decode(result):
        case str(text):
            return text
        case {"content": str(text)}:
            return text
        case _:
            return result.decode()


def second_act(act: FarSide | None) -> FarSide | None:
    """What is to happen to the second delivery of a call."""
    return act if isinstance(act, Die | Rewire) and act.deliveries > 1 else None


def said(given: ErrorReply | Lost) -> str:
    """Why a delivery failed, in words about the extension."""
    match given:
        case ErrorReply(_, code, message):
            return f"it answered with an error ({code}): {message}" if code else f"it answered with an error: {message}"
        case Lost(reason):
            return reason
        case never:
            assert_never(never)


def failure(given: ErrorReply | Lost, text: str, deliveries: tuple[Delivery, ...]) -> Outcome:
    """What a call comes to that failed for good."""
    match given:
        case ErrorReply(_, code, _):
            return Failed(code or "error", text, deliveries)
        case Lost():
            return Crashed(text, deliveries)
        case never:
            assert_never(never)


def why(outcome: Outcome) -> str:
    """The same of an outcome."""
    match outcome:
        case Failed(_, message) | Crashed(message):
            return message
        case TimedOut(after_ms):
            return f"no answer after {after_ms:g} ms"
        case _:
            return type(outcome).__name__
