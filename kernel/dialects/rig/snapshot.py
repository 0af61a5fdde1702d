"""What callbacks are shown of an operation: the call at its begin, the result at its finish (spec A.3 to A.6, B.5)."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Final
from uuid import UUID

from kernel.dialects.rig.content import (
    AssistantMessage,
    InferenceRequest,
    Message,
    ModelKey,
    RawJSON,
    StreamResult,
    ToolResult,
    UserMessage,
)
from kernel.dialects.rig.errors import CallError, CallKind
from kernel.dialects.rig.operation import Operation, is_operation, number_of

NO_ID: Final = UUID(int=0)
"""An identity that is absent."""


@dataclass(slots=True)
class Coordinates:
    """Where in a host it happens."""

    session_id: UUID = NO_ID
    loop_id: UUID = NO_ID
    turn_id: UUID = NO_ID
    step_id: UUID = NO_ID


@dataclass(slots=True)
class Cause:
    """What brought it about. All operations of a turn share one; it says nothing of who is whose parent."""

    coordinates: Coordinates = field(default_factory=Coordinates)
    command_id: UUID = NO_ID
    event_id: UUID = NO_ID
    tool_execution_id: UUID = NO_ID
    agency: int = 0
    """0 = the machine, by default; 1 = a user."""


@dataclass(slots=True)
class TurnPayload:
    index: int = 0
    """Within its loop; the first is 1."""
    input: UserMessage | None = None


@dataclass(slots=True)
class StepPayload:
    index: int = 0
    """Within its turn; the first is 0."""


@dataclass(slots=True)
class InferencePayload:
    request: InferenceRequest = field(default_factory=InferenceRequest)
    ai_message: AssistantMessage | None = None
    """Finish only; also what there is of a stream that was cut."""
    stream_result: StreamResult | None = None
    """Finish only, after a clean end."""


@dataclass(slots=True)
class Basis:
    """What a compaction starts from."""

    revision: int = 0
    through_event_id: UUID = NO_ID


@dataclass(slots=True)
class CompactionInput:
    basis: Basis = field(default_factory=Basis)
    model: ModelKey = field(default_factory=ModelKey)
    request_fingerprint: bytes = bytes(32)
    transcript: list[Message] | None = None
    max_summary_tokens: int = 0


@dataclass(slots=True)
class CompactionOutput:
    basis: Basis = field(default_factory=Basis)
    model: ModelKey = field(default_factory=ModelKey)
    request_fingerprint: bytes = bytes(32)
    summary: UserMessage | None = None


@dataclass(slots=True)
class CompactionPayload:
    attempt_id: UUID = NO_ID
    input: CompactionInput = field(default_factory=CompactionInput)
    output: CompactionOutput | None = None
    """Finish only, on success."""


@dataclass(slots=True)
class ToolCallPayload:
    tool_execution_id: UUID = NO_ID
    tool_use_id: str = ""
    tool_name: str = ""
    summary: str = ""
    args_json: RawJSON | None = None
    permission_effect: str = ""
    """Finish only: `approve`, `deny` or nothing."""
    permission_reason: str = ""
    result: ToolResult | None = None
    result_preview: str = ""
    is_error: bool = False


@dataclass(slots=True)
class GateAnswerSource:
    kind: str = ""
    """`user`, `policy`, `model`, `classifier` or nothing."""
    reason: str = ""


@dataclass(slots=True)
class GateAnswer:
    gate_id: UUID = NO_ID
    action: str = ""
    values: dict[str, str] | None = None
    source: GateAnswerSource = field(default_factory=GateAnswerSource)


@dataclass(slots=True)
class GateWaitPayload:
    gate_id: UUID = NO_ID
    kind: str = ""
    resolver: str = ""
    blocks: str = ""
    effect: str = ""
    answer: GateAnswer | None = None
    """Finish only."""


@dataclass(slots=True)
class ToolExecutionPayload:
    tool_execution_id: UUID = NO_ID
    tool_use_id: str = ""
    tool_name: str = ""
    args_json: RawJSON | None = None
    result: ToolResult | None = None
    result_preview: str = ""
    is_error: bool = False


@dataclass(slots=True)
class JournalAppendPayload:
    family: str = ""
    """`event`, `command`, `gate_prepared` or `fence`."""
    record_id: str = ""


@dataclass(slots=True)
class Call:
    """A snapshot of an operation that begins. The operation says which one of the eight payloads is there."""

    operation: int
    """One of `Operation`; kept as it is where it is none, for `call_error` to find."""
    started_at: int = 0
    """Nanoseconds since the epoch, taken before any callback."""
    coordinates: Coordinates = field(default_factory=Coordinates)
    agent_name: str = ""
    cause: Cause = field(default_factory=Cause)
    turn: TurnPayload | None = None
    step: StepPayload | None = None
    inference: InferencePayload | None = None
    compaction: CompactionPayload | None = None
    tool_call: ToolCallPayload | None = None
    gate_wait: GateWaitPayload | None = None
    tool_execution: ToolExecutionPayload | None = None
    journal_append: JournalAppendPayload | None = None


@dataclass(slots=True)
class Result(Call):
    """A snapshot of an operation that is over: the call with its terminal fields, and how it ended."""

    ended_at: int = 0
    """Nanoseconds since the epoch, taken before any finish callback."""
    outcome: int = 0
    """One of `Outcome`; nobody checks it."""
    err: BaseException | None = None
    """The very object that the operation ended with, the same for every finish."""

    @staticmethod
    def of(call: Call, *, ended_at: int = 0, outcome: int = 0, err: BaseException | None = None) -> Result:
        """The result of a call; payloads are shared with it."""
        return Result(
            **{name: getattr(call, name) for name in CALL_FIELDS}, ended_at=ended_at, outcome=outcome, err=err
        )


CALL_FIELDS: Final = tuple(each.name for each in fields(Call))


def call_error(call: Call) -> CallError | None:
    """What is wrong with a call, which is only ever its operation or which payloads it has."""
    operation = call.operation
    if type(operation) is not Operation and not is_operation(operation):
        return CallError(CallKind.UNKNOWN_OPERATION, number_of(operation))
    own, others = _PAYLOAD_FIELDS[operation - 1]
    if own(call) is not None and others(call) == _NONE_OF_THEM:
        return None
    return CallError(CallKind.INVALID_PAYLOAD, operation)


_NAMES: Final = tuple(operation.payload_field for operation in Operation)
_PAYLOAD_FIELDS: Final = tuple(
    (attrgetter(own), attrgetter(*(name for name in _NAMES if name != own))) for own in _NAMES
)
"""By operation: what gets its payload, and what gets those of all others."""
_NONE_OF_THEM: Final = (None,) * (len(_NAMES) - 1)


def payload_class(operation: Operation) -> type:
    """The record that a call of this operation holds."""
    return _PAYLOADS[operation]


_PAYLOADS: Final[dict[Operation, type]] = {
    Operation.TURN: TurnPayload,
    Operation.STEP: StepPayload,
    Operation.INFERENCE: InferencePayload,
    Operation.COMPACTION: CompactionPayload,
    Operation.TOOL_CALL: ToolCallPayload,
    Operation.GATE_WAIT: GateWaitPayload,
    Operation.TOOL_EXECUTION: ToolExecutionPayload,
    Operation.JOURNAL_APPEND: JournalAppendPayload,
}
