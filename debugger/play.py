"""A described session without the application: its story printed turn by turn."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from debugger import payloads
from debugger.answering import Always
from debugger.covering import covered_events_of, covering_of
from debugger.exported import exported
from debugger.fact_json import to_json
from debugger.own_terminal import clean_output
from debugger.printing import print_lines, say
from debugger.recorded import recorded
from debugger.starting import started
from debugger.trace import Trace
from debugger.views.inspect import line
from debugger.views.story import Story
from debugger.views.text import visible
from kernel.clock import Caller
from kernel.dialect import Dialect
from kernel.dialects import load_setup
from kernel.facts import Decided, Ended, Entered, Event, Left
from kernel.host import Host
from kernel.playing import USUAL, Course, Fire, Playable, Played, Stage, fire_with
from kernel.probe import Probe, Probes
from kernel.setup import Setup
from kernel.subscriber import Subscriber
from kernel.values import JSON, Payload, Result


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asked for."""

    config: Path
    session: Path
    is_json: bool
    answer: str | None
    """What is answered to everything that is asked; None for the description's own answers."""
    options: Mapping[str, JSON] = field(default_factory=dict)
    """How the configuration is read, in the dialect's words."""
    output: Path | None = None
    """Where the run is recorded; None for nowhere."""
    is_redacted: bool = False
    """Whether the recording keeps no secret that is recognised."""
    otlp: str | None = None
    """The URL of a collector that is sent the spans; None for none."""
    switches: tuple[str, ...] = ()
    """Switches of the dialect that are on."""
    limits: tuple[str, ...] = ()
    """How much the recording keeps, as `--keep` has it; empty for everything."""


def play(request: Request) -> int:
    """Run the request; gives the exit code. Raises BadInput."""
    setup = load_setup(request.config, request.options)
    for name in request.switches:
        setup = replace(setup, dialect=setup.dialect.switched(name, True))
    playable = payloads.session(request.config, request.session, request.options)
    covering = covering_of(setup)
    with (
        exported(setup, request.otlp) as exporters,
        recorded(setup, request.output, is_redacted=request.is_redacted, limits=request.limits) as recorders,
        clean_output(setup.chains.values()),
    ):
        played = asyncio.run(_played(setup, playable, request, (*recorders, *exporters)))
    if not request.is_json:
        totals = "".join(f"  {key} {_short(value)}" for key, value in played.totals.items())
        reason = f" ({played.reason})" if played.reason else ""
        say(f"\n{visible(covering.text(f'{played.status.upper()}{reason}: {played.why}.{totals}'))}\n")
    return 0 if played.is_fine else 1


def _short(value: JSON) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)


class _Facts:
    """Prints facts as they happen."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    def see(self, event: Event) -> None:
        say(msgspec.json.encode(to_json(event, self._dialect)).decode() + "\n")


class _Teller:
    """Tells whatever happened directly in the session as soon as it is over."""

    def __init__(self, playable: Playable) -> None:
        self._trace = Trace()
        self._story = Story(self._trace, playable.label, playable.details)
        self._session = ""

    def see(self, event: Event) -> None:
        self._trace.take(event)
        match event.fact:
            case Entered(parent="") as fact:
                self._session = event.dispatch
                print_lines([line(f"{fact.kind} {visible(fact.name)}")])
            case Decided() as fact if event.dispatch == self._session:
                print_lines(self._story.of(fact, 1))
            case Left() | Ended() if self._is_in_session(event.dispatch):
                if told := [*self._story.of(event.dispatch, 1)]:
                    print_lines([line(), *told])
            case _:
                pass

    def _is_in_session(self, inside: str) -> bool:
        stretch, dispatch = self._trace.find_stretch(inside), self._trace.find(inside)
        if stretch is not None:
            return stretch.entered.parent == self._session
        return dispatch is not None and dispatch.opened.parent == self._session


async def _played(setup: Setup, playable: Playable, request: Request, recorders: Iterable[Probe]) -> Played:
    probe: Probe = _Facts(setup.dialect) if request.is_json else _Teller(playable)
    covered = covered_events_of(setup)
    probes, caller = Probes(covered.in_front_of(probe), *recorders), Caller()

    def tell(text: str) -> None:
        _tell(covered.covering.text(text))

    host = Host(
        setup.chains.values(),
        lambda name, stream, text: tell(f"{name} on {stream}: {text}"),
        setup.others,
        unseats_failures=setup.dialect.staging.unseats_failures,
    )
    for problem in setup.refused:
        tell(f"hookscope: not loaded: {problem.as_error()}")
    async with started(host, caller):
        for sentence in host.told_failures:
            tell(f"hookscope: {sentence}")
        fire = fire_with(setup.dialect, setup.chains, host.subscribers, probes=probes, seated=host.seated)
        resolver = None if request.answer is None else Always(request.answer)
        reviver = _Reviver(host, setup, fire, tell)
        stage = Stage(
            reviver.fire,
            probes,
            caller=caller,
            resolver=resolver,
            bring=reviver.bring,
            load=host.load,
            switches=setup.dialect.switches,
            chain=lambda point: host.seated(setup.chains[point]),
            refused=host.refused,
        )
        return await playable.play(stage)


class _Reviver:
    """Starts again whoever has died since, before it is asked. Who could not be started stays dead.

    Who is started again by its own host's rules is left to them.
    """

    def __init__(self, host: Host, setup: Setup, fire: Fire, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._host = host
        self._setup = setup
        self._fire = fire
        self._restarting = asyncio.Lock()  # sessions inside of each other ask at the same time

    async def fire(self, point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL) -> Result:
        chain = course.seats(self._host.seated(self._setup.chains[point]))
        await self._revive({seat.name for seat in chain.subscriptions})
        return await self._fire(point, payload, parent, caller, course)

    async def bring(self, name: str) -> Subscriber:
        await self._revive({name})
        return self._host.subscribers[name]

    async def _revive(self, names: Collection[str]) -> None:
        async with self._restarting:
            await self._revived(names)

    async def _revived(self, names: Collection[str]) -> None:
        host = self._host
        wanted = set(names) - {failure.subscriber for failure in host.failures}
        dead = [each.name for each in host.health if each.name in wanted and not each.is_alive and not each.state]
        if dead:
            await host.restart(dead)
            for failure in host.failures:
                if failure.subscriber in dead:
                    self._tell(f"hookscope: {failure}; it stays dead")
            alive = [each.name for each in host.health if each.name in dead and each.is_alive]
            for name in alive:
                self._tell(f"hookscope: {name} had died and was started again")


def _tell(text: str) -> None:
    """Narrate; what subscribers printed is shown literally here too."""
    print(visible(text), file=sys.stderr)
