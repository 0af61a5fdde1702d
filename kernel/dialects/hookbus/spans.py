"""Names of spans. The host publishes none: the dispatch is called after the bus, the step after the method, and the
attributes are those of its trace records (spec 2.11)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernel.facts import Asked, Entered, Fact, Opened, Resolved
from kernel.measures import Measure
from kernel.values import JSON, Answered, Crashed, Ending, Failed, Outcome, Result, Status


class HookBusSpans:
    """The one table of names."""

    scope = "synaps.extensions.hookbus"

    def dispatch_span(self, opened: Opened) -> tuple[str, Mapping[str, str]]:
        return "hook.emit", {"hook": opened.chain.point}

    def step_span(self, asked: Asked) -> tuple[str, Mapping[str, str]]:
        return "hook.handle", {"hook": asked.subscription.point, "extension": asked.subscription.name}

    def step_error(self, resolved: Resolved) -> str | None:
        """Whatever the host warns of; a block is none."""
        failed = resolved.status in (Status.ERROR, Status.TIMED_OUT, Status.CANCELLED)
        return resolved.why if failed else None

    def step_outcome(self, outcome: Outcome, resolved: Resolved) -> Mapping[str, str | int | float | bool]:
        """How often the extension was started again, ever, where it had to be for this call; otherwise nothing."""
        deliveries = outcome.deliveries if isinstance(outcome, Answered | Failed | Crashed) else ()
        return {"restart_count": deliveries[-1].restart_count} if deliveries else {}

    def stretch_span(self, entered: Entered) -> tuple[str, bool]:
        return f"hook.{entered.kind}", False

    def stretch_attributes(self, attributes: Mapping[str, JSON]) -> Mapping[str, str | int | float | bool]:
        return {key: value for key, value in attributes.items() if isinstance(value, str | int | float | bool)}

    def dispatch_error(self, result: Result) -> str | None:
        return result.error if result.ending in (Ending.ABORTED, Ending.CANCELLED) else None

    def measures(self, about: Opened | Entered, fact: Fact, took_ns: int) -> Iterable[Measure]:
        return ()
