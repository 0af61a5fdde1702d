"""A sequential emit as a value: one handler after the other, each asked about what the ones before made of the event
(spec 2.4 to 2.6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel.dialects.hookbus.answers import CONTINUE, Block, Confirm, Inject, Modify, Replace
from kernel.dialects.hookbus.json_text import is_same
from kernel.dialects.hookbus.kinds import Kind
from kernel.dialects.hookbus.matching import missed
from kernel.dialects.hookbus.outcome import broken, generation_of, result_of
from kernel.dialects.hookbus.payload import HookEvent
from kernel.dialects.hookbus.resolve import Verdict, has_both_keys, resolve
from kernel.dialects.hookbus.traits import Traits
from kernel.errors import BadInput
from kernel.facts import Changed, Fact, NotReached, Raised, Resolved
from kernel.values import (
    Answered,
    Ask,
    Chain,
    Crashed,
    Effect,
    Ending,
    Failed,
    Outcome,
    Payload,
    Result,
    Status,
    Subscription,
)
from kernel.values import Delivery as Delivered

HANDLER_TIMEOUT_MS = 5000
"""For one call of one handler, where its seat does not say otherwise."""
MOST_RESTARTS = 3
"""In a row, of a process that gives no result in between."""
NO_SPAWN = "handle_no_spawn"
"""Phase of an ask that must not start or restart a process (spec 2.9, 4.7)."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What the handlers so far have said that counts at the end."""

    confirms: tuple[tuple[str, int, str], ...] = ()
    """Extension, load generation and message of every confirm."""
    modified_by: tuple[str, ...] = ()
    """An entry for every modify that was taken."""
    injections: tuple[tuple[str, str], ...] = ()
    """Extension and content."""


@dataclass(frozen=True, slots=True)
class EmitWalk:
    """Where one emit stands. A step's number is the place of its record in the chain."""

    chain: Chain
    payload: HookEvent
    kind: Kind
    traits: Traits
    position: int = 0
    """Place of the record that is asked."""
    tally: Tally = Tally()
    result: Result | None = None
    asks: tuple[Ask, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.result is None:
            object.__setattr__(self, "asks", (ask_for(self.chain, self.position, self.payload, self.traits),))

    def after(self, ask: Ask, outcome: Outcome) -> tuple[EmitWalk, tuple[Fact, ...]]:
        """The walk at the next record that wants the event, or over."""
        seat = ask.subscription
        verdict = resolve(self.kind, self.traits, seat, outcome, is_confirm_pending=bool(self.tally.confirms))
        if isinstance(verdict.result, Modify) and is_same(verdict.result.input, self.payload.tool_input):
            verdict = replace(
                verdict, status=Status.OK, why="it gave the input back as it was, which counts as modified"
            )
        facts = (*restarted(ask, outcome), *told_of(ask, verdict))
        match verdict.effect:
            case Effect.CONTINUE:
                tally = self.tally if verdict.result is CONTINUE else self._counted(seat, verdict)
                return self._at(self.position + 1, self.payload, tally, facts)
            case Effect.REPLACE:
                assert isinstance(verdict.result, Modify), "nothing else changes the event and goes on"
                tally = replace(self.tally, modified_by=(*self.tally.modified_by, seat.name))
                working, changes = self._changed_by(ask, verdict, tool_input=verdict.result.input)
                return self._at(self.position + 1, working, tally, (*facts, *changes))
            case Effect.STOP:
                return self._stopped(ask, verdict, facts)
            case Effect.ABORT:
                is_cancelled = verdict.status is Status.CANCELLED
                ending = Ending.CANCELLED if is_cancelled else Ending.ABORTED
                error = f"cancelled: {verdict.why}" if is_cancelled else f"panic: {verdict.why}"
                result = broken(ending, self.payload if is_cancelled else None, error, verdict.rule)
                because_of = "the caller" if is_cancelled else seat.name
                missing = not_reached(self.chain.subscriptions[self.position + 1 :], because_of, verdict.rule)
                return replace(self, result=result), (*facts, *missing)

    def _counted(self, seat: Subscription, verdict: Verdict) -> Tally:
        match verdict.result:
            case Confirm(message):
                confirm = (seat.name, generation_of(seat), message)
                return replace(self.tally, confirms=(*self.tally.confirms, confirm))
            case Inject(content):
                return replace(self.tally, injections=(*self.tally.injections, (seat.name, content)))
            case _:
                return self.tally

    def _changed_by(self, ask: Ask, verdict: Verdict, **members: object) -> tuple[HookEvent, tuple[Fact, ...]]:
        working = self.payload.having(**members)  # type: ignore[arg-type]  # JSON, out of an answer
        if working == self.payload:
            return self.payload, ()
        return working, (Changed(ask.step, ask.subscription.name, self.payload, working, verdict.rule),)

    def _stopped(self, ask: Ask, verdict: Verdict, facts: tuple[Fact, ...]) -> tuple[EmitWalk, tuple[Fact, ...]]:
        name, working = ask.subscription.name, self.payload
        changes: tuple[Fact, ...] = ()
        rest = f"HB-AFTER-{verdict.result.action.upper()}"
        match verdict.result:
            case Block():
                pass
            case Replace(output):
                working, changes = self._changed_by(ask, verdict, tool_output=output)
            case Modify(value):
                working, changes = self._changed_by(ask, verdict, tool_input=value)
                rest = verdict.rule
            case _:
                rest = verdict.rule
        observed = len(self.payload.tool_output.encode())
        result = result_of(verdict.result, working, by=(name,), rule=verdict.rule, observed_len=observed)
        missing = not_reached(self.chain.subscriptions[self.position + 1 :], name, rest)
        return replace(self, payload=working, result=result), (*facts, *changes, *missing)

    def _at(
        self, position: int, payload: HookEvent, tally: Tally, facts: tuple[Fact, ...]
    ) -> tuple[EmitWalk, tuple[Fact, ...]]:
        """The walk at the first record from `position` on that wants the event; over where there is none."""
        seats = self.chain.subscriptions
        for place in range(position, len(seats)):
            why = unwanted(seats[place], payload, self.kind, self.traits)
            if why is None:
                return EmitWalk(self.chain, payload, self.kind, self.traits, place, tally), facts
            facts = (*facts, why)
        result = self._at_the_end(payload, tally)
        return EmitWalk(self.chain, payload, self.kind, self.traits, len(seats), tally, result), facts

    def _at_the_end(self, payload: HookEvent, tally: Tally) -> Result:
        """Nobody ended the chain: confirms before modifies before injections (spec 2.6)."""
        if tally.confirms:
            sources = tuple(source for source, _, _ in tally.confirms)
            confirm = Confirm(
                "\n\n".join(message for _, _, message in tally.confirms),
                sources,
                tuple(generation for _, generation, _ in tally.confirms),
                payload.tool_name or None,
                payload.tool_input if tally.modified_by else None,
                tally.modified_by,
            )
            return result_of(confirm, payload, by=sources, rule="HB-CONFIRM-MERGED")
        if tally.modified_by:
            return result_of(Modify(payload.tool_input), payload, by=tally.modified_by, rule="HB-MODIFIED")
        if tally.injections:
            content = "\n\n".join(content for _, content in tally.injections)
            by = tuple(name for name, _ in tally.injections)
            return result_of(Inject(content), payload, by=by, rule="HB-INJECTED")
        rule = "HB-END" if self.chain.subscriptions else "HB-EMPTY"
        if self.chain.subscriptions and is_out_of_view(self.kind, self.traits):
            rule = "HB-WORKER-VIEW"
        return Result(Ending.FINISHED, payload, "continue", rule=rule)

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[EmitWalk, tuple[Fact, ...]]:
        """The walk with another event from `ask` on; it has to be one that the host would call this handler for."""
        edited = fitting(payload, self.chain.point)
        if edited == self.payload:
            return self, ()
        if (why := missed(ask.subscription.options, edited)) is not None:
            raise BadInput(
                f"{ask.subscription.name!r} is not called for such an event because of {why.because_of}",
                fix="skip it instead, or edit the event where it is fired",
            )
        return replace(self, payload=edited), (Changed(ask.step, by, self.payload, edited, "HB-EDITED"),)


def begin(chain: Chain, event: HookEvent, kind: Kind, traits: Traits) -> tuple[EmitWalk, tuple[Fact, ...]]:
    """The walk before anybody was asked."""
    nowhere = Result(Ending.FINISHED, event, "continue")
    return EmitWalk(chain, event, kind, traits, result=nowhere)._at(0, event, Tally(), ())


# -- what every walk of this dialect shares ----------------------------------------------------------------------


def ask_for(chain: Chain, place: int, event: HookEvent, traits: Traits, step: int | None = None) -> Ask:
    """The wish to have a record's handler called; `step` is its place unless something else is said."""
    seat = chain.subscriptions[place]
    timeout_ms = HANDLER_TIMEOUT_MS if seat.timeout_ms is None else seat.timeout_ms
    phase = NO_SPAWN if traits.worker_view else ""
    return Ask(place if step is None else step, seat, event, event.body, timeout_ms, phase)


def is_out_of_view(kind: Kind, traits: Traits) -> bool:
    """Whether a worker's bus calls nobody for this kind."""
    return traits.worker_view and kind.name != "after_tool_call"


def unwanted(seat: Subscription, event: HookEvent, kind: Kind, traits: Traits) -> NotReached | None:
    """Why a record is not called, as the fact that tells it; None where it is."""
    if traits.worker_view and (is_out_of_view(kind, traits) or not has_both_keys(seat.options)):
        return NotReached(seat, "the view of a worker", "HB-WORKER-VIEW")
    why = missed(seat.options, event)
    return None if why is None else NotReached(seat, why.because_of, why.rule)


def not_reached(seats: tuple[Subscription, ...], because_of: str, rule: str) -> tuple[NotReached, ...]:
    return tuple(NotReached(seat, because_of, rule) for seat in seats)


def restarted(ask: Ask, outcome: Outcome) -> tuple[Raised, ...]:
    """What the host warns of where it had to start the extension again, and perhaps gave it the same event twice."""
    deliveries = outcome.deliveries if isinstance(outcome, Answered | Failed | Crashed) else ()
    return tuple(_restart(ask, deliveries[:place], each) for place, each in enumerate(deliveries) if each.attempt)


def _restart(ask: Ask, before: tuple[Delivered, ...], again: Delivered) -> Raised:
    text = f"restart {again.attempt} of {MOST_RESTARTS} after {again.delay_ms:g} ms, because {again.because}"
    rule = "HB-RESTARTED"
    if before:
        rule = "HB-REDELIVERED"
        text += f"; the event was delivered twice, as request {before[-1].request_id} and as request {again.request_id}"
    return Raised(ask.step, ask.subscription, "restart", text, rule)


def told_of(ask: Ask, verdict: Verdict) -> tuple[Fact, ...]:
    """The verdict on a step, and everything that the host warns of."""
    seat = ask.subscription
    resolved = Resolved(ask.step, seat, verdict.status, verdict.effect, verdict.rule, verdict.why)
    if not verdict.troubles:
        return (resolved,)
    raised = (Raised(ask.step, seat, each.category, each.message, each.rule) for each in verdict.troubles)
    return (resolved, *raised)


def fitting(payload: Payload, kind: str) -> HookEvent:
    """The payload as an event of this kind; raises BadInput."""
    if not isinstance(payload, HookEvent) or payload.kind != kind:
        got = payload.kind if isinstance(payload, HookEvent) else type(payload).__name__
        raise BadInput(f"an event of {kind} is needed here, not {got}")
    return payload
