"""What tests of the dispatch loop share: a chain in a line, a scripted control, and the story that a run told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pluggable_answers import ANSWERS
from pluggable_payloads import payload

from kernel import Caller, Chain, Probe, Probes, Subscription, VirtualClock, dispatch
from kernel.clock import Clock
from kernel.control import PROCEED, Control, Directive, Seam
from kernel.dialects.pluggable import Pluggable
from kernel.facts import (
    Asked,
    Changed,
    Ended,
    Event,
    Fact,
    NotReached,
    Opened,
    Printed,
    Raised,
    Replied,
    Resolved,
    Steered,
)
from kernel.faults import FarSide, Hang
from kernel.subscriber import Subscriber
from kernel.transports.stub import Stub
from kernel.values import Result

MODES = {"o": "observe", "t": "transform", "v": "veto"}
T = TypeVar("T")


def chain(point: str, seats: str, timeout_ms: int = 1000) -> Chain:
    """`A:o B:t C:v` as a chain."""
    subscriptions = []
    for seat in seats.split():
        name, mode = seat.split(":")
        subscriptions.append(Subscription(name, point, MODES[mode], timeout_ms))
    return Chain(point, tuple(subscriptions))


def stub(does: str, after_ms: float = 0.0, trouble: FarSide | None = None) -> Stub:
    """A subscriber that answers with one of the named answers, or hangs."""
    return Stub(lambda request: b"", after_ms, Hang()) if does == "hang" else Stub(ANSWERS[does], after_ms, trouble)


def on_virtual_time(body: Callable[[VirtualClock], Awaitable[T]]) -> T:
    """Run on a loop on which time jumps; nobody else's task may be left at the end."""
    clock = VirtualClock()

    async def alone() -> T:
        found = await body(clock)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"tasks are left: {left}"
        return found

    with asyncio.Runner(loop_factory=clock.loop) as runner:
        return runner.run(alone())


class Scripted:
    """A control that does as it was told, by `before A` or `after A`, and remembers the seams it saw."""

    def __init__(self, **script: Directive | Callable[[Seam], Awaitable[Directive]]) -> None:
        self._script = script
        self.seams: list[Seam] = []

    async def before(self, seam: Seam) -> Directive:
        return await self._at("before", seam)

    async def after(self, seam: Seam) -> Directive:
        return await self._at("after", seam)

    async def _at(self, side: str, seam: Seam) -> Directive:
        self.seams.append(seam)
        wish = self._script.get(f"{side}_{seam.ask.subscription.name}", PROCEED)
        return await wish(seam) if callable(wish) else wish

    @property
    def places(self) -> list[str]:
        """Where it was asked, in order."""
        return [f"{'before' if s.outcome is None else 'after'} {s.ask.subscription.name}" for s in self.seams]


@dataclass
class Told:
    """Everything that one dispatch told, and what it gave."""

    events: list[Event] = field(default_factory=list)
    result: Result | None = None

    def see(self, event: Event) -> None:
        self.events.append(event)

    @property
    def facts(self) -> list[Fact]:
        return [event.fact for event in self.events]

    @property
    def story(self) -> list[str]:
        """The facts in a word or three each; a word about every event, so that nothing goes unnoticed."""
        assert [event.number for event in self.events] == list(range(len(self.events))), "numbered without a gap"
        names: dict[int, str] = {}
        words = []
        for fact in self.facts:
            match fact:
                case Opened(_, opened, _, _):
                    names = {step: each.name for step, each in enumerate(opened.subscriptions)}
                    words.append("opened")
                case Asked(step):
                    words.append(f"asked {names[step]}")
                case Replied(step, outcome):
                    words.append(f"{names[step]} {type(outcome).__name__.lower()}")
                case Steered(step, by, what, _):
                    words.append(f"{by} {what} at {names[step]}")
                case Resolved(step, _, status, _, _, _):
                    words.append(f"{names[step]} is {status}")
                case Changed(_, by):
                    words.append(f"changed by {by}")
                case Raised(step, _, category):
                    words.append(f"{names[step]} raised {category}")
                case NotReached(subscription, because_of, _):
                    words.append(f"{subscription.name} not reached because of {because_of}")
                case Printed(subscriber, stream, _, _):
                    words.append(f"{subscriber} wrote to {stream}")
                case Ended(result):
                    words.append(f"ended {result.ending}")
        return words

    async def run(
        self,
        seats: str,
        subscribers: Mapping[str, Subscriber],
        clock: Clock,
        *,
        point: str = "pre-model-call",
        control: Control | None = None,
        caller: Caller | None = None,
        parallel: bool = False,
        timeout_ms: int = 1000,
        watchers: tuple[Probe, ...] = (),
    ) -> Told:
        """One dispatch of P0 of the point."""
        self.result = await dispatch(
            Pluggable(concurrent_observe=parallel),
            chain(point, seats, timeout_ms),
            payload(point),
            subscribers,
            probes=Probes(self, *watchers),
            control=control,
            clock=clock,
            caller=caller,
            dispatch_id="d",
        )
        return self
