"""Recorded inputs against live subscribers: all of them (re-fire), or some while the others answer as recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from debugger.trace import DispatchTrace, StepTrace, Trace
from kernel.clock import REAL, Clock
from kernel.control import PROCEED, Directive, Instead, Seam
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.facts import Event
from kernel.probe import Probes
from kernel.subscriber import Subscriber
from kernel.values import Ask, Chain

BY = "recording"


@dataclass(slots=True)
class _FromRecord:
    """A control that gives what was recorded for everybody who is not live, each answer once and in order."""

    trace: DispatchTrace
    live: frozenset[str]
    used: set[int] = field(default_factory=set)

    async def before(self, seam: Seam) -> Directive:
        if seam.ask.subscription.name in self.live:
            return PROCEED
        step = self._step_of(seam.ask)
        if step is None or step.outcome is None:
            return PROCEED  # nobody recorded it: it has to be asked
        self.used.add(step.step)
        return Instead(step.outcome, BY)

    async def after(self, seam: Seam) -> Directive:
        return PROCEED

    def _step_of(self, ask: Ask) -> StepTrace | None:
        wanted = (ask.subscription.name, ask.subscription.id, ask.phase)
        for step in self.trace.steps:
            found = (step.subscription.name, step.subscription.id, step.phase)
            if found == wanted and step.step not in self.used:
                return step
        return None


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
) -> DispatchTrace:
    """The recorded payload through a chain. Whoever is not in `live` answers as recorded, whatever they are asked."""
    keeper = _Keeper()
    await dispatch(
        dialect,
        chain,
        trace.opened.payload,
        subscribers,
        probes=Probes(keeper),
        control=_FromRecord(trace, live),
        clock=clock,
        switches=trace.opened.switches,
    )
    [again] = keeper.trace.dispatches
    return again
