"""A described session played through the host's real order of hook points (spec D.1 to D.5).

The edge of it is in `ground`, `assembly`, `model_calls`, `planning` and `tool_phase`: they wait, dispatch and ask.
What anything means is decided in `policy`, `gate`, `stops`, `sections`, `scope` and `concurrency`; `turn` says what
the hooks are shown. Here they are put in order, and sessions into each other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from kernel.clock import Caller
from kernel.describing import Reactions
from kernel.dialects.pluggable.agent_hcl.options import options_of
from kernel.dialects.pluggable.agent_hcl.settings import AgentProfile, Settings
from kernel.dialects.pluggable.config import load as load_config
from kernel.dialects.pluggable.payload import from_view
from kernel.dialects.pluggable.sections import Contributor
from kernel.dialects.pluggable.session import gate, scope, stops, turn
from kernel.dialects.pluggable.session.assembly import Assembly
from kernel.dialects.pluggable.session.contributing import ContextPlugin, context_plugins
from kernel.dialects.pluggable.session.conversation import Conversation
from kernel.dialects.pluggable.session.described import Described, Said, SubSession, session_id
from kernel.dialects.pluggable.session.gate import Outcome, Succeeded, ToolError
from kernel.dialects.pluggable.session.ground import Ground, SessionEnded
from kernel.dialects.pluggable.session.ledger import Ledger
from kernel.dialects.pluggable.session.loading import load as load_description
from kernel.dialects.pluggable.session.model_calls import ModelCalls
from kernel.dialects.pluggable.session.planning import Planning
from kernel.dialects.pluggable.session.policy import Rule, ToolKind
from kernel.dialects.pluggable.session.stops import Done, DoomLoop, Status, Stop, Tally
from kernel.dialects.pluggable.session.tool_phase import ToolPhase, is_terminal, prints
from kernel.dialects.pluggable.session.turn import Called
from kernel.errors import BadInput
from kernel.playing import Playable, Played, Stage
from kernel.stretch import Stretch
from kernel.values import JSON, Ending, Payload

DOOM_THRESHOLDS = range(3, 6)


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that says how a session goes, read and checked."""

    described: Described
    profile: AgentProfile
    rules: tuple[Rule, ...] = ()
    settings: Settings = field(default_factory=Settings)
    contributors: tuple[Contributor, ...] | None = None
    """In the order of declaration; None for those of the configuration and those that are described."""
    profiles: tuple[AgentProfile, ...] = ()
    """What sessions inside may name."""
    context_plugins: tuple[ContextPlugin, ...] = ()
    """In the order of declaration."""

    def __post_init__(self) -> None:
        doom = self.settings.doom_loop
        if doom.threshold not in DOOM_THRESHOLDS or doom.window_size < doom.threshold:
            raise BadInput(
                f"doom_loop: the threshold must be 3 to 5 and the window at least as large, not {doom.threshold} of "
                f"{doom.window_size}"
            )
        if self.profile.model is None and not self.described.models:
            raise BadInput("neither the profile nor the session names a model")
        scope.granted(self.profile.tools, self.described.tools)
        for inner in (call.session for said in self.described.turns for call in said.calls):
            if inner is not None:
                self.inside(inner, "inner")  # which checks those inside of that one

    @property
    def details(self) -> frozenset[str]:
        return frozenset(
            {"interactive.resolve", "model.attempt", "plan.build", "pluginhost.provider.bringup", "session.spawn"}
        )

    def label(self, payload: Payload) -> str:
        """The tool, for the points at which one call is asked about."""
        view = payload.view
        call = view.get("call") if isinstance(view, dict) else None
        return str(call.get("tool_name", "")) if isinstance(call, dict) else ""

    def inside(self, inner: SubSession, session: str) -> Script:
        """The script of a session that a call of this one begins; raises BadInput."""
        profile = scope.profile_named(inner.profile, (self.profile, *self.profiles)) if inner.profile else self.profile
        described = replace(
            self.described,
            turns=inner.turns,
            messages=inner.messages,
            context=inner.context,
            answers=inner.answers,
            session=session,
            profile=profile.name,
            parent=self.described.session,
        )
        return replace(self, described=described, profile=profile)

    async def play(self, stage: Stage) -> Played:
        """Play it to its end."""
        parent = self.described.parent
        depth_left = scope.depth_of(self.settings.max_depth, self.profile)
        lineage = Lineage(parent or self.described.session, 0 if parent is None else 1, depth_left)
        return await _Play(self, stage, lineage).whole(None)


def load_session(config: Path, view: JSON, name: str, words: Mapping[str, JSON] = MappingProxyType({})) -> Playable:
    """What the registry of dialects asks for: a description played under a configuration. Raises BadInput."""
    agent = load_config(config, options_of(words))
    described = load_description(view, name)
    profile = scope.profile_named(described.profile, agent.profiles)
    plugins = context_plugins(agent, {each.name for each in described.context})
    return Script(described, profile, agent.policies, agent.settings, profiles=agent.profiles, context_plugins=plugins)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Where a session stands among those that it is part of."""

    root: str
    depth: int
    depth_left: int | None
    """How many sessions may be nested below it; None is no limit."""


class _Play:
    """One session under way. What it holds is replaced as it goes; only its own task replaces it."""

    session: Stretch

    def __init__(self, script: Script, stage: Stage, lineage: Lineage, around: Ledger | None = None) -> None:
        """`around` is the ledger of the session around it, if any."""
        described, profile, settings = script.described, script.profile, script.settings
        self.script = script
        self.lineage = lineage
        self.ground = Ground(stage, described.session, described.working_directory, described.parent or "")
        self.granted = scope.granted(profile.tools, described.tools)
        self.bounds = scope.bounds_of(profile)
        self.ledger = Ledger(described.session, self.bounds.max_cost_usd, around)
        self.around = around
        self.conversation = Conversation(described.session, described.messages)
        self.assembly = Assembly(
            self.ground,
            self.conversation,
            script.context_plugins,
            described.context,
            settings.default_hook_timeout_ms,
            script.contributors,
        )
        models = scope.candidates(profile.model, described.models)
        self.models = ModelCalls(self.ground, models, described.turns, settings.retry)
        planning = Planning(self.ground, script.rules, stage.resolver or Reactions(described.answers, stage.clock))
        self.tools = ToolPhase(self.ground, script.rules, planning, settings.default_tool_timeout_ms, self.spawned)
        most = profile.max_concurrent_subagents or 0
        self.slots = asyncio.Semaphore(most) if most > 0 else None
        self.began_ns = stage.clock.now_ns()
        self.tally = Tally(loop=DoomLoop(settings.doom_loop.window_size, settings.doom_loop.threshold))
        self.last_words = ""
        self.inner = 0
        """Sessions that its calls began."""

    # -- the session -----------------------------------------------------------------------------------------------

    async def whole(self, parent: Stretch | None) -> Played:
        """Play it, inside of the stretch that begins it if there is one."""
        described, profile = self.script.described, self.script.profile.name
        known: dict[str, JSON] = {"session.id": described.session, "session.root_id": self.lineage.root}
        known |= {"session.depth": self.lineage.depth, "agent.profile": profile}
        known["working_directory"] = described.working_directory
        start: dict[str, JSON] = {"session_id": described.session, "profile": profile}
        start["working_directory"] = described.working_directory
        if described.parent is not None:
            known["session.parent_id"] = described.parent
            start["parent_session_id"] = described.parent
        stretches = self.ground.stretches
        with stretches.entered("session", described.session, parent, known) as self.session:
            await self.edge("session-start", start, self.ground.stage.caller)
            stop = await self.turns()
            end: dict[str, JSON] = {
                "session_id": described.session,
                "status": f"SESSION_STATUS_{stop.status.name}",
            }
            await self.edge("session-end", end, Caller())  # whoever gave up is told the end like anybody else
            if stop.status in (Status.FAILED, Status.CANCELLED):
                self.session.fail(stop.why)
            totals: dict[str, JSON] = {"turns": self.tally.turns, "cost_usd": self.tally.cost_usd}
            if self.inner:
                totals["sub_sessions"] = self.inner
            self.session.note({"session.status": stop.status.value, "reason": stop.reason, **totals})
        return Played(stop.status is Status.COMPLETED, stop.status.value, stop.reason, stop.why, totals)

    async def edge(self, point: str, view: JSON, caller: Caller) -> None:
        """Dispatch at the very beginning or the very end, where a failure changes nothing."""
        result = await self.ground.stage.fire(point, from_view(point, view), self.session.id, caller)
        if result.ending is not Ending.FINISHED:
            why = f"{point} ended without a verdict: {result.error}"
            self.session.decided(point, "noted", by="", rule="PL-SESSION-EDGE", why=why)

    async def turns(self) -> Stop:
        """Turns until something ends the session."""
        try:
            while True:
                done = await self.turn(final=None)
                stop = stops.stop_after(self.tally, self.bounds, done)
                if stop is not None:
                    self.say(stop)
                    if stop.gets_final_turn:
                        await self.turn(final=stop)
                    return stop
        except SessionEnded as ended:
            self.say(ended.stop)
            return ended.stop

    def say(self, stop: Stop) -> None:
        self.session.decided("session", stop.status.value, by=stop.reason, rule=stop.rule, why=stop.why)

    # -- one turn --------------------------------------------------------------------------------------------------

    async def turn(self, final: Stop | None) -> Done | None:
        """One turn; whether it was the last one by itself. `final` is why the model has to come to an end."""
        number = self.tally.turns + 1
        ground = self.ground
        ground.turn_id = f"{ground.session}/turn-{number}"
        known: dict[str, JSON] = {"turn.index": number - 1, "turn.id": ground.turn_id, "is_final": final is not None}
        with ground.stretches.entered("turn", f"turn {number}", self.session, known) as stretch:
            before_usd = self.ledger.spent_usd
            try:
                return await self.steps(stretch, number, final)
            finally:
                elapsed_ms = (ground.stage.clock.now_ns() - self.began_ns) / 1e6
                self.tally = replace(self.tally, turns=number, elapsed_ms=elapsed_ms, breaker=self.tools.breaker)
                around = () if self.around is None else self.around.allowances
                self.tally = replace(self.tally, cost_usd=self.ledger.spent_usd, around=around)
                stretch.note({"cost_usd": self.tally.cost_usd - before_usd, "session_cost_usd": self.tally.cost_usd})

    async def steps(self, stretch: Stretch, number: int, final: Stop | None) -> Done | None:
        """The steps of spec D.2, in order."""
        ground, tools, conversation = self.ground, self.tools, self.conversation
        await self.assembly.assemble(stretch, self.models.target(conversation.tokens), tools.files_touched)
        if final is not None:
            text = f"The limit of this session is reached: {final.why}. There are no tools any more; answer now."
            conversation.say(Said(text))
        model = self.models.model(conversation.tokens)
        asked = turn.request(conversation.messages, model)  # what hooks make of it is for this request only
        await ground.fired(stretch, "pre-model-call", asked)
        answer = await self.models.answer(stretch, model, number, is_last=final is not None)
        self.ledger.debit(answer.cost_usd)
        self.last_words = answer.says
        calls = turn.called(answer, number, {} if final is not None else self.granted)
        message = turn.assistant(answer, calls, model, conversation.new_id())
        await ground.fired(stretch, "post-model-response", turn.response(message, answer, model))
        if not calls:
            conversation.add(message)
            return Done.NO_CALLS

        outcomes: dict[str, Outcome] = {}
        for each in calls:
            await tools.before_call(stretch, each, outcomes)
        await tools.read(stretch, calls, outcomes, ToolKind.DATA_SOURCE)
        await tools.read(stretch, calls, outcomes, ToolKind.INTERACTIVE)
        items = await tools.plan(stretch, calls, outcomes)
        await tools.after_calls(stretch, calls, outcomes)
        if items:
            await ground.fired(stretch, "post-apply", gate.apply_view(ground.turn_id, items, outcomes))
        conversation.add(message, turn.results(calls, outcomes, conversation.new_id()))
        self.tally = replace(self.tally, loop=self.tally.loop.after(prints(calls)))
        return Done.TERMINAL_TOOL if any(is_terminal(each, outcomes) for each in calls) else None

    # -- sessions inside -------------------------------------------------------------------------------------------

    async def spawned(self, parent: Stretch, each: Called) -> Outcome:
        """Play the session that a call begins, as far below this one as is allowed, and say what the call gives."""
        inner = each.call.session
        assert inner is not None
        if self.lineage.depth_left is not None and self.lineage.depth_left <= 0:
            why = f"{self.ground.session} is at depth {self.lineage.depth}, and no session may be below it"
            parent.decided(each.subject, "deny", by="max_depth", rule="PL-SPAWN-DEPTH", why=why)
            return ToolError("EXECUTION_FAILED", why)
        session = inner.session or session_id(self.ground.session, each.id)
        known: dict[str, JSON] = {"session.id": session}
        with self.ground.stretches.entered("session.spawn", session, parent, known) as stretch:
            if self.slots is None:
                return await self.played_inside(stretch, each, inner, session)
            if self.slots.locked():
                most = self.script.profile.max_concurrent_subagents
                why = f"as many sessions of {self.ground.session} are under way as may be at once ({most})"
                stretch.decided(each.subject, "waits", by="max_concurrent_subagents", rule="PL-SPAWN-WAITS", why=why)
            async with self.slots:
                return await self.played_inside(stretch, each, inner, session)

    async def played_inside(self, parent: Stretch, each: Called, inner: SubSession, session: str) -> Outcome:
        self.inner += 1
        script = self.script.inside(inner, session)
        depth_left = scope.depth_below(self.lineage.depth_left, script.profile)
        lineage = Lineage(self.lineage.root, self.lineage.depth + 1, depth_left)
        play = _Play(script, self.ground.stage, lineage, self.ledger)
        played = await play.whole(parent)
        if not played.is_fine:
            why = f"session {session} ended {played.status}: {played.why}"
            parent.decided(each.subject, "failed", by=session, rule="PL-SPAWN-FAILED", why=why)
            return ToolError("EXECUTION_FAILED", why)
        if each.call.result is not None:
            return Succeeded(each.call.result)
        return Succeeded({"session_id": session, "text": play.last_words})
