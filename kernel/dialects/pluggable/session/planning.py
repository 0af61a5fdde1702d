"""Plans of a played session: built from calls, decided about at the gate (spec D.2, D.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kernel.asking import Question, Resolver
from kernel.dialects.pluggable.session import gate
from kernel.dialects.pluggable.session.gate import Item, Ruling
from kernel.dialects.pluggable.session.ground import Ground, SessionEnded
from kernel.dialects.pluggable.session.policy import Decision, Rule
from kernel.dialects.pluggable.session.stops import Status, Stop
from kernel.dialects.pluggable.session.turn import PREVIEW_LIMIT_MS, Called
from kernel.stretch import Stretch
from kernel.values import JSON


class Planning:
    """The plans of one session, and what was answered for the rest of it."""

    def __init__(self, ground: Ground, rules: Sequence[Rule], resolver: Resolver) -> None:
        self._ground = ground
        self._rules = rules
        self._resolver = resolver
        self._memory = gate.NOTHING

    async def planned(self, parent: Stretch, calls: Sequence[Called]) -> tuple[Item, ...]:
        """The items of a plan, each allowed or denied."""
        return await self._decided(parent, await self._built(parent, calls))

    async def _built(self, parent: Stretch, calls: Sequence[Called]) -> tuple[Item, ...]:
        items = []
        known: dict[str, JSON] = {"turn.id": self._ground.turn_id}
        with self._ground.stretches.entered("plan.build", "plan", parent, known) as stretch:
            for each in calls:
                assert each.item is not None
                items.append(await self._previewed(stretch, each, each.item))
        return tuple(items)

    async def _previewed(self, parent: Stretch, each: Called, item: Item) -> Item:
        if each.call.preview is None:
            return item
        known: dict[str, JSON] = {"tool.name": item.operation}
        with self._ground.stretches.entered("tool.preview", item.name, parent, known) as stretch:
            await self._ground.pass_time(min(each.call.preview_takes_ms, PREVIEW_LIMIT_MS))
            if each.call.preview_takes_ms > PREVIEW_LIMIT_MS:
                stretch.fail(f"no preview within {PREVIEW_LIMIT_MS} ms")
                return item
        return replace(item, preview=each.call.preview)

    async def _decided(self, parent: Stretch, items: Sequence[Item]) -> tuple[Item, ...]:
        """The plan gate: policy, the plan-ready chain once, then whoever is to be asked."""
        with self._ground.stretches.entered("policy.evaluate", "plan gate", parent) as stretch:
            items = told(stretch, gate.judged(self._rules, items))
            result = await self._ground.fired(stretch, "plan-ready", gate.plan_view(self._ground.turn_id, items))
            if result.decision != "allow":
                return told(stretch, gate.vetoed(items, result.decided_by))
            return tuple([await self._settled(stretch, item) for item in items])

    async def _settled(self, parent: Stretch, item: Item) -> Item:
        """An item that nothing is left to ask about."""
        if item.decision is not Decision.ASK:
            return item
        if (found := gate.recalled(item, self._memory)) is not None:
            return told(parent, [found])[0]
        known: dict[str, JSON] = {"plan_item.id": item.id}
        with self._ground.stretches.entered("plan.decision.resolve", item.name, parent, known) as stretch:
            question = Question(stretch.id, item.name, item.view, item.decided_by)
            answer = await self._ground.unless_cancelled(self._resolver.resolve(question))
            if not gate.can_keep(answer):
                why = f"ErrPolicyPersistenceUnavailable: {answer.by} answered always for {item.name}, "
                why += "and there is no place to keep that; answer once or session"
                raise SessionEnded(Stop(Status.FAILED, "", "PL-GATE-ALWAYS", why))
            self._memory = gate.remembered(self._memory, item, answer)
            return told(stretch, [gate.resolved(item, answer)])[0]


def told(stretch: Stretch, decided: Iterable[Ruling]) -> tuple[Item, ...]:
    """Say what a step of the gate made of the items."""
    items = []
    for each in decided:
        item = each.item
        subject = f"{item.name} ({item.call_id})"
        stretch.decided(subject, item.decision, by=item.decided_by, rule=each.rule, why=each.why)
        items.append(item)
    return tuple(items)
