"""A tool that runs: what it gives, asks for and returns as its error (spec D.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from kernel.dialects.rig.content import TextBlock, ToolResult
from kernel.dialects.rig.context import Canceled
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.operation import Outcome
from kernel.dialects.rig.session import texts
from kernel.dialects.rig.session.described import Call, Spawned
from kernel.dialects.rig.session.errors import TOOL_FAILED, HostError, made
from kernel.dialects.rig.session.gates import ANSWER, ASK_USER, DECLINE, Asked, Came, Gates
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed
from kernel.dialects.rig.session.owner import Close, Inside
from kernel.dialects.rig.session.waiting import slept
from kernel.dialects.rig.snapshot import ToolExecutionPayload
from kernel.dialects.rig.snapshot_view import to_view
from kernel.values import JSON

EMIT: Final = "emit"
"""A value that a host hands down to tools: without it none can ask anybody."""
PROVENANCE: Final = "provenance"
"""Another one: without it none knows who wanted it."""

Spawn: TypeAlias = Callable[[Spawned, Identity, Inside], Awaitable[BaseException | None]]
"""Has a loop of its own do something, as long as the context lasts; gives the error that it ended with."""


class Running:
    """A tool that runs."""

    def __init__(
        self, ground: Ground, gates: Gates, spawn: Spawn, call: Call, call_id: str, identity: Identity
    ) -> None:
        self._ground = ground
        self._gates = gates
        self._spawn = spawn
        self._call = call
        self._call_id = call_id
        self._identity = identity
        self.text = ""
        self.is_error = False
        self.canceled: BaseException | None = None
        """Why the execution's context had ended by the time at which the tool came back with an error."""

    async def act(self, inside: Inside) -> Close:
        error = await self._ran(inside)
        if error is not None:
            return self._failed(error, inside)
        if self._call.raises:
            self.text, self.is_error = texts.TOOL_PANICKED, True
        elif self._call.empty:
            self.text, self.is_error = texts.EMPTY_RESULT, True
        else:
            self.text = self._result
            return Close(terminal=self._terminal())
        return Close(HostError(TOOL_FAILED), self._terminal())

    @property
    def _result(self) -> str:
        if self._call.result is not None:
            return self._call.result
        if self._call.spawns is None:
            return "ok"
        return next((step.says for step in reversed(self._call.spawns.steps) if step.says), "ok")

    async def _ran(self, inside: Inside) -> BaseException | None:
        """What the tool returns as its error."""
        call = self._call
        if call.asks is not None and (error := await self._asked(inside)) is not None:
            return error
        if call.spawns is not None:
            try:
                error = await self._spawn(call.spawns, self._identity, inside)
            except AppendFailed as failure:
                error = failure.error
            if error is not None:
                return error
        if call.deaf:
            await slept(self._ground.root, self._ground.clock, call.takes_ms)
        elif (error := await slept(inside.context, self._ground.clock, call.takes_ms)) is not None:
            return error
        if call.error:
            return made(call.error, call.error_kind)
        return None

    async def _asked(self, inside: Inside) -> BaseException | None:
        """Have the tool's question answered; gives its error where there is no answer."""
        asks = self._call.asks
        assert asks is not None, "it asks"
        if inside.context.value(EMIT) is None:
            why = f"the context that it runs under has no value {EMIT!r}: some begin gave a detached one"
            subject = f"{self._call.tool} ({self._call_id})"
            self._ground.decided(inside, subject, "cannot ask", by="host", rule="RG-VALUES-LOST", why=why)
            return HostError("ask user: called without ctx value: emit")
        details: dict[str, JSON] = {"tool": self._call.tool, "question": asks.question, "answer": asks.answer}
        asked = Asked(ASK_USER, asks.question, details, ANSWER, DECLINE, {"answer": asks.answer})
        try:
            reply = await self._gates.asked(asked, self._call.gate, self._identity, inside)
        except AppendFailed as failure:
            return failure.error
        match reply.came:
            case Came.YES:
                return None
            case Came.NO:
                return HostError("the question was declined")
            case _:
                return reply.error or HostError("nobody answered")

    def _failed(self, error: BaseException, inside: Inside) -> Close:
        outcome = outcome_of(error)
        if outcome is Outcome.CANCELED:
            self.text, self.is_error = texts.CALL_CANCELED, True
            self.canceled = inside.context.err()
            return Close(Canceled(), self._terminal())
        self.text, self.is_error = texts.tool_error(_message(error)), True
        self.canceled = inside.context.err()
        if outcome is Outcome.DENIED:
            why = "its error holds a well-formed denial of a hook, which counts here although nothing guards executions"
            subject = f"{self._call.tool} ({self._call_id})"
            self._ground.decided(inside, subject, "denied", by="tool", rule="RG-EXECUTION-DENIED", why=why)
        return Close(HostError(TOOL_FAILED), self._terminal(), outcome)

    def _terminal(self) -> dict[str, JSON]:
        result = ToolResult([TextBlock(self.text)])
        return to_view(
            ToolExecutionPayload(result=result, result_preview=texts.preview(self.text), is_error=self.is_error)
        )


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # anybody's __str__
        return type(error).__name__
