"""A host's side of one tool call: emit before and after, and ask somebody where a handler wants a confirmation."""

from __future__ import annotations

from typing import Protocol

from kernel.asking import Resolver, Scope
from kernel.dialects.hookbus.acting import (
    MAX_TOOL_OUTPUT,
    Output,
    ToolVerdict,
    final_output,
    question_about,
    tool_verdict,
)
from kernel.dialects.hookbus.answers import Confirm, HookResult
from kernel.dialects.hookbus.events import MAX_HOOK_OUTPUT, after_tool_call, before_tool_call
from kernel.dialects.hookbus.latch import ConfirmLatch
from kernel.dialects.hookbus.payload import HookEvent
from kernel.values import JSON


class Emits(Protocol):
    """A bus, or a worker's view of one."""

    async def emit(self, event: HookEvent) -> HookResult: ...


class ToolGate:
    """Stands between a model's tool calls and the tools."""

    def __init__(
        self,
        bus: Emits,
        *,
        resolver: Resolver | None = None,
        latch: ConfirmLatch | None = None,
        is_auto_approved: bool = False,
        session_id: str | None = None,
    ) -> None:
        """Without a resolver nobody can be asked; without a latch nobody is allowed for good."""
        self._bus = bus
        self._resolver = resolver
        self._latch = latch
        self._is_auto_approved = is_auto_approved
        self._session_id = session_id

    async def before(self, tool_name: str, tool_input: JSON, *, runtime_name: str | None = None) -> ToolVerdict:
        """Whether the tool runs, and with which input."""
        event = before_tool_call(tool_name, tool_input, runtime_name=runtime_name, session_id=self._session_id)
        result = await self._bus.emit(event)
        if not isinstance(result, Confirm) or self._is_auto_approved:
            return tool_verdict(result, tool_input, is_auto_approved=self._is_auto_approved)
        if self._latch is not None and self._latch.allows_all(result.keys):
            return tool_verdict(result, tool_input, is_latched=True)
        if self._resolver is None:
            return tool_verdict(result, tool_input)
        confirmed = result.modified_input if result.modified_by else tool_input
        asked = question_about(result, event.having(tool_input=confirmed), "", has_latch=self._latch is not None)
        answer = await self._resolver.resolve(asked)
        if answer.allows and answer.scope is not Scope.ONCE and self._latch is not None:
            self._latch.allow(result.keys)
        return tool_verdict(result, tool_input, answer=answer)

    async def after(
        self,
        tool_name: str,
        tool_input: JSON,
        output: str,
        *,
        runtime_name: str | None = None,
        limit: int = MAX_HOOK_OUTPUT,
        max_tool_output: int = MAX_TOOL_OUTPUT,
    ) -> Output:
        """What enters the history. Hooks see at most `limit` bytes of the output; the whole of it may be kept."""
        event = after_tool_call(
            tool_name, tool_input, output, runtime_name=runtime_name, session_id=self._session_id, limit=limit
        )
        return final_output(await self._bus.emit(event), output, max_tool_output)
