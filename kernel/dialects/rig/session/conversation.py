"""The conversation of a loop as messages, and what is made of them: requests, transcripts."""

from __future__ import annotations

import hashlib
import json

from kernel.dialects.rig.content import (
    AssistantMessage,
    Block,
    InferenceRequest,
    Message,
    Model,
    ModelKey,
    RawJSON,
    Sampling,
    TextBlock,
    ThinkingBlock,
    Tool,
    ToolChoice,
    ToolResultMessage,
    ToolUseBlock,
    Usage,
    UserMessage,
)
from kernel.dialects.rig.session.choices import Role
from kernel.dialects.rig.session.described import Call, Described, Said, Step


class Conversation:
    """What was said so far. Only the loop that owns it changes it."""

    def __init__(self, described: Described, messages: tuple[Said, ...] = ()) -> None:
        self._described = described
        self._messages: list[Message] = []
        for said in messages:
            blocks: list[Block] = [TextBlock(said.text)]
            self._messages.append(AssistantMessage(blocks) if said.role is Role.ASSISTANT else UserMessage(blocks))
        self.revision = len(self._messages)
        """How often it changed."""
        self.tokens = 0
        """What measuring it came to at last."""

    @property
    def messages(self) -> list[Message]:
        return list(self._messages)

    def add(self, message: Message) -> None:
        self._messages.append(message)
        self.revision += 1

    def add_user(self, text: str) -> None:
        self.add(user(text))

    def compacted(self, summary: UserMessage) -> None:
        """The summary takes the place of everything."""
        self._messages = [summary]
        self.revision += 1
        self.tokens = 0

    @property
    def model_key(self) -> ModelKey:
        return ModelKey(self._described.model.provider, self._described.model.name)

    def request(self) -> InferenceRequest:
        """What is sent to the model now."""
        model = self._described.model
        sampling = None
        if model.max_tokens is not None or model.temperature is not None:
            sampling = Sampling(temperature=model.temperature, max_tokens=model.max_tokens)
        tools = [Tool(each.name, each.description, raw(each.schema)) for each in self._described.tools]
        return InferenceRequest(
            Model(provider=model.provider, api_format="messages", name=model.name, sampling=sampling),
            self._described.system,
            self.messages,
            tools=tools or None,
            tool_choice=ToolChoice("auto") if tools else ToolChoice(),
        )

    def fingerprint(self) -> bytes:
        """32 bytes that change with what would be sent."""
        text = repr((self._described.system, self._described.model, self._messages))
        return hashlib.sha256(text.encode(errors="replace")).digest()


def text_of(message: UserMessage | None) -> str:
    """The text of a message, without anything else that is in it."""
    blocks = message.blocks if message is not None else None
    return "".join(block.text for block in blocks or () if isinstance(block, TextBlock))


def user(text: str) -> UserMessage:
    return UserMessage([TextBlock(text)])


def reply(step: Step, calls: list[tuple[Call, str]], *, is_partial: bool) -> AssistantMessage:
    """What the model said in a step, whole or as far as it came. Calls come with their ids."""
    blocks: list[Block] = []
    if step.thinks:
        blocks.append(ThinkingBlock(step.thinks))
    if step.says:
        blocks.append(TextBlock(step.says))
    if not is_partial:
        blocks += [ToolUseBlock(call_id, call.tool, arguments(call)) for call, call_id in calls]
    usage = None if is_partial else Usage(step.input_tokens, step.output_tokens)
    return AssistantMessage(blocks, usage)


def tool_result(call_id: str, text: str, *, is_error: bool) -> ToolResultMessage:
    return ToolResultMessage([TextBlock(text)], call_id, is_error)


def arguments(call: Call) -> RawJSON:
    """The arguments of a call as they came."""
    return RawJSON(call.args_text.encode(errors="replace")) if call.args_text is not None else raw(call.args)


def raw(view: object) -> RawJSON:
    return RawJSON(json.dumps(view, separators=(",", ":"), ensure_ascii=False).encode(errors="replace"))
