"""Those who answer in an exported scenario: stubs that do what was recorded, call by call. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from debugger.trace import DispatchTrace, StepTrace
from kernel.clock import NS_PER_MS
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.values import (
    JSON,
    Answered,
    Cancelled,
    Chain,
    Crashed,
    Empty,
    Failed,
    Outcome,
    Skipped,
    Subscription,
    TimedOut,
)


class Unlike(Exception):
    """Something that was recorded, and that no scenario can say. `str()` of it is a sentence for a person."""


def subscribers(trace: DispatchTrace, dialect: Dialect) -> list[JSON]:
    """Every seat of the chain, in order; what somebody does in several seats stands in the first of them."""
    found: list[JSON] = []
    seen: set[str] = set()
    chain = Chain(trace.point)
    for seat in trace.opened.chain.subscriptions:
        options, chain = _seated(seat, chain, dialect)
        told = _seat(seat, options, has_own_deadline=not _is_default(options, dialect))
        if seat.name not in seen:
            told["stub"] = _stub(trace, seat, dialect)
        seen.add(seat.name)
        found.append(told)
    return found


def default_timeout_ms(trace: DispatchTrace, dialect: Dialect) -> int | None:
    """The deadline of those that name none, where somebody has it whose deadline cannot be told otherwise."""
    chain = Chain(trace.point)
    for seat in trace.opened.chain.subscriptions:
        options, chain = _seated(seat, chain, dialect)
        if _is_default(options, dialect):
            return seat.timeout_ms
    return None


def _is_default(options: Mapping[str, JSON], dialect: Dialect) -> bool:
    return any(options.get(name) for name in dialect.staging.default_deadline)


def _seat(seat: Subscription, options: Mapping[str, JSON], *, has_own_deadline: bool) -> dict[str, JSON]:
    told: dict[str, JSON] = {"name": seat.name, "point": seat.point, "mode": seat.mode}
    if seat.timeout_ms is not None and has_own_deadline:
        told["timeout_ms"] = seat.timeout_ms
    if (by := seat.producer) is not None:
        said = {"name": by.name, "version": by.version, "source": by.source, "category": by.category}
        told["producer"] = {key: value for key, value in said.items() if value}
    return told | ({"options": dict(options)} if options else {})


def _seated(seat: Subscription, chain: Chain, dialect: Dialect) -> tuple[Mapping[str, JSON], Chain]:
    """The options that give a seat what was recorded of it, and the chain with that seat.

    A record holds what a seat came to, not with which options; so they are tried until it comes to the same.
    """
    first: tuple[Mapping[str, JSON], Chain] = (seat.options, chain)
    for options in _candidates(seat):
        bare = Subscription(seat.name, seat.point, seat.mode, seat.timeout_ms, seat.producer)
        try:
            made = dialect.staging.seated(chain, bare, options)
        except BadInput:
            continue
        if any(_told(each) == _told(seat) for each in made.subscriptions):
            return options, made
        if first[1] is chain:
            first = (options, made)
    return first


def _candidates(seat: Subscription) -> Iterator[Mapping[str, JSON]]:
    yield seat.options
    if seat.id:
        yield {**seat.options, "id": seat.id}
        if number := re.search(r"[0-9]+", seat.id):
            yield {**seat.options, "index": int(number[0])}
    if seat.producer is None:
        yield {**seat.options, "kernel": True}


def _told(seat: Subscription) -> tuple[object, ...]:
    return seat.name, seat.mode, seat.id, seat.producer is None


def _stub(trace: DispatchTrace, seat: Subscription, dialect: Dialect) -> JSON:
    """One entry for each call, in the order of the calls."""
    calls = sorted(
        (step for step in trace.steps if step.subscription.name == seat.name and step.asked_at_ns is not None),
        key=lambda step: step.asked_at_ns or 0,
    )
    acts: list[JSON] = [_act(step, trace, dialect) for step in calls]
    if not acts:
        usual = dialect.staging.usual(seat)
        return {"answer": usual[0]} if usual else {"hang": True}
    return acts[0] if len(acts) == 1 else acts


def _act(step: StepTrace, trace: DispatchTrace, dialect: Dialect) -> JSON:
    """What it did itself, whatever somebody put in its place."""
    outcome = step.replaced if step.replaced is not None else step.outcome
    act = doing(outcome, step, dialect)
    if "hang" not in act and _overlaps(step, trace) and step.took_ns:
        act["after_ms"] = round(step.took_ns / NS_PER_MS, 3)
    if step.printed:
        act["prints"] = [each.text for each in step.printed if each.stream == "stderr"]
    return act


def doing(outcome: Outcome | None, step: StepTrace, dialect: Dialect) -> dict[str, JSON]:
    """An outcome as what a stub does; raises Unlike for one that no stub can bring about."""
    match outcome:
        case Answered(body):
            return _answer(body, dialect)
        case Empty():
            return {"nothing": True}
        case Failed(code, message):
            if dialect.staging.statuses and code not in dialect.staging.statuses:
                raise Unlike(f"{step.subscription.name} ended with {code}, which no stub can say")
            return {"status": {"code": code, "message": message}}
        case Crashed():
            return {"crash": True}
        case TimedOut():
            if step.timeout_ms is None:
                raise Unlike(f"{step.subscription.name} timed out without a deadline of ours")
            return {"hang": True}
        case Cancelled() | Skipped() | None:
            return {"hang": True}
        case _:
            assert_never(outcome)


def _answer(body: bytes, dialect: Dialect) -> dict[str, JSON]:
    """As JSON where that says all of it; otherwise as bytes."""
    view = dialect.answer_view(Answered(body))
    try:
        if dialect.staging.answer_in_json(view) == body:
            return {"json": view}
    except BadInput:
        pass
    return {"bytes": body.hex(" ")}


def _overlaps(step: StepTrace, trace: DispatchTrace) -> bool:
    """Whether somebody else was asked meanwhile: then it matters who answered first."""
    return any(other is not step and _meet(step, other) for other in trace.steps)


def _meet(one: StepTrace, other: StepTrace) -> bool:
    starts = (one.asked_at_ns, other.asked_at_ns)
    if starts[0] is None or starts[1] is None:
        return False
    return starts[0] < _stop(other, starts[1]) and starts[1] < _stop(one, starts[0])


def _stop(step: StepTrace, start: int) -> int:
    return start + step.took_ns if step.took_ns is not None else step.replied_at_ns or start


def steering(trace: DispatchTrace, dialect: Dialect) -> Iterator[JSON]:
    """What whoever steered did, as the script of a scenario; trouble is left to what the stubs do."""
    for step in trace.steps:
        head = {"phase": step.phase} if step.phase and _asked_often(step, trace.steps) else {}
        name = step.subscription.name
        if step.edited is not None:
            yield {"before": name, **head, "edit": step.edited.after.view}
        for steered in step.steered:
            was_asked = step.asked_at_ns is not None
            match steered.what:
                case "answered":
                    yield {"before": name, **head, **_instead(step, dialect)}
                case "replaced answer":
                    yield {"after": name, **head, **_instead(step, dialect)}
                case "skipped":
                    yield {"after" if was_asked else "before": name, **head, "skip": True}
                case "stopped":
                    yield {"after" if was_asked else "before": name, **head, "stop": True}
                case _:
                    pass


def _instead(step: StepTrace, dialect: Dialect) -> dict[str, JSON]:
    act = doing(step.outcome, step, dialect)
    if "hang" in act or "crash" in act:
        raise Unlike(f"what was put in the place of the answer of {step.subscription.name} cannot be scripted")
    return act


def _asked_often(step: StepTrace, steps: Sequence[StepTrace]) -> bool:
    return sum(other.subscription.name == step.subscription.name for other in steps) > 1
