"""Recorded inputs against live subscribers: all of them (re-fire), or some while the others answer as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from debugger.covering import CoveredEvents
from debugger.trace import DispatchTrace, StepTrace, Trace
from debugger.whatif.alternatives import left_out, own_of
from kernel.clock import REAL, Clock
from kernel.control import PROCEED, Directive, Instead, Proceed, Seam, Skip
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.facts import Event
from kernel.faults import Fault
from kernel.probe import Probe, Probes
from kernel.subscriber import Subscriber
from kernel.values import Ask, Chain, Outcome, Payload

BY = "recording"


@dataclass(slots=True)
class _FromRecord:
    """A control that gives what was recorded for everybody who is not live, each answer once and in order. Whoever is
    asked meets the fault that befell the same call then. What people edited is edited again: a payload where the same
    stands there as then, an answer wherever one comes.
    """

    trace: DispatchTrace
    live: frozenset[str]
    covered: CoveredEvents | None = None
    used: set[int] = field(default_factory=set)
    asked: dict[int, StepTrace] = field(default_factory=dict)
    """By the number of a step now: what was recorded of it."""

    async def before(self, seam: Seam) -> Directive:
        step = self._step_of(seam.ask)
        if step is None:
            return PROCEED  # nobody recorded it: it has to be asked
        self.used.add(step.step)
        self.asked[seam.ask.step] = step
        if left_out(step) is not None and step.asked_at_ns is None:
            return Skip(BY)
        edited = self._edited(step, seam)
        own = own_of(step)
        if (by := _answered_by(step)) and step.outcome is not None:
            return Instead(self._uncovered(step.outcome), by, payload=edited)
        if seam.ask.subscription.name not in self.live and own is not None:
            return Instead(self._uncovered(own), BY, is_its_own=True, payload=edited)
        fault = fault_of(step)
        return PROCEED if fault is None and edited is None else Proceed(edited, fault, BY)

    async def after(self, seam: Seam) -> Directive:
        step = self.asked.get(seam.ask.step)
        if step is None or step.outcome is None:
            return PROCEED
        if left_out(step) is not None:
            return Skip(BY)
        if step.replaced is None:
            return PROCEED
        by = next((each.by for each in reversed(step.steered) if each.what == "replaced answer"), BY)
        return Instead(self._uncovered(step.outcome), by)

    def _uncovered(self, outcome: Outcome) -> Outcome:
        return outcome if self.covered is None else self.covered.uncovered_outcome(outcome)

    def _edited(self, step: StepTrace, seam: Seam) -> Payload | None:
        """What somebody put in the place of the payload then, where the same one stands there again."""
        if step.edited is None:
            return None
        before, after = step.edited.before, step.edited.after
        if self.covered is not None:
            point = seam.ask.subscription.point
            before, after = (self.covered.uncovered_payload(each, point) for each in (before, after))
        return after if before.digest == seam.ask.payload.digest else None

    def _step_of(self, ask: Ask) -> StepTrace | None:
        wanted = (ask.subscription.name, ask.subscription.id, ask.phase)
        for step in self.trace.steps:
            found = (step.subscription.name, step.subscription.id, step.phase)
            if found == wanted and step.step not in self.used:
                return step
        return None


def _answered_by(step: StepTrace) -> str:
    """Who answered in the place of a subscriber that was not called; empty where nobody did."""
    return next((each.by for each in step.steered if each.what == "answered"), "")


def fault_of(step: StepTrace) -> Fault | None:
    """The fault that befell a call; where it was asked again, the one of the last time: that is what counts."""
    fault: Fault | None = None
    for steered in step.steered:
        if steered.what == "asked again":
            fault = None
        elif steered.fault is not None:
            fault = steered.fault
    return fault


class _Keeper:
    """Keeps the trace of the one dispatch."""

    def __init__(self) -> None:
        self.trace = Trace()

    def see(self, event: Event) -> None:
        self.trace.take(event)


async def run_again(
    trace: DispatchTrace,
    dialect: Dialect,
    chain: Chain,
    subscribers: Mapping[str, Subscriber],
    live: frozenset[str],
    *,
    clock: Clock = REAL,
    covered: CoveredEvents | None = None,
) -> DispatchTrace:
    """The recorded payload through a chain. Whoever is not in `live` answers as recorded, whatever they are asked.

    `covered` has the secrets that are covered in the recording: they are dispatched as they are, and told covered.
    """
    keeper, payload = _Keeper(), trace.opened.payload
    probe: Probe = keeper
    if covered is not None:
        payload, probe = covered.uncovered_payload(payload, chain.point), covered.in_front_of(keeper)
    await dispatch(
        dialect,
        chain,
        payload,
        subscribers,
        probes=Probes(probe),
        control=_FromRecord(trace, live, covered),
        clock=clock,
        switches=trace.opened.switches,
    )
    [again] = keeper.trace.dispatches
    return again
