"""What every part of a played session stands on: where it is told, how operations are begun, ids and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from kernel.clock import NS_PER_MS
from kernel.dialects.rig.context import Context, background
from kernel.dialects.rig.context_view import described as shown
from kernel.dialects.rig.dialect import CAPTURE_LEAK, RIG
from kernel.dialects.rig.operation import Operation, Outcome, is_outcome
from kernel.dialects.rig.payload import RigPayload, of
from kernel.dialects.rig.room import furnished, room_of
from kernel.dialects.rig.seats import OPERATION, has_callbacks, owned
from kernel.dialects.rig.session.described import Described
from kernel.dialects.rig.session.errors import HostError, SessionEnded
from kernel.dialects.rig.session.owner import Act, Block, Close, Inside, Owner, Refuse, refuse_silently
from kernel.dialects.rig.snapshot import NO_ID, Call, Cause, Coordinates
from kernel.playing import Course, Stage
from kernel.stretch import Stretch, Stretches
from kernel.values import JSON, Ending, Result

_NAMESPACE: Final = UUID("6f1d2c0a-52f7-5c5e-9a5b-3b0f1d6a7e21")
LOOP_CLOCK: Final = frozenset({Operation.TURN, Operation.STEP, Operation.INFERENCE, Operation.COMPACTION})
"""Operations whose beginning is read off the loop's own clock (spec A.5)."""


@dataclass(frozen=True, slots=True)
class Ended:
    """What an operation came to, for its owner."""

    outcome: int
    error: BaseException | None
    block: Block | None
    close: Close | None
    """None where it was blocked, and where somebody else played it."""
    call: Call
    """With the fields that are known at the end."""

    @property
    def is_completed(self) -> bool:
        return self.outcome == Outcome.COMPLETED


@dataclass(frozen=True, slots=True)
class Identity:
    """What the calls of a loop carry (spec A.5)."""

    agent: str
    session: UUID
    loop: UUID = NO_ID
    turn: UUID = NO_ID
    step: UUID = NO_ID
    cause: Cause | None = None

    def coordinates(self) -> Coordinates:
        return Coordinates(self.session, self.loop, self.turn, self.step)


class Ground:
    """The stage of one session. Its stretches, dispatches and waits are all on the stage's clock."""

    session: Stretch

    def __init__(self, stage: Stage, described: Described, wall_ns: int) -> None:
        self.stage = stage
        self.clock = stage.clock
        self.described = described
        self.stretches = Stretches(RIG.name, stage.probes, stage.clock, new_id=stage.new_id)
        self.counts: Counter[str] = Counter()
        self.root: Context = background(stage.clock.now_ns)
        self._ids: Counter[str] = Counter()
        self._wall_ns, self._began_ns = wall_ns, stage.clock.now_ns()

    @property
    def leaks(self) -> bool:
        """Whether it forgets what the original forgets (vector 189)."""
        return self.stage.switches.get(CAPTURE_LEAK, False)

    def handles(self, operation: Operation) -> bool:
        """Whether anybody takes part in an operation."""
        return has_callbacks(self.stage.chain(operation.label))

    def new_id(self, kind: str) -> UUID:
        """The next id of its kind. The same session has the same ids each time."""
        self._ids[kind] += 1
        return uuid5(_NAMESPACE, f"{self.described.session}/{kind}/{self._ids[kind]}")

    def now_wall(self) -> int:
        """The wall clock: nanoseconds since the epoch, passing as the stage's clock does."""
        return self._wall_ns + self.clock.now_ns() - self._began_ns

    def started_at(self, operation: Operation) -> int:
        ahead = round(self.described.loop_clock_ahead_ms * NS_PER_MS) if operation in LOOP_CLOCK else 0
        return self.now_wall() + ahead

    def outside(self, context: Context | None = None) -> Inside:
        """Directly in the session."""
        return Inside(self.session.id, self.root if context is None else context)

    def call(self, operation: Operation, identity: Identity, payload: object) -> Call:
        """A call of an operation, begun now."""
        made = Call(
            operation, self.started_at(operation), identity.coordinates(), identity.agent, identity.cause or Cause()
        )
        setattr(made, operation.payload_field, payload)
        return made

    async def operate(self, call: Call, inside: Inside, act: Act, refuse: Refuse = refuse_silently) -> Ended:
        """Dispatch an operation, whose body is `act`. What its body raises goes on from here, after its finishes.

        Raises SessionEnded where the dispatch has no end that its owner could go on from.
        """
        operation = Operation(call.operation)
        room, view = furnished(self.clock, inside.context, self.now_wall)

        def ended_at() -> int:
            is_raised = operation is not Operation.JOURNAL_APPEND
            return max(self.now_wall(), call.started_at) if is_raised else self.now_wall()

        owner = Owner(operation, act, refuse, ended_at)
        course = Course(seats=owned, own={OPERATION: owner}, room=room)
        self.counts[operation.label] += 1
        try:
            result = await self.stage.fire(operation.label, of(call, view), inside.parent, self.stage.caller, course)
        finally:
            room_of(room, self.clock).release()
        if owner.raised is not None:
            raise owner.raised
        if result.ending is not Ending.FINISHED and not (owner.close is not None and owner.close.leaks):
            raise _no_end(operation, result)
        return _ended(call, owner, result)

    def decided(self, inside: Inside, subject: str, decision: str, *, by: str, rule: str, why: str) -> None:
        """Tell a decision of the host, where it was made."""
        with self.stretches.entered("decision", subject, inside.parent) as stretch:
            stretch.decided(subject, decision, by=by, rule=rule, why=why)

    def note(self, inside: Inside, kind: str, name: str, attributes: Mapping[str, JSON]) -> None:
        """Tell that something happened, and under which context."""
        context = shown(inside.context, self.clock.now_ns())
        known = {**attributes, "values": dict(context.values)}
        if context.cancelled:
            known["cancelled"] = context.cancelled
        with self.stretches.entered(kind, name, inside.parent, known):
            pass


def _no_end(operation: Operation, result: Result) -> SessionEnded:
    status = "cancelled" if result.ending is Ending.CANCELLED else "failed"
    return SessionEnded(status, result.rule, f"{operation.label}: {result.error}")


def _ended(call: Call, owner: Owner, result: Result) -> Ended:
    if isinstance(result.payload, RigPayload):
        call = result.payload.call
    outcome = result.extras.get("outcome", int(Outcome.COMPLETED))
    number = outcome if isinstance(outcome, int) else int(Outcome.FAILED)
    if owner.block is not None:
        return Ended(number, owner.block.error, owner.block, None, call)
    if owner.close is not None:
        number = int(Outcome.FAILED) if owner.close.leaks else number
        return Ended(number, owner.close.error, None, owner.close, call)
    is_bad = is_outcome(number) and number != Outcome.COMPLETED
    return Ended(number, HostError(result.error or result.decision) if is_bad else None, None, None, call)
