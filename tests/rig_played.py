"""What tests of played rig sessions share: a session in a few words, live callbacks for its hooks, what it showed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dispatch_runs import on_virtual_time

from kernel import Caller, Chain, Probes, Subscription, VirtualClock
from kernel.asking import Resolver
from kernel.control import Control
from kernel.dialects.rig import RIG, Rig
from kernel.dialects.rig.live import ask
from kernel.dialects.rig.seats import AROUND, GUARD, arranged, seat_id
from kernel.dialects.rig.session.loading import load
from kernel.dialects.rig.session.played import Script
from kernel.facts import Asked, Decided, Ended, Entered, Event, Fact, Left, Opened
from kernel.playing import Played, Stage, fire_with
from kernel.subscriber import Subscriber
from kernel.transports.callback import CallbackSubscriber
from kernel.values import JSON, Result

Body = Callable[[VirtualClock], Awaitable[None]]
Hook = tuple[str, str, Callable[..., object]]
"""Mode, operation, callback."""
WALL_NS = 1_772_355_600_000_000_000


def around(operation: str, begin: Callable[..., object]) -> Hook:
    return (AROUND, operation, begin)


def guard(operation: str, check: Callable[..., object]) -> Hook:
    return (GUARD, operation, check)


def call(tool: str = "read", **more: JSON) -> dict[str, JSON]:
    return {"tool": tool, **more}


def turn(*steps: JSON, user: str = "go", **more: JSON) -> dict[str, JSON]:
    """An input of somebody, and the steps of its turn."""
    return {"user": user, "steps": [*steps], **more}


def session(*inputs: JSON, **more: JSON) -> dict[str, JSON]:
    """A session with two tools: `read` just runs, somebody is asked about `shell`."""
    tools: list[JSON] = [{"name": "read"}, {"name": "shell", "access": "prompt"}]
    return {"session": "s", "tools": tools, "inputs": [*inputs], **more}


@dataclass
class Run:
    """Everything that a played session showed."""

    events: list[Event] = field(default_factory=list)
    played: Played | None = None
    took_ms: float = 0

    def see(self, event: Event) -> None:
        self.events.append(event)

    @property
    def facts(self) -> list[Fact]:
        return [event.fact for event in self.events]

    @property
    def names(self) -> dict[str, str]:
        """What each dispatch and stretch is: an operation, or a kind."""
        found = {}
        for event in self.events:
            match event.fact:
                case Opened() as fact:
                    found[event.dispatch] = fact.chain.point
                case Entered() as fact:
                    found[event.dispatch] = fact.kind
                case _:
                    pass
        return found

    @property
    def parents(self) -> list[tuple[str, str]]:
        """Each operation with what is around it, in order of beginning."""
        names = self.names
        return [
            (each.fact.chain.point, names.get(each.fact.parent, ""))
            for each in self.events
            if isinstance(each.fact, Opened)
        ]

    def results(self, operation: str) -> list[Result]:
        """What the dispatches of an operation came to, in order of beginning."""
        ended = {each.dispatch: each.fact.result for each in self.events if isinstance(each.fact, Ended)}
        return [
            ended[each.dispatch]
            for each in self.events
            if isinstance(each.fact, Opened) and each.fact.chain.point == operation and each.dispatch in ended
        ]

    def outcomes(self, operation: str) -> list[str]:
        return [each.decision for each in self.results(operation)]

    def told(self, name: str) -> list[Mapping[str, Any]]:
        """The attributes of each event of a name."""
        return [each.attributes for each in self.facts if isinstance(each, Entered) and each.name == name]

    @property
    def published(self) -> list[str]:
        """The names of all events, in order."""
        return [each.name for each in self.facts if isinstance(each, Entered) and each.kind == "event"]

    @property
    def rules(self) -> list[str]:
        return [each.rule for each in self.facts if isinstance(each, Decided)]

    def place(self, is_it: Callable[[Event], bool]) -> int:
        """Where among all events the first of some kind is."""
        return next(place for place, event in enumerate(self.events) if is_it(event))


@dataclass
class Story:
    """What live callbacks saw, in order: `Turn.b`, `Turn.f`, and whatever else a test tells."""

    told: list[str] = field(default_factory=list)
    results: dict[str, list[Any]] = field(default_factory=dict)

    def watching(self, *operations: str) -> list[Hook]:
        """An around for each of them that tells its begins and finishes."""
        return [around(each, self._begin(each)) for each in operations]

    def _begin(self, operation: str) -> Callable[..., object]:
        def begin(context: Any, seen: Any) -> object:
            self.told.append(f"{operation}.b")

            def finish(result: Any) -> None:
                self.told.append(f"{operation}.f")
                self.results.setdefault(operation, []).append(result)

            return context, finish

        return begin


def play(
    view: Mapping[str, JSON],
    hooks: Sequence[Hook] = (),
    *,
    dialect: Rig = RIG,
    resolver: Resolver | None = None,
    control: Control | None = None,
    gives_up_ms: float | None = None,
    revision: str = "",
    others: Mapping[str, Subscriber] | None = None,
) -> Run:
    """Play a description on virtual time against live callbacks, one for each hook; `others` sit in seats by name."""
    run = Run()
    seats: dict[str, list[Subscription]] = {}
    callbacks: dict[str, Subscriber] = dict(others or {})
    counts = {AROUND: 0, GUARD: 0}
    for mode, operation, callback in hooks:
        name, index = f"{mode[0].upper()}{counts[mode]}", counts[mode]
        counts[mode] += 1
        callbacks.setdefault(name, CallbackSubscriber(name, callback, ask))
        seats.setdefault(operation, []).append(Subscription(name, operation, mode, id=seat_id(mode, index)))
    chains = {operation: arranged(operation, tuple(each)) for operation, each in seats.items()}

    async def body(clock: VirtualClock) -> None:
        probes, caller = Probes(run), Caller()
        if gives_up_ms is not None:
            clock.call_at(round(gives_up_ms * 1e6), lambda: caller.cancel("enough"))
        stage = Stage(
            fire_with(dialect, chains, callbacks, probes=probes, control=control, clock=clock),
            probes,
            clock,
            caller,
            resolver,
            switches=dialect.switches,
            chain=lambda point: chains.get(point) or Chain(point),
        )
        run.played = await Script(load(dict(view), "test"), revision, lambda: WALL_NS).play(stage)
        run.took_ms = clock.now_ns() / 1e6

    on_virtual_time(body)
    return run


__all__ = ["Asked", "Left", "Run", "Story", "around", "call", "guard", "play", "session", "turn"]
