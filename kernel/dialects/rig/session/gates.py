"""Gates: installed, acknowledged and announced first, and only then waited at (spec D.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final
from uuid import UUID

from kernel.asking import THIS_ONE, Answer, Question, Resolver
from kernel.dialects.rig.context import Context, with_cancel, without_cancel
from kernel.dialects.rig.operation import Operation
from kernel.dialects.rig.session.described import Gate
from kernel.dialects.rig.session.errors import HostError, made
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import GATE_PREPARED, AppendFailed, Entry, Journal
from kernel.dialects.rig.session.owner import Close, Inside
from kernel.dialects.rig.session.waiting import Ended, raced
from kernel.dialects.rig.snapshot import GateAnswer, GateAnswerSource, GateWaitPayload
from kernel.dialects.rig.snapshot_view import to_view
from kernel.values import JSON

PERMISSION: Final = "harness.permission"
ASK_USER: Final = "harness.ask_user"
APPROVE, DENY, ANSWER, DECLINE = "Approve", "Deny", "Answer", "Decline"


class Came(Enum):
    """What waiting at a gate came to."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing usable"
    """No answer that counts, while the call may still go on."""
    CANCELED = "canceled"
    """The context around the gate ended."""


@dataclass(frozen=True, slots=True)
class Reply:
    came: Came
    by: str = ""
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked at a gate."""

    kind: str
    subject: str
    details: dict[str, JSON]
    yes: str
    """The action of an answer that says yes."""
    no: str
    values: dict[str, str] | None = None
    """What an answer that says yes says beside that."""


class Gates:
    """The gates of one session."""

    def __init__(self, ground: Ground, journal: Journal, resolver: Resolver) -> None:
        self._ground = ground
        self._journal = journal
        self._resolver = resolver

    async def asked(self, asked: Asked, gate: Gate, identity: Identity, inside: Inside) -> Reply:
        """Have something decided. Raises AppendFailed where the gate cannot be installed."""
        gate_id = self._ground.new_id("gate")
        await self._journal.append(Entry(GATE_PREPARED, str(self._ground.new_id("event")), GATE_PREPARED), inside)
        await self._journal.event("GateOpened", inside, gate=str(gate_id), gate_kind=asked.kind)
        if asked.kind == PERMISSION:
            await self._journal.event("PermissionRequested", inside, gate=str(gate_id), tool=asked.subject)
        self._ground.counts["gates"] += 1
        wait = _Wait(self._ground, self._journal, self._resolver, asked, gate, gate_id, inside.context)
        call = self._ground.call(
            Operation.GATE_WAIT, identity, GateWaitPayload(gate_id, asked.kind, "loop", "tool_call", "resume")
        )
        ended = await self._ground.operate(call, inside, wait.act)
        if wait.reply is not None:
            return wait.reply
        answer = ended.call.gate_wait.answer if ended.call.gate_wait is not None else None
        if ended.is_completed and answer is not None:  # somebody else played the wait
            return Reply(Came.YES if answer.action == asked.yes else Came.NO, answer.source.kind)
        return Reply(Came.NOTHING, error=ended.error)


class _Wait:
    """Waiting at one gate."""

    def __init__(
        self,
        ground: Ground,
        journal: Journal,
        resolver: Resolver,
        asked: Asked,
        gate: Gate,
        gate_id: UUID,
        around: Context,
    ) -> None:
        self._ground = ground
        self._journal = journal
        self._resolver = resolver
        self._asked = asked
        self._gate = gate
        self._id = gate_id
        self._around = around
        """The context around the gate, of which the wait's own may know nothing."""
        self.reply: Reply | None = None

    async def act(self, inside: Inside) -> Close:
        asked = self._asked
        question = Question(
            inside.parent,
            asked.subject,
            asked.details,
            asked.kind,
            wording=asked.subject if asked.kind == ASK_USER else "",
            yes=asked.yes.lower(),
            no=asked.no.lower(),
            replies=THIS_ONE,
        )
        contexts = [self._around, inside.context]
        found = await raced(self._resolver.resolve(question), self._ground.clock, contexts)
        match found:
            case Answer() as answer:
                return await self._answered(answer, inside)
            case Ended(context, error) if context is self._around or self._around.err() is not None:
                self.reply = Reply(Came.CANCELED, error=error)
                return Close(self._around.err() or error)
            case Ended(_, error):
                return await self._abandoned(error, inside)

    async def _answered(self, answer: Answer, inside: Inside) -> Close:
        """Whoever answers appends the gate's end and what follows from it, on its own and not on the call's behalf."""
        action = self._asked.yes if answer.allows else self._asked.no
        responder = self._ground.outside()
        try:
            await self._journal.event("GateResolved", responder, gate=str(self._id), action=action, by=answer.by)
            if self._asked.kind == PERMISSION:
                name = "ApproveToolCall" if answer.allows else "DenyToolCall"
                await self._journal.command(name, str(self._ground.new_id("command")), responder)
        except AppendFailed as failure:
            self.reply = Reply(Came.NOTHING, error=failure.error)
            return Close(failure.error)
        if self._gate.mismatch:
            error = HostError(f"loop: reply does not match gate {self._id}")
            self._tell(inside, "mismatch", answer.by, "RG-GATE-MISMATCH", "the reply that came was one to another gate")
            self.reply = Reply(Came.NOTHING, answer.by, error)
            return Close(error)
        values = self._asked.values if answer.allows else None
        source = GateAnswerSource("user", answer.by)
        given = GateAnswer(self._id, action, values, source)
        why = f"{answer.by} answered {action}; the wait is over either way"
        self._tell(inside, action, answer.by, "RG-GATE-ANSWERED", why)
        self.reply = Reply(Came.YES if answer.allows else Came.NO, answer.by)
        return Close(terminal=to_view(GateWaitPayload(answer=given)))

    async def _abandoned(self, error: BaseException, inside: Inside) -> Close:
        """Only the wait's own context ended: the gate is removed and closed first, and the call goes on refused."""
        context, cancel = with_cancel(without_cancel(inside.context))  # its values, and the lifetime of what is around
        context.follow(self._around)
        self.reply = Reply(Came.NOTHING, error=error)
        try:
            if self._gate.abandon_fails:
                failed = made(self._gate.abandon_fails, self._gate.abandon_error_kind)
                self._tell(inside, "not abandoned", "host", "RG-GATE-ABANDONED", f"closing it failed: {failed}")
                return Close(failed)
            await self._journal.event("GateClosed", inside.under(context), gate=str(self._id), reason="abandoned")
        except AppendFailed as failure:
            return Close(failure.error)
        finally:
            cancel()
        why = "only the context of the wait ended, so the gate was closed before the wait was over"
        self._tell(inside, "abandoned", "host", "RG-GATE-ABANDONED", why)
        return Close(error)

    def _tell(self, inside: Inside, decision: str, by: str, rule: str, why: str) -> None:
        self._ground.decided(inside, self._asked.subject, decision, by=by, rule=rule, why=why)
