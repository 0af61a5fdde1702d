"""Compaction: an attempt to summarise the transcript, with those who wait for its outcome (spec D.3, D.4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import IntEnum

from kernel.clock import NS_PER_MS, sleep
from kernel.dialects.rig.content import UserMessage
from kernel.dialects.rig.context import with_cancel
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.session.choices import Compacting
from kernel.dialects.rig.session.conversation import Conversation, user
from kernel.dialects.rig.session.described import Compaction
from kernel.dialects.rig.session.errors import HostError
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed, Journal
from kernel.dialects.rig.session.owner import Block, Close, Inside
from kernel.dialects.rig.session.texts import bounded
from kernel.dialects.rig.session.waiting import Ended, called_off, raced
from kernel.dialects.rig.snapshot import Basis, CompactionInput, CompactionOutput, CompactionPayload
from kernel.dialects.rig.snapshot_view import to_view


class RejectionReason(IntEnum):
    """What is told of a compaction that came to nothing. The specification gives numbers to these two."""

    UNAVAILABLE = 7
    INTERNAL = 12


@dataclass(frozen=True, slots=True)
class Reported:
    """What a compactor reports."""

    summary: UserMessage | None = None
    error: str = ""


class Compactions:
    """The compactions of one loop."""

    def __init__(self, ground: Ground, journal: Journal, conversation: Conversation) -> None:
        self._ground = ground
        self._journal = journal
        self._conversation = conversation
        self._automatic = list(ground.described.compactions)
        self.late: set[asyncio.Task[None]] = set()
        """Compactors that nobody waits for any more."""

    def next_automatic(self) -> Compaction:
        """What comes of the next automatic one."""
        return self._automatic.pop(0) if self._automatic else Compaction()

    async def attempted(self, compaction: Compaction, identity: Identity, inside: Inside, *, waiters: int) -> bool:
        """One attempt as an operation; says whether the conversation was replaced."""
        count = waiters if compaction.waiters is None else compaction.waiters
        attempt = _Attempt(self._ground, self._journal, self._conversation, compaction, count, self.late)
        payload = CompactionPayload(self._ground.new_id("attempt"), self._input())
        call = self._ground.call(Operation.COMPACTION, identity, payload)
        if compaction.hustle:
            self._ground.decided(
                inside,
                "compaction",
                "by a hustle",
                by="host",
                rule="RG-HUSTLE",
                why="hustles are a plane of their own: whatever model they ask, there is no operation of inference",
            )
        ended = await self._ground.operate(call, inside, attempt.act, attempt.refuse)
        if ended.close is None and ended.block is None and ended.is_completed:  # somebody else played it
            output = ended.call.compaction.output if ended.call.compaction is not None else None
            attempt.summary = output.summary if output is not None else None
        if attempt.summary is None:
            return False
        self._conversation.compacted(attempt.summary)
        return True

    def _input(self) -> CompactionInput:
        talk = self._conversation
        return CompactionInput(
            Basis(talk.revision, self._ground.new_id("basis")),
            talk.model_key,
            talk.fingerprint(),
            talk.messages,
            self._ground.described.limits.summary,
        )


class _Attempt:
    """One attempt under way."""

    def __init__(
        self,
        ground: Ground,
        journal: Journal,
        conversation: Conversation,
        compaction: Compaction,
        waiters: int,
        late: set[asyncio.Task[None]],
    ) -> None:
        self._ground = ground
        self._journal = journal
        self._conversation = conversation
        self._compaction = compaction
        self._waiters = waiters
        self._late = late
        self.summary: UserMessage | None = None
        """Once it is committed."""

    async def refuse(self, block: Block, inside: Inside) -> Close:
        """Neither started nor summarised; whoever waits is told, and not why."""
        reason = RejectionReason.UNAVAILABLE if block.is_denied else RejectionReason.INTERNAL
        why = f"reason {int(reason)} ({reason.name.lower()}) is all that the outside learns"
        self._tell(inside, "rejected", block.by, "RG-COMPACTION-BLOCKED", why)
        try:
            await self._rejected(reason, inside)
        except AppendFailed as failure:
            self._tell(inside, "rejection lost", "journal", "RG-COMPACTION-BLOCKED", str(failure))
        return Close()

    async def act(self, inside: Inside) -> Close:
        self._journal.told("CompactionStarted", inside, waiters=self._waiters)
        transcript = self._conversation.messages
        if self._compaction.scribbles:
            transcript.clear()  # a list of its own: neither hooks nor the conversation notice
        context, cancel = with_cancel(inside.context)
        timer = None
        if self._compaction.cancelled_after_ms is not None:
            when = self._ground.clock.now_ns() + round(self._compaction.cancelled_after_ms * NS_PER_MS)
            timer = self._ground.clock.call_at(when, cancel)
        compactor = asyncio.ensure_future(self._compact())
        found: Reported | Ended | None = None
        try:
            found = await raced(_waited(compactor), self._ground.clock, [context])
        finally:
            if timer is not None:
                timer.cancel()
            if found is None:
                await called_off(compactor)
        if isinstance(found, Ended):
            return await self._sealed(found.error, compactor, inside)
        if found.summary is None:
            return await self._failed(HostError(bounded(found.error)), inside)
        return await self._committed(found.summary, inside)

    async def _compact(self) -> Reported:
        """The compactor. It does not notice whether anybody still waits."""
        compaction = self._compaction
        await sleep(self._ground.clock, compaction.takes_ms)
        match compaction.ends:
            case Compacting.SUMMARY:
                return Reported(user(compaction.summary))
            case Compacting.NOTHING:
                never: asyncio.Future[Reported] = asyncio.get_running_loop().create_future()
                return await never
            case Compacting.RAISES:
                return Reported(error="loop: operation 4 panicked")
            case ends:
                return Reported(error=compaction.error or f"loop: compaction failed: {ends.value}")

    async def _committed(self, summary: UserMessage, inside: Inside) -> Close:
        try:
            await self._journal.event("CompactionCommitted", inside, revision=self._conversation.revision)
            for waiter in range(self._waiters):
                await self._journal.event("CompactionWaiterDone", inside, waiter=waiter)
        except AppendFailed as failure:
            return Close(failure.error, outcome=Outcome.FAILED)
        self.summary = summary
        talk = self._conversation
        basis = Basis(talk.revision)
        output = CompactionOutput(basis, talk.model_key, talk.fingerprint(), summary)
        return Close(terminal=to_view(CompactionPayload(output=output)))

    async def _failed(self, error: HostError, inside: Inside) -> Close:
        try:
            await self._rejected(RejectionReason.INTERNAL, inside)
        except AppendFailed as failure:
            return Close(failure.error, outcome=Outcome.FAILED)
        return Close(error, outcome=Outcome.FAILED)

    async def _sealed(self, error: BaseException, compactor: asyncio.Future[Reported], inside: Inside) -> Close:
        """The wait was cancelled: whatever the compactor reports from here on comes to nothing."""
        if self._compaction.ends is Compacting.NOTHING:
            await called_off(compactor)
        else:
            self._late.add(task := asyncio.ensure_future(self._ignored(compactor)))
            task.add_done_callback(self._late.discard)
        try:
            await self._rejected(RejectionReason.UNAVAILABLE, inside, note="cancelled")
        except AppendFailed as failure:
            why = "it was cancelled, and then its rejection could not be appended: that makes it one that failed"
            self._tell(inside, "failed", "journal", "RG-COMPACTION-SEALED", why)
            return Close(failure.error, outcome=Outcome.FAILED)
        return Close(error, outcome=Outcome.CANCELED)

    async def _ignored(self, compactor: asyncio.Future[Reported]) -> None:
        reported = await compactor
        what = "a summary" if reported.summary is not None else f"an error ({reported.error})"
        why = f"it reported {what} after the wait for it had been cancelled"
        self._tell(self._ground.outside(), "ignored", "host", "RG-COMPACTION-SEALED", why)

    async def _rejected(self, reason: RejectionReason, inside: Inside, note: str = "") -> None:
        """Durable before anything is finished. Raises AppendFailed."""
        if self._compaction.rejection_fails:
            raise AppendFailed(HostError(self._compaction.rejection_fails))
        await self._journal.event("CompactionRejected", inside, reason=int(reason), note=note)
        for waiter in range(self._waiters):
            await self._journal.event("CompactionWaiterRejected", inside, reason=int(reason), waiter=waiter)

    def _tell(self, inside: Inside, decision: str, by: str, rule: str, why: str) -> None:
        self._ground.decided(inside, "compaction", decision, by=by, rule=rule, why=why)


async def _waited(compactor: asyncio.Future[Reported]) -> Reported:
    """What it reports. Calling this off leaves the compactor alone."""
    return await asyncio.shield(compactor)
