"""The plan gate (spec D.4): from a plan nobody decided about to one in which every item is allowed or denied. Pure.

The steps in order are `judged`, `vetoed` if the plan-ready chain said no, else `recalled` or `resolved` for every item
that is to be asked about, and `apply_view` once the allowed ones have been applied. Whoever plays a session calls
them; a dispatch that ends without a verdict is not for the gate, it ends the turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from kernel.asking import Answer, Scope
from kernel.dialects.pluggable.session.policy import Decision, Judgement, Risk, Rule, Subject, ToolKind, evaluate
from kernel.values import JSON


@dataclass(frozen=True, slots=True)
class Item:
    """A call as a plan has it."""

    id: str
    call_id: str
    provider: str
    operation: str
    input: Mapping[str, JSON]
    kind: ToolKind
    risk: Risk
    description: str = ""
    preview: str | None = None
    decision: Decision = Decision.PENDING
    decided_by: str = ""

    @property
    def name(self) -> str:
        return f"{self.provider}.{self.operation}"

    @property
    def view(self) -> dict[str, JSON]:
        """As a member of a payload."""
        view: dict[str, JSON] = {
            "id": self.id,
            "call_id": self.call_id,
            "provider": self.provider,
            "operation_name": self.operation,
            "input": dict(self.input),
            "decision": f"PLAN_DECISION_{self.decision.name}",
            "kind": f"TOOL_KIND_{self.kind.name}",
            "risk": f"RISK_CLASS_{self.risk.name}",
            "producer_category": "CATEGORY_TOOL",
        }
        if self.decided_by:
            view["decided_by"] = self.decided_by
        if self.description:
            view["description"] = self.description
        if self.preview is not None:
            view["preview"] = {"root": {"text": {"content": self.preview}}}
        return view


@dataclass(frozen=True, slots=True)
class Ruling:
    """An item after a step of the gate, and what that step says about it."""

    item: Item
    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class ToolError:
    """Why a call has no result."""

    category: str
    """Without the enum's prefix, such as `PERMISSION_DENIED`."""
    message: str
    is_retryable: bool = False

    @property
    def view(self) -> dict[str, JSON]:
        view: dict[str, JSON] = {"category": f"TOOL_ERROR_CATEGORY_{self.category}", "message": self.message}
        return {**view, "retryable": True} if self.is_retryable else view


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The result of a call."""

    payload: Mapping[str, JSON]


Outcome = Succeeded | ToolError
"""How one call of a tool ended."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer that holds for the rest of the session."""

    allows: bool
    by: str


Memory = Mapping[tuple[str, str], Remembered]
"""What was answered for the session, by provider and operation."""
NOTHING: Memory = MappingProxyType({})


def subject_of(item: Item) -> Subject:
    """What policy rules may look at."""
    return Subject(item.operation, item.provider, item.risk, item.kind)


def judged(rules: Sequence[Rule], items: Sequence[Item]) -> tuple[Ruling, ...]:
    """Every item with the decision of policy, each for itself."""
    return tuple(_judged(item, evaluate(rules, subject_of(item))) for item in items)


def _judged(item: Item, judgement: Judgement) -> Ruling:
    decided = replace(item, decision=judgement.decision, decided_by=judgement.decided_by)
    return Ruling(decided, judgement.rule, judgement.why)


def vetoed(items: Sequence[Item], by: str) -> tuple[Ruling, ...]:
    """Every item denied, whatever policy said: a veto is about the whole plan."""
    return tuple(
        Ruling(
            replace(item, decision=Decision.DENY, decided_by=f"hook-veto:{by}"),
            "PL-GATE-VETO",
            f"{by} denied the whole plan; policy had said {item.decision} ({item.decided_by})",
        )
        for item in items
    )


def recalled(item: Item, memory: Memory) -> Ruling | None:
    """The item decided by what was answered for the session before; None when nothing was."""
    found = memory.get((item.provider, item.operation))
    if found is None:
        return None
    said = "allow" if found.allows else "deny"
    why = f"{found.by} answered {said} for {item.name} before, for the whole session"
    return Ruling(_answered(item, found.allows, f"session:{found.by}"), "PL-GATE-SESSION", why)


def resolved(item: Item, answer: Answer) -> Ruling:
    """The item decided by an answer that can be kept: `can_keep` has to be asked before."""
    assert can_keep(answer), "an answer for always is refused before it gets here"
    reach = "this once" if answer.scope is Scope.ONCE else "for the whole session"
    why = f"{answer.by} answered {'allow' if answer.allows else 'deny'}, {reach}"
    return Ruling(_answered(item, answer.allows, f"resolver:{answer.by}"), "PL-GATE-RESOLVER", why)


def can_keep(answer: Answer) -> bool:
    """Whether there is a place for an answer. There is none for one that outlives the session."""
    return answer.scope is not Scope.ALWAYS


def remembered(memory: Memory, item: Item, answer: Answer) -> Memory:
    """The memory after an answer."""
    if answer.scope is not Scope.SESSION:
        return memory
    kept = Remembered(answer.allows, answer.by)
    return MappingProxyType({**memory, (item.provider, item.operation): kept})


def _answered(item: Item, allows: bool, by: str) -> Item:
    decision = Decision.ALLOW if allows else Decision.DENY
    return replace(item, decision=decision, decided_by=f"{item.decided_by}+{by}")


def denial(item: Item, by: str = "") -> ToolError:
    """What the model gets in place of a result."""
    message = f"{item.name} was not executed: denied by {by or item.decided_by}"
    return ToolError("PERMISSION_DENIED", message)


def plan_view(turn_id: str, items: Sequence[Item]) -> dict[str, JSON]:
    """The payload of plan-ready."""
    return {"plan": {"turn_id": turn_id, "items": [item.view for item in items]}}


def apply_view(turn_id: str, items: Sequence[Item], outcomes: Mapping[str, Outcome]) -> dict[str, JSON]:
    """The payload of post-apply: one entry for each item, in the order of the plan. `outcomes` goes by call."""
    return {"apply": {"turn_id": turn_id, "items": [_applied(item, outcomes[item.call_id]) for item in items]}}


def _applied(item: Item, outcome: Outcome) -> JSON:
    head: dict[str, JSON] = {"plan_item_id": item.id, "call_id": item.call_id}
    if item.decision is Decision.DENY:
        return {**head, "outcome": "APPLY_OUTCOME_DENIED"}
    match outcome:
        case Succeeded(payload):
            return {**head, "outcome": "APPLY_OUTCOME_APPLIED", "tool_result": {"payload": dict(payload)}}
        case ToolError():
            return {**head, "outcome": "APPLY_OUTCOME_FAILED", "tool_error": outcome.view}
