"""Scenarios run: each one set up, fired and judged."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from msgspec import UNSET

from debugger.scenario import judge, stage
from debugger.scenario.document import Path
from debugger.scenario.fired import Fired
from debugger.scenario.judge import Miss
from debugger.scenario.load import Loaded, nearest
from debugger.scenario.model import ClockKind, Fire
from debugger.scenario.script import Script, script_of
from debugger.scenario.stage import Seat, Stage
from debugger.scenario.stubs import AtPoints, StubSubscriber
from debugger.trace import Trace
from kernel.clock import NS_PER_MS, REAL, Caller, Clock, VirtualClock
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.errors import BadInput
from kernel.facts import Ended, Event
from kernel.host import Host
from kernel.probe import Probes
from kernel.subscriber import Subscriber
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Chain, Payload

Tell = Callable[[str], None]
"""To be told what happens beside the dispatches."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a scenario came to."""

    loaded: Loaded
    fired: tuple[Fired, ...] = ()
    misses: tuple[Miss, ...] = ()
    """Expectations that do not hold."""
    problem: BadInput | None = None
    """Why it could not be run, or not to its end."""

    @property
    def is_held(self) -> bool:
        return self.problem is None and not self.misses


@dataclass(frozen=True, slots=True)
class _Shot:
    """One dispatch, ready to be fired."""

    path: Path
    dialect: Dialect
    chain: Chain
    payload: Payload
    script: Script | None
    gives_up_after_ms: float | None


@dataclass(slots=True)
class _Keeper:
    """Keeps what one dispatch tells."""

    events: list[Event] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)

    def see(self, event: Event) -> None:
        self.events.append(event)
        self.trace.take(event)


def run(loaded: Loaded, tell: Tell = lambda line: None) -> Verdict:
    """Run one scenario, on an event loop of its own, and judge it. What cannot be run is a verdict too."""
    fired: list[Fired] = []
    try:
        with stage.materials(loaded) as config:
            refusal = _fired(loaded, config, fired, tell)
        return Verdict(loaded, tuple(fired), judge.misses(loaded, tuple(fired), refusal))
    except BadInput as error:
        return Verdict(loaded, tuple(fired), problem=error)


def _fired(loaded: Loaded, config: FilePath | None, fired: list[Fired], tell: Tell) -> BadInput | None:
    """Fire everything, unless the setup is refused and the scenario says so: then the refusal."""
    try:
        setting = stage.staged(loaded, config)
    except BadInput as error:
        if loaded.scenario.config_error is UNSET:
            raise
        return error
    shots = [_shot(setting, fire, loaded, ("fire", place)) for place, fire in enumerate(loaded.scenario.fire)]
    if loaded.scenario.clock is ClockKind.REAL:
        asyncio.run(_fire_all(setting, shots, loaded, REAL, fired, tell))
        return None
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(_fire_all(setting, shots, loaded, clock, fired, tell))
    return None


def _shot(setting: Stage, fire: Fire, loaded: Loaded, path: Path) -> _Shot:
    if fire.point not in setting.chains:
        raise loaded.wrong((*path, "point"), f"no point {fire.point!r}{nearest(fire.point, setting.chains)}")
    dialect = stage.switched(setting.dialect, fire.switches, loaded, (*path, "switches"))
    chain = setting.chains[fire.point]
    caller = loaded.scenario.caller if fire.caller is UNSET else fire.caller
    return _Shot(
        path,
        dialect,
        chain,
        setting.payload(fire, loaded, path),
        script_of(fire, chain, dialect, loaded, path),
        None if caller is UNSET else caller.gives_up_after_ms,
    )


async def _fire_all(
    setting: Stage, shots: list[_Shot], loaded: Loaded, clock: Clock, fired: list[Fired], tell: Tell
) -> None:
    chains = {shot.chain.point: shot.chain for shot in shots}.values()
    own = _own(setting, loaded)
    async with Host(chains, lambda name, stream, line: tell(f"{name} on {stream}: {line}")) as host:
        for failure in host.failures:
            tell(str(failure))
        live = _live(chains, own, host.subscribers)
        for shot in shots:
            fired.append(await _fire(shot, live, loaded, clock))  # noqa: PERF401  # kept if a later one cannot be


def _own(setting: Stage, loaded: Loaded) -> dict[Seat, Subscriber]:
    """Everybody who lives in our own process."""
    own: dict[Seat, Subscriber] = {seat: StubSubscriber(acts) for seat, acts in setting.stubs.items()}
    for seat, (target, path) in setting.callees.items():
        try:
            own[seat] = InProcessSubscriber(stage.callee(target, loaded.folder))
        except BadInput as error:
            raise loaded.wrong(path, error) from None
    return own


def _live(
    chains: Iterable[Chain], own: Mapping[Seat, Subscriber], hosted: Mapping[str, Subscriber]
) -> Mapping[str, Subscriber]:
    """Somebody for each name: at a point of its own, at every point, or the process that the host started."""
    names = {seat.name for chain in chains for seat in chain.subscriptions}
    return {
        name: AtPoints(
            {point: subscriber for (whose, point), subscriber in own.items() if whose == name and point},
            own.get((name, ""), hosted.get(name)),
        )
        for name in names
    }


async def _fire(shot: _Shot, live: Mapping[str, Subscriber], loaded: Loaded, clock: Clock) -> Fired:
    keeper, caller, started_ns, is_given_up = _Keeper(), Caller(), clock.now_ns(), False
    if shot.gives_up_after_ms is not None:
        when_ns = started_ns + round(shot.gives_up_after_ms * NS_PER_MS)
        caller.give_up_at(clock, when_ns, f"the caller gave up after {shot.gives_up_after_ms:g} ms")
    try:
        async with asyncio.timeout(loaded.scenario.at_most_s):  # the loop's time, which is real on every clock
            await dispatch(
                shot.dialect,
                shot.chain,
                shot.payload,
                live,
                probes=Probes(keeper),
                control=shot.script,
                clock=clock,
                caller=caller,
            )
    except TimeoutError:
        is_given_up = True
    except BadInput as error:  # an answer in words that do not fit what was asked
        raise loaded.wrong(shot.path, error) from None
    [trace] = keeper.trace.dispatches
    last = keeper.events[-1].fact
    assert isinstance(last, Ended), "whatever ends a dispatch, it tells so"
    took_ns = clock.now_ns() - started_ns
    return Fired(shot.dialect, shot.payload, tuple(keeper.events), trace, last.result, took_ns, is_given_up)
