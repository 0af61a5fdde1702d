"""One pluggable dispatch as a value: the chain algorithm of spec B.2 with the parallel runs of B.9."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel.dialects.pluggable.payload import HookPayload
from kernel.dialects.pluggable.points import Mode, is_kernels
from kernel.dialects.pluggable.resolve import Resolution, resolve
from kernel.errors import BadInput
from kernel.facts import Changed, Fact, NotReached, Raised, Resolved
from kernel.values import Ask, Chain, Effect, Ending, Outcome, Payload, Result, Status, Subscription

ALLOW, DENY, UNSPECIFIED = "allow", "deny", "unspecified"

_MODES = {mode.value: mode for mode in Mode}  # a plain lookup: making a Mode of a name takes several times as long


@dataclass(frozen=True, slots=True)
class PluggableWalk:
    """Where one dispatch stands. A step's number is the place of its subscription in the chain."""

    chain: Chain
    payload: HookPayload
    position: int = 0
    """Place of the first subscription that is not resolved."""
    run_end: int = 1
    """Where the stretch that is being asked together ends; one past `position` unless observers run in parallel."""
    resolved: tuple[tuple[int, Resolution], ...] = ()
    """What the current stretch has come to so far, by step."""
    concurrent_observe: bool = False
    result: Result | None = None
    asks: tuple[Ask, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.result is not None:
            return
        if self.run_end - self.position == 1:
            object.__setattr__(self, "asks", (self._ask(self.position),))
        else:
            done = [step for step, _ in self.resolved]
            asks = tuple(self._ask(step) for step in range(self.position, self.run_end) if step not in done)
            object.__setattr__(self, "asks", asks)

    def _ask(self, step: int) -> Ask:
        subscription = self.chain.subscriptions[step]
        request = self.payload.request(_MODES[subscription.mode], subscription.id)
        return Ask(step, subscription, self.payload, request, subscription.timeout_ms)

    def after(self, ask: Ask, outcome: Outcome) -> tuple[PluggableWalk, tuple[Fact, ...]]:
        """The walk one step on. In a parallel run it moves on once everybody in it has been resolved."""
        subscription = ask.subscription
        verdict = resolve(_MODES[subscription.mode], self.payload, outcome)
        told = Resolved(ask.step, subscription, verdict.status, verdict.effect, verdict.rule, verdict.why)
        if self.run_end - self.position > 1:
            resolved = (*self.resolved, (ask.step, verdict))
            if len(resolved) < self.run_end - self.position:
                return replace(self, resolved=resolved), (told,)
            return self._after_run(resolved, told)
        facts: tuple[Fact, ...] = (told,)
        if verdict.trouble is not None:
            facts = (told, *_records(ask.step, subscription, verdict))
        return self._moved_by(ask, verdict, facts)

    def _after_run(
        self, resolved: tuple[tuple[int, Resolution], ...], told: Resolved
    ) -> tuple[PluggableWalk, tuple[Fact, ...]]:
        """Everybody in a parallel run is resolved: hook_error records come in declaration order (spec B.9)."""
        facts: list[Fact] = [told]
        for step, verdict in sorted(resolved, key=lambda entry: entry[0]):
            facts += _records(step, self.chain.subscriptions[step], verdict)
        for _, verdict in resolved:
            if verdict.status is Status.CANCELLED:
                facts += self._not_reached("the caller", "PL-CANCELLED")
                return self._over(Ending.CANCELLED, UNSPECIFIED, "", verdict), tuple(facts)
        return self._at(self.run_end, self.payload), tuple(facts)

    def _moved_by(
        self, ask: Ask, verdict: Resolution, facts: tuple[Fact, ...]
    ) -> tuple[PluggableWalk, tuple[Fact, ...]]:
        name = ask.subscription.name
        match verdict.effect:
            case Effect.CONTINUE:
                return self._at(self.run_end, self.payload), facts
            case Effect.REPLACE:
                assert verdict.payload is not None
                changed = Changed(ask.step, name, self.payload, verdict.payload, verdict.rule)
                return self._at(self.run_end, verdict.payload), (*facts, changed)
            case Effect.STOP:
                over = self._over(Ending.FINISHED, DENY, name, verdict)
                return over, (*facts, *self._not_reached(name, "PL-AFTER-DENY"))
            case Effect.ABORT if verdict.status is Status.CANCELLED:
                over = self._over(Ending.CANCELLED, UNSPECIFIED, "", verdict)
                return over, (*facts, *self._not_reached("the caller", "PL-CANCELLED"))
            case Effect.ABORT:
                over = self._over(Ending.ABORTED, UNSPECIFIED, "", verdict)
                return over, (*facts, *self._not_reached(name, "PL-AFTER-ABORT"))

    def _not_reached(self, because_of: str, rule: str) -> tuple[NotReached, ...]:
        return tuple(NotReached(late, because_of, rule) for late in self.chain.subscriptions[self.run_end :])

    def _at(self, position: int, payload: HookPayload) -> PluggableWalk:
        subscriptions = self.chain.subscriptions
        if position == len(subscriptions):
            rule = "PL-CHAIN-END" if subscriptions else "PL-CHAIN-EMPTY"
            result = Result(Ending.FINISHED, payload, ALLOW, rule=rule)
            return PluggableWalk(self.chain, payload, position, position, result=result)
        run_end = position + 1
        if self.concurrent_observe and subscriptions[position].mode == Mode.OBSERVE:
            while run_end < len(subscriptions) and subscriptions[run_end].mode == Mode.OBSERVE:
                run_end += 1
        return PluggableWalk(self.chain, payload, position, run_end, concurrent_observe=self.concurrent_observe)

    def _over(self, ending: Ending, decision: str, decided_by: str, verdict: Resolution) -> PluggableWalk:
        errors = {
            Ending.ABORTED: f"ErrTransformFailed: {verdict.why}",
            Ending.CANCELLED: f"cancelled: {verdict.why}",
        }
        payload = None if ending is Ending.ABORTED else self.payload
        status = Status.DENIED if decision == DENY else verdict.status
        result = Result(ending, payload, decision, decided_by, errors.get(ending, ""), verdict.rule, status=status)
        return replace(self, result=result)

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[PluggableWalk, tuple[Fact, ...]]:
        """The walk with another payload from `ask` on; it has to be one for the chain's point."""
        if not isinstance(payload, HookPayload) or payload.point != self.chain.point:
            got = payload.point or "no point" if isinstance(payload, HookPayload) else "something else"
            raise BadInput(f"a payload for {self.chain.point} is needed here, not one for {got}")
        if payload == self.payload:
            return self, ()
        return replace(self, payload=payload), (Changed(ask.step, by, self.payload, payload, "PL-EDITED"),)


def begin(chain: Chain, payload: HookPayload, *, concurrent_observe: bool) -> tuple[PluggableWalk, tuple[Fact, ...]]:
    """The walk before anybody was asked. A payload that does not fit the chain is refused (spec B.3)."""
    if not payload.point or payload.point != chain.point:
        error = (
            f"ErrNoHookPoint: the payload is for {payload.point}, the chain for {chain.point}"
            if payload.point
            else "ErrNoHookPoint: the payload has no variant"
        )
        result = Result(Ending.REFUSED, None, UNSPECIFIED, error=error, rule="PL-NO-POINT", status=Status.ERROR)
        return PluggableWalk(chain, payload, result=result), ()
    for seat in chain.subscriptions:
        if seat.mode not in _MODES:
            raise BadInput(f"ErrUnknownMode: {seat.name!r} has no mode {seat.mode!r}; there are {', '.join(_MODES)}")
    start = PluggableWalk(chain, payload, run_end=0, concurrent_observe=concurrent_observe)
    return start._at(0, payload), ()


def _records(step: int, subscription: Subscription, verdict: Resolution) -> tuple[Raised, ...]:
    if verdict.trouble is None or is_kernels(subscription):
        return ()
    return (Raised(step, subscription, verdict.trouble.category, verdict.trouble.message, verdict.rule),)
