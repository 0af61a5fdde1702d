"""The one loop that drives a walk against live subscribers.

It calls, waits, tells and steers; what anything means is the walk's business.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Mapping
from types import MappingProxyType
from typing import Final, assert_never

from kernel import faults
from kernel.amending import Amended, attributed
from kernel.asking import Answer, Resolver
from kernel.clock import NS_PER_MS, REAL, Caller, Clock, Limit
from kernel.control import Back, Control, Directive, Instead, Proceed, Retry, Seam, Skip, Stop
from kernel.dialect import Dialect, thrown
from kernel.errors import BadInput
from kernel.facts import Asked, Ended, Event, Fact, Fork, Late, Opened, Printed, Replied, Rewound, Steered
from kernel.faults import FarSide, Fault
from kernel.probe import Probes
from kernel.subscriber import Call, Subscriber
from kernel.values import Ask, Cancelled, Chain, Outcome, Payload, Result, Skipped, TimedOut
from kernel.walk import Walk

CALLER: Final = "caller"
"""Who stopped a step that was not being asked when its caller was gone."""
_NO_SWITCH: Final[Mapping[str, bool]] = MappingProxyType({})
_NOBODY: Final[Mapping[str, Subscriber]] = MappingProxyType({})


async def dispatch(
    dialect: Dialect,
    chain: Chain,
    payload: Payload,
    subscribers: Mapping[str, Subscriber],
    *,
    probes: Probes | None = None,
    control: Control | None = None,
    clock: Clock = REAL,
    caller: Caller | None = None,
    dispatch_id: str | None = None,
    parent: str = "",
    resolver: Resolver | None = None,
    switches: Mapping[str, bool] = _NO_SWITCH,
    own: Mapping[str, Subscriber] = _NOBODY,
    room: dict[str, object] | None = None,
    fork: Fork | None = None,
) -> Result:
    """Ask a whole chain once and return what it came to.

    `parent` is the id of the stretch or dispatch in which it happens. `resolver` answers what the result leaves open;
    where there is none, acting on the result is left to the caller. `switches` of the dialect are thrown for this
    dispatch, which tells them. `own` play in the place of those whom the dialect itself plays, and `room` is what its
    subscribers in our own process find there at its start. `fork` is told: of what this is one.

    `subscribers` holds a live subscriber for each name in the chain that the dialect does not play itself; a missing
    one is a KeyError before anybody is asked. Cancelling the task that awaits this ends the dispatch like a caller
    that gives up, and is passed on.
    """
    dialect = thrown(dialect, switches)
    own = {**dialect.own, **own} if own else dialect.own
    absent: dict[str, str] = {}
    for subscription in chain.subscriptions:
        name = subscription.name
        if name not in subscribers and name not in own:
            raise KeyError(f"no live subscriber for {name!r}")
        if why := getattr(subscribers.get(name), "absent", ""):
            absent[name] = why
    if absent:
        chain = dialect.staging.as_started(chain, absent)
    probes = Probes() if probes is None else probes  # one that nobody watches yet is false, and still the caller's
    caller = caller or Caller()
    run = _Run(dialect, subscribers, probes, control, clock, caller, dispatch_id, parent, switches, own, room, fork)
    result = await run.to_end(chain, payload)
    if resolver is not None:
        await run.settle(result, resolver)
    return result


class _Run:
    """One dispatch under way. `walk` is replaced as it goes; only this object's tasks, on one loop, replace it."""

    walk: Walk

    def __init__(
        self,
        dialect: Dialect,
        subscribers: Mapping[str, Subscriber],
        probes: Probes,
        control: Control | None,
        clock: Clock,
        caller: Caller,
        dispatch_id: str | None,
        parent: str,
        switches: Mapping[str, bool],
        own: Mapping[str, Subscriber],
        room: dict[str, object] | None,
        fork: Fork | None,
    ) -> None:
        self.dialect = dialect
        self.subscribers = subscribers
        self.probes = probes
        self.control = control
        self.clock = clock
        self.caller = caller
        self.id = dispatch_id or os.urandom(8).hex()
        self.parent = parent
        self.switches = switches
        self.own = own
        self.room: dict[str, object] = {} if room is None else room
        self.fork = fork
        self.told = 0
        self.unanswered: set[int] = set()
        """Steps for which Asked is told and Replied is not."""
        self.amended: dict[int, Amended] = {}
        """Steps for which somebody else gave the outcome."""
        self.is_stopped = False
        self.kept: list[tuple[Walk, int]] = []
        """Where it could go back to, with the number of the first event after that; only where somebody steers."""

    async def to_end(self, chain: Chain, payload: Payload) -> Result:
        try:
            begun = self.dialect.open(chain, payload)  # may raise: then there was no dispatch to tell of
            if self.probes:
                wall_ns = time.time_ns()
                self.tell(Opened(self.dialect.name, chain, payload, wall_ns, self.parent, self.switches, self.fork))
            self.take(begun)
            while (result := self.walk.result) is None:
                await self.move()
        except asyncio.CancelledError:
            self.abandon("the task was cancelled")
            raise
        except Exception as error:  # noqa: BLE001  # ours, or bad input of whoever steers: loud, but not without an end
            only = _only(error)
            self.abandon(f"something broke: {only}")
            raise only from None
        finally:
            self.caller.done()
        self.tell(Ended(result))
        return result

    async def move(self) -> None:
        """Have asked whoever may be asked now, unless whoever steers would rather go back."""
        asks = self.walk.asks
        try:
            if len(asks) == 1:
                await self.step(asks[0])
            else:
                await self.together()
        except (_WentBack, ExceptionGroup) as error:
            back = _only(error)
            if not isinstance(back, _WentBack):
                raise
            self.rewind(back.directive)

    def rewind(self, back: Back) -> None:
        for walk, since in self.kept:
            if walk is back.walk:
                self.unanswered.clear()
                self.tell(Rewound(since, back.by, walk.asks[0].step if len(walk.asks) == 1 else None))
                self.walk = walk
                return
        raise BadInput("this dispatch has never been at the place to go back to")

    async def settle(self, result: Result, resolver: Resolver) -> None:
        """Have decided what the result leaves open, and tell what the host does. Nobody's answer is none."""
        question = self.dialect.question(self.id, result)
        answer: Answer | None = None
        try:
            if question is not None:
                with Limit(self.clock, None, self.caller) as limit:
                    answer = await resolver.resolve(question)
                if limit.given_up:
                    answer = None
        finally:
            decided = self.dialect.settled(result, answer)
            if decided is not None:
                self.tell(decided)

    async def together(self) -> None:
        """Ask everybody who may be asked at once, and whoever becomes askable thereby, to the end of the walk."""
        started: set[int] = set()
        async with asyncio.TaskGroup() as group:

            def start_the_askable() -> None:
                for ask in self.walk.asks:
                    if ask.step not in started:
                        started.add(ask.step)
                        name = f"dispatch {self.id} step {ask.step} {ask.subscription.name}"
                        group.create_task(step_and_go_on(ask), name=name)

            async def step_and_go_on(ask: Ask) -> None:
                await self.step(ask)
                start_the_askable()

            start_the_askable()

    async def step(self, ask: Ask) -> None:
        """Have one subscriber asked, and let the walk make of it what it will."""
        self.amended.pop(ask.step, None)
        outcome = await self.outcome_of(ask)
        ask = self.current(ask)
        walk, facts = self.walk.after(ask, outcome)
        if (amended := self.amended.get(ask.step)) is not None:
            facts = attributed(facts, self.walk, ask, amended)
        self.take((walk, facts))

    async def outcome_of(self, ask: Ask) -> Outcome:
        """What became of one ask, as whoever steers will have it."""
        started_ns = self.clock.now_ns()
        instead: Outcome | None = None
        far_side: FarSide | None = None
        self.caller.look()
        if self.control is not None and self.caller.reason is None:
            instead, far_side = await self.before(self.control, ask)
            if isinstance(instead, Skipped):
                return instead
        self.caller.look()
        if self.caller.reason is not None:
            return self.gone(ask)  # nobody is asked for somebody who is gone
        ask = self.current(ask)  # edited while this seam was open, perhaps at another one
        outcome = await self.exchange(ask, started_ns, instead, far_side)
        if self.control is not None and self.caller.reason is None and not isinstance(outcome, Cancelled):
            return await self.after(self.control, ask, outcome)
        return outcome

    async def before(self, control: Control, ask: Ask) -> tuple[Outcome | None, FarSide | None]:
        """Let whoever steers change what will be asked. Gives an outcome that needs no call, and what the far side is
        to do."""
        match await self.directive(control.before(Seam(self.id, self.walk, self.current(ask)))):
            case Proceed(payload, fault, by):
                self.edit(ask, payload, by)
                return None, self.plan(fault, self.current(ask), by)
            case Instead(outcome, by, is_its_own, payload):
                self.edit(ask, payload, by)
                self.steered(ask, by, "answered as recorded" if is_its_own else "answered")
                if not is_its_own:
                    self.amended[ask.step] = Amended(by)
                return outcome, None
            case Skip(by):
                self.steered(ask, by, "skipped")
                return Skipped(by), None
            case Stop(by):
                self.stop(ask, by)
            case Back() as back:
                raise _WentBack(back)
            case Retry():
                raise BadInput("nobody can be asked again who was not asked yet")
            case None:
                pass
            case never:
                assert_never(never)
        return None, None

    async def exchange(self, ask: Ask, started_ns: int, instead: Outcome | None, far_side: FarSide | None) -> Outcome:
        """Ask and hear, or take what is given instead, and tell both."""
        self.unanswered.add(ask.step)
        if self.probes:
            self.tell(Asked(ask.step, ask.subscription, ask.payload, ask.request, ask.timeout_ms, ask.phase))
        called_ns = self.clock.elapsed_ns()
        outcome = await self.call(ask, started_ns, called_ns, far_side) if instead is None else instead
        self.unanswered.remove(ask.step)
        if self.probes:
            self.tell(Replied(ask.step, outcome, self.clock.elapsed_ns() - called_ns))
        return outcome

    async def after(self, control: Control, ask: Ask, outcome: Outcome) -> Outcome:
        """Let whoever steers see an outcome, and change it."""
        match await self.directive(control.after(Seam(self.id, self.walk, self.current(ask), outcome))):
            case Proceed():
                return outcome
            case Instead(other, by):
                self.steered(ask, by, "replaced answer", outcome=other)
                self.amended[ask.step] = Amended(by, None if ask.step in self.amended else outcome)
                return other
            case Skip(by):
                self.steered(ask, by, "skipped")
                return Skipped(by)
            case Stop(by):
                self.stop(ask, by)
            case Back() as back:
                raise _WentBack(back)
            case Retry(by):
                self.steered(ask, by, "asked again")
                self.amended.pop(ask.step, None)
                return await self.outcome_of(ask)
            case None:
                pass
            case never:
                assert_never(never)
        return self.gone(ask)

    async def directive(self, steering: Awaitable[Directive]) -> Directive | None:
        """What the control says; None when the caller gave up meanwhile."""
        with Limit(self.clock, None, self.caller):
            return await steering
        return None

    async def call(self, ask: Ask, started_ns: int, called_ns: int, far_side: FarSide | None) -> Outcome:
        """Call one subscriber under its deadline, which counts from when it was its turn."""
        clock = self.clock
        deadline_ns = None if ask.timeout_ms is None else started_ns + ask.timeout_ms * NS_PER_MS
        if deadline_ns is not None and clock.now_ns() >= deadline_ns:
            return TimedOut((clock.now_ns() - started_ns) / NS_PER_MS)  # an expired deadline reaches nobody
        call = Call(
            ask.subscription.point,
            ask.request,
            deadline_ns,
            clock,
            lambda stream, line: self.printed(ask, stream, line),
            far_side,
            ask.phase,
            self.id,
            ask.subscription.id,
            lambda outcome, in_ms=0.0: self.came_late(ask, called_ns, outcome, in_ms),
            self.room,
        )
        name = ask.subscription.name
        subscriber = self.subscribers[name] if name in self.subscribers else self.own[name]
        is_kept = clock is REAL and far_side is None and getattr(subscriber, "keeps_deadlines", False)
        with Limit(clock, None if is_kept else deadline_ns, self.caller) as limit:
            outcome = await subscriber.answer(call)
        if limit.given_up:
            return Cancelled(self.caller.reason or "")
        if limit.expired or isinstance(outcome, TimedOut):  # even if it would not be cancelled and answered in the end
            waited_ms = (clock.now_ns() - started_ns) / NS_PER_MS
            return TimedOut(waited_ms if ask.timeout_ms is None else float(ask.timeout_ms))
        return outcome

    def edit(self, ask: Ask, payload: Payload | None, by: str) -> None:
        if payload is not None:
            self.steered(ask, by, "edited payload")
            self.take(self.walk.edited(self.current(ask), payload, by))

    def plan(self, fault: Fault | None, ask: Ask, by: str) -> FarSide | None:
        if fault is None:
            return None
        act = faults.find(self.dialect.faults, fault.kind).plan(fault)(ask)
        self.steered(ask, by, "fault", str(fault), fault=fault)
        return act

    def steered(
        self,
        ask: Ask,
        by: str,
        what: str,
        detail: str = "",
        *,
        outcome: Outcome | None = None,
        fault: Fault | None = None,
    ) -> None:
        self.tell(Steered(ask.step, by, what, detail, outcome, ask.subscription, fault))

    def stop(self, ask: Ask, by: str) -> None:
        self.steered(ask, by, "stopped")
        self.is_stopped = True
        self.caller.cancel(f"stopped by {by}")

    def gone(self, ask: Ask) -> Cancelled:
        """What a step comes to whose caller is gone; told, where it was not whoever steers who sent the caller away."""
        reason = self.caller.reason or ""
        if not self.is_stopped:
            self.steered(ask, CALLER, "stopped", reason)
        return Cancelled(reason)

    def current(self, ask: Ask) -> Ask:
        """The same ask as the walk has it now: a payload edited in the meantime is the one to send."""
        if self.control is None:
            return ask  # nobody edits
        for now in self.walk.asks:
            if now.step == ask.step:
                return now
        raise AssertionError(f"step {ask.step} is no longer asked for")

    def printed(self, ask: Ask, stream: str, line: str) -> None:
        if ask.step in self.unanswered:  # a line that comes after the call is nobody's
            self.tell(Printed(ask.subscription.name, stream, line, ask.step))

    def came_late(self, ask: Ask, called_ns: int, outcome: Outcome, in_ms: float) -> None:
        """Tell what came when its call was over, or would have come so much later."""
        took_ns = self.clock.elapsed_ns() - called_ns + round(in_ms * NS_PER_MS)
        self.tell(Late(ask.step, ask.subscription, outcome, took_ns))

    def abandon(self, reason: str) -> None:
        """Tell the end of a dispatch that is being torn down."""
        if not hasattr(self, "walk"):
            return  # it never began
        while self.walk.result is None and self.walk.asks:
            ask = self.walk.asks[0]
            if ask.step in self.unanswered:
                self.unanswered.remove(ask.step)
                self.tell(Replied(ask.step, Cancelled(reason)))
            else:
                self.steered(ask, CALLER, "stopped", reason)
            self.take(self.walk.after(ask, Cancelled(reason)))
        if self.walk.result is not None:
            self.tell(Ended(self.walk.result))

    def take(self, moved: tuple[Walk, tuple[Fact, ...]]) -> None:
        self.walk, facts = moved
        if self.probes:
            for fact in facts:
                self.tell(fact)
        if self.control is not None:
            self.kept.append((self.walk, self.told))

    def tell(self, fact: Fact) -> None:
        if self.probes:
            self.probes.see(Event(self.id, self.told, self.clock.now_ns(), fact))
            self.told += 1


class _WentBack(Exception):
    """Whoever steers goes back: ends whatever is under way in this dispatch."""

    def __init__(self, directive: Back) -> None:
        super().__init__("went back")
        self.directive = directive


def _only(error: Exception) -> Exception:
    """The error itself where a group of parallel steps holds no other."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
