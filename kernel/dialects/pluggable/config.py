"""agent.hcl as values, and the chains that its hooks make (spec C).

Reading a file and building chains are two stages, as in the host: what a block may hold is said while loading, what
hooks may do together once all of them are known. Nothing is started here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from kernel.dialects.pluggable import overrides, schema
from kernel.dialects.pluggable.dialect import PLUGGABLE
from kernel.dialects.pluggable.overrides import Program
from kernel.dialects.pluggable.points import BY_LABEL, COOKIE, METHOD, POINTS, PROTOCOL_VERSION, Mode
from kernel.errors import BadInput
from kernel.hcl import Attribute, Block, Body, Call, ObjectOf, Other, Scalar, read
from kernel.reach import GoPlugin
from kernel.setup import Setup
from kernel.values import Chain, Place, Producer, Subscription

DEFAULT_HOOK_TIMEOUT_MS = 5000
CATEGORIES = ("model", "tool", "context", "memory", "frontend", "widget", "slashcommand")
DEFAULT_CATEGORY = "tool"
CONTEXT_ASSEMBLE = "context-assemble"

Position: TypeAlias = tuple[int, int]
"""Rank of a file among its fellows and bytes before a block in it: sorting by it gives the order of declaration."""


class Secret(str):
    """Text that does not show in a repr; it may hold a password."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<hidden>"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable for a provider's process: its value, or the name of ours that has it."""

    name: str
    value: Secret | None
    taken_from: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Provider:
    """A plugin as the configuration knows it."""

    name: str
    source: str
    version: str
    """The constraint that the configuration states, not a build's number."""
    category: str
    place: Place
    """Of its provider block, or else of whatever names it first."""
    position: Position | None
    """Of its provider block; None when it has none."""
    reach: GoPlugin | None
    """How to start it, still without its environment; None when no program is known for it."""
    environment: tuple[Variable, ...] = ()
    body: Body = field(default=Body(), repr=False)
    """Everything else in its provider block, for whoever knows its schema."""


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook block. Its point may turn out not to exist: that is said when chains are built."""

    point: str
    provider: str
    mode: Mode
    timeout_ms: int | None
    place: Place
    position: Position


@dataclass(frozen=True, slots=True)
class Implicit:
    """A subscription that no hook block states. It takes the position of its provider's block."""

    provider: str
    point: str
    mode: str


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """What the files of one agent say, in the order of declaration."""

    files: tuple[str, ...] = ()
    providers: tuple[Provider, ...] = ()
    hooks: tuple[Hook, ...] = ()
    default_hook_timeout_ms: int = DEFAULT_HOOK_TIMEOUT_MS
    policies: tuple[Block, ...] = ()
    """Not read yet, only known to be well formed."""
    profiles: tuple[Block, ...] = ()
    """Not read yet, only known to be well formed."""


@dataclass(frozen=True, slots=True)
class _Requirement:
    """One entry of required_providers."""

    source: str
    version: str
    category: str
    place: Place


@dataclass(frozen=True, slots=True)
class _Seat:
    """A subscription on its way into a chain, wherever it came from."""

    provider: str
    point: str
    mode: str
    timeout_ms: int | None
    place: Place | None
    position: Position


# -- loading -----------------------------------------------------------------------------------------------------


def load(path: Path) -> AgentConfig:
    """The configuration in an agent.hcl, or in all *.hcl files of a folder together; raises BadInput.

    Programs come from the config.hcl beside it, or else from the user's ($XDG_CONFIG_HOME/agent/config.hcl).
    """
    files = _files(path)
    found = overrides.find(files[0].parent)
    programs = {} if found is None else overrides.load(found)
    return config_of([(str(file), read(file)) for file in files], programs)


def load_setup(path: Path) -> Setup:
    """What the registry of dialects asks for: everything up to the chains. `files` has the config.hcl as well."""
    config = load(path)
    files = tuple(map(Path, config.files))
    found = overrides.find(files[0].parent)
    return Setup(path, files if found is None else (*files, found), PLUGGABLE, chains(config))


def _files(path: Path) -> list[Path]:
    try:
        if not path.exists():
            raise BadInput(f"{path} does not exist; name an agent.hcl or a folder that holds one")
        if not path.is_dir():
            return [path]
        names = sorted(name for name in os.listdir(path) if name.endswith(".hcl") and not name.startswith("."))
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    files = [path / name for name in names if name != overrides.FILE]
    if not files:
        raise BadInput(f"{path} holds no configuration; put an agent.hcl into it, or name another folder")
    return files


def config_of(files: Sequence[tuple[str, Body]], programs: Mapping[str, Program]) -> AgentConfig:
    """The configuration that files (name and body, in order of their rank) make together; raises BadInput."""
    for _, body in files:
        schema.check(body, schema.AGENT, inside="agent.hcl", place=None)
    blocks = [((rank, block.offset), block) for rank, (_, body) in enumerate(files) for block in body.blocks]
    schema.check_unique(block for _, block in blocks if block.type in schema.AGENT.unique)
    return AgentConfig(
        files=tuple(name for name, _ in files),
        providers=tuple(_providers(blocks, programs)),
        hooks=tuple(_hook(block, position) for position, block in blocks if block.type == "hook"),
        default_hook_timeout_ms=_default_timeout(block for _, block in blocks if block.type == "settings"),
        policies=tuple(block for _, block in blocks if block.type == "policy"),
        profiles=tuple(block for _, block in blocks if block.type == "agent_profile"),
    )


def _default_timeout(settings: Iterable[Block]) -> int:
    stated = [block.body.attribute("default_hook_timeout_ms") for block in settings]
    return next((schema.whole_number(each) for each in stated if each), DEFAULT_HOOK_TIMEOUT_MS)


def _hook(block: Block, position: Position) -> Hook:
    arguments = {attribute.name: attribute for attribute in block.body.attributes}
    timeout = arguments.get("timeout_ms")
    return Hook(
        point=block.labels[0].text,
        provider=schema.text(arguments["provider"]),
        mode=schema.mode(arguments["mode"]),
        timeout_ms=None if timeout is None else schema.whole_number(timeout),
        place=block.place,
        position=position,
    )


def _providers(blocks: Iterable[tuple[Position, Block]], programs: Mapping[str, Program]) -> Iterator[Provider]:
    """Every provider that has a block, a requirement or a program, each once."""
    required: dict[str, _Requirement] = {}
    declared: dict[str, tuple[Position, Block]] = {}
    for position, block in blocks:
        if block.type == "required_providers":
            required |= {attribute.name: _requirement(attribute) for attribute in block.body.attributes}
        elif block.type == "provider":
            declared[block.labels[0].text] = (position, block)
    for name in dict.fromkeys((*declared, *required, *programs)):
        yield _provider(name, declared.get(name), required.get(name), programs.get(name))


def _provider(
    name: str, declared: tuple[Position, Block] | None, requirement: _Requirement | None, program: Program | None
) -> Provider:
    position, block = declared or (None, None)
    places = [origin.place for origin in (block, requirement, program) if origin is not None]
    return Provider(
        name=name,
        source=requirement.source if requirement else "",
        version=requirement.version if requirement else "",
        category=requirement.category if requirement else DEFAULT_CATEGORY,
        place=places[0],
        position=position,
        reach=None if program is None else _reach(program),
        environment=() if block is None else tuple(_environment(block.body)),
        body=Body() if block is None else _without_environment(block.body),
    )


def _reach(program: Program) -> GoPlugin:
    return GoPlugin(argv=program.argv, method=METHOD, cookie=COOKIE, protocol_version=PROTOCOL_VERSION, cwd=program.cwd)


def _requirement(attribute: Attribute) -> _Requirement:
    if not isinstance(attribute.expression, ObjectOf):
        raise BadInput(
            f"ErrInvalidValue: {attribute.name} must be an object with source and version",
            place=attribute.expression.place,
        )
    entries = {
        entry.key: Attribute(f"{attribute.name}.{entry.key}", entry.value, entry.place)
        for entry in attribute.expression.entries
    }
    for key in ("source", "version"):
        if key not in entries:
            raise BadInput(f"ErrMissingField: {attribute.name} has no {key}", place=attribute.place)
    category = schema.text(entries["category"]) if "category" in entries else DEFAULT_CATEGORY
    if category not in CATEGORIES:
        raise BadInput(
            f"ErrInvalidValue: no plugin category {category!r}{schema.nearest(category, CATEGORIES)}",
            place=entries["category"].place,
        )
    return _Requirement(schema.text(entries["source"]), schema.text(entries["version"]), category, attribute.place)


def _without_environment(body: Body) -> Body:
    return Body(body.attributes, tuple(block for block in body.blocks if block.type != "environment"))


def _environment(body: Body) -> Iterator[Variable]:
    for block in body.of_type("environment"):
        for attribute in block.body.attributes:
            yield _variable(attribute)


def _variable(attribute: Attribute) -> Variable:
    """One variable of an environment. No message shows its value."""
    name, place = attribute.name, attribute.expression.place
    match attribute.expression:
        case Scalar(str() as value):
            return Variable(name, Secret(value), None, place)
        case Scalar(None):
            raise BadInput(f"ErrEnvValueUnusable: the value of {name} is null", place=place)
        case Call("env", (Scalar(str() as taken_from),)):
            return Variable(name, None, taken_from, place)
        case Call() | Other():
            raise BadInput(f'the value of {name} must be text or env("NAME"); nothing else is evaluated', place=place)
        case _:
            raise BadInput(f"ErrEnvValueNotString: the value of {name} must be text", place=place)


# -- building chains ---------------------------------------------------------------------------------------------


def chains(
    config: AgentConfig, implicit: Sequence[Implicit] = (), *, environ: Mapping[str, str] | None = None
) -> Mapping[str, Chain]:
    """The chain of each of the eight points, checked in the host's order; raises BadInput.

    Values for `env("NAME")` are taken from `environ` (ours, if None) for providers that take part, so this belongs
    to a moment at which they are about to be started.
    """
    if config.default_hook_timeout_ms <= 0:
        raise BadInput(
            f"ErrInvalidTimeout: default_hook_timeout_ms is {config.default_hook_timeout_ms}; it must be more than 0"
        )
    providers = {provider.name: provider for provider in config.providers}
    seats: dict[tuple[str, str], _Seat] = {}
    for seat in _seats(config, implicit, providers):
        _check_seat(seat)
        first = seats.setdefault((seat.provider, seat.point), seat)
        if first is not seat:
            where = f" at {first.place}" if first.place else ""
            raise BadInput(
                f"ErrDuplicateSubscription: {seat.provider!r} already subscribes to {seat.point}{where}; "
                "a provider has one hook for each point",
                place=seat.place,
            )
    reaches: dict[str, GoPlugin] = {}
    for seat in seats.values():
        if seat.provider not in reaches:
            found = _found(seat, providers.get(seat.provider))
            reaches[seat.provider] = _launchable(found, os.environ if environ is None else environ)
    ordered = sorted(seats.values(), key=lambda seat: seat.position)
    return {
        point.label: Chain(
            point.label,
            tuple(
                _subscription(seat, providers[seat.provider], reaches[seat.provider], config.default_hook_timeout_ms)
                for seat in ordered
                if seat.point == point.label
            ),
        )
        for point in POINTS
    }


def _seats(config: AgentConfig, implicit: Iterable[Implicit], providers: Mapping[str, Provider]) -> Iterator[_Seat]:
    """Implicit subscriptions first, then hooks; one at a time, so that the first faulty one is the one reported."""
    for wish in implicit:
        provider = providers.get(wish.provider)
        if provider is None or provider.position is None:
            raise BadInput(
                f"ErrMissingPosition: {wish.provider!r} subscribes to {wish.point} implicitly, but has no place in the "
                f'order; add a provider "{wish.provider}" block'
            )
        yield _Seat(wish.provider, wish.point, wish.mode, None, provider.place, provider.position)
    for hook in config.hooks:
        yield _Seat(hook.provider, hook.point, hook.mode, hook.timeout_ms, hook.place, hook.position)


def _check_seat(seat: _Seat) -> None:
    if seat.point == CONTEXT_ASSEMBLE:
        raise BadInput(
            "ErrUnknownPoint: context-assemble takes no hooks; context plugins are asked there through "
            "ContextService.Contribute",
            place=seat.place,
        )
    point = BY_LABEL.get(seat.point)
    if point is None:
        raise BadInput(
            f"ErrUnknownPoint: no hook point {seat.point!r}{schema.nearest(seat.point, BY_LABEL)}", place=seat.place
        )
    if seat.mode not in tuple(Mode):
        raise BadInput(f"ErrUnknownMode: no mode {seat.mode!r}{schema.nearest(seat.mode, Mode)}", place=seat.place)
    if seat.mode == Mode.VETO and not point.bears_veto:
        bearing = " and ".join(sorted(each.label for each in POINTS if each.bears_veto))
        raise BadInput(
            f"ErrVetoNotPermitted: veto is not permitted at {seat.point}; veto-bearing points are {bearing}",
            place=seat.place,
        )
    if seat.timeout_ms is not None and seat.timeout_ms < 0:
        raise BadInput(f"ErrInvalidTimeout: timeout_ms is {seat.timeout_ms}; it cannot be negative", place=seat.place)


def _found(seat: _Seat, provider: Provider | None) -> Provider:
    if provider is None or provider.reach is None:
        name = seat.provider
        known = "is unknown" if provider is None else "has no program"
        remedy = f'name its program in {overrides.FILE}: dev_overrides {{ {name} = "<path>" }}'
        raise BadInput(f"ErrNotFound: provider {name!r} {known}; {remedy}", place=seat.place)
    return provider


def _launchable(provider: Provider, environ: Mapping[str, str]) -> GoPlugin:
    """How to start a provider, with its environment."""
    assert provider.reach is not None, "only providers that were found are launched"
    values = sorted((variable.name, _value(variable, environ)) for variable in provider.environment)
    return replace(provider.reach, env=tuple(values))


def _value(variable: Variable, environ: Mapping[str, str]) -> Secret:
    if variable.value is not None:
        return variable.value
    taken_from = variable.taken_from or ""
    if taken_from not in environ:
        raise BadInput(
            f"ErrEnvUnset: {variable.name} is taken from {taken_from!r}, which is not set", place=variable.place
        )
    return Secret(environ[taken_from])


def _subscription(seat: _Seat, provider: Provider, reach: GoPlugin, default_ms: int) -> Subscription:
    return Subscription(
        name=provider.name,
        point=seat.point,
        mode=str(seat.mode),
        timeout_ms=default_ms if seat.timeout_ms is None else seat.timeout_ms,
        producer=Producer(provider.name, provider.version, provider.source, provider.category),
        reach=reach,
        place=seat.place,
    )
