"""Errors of the hook package in its own words (spec B.2, B.4, B.5, C.3, C.6).

None of them is ours in the sense of `kernel.errors`: hosts and hook authors raise, return and catch these.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeGuard, TypeVar

from kernel.dialects.rig.showing import class_name

T = TypeVar("T")

CONTAINED_NOT: Final = (KeyboardInterrupt, SystemExit, GeneratorExit)
"""What ends a whole thread of execution rather than raising: passes every containment (spec C.7).

Everything else that a callback raises is contained, `asyncio.CancelledError` included: a callback is synchronous, so
nobody can have meant it by cancelling a task.
"""


def is_really(value: object, kind: type[T] | tuple[type[T], ...]) -> TypeGuard[T]:
    """Whether a value is of a class, whatever its `__class__` claims: a mock of an error can be no cause of one."""
    return issubclass(type(value), kind)


class ConfigKind(StrEnum):
    """What is wrong with a set, or with the fields of a denial."""

    UNEXPECTED_POLICY_REVISION = "unexpected_policy_revision"
    MISSING_POLICY_REVISION = "missing_policy_revision"
    INVALID_POLICY_REVISION = "invalid_policy_revision"
    UNKNOWN_OPERATION = "unknown_operation"
    OPERATION_NOT_GUARDABLE = "operation_not_guardable"
    NIL_GUARD = "nil_guard"
    NIL_AROUND = "nil_around"
    INVALID_DENIAL = "invalid_denial"


class CallKind(StrEnum):
    """What is wrong with a call."""

    UNKNOWN_OPERATION = "unknown_operation"
    INVALID_PAYLOAD = "invalid_payload"


class CloneKind(StrEnum):
    """What cannot be copied."""

    UNKNOWN_CONVERSATION = "unknown_conversation"
    UNKNOWN_BLOCK = "unknown_block"


class ConfigError(Exception):
    """A set that cannot be compiled, or a denial that cannot be built."""

    def __init__(self, kind: ConfigKind, field: str = "", operation: int = 0, index: int = 0) -> None:
        of_field = f" ({field})" if field else ""
        of_operation = f" for operation {operation}" if operation else ""
        super().__init__(f"hook: invalid configuration: {kind}{of_field}{of_operation}")
        self.kind = kind
        self.field = field
        self.operation = operation
        self.index = index
        """Position in the whole list, from 0."""


class CallError(Exception):
    """A call that cannot be dispatched: nobody was asked, and there is nothing to finish."""

    def __init__(self, kind: CallKind, operation: int) -> None:
        super().__init__(f"hook: invalid call: {kind} for operation {operation}")
        self.kind = kind
        self.operation = operation


class CloneError(Exception):
    """Content of a kind that nobody knows how to copy; never dropped silently."""

    def __init__(self, kind: CloneKind) -> None:
        super().__init__(f"hook: cannot clone: {kind}")
        self.kind = kind


class Denial(Exception):
    """A guard's well-formed no. `new_denial` checks the fields; one that is built directly may be malformed."""

    code: str = ""
    reason: str = ""
    """Of one that was never built, the nearest thing to a null reference: malformed like any other empty one."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason

    def __str__(self) -> str:
        return f"hook: denied: {self.code}: {self.reason}"


class Panic(Exception):
    """Stands for what a callback raised, which is dropped. Only the text says anything."""


GUARD_PANICKED: Final = "hook: guard callback panicked"
CLASSIFICATION_PANICKED: Final = "hook: denial classification panicked"


class GuardError(Exception):
    """A guard that failed: the operation is blocked, and no policy decided it. The message does not show the cause."""

    def __init__(self, operation: int, index: int, cause: BaseException) -> None:
        super().__init__(f"hook: guard failed for operation {operation} at index {index}")
        self.operation = operation
        self.index = index
        self.cause = cause
        self.__cause__ = cause


class ToldValue:
    """Something that is no error and was described: what it was and what it said."""

    def __init__(self, type_name: str, message: str) -> None:
        self.type_name = type_name
        self._message = message

    def __str__(self) -> str:
        return self._message


class NotAnError(Exception):
    """Stands for a value that a guard returned although it is no error. It blocks like any error."""

    def __init__(self, value: object) -> None:
        name = value.type_name if is_really(value, ToldValue) else class_name(value)
        super().__init__(f"hook: guard returned {name}, which is no error")
