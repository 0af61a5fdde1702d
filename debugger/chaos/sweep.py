"""One dispatch for each fault at each seat of each point, and one without any to compare with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, TypeAlias

from debugger import payloads
from debugger.covering import covered_events_of
from debugger.trace import DispatchTrace, StepTrace, Trace
from kernel.clock import NS_PER_MS, REAL, Caller, Clock
from kernel.control import PROCEED, Directive, Proceed, Seam
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.facts import Event
from kernel.faults import Fault, FaultKind, Late
from kernel.host import Host
from kernel.probe import Probes
from kernel.setup import Setup
from kernel.subscriber import Subscriber
from kernel.values import JSON, Chain, Payload, Status, Subscription

BY = "chaos"
OF_DEADLINE: Final = "of_deadline"
"""Setting of a fault: its time in per cent of the deadline."""
NOTHING: Final[Mapping[str, Payload]] = MappingProxyType({})
GIVE_UP_FACTOR = 4
"""A dispatch may take this many times the longest deadline for each seat, where the dialect has no deadlines."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one fault at one seat came to."""

    seat: Subscription
    step: int
    kind: str
    expected: frozenset[str]
    """Rules of which one must apply; that of the step without a fault where nothing may change."""
    trace: DispatchTrace
    struck: StepTrace
    least_ms: float = 0.0
    """How long the step has to take because of the fault, at least."""

    @property
    def rule(self) -> str:
        """The rule that resolved the step; empty if nobody was asked."""
        return "" if self.struck.verdict is None else self.struck.verdict.rule

    @property
    def is_struck(self) -> bool:
        """Whether the fault really befell the seat."""
        return any(steered.what == "fault" for steered in self.struck.steered)

    @property
    def is_felt(self) -> bool:
        """Whether the step took the time that the fault takes. Whatever else a fault does, its rule tells."""
        return (self.struck.took_ns or 0) >= self.least_ms * NS_PER_MS

    @property
    def is_as_told(self) -> bool:
        """Whether what happened is what the rules say must happen."""
        return self.is_struck and self.is_felt and self.rule in self.expected and self.trace.result is not None


@dataclass(frozen=True, slots=True)
class Unreached:
    """A seat that nobody asks even without a fault, because of somebody before it."""

    seat: Subscription
    because_of: str


@dataclass(frozen=True, slots=True)
class Failing:
    """A seat that fails without a fault: what a fault does there cannot be told from what it does by itself."""

    seat: Subscription
    rule: str
    why: str


Found: TypeAlias = Cell | Unreached | Failing


class _Strike:
    """A control that makes one fault befall one step, the first time it is asked."""

    def __init__(self, step: int, kind: FaultKind, fault: Fault) -> None:
        self._step = step
        self._kind = kind
        self._fault: Fault | None = fault
        self.least_ms = 0.0
        """How long the fault makes the step take, once it has befallen it."""

    async def before(self, seam: Seam) -> Directive:
        if seam.ask.step != self._step or self._fault is None:
            return PROCEED
        fault, self._fault = self._fault, None
        act = self._kind.plan(fault)(seam.ask)
        if isinstance(act, Late):
            self.least_ms = act.ms if seam.ask.timeout_ms is None else min(act.ms, seam.ask.timeout_ms)
        return Proceed(fault=fault, by=BY)

    async def after(self, seam: Seam) -> Directive:
        return PROCEED


class _Keeper:
    """Keeps the trace of one dispatch."""

    def __init__(self) -> None:
        self.trace = Trace()

    def see(self, event: Event) -> None:
        self.trace.take(event)

    @property
    def dispatch(self) -> DispatchTrace:
        return self.trace.dispatches[0]


class Sweep:
    """Sweeps a setup whose subscribers run. Deadlines are cut to `timeout_ms`, so that hanging does not take long.

    A fault that makes the host start a process anew gets the time that the host has for that.
    """

    def __init__(
        self, setup: Setup, host: Host, *, timeout_ms: int, clock: Clock = REAL, given: Mapping[str, Payload] = NOTHING
    ) -> None:
        """`given` has the payload to fire at a point, where only that one is to be tried."""
        self._given = given
        self._setup = setup
        self._host = host
        self._timeout_ms = timeout_ms
        self._clock = clock
        self._covered = covered_events_of(setup)

    async def cells(self, caller: Caller, kinds: frozenset[str] | None = None) -> AsyncIterator[Found]:
        """Point after point, seat after seat, each with the first payload by which it is asked; ends early once the
        caller gives up.
        """
        for point, chain in self._setup.chains.items():
            unhurried = self._host.seated(chain).subscriptions
            if not unhurried:
                continue
            chain = self._hurried(replace(chain, subscriptions=unhurried))
            plain = await self._plain(chain, point)
            for step, seat in enumerate(chain.subscriptions):
                usual = plain[step]
                if usual.verdict is None or usual.asked_at_ns is None:
                    yield Unreached(seat, "" if usual.not_reached is None else usual.not_reached.because_of)
                    continue
                if usual.verdict.status in (Status.ERROR, Status.TIMED_OUT):
                    yield Failing(seat, usual.verdict.rule, usual.verdict.why)
                    continue
                for kind in applicable(self._setup.dialect, seat):
                    if caller.reason is not None:
                        return
                    if kinds is None or kind.kind in kinds:
                        struck = self._in_a_hurry(unhurried[step], self._setup.dialect.takes_ms(kind.kind, seat))
                        yield await self._cell(_with(chain, step, struck), plain.payload[step], kind, usual)

    async def _plain(self, chain: Chain, point: str) -> _Plain:
        """Every seat without a fault, with the first payload that reaches it; the usual one comes first."""
        found = _Plain()
        for payload in self._payloads(point):
            trace = await self._run(chain, payload, None)
            for step in range(len(chain.subscriptions)):
                found.take(trace.step(step), payload)
            if found.is_whole:
                break
        return found

    def _payloads(self, point: str) -> Iterator[Payload]:
        if point in self._given:
            yield self._given[point]
            return
        prepared = [each for each in payloads.samples(self._setup) if each.point == point]
        yield from (payloads.read(self._setup.dialect, point, each.path) for each in prepared)
        if not prepared:
            yield self._setup.dialect.sample_payload(point)

    async def _cell(self, chain: Chain, payload: Payload, kind: FaultKind, usual: StepTrace) -> Cell:
        dialect, step, seat = self._setup.dialect, usual.step, chain.subscriptions[usual.step]
        assert usual.verdict is not None, "only who answers without a fault is struck"
        expected = dialect.exercises(kind.kind, seat) or frozenset({usual.verdict.rule})
        if seat.timeout_ms is not None and seat.timeout_ms < dialect.takes_ms(kind.kind, seat):
            expected |= dialect.exercises("hang", seat)  # a deadline of its own, in which that cannot be done
        strike = _Strike(step, kind, Fault(kind.kind, _in_time(kind, seat)))
        trace = await self._run(chain, payload, strike)
        return Cell(seat, step, kind.kind, expected, trace, trace.step(step), strike.least_ms)

    async def _run(self, chain: Chain, payload: Payload, strike: _Strike | None) -> DispatchTrace:
        await self._revive(chain)
        keeper, caller = _Keeper(), Caller()
        if any(seat.timeout_ms is None for seat in chain.subscriptions):
            most_ms = self._timeout_ms * GIVE_UP_FACTOR
            caller.give_up_at(self._clock, self._clock.now_ns() + most_ms * NS_PER_MS, "nobody waits any longer")
        await dispatch(
            self._setup.dialect,
            chain,
            payload,
            self._subscribers,
            probes=Probes(self._covered.in_front_of(keeper)),
            control=strike,
            clock=self._clock,
            caller=caller,
        )
        return keeper.dispatch

    @property
    def _subscribers(self) -> Mapping[str, Subscriber]:
        return self._host.subscribers

    async def _revive(self, chain: Chain) -> None:
        """Start again whoever a fault has killed."""
        wanted = {seat.name for seat in chain.subscriptions}
        dead = [each.name for each in self._host.health if each.name in wanted and not each.is_alive]
        if dead:
            await self._host.restart(dead)

    def _hurried(self, chain: Chain) -> Chain:
        return replace(chain, subscriptions=tuple(self._in_a_hurry(seat) for seat in chain.subscriptions))

    def _in_a_hurry(self, seat: Subscription, least_ms: int = 0) -> Subscription:
        most_ms = max(self._timeout_ms, least_ms)
        if seat.timeout_ms is None or seat.timeout_ms <= most_ms:
            return seat
        return replace(seat, timeout_ms=most_ms)


class _Plain:
    """What every seat does without a fault, and the payload for which it does that."""

    def __init__(self) -> None:
        self._steps: dict[int, StepTrace] = {}
        self.payload: dict[int, Payload] = {}

    def __getitem__(self, step: int) -> StepTrace:
        return self._steps[step]

    def take(self, step: StepTrace, payload: Payload) -> None:
        """Keep what a payload made of a seat, unless a better one is known: asked is better than not, fine than not."""
        known = self._steps.get(step.step)
        if known is None or _worth(step) > _worth(known):
            self._steps[step.step], self.payload[step.step] = step, payload

    @property
    def is_whole(self) -> bool:
        return all(_worth(step) == _FINE for step in self._steps.values())


_FINE: Final = 2


def _worth(step: StepTrace) -> int:
    if step.verdict is None or step.asked_at_ns is None:
        return 0
    return 1 if step.verdict.status in (Status.ERROR, Status.TIMED_OUT) else _FINE


def _in_time(kind: FaultKind, seat: Subscription) -> Mapping[str, JSON]:
    """Settings with which a fault that only takes time leaves some of the deadline, where it can be told to."""
    return {OF_DEADLINE: 50} if OF_DEADLINE in kind.defaults and seat.timeout_ms is not None else {}


def _with(chain: Chain, step: int, seat: Subscription) -> Chain:
    """The chain with another seat in a place."""
    before, after = chain.subscriptions[:step], chain.subscriptions[step + 1 :]
    return replace(chain, subscriptions=(*before, seat, *after))


def applicable(dialect: Dialect, seat: Subscription) -> tuple[FaultKind, ...]:
    """The faults that a seat can suffer."""
    return tuple(kind for kind in dialect.faults if kind.modes is None or seat.mode in kind.modes)
