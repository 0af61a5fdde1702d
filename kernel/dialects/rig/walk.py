"""One rig dispatch as a value: begins in order, guards in order, the operation, finishes in reverse (spec C.1 to C.5).

What answers mean is said in `verdict.py`, as for the runner; here is only where a dispatch stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel.dialects.rig.cloning import clone
from kernel.dialects.rig.context_view import ContextView
from kernel.dialects.rig.denial import outcome_of
from kernel.dialects.rig.error_view import error_view
from kernel.dialects.rig.errors import CallKind, CloneError, Denial, GuardError
from kernel.dialects.rig.operation import Outcome as Ended
from kernel.dialects.rig.operation import is_outcome
from kernel.dialects.rig.payload import RigPayload
from kernel.dialects.rig.reading import (
    BeginRead,
    BlockedRead,
    GuardRead,
    OperationRead,
    read_begin,
    read_blocked,
    read_finish,
    read_guard,
    read_operation,
)
from kernel.dialects.rig.seats import AROUND, GUARD, NOT_LOADED, OWNED, index_of
from kernel.dialects.rig.snapshot import call_error
from kernel.dialects.rig.verdict import BEGIN_PANICKED, FINISH_PANICKED, NIL_CONTEXT
from kernel.dialects.rig.wire import Phase, Turnover, context_json, request
from kernel.errors import BadInput
from kernel.facts import Changed, Fact, NotReached, Raised, Resolved
from kernel.values import (
    JSON,
    Ask,
    Cancelled,
    Chain,
    Crashed,
    Effect,
    Ending,
    Outcome,
    Payload,
    Result,
    Status,
)

UNSPECIFIED, NOT_STARTED = "unspecified", "not started"


@dataclass(frozen=True, slots=True)
class Over:
    """How the operation ended, before the finishes."""

    outcome: int
    by: str
    rule: str
    error: str = ""
    """Message of the error; empty when there is none."""
    shown: JSON = None
    """The error with what it wraps."""
    is_blocked: bool = False
    ended_at: int | None = None

    @property
    def decision(self) -> str:
        return Ended(self.outcome).word if is_outcome(self.outcome) else f"outcome {self.outcome}"


@dataclass(frozen=True, slots=True)
class RigWalk:
    """Where one dispatch stands. A step's number is its place in the chain; finishes count on behind the last seat."""

    chain: Chain
    payload: RigPayload
    context: ContextView
    seat: int = 0
    """The one to be asked now, while the operation is not over."""
    turnovers: tuple[Turnover, ...] = ()
    registered: tuple[int, ...] = ()
    """Seats that have something to finish, in order."""
    finished: int = 0
    """How many of them have been."""
    over: Over | None = None
    owner: int | None = None
    """Seat of the owner who has yet to act on a block."""
    extra: int = 0
    """How many questions behind the last seat were no finishes."""
    log: tuple[JSON, ...] = ()
    """Lines that the runner logs."""
    result: Result | None = None
    asks: tuple[Ask, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.result is None and self.seat_now is not None:
            object.__setattr__(self, "asks", (self._ask(self.seat_now),))

    @property
    def seat_now(self) -> int | None:
        """The seat that is asked now; None between the last question and the result."""
        if self.owner is not None:
            return self.owner
        if self.over is not None:
            left = len(self.registered) - self.finished
            return self.registered[left - 1] if left else None
        return self.seat if self.seat < len(self.chain.subscriptions) else None

    def _ask(self, seat: int) -> Ask:
        subscription = self.chain.subscriptions[seat]
        context = context_json(self.payload.context, self.turnovers, self.context)
        if self.owner is not None:
            step = len(self.chain.subscriptions)
            assert self.over is not None, "something blocked it"
            shown: dict[str, JSON] = {"outcome": int(self.over.outcome), "error": self.over.shown, "by": self.over.by}
            sent = request(Phase.BLOCKED, self.payload, index_of(subscription), seat, context, shown)
            return Ask(step, subscription, self.payload, sent, None, Phase.BLOCKED.value)
        if self.over is not None:
            step = len(self.chain.subscriptions) + self.extra + self.finished
            sent = request(Phase.FINISH, self.payload, index_of(subscription), seat, context, self._result_shown())
            return Ask(step, subscription, self.payload, sent, None, Phase.FINISH.value)
        phase = _PHASES.get(subscription.mode, Phase.OPERATION)
        sent = request(phase, self.payload, index_of(subscription), seat, context)
        return Ask(seat, subscription, self.payload, sent, None, phase.value)

    def _result_shown(self) -> dict[str, JSON]:
        assert self.over is not None
        left = len(self.registered) - self.finished
        shown: dict[str, JSON] = {"outcome": int(self.over.outcome), "error": self.over.shown, "is_last": left == 1}
        if self.over.ended_at is not None:
            shown["ended_at"] = self.over.ended_at
        return shown

    def after(self, ask: Ask, outcome: Outcome) -> tuple[RigWalk, tuple[Fact, ...]]:
        """The walk one step on."""
        match outcome:
            case Cancelled(reason):
                return self._torn(ask, Ending.CANCELLED, "the caller", "RG-CANCELLED", f"the caller gave up: {reason}")
            case Crashed(message):
                name = ask.subscription.name
                return self._torn(ask, Ending.ABORTED, name, "RG-THREAD-ENDED", f"it ended its thread: {message}")
            case _:
                pass
        match Phase(ask.phase):
            case Phase.BEGIN:
                return self._begun(ask, read_begin(self.context, outcome))
            case Phase.GUARD:
                return self._guarded(ask, read_guard(self.payload.operation, index_of(ask.subscription), outcome))
            case Phase.OPERATION:
                return self._operated(ask, read_operation(self.payload, outcome))
            case Phase.BLOCKED:
                return self._owned(ask, read_blocked(self.payload, outcome))
            case Phase.FINISH:
                said = read_finish(outcome)
                told = Resolved(ask.step, ask.subscription, said.status, Effect.CONTINUE, said.rule, said.why)
                logged = self._logged(ask, said.log, said.rule)
                walk = replace(
                    self,
                    finished=self.finished + 1,
                    log=(*self.log, *_lines(logged, self.payload.operation)),
                )
                return walk._settled((told, *logged))

    def _begun(self, ask: Ask, said: BeginRead) -> tuple[RigWalk, tuple[Fact, ...]]:
        told = Resolved(ask.step, ask.subscription, said.status, Effect.CONTINUE, said.rule, said.why)
        logged = self._logged(ask, said.log, said.rule)
        walk = replace(
            self,
            seat=self.seat + 1,
            context=said.context,
            turnovers=self.turnovers if said.given is None else (*self.turnovers, Turnover(ask.step, said.given)),
            registered=(*self.registered, ask.step) if said.registers else self.registered,
            log=(*self.log, *_lines(logged, self.payload.operation)),
        )
        return walk._settled((told, *logged))

    def _guarded(self, ask: Ask, said: GuardRead) -> tuple[RigWalk, tuple[Fact, ...]]:
        name = ask.subscription.name
        walk = replace(self, seat=self.seat + 1, context=said.now or self.context)
        if said.error is None:
            told = Resolved(ask.step, ask.subscription, said.status, Effect.CONTINUE, said.rule, said.why)
            return walk._settled((told,))
        told = Resolved(ask.step, ask.subscription, said.status, Effect.STOP, said.rule, said.why)
        late = [NotReached(each, name, "RG-AFTER-BLOCK") for each in self.chain.subscriptions[self.seat + 1 :]]
        owners = (seat for seat, each in enumerate(self.chain.subscriptions) if each.options.get(OWNED) is True)
        walk = replace(walk, over=_blocked(name, said.error, said.rule), owner=next(owners, None))
        return walk._settled((told, *late))

    def _owned(self, ask: Ask, said: BlockedRead) -> tuple[RigWalk, tuple[Fact, ...]]:
        assert self.over is not None, "only what is blocked is left to its owner"
        told = Resolved(ask.step, ask.subscription, said.status, Effect.CONTINUE, said.rule, said.why)
        over = replace(self.over, ended_at=said.ended_at)
        walk = replace(self, over=over, owner=None, extra=1)
        if said.payload is None or said.payload == self.payload:
            return walk._settled((told,))
        changed = Changed(ask.step, ask.subscription.name, self.payload, said.payload, "RG-TERMINAL")
        return replace(walk, payload=said.payload)._settled((told, changed))

    def _operated(self, ask: Ask, said: OperationRead) -> tuple[RigWalk, tuple[Fact, ...]]:
        if not said.is_finished:
            walk, facts = self._torn(ask, Ending.ABORTED, ask.subscription.name, said.rule, said.why)
            open_ = ", ".join(self.chain.subscriptions[seat].name for seat in reversed(self.registered)) or "nobody"
            message = f"finish was never called: it stays open for {open_}"
            return walk, (*facts, Raised(ask.step, ask.subscription, "never_finished", message, said.rule))
        told = Resolved(ask.step, ask.subscription, said.status, Effect.CONTINUE, said.rule, said.why)
        over = Over(said.outcome, ask.subscription.name, said.rule, said.error, said.shown, ended_at=said.ended_at)
        walk = replace(self, seat=self.seat + 1, over=over, context=said.now or self.context)
        if said.payload is None or said.payload == self.payload:
            return walk._settled((told,))
        changed = Changed(ask.step, ask.subscription.name, self.payload, said.payload, "RG-TERMINAL")
        return replace(walk, payload=said.payload)._settled((told, changed))

    def _settled(self, facts: tuple[Fact, ...]) -> tuple[RigWalk, tuple[Fact, ...]]:
        """This walk with everything done that takes no question."""
        walk = self
        if walk.over is None and walk.seat_now is None:  # nobody plays the operation: it simply happened
            walk = replace(walk, over=Over(int(Ended.COMPLETED), "", "RG-NO-CALLBACKS"))
        if walk.over is not None and walk.owner is None and walk.seat_now is not None and not walk.finished:
            walk, uncopied = walk._uncopied()
            facts = (*facts, *uncopied)
        if walk.over is not None and walk.seat_now is None:
            walk = replace(walk, result=walk._result(walk.over))
        return walk, facts

    def _uncopied(self) -> tuple[RigWalk, tuple[Fact, ...]]:
        """What becomes of the finishes where the result cannot be copied: each fails without being entered."""
        try:
            clone(self.payload.call)
        except CloneError as error:
            facts: list[Fact] = []
            for number, seat in enumerate(reversed(self.registered)):
                subscription = self.chain.subscriptions[seat]
                step = len(self.chain.subscriptions) + self.extra + number
                why = f"the result cannot be copied for it ({error.kind}); it was not entered"
                facts.append(Resolved(step, subscription, Status.ERROR, Effect.CONTINUE, "RG-FINISH-CLONE", why))
                facts.append(Raised(step, subscription, "finish_panicked", FINISH_PANICKED, "RG-FINISH-CLONE"))
            lines = _lines(tuple(each for each in facts if isinstance(each, Raised)), self.payload.operation)
            return replace(self, finished=len(self.registered), log=(*self.log, *lines)), tuple(facts)
        return self, ()

    def _result(self, over: Over) -> Result:
        extras: dict[str, JSON] = {
            "outcome": int(over.outcome),
            "context": self.context.to_json(),
            "log": list(self.log),
        }
        if over.shown is not None:
            extras["start_error" if over.is_blocked else "err"] = over.shown
        extras["finished"] = [self.chain.subscriptions[seat].name for seat in reversed(self.registered)]
        status = _STATUSES.get(over.outcome, Status.ERROR)
        return Result(Ending.FINISHED, self.payload, over.decision, over.by, over.error, over.rule, extras, status)

    def _torn(self, ask: Ask, ending: Ending, because_of: str, rule: str, why: str) -> tuple[RigWalk, tuple[Fact, ...]]:
        """The end of a dispatch that nobody finishes."""
        status = Status.CANCELLED if ending is Ending.CANCELLED else Status.ERROR
        told = Resolved(ask.step, ask.subscription, status, Effect.ABORT, rule, why)
        late = () if self.over is not None else self.chain.subscriptions[self.seat + 1 :]
        missed = tuple(NotReached(each, because_of, rule) for each in late)
        registered = self.registered[: len(self.registered) - self.finished]
        extras: dict[str, JSON] = {
            "context": self.context.to_json(),
            "log": list(self.log),
            "never_finished": [self.chain.subscriptions[seat].name for seat in reversed(registered)],
        }
        decided_by = "" if ending is Ending.CANCELLED else because_of
        result = Result(ending, self.payload, UNSPECIFIED, decided_by, why, rule, extras, status)
        return replace(self, result=result), (told, *missed)

    def _logged(self, ask: Ask, message: str, rule: str) -> tuple[Raised, ...]:
        if not message:
            return ()
        return (Raised(ask.step, ask.subscription, _CATEGORIES[message], message, rule),)

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[RigWalk, tuple[Fact, ...]]:
        """The walk with another call from `ask` on: one of the same operation, that could have been started."""
        if not isinstance(payload, RigPayload) or payload.operation != self.payload.operation:
            got = payload.point or "no operation" if isinstance(payload, RigPayload) else "something else"
            raise BadInput(f"a call of {self.chain.point} is needed here, not one of {got}")
        if (error := call_error(payload.call)) is not None:
            raise BadInput(str(error))
        try:
            clone(payload.call)
        except CloneError as error_:
            raise BadInput(str(error_)) from None
        if payload == self.payload:
            return self, ()
        if payload.context != self.payload.context and (self.seat or self.over is not None):
            raise BadInput("$.$context: the context can be changed before the first begin only")
        changed = Changed(ask.step, by, self.payload, payload, "RG-EDITED")
        context = payload.context if payload.context != self.payload.context else self.context
        return replace(self, payload=payload, context=context), (changed,)


_STATUSES = {
    int(Ended.COMPLETED): Status.OK,
    int(Ended.DENIED): Status.DENIED,
    int(Ended.FAILED): Status.ERROR,
    int(Ended.CANCELED): Status.CANCELLED,
}
_PHASES = {AROUND: Phase.BEGIN, GUARD: Phase.GUARD}
_CATEGORIES = {
    BEGIN_PANICKED: "begin_panicked",
    NIL_CONTEXT: "nil_context",
    FINISH_PANICKED: "finish_panicked",
}


def begin(chain: Chain, payload: RigPayload) -> tuple[RigWalk, tuple[Fact, ...]]:
    """The walk before anybody was asked (spec C.1). A call that cannot be started is refused.

    Raises BadInput where a call is dispatched to the chain of another operation.
    """
    start = RigWalk(chain, payload, payload.context)
    for seat in chain.subscriptions:
        if NOT_LOADED in seat.options:
            why = f"the set cannot be compiled: {seat.name!r} is not there: {seat.options[NOT_LOADED]}"
            return _refused(start, why, "RG-NOT-LOADED")
    if (error := call_error(payload.call)) is not None:
        rule = "RG-CALL-OPERATION" if error.kind is CallKind.UNKNOWN_OPERATION else "RG-CALL-PAYLOAD"
        return _refused(start, str(error), rule)
    if payload.point != chain.point:
        raise BadInput(f"a call of {payload.point} cannot be dispatched to the chain of {chain.point}")
    if not any(seat.mode in _PHASES for seat in chain.subscriptions):
        return start._settled(())
    try:
        clone(payload.call)
    except CloneError as raised:
        return _refused(start, str(raised), "RG-CLONE")
    return start._settled(())


def _refused(start: RigWalk, error: str, rule: str) -> tuple[RigWalk, tuple[Fact, ...]]:
    result = Result(Ending.REFUSED, None, NOT_STARTED, error=error, rule=rule, status=Status.ERROR)
    return replace(start, result=result), ()


def _blocked(name: str, error: Denial | GuardError, rule: str) -> Over:
    return Over(int(outcome_of(error)), name, rule, str(error), dict(error_view(error)), is_blocked=True)


def _lines(told: tuple[Raised, ...], operation: int) -> tuple[JSON, ...]:
    """The lines of the log: who, and nothing of what was raised or of the payload (spec C.7)."""
    return tuple(
        {"message": each.message, "operation": int(operation), "callback_index": index_of(each.subscription)}
        for each in told
    )
