"""What the host logs (spec 2.11), folded from facts. Inputs, outputs and messages of events are never part of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from kernel.clock import NS_PER_MS
from kernel.dialects.hookbus.answers import MALFORMED_MODIFY, Block, HookResult, Inject, Replace
from kernel.dialects.hookbus.delivery import unsent_of
from kernel.dialects.hookbus.resolve import said
from kernel.dialects.hookbus.traits import Traits
from kernel.dialects.hookbus.walk import MOST_RESTARTS
from kernel.facts import Asked, Decided, Ended, Entered, Event, Left, Opened, Raised, Replied, Resolved
from kernel.values import JSON, Answered, Crashed, Failed, Outcome, Skipped, TimedOut

TRACE_VARIABLE = "SYNAPS_EXTENSIONS_TRACE"


class Level(StrEnum):
    """How loud a line is."""

    DEBUG = "debug"
    INFO = "info"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class LogLine:
    """One log entry."""

    code: str
    """Without the prefix `LOG.` of the specification."""
    level: Level
    fields: Mapping[str, JSON]


def is_tracing(environment: Mapping[str, str]) -> bool:
    """Whether trace records are wanted; to be asked anew at each call."""
    return environment.get(TRACE_VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")


@dataclass(frozen=True, slots=True)
class Condition:
    """How an extension's process is, for trace records."""

    health: str = "running"
    restart_count: int = 0


@dataclass(slots=True)
class _Dispatch:
    hook: str
    observed_len: int
    timeout_ms: dict[int, int | None] = field(default_factory=dict)
    replied: dict[int, Replied] = field(default_factory=dict)
    rules: dict[int, str] = field(default_factory=dict)


class LogBook:
    """A probe that writes the lines. `traces` is for sequential emits only: no other has trace records."""

    def __init__(
        self,
        write: Callable[[LogLine], None],
        *,
        traces: Callable[[], bool] = lambda: False,
        condition_of: Callable[[str], Condition] = lambda extension: Condition(),
    ) -> None:
        self._write = write
        self._traces = traces
        self._condition_of = condition_of
        self._dispatches: dict[str, _Dispatch] = {}

    def see(self, event: Event) -> None:
        match event.fact:
            case Opened(_, chain, payload):
                view = payload.view
                output = view.get("tool_output") if isinstance(view, dict) else None
                observed = len(output.encode()) if isinstance(output, str) else 0
                self._dispatches[event.dispatch] = _Dispatch(chain.point, observed)
            case Ended():
                self._dispatches.pop(event.dispatch, None)
            case Decided(subject, _, _, "HB-NOTIFY-FULL"):
                self._write(LogLine("notify_full", Level.WARN, {"kind": subject}))
            case Entered() | Left() | Decided():
                pass
            case fact if (known := self._dispatches.get(event.dispatch)) is not None:
                self._see(known, fact)

    def _see(self, known: _Dispatch, fact: object) -> None:
        match fact:
            case Asked(step, _, _, _, timeout_ms):
                known.timeout_ms[step] = timeout_ms
            case Replied(step):
                known.replied[step] = fact
            case Resolved(step, seat, _, _, rule) if step in known.replied:
                outcome = known.replied[step].outcome
                result = said(seat, Traits(), outcome).result
                known.rules[step] = rule
                self._trace(known, fact, result, outcome)
                self._accepted(known, seat.name, rule, result)
            case Raised(step, seat, category, message, rule):
                fields: dict[str, JSON] = {"hook": known.hook, "extension": seat.name}
                replied = known.replied.get(step)
                gave = None if replied is None else replied.outcome
                answered = None if gave is None else said(seat, Traits(), gave).result
                self._raised(known, step, category, message, fields, answered, gave)
                if rule == known.rules.get(step) == "HB-MALFORMED-MODIFY":
                    self._accepted(known, seat.name, "HB-BLOCK", Block(MALFORMED_MODIFY))

    def _trace(self, known: _Dispatch, fact: Resolved, result: HookResult, outcome: Outcome) -> None:
        if not self._traces() or isinstance(outcome, Skipped):
            return
        extension, condition = fact.subscription.name, self._condition_of(fact.subscription.name)
        fields: dict[str, JSON] = {"trace": True, "hook": known.hook, "extension": extension}
        is_late = isinstance(outcome, TimedOut)
        fields |= {"action": "timeout"} if is_late else {"action": result.action.value}
        fields |= {"timeout_secs": _seconds(known.timeout_ms.get(fact.step))} if is_late else {}
        fields |= {"duration_ms": known.replied[fact.step].took_ns // NS_PER_MS}
        fields |= {"health": condition.health, "restart_count": condition.restart_count}
        self._write(LogLine("trace", Level.WARN if is_late else Level.INFO, fields))

    def _accepted(self, known: _Dispatch, extension: str, rule: str, result: HookResult) -> None:
        if rule not in _ACCEPTED:
            return
        code, level = _ACCEPTED[rule]
        fields: dict[str, JSON] = {"hook": known.hook, "extension": extension}
        match result:
            case Block(reason):
                fields |= {"reason": reason}
            case Inject(content):
                fields |= {"len": len(content.encode())}
            case Replace(output):
                fields |= {"observed_len": known.observed_len, "replacement_len": len(output.encode())}
            case _:
                pass
        self._write(LogLine(code or result.action.value, level, fields))

    def _raised(
        self,
        known: _Dispatch,
        step: int,
        category: str,
        message: str,
        fields: dict[str, JSON],
        answered: HookResult | None,
        outcome: Outcome | None,
    ) -> None:
        extension = fields["extension"]
        match category:
            case "disallowed" if answered is not None:
                fields |= {"action": answered.action.value}
            case "timeout":
                fields |= {"timeout_secs": _seconds(known.timeout_ms.get(step))}
            case "timeout_conc":
                fields = {"hook": known.hook, "timeout_secs": _seconds(known.timeout_ms.get(step))}
            case "notify_cut":
                fields = {"extension": extension, "unsent": unsent_of(message)}
            case "invalid_result":
                response = outcome.body.decode(errors="replace") if isinstance(outcome, Answered) else "null"
                fields = {"extension": extension, "error": message, "response": response}
            case "restart" if isinstance(outcome, Answered | Failed | Crashed) and outcome.deliveries:
                again = outcome.deliveries[-1]
                fields = {"extension": extension, "attempt": again.attempt, "max_attempts": MOST_RESTARTS}
                fields |= {"delay_ms": round(again.delay_ms)}
            case "call_failed" | "panic":
                fields = {"extension": extension, "error": message}
            case _:
                pass
        self._write(LogLine(category, Level.WARN, fields))


_ACCEPTED: Mapping[str, tuple[str, Level]] = MappingProxyType(
    {
        "HB-BLOCK": ("block", Level.INFO),
        "HB-CONFIRM": ("confirm", Level.INFO),
        "HB-MODIFY": ("modify", Level.INFO),
        "HB-FIRST-ENDS": ("", Level.INFO),
        "HB-REPLACE": ("replace", Level.INFO),
        "HB-INJECT": ("inject", Level.DEBUG),
    }
)
"""What is logged of an answer that counts, by the rule that took it; no code means the action's own name."""


def _seconds(timeout_ms: int | None) -> JSON:
    if timeout_ms is None:
        return None
    return timeout_ms // 1000 if timeout_ms % 1000 == 0 else timeout_ms / 1000
