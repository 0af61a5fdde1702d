"""A host's side of one tool call: emit before and after, and ask somebody where a handler wants a confirmation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kernel.asking import Resolver, Scope
from kernel.dialects.hookbus.acting import (
    MAX_TOOL_OUTPUT,
    NOBODY,
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


@dataclass(frozen=True, slots=True)
class Confirmed:
    """What became of a confirm."""

    verdict: ToolVerdict
    by: str
    """Who decided it: whoever answered, `nobody`, or the host itself."""
    is_latched_now: bool = False
    """Whether the sources may go on without a question from now on."""


async def confirmed(
    confirm: Confirm,
    event: HookEvent,
    original: JSON,
    asked_in: str,
    *,
    resolver: Resolver | None,
    latch: ConfirmLatch | None,
    is_auto_approved: bool,
) -> Confirmed:
    """Have a confirm decided (spec 2.7): by itself, by the latch, by somebody, or by the lack of anybody.

    `event` holds the input that would run if it is confirmed, `original` the one that the tool was called with;
    `asked_in` is the stretch or dispatch that asks.
    """
    if is_auto_approved:
        return Confirmed(tool_verdict(confirm, original, is_auto_approved=True), "host")
    if latch is not None and latch.allows_all(confirm.keys):
        return Confirmed(tool_verdict(confirm, original, is_latched=True), "latch")
    if resolver is None:
        return Confirmed(tool_verdict(confirm, original), NOBODY)
    answer = await resolver.resolve(question_about(confirm, event, asked_in, has_latch=latch is not None))
    verdict = tool_verdict(confirm, original, answer=answer)
    is_for_good = answer.allows and answer.by != NOBODY and answer.scope is not Scope.ONCE
    return Confirmed(verdict, answer.by, is_for_good and latch is not None and latch.allow(confirm.keys))


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
        if not isinstance(result, Confirm):
            return tool_verdict(result, tool_input)
        wanted = result.modified_input if result.modified_by else tool_input
        found = await confirmed(
            result,
            event.having(tool_input=wanted),
            tool_input,
            "",
            resolver=self._resolver,
            latch=self._latch,
            is_auto_approved=self._is_auto_approved,
        )
        return found.verdict

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
