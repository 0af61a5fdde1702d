"""A realistic call of each operation, made up from a seed: the same seed gives the same bytes, today and tomorrow.

All calls of one seed tell of one step of one turn: ids, names and arguments of one operation come back at the others.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from kernel.dialects.rig.content import (
    AssistantMessage,
    InferenceRequest,
    Message,
    Model,
    ModelKey,
    RawJSON,
    Sampling,
    TextBlock,
    Tool,
    ToolChoice,
    UserMessage,
)
from kernel.dialects.rig.operation import BY_LABEL, Operation
from kernel.dialects.rig.payload import RigPayload, of
from kernel.dialects.rig.snapshot import (
    NO_ID,
    Basis,
    Call,
    Cause,
    CompactionInput,
    CompactionPayload,
    Coordinates,
    GateWaitPayload,
    InferencePayload,
    JournalAppendPayload,
    StepPayload,
    ToolCallPayload,
    ToolExecutionPayload,
    TurnPayload,
)
from kernel.errors import BadInput

_BEGINNING_NS: Final = 1_772_355_600_000_000_000  # 2026-03-01T09:00:00Z


@dataclass(frozen=True, slots=True)
class _Task:
    """What somebody asks for, and the tool that the model reaches for first."""

    agent: str
    asked: str
    thought: str
    tool: str
    arguments: bytes


_TASKS: Final = (
    _Task("reader", "What does the README promise?", "I will read it.", "read", b'{"path":"README.md"}'),
    _Task("coder", "Rename Tide to Current everywhere.", "First, where is it used?", "search", b'{"pattern":"Tide"}'),
    _Task(
        "keeper", "Free some space on the build machine.", "I look at the size.", "shell", b'{"argv":["du","-sh","."]}'
    ),
    _Task("writer", "Draft the notes of today's meeting.", "I need the notes.", "open", b'{"name":"minutes/03-01.md"}'),
)


class _Story:
    """One step of one turn."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.task = _TASKS[seed % len(_TASKS)]
        self.started_at = _BEGINNING_NS + self._random.randrange(10**12)
        self.session, self.loop, self.turn, self.step, self.command = (self.id() for _ in range(5))
        self.execution, self.gate, self.attempt, self.event = (self.id() for _ in range(4))
        self.tool_use = f"toolu_{self._random.randrange(16**12):012x}"
        self.turn_index = 1 + self._random.randrange(5)

    def id(self) -> UUID:
        return UUID(int=self._random.getrandbits(128), version=4)

    @property
    def input(self) -> UserMessage:
        return UserMessage([TextBlock(self.task.asked)])

    @property
    def messages(self) -> list[Message]:
        return [self.input, AssistantMessage([TextBlock(self.task.thought)])]

    def call(self, operation: Operation) -> Call:
        """The call with what every operation of the turn carries (spec A.5)."""
        is_journal = operation is Operation.JOURNAL_APPEND
        step = self.step if operation not in (Operation.TURN, Operation.COMPACTION) else NO_ID
        coordinates = Coordinates(self.session, self.loop, self.turn, step)
        return Call(
            operation,
            self.started_at + int(operation) * 1_000_000,
            Coordinates(self.session) if is_journal else coordinates,
            "" if is_journal else self.task.agent,
            Cause() if is_journal else Cause(command_id=self.command, agency=1),
        )


def sample(point: str, seed: int) -> RigPayload:
    """See `Dialect.sample_payload`."""
    if point not in BY_LABEL:
        raise BadInput(f"no operation {point!r}; there are {', '.join(BY_LABEL)}")
    story = _Story(seed)
    call = story.call(BY_LABEL[point])
    raw = RawJSON(story.task.arguments)
    match BY_LABEL[point]:
        case Operation.TURN:
            call.turn = TurnPayload(story.turn_index, story.input)
        case Operation.STEP:
            call.step = StepPayload()
        case Operation.INFERENCE:
            call.inference = InferencePayload(_request(story))
        case Operation.COMPACTION:
            call.compaction = CompactionPayload(story.attempt, _compaction(story))
        case Operation.TOOL_CALL:
            task = story.task
            call.tool_call = ToolCallPayload(story.execution, story.tool_use, task.tool, task.tool, raw)
        case Operation.GATE_WAIT:
            call.gate_wait = GateWaitPayload(story.gate, "harness.permission", "loop", "tool_call", "resume")
        case Operation.TOOL_EXECUTION:
            call.tool_execution = ToolExecutionPayload(story.execution, story.tool_use, story.task.tool, raw)
        case Operation.JOURNAL_APPEND:
            call.journal_append = JournalAppendPayload("event", str(story.event))
    return of(call)


def _request(story: _Story) -> InferenceRequest:
    schema = RawJSON(b'{"type":"object"}')
    return InferenceRequest(
        model=Model(provider="tidal", api_format="messages", name="brook-2", sampling=Sampling(max_tokens=4096)),
        system=f"You are {story.task.agent}.",
        messages=[story.input],
        tools=[Tool(story.task.tool, f"The tool {story.task.tool}.", schema)],
        tool_choice=ToolChoice("auto"),
    )


def _compaction(story: _Story) -> CompactionInput:
    fingerprint = story.id().bytes + story.id().bytes
    return CompactionInput(
        Basis(7, story.event), ModelKey("tidal", "brook-2"), fingerprint, story.messages, max_summary_tokens=1024
    )
