"""Loops of one session: its own, and those that tools start, each with a conversation, turns and compactions."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kernel.clock import sleep
from kernel.dialects.rig.context import with_cancel
from kernel.dialects.rig.session.choices import Engine
from kernel.dialects.rig.session.compaction import Compactions
from kernel.dialects.rig.session.conversation import Conversation
from kernel.dialects.rig.session.described import Input, Spawned, Step
from kernel.dialects.rig.session.errors import HostError
from kernel.dialects.rig.session.gates import Gates
from kernel.dialects.rig.session.ground import Ended as OperationEnded
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import Journal
from kernel.dialects.rig.session.owner import Inside
from kernel.dialects.rig.session.steps import Steps
from kernel.dialects.rig.session.tools import Tools
from kernel.dialects.rig.session.turns import Turns
from kernel.dialects.rig.session.waiting import Ended, raced
from kernel.dialects.rig.snapshot import Cause


@dataclass(frozen=True, slots=True)
class Loop:
    """What one loop keeps."""

    turns: Turns
    compactions: Compactions

    @property
    def unfinished(self) -> set[asyncio.Task[None]]:
        """Whatever goes on although nobody waits for it."""
        return {*self.turns.orphans, *self.compactions.late}


class Loops:
    """Makes them, and knows all of them."""

    def __init__(self, ground: Ground, journal: Journal, gates: Gates) -> None:
        self._ground = ground
        self._journal = journal
        self._tools = Tools(ground, ground.described, journal, gates, self.spawned)
        self._made: list[Loop] = []

    @property
    def unfinished(self) -> set[asyncio.Task[None]]:
        return {task for loop in self._made for task in loop.unfinished}

    def made(self, conversation: Conversation) -> Loop:
        """Another loop, which goes on from a conversation."""
        compactions = Compactions(self._ground, self._journal, conversation)
        steps = Steps(self._ground, self._journal, self._tools, conversation)
        loop = Loop(Turns(self._ground, self._journal, steps, compactions, conversation), compactions)
        self._made.append(loop)
        return loop

    async def spawned(self, spawned: Spawned, by: Identity, inside: Inside) -> BaseException | None:
        """One turn of a loop of its own; it is interrupted once the context of whoever waits has ended."""
        ground, outside = self._ground, self._ground.outside()
        identity = Identity(spawned.agent, by.session, ground.new_id("loop"))
        await self._journal.event("LoopStarted", outside, agent=spawned.agent, engine=spawned.engine.value)
        cause = Cause(command_id=ground.new_id("command"))
        cause.coordinates.loop_id = by.loop
        await self._journal.command("SubmitInput", str(cause.command_id), outside)
        if spawned.engine is Engine.FOREIGN:
            await self.foreign(spawned.task, spawned.steps)
            return None
        loop, cancel = with_cancel(ground.root)
        turns = self.made(Conversation(ground.described)).turns
        given = Input(user=spawned.task, steps=spawned.steps)
        turn = asyncio.ensure_future(turns.taken(given, replace(identity, cause=cause), loop))
        try:
            found = await raced(_waited(turn), ground.clock, [inside.context])
            if isinstance(found, Ended):
                cancel()
                await asyncio.wait({turn})
        finally:
            if not turn.done():
                turn.cancel()
                await asyncio.wait({turn})
        ended = turn.result()  # raises what ends the session
        await self._journal.event("LoopIdle", outside)
        if isinstance(found, Ended):
            return found.error
        return None if ended.is_completed else HostError(f"loop {spawned.agent} ended badly")

    async def foreign(self, task: str, steps: Sequence[Step]) -> None:
        """A turn of somebody else's engine: only what the host itself appends around it can be observed."""
        self._ground.counts["foreign turns"] += 1
        with self._ground.stretches.entered("foreign turn", task, self._ground.session) as stretch:
            why = "its builder never receives the hooks: no turn, step, request or tool of it is an operation"
            stretch.decided("engine", "foreign", by="host", rule="RG-FOREIGN", why=why)
            await self._journal.event("TurnStarted", self._ground.outside(), engine="foreign")
            await sleep(self._ground.clock, sum(step.takes_ms for step in steps))
            await self._journal.event("TurnDone", self._ground.outside(), engine="foreign")


async def _waited(turn: asyncio.Future[OperationEnded]) -> OperationEnded:
    """What it comes to. Calling this off leaves the turn alone."""
    return await asyncio.shield(turn)
