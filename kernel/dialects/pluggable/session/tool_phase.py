"""Calls of tools in a turn of a played session: asked about, checked, planned, executed (spec D.2 steps 7 to 12)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from kernel.dialects.pluggable.session import concurrency, gate, stops, turn
from kernel.dialects.pluggable.session.described import Tool
from kernel.dialects.pluggable.session.gate import Item, Outcome, Succeeded, ToolError
from kernel.dialects.pluggable.session.ground import Ground
from kernel.dialects.pluggable.session.planning import Planning
from kernel.dialects.pluggable.session.policy import Decision, Rule, ToolKind, evaluate
from kernel.dialects.pluggable.session.stops import Breaker
from kernel.dialects.pluggable.session.turn import Called
from kernel.stretch import Stretch
from kernel.values import JSON

Spawn: TypeAlias = Callable[[Stretch, Called], Awaitable[Outcome]]
"""Plays the session that a call begins, inside of the stretch of the call."""


class ToolPhase:
    """The calls of one session. `outcomes` goes by call; whoever plays the turn brings an empty one."""

    def __init__(
        self, ground: Ground, rules: Sequence[Rule], planning: Planning, default_timeout_ms: float, spawn: Spawn
    ) -> None:
        self._ground = ground
        self._rules = rules
        self._planning = planning
        self._default_timeout_ms = default_timeout_ms
        self._spawn = spawn
        self.breaker = Breaker()
        self.files_touched: tuple[str, ...] = ()

    async def before_call(self, stretch: Stretch, each: Called, outcomes: dict[str, Outcome]) -> None:
        """Refuse a call of a tool that is out of scope; let the hooks of pre-tool-call say no to any other."""
        if each.item is None:
            why = f"{each.call.tool} is not among the tools of this turn"
            stretch.decided(each.subject, "deny", by="scope", rule="PL-CALL-UNKNOWN", why=why)
            outcomes[each.id] = ToolError("NOT_FOUND", why)
            return
        view = turn.before_call(self._view(each, each.item), each.item)
        result = await self._ground.fired(stretch, "pre-tool-call", view)
        if result.decision != "allow":
            by = f"hook-veto:{result.decided_by}"
            why = f"{result.decided_by} denied this call"
            stretch.decided(each.subject, "deny", by=by, rule="PL-CALL-VETO", why=why)
            outcomes[each.id] = gate.denial(each.item, by)

    async def after_calls(self, stretch: Stretch, calls: Iterable[Called], outcomes: Mapping[str, Outcome]) -> None:
        """Tell the hooks of post-tool-call, in the order of the calls."""
        for each in calls:
            if each.item is not None:
                view = turn.after_call(self._view(each, each.item), outcomes[each.id])
                await self._ground.fired(stretch, "post-tool-call", view)

    async def read(
        self, parent: Stretch, calls: Iterable[Called], outcomes: dict[str, Outcome], kind: ToolKind
    ) -> None:
        """Check the calls of a kind that changes nothing against policy and execute what it allows."""
        calls = open_calls(calls, outcomes, kind)
        if not calls:
            return
        allowed = []
        with self._ground.stretches.entered("policy.evaluate", "precheck", parent) as stretch:
            for each in calls:
                assert each.item is not None
                judgement = evaluate(self._rules, gate.subject_of(each.item))
                by, rule, why = judgement.decided_by, judgement.rule, judgement.why
                stretch.decided(each.subject, judgement.decision, by=by, rule=rule, why=why)
                if judgement.decision is Decision.ALLOW:
                    allowed.append(each)
                else:
                    outcomes[each.id] = gate.denial(each.item, by)
                    self._count(each.item, is_bad=True)
        await self._execute(parent, allowed, outcomes, one_by_one=kind is ToolKind.INTERACTIVE)

    async def plan(self, parent: Stretch, calls: Iterable[Called], outcomes: dict[str, Outcome]) -> tuple[Item, ...]:
        """Plan the calls that change something, have the plan decided about, apply what is allowed."""
        calls = open_calls(calls, outcomes, ToolKind.RESOURCE)
        if not calls:
            return ()
        items = await self._planning.planned(parent, calls)
        for item in items:
            if item.decision is Decision.DENY:
                outcomes[item.call_id] = gate.denial(item)
                self._count(item, is_bad=True)
        allowed = [each for each in calls if each.id not in outcomes]
        if allowed:
            known: dict[str, JSON] = {"turn.id": self._ground.turn_id}
            with self._ground.stretches.entered("plan.apply", "apply", parent, known) as stretch:
                await self._execute(stretch, allowed, outcomes)
        return items

    async def _execute(
        self, parent: Stretch, calls: Sequence[Called], outcomes: dict[str, Outcome], *, one_by_one: bool = False
    ) -> None:
        """Execute calls, beside each other where that is declared to be safe; results come in the order of calls.

        Nothing is torn out of its work when the caller gives up: what waits is over at once, and so is a session that
        a call began, which tells its end first.
        """
        pairs = [(each.tool, each.call) for each in calls if each.tool is not None]
        waits = [tuple(range(index)) for index in range(len(pairs))] if one_by_one else concurrency.waits(pairs)
        are_over = [asyncio.Event() for _ in calls]
        found: list[Outcome | None] = [None] * len(calls)

        async def in_turn(index: int) -> None:
            for earlier in waits[index]:
                await are_over[earlier].wait()
            if not self._ground.is_left:
                found[index] = await self._executed(parent, calls[index])
            are_over[index].set()

        async with asyncio.TaskGroup() as group:
            for index, each in enumerate(calls):
                group.create_task(in_turn(index), name=f"call {each.id}")
        self._ground.go_on()
        for each, outcome in zip(calls, found, strict=True):
            assert outcome is not None, "only a caller that gave up leaves calls without an outcome"
            assert each.item is not None
            outcomes[each.id] = outcome
            self._count(each.item, is_bad=isinstance(outcome, ToolError) and outcome.category == "PROCESS_CRASHED")
            if isinstance(outcome, Succeeded):
                self.files_touched = tuple(dict.fromkeys((*self.files_touched, *each.files)))

    async def _executed(self, parent: Stretch, each: Called) -> Outcome | None:
        """What a call gave; None where the caller gave up first."""
        tool, call = each.tool, each.call
        assert tool is not None
        known: dict[str, JSON] = {"tool.name": tool.operation, "tool.kind": tool.kind.value, "call_id": each.id}
        known |= {"producer.category": "CATEGORY_TOOL", "producer.name": tool.provider}
        with self._ground.stretches.entered("tool.execute", tool.name, parent, known) as stretch:
            if call.session is not None:
                outcome = await self._spawn(stretch, each)
            else:
                limit_ms = self._default_timeout_ms if tool.timeout_ms is None else tool.timeout_ms
                outcome = await self._worked(stretch, each, tool, limit_ms)
            if self._ground.is_left:
                stretch.fail(f"the caller gave up: {self._ground.stage.caller.reason}")
                return None
            stretch.note({"outcome": "ok" if isinstance(outcome, Succeeded) else "error"})
            return outcome

    async def _worked(self, parent: Stretch, each: Called, tool: Tool, limit_ms: float) -> Outcome:
        """The time that a call takes, and what it gives; whoever answers an interactive one has a span for it."""
        outcome, takes_ms = _outcome(each, limit_ms), min(each.call.takes_ms, limit_ms)
        if tool.kind is not ToolKind.INTERACTIVE:
            await self._ground.wait(takes_ms)
            return outcome
        known: dict[str, JSON] = {"tool.name": tool.operation}
        with self._ground.stretches.entered("interactive.resolve", tool.name, parent, known) as stretch:
            await self._ground.wait(takes_ms)
            if self._ground.is_left:
                stretch.fail(f"the caller gave up: {self._ground.stage.caller.reason}")
            elif isinstance(outcome, ToolError):
                stretch.fail(outcome.message)
        return outcome

    def _count(self, item: Item, *, is_bad: bool) -> None:
        self.breaker = self.breaker.after(item.provider, is_bad=is_bad)

    def _view(self, each: Called, item: Item) -> dict[str, JSON]:
        return turn.tool_call(each, item, self._ground.call_context)


def open_calls(calls: Iterable[Called], outcomes: Mapping[str, Outcome], kind: ToolKind) -> list[Called]:
    """Those of a kind that have come to nothing yet."""
    return [each for each in calls if each.tool is not None and each.tool.kind is kind and each.id not in outcomes]


def _outcome(each: Called, limit_ms: float) -> Outcome:
    """What a described call gives if it is executed under a limit."""
    call = each.call
    if call.takes_ms > limit_ms:
        return ToolError("TIMEOUT", f"{call.tool} gave no result within {limit_ms:g} ms", is_retryable=True)
    if call.error is not None:
        return ToolError(call.error.category, call.error.message, call.error.retryable)
    return Succeeded(call.result or {})


def prints(calls: Iterable[Called]) -> list[str]:
    """Fingerprints of the calls that count for a doom loop."""
    kinds = (ToolKind.RESOURCE, ToolKind.DATA_SOURCE)
    return [
        stops.fingerprint(each.call.tool, each.call.arguments)
        for each in calls
        if each.tool is not None and each.tool.kind in kinds
    ]


def is_terminal(each: Called, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether a call was one that ends the turn, and succeeded."""
    return each.tool is not None and each.tool.terminates_turn and isinstance(outcomes[each.id], Succeeded)
