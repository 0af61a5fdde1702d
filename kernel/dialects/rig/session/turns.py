"""One turn of a native loop: opened, stepped through, ended durably and only then finished (spec D.1, D.4, D.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from kernel.clock import NS_PER_MS, Timer, sleep
from kernel.dialects.rig.context import Canceled, Cancellable, Context, with_cancel
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.operation import Operation, Outcome
from kernel.dialects.rig.session.compaction import Compactions
from kernel.dialects.rig.session.conversation import Conversation, user
from kernel.dialects.rig.session.described import Input, Step
from kernel.dialects.rig.session.errors import HostError, HostRaise, made, panicked
from kernel.dialects.rig.session.ground import Ended, Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed, Journal
from kernel.dialects.rig.session.owner import Block, Close, Inside
from kernel.dialects.rig.session.steps import Steps
from kernel.dialects.rig.session.waiting import called_off
from kernel.dialects.rig.snapshot import TurnPayload

INTERNAL = 3
"""The reason of a refusal, whoever refused and why."""


@dataclass(slots=True)
class Ending:
    """How the turn's thread ended."""

    error: BaseException | None = None
    is_interrupted: bool = False


@dataclass(slots=True)
class _Turn:
    """One turn under way."""

    input: Input
    identity: Identity
    index: int
    loop: Cancellable
    """The loop's own context."""
    ending: Ending = field(default_factory=Ending)


class Turns:
    """The turns of one loop."""

    def __init__(
        self, ground: Ground, journal: Journal, steps: Steps, compactions: Compactions, conversation: Conversation
    ) -> None:
        self._ground = ground
        self._journal = journal
        self._steps = steps
        self._compactions = compactions
        self._conversation = conversation
        self._index = 0
        """Of the last turn that was not refused."""
        self.orphans: set[asyncio.Task[None]] = set()
        """Threads of turns that are over."""
        self.is_killed = False

    async def taken(self, given: Input, identity: Identity, loop: Cancellable) -> Ended:
        """One accepted input as an operation."""
        assert given.user is not None, "only what somebody says is a turn"
        turn = _Turn(given, replace(identity, turn=self._ground.new_id("turn")), self._index + 1, loop)
        timers = self._timers(turn)
        payload = TurnPayload(turn.index, user(given.user))
        call = self._ground.call(Operation.TURN, turn.identity, payload)

        async def act(inside: Inside) -> Close:
            self._index = turn.index  # one that is refused uses no number up
            return await self._act(turn, inside)

        async def refuse(block: Block, inside: Inside) -> Close:
            return await self._refused(turn, block, inside)

        try:
            ended = await self._ground.operate(call, self._ground.outside(loop), act, refuse)
        finally:
            for timer in timers:
                timer.cancel()
        word = Outcome(ended.outcome).word if 1 <= ended.outcome <= 4 else "other"
        self._ground.counts[f"turns {'rejected' if ended.block is not None else word}"] += 1
        if ended.close is None and ended.block is None:
            self._index = turn.index
        return ended

    def _timers(self, turn: _Turn) -> list[Timer]:
        clock = self._ground.clock
        if turn.input.killed_after_ms is None:
            return []
        when = clock.now_ns() + round(turn.input.killed_after_ms * NS_PER_MS)

        def kill() -> None:
            self.is_killed = True
            turn.loop.cancel()

        return [clock.call_at(when, kill)]

    async def _refused(self, turn: _Turn, block: Block, inside: Inside) -> Close:
        """A denial and a failed guard look alike from outside (spec D.3)."""
        name = "InputCancelled" if turn.input.is_delegated else "TurnRejected"
        told = {} if turn.input.is_delegated else {"reason": INTERNAL}
        try:
            await self._journal.event(name, inside, permit_released=1, **told)
        except AppendFailed as failure:
            why = f"the log did not take it: {failure}"
            self._ground.decided(inside, name, "lost", by="journal", rule="RG-TURN-BLOCKED", why=why)
        why = "neither code nor reason are told; the number of the turn is not used up, and no model is asked"
        self._ground.decided(inside, f"turn {turn.index}", "rejected", by=block.by, rule="RG-TURN-BLOCKED", why=why)
        return Close()

    async def _act(self, turn: _Turn, inside: Inside) -> Close:
        if turn.input.unstampable:
            return Close(HostError(turn.input.unstampable), outcome=Outcome.FAILED)
        try:
            await self._journal.event("TurnStarted", inside, index=turn.index)
            await self._journal.event("SessionActive", inside)
        except (AppendFailed, HostRaise) as failure:
            error = failure.error if isinstance(failure, AppendFailed) else panicked(Operation.TURN)
            return Close(error, outcome=Outcome.FAILED)
        context, cancel = with_cancel(inside.context)
        timer = self._interrupting(turn, cancel)
        thread = asyncio.ensure_future(self._thread(turn, inside.under(context), context))
        try:
            if not await self._drained(turn, thread):
                return self._abandoned(turn, thread, inside)
        finally:
            if timer is not None:
                timer.cancel()
            if thread not in self.orphans:
                await called_off(thread)
        thread.result()  # raises what ends the session
        cancel()
        return await self._ended(turn, inside)

    def _interrupting(self, turn: _Turn, cancel: Callable[[], None]) -> Timer | None:
        after = turn.input.interrupted_after_ms
        if after is None:
            return None
        clock = self._ground.clock
        return clock.call_at(clock.now_ns() + round(after * NS_PER_MS), cancel)

    async def _drained(self, turn: _Turn, thread: asyncio.Task[None]) -> bool:
        """Whether the thread came to its end; once the loop is shut down it is waited for only so long."""
        signal = turn.loop.done()
        ended = asyncio.get_running_loop().create_future()
        loop = asyncio.get_running_loop()
        assert signal is not None, "a loop can be shut down"

        def tell() -> None:
            if not ended.done():
                ended.set_result(None)

        def told() -> None:
            loop.call_soon_threadsafe(tell)

        undo = signal.on_set(told)
        try:
            await asyncio.wait({thread, ended}, return_when=asyncio.FIRST_COMPLETED)
            if thread.done() or not self.is_killed:
                await asyncio.wait({thread})
                return True
            limit = asyncio.ensure_future(sleep(self._ground.clock, self._ground.described.drain_ms))
            try:
                await asyncio.wait({thread, limit}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                await called_off(limit)
            return thread.done()
        finally:
            undo()
            ended.cancel()

    def _abandoned(self, turn: _Turn, thread: asyncio.Task[None], inside: Inside) -> Close:
        self.orphans.add(thread)
        thread.add_done_callback(self.orphans.discard)
        why = (
            f"the loop was shut down and the turn's thread said nothing for {self._ground.described.drain_ms:g} ms; "
            "what it began may end later than the turn"
        )
        self._ground.decided(inside, f"turn {turn.index}", "abandoned", by="host", rule="RG-HARD-KILL", why=why)
        return Close(turn.loop.err() or Canceled())

    # -- the thread ------------------------------------------------------------------------------------------------

    async def _thread(self, turn: _Turn, inside: Inside, context: Context) -> None:
        """Every step, until one of them ends the turn."""
        try:
            await self._stepped(turn, inside)
        except HostRaise:
            turn.ending.error = panicked(Operation.TURN)
            why = "what was raised went on out of the step, whose own finish ran; its text is told nowhere"
            self._ground.decided(inside, f"turn {turn.index}", "raised", by="host", rule="RG-RAISE-GOES-ON", why=why)
        except AppendFailed as failure:
            turn.ending.error = failure.error
        if context.err() is not None and turn.ending.error is not None:
            turn.ending.is_interrupted = True

    async def _stepped(self, turn: _Turn, inside: Inside) -> None:
        assert turn.input.user is not None
        self._conversation.add_user(turn.input.user)
        steps = turn.input.steps or (Step(says="done"),)
        if not await self._fits(turn, steps[0], inside, self._ground.outside(turn.loop)):
            return
        for index, step in enumerate(steps):
            identity = replace(turn.identity, step=self._ground.new_id("step"))
            done = await self._steps.taken(step, index, identity, inside)
            if done.error is not None:
                turn.ending = Ending(done.error, done.is_interrupted)
                return
            ahead = steps[index + 1] if index + 1 < len(steps) else None
            if not await self._behind(turn, step, ahead, inside):
                return

    async def _fits(self, turn: _Turn, step: Step, inside: Inside, measured: Inside) -> bool:
        """Measure what would be sent, and compact it where it is too much; says whether it can be sent.

        The first measurement of a turn is appended on the loop's own context, later ones in the turn (spec D.6).
        """
        limits = self._ground.described.limits
        tokens = self._conversation.tokens if step.context_tokens is None else step.context_tokens
        await self._journal.event("ContextMeasured", measured, tokens=tokens)
        if not limits.compact_at or tokens < limits.compact_at:
            return True
        compaction = self._compactions.next_automatic()
        is_compacted = await self._compactions.attempted(compaction, turn.identity, inside, waiters=0)
        if is_compacted or not limits.hard or tokens < limits.hard:
            return True
        turn.ending.error = inside.context.err() or HostError(f"loop: {tokens} tokens are at the hard input limit")
        why = f"nothing was compacted, and {tokens} tokens are no less than the hard limit of {limits.hard}"
        self._ground.decided(inside, f"turn {turn.index}", "failed", by="host", rule="RG-HARD-LIMIT", why=why)
        return False

    async def _behind(self, turn: _Turn, step: Step, ahead: Step | None, inside: Inside) -> bool:
        """What happens behind a step, under the turn's context and never under the step's; says whether it can go on.

        The measurement behind a step is the one before the next request (spec D.6).
        """
        for text in step.queued:
            self._journal.told("InputQueued", self._ground.outside(turn.loop), text=text)
        if ahead is not None and not await self._fits(turn, ahead, inside, inside):
            return False
        if step.compact is not None:
            record = self._ground.new_id("command")
            await self._journal.command("Compact", str(record), self._ground.outside(turn.loop))
            await self._compactions.attempted(step.compact, turn.identity, inside, waiters=1)
        for text in step.queued:
            self._conversation.add_user(text)
            await self._journal.event("InputFolded", inside, text=text)
        return True

    # -- the end ---------------------------------------------------------------------------------------------------

    async def _ended(self, turn: _Turn, inside: Inside) -> Close:
        """The terminal event, under the turn's own context, which no interruption cancels."""
        ending = turn.ending
        is_interrupted = ending.is_interrupted or self.is_killed
        name = "TurnInterrupted" if is_interrupted else "TurnDone" if ending.error is None else "TurnFailed"
        told = {} if ending.error is None or is_interrupted else {"error": _text(ending.error)}
        kind = turn.input.boundary_error_kind
        if turn.input.terminal_fails:
            return Close(made(turn.input.terminal_fails, kind))
        try:
            await self._journal.event(name, inside, **told)
        except AppendFailed as failure:
            return Close(failure.error)
        except HostRaise:
            return Close(panicked(Operation.TURN))
        if turn.input.boundary_fails:
            return Close(made(turn.input.boundary_fails, kind))
        if is_interrupted:
            return Close(Canceled())
        close = Close(ending.error)
        if ending.error is not None and outcome_of(ending.error) is not Outcome.FAILED:
            word = outcome_of(ending.error).word
            why = f"the durable event says that it failed; its error makes the operation one that was {word}"
            self._ground.decided(inside, f"turn {turn.index}", word, by="host", rule="RG-ERROR-DECIDES", why=why)
        return close


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # anybody's __str__
        return type(error).__name__
