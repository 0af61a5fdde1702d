"""Names of spans. The field publishes none of its own; these follow its operations (spec E.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernel.dialects.rig.operation import BY_LABEL
from kernel.facts import Asked, Entered, Fact, Opened, Resolved
from kernel.measures import Measure
from kernel.values import JSON, Ending, Outcome, Result, Status

_PREFIX = "rig."


class RigSpans:
    """The one table of names."""

    scope = "looprig/harness/hook"

    def dispatch_span(self, opened: Opened) -> tuple[str, Mapping[str, str]]:
        """The operation by its name, with the natural id that tells it from others of its kind."""
        point = opened.chain.point
        attributes = {f"{_PREFIX}operation": point, f"{_PREFIX}operation.number": str(int(BY_LABEL[point]))}
        view = opened.payload.view
        if natural := natural_id(point, view):
            attributes[f"{_PREFIX}operation.id"] = natural
        if point in _BESIDE:
            key, member = _BESIDE[point]
            if beside := _text(view, point, member):
                attributes[f"{_PREFIX}{key}"] = beside
        return f"rig.{point}", attributes

    def step_span(self, asked: Asked) -> tuple[str, Mapping[str, str]]:
        attributes = {f"{_PREFIX}callback": asked.subscription.name, f"{_PREFIX}phase": asked.phase}
        if asked.subscription.id:
            attributes[f"{_PREFIX}callback.place"] = asked.subscription.id
        return f"rig.{asked.phase or asked.subscription.mode}", attributes

    def step_error(self, resolved: Resolved) -> str | None:
        """A denial is a verdict and no error."""
        failed = resolved.status in (Status.ERROR, Status.TIMED_OUT, Status.CANCELLED)
        return resolved.why if failed else None

    def step_outcome(self, outcome: Outcome, resolved: Resolved) -> Mapping[str, str | int | float | bool]:
        return {}

    def stretch_span(self, entered: Entered) -> tuple[str, bool]:
        return f"rig.{entered.kind}", False

    def stretch_attributes(self, attributes: Mapping[str, JSON]) -> Mapping[str, str | int | float | bool]:
        return {
            f"{_PREFIX}{key}": value for key, value in attributes.items() if isinstance(value, str | int | float | bool)
        }

    def dispatch_error(self, result: Result) -> str | None:
        """The badge is the outcome: a denied operation is none that failed."""
        if result.ending is not Ending.FINISHED or result.decision in ("failed", "canceled"):
            return result.error or result.decision
        return None

    def measures(self, about: Opened | Entered, fact: Fact, took_ns: int) -> Iterable[Measure]:
        return ()  # the field publishes none


_NATURAL: Mapping[str, tuple[str, str]] = {
    "Turn": ("Coordinates", "TurnID"),
    "Step": ("Coordinates", "StepID"),
    "Inference": ("Coordinates", "StepID"),
    "Compaction": ("Compaction", "AttemptID"),
    "ToolCall": ("ToolCall", "ToolUseID"),
    "ToolExecution": ("ToolExecution", "ToolUseID"),
    "GateWait": ("GateWait", "GateID"),
    "JournalAppend": ("JournalAppend", "RecordID"),
}


_BESIDE: Mapping[str, tuple[str, str]] = {
    "ToolCall": ("tool_execution.id", "ToolExecutionID"),
    "ToolExecution": ("tool_execution.id", "ToolExecutionID"),
    "JournalAppend": ("record.family", "Family"),
}
"""What belongs to a natural id that is not enough by itself: attribute, and member of the payload."""


def natural_id(point: str, view: JSON) -> str:
    """By what an operation is told from others of its kind; empty where the call does not say."""
    return _text(view, *_NATURAL[point]) if point in _NATURAL else ""


def _text(view: JSON, group: str, key: str) -> str:
    inner = view.get(group) if isinstance(view, dict) else None
    found = inner.get(key) if isinstance(inner, dict) else None
    return found if isinstance(found, str) else ""
