"""A concurrent emit as a value: everybody is called at once, and what they said is looked through in order of
registration once all are done (spec 2.9). The actions of a kind are not looked at here."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kernel.dialects.hookbus.answers import Block, Confirm, HookResult, Inject, Modify, Replace
from kernel.dialects.hookbus.kinds import Kind
from kernel.dialects.hookbus.matching import missed
from kernel.dialects.hookbus.outcome import broken, generation_of, result_of
from kernel.dialects.hookbus.payload import HookEvent
from kernel.dialects.hookbus.resolve import Said, Trouble, Verdict, said
from kernel.dialects.hookbus.traits import Traits
from kernel.dialects.hookbus.walk import ask_for, fitting, is_out_of_view, restarted, told_of, unwanted
from kernel.errors import BadInput
from kernel.facts import Changed, Fact, NotReached
from kernel.values import Ask, Chain, Effect, Ending, Outcome, Payload, Result, Status, TimedOut

FORBIDDEN = frozenset({"before_tool_call", "after_tool_call", "before_message"})
"""Kinds whose handlers build on one another: emitting them to all at once is a mistake of the host."""


@dataclass(frozen=True, slots=True)
class ConcurrentWalk:
    """Where one concurrent emit stands. A step's number is the place of its record in the chain."""

    chain: Chain
    payload: HookEvent
    kind: Kind
    traits: Traits
    wanted: tuple[int, ...] = ()
    """Places of the records that are called, in order."""
    heard: tuple[tuple[int, HookResult | None], ...] = ()
    """By step, in order of answering: what a handler said that is still to be looked at, None where nothing is."""
    edits: tuple[tuple[int, HookEvent], ...] = ()
    """By step: the event that whoever steers put in the place of the one for all."""
    failure: Result | None = None
    """How the dispatch ends once all are done, where one of them ended it."""
    result: Result | None = None
    asks: tuple[Ask, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if self.result is None:
            done, edited = {step for step, _ in self.heard}, dict(self.edits)
            asks = (
                ask_for(self.chain, place, edited.get(place, self.payload), self.traits)
                for place in self.wanted
                if place not in done
            )
            object.__setattr__(self, "asks", tuple(asks))

    def after(self, ask: Ask, outcome: Outcome) -> tuple[ConcurrentWalk, tuple[Fact, ...]]:
        """The walk with one answer more. What may count is told once everybody is done, everything else at once."""
        told = said(ask.subscription, self.traits, outcome)
        facts: tuple[Fact, ...] = restarted(ask, outcome)
        failure = self.failure
        if told.verdict is not None:
            verdict = _late(told.verdict) if isinstance(outcome, TimedOut) else told.verdict
            facts = (*facts, *told_of(ask, verdict))
            if verdict.effect is Effect.ABORT and (failure is None or verdict.status is Status.CANCELLED):
                failure = self._failed(verdict)
        pending = None if told.verdict is not None else told.result
        onward = (*self.heard, (ask.step, pending))
        if len(onward) < len(self.wanted):
            return replace(self, heard=onward, failure=failure), (*facts, *_warnings(ask, told))
        found, last = self._looked_through(dict(onward))
        return replace(self, heard=onward, result=failure or found), (*facts, *_warnings(ask, told), *last)

    def _failed(self, verdict: Verdict) -> Result:
        if verdict.status is Status.CANCELLED:
            return broken(Ending.CANCELLED, self.payload, f"cancelled: {verdict.why}", verdict.rule)
        return broken(Ending.ABORTED, None, f"panic: {verdict.why}", verdict.rule)

    def _looked_through(self, heard: dict[int, HookResult | None]) -> tuple[Result, tuple[Fact, ...]]:
        """What everybody's answers come to, and the verdicts that were still open."""
        facts: tuple[Fact, ...] = ()
        found: Result | None = None
        injected: list[tuple[str, str]] = []
        for place in self.wanted:
            answer, ask = heard[place], ask_for(self.chain, place, self.payload, self.traits)
            if answer is None:
                continue
            name = ask.subscription.name
            if isinstance(answer, Confirm):  # who asked is never taken from the reply (spec 1.5)
                generation = generation_of(ask.subscription)
                answer = Confirm(answer.message, (name,), (generation,), self.payload.tool_name or None)
            match answer:
                case Block() | Modify() | Replace() | Confirm() if found is None:
                    observed = len(self.payload.tool_output.encode())
                    found = result_of(answer, self.payload, by=(name,), rule="HB-CONC-FIRST", observed_len=observed)
                    verdict = self._first(answer)
                case Inject(content) if found is None:
                    injected.append((name, content))
                    why = f"it injects {len(content.encode())} bytes, unless somebody after it decides otherwise"
                    verdict = Verdict(Status.OK, Effect.CONTINUE, "HB-INJECT", why)
                case _:
                    first = "" if found is None else f": {found.decided_by} comes first"
                    why = f"it answered {answer.action}, which is dropped{first}"
                    verdict = Verdict(Status.OK, Effect.CONTINUE, "HB-CONC-DROPPED", why)
            facts = (*facts, *told_of(ask, verdict))
        if found is not None:
            return found, facts
        if injected:
            content = "\n\n".join(content for _, content in injected)
            by = (name for name, _ in injected)
            return result_of(Inject(content), self.payload, by=by, rule="HB-INJECTED"), facts
        return Result(Ending.FINISHED, self.payload, "continue", rule="HB-END"), facts

    def _first(self, answer: HookResult) -> Verdict:
        why = f"it answered {answer.action}, the first that counts in order of registration"
        if not self.traits.accepts(self.kind, answer.action):
            why += f"; that {self.kind.name} accepts no such answer is not looked at here"
        status = Status.DENIED if isinstance(answer, Block) else Status.OK
        return Verdict(status, Effect.STOP, "HB-CONC-FIRST", why)

    def edited(self, ask: Ask, payload: Payload, by: str) -> tuple[ConcurrentWalk, tuple[Fact, ...]]:
        """The walk with another event for one handler: the others have theirs already."""
        edited = fitting(payload, self.chain.point)
        if edited == ask.payload:
            return self, ()
        if (why := missed(ask.subscription.options, edited)) is not None:
            raise BadInput(f"{ask.subscription.name!r} is not called for such an event because of {why.because_of}")
        assert isinstance(ask.payload, HookEvent), "asks of this walk carry events"
        changed = Changed(ask.step, by, ask.payload, edited, "HB-EDITED")
        return replace(self, edits=(*self.edits, (ask.step, edited))), (changed,)


def begin_concurrent(
    chain: Chain, event: HookEvent, kind: Kind, traits: Traits
) -> tuple[ConcurrentWalk, tuple[Fact, ...]]:
    """The walk before anybody was asked; over where the bus refuses to do such a thing."""
    if is_out_of_view(kind, traits):
        facts = tuple(NotReached(seat, "the view of a worker", "HB-WORKER-VIEW") for seat in chain.subscriptions)
        over = Result(Ending.FINISHED, event, "continue", rule="HB-WORKER-VIEW")
        return ConcurrentWalk(chain, event, kind, traits, result=over), facts
    if kind.name in FORBIDDEN:
        error = f"emit_concurrent must not be used for {kind.name}: its handlers build on one another"
        refused = broken(Ending.REFUSED, None, error, "HB-CONC-REFUSED")
        return ConcurrentWalk(chain, event, kind, traits, result=refused), ()
    missing = {place: unwanted(seat, event, kind, traits) for place, seat in enumerate(chain.subscriptions)}
    facts = tuple(why for why in missing.values() if why is not None)
    wanted = tuple(place for place, why in missing.items() if why is None)
    result = None
    if not wanted:
        rule = "HB-END" if chain.subscriptions else "HB-EMPTY"
        result = Result(Ending.FINISHED, event, "continue", rule=rule)
    return ConcurrentWalk(chain, event, kind, traits, wanted, result=result), facts


def _late(verdict: Verdict) -> Verdict:
    """The verdict on a timeout in the words of a concurrent emit."""
    troubles = tuple(Trouble("timeout_conc", each.message, "HB-CONC-TIMEOUT") for each in verdict.troubles)
    return replace(verdict, rule="HB-CONC-TIMEOUT", troubles=troubles)


def _warnings(ask: Ask, told: Said) -> tuple[Fact, ...]:
    """What is to be warned of at once although the answer counts: only its verdict has to wait."""
    if told.verdict is not None or told.trouble is None:
        return ()
    return told_of(ask, Verdict(Status.OK, Effect.CONTINUE, "", "", troubles=(told.trouble,)))[1:]
