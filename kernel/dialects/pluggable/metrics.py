"""What the pluggable host counts and times, from the facts that tell of it (spec B.7, B.12, F.1, F.2). Pure.

    hook.dispatch.duration         seconds of a dispatch           hook.point
    hook.errors                    failures of subscribers         hook.point, subscriber.mode
    plugin.crashes                 calls that a crash ended        producer.category, .name, .version
    sessions.active                sessions under way
    sessions.started, .ended       sessions                        the latter: session.status
    turns, turn.duration           turns, and their seconds        the latter: outcome
    model.call.duration            seconds of a model's call       outcome
    tokens, cost.usd               what a model's call used        tokens: token.type
    tool.calls, tool.duration      calls of tools, their seconds   tool.kind, outcome
    interactive.resolutions        interactive calls executed      outcome
    policy.decisions               what policy said                policy.decision
    bounds.fired                   limits that ended a session     bound
    doomloop.detected              sessions caught in a loop
    context.contribution.violations   what was not accepted        reason
    token_count.fallbacks          texts counted by their length   tokencount.fallback_reason

Metrics of parts that this kernel does not have (event bus, relayed telemetry) are not recorded: they would say 0
where nobody has looked. Of the attributes, only those with a closed set of values are used, and whose plugin it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from kernel.dialects.pluggable.points import is_kernels
from kernel.facts import Decided, Ended, Entered, Fact, Left, Opened, Raised, Replied, Resolved
from kernel.measures import Attribute, Instrument, Measure, Metric
from kernel.values import JSON, Crashed, Producer, Status

PREFIX: Final = "pluggableharness."
_TOKEN_TYPES = ("input", "output", "cache_read", "cache_write")
_POLICY_RULES = frozenset({"PL-POLICY-RULE", "PL-POLICY-DEFAULT", "PL-POLICY-DOWNGRADE"})
_BOUND_RULES = frozenset({"PL-STOP-MAX-TURNS", "PL-STOP-MAX-COST", "PL-STOP-WALL-CLOCK"})
_VIOLATION_RULES = frozenset({"PL-CONTEXT-SCOPE", "PL-CONTEXT-BUDGET", "PL-CONTEXT-NON-TEXT"})


def measures(about: Opened | Entered, fact: Fact, took_ns: int) -> Iterator[Measure]:
    """What is measured when a fact is told of what began with `about`, `took_ns` after it did."""
    if isinstance(about, Opened):
        yield from _of_dispatch(about, fact, took_ns)
        return
    match fact:
        case Entered(kind="session"):
            yield _counted("sessions.started")
            yield _measured(Instrument.UP_DOWN, "sessions.active", 1)
        case Left() as left:
            yield from _of_left(about, left, took_ns)
        case Decided() as decided:
            yield from _of_decision(decided)


def producer_attributes(producer: Producer) -> dict[str, str]:
    """Whose plugin it is, under the published names."""
    return {
        f"{PREFIX}producer.category": f"CATEGORY_{producer.category.upper() or 'UNSPECIFIED'}",
        f"{PREFIX}producer.name": producer.name,
        f"{PREFIX}producer.version": producer.version,
    }


def _of_dispatch(opened: Opened, fact: Fact, took_ns: int) -> Iterator[Measure]:
    point = {"hook.point": opened.chain.point}
    match fact:
        case Ended():
            yield _timed("hook.dispatch.duration", took_ns, point)
        case Raised(_, subscription):
            yield _counted("hook.errors", 1, {**point, "subscriber.mode": subscription.mode})
        case Resolved(_, subscription, Status.ERROR | Status.TIMED_OUT) if is_kernels(subscription):
            yield _counted("hook.errors", 1, {**point, "subscriber.mode": subscription.mode})  # and no record (B.7)
        case Replied(step, Crashed()):
            producer = opened.chain.subscriptions[step].producer
            whose = {} if producer is None else producer_attributes(producer)
            yield Measure(Metric(f"{PREFIX}plugin.crashes", Instrument.COUNTER), 1, whose)


def _of_left(entered: Entered, left: Left, took_ns: int) -> Iterator[Measure]:
    known = {**entered.attributes, **left.attributes}
    outcome: dict[str, Attribute] = {"outcome": _outcome(left)}
    match entered.kind:
        case "session":
            yield _measured(Instrument.UP_DOWN, "sessions.active", -1)
            yield _counted("sessions.ended", 1, {"session.status": str(known.get("session.status", "failed"))})
        case "turn":
            yield _counted("turns")
            yield _timed("turn.duration", took_ns, outcome)
        case "model.call":
            yield _timed("model.call.duration", took_ns, outcome)
            yield from _of_usage(known)
        case "tool.execute":
            kind = str(known.get("tool.kind", ""))
            yield _counted("tool.calls", 1, {"tool.kind": kind, **outcome})
            yield _timed("tool.duration", took_ns, {"tool.kind": kind, **outcome})
            if kind == "interactive":
                yield _counted("interactive.resolutions", 1, {"tool.name": str(known.get("tool.name", "")), **outcome})
        case "context.contribute":
            fallbacks = known.get("token_count.fallbacks")
            for reason, count in fallbacks.items() if isinstance(fallbacks, dict) else ():
                if isinstance(count, int):
                    yield _counted("token_count.fallbacks", count, {"tokencount.fallback_reason": reason})
            if known.get("failure") == "crashed":
                keys = ("producer.category", "producer.name", "producer.version")
                yield _counted("plugin.crashes", 1, {key: str(known.get(key, "")) for key in keys})


def _of_usage(known: Mapping[str, JSON]) -> Iterator[Measure]:
    for each in _TOKEN_TYPES:
        if tokens := _number(known, f"{each}_tokens"):
            yield _counted("tokens", tokens, {"token.type": each})
    if cost := _number(known, "cost_usd"):
        yield _measured(Instrument.COUNTER, "cost.usd", float(cost), unit="{USD}")


def _of_decision(decided: Decided) -> Iterator[Measure]:
    if decided.rule in _POLICY_RULES:
        yield _counted("policy.decisions", 1, {"policy.decision": str(decided.decision)})
    elif decided.rule in _BOUND_RULES:
        yield _counted("bounds.fired", 1, {"bound": decided.by})
    elif decided.rule in _VIOLATION_RULES:
        yield _counted(
            "context.contribution.violations", 1, {"context.violation_reason": decided.by.removeprefix("context:")}
        )
    elif decided.rule == "PL-STOP-DOOM-LOOP":
        yield _counted("doomloop.detected")


def _outcome(left: Left) -> str:
    """A stretch may know it better than the error with which it was left: a tool's error is no failure of ours."""
    return "error" if left.error else str(left.attributes.get("outcome", "ok"))


def _number(known: Mapping[str, JSON], key: str) -> int | float:
    value = known.get(key)
    return value if isinstance(value, int | float) else 0


def _counted(name: str, value: int | float = 1, attributes: Mapping[str, Attribute] | None = None) -> Measure:
    return _measured(Instrument.COUNTER, name, value, attributes)


def _timed(name: str, took_ns: int, attributes: Mapping[str, Attribute]) -> Measure:
    return _measured(Instrument.HISTOGRAM, name, took_ns / 1e9, attributes, unit="s")


def _measured(
    instrument: Instrument,
    name: str,
    value: int | float,
    attributes: Mapping[str, Attribute] | None = None,
    *,
    unit: str = "",
) -> Measure:
    known = {f"{PREFIX}{key}": each for key, each in (attributes or {}).items()}
    return Measure(Metric(f"{PREFIX}{name}", instrument, unit), value, known)
