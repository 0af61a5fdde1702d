"""A described session played through the host's real order of hook points (spec D.1 to D.5).

This is the edge: it waits, dispatches and asks. What anything means is decided in `policy`, `gate`, `stops`,
`sections`, `scope` and `concurrency`; `turn` says what the hooks are shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from kernel.clock import Caller, Limit, sleep
from kernel.dialects.pluggable import concurrency, gate, scope, sections, stops, turn
from kernel.dialects.pluggable.config import load as load_config
from kernel.dialects.pluggable.described import Described, Model, Said, Trouble, Turn
from kernel.dialects.pluggable.described import load as load_description
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.gate import Item, Outcome, Ruling, Succeeded, ToolError
from kernel.dialects.pluggable.payload import from_view
from kernel.dialects.pluggable.policy import Decision, Rule, ToolKind, evaluate
from kernel.dialects.pluggable.scripted import DescribedContext, Reactions
from kernel.dialects.pluggable.sections import ContextRequest, ContributeError, Contributor, Section
from kernel.dialects.pluggable.settings import AgentProfile, Settings
from kernel.dialects.pluggable.stops import Bounds, Done, DoomLoop, Status, Stop, Tally
from kernel.dialects.pluggable.turn import PREVIEW_LIMIT_MS, Called, Message
from kernel.errors import BadInput
from kernel.asking import Question, Resolver
from kernel.playing import Playable, Played, Stage
from kernel.stretch import Stretch, Stretches
from kernel.values import JSON, Ending, Payload, Result

MOST_RETRIES = 20
"""Retries of model calls in a whole session."""
DOOM_THRESHOLDS = range(3, 6)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Script:
    """Everything that says how a session goes, read and checked."""

    described: Described
    profile: AgentProfile
    rules: tuple[Rule, ...] = ()
    settings: Settings = field(default_factory=Settings)
    contributors: tuple[Contributor, ...] | None = None
    """In the order of declaration; None for those that are described."""

    def __post_init__(self) -> None:
        doom = self.settings.doom_loop
        if doom.threshold not in DOOM_THRESHOLDS or doom.window_size < doom.threshold:
            raise BadInput(
                f"doom_loop: the threshold must be 3 to 5 and the window at least as large, not {doom.threshold} of "
                f"{doom.window_size}"
            )
        if not scope.candidates(self.profile.model, self.described.models):
            raise BadInput("neither the profile nor the session names a model")
        scope.granted(self.profile.tools, self.described.tools)

    @property
    def details(self) -> frozenset[str]:
        return frozenset({"model.attempt", "plan.build"})

    def label(self, payload: Payload) -> str:
        """The tool, for the points at which one call is asked about."""
        view = payload.view
        call = view.get("call") if isinstance(view, dict) else None
        return str(call.get("tool_name", "")) if isinstance(call, dict) else ""

    async def play(self, stage: Stage) -> Played:
        """Play it to its end."""
        return await _Play(self, stage).whole()


def load_session(config: Path, view: JSON, name: str) -> Playable:
    """What the registry of dialects asks for: a description played under a configuration. Raises BadInput."""
    agent = load_config(config)
    described = load_description(view, name)
    profile = scope.profile_named(described.profile, agent.profiles)
    return Script(described, profile, agent.policies, agent.settings)


class _Ended(Exception):
    """The session cannot go on."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop.why)
        self.stop = stop


class _Play:
    """One session under way. What it holds is replaced as it goes; only its own task replaces it."""

    session: Stretch

    def __init__(self, script: Script, stage: Stage) -> None:
        described = script.described
        doom = script.settings.doom_loop
        self.script = script
        self.stage = stage
        self.stretches = Stretches(PLUGGABLE.name, stage.probes, stage.clock, new_id=stage.new_id)
        self.tools = scope.granted(script.profile.tools, described.tools)
        self.bounds: Bounds = scope.bounds_of(script.profile)
        self.contributors = self.context_providers()
        self.resolver: Resolver = stage.resolver or Reactions(described.answers, stage.clock)
        self.began_ns = stage.clock.now_ns()
        self.messages = 0
        self.history: tuple[Message, ...] = tuple(turn.said(each, self.message_id()) for each in described.messages)
        self.sections: tuple[Section, ...] = ()
        self.memory = gate.NOTHING
        self.tally = Tally(loop=DoomLoop(doom.window_size, doom.threshold))
        self.retries = 0
        self.turn_id = ""

    # -- the session -----------------------------------------------------------------------------------------------

    async def whole(self) -> Played:
        described, profile = self.script.described, self.script.profile.name
        root = described.parent or described.session
        known: dict[str, JSON] = {"session.id": described.session, "session.root_id": root, "session.depth": 0}
        known |= {"agent.profile": profile, "working_directory": described.working_directory}
        start: dict[str, JSON] = {"session_id": described.session, "profile": profile}
        start["working_directory"] = described.working_directory
        if described.parent is not None:
            known |= {"session.parent_id": described.parent, "session.depth": 1}
            start["parent_session_id"] = described.parent
        with self.stretches.entered("session", described.session, None, known) as self.session:
            await self.edge("session-start", start, self.stage.caller)
            stop = await self.turns()
            end: dict[str, JSON] = {
                "session_id": described.session,
                "status": f"SESSION_STATUS_{stop.status.name}",
            }
            await self.edge("session-end", end, Caller())  # whoever gave up is told the end like anybody else
            if stop.status in (Status.FAILED, Status.CANCELLED):
                self.session.fail(stop.why)
            totals: dict[str, JSON] = {"turns": self.tally.turns, "cost_usd": self.tally.cost_usd}
            self.session.note({"session.status": stop.status.value, "reason": stop.reason, **totals})
        return Played(stop.status is Status.COMPLETED, stop.status.value, stop.reason, stop.why, totals)

    async def edge(self, point: str, view: JSON, caller: Caller) -> None:
        """Dispatch at the very beginning or the very end, where a failure changes nothing."""
        result = await self.stage.fire(point, from_view(point, view), self.session.id, caller)
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
        except _Ended as ended:
            self.say(ended.stop)
            return ended.stop

    def say(self, stop: Stop) -> None:
        self.session.decided("session", stop.status.value, by=stop.reason, rule=stop.rule, why=stop.why)

    # -- one turn --------------------------------------------------------------------------------------------------

    async def turn(self, final: Stop | None) -> Done | None:
        """One turn; whether it was the last one by itself. `final` is why the model has to come to an end."""
        number = self.tally.turns + 1
        self.turn_id = f"{self.script.described.session}/turn-{number}"
        known: dict[str, JSON] = {"turn.index": number - 1, "turn.id": self.turn_id, "is_final": final is not None}
        with self.stretches.entered("turn", f"turn {number}", self.session, known) as stretch:
            before_usd = self.tally.cost_usd
            try:
                return await self.steps(stretch, number, final)
            finally:
                elapsed_ms = (self.stage.clock.now_ns() - self.began_ns) / 1e6
                self.tally = replace(self.tally, turns=number, elapsed_ms=elapsed_ms)
                stretch.note({"cost_usd": self.tally.cost_usd - before_usd, "session_cost_usd": self.tally.cost_usd})

    async def steps(self, stretch: Stretch, number: int, final: Stop | None) -> Done | None:
        """The steps of spec D.2, in order."""
        await self.assemble(stretch)
        if final is not None:
            text = f"The limit of this session is reached: {final.why}. There are no tools any more; answer now."
            self.history = (*self.history, turn.said(Said(text), self.message_id()))
        model = self.model()
        await self.fired(stretch, "pre-model-call", turn.request(self.history, model))  # for this request only
        answer = await self.answer(stretch, model, number, final)
        calls = turn.called(answer, number, {} if final is not None else self.tools)
        message = turn.assistant(answer, calls, model, self.message_id())
        await self.fired(stretch, "post-model-response", turn.response(message, answer, model))
        if not calls:
            self.history = (*self.history, message)
            return Done.NO_CALLS

        outcomes: dict[str, Outcome] = {}
        for each in calls:
            await self.before_call(stretch, each, outcomes)
        await self.read(stretch, self.open_calls(calls, outcomes, ToolKind.DATA_SOURCE), outcomes)
        await self.read(stretch, self.open_calls(calls, outcomes, ToolKind.INTERACTIVE), outcomes, one_by_one=True)
        planned = self.open_calls(calls, outcomes, ToolKind.RESOURCE)
        items = await self.planned(stretch, planned, outcomes)
        for each in calls:
            if each.item is not None:
                view = turn.after_call(self.call_view(each, each.item), outcomes[each.id])
                await self.fired(stretch, "post-tool-call", view)
        if items:
            await self.fired(stretch, "post-apply", gate.apply_view(self.turn_id, items, outcomes))
        self.history = (*self.history, message, turn.results(calls, outcomes, self.message_id()))
        self.tally = replace(self.tally, loop=self.tally.loop.after(_prints(calls)))
        return Done.TERMINAL_TOOL if any(_is_terminal(each, outcomes) for each in calls) else None

    # -- context and model -----------------------------------------------------------------------------------------

    async def assemble(self, parent: Stretch) -> None:
        """Ask the context providers, one after the other."""
        self.go_on()
        if not self.contributors:
            return
        with self.stretches.entered("context.assemble", "context", parent, {"turn.id": self.turn_id}) as stretch:
            last_turn = _total(self.sections)
            self.sections = ()
            for contributor in self.contributors:
                await self.contribute(stretch, contributor, last_turn)
            stretch.note({"sections": len(self.sections), "tokens": _total(self.sections)})

    async def contribute(self, parent: Stretch, contributor: Contributor, last_turn: int) -> None:
        described = self.script.described
        request = ContextRequest(
            session_id=described.session,
            turn_id=self.turn_id,
            working_directory=described.working_directory,
            token_budget=contributor.token_budget,
            model=self.model().id,
            prior=self.sections,
            history_tokens=stops.tokens(turn.text_of(self.history)),
            tokens_last_turn=last_turn,
            history=tuple(dict(each) for each in self.history) if contributor.is_compactor else None,
        )
        producer: dict[str, JSON] = {"producer.category": "CATEGORY_CONTEXT", "producer.name": contributor.name}
        with self.stretches.entered("context.contribute", contributor.name, parent, producer) as stretch:
            try:
                contribution = await self.unless_cancelled(contributor.contribute(request))
            except ContributeError as error:
                why = f"{contributor.name} failed: {error}"
                raise _Ended(Stop(Status.FAILED, "", "PL-CONTEXT-FAILED", why)) from error
            accepted = sections.accept(self.sections, contribution, contributor)
            for violation in accepted.violations:
                by = f"context:{violation.reason}"
                stretch.decided(violation.subject, "dropped", by=by, rule=violation.rule, why=violation.why)
            self.sections = accepted.sections
            if accepted.history is not None:
                self.history = tuple(each for each in accepted.history if isinstance(each, dict))
                stretch.note({"rewrote_history": True})

    def context_providers(self) -> tuple[Contributor, ...]:
        if self.script.contributors is not None:
            return self.script.contributors
        described, clock = self.script.described.context, self.stage.clock
        return tuple(DescribedContext(each, clock, self.message_id) for each in described)

    def model(self) -> Model:
        """The first model that this turn fits."""
        used = stops.tokens(turn.text_of(self.history))
        models = scope.candidates(self.script.profile.model, self.script.described.models)
        found = scope.eligible(models, used)
        if found is None:
            names = ", ".join(model.id for model in models)
            why = f"ErrNoEligibleModel: {used} tokens do not fit {names}"
            raise _Ended(Stop(Status.FAILED, "", "PL-MODEL-NONE", why))
        return found

    async def answer(self, parent: Stretch, model: Model, number: int, final: Stop | None) -> Turn:
        """What the model says, by the script, after as many attempts as that takes."""
        known: dict[str, JSON] = {"gen_ai.request.model": model.id, "model.id": model.id}
        known |= {"producer.category": "CATEGORY_MODEL", "producer.name": model.provider}
        with self.stretches.entered("model.call", f"{model.provider}/{model.id}", parent, known) as stretch:
            described = self.script.described.turns
            if number <= len(described):
                said = described[number - 1]
            elif final is not None:
                said = Turn("(the description ends here)")
            else:
                why = f"the description has no answer for turn {number}"
                raise _Ended(Stop(Status.FAILED, "", "PL-MODEL-FAILED", why))
            for attempt, trouble in enumerate((*said.fails, None), 1):
                with self.stretches.entered(
                    "model.attempt", f"attempt {attempt}", stretch, {"attempt": attempt}
                ) as one:
                    if trouble is None:
                        await self.pass_time(said.takes_ms)
                        break
                    one.fail(trouble)
                await self.before_retry(attempt, trouble)
            self.tally = replace(self.tally, cost_usd=self.tally.cost_usd + said.cost_usd)
            stretch.note({"says": said.says, "calls": [each.tool for each in said.calls], "cost_usd": said.cost_usd})
            stretch.note({"input_tokens": said.input_tokens, "output_tokens": said.output_tokens})
            return said

    async def before_retry(self, attempt: int, trouble: Trouble) -> None:
        """Wait as long as is usual, or give up."""
        retry = self.script.settings.retry
        if not trouble.is_retried or attempt > retry.max_retries or self.retries == MOST_RETRIES:
            again = "which is not retried" if not trouble.is_retried else f"after {attempt} attempts"
            raise _Ended(Stop(Status.FAILED, "", "PL-MODEL-FAILED", f"the model failed with {trouble}, {again}"))
        self.retries += 1
        await self.pass_time(retry.base_delay_ms * retry.backoff_factor ** (attempt - 1))

    # -- calls of tools --------------------------------------------------------------------------------------------

    async def before_call(self, stretch: Stretch, each: Called, outcomes: dict[str, Outcome]) -> None:
        if each.item is None:
            why = f"{each.call.tool} is not among the tools of this turn"
            stretch.decided(each.subject, "deny", by="scope", rule="PL-CALL-UNKNOWN", why=why)
            outcomes[each.id] = ToolError("NOT_FOUND", why)
            return
        result = await self.fired(
            stretch, "pre-tool-call", turn.before_call(self.call_view(each, each.item), each.item)
        )
        if result.decision != "allow":
            by = f"hook-veto:{result.decided_by}"
            why = f"{result.decided_by} denied this call"
            stretch.decided(each.subject, "deny", by=by, rule="PL-CALL-VETO", why=why)
            outcomes[each.id] = gate.denial(each.item, by)

    def open_calls(self, calls: Iterable[Called], outcomes: Mapping[str, Outcome], kind: ToolKind) -> list[Called]:
        """Those of a kind that have come to nothing yet."""
        return [each for each in calls if each.tool is not None and each.tool.kind is kind and each.id not in outcomes]

    async def read(
        self, parent: Stretch, calls: Sequence[Called], outcomes: dict[str, Outcome], *, one_by_one: bool = False
    ) -> None:
        """Check calls that change nothing against policy and execute what it allows."""
        if not calls:
            return
        allowed = []
        with self.stretches.entered("policy.evaluate", "precheck", parent) as stretch:
            for each in calls:
                assert each.item is not None
                judgement = evaluate(self.script.rules, gate.subject_of(each.item))
                by, rule, why = judgement.decided_by, judgement.rule, judgement.why
                stretch.decided(each.subject, judgement.decision, by=by, rule=rule, why=why)
                if judgement.decision is Decision.ALLOW:
                    allowed.append(each)
                else:
                    outcomes[each.id] = gate.denial(each.item, by)
                    self.count(each.item, is_bad=True)
        await self.execute(parent, allowed, outcomes, one_by_one=one_by_one)

    async def planned(self, parent: Stretch, calls: Sequence[Called], outcomes: dict[str, Outcome]) -> tuple[Item, ...]:
        """Plan the calls that change something, have the plan decided about, apply what is allowed."""
        if not calls:
            return ()
        items = await self.built(parent, calls)
        items = await self.decided(parent, items)
        for item in items:
            if item.decision is Decision.DENY:
                outcomes[item.call_id] = gate.denial(item)
                self.count(item, is_bad=True)
        allowed = [each for each in calls if each.id not in outcomes]
        if allowed:
            with self.stretches.entered("plan.apply", "apply", parent, {"turn.id": self.turn_id}) as stretch:
                await self.execute(stretch, allowed, outcomes)
        return items

    async def built(self, parent: Stretch, calls: Sequence[Called]) -> tuple[Item, ...]:
        items = []
        with self.stretches.entered("plan.build", "plan", parent, {"turn.id": self.turn_id}) as stretch:
            for each in calls:
                assert each.item is not None
                items.append(await self.previewed(stretch, each, each.item))
        return tuple(items)

    async def previewed(self, parent: Stretch, each: Called, item: Item) -> Item:
        if each.call.preview is None:
            return item
        with self.stretches.entered("tool.preview", item.name, parent, {"tool.name": item.operation}) as stretch:
            await self.pass_time(min(each.call.preview_takes_ms, PREVIEW_LIMIT_MS))
            if each.call.preview_takes_ms > PREVIEW_LIMIT_MS:
                stretch.fail(f"no preview within {PREVIEW_LIMIT_MS} ms")
                return item
        return replace(item, preview=each.call.preview)

    async def decided(self, parent: Stretch, items: Sequence[Item]) -> tuple[Item, ...]:
        """The plan gate: policy, the plan-ready chain once, then whoever is to be asked."""
        with self.stretches.entered("policy.evaluate", "plan gate", parent) as stretch:
            items = self.told(stretch, gate.judged(self.script.rules, items))
            result = await self.fired(stretch, "plan-ready", gate.plan_view(self.turn_id, items))
            if result.decision != "allow":
                return self.told(stretch, gate.vetoed(items, result.decided_by))
            return tuple([await self.settled(stretch, item) for item in items])

    def told(self, stretch: Stretch, decided: Iterable[Ruling]) -> tuple[Item, ...]:
        """Say what a step of the gate made of the items."""
        items = []
        for each in decided:
            item = each.item
            subject = f"{item.name} ({item.call_id})"
            stretch.decided(subject, item.decision, by=item.decided_by, rule=each.rule, why=each.why)
            items.append(item)
        return tuple(items)

    async def settled(self, parent: Stretch, item: Item) -> Item:
        """An item that nothing is left to ask about."""
        if item.decision is not Decision.ASK:
            return item
        if (found := gate.recalled(item, self.memory)) is not None:
            return self.told(parent, [found])[0]
        known: dict[str, JSON] = {"plan_item.id": item.id}
        with self.stretches.entered("plan.decision.resolve", item.name, parent, known) as stretch:
            question = Question(stretch.id, item.name, item.view, item.decided_by)
            answer = await self.unless_cancelled(self.resolver.resolve(question))
            if not gate.can_keep(answer):
                why = f"ErrPolicyPersistenceUnavailable: {answer.by} answered always for {item.name}, "
                why += "and there is no place to keep that; answer once or session"
                raise _Ended(Stop(Status.FAILED, "", "PL-GATE-ALWAYS", why))
            self.memory = gate.remembered(self.memory, item, answer)
            return self.told(stretch, [gate.resolved(item, answer)])[0]

    async def execute(
        self, parent: Stretch, calls: Sequence[Called], outcomes: dict[str, Outcome], *, one_by_one: bool = False
    ) -> None:
        """Execute calls, beside each other where that is declared to be safe; results come in the order of calls."""
        pairs = [(each.tool, each.call) for each in calls if each.tool is not None]
        waits = [tuple(range(index)) for index in range(len(pairs))] if one_by_one else concurrency.waits(pairs)
        are_over = [asyncio.Event() for _ in calls]
        found: list[Outcome | None] = [None] * len(calls)

        async def in_turn(index: int) -> None:
            for earlier in waits[index]:
                await are_over[earlier].wait()
            found[index] = await self.executed(parent, calls[index])
            are_over[index].set()

        async def together() -> None:
            async with asyncio.TaskGroup() as group:
                for index, each in enumerate(calls):
                    group.create_task(in_turn(index), name=f"call {each.id}")

        await self.unless_cancelled(together())
        for each, outcome in zip(calls, found, strict=True):
            assert outcome is not None
            assert each.item is not None
            outcomes[each.id] = outcome
            self.count(each.item, is_bad=isinstance(outcome, ToolError) and outcome.category == "PROCESS_CRASHED")

    async def executed(self, parent: Stretch, each: Called) -> Outcome:
        tool, call = each.tool, each.call
        assert tool is not None
        known: dict[str, JSON] = {"tool.name": tool.operation, "tool.kind": tool.kind.value, "call_id": each.id}
        known |= {"producer.category": "CATEGORY_TOOL", "producer.name": tool.provider}
        limit_ms = self.script.settings.default_tool_timeout_ms if tool.timeout_ms is None else tool.timeout_ms
        with self.stretches.entered("tool.execute", tool.name, parent, known) as stretch:
            await sleep(self.stage.clock, min(call.takes_ms, limit_ms))
            if call.takes_ms > limit_ms:
                stretch.note({"outcome": "error"})
                return ToolError("TIMEOUT", f"{tool.name} gave no result within {limit_ms:g} ms", is_retryable=True)
            stretch.note({"outcome": "ok" if call.error is None else "error"})
            if call.error is not None:
                return ToolError(call.error.category, call.error.message, call.error.retryable)
            return Succeeded(call.result or {})

    def count(self, item: Item, *, is_bad: bool) -> None:
        self.tally = replace(self.tally, breaker=self.tally.breaker.after(item.provider, is_bad=is_bad))

    # -- the edge --------------------------------------------------------------------------------------------------

    def call_view(self, each: Called, item: Item) -> dict[str, JSON]:
        described = self.script.described
        context: dict[str, JSON] = {"session_id": described.session, "turn_id": self.turn_id}
        return turn.tool_call(each, item, {**context, "working_directory": described.working_directory})

    def message_id(self) -> str:
        self.messages += 1
        return f"{self.script.described.session}/message-{self.messages}"

    async def fired(self, stretch: Stretch, point: str, view: JSON) -> Result:
        """Dispatch within a turn, where an end without a verdict ends the session."""
        result = await self.stage.fire(point, from_view(point, view), stretch.id, self.stage.caller)
        match result.ending:
            case Ending.FINISHED:
                return result
            case Ending.CANCELLED:
                raise _Ended(Stop(Status.CANCELLED, "", "PL-STOP-CANCELLED", f"{point}: {result.error}"))
            case Ending.ABORTED | Ending.REFUSED:
                raise _Ended(Stop(Status.FAILED, "", "PL-TURN-ABORTED", f"{point}: {result.error}"))

    async def pass_time(self, ms: float) -> None:
        if ms > 0:
            await self.unless_cancelled(sleep(self.stage.clock, ms))

    async def unless_cancelled(self, work: Awaitable[T]) -> T:
        """Wait for something as long as the caller does."""
        with Limit(self.stage.clock, None, self.stage.caller):
            return await work
        raise self.cancelled()

    def go_on(self) -> None:
        """Unless the caller gave up."""
        if self.stage.caller.reason is not None:
            raise self.cancelled()

    def cancelled(self) -> _Ended:
        why = f"the caller gave up: {self.stage.caller.reason}"
        return _Ended(Stop(Status.CANCELLED, "", "PL-STOP-CANCELLED", why))


def _total(chain: Sequence[Section]) -> int:
    return sum(section.tokens for section in chain)


def _prints(calls: Iterable[Called]) -> list[str]:
    """Fingerprints of the calls that count for a doom loop."""
    kinds = (ToolKind.RESOURCE, ToolKind.DATA_SOURCE)
    return [
        stops.fingerprint(each.call.tool, each.call.arguments)
        for each in calls
        if each.tool is not None and each.tool.kind in kinds
    ]


def _is_terminal(each: Called, outcomes: Mapping[str, Outcome]) -> bool:
    return each.tool is not None and each.tool.terminates_turn and isinstance(outcomes[each.id], Succeeded)
