"""What tests of played hookbus sessions share: a session in a few words, stubs for its hooks, and what it showed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dispatch_runs import on_virtual_time
from hookbus_runs import H, Handler, chain_of

from kernel import Caller, Chain, Probes, VirtualClock
from kernel.asking import Resolver
from kernel.control import Control
from kernel.dialects.hookbus import HOOKBUS, Hookbus
from kernel.dialects.hookbus.rules import RULES
from kernel.dialects.hookbus.session.described import load
from kernel.dialects.hookbus.session.played import Script
from kernel.facts import Asked, Decided, Entered, Event, Fact, Left, NotReached, Opened
from kernel.playing import Played, Stage, fire_with
from kernel.subscriber import Subscriber
from kernel.values import JSON

Body = Callable[[VirtualClock], Awaitable[None]]


def bash(command: str = "ls", output: str = "raw", **more: JSON) -> dict[str, JSON]:
    """A call of a tool that is described."""
    return {"tool": "bash", "input": {"command": command}, "output": output, **more}


def turn(*calls: JSON, user: str = "hi", says: str = "done", **more: JSON) -> dict[str, JSON]:
    """A step in which somebody says something, and the model makes these calls before it comes to an end."""
    first: list[JSON] = [{"calls": [*calls]}] if calls else []
    return {"user": user, "model": [*first, {"says": says}], **more}


def session(*steps: JSON, **more: JSON) -> dict[str, JSON]:
    return {"session": "s1", "steps": [*steps], **more}


@dataclass
class Run:
    """Everything that a played session showed."""

    events: list[Event] = field(default_factory=list)
    played: Played | None = None
    took_ms: float = 0
    handlers: dict[str, Handler] = field(default_factory=dict)
    loads: list[tuple[str, bool]] = field(default_factory=list)

    def see(self, event: Event) -> None:
        self.events.append(event)

    @property
    def facts(self) -> list[Fact]:
        return [event.fact for event in self.events]

    @property
    def points(self) -> list[str]:
        """What was emitted, in order; with a star where the view of a worker was used."""
        views = {each.dispatch for each in self.events if isinstance(each.fact, NotReached | Asked) and _in_view(each)}
        return [
            f"{each.fact.chain.point}{'*' if each.dispatch in views else ''}"
            for each in self.events
            if isinstance(each.fact, Opened)
        ]

    def emitted(self, kind: str) -> list[Any]:
        """The events of a kind, as JSON."""
        return [each.payload.view for each in self.facts if isinstance(each, Opened) and each.chain.point == kind]

    @property
    def decided(self) -> list[str]:
        return [f"{each.subject}: {each.decision} by {each.by}" for each in self.facts if isinstance(each, Decided)]

    @property
    def rules(self) -> list[str]:
        found = [each.rule for each in self.facts if isinstance(each, Decided)]
        assert set(found) <= RULES.keys()
        return found

    def why(self, rule: str) -> list[str]:
        return [each.why for each in self.facts if isinstance(each, Decided) and each.rule == rule]

    def left(self, kind: str) -> list[Mapping[str, Any]]:
        """What was known of each stretch of a kind in the end, with its name."""
        begun = {each.dispatch: each.fact for each in self.events if isinstance(each.fact, Entered)}
        return [
            {"name": begun[each.dispatch].name, "error": each.fact.error, **each.fact.attributes}
            for each in self.events
            if isinstance(each.fact, Left) and begun[each.dispatch].kind == kind
        ]

    @property
    def results(self) -> list[tuple[str, bool]]:
        """What the model read of each call, and whether as an error."""
        return [(each["result"]["text"], each["result"]["is_error"]) for each in self.left("tool.call")]


def _in_view(event: Event) -> bool:
    match event.fact:
        case NotReached(rule=rule):
            return rule == "HB-WORKER-VIEW"
        case Asked(phase=phase):
            return phase == "handle_no_spawn"
        case _:
            return False


def play(
    view: Mapping[str, JSON],
    hooks: Mapping[str, tuple[H, ...]] | None = None,
    *,
    dialect: Hookbus = HOOKBUS,
    resolver: Resolver | None = None,
    control: Control | None = None,
    gives_up_ms: float | None = None,
    others: Mapping[str, Subscriber] | None = None,
    fails_to_load: frozenset[str] = frozenset(),
    refused: frozenset[str] = frozenset(),
) -> Run:
    """Play a description on virtual time; `hooks` has the records of each kind. One name is one handler.

    Those who were `refused` before it have no records until they are loaded.
    """
    run, away = Run(), set(refused)
    chains: dict[str, Chain] = {}
    for kind, seats in (hooks or {}).items():
        chains[kind] = chain_of(kind, *seats)
        for seat in seats:
            run.handlers.setdefault(seat.name, Handler(seat.does, seat.after_ms))

    async def body(clock: VirtualClock) -> None:
        probes, caller = Probes(run), Caller()
        if gives_up_ms is not None:
            clock.call_at(round(gives_up_ms * 1e6), lambda: caller.cancel("enough"))

        async def bring(name: str) -> Subscriber:
            return (others or {})[name]

        async def reload(name: str, *, is_wanted: bool) -> str:
            run.loads.append((name, is_wanted))
            if name in fails_to_load and is_wanted:
                return "it does not start"
            away.discard(name)
            return ""

        def seated(chain: Chain) -> Chain:
            return replace(chain, subscriptions=tuple(seat for seat in chain.subscriptions if seat.name not in away))

        stage = Stage(
            fire_with(dialect, chains, run.handlers, probes=probes, control=control, clock=clock, seated=seated),
            probes,
            clock,
            caller,
            resolver,
            bring=bring,
            load=reload,
            switches=dialect.switches,
            chain=lambda point: seated(chains.get(point) or Chain(point)),
            refused=refused,
        )
        run.played = await Script(load(dict(view), "test")).play(stage)
        run.took_ms = clock.now_ns() / 1e6

    on_virtual_time(body)
    return run
