"""What conversations are made of: blocks, messages, usage, tools (spec A.4).

Snapshots are mutable on purpose: every callback gets a copy of its own, and hook authors of this field expect to be
able to change it without anybody noticing. `None` and empty are different things everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NewType, TypeAlias

RawJSON = NewType("RawJSON", bytes)
"""JSON text as it came, not looked into."""


@dataclass(slots=True)
class TextBlock:
    text: str = ""


@dataclass(slots=True)
class RefusalBlock:
    text: str = ""


@dataclass(slots=True)
class ImageSource:
    url: str = ""
    data: bytes | None = None


@dataclass(slots=True)
class ImageBlock:
    media_type: str = ""
    source: ImageSource = field(default_factory=ImageSource)


@dataclass(slots=True)
class AudioBlock:
    media_type: str = ""
    data: bytes | None = None


@dataclass(slots=True)
class DocumentBlock:
    media_type: str = ""
    name: str = ""
    data: bytes | None = None
    text: str = ""


@dataclass(slots=True)
class ThinkingBlock:
    thinking: str = ""
    signature: str = ""
    provider_state: RawJSON | None = None
    provider_state_format: str = ""


@dataclass(slots=True)
class ToolUseBlock:
    id: str = ""
    name: str = ""
    input: RawJSON | None = None
    provider_state: RawJSON | None = None
    provider_state_format: str = ""


@dataclass(slots=True)
class ToolResultBlock:
    tool_use_id: str = ""
    content: list[Block] | None = None
    is_error: bool = False


Block: TypeAlias = (
    TextBlock | RefusalBlock | ImageBlock | AudioBlock | DocumentBlock | ThinkingBlock | ToolUseBlock | ToolResultBlock
)
"""A closed set: anything else in its place cannot be copied."""


@dataclass(slots=True)
class Usage:
    """Tokens."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_creation: int = 0
    reasoning: int = 0


@dataclass(slots=True)
class UserMessage:
    blocks: list[Block] | None = None


@dataclass(slots=True)
class SystemMessage:
    blocks: list[Block] | None = None


@dataclass(slots=True)
class AssistantMessage:
    blocks: list[Block] | None = None
    usage: Usage | None = None


@dataclass(slots=True)
class ToolResultMessage:
    blocks: list[Block] | None = None
    tool_use_id: str = ""
    is_error: bool = False


Message: TypeAlias = UserMessage | SystemMessage | AssistantMessage | ToolResultMessage
"""One entry of a conversation. A closed set, like blocks."""


@dataclass(frozen=True, slots=True)
class TypedNull:
    """A reference to nothing that still knows what it would refer to: stands in lists of blocks and messages."""

    kind: type


@dataclass(slots=True)
class Sampling:
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: list[str] | None = None
    effort: str = ""


@dataclass(slots=True)
class Model:
    """Which model is meant, and where it is."""

    provider: str = ""
    api_format: str = ""
    base_url: str = ""
    name: str = ""
    origin: str = ""
    capabilities: list[str] | None = None
    limits: dict[str, int] | None = None
    sampling: Sampling | None = None


@dataclass(slots=True)
class ModelKey:
    provider: str = ""
    model: str = ""


@dataclass(slots=True)
class Tool:
    name: str = ""
    description: str = ""
    schema: RawJSON | None = None


@dataclass(slots=True)
class OutputSchema:
    name: str = ""
    description: str = ""
    schema: RawJSON | None = None
    strict: bool = False


@dataclass(slots=True)
class ToolChoice:
    mode: str = ""
    name: str = ""


@dataclass(slots=True)
class InferenceRequest:
    """What is sent to a model."""

    model: Model = field(default_factory=Model)
    system: str = ""
    messages: list[Message] | None = None
    transient_messages: int = 0
    tools: list[Tool] | None = None
    output: OutputSchema | None = None
    tool_choice: ToolChoice = field(default_factory=ToolChoice)
    override: Sampling | None = None


@dataclass(slots=True)
class StreamResult:
    """How a stream ended that ended cleanly."""

    usage: Usage | None = None
    model: str = ""
    finish_reason: str = ""
    attempts: int = 0


@dataclass(slots=True)
class ToolResult:
    content: list[Block] | None = None
