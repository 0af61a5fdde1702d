"""What asking somebody gave, in a few words. Pure."""

from __future__ import annotations

from typing import assert_never

from kernel.values import Answered, Cancelled, Crashed, Empty, Failed, Outcome, Skipped, TimedOut


def came(outcome: Outcome | None) -> str:
    """What asking somebody gave, in a few words."""
    match outcome:
        case None:
            return "no answer yet"
        case Answered(body):
            return f"{len(body)} bytes"
        case Empty():
            return "nothing at all"
        case Failed(code, message):
            return f"{code}: {message}" if message else code
        case Crashed(message):
            return f"its process is gone: {message}" if message else "its process is gone"
        case TimedOut(after_ms):
            return f"no answer after {after_ms:.0f} ms"
        case Cancelled(reason):
            return f"the caller gave up: {reason}"
        case Skipped(by):
            return f"left out by the {by}"
        case _:
            assert_never(outcome)
