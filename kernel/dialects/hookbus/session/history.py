"""The conversation of a session, as messages in the form in which extensions get to see it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from kernel.dialects.hookbus.events import api_safe
from kernel.dialects.hookbus.session.described import Call, ModelAnswer, Said
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model reads of a call."""

    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """Everything said so far."""

    messages: tuple[Mapping[str, JSON], ...] = ()

    @classmethod
    def of(cls, said: Iterable[Said]) -> History:
        return cls(tuple({"role": each.role.value, "content": each.text} for each in said))

    def user(self, text: str) -> History:
        return self._and({"role": "user", "content": text})

    def assistant(self, content: list[dict[str, JSON]]) -> History:
        return self._and({"role": "assistant", "content": [*content]})

    def results(self, results: Iterable[ToolResult]) -> History:
        """The results of one answer's calls, which are one message of the user."""
        blocks: list[JSON] = [
            {"type": "tool_result", "tool_use_id": each.call_id, "content": each.text, "is_error": each.is_error}
            for each in results
        ]
        return self._and({"role": "user", "content": blocks})

    def _and(self, message: Mapping[str, JSON]) -> History:
        return replace(self, messages=(*self.messages, message))


def content_of(answer: ModelAnswer, ids: Iterable[str]) -> list[dict[str, JSON]]:
    """The blocks of a model's answer; `ids` are those of its calls."""
    blocks: list[dict[str, JSON]] = [{"type": "text", "text": answer.says}] if answer.says else []
    return [*blocks, *(_use(call, call_id) for call, call_id in zip(answer.calls, ids, strict=True))]


def _use(call: Call, call_id: str) -> dict[str, JSON]:
    return {"type": "tool_use", "id": call_id, "name": api_safe(call.tool), "input": call.input}
