"""One call of a tool, from its lookup to its result (spec D.3 to D.6)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, TypeAlias

from kernel.dialects.rig.content import TextBlock, ToolResult
from kernel.dialects.rig.context import Canceled, with_value
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.session import texts
from kernel.dialects.rig.session.choices import Access, Dependency
from kernel.dialects.rig.session.conversation import arguments
from kernel.dialects.rig.session.described import Call, Described, Tool
from kernel.dialects.rig.session.errors import HostError, panicked
from kernel.dialects.rig.session.gates import APPROVE, DENY, PERMISSION, Asked, Came, Gates
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed, Journal
from kernel.dialects.rig.session.owner import Block, Close, Inside
from kernel.dialects.rig.session.running import EMIT, PROVENANCE, Running, Spawn
from kernel.dialects.rig.session.texts import Reason, Refused
from kernel.dialects.rig.snapshot import NO_ID, ToolCallPayload, ToolExecutionPayload
from kernel.dialects.rig.snapshot_view import to_view
from kernel.values import JSON

EFFECT_APPROVE, EFFECT_DENY = "approve", "deny"


class CaptureFailed(Exception):
    """The context for a review could not be captured: the step cannot go on."""


@dataclass(frozen=True, slots=True)
class Given:
    """What came of a call."""

    text: str
    is_error: bool
    effect: str = ""
    reason: str = ""
    error: BaseException | None = None
    """What the operation ends with, where it did not complete."""


@dataclass(frozen=True, slots=True)
class Permitted:
    effect: str
    reason: str


Permission: TypeAlias = Permitted | Given


class Tools:
    """The tools of one session."""

    def __init__(self, ground: Ground, described: Described, journal: Journal, gates: Gates, spawn: Spawn) -> None:
        self._ground = ground
        self._spawn = spawn
        self._journal = journal
        self._gates = gates
        self._known = {tool.name: tool for tool in described.tools}

    def is_serial(self, call: Call) -> bool:
        tool = self._known.get(call.tool)
        return tool is not None and tool.serial

    def payload(self, call: Call, call_id: str) -> ToolCallPayload:
        """What observers see at its beginning; without an id where none could be minted."""
        execution = NO_ID if call.minting_fails else self._ground.new_id("execution")
        return ToolCallPayload(execution, call_id, call.tool, texts.bounded(call.tool), arguments(call))

    async def refused(self, call: Call, call_id: str, block: Block, inside: Inside) -> tuple[Given, Close]:
        """A call that a guard blocked: started and completed like any other, and nothing in between."""
        self._told("ToolCallStarted", call, call_id, inside)
        text = texts.call_denied(block.reason) if block.is_denied else texts.BLOCKED_BY_HOOK
        given = Given(text, is_error=True, error=block.error)
        rule = "RG-CALL-DENIED" if block.is_denied else "RG-CALL-BLOCKED"
        why = "neither looked up, prepared, permitted nor run; the model reads why, and not the code"
        self._decided(inside, call, call_id, "not run", block.by, rule, why)
        return given, self._completed(call, call_id, given, inside)

    async def made(
        self, call: Call, call_id: str, payload: ToolCallPayload, identity: Identity, inside: Inside
    ) -> tuple[Given, Close]:
        """A call that nobody blocked. Raises CaptureFailed, and HostRaise where the event sink raises."""
        self._told("ToolCallStarted", call, call_id, inside)
        try:
            given = await self._given(call, call_id, payload, identity, inside)
        except AppendFailed as failure:
            given = Given(texts.CALL_FAILED, is_error=True, error=failure.error)
        return given, self._completed(call, call_id, given, inside)

    def _completed(self, call: Call, call_id: str, given: Given, inside: Inside) -> Close:
        self._told(
            "ToolCallCompleted", call, call_id, inside, is_error=given.is_error, preview=texts.preview(given.text)
        )
        terminal = ToolCallPayload(
            summary=texts.bounded(call.summary or call.tool),
            permission_effect=given.effect,
            permission_reason=given.reason,
            result=ToolResult([TextBlock(given.text)]),
            result_preview=texts.preview(given.text),
            is_error=given.is_error,
        )
        return Close(given.error, to_view(terminal))

    async def _given(
        self, call: Call, call_id: str, payload: ToolCallPayload, identity: Identity, inside: Inside
    ) -> Given:
        if call.minting_fails:
            return Given(texts.NO_CALL_ID, is_error=True, error=HostError(call.minting_fails))
        tool = self._known.get(call.tool)
        early = self._prepared(call, tool)
        if early is not None:
            return early
        assert tool is not None, "known, or refused already"
        error = inside.context.err()
        if error is not None:
            return Given(texts.CALL_CANCELED, is_error=True, error=error)
        permission = await self._permission(call, call_id, tool, identity, inside)
        if isinstance(permission, Given):
            return permission
        return await self._executed(call, call_id, payload, identity, inside, permission)

    def _prepared(self, call: Call, tool: Tool | None) -> Given | None:
        """Lookup and preparation; None where the call can be permitted and run."""
        if call.raises_in in _BEFORE_LOOKUP:
            return _panicked()
        if tool is None:
            return Given(texts.unknown_tool(call.tool), is_error=True)
        try:
            json.loads(arguments(call))
        except (ValueError, RecursionError):
            return Given(texts.BAD_ARGUMENTS, is_error=True)
        if not tool.has_preparation:
            return Given(texts.NO_PREPARATION, is_error=True)
        if call.raises_in in _WHILE_PREPARING:
            return _panicked()
        if call.preparation_fails:
            return Given(texts.preparation_failed(call.preparation_fails), is_error=True)
        return None

    # -- permission ------------------------------------------------------------------------------------------------

    async def _permission(self, call: Call, call_id: str, tool: Tool, identity: Identity, inside: Inside) -> Permission:
        if call.raises_in is Dependency.ACCESS:
            return _panicked()
        access = call.access or tool.access
        if access is Access.PROMPT:
            return await self._prompted(call, call_id, tool, identity, inside)
        effect = EFFECT_APPROVE if access is Access.APPROVE else EFFECT_DENY
        reason = _REASONS[access]
        await self._journal.event("PermissionDecided", inside, tool=call.tool, effect=effect, reason=reason.value)
        why = tool.access_note or f"evaluating its access came to {access.value}; nobody was asked"
        self._decided(inside, call, call_id, effect, "access", "RG-ACCESS", why)
        if access is Access.APPROVE:
            return Permitted(effect, reason.value)
        refused = tool.refused_as if access is Access.DENY else Refused.UNAVAILABLE
        return Given(
            texts.permission_denied(refused, tool.access_note), is_error=True, effect=effect, reason=reason.value
        )

    async def _prompted(self, call: Call, call_id: str, tool: Tool, identity: Identity, inside: Inside) -> Permission:
        if call.raises_in is Dependency.APPROVAL:
            return _panicked()
        if call.gate.capture_fails:
            raise CaptureFailed(call.gate.capture_fails)
        details: dict[str, JSON] = {"tool": call.tool, "tool_use_id": call_id, "arguments": _shown(call)}
        asked = Asked(PERMISSION, call.tool, details, APPROVE, DENY)
        reply = await self._gates.asked(asked, call.gate, identity, inside)
        match reply.came:
            case Came.YES:
                return Permitted(EFFECT_APPROVE, Reason.PERMISSION_APPROVED.value)
            case Came.NO:
                text = texts.permission_denied(Refused.NOT_AUTHORIZED)
                return Given(text, is_error=True, effect=EFFECT_DENY, reason=Reason.PERMISSION_DENIED.value)
            case Came.CANCELED:
                return Given(texts.CALL_CANCELED, is_error=True, error=inside.context.err() or Canceled())
            case Came.NOTHING:
                return Given(texts.permission_denied(Refused.UNAVAILABLE), is_error=True)

    # -- execution -------------------------------------------------------------------------------------------------

    async def _executed(
        self,
        call: Call,
        call_id: str,
        payload: ToolCallPayload,
        identity: Identity,
        inside: Inside,
        permission: Permitted,
    ) -> Given:
        context = with_value(with_value(inside.context, EMIT, "the loop's events"), PROVENANCE, identity.agent)
        running = Running(self._ground, self._gates, self._spawn, call, call_id, identity)
        begun = self._ground.call(
            Operation.TOOL_EXECUTION,
            identity,
            ToolExecutionPayload(payload.tool_execution_id, call_id, call.tool, arguments(call)),
        )
        ended = await self._ground.operate(begun, inside.under(context), running.act)
        text, is_error = running.text, running.is_error
        if ended.close is None:  # somebody else played the tool
            execution = ended.call.tool_execution
            text = _text_of(execution.result if execution is not None else None) or (
                texts.tool_error(str(ended.error)) if ended.error is not None else "ok"
            )
            is_error = ended.error is not None or (execution is not None and execution.is_error)
        if running.canceled is not None and is_error:
            return Given(texts.CALL_CANCELED, is_error=True, error=running.canceled)
        return Given(text, is_error, permission.effect, permission.reason)

    def _told(self, name: str, call: Call, call_id: str, inside: Inside, **more: JSON) -> None:
        self._journal.told(name, inside, tool=call.tool, tool_use_id=call_id, **more)

    def _decided(self, inside: Inside, call: Call, call_id: str, decision: str, by: str, rule: str, why: str) -> None:
        self._ground.decided(inside, f"{call.tool} ({call_id})", decision, by=by, rule=rule, why=why)


_BEFORE_LOOKUP: Final = (Dependency.INFO, Dependency.AUDIT)
_WHILE_PREPARING: Final = (Dependency.PREPARE, Dependency.WRITE_TARGET, Dependency.SEQUENTIAL)
_REASONS: Final = {
    Access.APPROVE: Reason.ACCESS_EVALUATED,
    Access.DENY: Reason.ACCESS_DENIED,
    Access.ERROR: Reason.ACCESS_ERROR,
    Access.GATE_MISSING: Reason.ACCESS_GATE_MISSING,
}


def _panicked() -> Given:
    return Given(texts.CALL_FAILED, is_error=True, error=panicked(Operation.TOOL_CALL))


def _text_of(result: ToolResult | None) -> str:
    blocks = result.content if result is not None else None
    return "".join(block.text for block in blocks or () if isinstance(block, TextBlock))


def _shown(call: Call) -> JSON:
    return call.args_text if call.args_text is not None else call.args
