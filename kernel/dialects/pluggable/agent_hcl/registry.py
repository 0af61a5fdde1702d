"""Chains out of a configuration: who sits where, and in which order (spec C.4, H1, H21, H25).

The checks run as they run in the host: over every subscription in turn, and only then over the providers of all.
Nothing is started here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote_plus

from kernel.dialects.pluggable.agent_hcl import environment, provider_body
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.options import PARITY, Implicit, Options
from kernel.dialects.pluggable.agent_hcl.overrides import FILE
from kernel.dialects.pluggable.agent_hcl.schema import listed, nearest
from kernel.dialects.pluggable.agent_hcl.settings import CONTEXT, NOWHERE, AgentConfig, Position, Provider, Variable
from kernel.dialects.pluggable.points import BY_LABEL, CONTEXT_ASSEMBLE, CONTEXT_METHODS, POINTS, Mode
from kernel.errors import BadInput
from kernel.problems import Complain, Problem, raise_first
from kernel.reach import GoPlugin, Secret
from kernel.values import Chain, Place, Producer, Subscription


@dataclass(frozen=True, slots=True)
class Entry:
    """A subscription on its way into a chain, wherever it came from. None is what could not be read."""

    provider: str | None
    point: str | None
    mode: str | None
    timeout_ms: int | None
    place: Place | None
    position: Position
    places: Mapping[str, Place] = field(default_factory=lambda: NOWHERE)
    """Where its parts stand, by name, if they stand anywhere of their own."""

    def place_of(self, part: str) -> Place | None:
        """Where to look for what is wrong with a part."""
        return self.places.get(part, self.place)


def chains(
    config: AgentConfig,
    options: Options = PARITY,
    *,
    environ: Mapping[str, str] | None = None,
    missing: dict[str, BadInput] | None = None,
) -> Mapping[str, Chain]:
    """The chain of each of the eight points, checked in the host's order; raises BadInput.

    Values for `env("NAME")` are taken from `environ` (ours, if None) for providers that take part, so this belongs
    to a moment at which they are about to be started. Where `missing` is given, it takes the error of each provider
    that cannot be started, whose seats then have no reach.
    """
    problems: list[Problem] = []
    built = assemble(config, options, problems.append)
    raise_first(problems)
    providers = {provider.name: provider for provider in config.providers}
    values = os.environ if environ is None else environ
    reaches: dict[str, GoPlugin] = {}
    for seat in (seat for chain in built.values() for seat in chain.subscriptions):
        if seat.name not in reaches:
            _reach(providers[seat.name], seat.place, values, reaches, missing)
    return {point: _reached(chain, reaches) for point, chain in built.items()}


def context_providers(config: AgentConfig) -> tuple[Provider, ...]:
    """Those that are asked for context, in the order of their provider blocks; without a block there is no order."""
    return tuple(each for each in config.providers if each.category == CONTEXT and each.position is not None)


def context_reaches(
    config: AgentConfig, *, environ: Mapping[str, str] | None = None, missing: dict[str, BadInput] | None = None
) -> Mapping[str, GoPlugin]:
    """How to start the context providers that have a program; raises BadInput, or gives it to `missing`."""
    values = os.environ if environ is None else environ
    reaches: dict[str, GoPlugin] = {}
    for each in context_providers(config):
        if each.reach is not None:
            _reach(each, each.place, values, reaches, missing)
    return reaches


def assemble(config: AgentConfig, options: Options, complain: Complain) -> Mapping[str, Chain]:
    """The chain of each of the eight points, of those subscriptions that are in order; nobody can be reached yet."""
    settings = config.settings
    if settings.default_hook_timeout_ms <= 0:
        message = f"default_hook_timeout_ms is {settings.default_hook_timeout_ms}, and it must be more than 0"
        complain(problem("ErrInvalidTimeout", message, settings.places.get("default_hook_timeout_ms")))
    entries: list[Entry] = []
    first_at: dict[tuple[str | None, str | None], Entry] = {}
    for entry in _entries(config, options.implicit, complain):
        is_sound = check_entry(entry, complain)
        first = first_at.setdefault((entry.provider, entry.point), entry)
        if first is not entry and not options.repeated_subscriptions:
            where = f" at {first.place}" if first.place else ""
            message = f"{entry.provider!r} already subscribes to {entry.point}{where}"
            fix = "a provider has one hook for each point"
            complain(problem("ErrDuplicateSubscription", message, entry.place, fix=fix))
        elif is_sound:
            entries.append(entry)
    providers = {provider.name: provider for provider in config.providers}
    seated = [entry for entry in entries if check_provider(entry, providers, options, complain)]
    _check_options(options, providers, complain)
    seated.sort(key=lambda entry: entry.position)
    return {
        point.label: Chain(
            point.label,
            tuple(_subscriptions([each for each in seated if each.point == point.label], providers, config)),
        )
        for point in POINTS
    }


def _check_options(options: Options, providers: Mapping[str, Provider], complain: Complain) -> None:
    """Tell about options that nobody would ever notice: the host knows none, so its own errors come first."""
    for name, about in options.by_provider.items():
        for each in about:
            if each not in providers:
                message = f"the option {name} is about {each!r}, which is no provider here"
                complain(problem("unknown-option", message, None, fix=nearest(each, providers)))


def check_entry(entry: Entry, complain: Complain) -> bool:
    """Whether a subscription is possible by itself; tells everything that speaks against it."""
    problems = tuple(_entry_problems(entry))
    for each in problems:
        complain(each)
    return not problems


def check_provider(entry: Entry, providers: Mapping[str, Provider], options: Options, complain: Complain) -> bool:
    """Whether somebody is there to be asked. A provider without a program is there: its program may be elsewhere."""
    name = entry.provider
    if name is None:
        return False
    if name not in providers:
        fix = nearest(name, providers) if providers else ""
        remedy = fix if fix.startswith("did") else f'name its program in {FILE}: dev_overrides {{ {name} = "<path>" }}'
        complain(problem("ErrNotFound", f"provider {name!r} is unknown", entry.place_of("provider"), fix=remedy))
        return False
    offered = options.advertised.get(name)
    if offered is not None and entry.point not in offered and not options.unadvertised_points:
        message = f"{name!r} does not offer {entry.point}"
        fix = f"it offers {listed(offered, 'and')}" if offered else "it offers nothing"
        complain(problem("ErrPointNotAdvertised", message, entry.place_of("point"), fix=fix))
        return False
    return True


def _entries(config: AgentConfig, implicit: Iterable[Implicit], complain: Complain) -> Iterator[Entry]:
    """Implicit subscriptions first, then hooks; one at a time, so that problems come in their order."""
    providers = {provider.name: provider for provider in config.providers}
    for wish in implicit:
        provider = providers.get(wish.provider)
        if provider is None or provider.position is None:
            message = f"{wish.provider!r} subscribes to {wish.point} implicitly, but has no place in the order"
            complain(problem("ErrMissingPosition", message, None, fix=f'add a provider "{wish.provider}" block'))
        else:
            yield Entry(wish.provider, wish.point, wish.mode, None, provider.place, provider.position)
    for hook in config.hooks:
        yield Entry(hook.provider, hook.point, hook.mode, hook.timeout_ms, hook.place, hook.position, hook.places)


def _entry_problems(entry: Entry) -> Iterator[Problem]:
    point = None if entry.point is None else BY_LABEL.get(entry.point)
    if entry.point == CONTEXT_ASSEMBLE:
        message = "context-assemble takes no hooks"
        fix = "context plugins are asked there through ContextService.Contribute"
        yield problem("ErrUnknownPoint", message, entry.place_of("point"), fix=fix)
    elif entry.point is not None and point is None:
        message, fix = f"no hook point {entry.point!r}", nearest(entry.point, BY_LABEL)
        yield problem("ErrUnknownPoint", message, entry.place_of("point"), fix=fix)
    if entry.mode is not None and entry.mode not in tuple(Mode):
        yield problem(
            "ErrUnknownMode", f"no mode {entry.mode!r}", entry.place_of("mode"), fix=nearest(entry.mode, Mode)
        )
    if entry.mode == Mode.VETO and point is not None and not point.bears_veto:
        bearing = listed(sorted(each.label for each in POINTS if each.bears_veto), "and")
        message = f"veto is not permitted at {point.label}"
        yield problem("ErrVetoNotPermitted", message, entry.place_of("mode"), fix=f"veto-bearing points are {bearing}")
    if entry.timeout_ms is not None and entry.timeout_ms < 0:
        message = f"timeout_ms is {entry.timeout_ms}, and it cannot be negative"
        yield problem("ErrInvalidTimeout", message, entry.place_of("timeout_ms"))


def _subscriptions(
    entries: Sequence[Entry], providers: Mapping[str, Provider], config: AgentConfig
) -> Iterator[Subscription]:
    """The seats of one chain. Those of a provider that has several get ids, the others none (spec H1)."""
    seats_of = [entry.provider for entry in entries]
    for index, entry in enumerate(entries):
        assert entry.provider is not None, "an entry without a provider has no seat"
        assert entry.point is not None, "nor has one without a point"
        provider = providers[entry.provider]
        number = seats_of[: index + 1].count(entry.provider)
        yield Subscription(
            name=provider.name,
            point=entry.point,
            mode=str(entry.mode),
            timeout_ms=config.settings.default_hook_timeout_ms if entry.timeout_ms is None else entry.timeout_ms,
            producer=Producer(provider.name, provider.version, provider.source, provider.category),
            place=entry.place,
            id=f"{provider.name}-{number}" if seats_of.count(entry.provider) > 1 else "",
        )


def _reached(chain: Chain, reaches: Mapping[str, GoPlugin]) -> Chain:
    return Chain(chain.point, tuple(replace(seat, reach=reaches.get(seat.name)) for seat in chain.subscriptions))


def _reach(
    provider: Provider,
    place: Place | None,
    environ: Mapping[str, str],
    reaches: dict[str, GoPlugin],
    missing: dict[str, BadInput] | None,
) -> None:
    """Add how to start a provider to `reaches`, or why it cannot be started to `missing`; raises it without one."""
    try:
        reaches[provider.name] = _launchable(provider, place, environ)
    except BadInput as error:
        if missing is None:
            raise
        missing.setdefault(provider.name, error)


def _launchable(provider: Provider, place: Place | None, environ: Mapping[str, str]) -> GoPlugin:
    """How to start a provider, with its environment; raises BadInput when that cannot be."""
    if provider.reach is None:
        raise without_program(provider, place).as_error()
    variables = sorted(provider.environment, key=lambda variable: variable.name)
    configured = tuple((variable.name, _value(variable, environ)) for variable in variables)
    methods = CONTEXT_METHODS if provider.category == CONTEXT else ()
    env: tuple[tuple[str, str | Secret], ...] = (("OTEL_RESOURCE_ATTRIBUTES", _stamp(provider)), *configured)
    return replace(provider.reach, env=env, methods=methods)


def _stamp(provider: Provider) -> str:
    """By which a plugin's own telemetry says whose it is (spec E.1); what is configured afterwards wins."""
    known = {"category": provider.category, "name": provider.name, "version": provider.version}
    return ",".join(f"pluggableharness.producer.{key}={quote_plus(value)}" for key, value in known.items())


def without_program(provider: Provider, place: Place | None) -> Problem:
    """The problem of a hook that nobody on this machine can serve."""
    fix = f'name its program in {FILE}: dev_overrides {{ {provider.name} = "<path>" }}'
    return problem("unserved-hook", f"provider {provider.name!r} has no program", place, fix=fix)


def value_of(variable: Variable, environ: Mapping[str, str], complain: Complain) -> Secret | None:
    """The value of a variable for a provider's process; None, and told, where it has none on this machine."""
    if variable.taken_from is None:
        return variable.value
    value, _ = provider_body.evaluated(variable.taken_from, environ, complain)
    return environment.usable(variable.name, value, complain)


def _value(variable: Variable, environ: Mapping[str, str]) -> Secret:
    problems: list[Problem] = []
    value = value_of(variable, environ, problems.append)
    for each in problems:
        raise each.as_error()
    assert value is not None, "what has no value has a problem"
    return value
