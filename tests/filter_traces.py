"""What tests of filters share: traces made by hand, of a plain dialect whose payloads and answers are JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property

from debugger.filters import Predicate, Sight, compiled, parse
from debugger.trace import DispatchTrace, StepTrace
from kernel.facts import Changed, Decided, NotReached, Opened, Printed, Raised, Resolved, Steered
from kernel.values import (
    JSON,
    Answered,
    Chain,
    Effect,
    Ending,
    Failed,
    Outcome,
    Payload,
    Result,
    Skipped,
    Status,
    Subscription,
    TimedOut,
)

MS = 1_000_000


@dataclass(frozen=True)
class Body:
    """A payload that counts how often its view is asked for."""

    body: bytes

    @cached_property
    def view(self) -> JSON:
        value: JSON = json.loads(self.body)
        return value

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @property
    def is_viewed(self) -> bool:
        return "view" in self.__dict__


def body(view: JSON) -> Body:
    return Body(json.dumps(view).encode())


class Plain:
    """As much of a dialect as a sight needs."""

    def answer_view(self, answer: Answered) -> JSON:
        value: JSON = json.loads(answer.body)
        return value


def sight(**around: tuple[str, ...]) -> Sight:
    """One that knows every dialect for a plain one."""
    return Sight(dialect_named=lambda name: Plain(), around=lambda parent: around.get(parent, ()))  # type: ignore[arg-type,return-value]


def predicate(text: str, eyes: Sight | None = None) -> Predicate:
    return compiled(parse(text), eyes or sight())


P = body({"messages": [{"role": "user", "text": "Hello there"}], "model": {"name": "small", "heat": 0.5}, "tags": []})


def seat(
    name: str, mode: str = "observe", *, point: str = "pre-model-call", timeout_ms: int | None = 100
) -> Subscription:
    return Subscription(name, point, mode, timeout_ms)


def step(
    number: int,
    subscription: Subscription,
    *,
    status: Status | None = Status.OK,
    effect: Effect = Effect.CONTINUE,
    rule: str = "PL-PASS",
    why: str = "it passed",
    outcome: Outcome | None = None,
    ms: float = 5,
    given: Payload = P,
    after: Payload | None = None,
    edited: Payload | None = None,
    raised: tuple[str, str] | None = None,
    steered: tuple[Steered, ...] = (),
    prints: tuple[str, ...] = (),
    phase: str = "",
) -> StepTrace:
    """A step that was asked and has answered, or, with status None, that is being asked."""
    is_over = status is not None
    return StepTrace(
        number,
        subscription,
        phase,
        given,
        b"request",
        subscription.timeout_ms,
        0,
        int(ms * MS) if is_over else None,
        int(ms * MS) if is_over else None,
        (outcome or Answered(b'{"kind": "ack"}')) if is_over else None,
        None,
        None if status is None else Resolved(number, subscription, status, effect, rule, why),
        () if raised is None else (Raised(number, subscription, raised[0], raised[1], "PL-RAISED"),),
        None if edited is None else Changed(number, "person", P, edited),
        None if after is None else Changed(number, subscription.name, given, after, "PL-REPLACE"),
        steered,
        tuple(Printed(subscription.name, "stderr", text, number) for text in prints),
    )


def missed(number: int, subscription: Subscription, because_of: str) -> StepTrace:
    return StepTrace(number, subscription, not_reached=NotReached(subscription, because_of, "PL-SHORT"))


def waiting(number: int, subscription: Subscription) -> StepTrace:
    return StepTrace(number, subscription)


def dispatch(
    *steps: StepTrace,
    result: Result | None = None,
    is_over: bool = True,
    number: int = 1,
    point: str = "pre-model-call",
    payload: Payload = P,
    parent: str = "",
    decided: tuple[Decided, ...] = (),
    ms: float = 20,
) -> DispatchTrace:
    chain = Chain(point, tuple(each.subscription for each in steps))
    return DispatchTrace(
        f"d{number}",
        number,
        Opened("plain", chain, payload, 0, parent),
        0,
        steps,
        (result or Result(Ending.FINISHED, payload, "allow")) if is_over else None,
        int(ms * MS) if is_over else None,
        decided=decided,
    )


A, B, C, D = seat("audit-log"), seat("Redactor", "transform"), seat("policy-bot", "veto"), seat("late", "veto")
Q = body({"messages": [{"role": "user", "text": "Hello *****"}], "model": {"name": "large", "heat": 0.5}, "tags": []})

DENIED = dispatch(
    step(0, A, ms=2, prints=("audit: 3 lines written",)),
    step(1, B, status=Status.CHANGED, effect=Effect.REPLACE, rule="PL-TRANSFORM", after=Q, ms=12, why="it changed"),
    step(
        2, C, status=Status.DENIED, effect=Effect.STOP, rule="PL-VETO-DENY", why="too hot", given=Q, ms=85,
        outcome=Answered(b'{"deny": {"reason": "Budget is exceeded", "level": 3}}'),
    ),
    missed(3, D, "policy-bot"),
    result=Result(Ending.FINISHED, Q, "deny", "policy-bot", rule="PL-VETO-DENY", status=Status.DENIED),
    number=14,
    parent="turn-1",
    ms=110,
)  # fmt: skip
TROUBLED = dispatch(
    step(
        0, A, status=Status.ERROR, raised=("UNAVAILABLE", "connection refused"),
        outcome=Failed("UNAVAILABLE", "refused"),
    ),
    step(
        1, C, status=Status.TIMED_OUT, effect=Effect.ABORT, rule="PL-VETO-TIMEOUT", ms=100, outcome=TimedOut(100.0),
        raised=("TIMEOUT", "no answer in 100 ms"), steered=(Steered(1, "scenario", "fault", "hang", None, C),),
    ),
    result=Result(Ending.ABORTED, None, "unspecified", error="INTERNAL: no verdict", status=Status.ERROR),
    number=15,
    point="plan-ready",
)  # fmt: skip
CALM = dispatch(step(0, A), step(1, C, outcome=Skipped("person"), status=Status.SKIPPED), number=16)
RUNNING = dispatch(step(0, A), step(1, B, status=None), waiting(2, C), is_over=False, number=17)
EVERY = (DENIED, TROUBLED, CALM, RUNNING)
