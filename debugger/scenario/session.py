"""A session played as a scenario describes it: every dispatch real, a scripted hand and a scripted person beside it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path as FilePath

from msgspec import UNSET

from debugger import payloads
from debugger.scenario import stage as staging
from debugger.scenario.answers import Questioned, ScriptedPerson
from debugger.scenario.cast import Cast
from debugger.scenario.document import Path
from debugger.scenario.fired import Fired, Session, around
from debugger.scenario.load import Loaded
from debugger.scenario.model import Config, Play
from debugger.scenario.script import SessionScript, session_script_of
from debugger.trace import DispatchTrace, Trace
from kernel import dialects
from kernel.clock import NS_PER_MS, Caller, Clock
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.facts import Event
from kernel.playing import USUAL, Course, Playable, Played, Stage, fire_with
from kernel.probe import Probes
from kernel.subscriber import Subscriber
from kernel.values import Chain, Payload, Result

PATH: Path = ("play",)
MOST = 1_000_000
"""Dispatches that the trace of one session keeps: all of them."""


@dataclass(frozen=True, slots=True)
class Act:
    """A session, ready to be played."""

    playable: Playable
    dialect: Dialect
    chains: Mapping[str, Chain]
    script: SessionScript
    gives_up_after_ms: float | None


def act_of(setting: staging.Stage, config: FilePath, play: Play, loaded: Loaded) -> Act:
    """The session that a scenario describes, read and checked; raises BadInput with the place."""
    dialect = staging.switched(setting.dialect, play.switches, loaded, (*PATH, "switches"))
    caller = loaded.scenario.caller if play.caller is UNSET else play.caller
    return Act(
        _playable(config, play, loaded),
        dialect,
        setting.chains,
        session_script_of(play, setting.chains, dialect, loaded, PATH),
        None if caller is UNSET else caller.gives_up_after_ms,
    )


def _playable(config: FilePath, play: Play, loaded: Loaded) -> Playable:
    said = loaded.scenario.config
    options = said.options if isinstance(said, Config) else {}
    if play.session_file is UNSET:
        try:
            return dialects.load_session(config, play.session, "the description", options)
        except BadInput as error:
            raise loaded.wrong_inside((*PATH, "session"), error) from None
    try:
        view = payloads.load(loaded.folder / play.session_file)
        return dialects.load_session(config, view, play.session_file, options)
    except BadInput as error:
        raise loaded.wrong((*PATH, "session_file"), error) from None


class Keeper:
    """Keeps everything that a session tells, and what it asks."""

    def __init__(self, act: Act) -> None:
        self.events: list[Event] = []
        self.trace = Trace(MOST)
        self.person: ScriptedPerson | None = None
        self._act = act

    def see(self, event: Event) -> None:
        self.events.append(event)
        self.trace.take(event)

    @property
    def dispatches(self) -> tuple[Fired, ...]:
        """Those that are over."""
        of: dict[str, list[Event]] = {}
        for event in self.events:
            of.setdefault(event.dispatch, []).append(event)
        return tuple(
            self._fired(each, each.result, of[each.id]) for each in self.trace.dispatches if each.result is not None
        )

    @property
    def questions(self) -> tuple[Questioned, ...]:
        return () if self.person is None else tuple(self.person.asked)

    def _fired(self, trace: DispatchTrace, result: Result, events: list[Event]) -> Fired:
        return Fired(
            self._act.dialect,
            trace.opened.payload,
            tuple(events),
            trace,
            result,
            trace.took_ns or 0,
            questions=tuple(each for each in self.questions if each.question.stretch == trace.id),
            label=self._act.playable.label(trace.opened.payload),
            parent=around(self.trace, trace.opened.parent),
        )

    def session(self, played: Played | None, took_ns: int) -> Session:
        """What it came to."""
        act = self._act
        return Session(
            act.dialect,
            act.playable,
            tuple(self.events),
            self.trace,
            self.dispatches,
            self.questions,
            played,
            took_ns,
            act.script.unused,
        )


async def play(act: Act, keeper: Keeper, cast: Cast, loaded: Loaded, clock: Clock) -> Session:
    """Play it to its end. What it told until then is with the keeper, even if it raises BadInput.

    Whoever has died is started again before it is asked the next time, as `hookscope play` does.
    """
    scenario, caller, started_ns = loaded.scenario, Caller(), clock.now_ns()
    assert scenario.play is not UNSET
    if scenario.play.answers is not UNSET:
        keeper.person = ScriptedPerson(scenario.play.answers, clock, loaded, (*PATH, "answers"))
    probes = Probes(keeper)

    def seated(point: str) -> Chain:
        return cast.seated(act.chains.get(point) or Chain(point))

    async def fire(point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL) -> Result:
        script = act.script.script_for(point, payload, act.playable.label(payload))
        chain = course.seats(seated(point))
        await cast.revive({seat.name for seat in chain.subscriptions}, clock)
        plain = fire_with(
            act.dialect,
            act.chains,
            cast.subscribers,
            probes=probes,
            control=script,
            clock=clock,
            seated=cast.seated,
        )
        return await plain(point, payload, parent, caller, course)

    async def bring(name: str) -> Subscriber:
        await cast.revive({name}, clock)
        return cast.subscribers[name]

    async def load(name: str, *, is_wanted: bool) -> str:
        return await cast.load(name, clock, is_wanted=is_wanted)

    switches = act.dialect.switches
    stage = Stage(
        fire,
        probes,
        clock,
        caller,
        keeper.person,
        bring=bring,
        load=load,
        switches=switches,
        chain=seated,
        refused=cast.refused,
    )
    played: Played | None = None
    over_s = asyncio.get_running_loop().time() + scenario.at_most_s  # real time on every clock
    try:
        async with asyncio.timeout_at(over_s):
            with giving_up(caller, clock, act.gives_up_after_ms):
                played = await act.playable.play(stage)
    except TimeoutError:
        pass
    except BadInput as error:  # an answer in words that do not fit what was asked
        raise loaded.wrong(PATH, error) from None
    except ExceptionGroup as group:  # the same, while calls ran side by side
        wrong = _leaf(group)
        if not isinstance(wrong, BadInput):
            raise
        raise loaded.wrong(PATH, wrong) from None
    if asyncio.get_running_loop().time() > over_s:
        played = None  # a coroutine held the loop up beyond it
    return keeper.session(played, clock.now_ns() - started_ns)


def giving_up(caller: Caller, clock: Clock, after_ms: float | None) -> AbstractContextManager[None]:
    """Have a caller give up after so long, counted from now, unless the block is over before; None is never."""
    if after_ms is None:
        return contextlib.nullcontext()
    reason = f"the caller gave up after {after_ms:g} ms"
    return caller.giving_up_at(clock, clock.now_ns() + round(after_ms * NS_PER_MS), reason)


def _leaf(error: Exception) -> Exception:
    """The first error in a group of groups, bad input before bugs of ours."""
    while isinstance(error, ExceptionGroup):
        error = (error.subgroup(BadInput) or error).exceptions[0]
    return error
