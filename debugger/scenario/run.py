"""Scenarios run: each one set up, fired or played, and judged."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from msgspec import UNSET

from debugger.scenario import judge, session, stage
from debugger.scenario.answers import ScriptedPerson
from debugger.scenario.cast import Cast, Tell
from debugger.scenario.document import Path
from debugger.scenario.fired import Fired, Session
from debugger.scenario.judge import Miss
from debugger.scenario.load import Loaded
from debugger.scenario.model import Answers, ClockKind, Fire
from debugger.scenario.script import Script, script_of
from debugger.scenario.session import Keeper, giving_up
from debugger.scenario.stage import Seat, Stage
from debugger.scenario.stubs import StubSubscriber
from debugger.trace import Trace
from kernel.clock import REAL, Caller, Clock, VirtualClock
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.errors import BadInput
from kernel.facts import Event
from kernel.host import Host
from kernel.probe import Probes
from kernel.reach import Reach
from kernel.subscriber import Subscriber
from kernel.transports.in_process import InProcessSubscriber
from kernel.values import Chain, Payload


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a scenario came to."""

    loaded: Loaded
    fired: tuple[Fired, ...] = ()
    """Every dispatch that is over, in order; those of a session too."""
    session: Session | None = None
    """What was played, where a session was played to its end."""
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
    answers: Answers
    gives_up_after_ms: float | None


@dataclass(slots=True)
class _Keeper:
    """Keeps what one dispatch tells."""

    events: list[Event] = field(default_factory=list)
    trace: Trace = field(default_factory=Trace)

    def see(self, event: Event) -> None:
        self.events.append(event)
        self.trace.take(event)


@dataclass(slots=True)
class _Found:
    """What came of a scenario so far; stays if something breaks."""

    fired: list[Fired] = field(default_factory=list)
    keeper: Keeper | None = None
    session: Session | None = None

    @property
    def dispatches(self) -> tuple[Fired, ...]:
        return tuple(self.fired) if self.keeper is None else self.keeper.dispatches


def run(loaded: Loaded, tell: Tell = lambda line: None) -> Verdict:
    """Run one scenario, on an event loop of its own, and judge it. What cannot be run is a verdict too."""
    found = _Found()
    try:
        with stage.materials(loaded) as config:
            refused = _performed(loaded, config, found, tell)
        dispatches = found.dispatches
        return Verdict(loaded, dispatches, found.session, _misses(loaded, found, refused))
    except BadInput as error:
        return Verdict(loaded, found.dispatches, found.session, problem=error)


def _misses(loaded: Loaded, found: _Found, refused: BadInput | None) -> tuple[Miss, ...]:
    if loaded.scenario.config_error is not UNSET:
        return judge.of_refusal(loaded, refused)
    if found.session is not None:
        return judge.of_session(loaded, found.session)
    return judge.of_fired(loaded, tuple(found.fired))


def _performed(loaded: Loaded, config: FilePath | None, found: _Found, tell: Tell) -> BadInput | None:
    """Fire or play everything, unless the setup is refused and the scenario says so: then the refusal."""
    try:
        setting = stage.staged(loaded, config)
        act = None
        if loaded.scenario.play is not UNSET:
            assert config is not None, "a session is played under a configuration"
            act = session.act_of(setting, config, loaded.scenario.play, loaded)
    except BadInput as error:
        if loaded.scenario.config_error is UNSET:
            raise
        return error
    if loaded.scenario.config_error is not UNSET:
        return None
    shots = [_shot(setting, fire, loaded, ("fire", place)) for place, fire in enumerate(loaded.scenario.fire)]

    async def perform(clock: Clock) -> None:
        if act is None:
            chains = {shot.chain.point: shot.chain for shot in shots}
            async with _live(setting, chains, {}, loaded, tell) as cast:
                for shot in shots:
                    found.fired.append(
                        await _fire(shot, cast.subscribers, loaded, clock)
                    )  # kept if a later one cannot be
        else:
            others = {} if setting.setup is None else setting.setup.others
            async with _live(setting, act.chains, others, loaded, tell) as cast:
                found.keeper = Keeper(act)
                found.session = await session.play(act, found.keeper, cast, loaded, clock)

    if loaded.scenario.clock is ClockKind.REAL:
        asyncio.run(perform(REAL))
        return None
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(perform(clock))
    return None


def _shot(setting: Stage, fire: Fire, loaded: Loaded, path: Path) -> _Shot:
    if fire.point not in setting.chains:
        raise loaded.wrong((*path, "point"), setting.dialect.staging.no_point(fire.point))
    dialect = stage.switched(setting.dialect, fire.switches, loaded, (*path, "switches"))
    chain = setting.chains[fire.point]
    caller = loaded.scenario.caller if fire.caller is UNSET else fire.caller
    return _Shot(
        path,
        dialect,
        chain,
        setting.payload(fire, loaded, path),
        script_of(fire, chain, dialect, loaded, path),
        fire.answers,
        None if caller is UNSET else caller.gives_up_after_ms,
    )


def _own(setting: Stage, loaded: Loaded) -> dict[Seat, Subscriber]:
    """Everybody who lives in our own process."""
    own: dict[Seat, Subscriber] = {seat: StubSubscriber(acts) for seat, acts in setting.stubs.items()}
    for seat, (target, path) in setting.callees.items():
        try:
            own[seat] = InProcessSubscriber(stage.callee(target, loaded.folder))
        except BadInput as error:
            raise loaded.wrong(path, error) from None
    return own


@contextlib.asynccontextmanager
async def _live(
    setting: Stage, chains: Mapping[str, Chain], others: Mapping[str, Reach], loaded: Loaded, tell: Tell
) -> AsyncIterator[Cast]:
    """Everybody who sits in these chains, and the others, while the processes among them run."""
    own = _own(setting, loaded)
    started = {name: reach for name, reach in others.items() if (name, "") not in own}
    async with Host(chains.values(), lambda name, stream, line: tell(f"{name} on {stream}: {line}"), started) as host:
        for failure in host.failures:
            tell(str(failure))
        yield Cast(host, own, setting.dialect.own, tell)


async def _fire(shot: _Shot, live: Mapping[str, Subscriber], loaded: Loaded, clock: Clock) -> Fired:
    keeper, caller, started_ns, is_given_up = _Keeper(), Caller(), clock.now_ns(), False
    person = ScriptedPerson(shot.answers, clock, loaded, (*shot.path, "answers"))
    try:
        # the loop's time is real on every clock
        async with asyncio.timeout(loaded.scenario.at_most_s):
            with giving_up(caller, clock, shot.gives_up_after_ms):
                await dispatch(
                    shot.dialect,
                    shot.chain,
                    shot.payload,
                    live,
                    probes=Probes(keeper),
                    control=shot.script,
                    clock=clock,
                    caller=caller,
                    resolver=person,
                )
    except TimeoutError:
        is_given_up = True
    except BadInput as error:  # an answer in words that do not fit what was asked
        raise loaded.wrong(shot.path, error) from None
    trace = keeper.trace.dispatches[0]
    assert trace.result is not None, "whatever ends a dispatch, it tells so"
    events = tuple(event for event in keeper.events if event.dispatch == trace.id)
    took_ns = clock.now_ns() - started_ns
    return Fired(shot.dialect, shot.payload, events, trace, trace.result, took_ns, is_given_up, tuple(person.asked))
