"""The closed domain of the dialect: eight operations, four outcomes (spec A.1, A.2)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final


class Operation(IntEnum):
    """What a host does and lets hooks take part in. The numbers are part of messages and of the log."""

    TURN = 1
    STEP = 2
    INFERENCE = 3
    COMPACTION = 4
    TOOL_CALL = 5
    GATE_WAIT = 6
    TOOL_EXECUTION = 7
    JOURNAL_APPEND = 8

    @property
    def label(self) -> str:
        """The field's own name: `ToolCall`."""
        return _LABELS[self]

    @property
    def payload_field(self) -> str:
        """The field of a call that holds this operation's payload: `tool_call`."""
        return self.name.lower()

    @property
    def is_guardable(self) -> bool:
        """Whether a guard may stand before it."""
        return self in GUARDABLE


_LABELS: Final[Mapping[Operation, str]] = MappingProxyType(
    {operation: "".join(part.capitalize() for part in operation.name.split("_")) for operation in Operation}
)
BY_LABEL: Final[Mapping[str, Operation]] = MappingProxyType({label: operation for operation, label in _LABELS.items()})
GUARDABLE: Final = frozenset({Operation.TURN, Operation.INFERENCE, Operation.COMPACTION, Operation.TOOL_CALL})


class Outcome(IntEnum):
    """How the owner of an operation says that it ended."""

    COMPLETED = 1
    DENIED = 2
    FAILED = 3
    CANCELED = 4

    @property
    def word(self) -> str:
        """In a result: `completed`."""
        return self.name.lower()


def is_operation(value: object) -> bool:
    """Whether this is one of the eight. A bool is no number here, whatever Python says."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 8


def is_guardable(value: object) -> bool:
    """Whether this is an operation that may be guarded."""
    return is_operation(value) and value in GUARDABLE


def is_outcome(value: object) -> bool:
    """Whether this is one of the four."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 4


def number_of(value: object) -> int:
    """The number under which an operation, valid or not, is spoken of in messages; 0 for what is no number."""
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else 0
