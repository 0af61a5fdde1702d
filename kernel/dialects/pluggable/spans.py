"""Names and attributes of spans as the pluggable host publishes them (spec B.12, F.1); `metrics` has what it counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernel.dialects.pluggable import metrics
from kernel.dialects.pluggable.metrics import PREFIX
from kernel.facts import Asked, Entered, Fact, Opened, Resolved
from kernel.measures import Attribute, Measure
from kernel.values import JSON, Ending, Outcome, Result, Status

_CALLS_OUT = frozenset({"model.call", "tool.execute"})
_OF_STRETCHES = frozenset(
    {
        "session.id",
        "session.parent_id",
        "session.root_id",
        "session.depth",
        "session.status",
        "agent.profile",
        "turn.index",
        "turn.id",
        "model.id",
        "attempt",
        "tool.name",
        "tool.kind",
        "plan_item.id",
        "provider.local_name",
        "producer.category",
        "producer.name",
        "producer.version",
    }
)
"""Attributes that the host publishes; whatever else is known of a stretch is in the facts only."""


class PluggableSpans:
    """The one table of names."""

    scope = "pluggableharness-agent/kernel"

    def dispatch_span(self, opened: Opened) -> tuple[str, Mapping[str, str]]:
        return "hook.dispatch", {f"{PREFIX}hook.point": opened.chain.point}

    def step_span(self, asked: Asked) -> tuple[str, Mapping[str, str]]:
        attributes = {f"{PREFIX}subscriber.mode": asked.subscription.mode}
        producer = asked.subscription.producer
        return "hook.subscriber", attributes | ({} if producer is None else metrics.producer_attributes(producer))

    def step_error(self, resolved: Resolved) -> str | None:
        """A failed or invalid call is an error; an explicit DENY is not. H19: a rejected content is one too."""
        failed = resolved.status in (Status.ERROR, Status.TIMED_OUT, Status.CANCELLED)
        return resolved.why if failed else None

    def step_outcome(self, outcome: Outcome, resolved: Resolved) -> Mapping[str, str | int | float | bool]:
        return {}

    def stretch_span(self, entered: Entered) -> tuple[str, bool]:
        """The kinds of stretches are the names of their spans."""
        return entered.kind, entered.kind in _CALLS_OUT

    def stretch_attributes(self, attributes: Mapping[str, JSON]) -> Mapping[str, Attribute]:
        return {
            key if key.startswith("gen_ai.") else f"{PREFIX}{key}": value
            for key, value in attributes.items()
            if (key in _OF_STRETCHES or key.startswith("gen_ai.")) and isinstance(value, str | int | float | bool)
        }

    def dispatch_error(self, result: Result) -> str | None:
        """Only a dispatch that returns an error is one: after a DENY, failed closed or not, the span is OK."""
        return result.error if result.ending in (Ending.ABORTED, Ending.CANCELLED) else None

    def measures(self, about: Opened | Entered, fact: Fact, took_ns: int) -> Iterable[Measure]:
        return metrics.measures(about, fact, took_ns)
