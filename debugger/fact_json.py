"""Facts as JSON, one object a fact: what `--json` prints. The shapes are documented in docs/facts.md and stable."""

from __future__ import annotations

import base64
from typing import assert_never

from kernel.dialect import Dialect
from kernel.facts import (
    Asked,
    Changed,
    Decided,
    Ended,
    Entered,
    Event,
    Late,
    Left,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Rewound,
    Steered,
)
from kernel.faults import Fault
from kernel.values import (
    JSON,
    Answered,
    Cancelled,
    Crashed,
    Delivery,
    Empty,
    Failed,
    Outcome,
    Result,
    Skipped,
    Subscription,
    TimedOut,
)


def to_json(event: Event, dialect: Dialect) -> dict[str, JSON]:
    """One event as an object: where and when it happened, which fact it is, and what the fact says."""
    head: dict[str, JSON] = {"dispatch": event.dispatch, "number": event.number, "at_ns": event.at_ns}
    match event.fact:
        case Opened(name, chain, payload, wall_ns, parent, switches, fork):
            seats: list[JSON] = [_seat(seat) for seat in chain.subscriptions]
            head |= {"fact": "opened", "dialect": name, "point": chain.point, "chain": seats, "wall_ns": wall_ns}
            head |= {"payload": payload.view, "digest": payload.digest, "parent": parent}
            head |= {"switches": dict(switches)} if switches else {}
            head |= {"fork": {"of": fork.dispatch, "step": fork.step, "words": fork.words}} if fork is not None else {}
        case Asked(step, subscription, payload, request, timeout_ms, phase):
            head |= {"fact": "asked", "step": step, "subscriber": subscription.name, "mode": subscription.mode}
            head |= {"digest": payload.digest, "request": base64.b64encode(request).decode()}
            head |= {"timeout_ms": timeout_ms, "phase": phase}
        case Replied(step, outcome, took_ns):
            head |= {"fact": "replied", "step": step, "took_ns": took_ns, "outcome": outcome_json(outcome, dialect)}
        case Steered(step, by, what, detail, other, subscription, fault):
            head |= {"fact": "steered", "step": step, "by": by, "what": what, "detail": detail}
            head |= {"subscriber": None if subscription is None else subscription.name}
            head |= {"outcome": None if other is None else outcome_json(other, dialect)}
            head |= {"fault": _fault(fault)} if fault is not None else {}
        case Rewound(since, by, step):
            head |= {"fact": "rewound", "since": since, "by": by, "step": step}
        case Resolved(step, subscription, status, effect, rule, why):
            head |= {"fact": "resolved", "step": step, "subscriber": subscription.name, "status": status}
            head |= {"effect": effect, "rule": rule, "why": why}
        case Changed(step, by, before, after, rule):
            head |= {"fact": "changed", "step": step, "by": by, "before": before.digest, "after": after.digest}
            head |= {"payload": after.view, "rule": rule}
        case Raised(step, subscription, category, message, rule):
            head |= {"fact": "raised", "step": step, "subscriber": subscription.name, "mode": subscription.mode}
            head |= {"category": category, "message": message, "rule": rule}
        case NotReached(subscription, because_of, rule):
            head |= {"fact": "not reached", "subscriber": subscription.name, "because_of": because_of, "rule": rule}
        case Printed(subscriber, stream, text, step):
            head |= {"fact": "printed", "step": step, "subscriber": subscriber, "stream": stream, "text": text}
        case Late(step, subscription, outcome, took_ns):
            head |= {"fact": "late", "step": step, "subscriber": subscription.name, "took_ns": took_ns}
            head |= {"outcome": outcome_json(outcome, dialect)}
        case Ended(result):
            head |= {"fact": "ended", "result": result_json(result)}
        case Entered(name, kind, called, parent, wall_ns, attributes):
            head |= {"fact": "entered", "dialect": name, "kind": kind, "name": called, "parent": parent}
            head |= {"wall_ns": wall_ns, "attributes": dict(attributes)}
        case Decided(subject, decision, by, rule, why):
            head |= {"fact": "decided", "subject": subject, "decision": decision, "by": by, "rule": rule, "why": why}
        case Left(error, attributes):
            head |= {"fact": "left", "error": error, "attributes": dict(attributes)}
        case never:
            assert_never(never)
    return head


def result_json(result: Result) -> dict[str, JSON]:
    """What the caller of a dispatch gets."""
    return {
        "ending": result.ending,
        "decision": result.decision,
        "decided_by": result.decided_by,
        "error": result.error,
        "rule": result.rule,
        "payload": None if result.payload is None else result.payload.view,
        "digest": None if result.payload is None else result.payload.digest,
    } | dict(result.extras)


def outcome_json(outcome: Outcome, dialect: Dialect) -> dict[str, JSON]:
    """What asking one subscriber gave."""
    match outcome:
        case Answered(body, deliveries):
            wire = base64.b64encode(body).decode()
            answered: dict[str, JSON] = {"kind": "answered", "answer": dialect.answer_view(outcome), "wire": wire}
            return answered | _delivered(deliveries)
        case Empty():
            return {"kind": "empty"}
        case Failed(code, message, deliveries):
            return {"kind": "failed", "code": code, "message": message, **_delivered(deliveries)}
        case Crashed(message, deliveries):
            return {"kind": "crashed", "message": message, **_delivered(deliveries)}
        case TimedOut(after_ms):
            return {"kind": "timed out", "after_ms": after_ms}
        case Cancelled(reason):
            return {"kind": "cancelled", "reason": reason}
        case Skipped(by):
            return {"kind": "skipped", "by": by}
        case _:
            assert_never(outcome)


def _delivered(deliveries: tuple[Delivery, ...]) -> dict[str, JSON]:
    """How often a request was handed over, where the subscriber had to be started again for it."""
    if not deliveries:
        return {}
    told: list[JSON] = [
        {
            "request_id": each.request_id,
            "because": each.because,
            "attempt": each.attempt,
            "delay_ms": each.delay_ms,
            "pid": each.pid,
            "at_ms": each.at_ms,
            "took_ms": each.took_ms,
            "restart_count": each.restart_count,
        }
        for each in deliveries
    ]
    return {"deliveries": told}


def _fault(fault: Fault) -> dict[str, JSON]:
    told: dict[str, JSON] = {"kind": fault.kind, "params": dict(fault.params)}
    if fault.draw is not None:
        told["draw"] = {"chance": fault.draw.chance, "seed": fault.draw.seed, "call": fault.draw.call}
    return told


def _seat(seat: Subscription) -> dict[str, JSON]:
    declared = None if seat.place is None else str(seat.place)
    told: dict[str, JSON] = {"subscriber": seat.name, "mode": seat.mode, "timeout_ms": seat.timeout_ms}
    told |= {"declared": declared} | ({"id": seat.id} if seat.id else {})
    if (by := seat.producer) is not None:
        told["producer"] = {"category": by.category, "name": by.name, "version": by.version, "source": by.source}
    return told | ({"options": dict(seat.options)} if seat.options else {})
