"""A described session played in the host's own order: every operation a real dispatch, nested as in spec D.6."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from types import MappingProxyType
from typing import Final

from kernel.clock import NS_PER_MS, Limit, sleep
from kernel.describing import Reactions
from kernel.dialects.rig import config
from kernel.dialects.rig.context import Cancellable, with_cancel, with_deadline
from kernel.dialects.rig.payload import RigPayload
from kernel.dialects.rig.session.choices import Engine
from kernel.dialects.rig.session.conversation import Conversation, text_of
from kernel.dialects.rig.session.described import Compaction, Described, Input, Record
from kernel.dialects.rig.session.errors import HostRaise, SessionEnded
from kernel.dialects.rig.session.gates import Gates
from kernel.dialects.rig.session.ground import Ground, Identity
from kernel.dialects.rig.session.journal import AppendFailed, Journal
from kernel.dialects.rig.session.loading import load
from kernel.dialects.rig.session.loops import Loops
from kernel.dialects.rig.session.opening import Opening
from kernel.dialects.rig.snapshot import Cause
from kernel.playing import Playable, Played, Stage
from kernel.values import JSON, Payload

AGENCY_USER: Final = 1
LONGEST_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that says how a session goes, read and checked."""

    described: Described
    policy_revision: str = ""
    """Of the hooks that the session has now."""
    wall_ns: Callable[[], int] = time.time_ns

    @property
    def details(self) -> frozenset[str]:
        return frozenset({"decision", "event", "command", "fence"})

    def label(self, payload: Payload) -> str:
        """Input, tool, gate, record: whatever tells operations of a kind apart."""
        if not isinstance(payload, RigPayload):
            return ""
        call = payload.call
        if call.turn is not None:
            return shorten(text_of(call.turn.input), LONGEST_LABEL, placeholder=" ...")
        if call.tool_call is not None:
            return call.tool_call.tool_name
        if call.tool_execution is not None:
            return call.tool_execution.tool_name
        if call.gate_wait is not None:
            return call.gate_wait.kind
        return call.journal_append.family if call.journal_append is not None else ""

    async def play(self, stage: Stage) -> Played:
        """Play it to its end."""
        return await _Play(self, stage).whole()


def load_session(
    config_path: Path, view: JSON, name: str, options: Mapping[str, JSON] = MappingProxyType({})
) -> Playable:
    """What the registry of dialects asks for: a description played under a set file. Raises BadInput."""
    config.load_setup(config_path, options)
    return Script(load(view, name), config.revision_of(config_path))


class _Play:
    """One session under way."""

    def __init__(self, script: Script, stage: Stage) -> None:
        self.described = script.described
        self.ground = Ground(stage, script.described, script.wall_ns())
        ground, described = self.ground, self.described
        self.identity = Identity(described.agent, ground.new_id("session"), ground.new_id("loop"))
        self.journal = Journal(ground, self.identity)
        self.gates = Gates(ground, self.journal, stage.resolver or Reactions(described.answers, stage.clock))
        self.loops = Loops(ground, self.journal, self.gates)
        own = self.loops.made(Conversation(described, described.messages))
        self.turns, self.compactions = own.turns, own.compactions
        self.opening = Opening(ground, self.journal, script.policy_revision)
        self.loop, _ = with_cancel(ground.root)

    async def whole(self) -> Played:
        """Play it. Whoever gave up is told the end like anybody else."""
        ground, described = self.ground, self.described
        known: dict[str, JSON] = {"session.id": str(self.identity.session), "agent": described.agent}
        ended = SessionEnded("completed", "", "everything that was to come to the loop has come")
        with ground.stretches.entered("session", described.session, None, known) as ground.session:
            try:
                with Limit(ground.clock, None, ground.stage.caller) as limit:
                    try:
                        await self.inputs()
                    except SessionEnded as early:
                        ended = early
                    await self.settled()
                if limit.given_up:
                    ended = SessionEnded(
                        "cancelled", "RG-CANCELLED", f"the caller gave up: {ground.stage.caller.reason}"
                    )
            finally:
                await self.close()
            if ended.rule:
                ground.session.decided("session", ended.status, by="host", rule=ended.rule, why=ended.why)
                ground.session.fail(ended.why)
            totals: dict[str, JSON] = dict(sorted(ground.counts.items()))
            ground.session.note({"session.status": ended.status, **totals})
        return Played(ended.status == "completed", ended.status, "", ended.why, totals)

    async def inputs(self) -> None:
        """Open the session, then everything that comes to its loop."""
        try:
            await self.opening.opened()
        except (AppendFailed, HostRaise) as error:
            raise SessionEnded("not opened", "RG-JOURNAL-PASSES", f"the log failed: {error}") from None
        for given in self.described.inputs:
            await self.given(given)
            if self.turns.is_killed:
                why = "the loop was shut down the hard way"
                raise SessionEnded("killed", "RG-HARD-KILL", why)

    async def given(self, given: Input) -> None:
        """One thing that comes to the loop."""
        match given:
            case Input(user=str()):
                await self.turn(given)
            case Input(compact=Compaction() as compaction):
                await self.compact(compaction)
            case Input(append=Record() as record):
                await self.append(record)
            case Input(wait_ms=float() | int() as ms):
                await sleep(self.ground.clock, ms)
            case _:
                raise AssertionError("an input is exactly one of these")

    async def turn(self, given: Input) -> None:
        """What somebody says: the command, the turn, and the quiet behind it."""
        command = self.ground.new_id("command")
        outside = self.ground.outside()
        try:
            await self.journal.command("SubmitInput", str(command), outside)
            if self.described.engine is Engine.FOREIGN:
                await self.loops.foreign(given.user or "", given.steps)
            else:
                cause = Cause(command_id=command, agency=0 if given.is_delegated else AGENCY_USER)
                if given.is_delegated:
                    cause.coordinates.loop_id = self.ground.new_id("other loop")
                identity = Identity(self.identity.agent, self.identity.session, self.identity.loop, cause=cause)
                await self.turns.taken(given, identity, self.lasting(given))
            if not self.turns.is_killed:
                await self.journal.event("LoopIdle", outside)
                await self.journal.event("SessionIdle", outside)
        except (AppendFailed, HostRaise) as error:
            raise SessionEnded("failed", "RG-JOURNAL-PASSES", f"the log failed: {error}") from None

    def lasting(self, given: Input) -> Cancellable:
        """The loop's context, which may end by itself."""
        if given.deadline_ms is None:
            return self.loop
        when = self.loop.now_ns() + round(given.deadline_ms * NS_PER_MS)
        return with_deadline(self.loop, when)[0]

    async def compact(self, compaction: Compaction) -> None:
        """A command to compact while the loop is idle: a compaction without a turn."""
        command = self.ground.new_id("command")
        try:
            await self.journal.command("Compact", str(command), self.ground.outside())
            if self.described.engine is Engine.FOREIGN:
                return
            cause = Cause(command_id=command, agency=AGENCY_USER)
            identity = Identity(self.identity.agent, self.identity.session, self.identity.loop, cause=cause)
            await self.compactions.attempted(compaction, identity, self.ground.outside(self.loop), waiters=1)
        except (AppendFailed, HostRaise) as error:
            raise SessionEnded("failed", "RG-JOURNAL-PASSES", f"the log failed: {error}") from None

    async def append(self, record: Record) -> None:
        """A record that is handed to the log directly."""
        context, cancel = with_cancel(self.loop)
        if record.is_cancelled:
            cancel()
        await self.journal.direct(record, self.ground.outside(context))

    async def settled(self) -> None:
        """Wait for whatever goes on although nobody waits for it."""
        while tasks := self.loops.unfinished:
            await asyncio.wait(tasks)

    async def close(self) -> None:
        """Nothing of it goes on behind its end."""
        tasks = self.loops.unfinished
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
