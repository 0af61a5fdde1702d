"""A scenario set up: its dialect, the chains that configuration and file make together, and who sits in them."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import TypeAlias, cast

from msgspec import UNSET

from debugger import payloads
from debugger.scenario.document import Path
from debugger.scenario.load import Loaded, nearest
from debugger.scenario.model import Config, Fire, Subscriber
from debugger.scenario.stubs import Act, acts_of, hexadecimal
from kernel import dialects
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.setup import Setup
from kernel.transports.callback_target import loaded as loaded_callable
from kernel.transports.in_process import Callee
from kernel.values import Chain, Payload, Producer, Subscription

Seat: TypeAlias = tuple[str, str]
"""A subscriber's name and a point; the point is empty for every seat of that name."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Everything that a scenario dispatches with. Nothing of it is running."""

    dialect: Dialect
    chains: Mapping[str, Chain]
    setup: Setup | None
    """The configuration, if the scenario has one."""
    stubs: Mapping[Seat, tuple[Act, ...]]
    callees: Mapping[Seat, tuple[str, Path]]
    """What is called in our own process, and where the scenario says so."""

    def payload(self, fire: Fire, loaded: Loaded, path: Path) -> Payload:
        """What is fired; raises BadInput with the place."""
        given = [key for key in ("payload", "payload_file", "payload_bytes") if getattr(fire, key) is not UNSET]
        if len(given) > 1:
            raise loaded.wrong(path, f"one payload is enough, not {' and '.join(given)}")
        point = fire.point if fire.payload_point is UNSET else fire.payload_point
        if not point and given != ["payload_bytes"]:
            fix = "give its own form as payload_bytes, or leave payload_point out"
            raise loaded.wrong((*path, "payload_point"), f"nobody's payload cannot be written as JSON; {fix}")
        try:
            if fire.payload_bytes is not UNSET:
                return self.dialect.payload_from_body(point, hexadecimal(fire.payload_bytes))
            if fire.payload_file is not UNSET:
                return payloads.read(self.dialect, point, loaded.folder / fire.payload_file)
            if fire.payload is not UNSET:
                return self.dialect.payload_from_view(point, fire.payload)
            if self.setup is not None and point in self.setup.chains:
                return payloads.default(self.setup, point)
            return self.dialect.sample_payload(point)
        except BadInput as error:
            raise loaded.wrong((*path, given[0]) if given else path, error) from None


@contextlib.contextmanager
def materials(loaded: Loaded) -> Iterator[FilePath | None]:
    """The path of the scenario's configuration while it is needed; a folder of ours where the scenario brings files."""
    config = loaded.scenario.config
    if config is UNSET:
        yield None
    elif isinstance(config, str):
        yield loaded.folder / config
    elif not config.files:
        if not config.path:
            raise loaded.wrong(("config",), "a path or files are needed")
        yield loaded.folder / config.path
    else:
        with tempfile.TemporaryDirectory(prefix="hookscope-") as folder:
            _write(config, FilePath(folder), loaded)
            try:
                yield FilePath(folder) / config.path
            except BadInput as error:
                raise _inside(error, folder) from None


def _inside(error: BadInput, folder: str) -> BadInput:
    """The same error, with files named as the scenario names them."""
    place = error.place
    if place is not None:
        place = replace(place, file=place.file.removeprefix(f"{folder}/"))
    message, fix = (
        text.replace(f"{folder}/", "").replace(folder, "the configuration") for text in (error.message, error.fix)
    )
    return BadInput(message, place=place, fix=fix)


def _write(config: Config, folder: FilePath, loaded: Loaded) -> None:
    for name, text in config.files.items():
        path = FilePath(name)
        if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name:
            raise loaded.wrong(("config", "files", name), "a relative path without '..' is needed")
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        except OSError as error:
            raise loaded.wrong(("config", "files", name), f"cannot be written: {error.strerror}") from None


def staged(loaded: Loaded, config: FilePath | None) -> Stage:
    """The scenario set up, with the configuration at this path; raises BadInput with the place."""
    scenario = loaded.scenario
    try:
        dialect = dialects.named(scenario.dialect)
    except BadInput as error:
        raise loaded.wrong(("dialect",), error) from None
    setup = None
    if config is not None:
        options = scenario.config.options if isinstance(scenario.config, Config) else {}
        try:
            setup = dialects.load_setup(config, options, is_startable=False)
        except BadInput as error:
            raise loaded.wrong(("config",), error) from None
        if setup.dialect.name != dialect.name:
            raise loaded.wrong(("config",), f"it configures {setup.dialect.name}, not {dialect.name}")
        dialect = setup.dialect
    dialect = switched(dialect, scenario.switches, loaded, ("switches",))
    if scenario.timeout_ms is not UNSET:
        try:
            dialect.staging.check_default(scenario.timeout_ms)
        except BadInput as error:
            raise loaded.wrong(("timeout_ms",), error) from None
    chains = {point: Chain(point) for point in dialect.points} if setup is None else dict(setup.chains)
    others = frozenset() if setup is None else frozenset(setup.others) | setup.missing.keys()
    seating = _Seating(dialect, chains, loaded, others)
    for place, subscriber in enumerate(scenario.subscribers):
        seating.seat(subscriber, ("subscribers", place))
    seating.check_programs()
    if setup is not None:
        seating.check_missing(setup.missing)
    return Stage(dialect, chains, setup, seating.stubs, seating.callees)


def switched(dialect: Dialect, switches: Mapping[str, bool], loaded: Loaded, path: Path) -> Dialect:
    """The dialect with some switches thrown; raises BadInput with the place."""
    for name, is_on in switches.items():
        if name not in dialect.switches:
            raise loaded.wrong((*path, name), f"{dialect.name} has no such switch{nearest(name, dialect.switches)}")
        dialect = dialect.switched(name, is_on)
    return dialect


class _Seating:
    """Puts the subscribers of a scenario into chains."""

    def __init__(
        self, dialect: Dialect, chains: dict[str, Chain], loaded: Loaded, others: frozenset[str] = frozenset()
    ) -> None:
        self.stubs: dict[Seat, tuple[Act, ...]] = {}
        self.callees: dict[Seat, tuple[str, Path]] = {}
        self._dialect = dialect
        self._chains = chains
        self._loaded = loaded
        self._others = others
        """Whom the configuration's host asks outside of any chain."""

    def seat(self, subscriber: Subscriber, path: Path) -> None:
        if subscriber.point and subscriber.point not in self._chains:
            raise self._loaded.wrong((*path, "point"), self._dialect.staging.no_point(subscriber.point))
        points = [subscriber.point] if subscriber.point else list(self._chains)
        held = [
            (point, place)
            for point in points
            for place, seat in enumerate(self._chains[point].subscriptions)
            if seat.name == subscriber.name
            and seat.place is not None  # what a configuration declared
            and subscriber.options.get("id", seat.id) == seat.id  # of several seats at one point
        ]
        way = self._way(subscriber, path)
        if held:
            modes = [self._chains[point].subscriptions[place].mode for point, place in held]
            for point, place in held:
                self._take_over(point, place, subscriber, way, path)
        elif not subscriber.point and subscriber.name in self._others and way in ("stub", "in_process"):
            modes = [""]
        elif not subscriber.point:
            names = sorted({seat.name for chain in self._chains.values() for seat in chain.subscriptions})
            raise self._loaded.wrong(
                (*path, "name"),
                f"no configuration has a seat for {subscriber.name!r}{nearest(subscriber.name, names)}; "
                "a new one needs point and mode",
            )
        else:
            if not way and subscriber.name not in self._seated_at(subscriber.point):
                raise self._loaded.wrong(path, "one of stub, in_process and process is needed")
            modes = [subscriber.mode]
            self._add(subscriber, way, path)
        key = (subscriber.name, subscriber.point)
        if way and (key in self.stubs or key in self.callees):
            fix = "what it does in several seats of one point is said once, as a list with an entry for each call"
            raise self._loaded.wrong(path, f"{subscriber.name!r} is there twice; {fix}")
        if subscriber.stub is not UNSET:
            mode = subscriber.mode or modes[0]
            staging = self._dialect.staging
            self.stubs[key] = acts_of(subscriber.stub, mode, staging, self._loaded, (*path, "stub"))
        elif subscriber.in_process is not UNSET:
            self.callees[key] = (subscriber.in_process, (*path, "in_process"))

    def _seated_at(self, point: str) -> Mapping[str, Subscription]:
        return {seat.name: seat for seat in self._chains[point].subscriptions}

    def _way(self, subscriber: Subscriber, path: Path) -> str:
        ways = [key for key in ("stub", "in_process", "process") if getattr(subscriber, key) is not UNSET]
        if len(ways) > 1:
            raise self._loaded.wrong(path, f"one way to reach it is enough, not {' and '.join(ways)}")
        if subscriber.env and ways != ["process"]:
            raise self._loaded.wrong((*path, "env"), "only a process has an environment")
        return ways[0] if ways else ""

    def _take_over(self, point: str, place: int, subscriber: Subscriber, way: str, path: Path) -> None:
        """Let somebody else sit in a seat that the configuration has."""
        seats = list(self._chains[point].subscriptions)
        seat = seats[place]
        if subscriber.mode:
            seat = replace(seat, mode=subscriber.mode)
        if subscriber.timeout_ms is not UNSET:
            seat = replace(seat, timeout_ms=subscriber.timeout_ms)
        if subscriber.producer is not UNSET:
            seat = replace(seat, producer=_producer(subscriber))
        if way == "process":
            seat = self._with_program(seat, subscriber, path)
        elif way:
            seat = replace(seat, reach=None)
        others = Chain(point, (*seats[:place], *seats[place + 1 :]))
        self._seated(others, seat, subscriber, path)  # to hear whether it may sit there at all
        seats[place] = seat
        self._chains[point] = Chain(point, tuple(seats))

    def _add(self, subscriber: Subscriber, way: str, path: Path) -> None:
        scenario = self._loaded.scenario
        if subscriber.timeout_ms is not UNSET:
            for option in self._dialect.staging.default_deadline:
                if subscriber.options.get(option):
                    said = f"a seat with the option {option!r} has the deadline of those that name none"
                    fix = "leave it out, and say timeout_ms for the whole scenario"
                    raise self._loaded.wrong((*path, "timeout_ms"), BadInput(said, fix=fix))
        timeout_ms = scenario.timeout_ms if subscriber.timeout_ms is UNSET else subscriber.timeout_ms
        seat = Subscription(
            subscriber.name,
            subscriber.point,
            subscriber.mode,
            None if timeout_ms is UNSET else timeout_ms,
            None if subscriber.producer is UNSET else _producer(subscriber),
        )
        if way == "process":
            seat = self._with_program(seat, subscriber, path)
        elif not way:  # a further seat of somebody who is there already
            seat = replace(seat, reach=self._seated_at(seat.point)[seat.name].reach)
        self._chains[seat.point] = self._seated(self._chains[seat.point], seat, subscriber, path)

    def _seated(self, chain: Chain, seat: Subscription, subscriber: Subscriber, path: Path) -> Chain:
        try:
            return self._dialect.staging.seated(chain, seat, subscriber.options)
        except BadInput as error:
            raise self._loaded.wrong(path, error) from None

    def _with_program(self, seat: Subscription, subscriber: Subscriber, path: Path) -> Subscription:
        assert subscriber.process is not UNSET
        folder = self._loaded.folder
        program, *arguments = subscriber.process
        if program in ("python", "python3"):
            program = sys.executable  # it wants the packages that we have
        elif (folder / program).is_file():
            program = str(folder / program)
        else:
            program = shutil.which(program) or program
        try:
            reach = self._dialect.staging.program((program, *arguments), str(folder), subscriber.env)
        except BadInput as error:
            raise self._loaded.wrong((*path, "process"), error) from None
        return replace(seat, reach=reach)

    def check_programs(self) -> None:
        """One name is one process: it cannot be two programs."""
        found: dict[str, Subscription] = {}
        for chain in self._chains.values():
            for seat in chain.subscriptions:
                if seat.reach is not None and found.setdefault(seat.name, seat).reach != seat.reach:
                    raise self._loaded.wrong(("subscribers",), f"{seat.name!r} would be two programs")

    def check_missing(self, missing: Mapping[str, BadInput]) -> None:
        """Whoever can be asked is there: those of the configuration who cannot be started have a stand-in."""
        scenario = self._loaded.scenario
        asked = {fire.point for fire in scenario.fire} or self._chains.keys()
        stand_ins = self.stubs.keys() | self.callees.keys()
        seats = [seat for chain in self._chains.values() for seat in chain.subscriptions]
        for name, error in missing.items():
            held = [seat for seat in seats if seat.name == name]
            needed = [(name, seat.point) for seat in held if seat.reach is None and seat.point in asked]
            if scenario.play is not UNSET and not held:
                needed = [(name, "")]  # asked outside of any chain
            if any(seat not in stand_ins and (name, "") not in stand_ins for seat in needed):
                raise self._loaded.wrong(("config",), error)


def _producer(subscriber: Subscriber) -> Producer:
    assert subscriber.producer is not UNSET
    said = subscriber.producer
    return Producer(said.name or subscriber.name, said.version, said.source, said.category)


def callee(target: str, folder: FilePath) -> Callee:
    """What `module:attribute` or `file.py:attribute` names; runs the code of the module, and raises BadInput.

    That code may take for ever: whoever calls this does it off the loop.
    """
    name, _, attribute = target.rpartition(":")
    if not name or not attribute:
        raise BadInput(f"{target!r} is neither module:attribute nor file.py:attribute")
    try:
        found = loaded_callable(f"{folder / name}:{attribute}" if name.endswith(".py") else target)
    except SystemExit:
        raise BadInput(f"{target!r} cannot be had: importing it ends the program") from None
    except Exception as error:  # noqa: BLE001  # it is somebody else's code that runs here
        raise BadInput(f"{target!r} cannot be had: {type(error).__name__}: {error}") from None
    return cast(Callee, found)
