"""What goes wrong in a host, as errors that the classifier of spec D.2 can look at; and what a raise is."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kernel.dialects.rig.context import Canceled, DeadlineExceeded
from kernel.dialects.rig.error_view import HostileError
from kernel.dialects.rig.errors import Denial, GuardError
from kernel.dialects.rig.operation import Operation


class ErrorKind(StrEnum):
    """What an error is to the classifier."""

    PLAIN = "plain"
    CANCELED = "canceled"
    """It wraps a cancellation."""
    DEADLINE = "deadline"
    """It wraps an exceeded deadline."""
    DENIAL = "denial"
    """It wraps a well-formed denial of a hook."""
    MALFORMED_DENIAL = "malformed_denial"
    GUARD = "guard"
    """It wraps a guard's failure, whose own cause is a cancellation."""
    HOSTILE = "hostile"
    """It raises when somebody looks at what it wraps."""


class HostError(Exception):
    """Something went wrong in the host, in its own words."""


class HostRaise(Exception):
    """Code of the host raised. Goes out of every operation around it, which all end on the way."""


class SessionEnded(Exception):
    """The session cannot go on."""

    def __init__(self, status: str, rule: str, why: str) -> None:
        super().__init__(why)
        self.status, self.rule, self.why = status, rule, why


TOOL_FAILED: Final = "loop: tool execution failed"
APPEND_PANICKED: Final = "journal: append panicked"


def panicked(operation: Operation) -> HostError:
    """What is told of a raise, whose own text is told nowhere."""
    if operation is Operation.JOURNAL_APPEND:
        return HostError(APPEND_PANICKED)
    return HostError(f"loop: operation {int(operation)} panicked")


def blocked_error(operation: Operation, *, is_denied: bool) -> HostError:
    """What an operation around a blocked one ends with: it wraps neither code nor reason (spec D.3)."""
    how = "denied by hook policy" if is_denied else "blocked by hook failure"
    return HostError(f"loop: operation {int(operation)} {how}")


def made(text: str, kind: ErrorKind) -> BaseException:
    """A described error."""
    if kind is ErrorKind.HOSTILE:
        return HostileError(text)
    error = HostError(text)
    match kind:
        case ErrorKind.CANCELED:
            error.__cause__ = Canceled()
        case ErrorKind.DEADLINE:
            error.__cause__ = DeadlineExceeded()
        case ErrorKind.DENIAL:
            error.__cause__ = Denial("tool.refused", text or "refused")
        case ErrorKind.MALFORMED_DENIAL:
            error.__cause__ = Denial("INVALID", text)
        case ErrorKind.GUARD:
            error.__cause__ = GuardError(int(Operation.INFERENCE), 0, Canceled())
        case ErrorKind.PLAIN:
            pass
    return error
