"""Which policy rule decides about a call, and what that comes to (spec C.5). Pure.

That two rules do not contradict each other is said while loading; here the first in file order would win.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class ToolKind(StrEnum):
    """What sort of thing a tool does."""

    RESOURCE = "resource"
    """Changes something: it is planned, decided about and applied."""
    DATA_SOURCE = "data_source"
    """Reads something."""
    INTERACTIVE = "interactive"
    """Asks a person something."""


class Risk(StrEnum):
    """How much harm a tool could do."""

    READ_ONLY = "read_only"
    LOW = "low"
    MODERATE = "moderate"
    HIGH = "high"
    CRITICAL = "critical"


class Decision(StrEnum):
    """How a call stands. The last three are also the actions of a rule."""

    PENDING = "pending"
    """Nobody decided yet."""
    ALLOW = "allow"
    ASK = "ask"
    """Somebody has to be asked."""
    DENY = "deny"


class Rule(Protocol):
    """A policy rule as the configuration states it; None = does not look at this."""

    @property
    def name(self) -> str: ...
    @property
    def tool_name(self) -> str | None: ...
    @property
    def provider(self) -> str | None: ...
    @property
    def risk(self) -> str | None: ...
    @property
    def kind(self) -> str | None: ...
    @property
    def action(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """What a rule may look at in a call."""

    tool_name: str
    """Without its provider."""
    provider: str
    risk: Risk
    kind: ToolKind | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What policy makes of one call."""

    decision: Decision
    decided_by: str
    rule: str
    """The dialect's named rule, not the policy's."""
    why: str
    is_downgraded: bool = False
    """Whether a rule said ask where nobody can be asked."""


def evaluate(rules: Sequence[Rule], subject: Subject) -> Judgement:
    """Let the most specific rule that matches decide, or else the default for the kind."""
    matching = [rule for rule in rules if _matches(rule, subject)]
    if not matching:
        return _default(subject.kind)
    winner = max(matching, key=specificity)  # of equals the first
    decided_by = f"policy:{winner.name}"
    if winner.action == Decision.ASK and subject.kind in _NOBODY_IS_ASKED:
        why = f"rule {winner.name!r} says ask, which counts as deny for a call of kind {subject.kind}"
        return Judgement(Decision.DENY, decided_by, "PL-POLICY-DOWNGRADE", why, is_downgraded=True)
    others = len(matching) - 1
    over = f", the most specific of {others + 1} that match" if others else ""
    why = f"rule {winner.name!r} says {winner.action}{over}"
    return Judgement(Decision(winner.action), decided_by, "PL-POLICY-RULE", why)


_NOBODY_IS_ASKED = frozenset({ToolKind.DATA_SOURCE, ToolKind.INTERACTIVE})


def specificity(rule: Rule) -> tuple[bool, bool, bool, bool]:
    """Larger is more specific: the first criterion that only one of two rules has decides between them."""
    return (rule.tool_name is not None, rule.provider is not None, rule.risk is not None, rule.kind is not None)


def _matches(rule: Rule, subject: Subject) -> bool:
    wanted = (rule.tool_name, rule.provider, rule.risk, rule.kind)
    found = (subject.tool_name, subject.provider, subject.risk, subject.kind)
    return all(want is None or want == has for want, has in zip(wanted, found, strict=True))


def _default(kind: ToolKind | None) -> Judgement:
    decision = Decision.ALLOW if kind in _NOBODY_IS_ASKED else Decision.ASK
    why = f"no rule matches, and without one a call of kind {kind or 'unknown'} is {_PARTICIPLES[decision]}"
    return Judgement(decision, "policy:default", "PL-POLICY-DEFAULT", why)


_PARTICIPLES = {Decision.ALLOW: "allowed", Decision.ASK: "asked about"}
