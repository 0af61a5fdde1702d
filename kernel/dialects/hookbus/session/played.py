"""A described session played through the host's order of events (spec 1.1, 1.2, 2.7, 2.9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import MappingProxyType

from kernel.asking import Resolver
from kernel.clock import NS_PER_MS, Caller
from kernel.describing import Reactions
from kernel.dialects.hookbus import acting, events
from kernel.dialects.hookbus.answers import Inject
from kernel.dialects.hookbus.config import load_setup
from kernel.dialects.hookbus.latch import ConfirmLatch
from kernel.dialects.hookbus.outcome import hook_result
from kernel.dialects.hookbus.payload import HookEvent
from kernel.dialects.hookbus.session.deliveries import Deliveries
from kernel.dialects.hookbus.session.described import (
    Compaction,
    Described,
    HostKind,
    ModelAnswer,
    Notice,
    Step,
    Worker,
    calls_of,
    load,
)
from kernel.dialects.hookbus.session.ground import AsLong, Ground, SessionEnded, told
from kernel.dialects.hookbus.session.history import History, content_of
from kernel.dialects.hookbus.session.tools import ToolCalls
from kernel.dialects.hookbus.wording import nearest
from kernel.errors import BadInput
from kernel.playing import Playable, Played, Stage
from kernel.reach import StdioExtension
from kernel.setup import Setup
from kernel.stretch import Stretch
from kernel.values import JSON, Ending, Payload

TOOLS_REGISTER = "tools.register"


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that says how a session goes, read and checked."""

    described: Described

    @property
    def details(self) -> frozenset[str]:
        return frozenset({"tool.execute"})

    def label(self, payload: Payload) -> str:
        """The tool, for events about one call."""
        if not isinstance(payload, HookEvent):
            return ""
        return payload.tool_runtime_name or payload.tool_name

    async def play(self, stage: Stage) -> Played:
        """Play it to its end."""
        return await _Play(self.described, stage).whole()


def load_session(config: Path, view: JSON, name: str, words: Mapping[str, JSON] = MappingProxyType({})) -> Playable:
    """What the registry of dialects asks for: a description played under a configuration. Raises BadInput."""
    setup = load_setup(config, words)
    described = load(view, name)
    grants = _extensions(setup)
    for number, step in enumerate(described.steps):
        for key, extension in (("unload", step.unload), ("reload", step.reload)):
            if extension is not None and extension not in grants:
                problem = f"$.steps[{number}].{key}: no extension {extension!r} is loaded"
                raise BadInput(f"{name}: {problem}; {nearest(extension, grants)}")
    for path, call in calls_of(described):
        extension, colon, _ = call.tool.partition(":")
        if colon and call.output is None and call.worker is None:
            if extension not in grants:
                problem = f"{path}.tool: no extension {extension!r} is loaded whose tool could be called"
                raise BadInput(f"{name}: {problem}; {nearest(extension, grants) or 'describe its output'}")
            if TOOLS_REGISTER not in grants[extension]:
                raise BadInput(f"{name}: {path}.tool: {extension!r} may not bring tools: it lacks {TOOLS_REGISTER}")
    return Script(described)


def _extensions(setup: Setup) -> Mapping[str, frozenset[str]]:
    """Who is loaded, with what it was granted."""
    seats = (seat for chain in setup.chains.values() for seat in chain.subscriptions)
    reaches = {**{seat.name: seat.reach for seat in seats}, **setup.others}
    return {name: reach.permissions for name, reach in reaches.items() if isinstance(reach, StdioExtension)}


class _Play:
    """One session under way. What it holds is replaced as it goes; only its own task replaces it."""

    session: Stretch

    def __init__(self, described: Described, stage: Stage) -> None:
        self.described = described
        self.is_interactive = described.host is HostKind.INTERACTIVE
        self.ground = Ground(stage, described)
        resolver: Resolver | None = None
        if self.is_interactive:
            resolver = AsLong(self.ground, stage.resolver or Reactions(described.answers, stage.clock))
        self.tools = ToolCalls(
            self.ground,
            resolver,
            ConfirmLatch() if self.is_interactive and described.latch else None,
            is_auto_approved=described.auto_approve or stage.switches.get("auto_approve", False),
            work=self.worked,
        )
        self.deliveries = Deliveries(self.ground)
        self.history = History.of(described.messages)
        self.injections: dict[str, str] = {}
        """By session id, what is told at each turn."""
        self.numbers = count(1)
        """Of calls without an id of their own."""
        self.counts: Counter[str] = Counter()

    # -- the session -----------------------------------------------------------------------------------------------

    async def whole(self) -> Played:
        """Play it. Whoever gave up is told the end like anybody else."""
        described, ground = self.described, self.ground
        known: dict[str, JSON] = {"session.id": described.session, "host": described.host.value}
        ended = SessionEnded("completed", "", "every step was played")
        with ground.stretches.entered("session", described.session, None, known) as self.session:
            try:
                await self.steps()
            except SessionEnded as early:
                ended = early
            try:
                await self.end()
                if ended.status == "completed":
                    await self.deliveries.drained()
            except SessionEnded as early:  # a panic at the very end
                ended = early if ended.status == "completed" else ended
            finally:
                await self.deliveries.close()
                unloaded = ground.loaded.missing & ground.loaded.generations.keys()
                for extension in sorted(unloaded):  # the next session finds what is configured
                    await ground.stage.load(extension, is_wanted=True)
            if ended.rule:
                self.session.decided("session", ended.status, by="", rule=ended.rule, why=ended.why)
                self.session.fail(ended.why)
            counts = self.counts + self.tools.counts + self.deliveries.counts
            totals: dict[str, JSON] = dict(sorted(counts.items()))
            self.session.note({"session.status": ended.status, **totals})
        return Played(ended.status == "completed", ended.status, "", ended.why, totals)

    async def steps(self) -> None:
        await self.begin()
        for step in self.described.steps:
            await self.step(step)
            if self.ground.stage.caller.reason is not None:
                raise self.ground.cancelled()

    async def step(self, step: Step) -> None:
        """One thing that happens."""
        match step:
            case Step(user=str(text)):
                await self.turn(text, step.model)
            case Step(compaction=Compaction() as compaction):
                await self.compact(compaction)
            case Step(unload=str(extension)):
                await self.unload(extension, is_wanted_again=False)
            case Step(reload=str(extension)):
                await self.unload(extension, is_wanted_again=True)
            case Step(notify=Notice() as notice):
                self.deliveries.start(self.session, notice)
            case Step(wait_ms=ms):
                assert ms is not None, "a step is exactly one of these"
                await self.ground.wait(ms)

    async def begin(self) -> None:
        """on_session_start; what is injected is kept under the session's id."""
        session = self.ground.session
        result = await self.ground.emitted(self.session, events.on_session_start(session))
        answer = hook_result(result)
        if isinstance(answer, Inject):
            self.injections[session] = answer.content
        told(self.session, acting.settled(result, None, is_auto_approved=False))

    async def end(self) -> None:
        """on_session_end, for as long as the host grants everybody together."""
        ground, budget_ms = self.ground, self.described.teardown_budget_ms
        transcript = self.history.messages if self.is_interactive else None
        event = events.on_session_end(ground.session, transcript)
        switches = {} if self.is_interactive else {"concurrent_session_end": False}
        caller, clock = Caller(), ground.stage.clock
        timer = None
        if budget_ms is not None:
            reason = f"the budget of {budget_ms:g} ms for the end of a session is used up"
            timer = clock.call_at(clock.now_ns() + round(budget_ms * NS_PER_MS), lambda: caller.cancel(reason))
        try:
            result = await ground.emitted(self.session, event, switches=switches, caller=caller)
        finally:
            if timer is not None:
                timer.cancel()
        if result.ending is Ending.CANCELLED:
            why = f"whoever had not answered is not waited for: {caller.reason}"
            self.session.decided("on_session_end", "cut", by="host", rule="HB-TEARDOWN-CUT", why=why)

    # -- turns -----------------------------------------------------------------------------------------------------

    async def turn(self, text: str, model: tuple[ModelAnswer, ...]) -> None:
        """What somebody says, and everything that the model does because of it."""
        self.counts["turns"] += 1
        number = self.counts["turns"]
        with self.ground.stretches.entered("turn", f"turn {number}", self.session, {"turn.index": number}) as stretch:
            self.history = self.history.user(text)
            for answer in model:
                self.history = await self.answered(stretch, self.history, answer, is_of_worker=False)

    async def answered(self, parent: Stretch, history: History, answer: ModelAnswer, *, is_of_worker: bool) -> History:
        """The history after one request to the model and the calls that it answers with."""
        ids = [call.id or f"call-{next(self.numbers)}" for call in answer.calls]
        content = content_of(answer, ids)
        self.counts["requests"] += 1
        with self.ground.stretches.entered("request", f"request {self.counts['requests']}", parent) as stretch:
            await self.before_message(stretch, history, is_of_worker=is_of_worker)
            await self.ground.wait(answer.takes_ms)
            stretch.note({"says": answer.says, "calls": len(ids)})
            history = history.assistant(content)
            session_id = None if is_of_worker else self.ground.shown_session
            complete = events.on_message_complete(content, session_id=session_id)
            await self.ground.emitted(stretch, complete, is_of_worker=is_of_worker)
        results = [
            await self.tools.made(parent, call, call_id, is_of_worker=is_of_worker)
            for call, call_id in zip(answer.calls, ids, strict=True)
        ]
        return history.results(results) if results else history

    async def before_message(self, stretch: Stretch, history: History, *, is_of_worker: bool) -> None:
        """What goes with this request beside the conversation: noted, and not kept."""
        session_id = None if is_of_worker else self.ground.shown_session
        if not is_of_worker and (kept := self.injections.get(self.ground.session)) is not None:
            stretch.note({"session_injection_bytes": len(kept.encode())})
        event = events.before_message(history.messages, session_id=session_id)
        if event is None:
            why = "the newest message of the user has no text, only results of tools"
            stretch.decided("before_message", "not emitted", by="host", rule="HB-MESSAGE-NO-TEXT", why=why)
            return
        result = await self.ground.emitted(stretch, event, is_of_worker=is_of_worker)
        told(stretch, acting.settled(result, None, is_auto_approved=False))
        attached = acting.attachment(hook_result(result))
        if attached is not None:
            stretch.note({"attached_bytes": len(attached.encode())})

    async def worked(self, parent: Stretch, worker: Worker) -> str:
        """The last words of a subagent, which talks to extensions over its own view of the bus."""
        self.counts["workers"] += 1
        name, history, last_words = f"worker {self.counts['workers']}", History().user(worker.task), ""
        with self.ground.stretches.entered("worker", name, parent, {"task": worker.task}) as stretch:
            for answer in worker.model:
                history = await self.answered(stretch, history, answer, is_of_worker=True)
                last_words = answer.says or last_words
        return last_words

    # -- what else can happen --------------------------------------------------------------------------------------

    async def compact(self, compaction: Compaction) -> None:
        """The conversation goes on under another id, and extensions are told of both."""
        ground, old, new = self.ground, self.ground.session, compaction.session
        number = len(self.history.messages) if compaction.message_count is None else compaction.message_count
        known: dict[str, JSON] = {"old_session_id": old, "new_session_id": new, "message_count": number}
        with ground.stretches.entered("compaction", f"{old} to {new}", self.session, known) as stretch:
            event = events.on_compaction(
                compaction.summary,
                old_session_id=old,
                new_session_id=new,
                message_count=number,
                source=compaction.source,
                data=compaction.data,
            )
            ground.session = new
            self.history = History().user(compaction.summary)
            await ground.emitted(stretch, event)
            if old != new and old in self.injections and new not in self.injections:
                why = f"it is kept for session {old!r}, and nothing is for {new!r}"
                stretch.decided("injection", "left behind", by="host", rule="HB-SESSION-OTHER", why=why)

    async def unload(self, extension: str, *, is_wanted_again: bool) -> None:
        """Its hooks, its tools and its process go; where it is wanted again, another process takes its place."""
        ground, kind = self.ground, "reload" if is_wanted_again else "unload"
        with ground.stretches.entered(kind, extension, self.session) as stretch:
            is_there = extension not in ground.loaded.missing
            ground.loaded = ground.loaded.without(extension)
            generation = ground.loaded.generation(extension)
            stretch.note({"generation": generation})
            if is_there:
                why = f"its records are gone, and its generation is {generation} from now on"
                stretch.decided(extension, "unloaded", by="host", rule="HB-UNLOADED", why=why)
            else:
                why = f"it was not loaded, and its generation stays {generation}"
                stretch.decided(extension, "not loaded", by="host", rule="HB-UNLOAD-NOTHING", why=why)
            reason = await ground.stage.load(extension, is_wanted=is_wanted_again)
            if not is_wanted_again:
                return
            if reason:
                stretch.decided(extension, "left unloaded", by="host", rule="HB-RELOAD-FAILED", why=reason)
                return
            ground.loaded = ground.loaded.with_again(extension)
            why = f"it is called after everybody who stayed, as generation {generation}"
            if generation:
                why = f"it is called after everybody who stayed, and confirms of generation {generation} are asked anew"
            stretch.decided(extension, "loaded", by="host", rule="HB-RELOADED", why=why)
