"""Scenarios run: each one set up, fired or played, and judged."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath

from msgspec import UNSET

from debugger.covering import CoveredEvents, covered_events_of
from debugger.scenario import judge, session, stage
from debugger.scenario.answers import ScriptedPerson
from debugger.scenario.cast import Cast, Tell
from debugger.scenario.covered import covered_fired, covered_session
from debugger.scenario.document import Path
from debugger.scenario.fired import Fired, Session
from debugger.scenario.judge import Miss
from debugger.scenario.load import Loaded
from debugger.scenario.model import Answers, ClockKind, Config, Fire
from debugger.scenario.refused import Refused, refusals
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
from kernel.transports.callback_threads import in_thread
from kernel.transports.in_process import Callee, InProcessSubscriber
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
    not_ready: tuple[str, ...] = ()
    """Who had not started when time was over; then nothing was dispatched."""
    covered: CoveredEvents | None = None
    """What covers the secrets of the configuration, where there are any."""

    @property
    def dispatches(self) -> tuple[Fired, ...]:
        return tuple(self.fired) if self.keeper is None else self.keeper.dispatches


def run(loaded: Loaded, tell: Tell = lambda line: None) -> Verdict:
    """Run one scenario, on an event loop of its own, and judge it. What cannot be run is a verdict too."""
    found = _Found()
    try:
        with stage.materials(loaded) as config:
            refused = _performed(loaded, config, found, tell)
        return _shown(Verdict(loaded, found.dispatches, found.session, _misses(loaded, found, refused)), found)
    except BadInput as error:
        return _shown(Verdict(loaded, found.dispatches, found.session, problem=error), found)


def _shown(verdict: Verdict, found: _Found) -> Verdict:
    """The verdict for whoever reads it: what was judged had its secrets in it."""
    covered = found.covered
    if covered is None:
        return verdict
    return replace(
        verdict,
        fired=tuple(covered_fired(each, covered) for each in verdict.fired),
        session=None if verdict.session is None else covered_session(verdict.session, covered),
        misses=covered.value(verdict.misses),
    )


def _covering(tell: Tell, covered: CoveredEvents) -> Tell:
    return lambda line: tell(covered.covering.text(line))


def _misses(loaded: Loaded, found: _Found, refused: tuple[Refused, ...]) -> tuple[Miss, ...]:
    if loaded.scenario.config_error is not UNSET:
        return judge.of_refusal(loaded, refused)
    if found.not_ready:
        return judge.of_start(loaded, found.not_ready)
    if found.session is not None:
        return judge.of_session(loaded, found.session)
    return judge.of_fired(loaded, tuple(found.fired))


def _performed(loaded: Loaded, config: FilePath | None, found: _Found, tell: Tell) -> tuple[Refused, ...]:
    """Fire or play everything, unless the scenario says that the setup is refused: then why it is."""
    try:
        setting = stage.staged(loaded, config)
        if setting.setup is not None and (covered := covered_events_of(setting.setup)).covering:
            found.covered = covered
            tell = _covering(tell, covered)
        act = None
        if loaded.scenario.play is not UNSET:
            assert config is not None, "a session is played under a configuration"
            act = session.act_of(setting, config, loaded.scenario.play, loaded)
    except BadInput as error:
        if loaded.scenario.config_error is UNSET:
            raise
        return _refusals(loaded, error, config)
    if loaded.scenario.config_error is not UNSET:
        return _refusals(loaded, None, config)
    shots = [_shot(setting, fire, loaded, ("fire", place)) for place, fire in enumerate(loaded.scenario.fire)]

    async def perform(clock: Clock) -> None:
        try:
            await dispatch_all(clock)
        except _NotReady as error:
            found.not_ready = error.names

    async def dispatch_all(clock: Clock) -> None:
        if act is None:
            chains = {shot.chain.point: shot.chain for shot in shots}
            async with _live(setting, chains, {}, loaded, tell) as cast:
                for shot in shots:
                    found.fired.append(await _fire(shot, cast, loaded, clock))  # kept if a later one cannot be
        else:
            others = {} if setting.setup is None else setting.setup.others
            async with _live(setting, act.chains, others, loaded, tell) as cast:
                found.keeper = Keeper(act)
                found.session = await session.play(act, found.keeper, cast, loaded, clock)

    if loaded.scenario.clock is ClockKind.REAL:
        asyncio.run(perform(REAL))
        return ()
    clock = VirtualClock()
    with asyncio.Runner(loop_factory=clock.loop) as runner:
        runner.run(perform(clock))
    return ()


def _refusals(loaded: Loaded, error: BadInput | None, config: FilePath | None) -> tuple[Refused, ...]:
    said = loaded.scenario.config
    if not isinstance(said, Config):
        return refusals(error, config, {})
    found = refusals(error, config, said.options)
    if config is None or not said.files:
        return found
    folder = FilePath(str(config).removesuffix(f"/{said.path}")) if said.path else config
    return tuple(each.inside(folder) for each in found)


def _shot(setting: Stage, fire: Fire, loaded: Loaded, path: Path) -> _Shot:
    dialect = stage.switched(setting.dialect, fire.switches, loaded, (*path, "switches"))
    if fire.point not in dialect.points:
        raise loaded.wrong((*path, "point"), dialect.staging.no_point(fire.point))
    chain = setting.chains.get(fire.point) or Chain(fire.point)
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


class _NotReady(Exception):
    """Somebody had not started when the scenario's real time was over."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__("not ready")
        self.names = names


async def _callee(name: str, target: str, folder: FilePath) -> Callee | BadInput:
    """A callable of our own process. Its module is somebody's code, which may go on for ever."""

    def load() -> Callee | BadInput:
        try:
            return stage.callee(target, folder)
        except BadInput as error:
            return error

    return await in_thread(name, "import", "", load)


async def _own(setting: Stage, loaded: Loaded, own: dict[Seat, Subscriber]) -> None:
    """Have everybody there who lives in our own process."""
    own |= {seat: StubSubscriber(acts) for seat, acts in setting.stubs.items()}
    for seat, (target, path) in setting.callees.items():
        found = await _callee(seat[0], target, loaded.folder)
        if isinstance(found, BadInput):
            raise loaded.wrong(path, found)
        own[seat] = InProcessSubscriber(found, seat[0])


@contextlib.asynccontextmanager
async def _live(
    setting: Stage, chains: Mapping[str, Chain], others: Mapping[str, Reach], loaded: Loaded, tell: Tell
) -> AsyncIterator[Cast]:
    """Everybody who sits in these chains, and the others, while the processes among them run.

    Raises BadInput for a callable that is not there, and _NotReady once the scenario's real time is over.
    """
    own: dict[Seat, Subscriber] = {}
    played_here = setting.stubs.keys() | setting.callees.keys()
    host = Host(
        chains.values(),
        lambda name, stream, line: tell(f"{name} on {stream}: {line}"),
        {name: reach for name, reach in others.items() if (name, "") not in played_here},
        unseats_failures=setting.dialect.staging.unseats_failures,
    )
    try:
        try:
            # the loop's time is real on every clock
            async with asyncio.timeout(loaded.scenario.at_most_s):
                await _own(setting, loaded, own)
                await host.start()
        except TimeoutError:
            raise _NotReady(_not_ready(setting, own, host)) from None
        for sentence in host.told_failures:
            tell(sentence)
        yield Cast(host, own, setting.dialect.own, tell)
    finally:
        await host.stop()


def _not_ready(setting: Stage, own: Mapping[Seat, Subscriber], host: Host) -> tuple[str, ...]:
    """Whoever is still being waited for."""
    loading = [name for name, point in setting.callees if (name, point) not in own][:1]
    is_over = {failure.subscriber for failure in host.failures}
    starting = [each.name for each in host.health if not each.is_alive and each.name not in is_over]
    return tuple(loading or starting)


async def _fire(shot: _Shot, cast: Cast, loaded: Loaded, clock: Clock) -> Fired:
    keeper, caller, started_ns, is_given_up = _Keeper(), Caller(), clock.now_ns(), False
    person = ScriptedPerson(shot.answers, clock, loaded, (*shot.path, "answers"))
    over_s = asyncio.get_running_loop().time() + loaded.scenario.at_most_s  # real time on every clock
    try:
        async with asyncio.timeout_at(over_s):
            with giving_up(caller, clock, shot.gives_up_after_ms):
                await dispatch(
                    shot.dialect,
                    cast.seated(shot.chain),
                    shot.payload,
                    cast.subscribers,
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
    is_given_up = is_given_up or asyncio.get_running_loop().time() > over_s  # a coroutine may have held the loop up
    return Fired(shot.dialect, shot.payload, events, trace, trace.result, took_ns, is_given_up, tuple(person.asked))
