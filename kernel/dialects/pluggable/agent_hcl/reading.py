"""The blocks of agent.hcl read into values, and everything told that the host's loader would refuse (spec C.1 to C.6).

What a block says wrongly is told and left out, so that everything after it is looked at all the same. Whoever wants
a configuration that can be relied on takes one about which nothing was told: that is `config`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Final

from kernel.dialects.pluggable.agent_hcl import environment, schema
from kernel.dialects.pluggable.agent_hcl.arguments import (
    Arguments,
    choice,
    constant,
    flag,
    members,
    mode,
    number,
    text,
    text_map,
    texts,
    whole_number,
)
from kernel.dialects.pluggable.agent_hcl.codes import problem
from kernel.dialects.pluggable.agent_hcl.options import PARITY, Options
from kernel.dialects.pluggable.agent_hcl.overrides import Program
from kernel.dialects.pluggable.agent_hcl.settings import (
    ACTIONS,
    CATEGORIES,
    DEFAULT_CATEGORY,
    KINDS,
    LOG_LEVELS,
    MATCH_KEYS,
    PROTOCOLS,
    RISKS,
    AgentConfig,
    AgentProfile,
    DoomLoop,
    EventBus,
    Hook,
    ModelChoice,
    ModelRef,
    Observability,
    PolicyRule,
    Position,
    Provider,
    Retry,
    Settings,
)
from kernel.dialects.pluggable.points import COOKIE, METHOD, PROTOCOL_VERSION, Mode
from kernel.hcl import Attribute, Block, Body, Label, ListOf, Scalar, evaluate
from kernel.problems import Complain
from kernel.reach import GoPlugin
from kernel.values import Place


@dataclass(frozen=True, slots=True)
class HookDraft:
    """What could be read of a hook block; None is what could not."""

    point: str | None
    provider: str | None
    mode: Mode | None
    timeout_ms: int | None
    place: Place
    position: Position
    places: Mapping[str, Place]
    is_deadline_unread: bool = False

    def finished(self) -> Hook | None:
        """The hook, if nothing is missing; a deadline that could not be read is no default."""
        if self.point is None or self.provider is None or self.mode is None or self.is_deadline_unread:
            return None
        return Hook(self.point, self.provider, self.mode, self.timeout_ms, self.place, self.position, self.places)


@dataclass(frozen=True, slots=True)
class Reading:
    """What files say, as far as they say it rightly."""

    config: AgentConfig
    unfinished: tuple[HookDraft, ...]
    """Hooks of which something could not be read, and which are therefore not in the configuration."""


def read_agent(
    files: Sequence[tuple[str, Body]],
    programs: Mapping[str, Program],
    complain: Complain,
    options: Options = PARITY,
) -> Reading:
    """What files (name and body, in order of their rank) say together."""
    if options.hook_attributes:
        files = [(name, _with_labels(body, complain)) for name, body in files]
    for _, body in files:
        schema.check(body, schema.AGENT, complain, inside="agent.hcl", place=None)
    blocks = [((rank, block.offset), block) for rank, (_, body) in enumerate(files) for block in body.blocks]
    schema.check_unique((block for _, block in blocks if block.type in schema.UNIQUE), complain)
    drafts = [_hook(block, position, complain) for position, block in blocks if block.type == "hook"]
    settings = next((_settings(block.body, complain) for _, block in blocks if block.type == "settings"), Settings())
    if "default_hook_timeout_ms" in settings.unread:
        drafts = [replace(draft, is_deadline_unread=draft.timeout_ms is None) for draft in drafts]
    hooks = [draft.finished() for draft in drafts]
    policies = [_policy(block, complain) for _, block in blocks if block.type == "policy"]
    rules = tuple(rule for rule in policies if rule is not None)
    _check_conflicts(rules, complain)
    profiles: dict[str, AgentProfile] = {}
    for profile in (_profile(block, complain) for _, block in blocks if block.type == "agent_profile" and block.labels):
        profiles.setdefault(profile.name, profile)
    config = AgentConfig(
        files=tuple(name for name, _ in files),
        providers=tuple(_providers(blocks, programs, complain)),
        hooks=tuple(hook for hook in hooks if hook is not None),
        settings=settings,
        policies=rules,
        profiles=tuple(profiles.values()),
    )
    return Reading(config, tuple(draft for draft, hook in zip(drafts, hooks, strict=True) if hook is None))


def _places(body: Body) -> Iterator[tuple[str, Place]]:
    """Where the values of a block stand: its arguments, the texts of lists, the arguments of the blocks in it."""
    for attribute in body.attributes:
        yield attribute.name, attribute.expression.place
        value = evaluate(attribute.expression, _ignore)
        for item in value.items if isinstance(value, ListOf) else ():
            if isinstance(item, Scalar):
                yield f"{attribute.name}.{item.value}", item.place
    for block in body.blocks:
        yield block.type, block.place
        for attribute in block.body.attributes:
            yield f"{block.type}.{attribute.name}", attribute.expression.place


def _ignore(message: str, place: Place, fix: str) -> None:
    """Whoever takes the value tells what is wrong with it."""


# -- hooks -------------------------------------------------------------------------------------------------------


def _hook(block: Block, position: Position, complain: Complain) -> HookDraft:
    arguments = Arguments(block.body, complain)
    places = dict(_places(block.body))
    label = block.labels[0] if block.labels else UNREAD
    if label is not UNREAD:
        places["point"] = label.place
    timeout_ms = arguments.take("timeout_ms", whole_number)
    return HookDraft(
        point=None if label is UNREAD else label.text,
        provider=arguments.take("provider", text),
        mode=arguments.take("mode", mode),
        timeout_ms=timeout_ms,
        is_deadline_unread="timeout_ms" in arguments.unread,
        place=block.place,
        position=position,
        places=MappingProxyType(places),
    )


UNREAD: Final = Label("", Place("", 0, 0))
"""In place of the label of a hook whose point has no usable value, which has been told."""


def _with_labels(body: Body, complain: Complain) -> Body:
    """A file in which hooks that name their point by an argument have it as their label (spec C.3)."""
    return Body(body.attributes, tuple(_with_label(block, complain) for block in body.blocks))


def _with_label(block: Block, complain: Complain) -> Block:
    point = block.body.attribute("point")
    if point is None or block.type != "hook" or block.labels:
        return block
    name = text(constant(point, complain), complain)
    label = UNREAD if name is None else Label(name, point.expression.place)
    rest = tuple(attribute for attribute in block.body.attributes if attribute is not point)
    return replace(block, labels=(label,), body=replace(block.body, attributes=rest))


# -- settings ----------------------------------------------------------------------------------------------------


def _settings(body: Body, complain: Complain) -> Settings:
    arguments = Arguments(body, complain)
    plain = Settings()
    parts = {block.type: block.body for block in body.blocks}  # the last one of a type counts
    doom_loop = Arguments(parts.get("doom_loop", Body()), complain)
    settings = Settings(
        default_frontend=arguments.take("default_frontend", text),
        log_level=arguments.take("log_level", choice(*LOG_LEVELS)),
        telemetry=arguments.take("telemetry", flag),
        default_hook_timeout_ms=arguments.take_or(
            "default_hook_timeout_ms", whole_number, plain.default_hook_timeout_ms
        ),
        default_tool_timeout_ms=arguments.take_or(
            "default_tool_timeout_ms", whole_number, plain.default_tool_timeout_ms
        ),
        max_depth=arguments.take("max_depth", whole_number),
        retry=_retry(parts.get("retry", Body()), complain),
        observability=_observability(parts.get("observability", Body()), complain),
        event_bus=_event_bus(parts.get("event_bus", Body()), complain),
        doom_loop=_doom_loop(doom_loop),
        places=MappingProxyType(dict(_places(body))),
    )
    unread = arguments.unread | {f"doom_loop.{name}" for name in doom_loop.unread}
    return replace(settings, unread=frozenset(unread))


def _retry(body: Body, complain: Complain) -> Retry:
    arguments, plain = Arguments(body, complain), Retry()
    return Retry(
        base_delay_ms=arguments.take_or("base_delay_ms", whole_number, plain.base_delay_ms),
        backoff_factor=arguments.take_or("backoff_factor", number, plain.backoff_factor),
        max_retries=arguments.take_or("max_retries", whole_number, plain.max_retries),
    )


def _observability(body: Body, complain: Complain) -> Observability:
    arguments, plain = Arguments(body, complain), Observability()
    return Observability(
        endpoint=arguments.take_or("endpoint", text, plain.endpoint),
        protocol=arguments.take_or("protocol", choice(*PROTOCOLS), plain.protocol),
        sampling_ratio=arguments.take_or("sampling_ratio", number, plain.sampling_ratio),
        traces_enabled=arguments.take_or("traces_enabled", flag, plain.traces_enabled),
        metrics_enabled=arguments.take_or("metrics_enabled", flag, plain.metrics_enabled),
        logs_enabled=arguments.take_or("logs_enabled", flag, plain.logs_enabled),
        export_interval_ms=arguments.take_or("export_interval_ms", whole_number, plain.export_interval_ms),
        service_name=arguments.take_or("service_name", text, plain.service_name),
        resource_attrs=arguments.take_or("resource_attrs", text_map, plain.resource_attrs),
    )


def _event_bus(body: Body, complain: Complain) -> EventBus:
    bound = Arguments(body, complain).take("subscribe_queue_bound", whole_number)
    return EventBus() if bound is None else EventBus(bound)


def _doom_loop(arguments: Arguments) -> DoomLoop:
    plain = DoomLoop()
    return DoomLoop(
        window_size=arguments.take_or("window_size", whole_number, plain.window_size),
        threshold=arguments.take_or("threshold", whole_number, plain.threshold),
    )


# -- policies ----------------------------------------------------------------------------------------------------


def _policy(block: Block, complain: Complain) -> PolicyRule | None:
    arguments = Arguments(block.body, complain)
    match = arguments.take("match", _match)
    action = arguments.take("action", choice(*ACTIONS))
    if match is None or action is None or not block.labels:
        return None
    return PolicyRule(
        name=block.labels[0].text,
        tool_name=match["tool_name"],
        provider=match["provider"],
        risk=match["risk"],
        kind=match["kind"],
        action=action,
        place=block.place,
    )


def _match(attribute: Attribute, complain: Complain) -> Mapping[str, str | None] | None:
    """What a rule looks for, by key; None when something of it could not be read."""
    entries = members(attribute, complain, f"an object with any of {schema.listed(MATCH_KEYS, 'and')}")
    if entries is None:
        return None
    readers = {"tool_name": text, "provider": text, "risk": choice(*RISKS), "kind": _kind}
    match: dict[str, str | None] = dict.fromkeys(MATCH_KEYS)
    is_whole = True
    for entry in entries:
        key = entry.name.removeprefix(f"{attribute.name}.")
        if key not in readers:
            message = f"{key!r} is no key of a match, so it is ignored and the rule matches more than it says"
            complain(problem("unknown-match-key", message, entry.place, fix=schema.nearest(key, MATCH_KEYS)))
        else:
            match[key] = readers[key](entry, complain)
            is_whole = is_whole and match[key] is not None
    return match if is_whole else None


def _kind(attribute: Attribute, complain: Complain) -> str | None:
    match attribute.expression:
        case Scalar("interactive", place=place):
            message = "no rule can name interactive calls; one that names no kind is about them as well"
            complain(problem("ErrInvalidValue", message, place, fix=f"use {schema.listed(KINDS, 'or')}"))
            return None
        case _:
            return choice(*KINDS)(attribute, complain)


def _check_conflicts(rules: Sequence[PolicyRule], complain: Complain) -> None:
    """Tell about each rule that looks for what one before it looks for, even if both say the same (spec C.5)."""
    told: set[int] = set()
    for (_, first), (late, second) in combinations(enumerate(rules), 2):
        if first.match == second.match and late not in told:
            told.add(late)
            message = f"rule {second.name!r} matches what rule {first.name!r} at {first.place} matches"
            fix = "remove one of them, or match something that only one is about"
            complain(problem("ErrConflictingRules", message, second.place, fix=fix))


# -- profiles ----------------------------------------------------------------------------------------------------


def _profile(block: Block, complain: Complain) -> AgentProfile:
    arguments = Arguments(block.body, complain)
    model = block.body.of_type("model")[-1:]
    return AgentProfile(
        name=block.labels[0].text,
        tools=arguments.take_or("tools", texts, ()),
        slash_commands=arguments.take_or("slash_commands", texts, ()),
        max_turns=arguments.take("max_turns", whole_number),
        max_cost_usd=arguments.take("max_cost_usd", number),
        max_wall_clock_s=arguments.take("max_wall_clock_s", whole_number),
        max_depth=arguments.take("max_depth", whole_number),
        max_concurrent_subagents=arguments.take("max_concurrent_subagents", whole_number),
        model=_model(model[0], complain) if model else None,
        place=block.place,
        places=MappingProxyType(dict(_places(block.body))),
    )


def _model(block: Block, complain: Complain) -> ModelChoice | None:
    if not block.body.of_type("primary"):
        complain(problem("ErrMissingField", "a model block needs a primary block", block.place))
    primary = [_model_ref(each.body, complain) for each in block.body.of_type("primary")[:1]]
    fallbacks = [_model_ref(each.body, complain) for each in block.body.of_type("fallback")]
    if not primary or primary[0] is None:
        return None
    return ModelChoice(primary[0], tuple(each for each in fallbacks if each is not None))


def _model_ref(body: Body, complain: Complain) -> ModelRef | None:
    arguments = Arguments(body, complain)
    provider, model = arguments.take("provider", text), arguments.take("id", text)
    return None if provider is None or model is None else ModelRef(provider, model)


# -- providers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Requirement:
    """One entry of required_providers."""

    source: str
    version: str
    category: str
    place: Place


def _providers(
    blocks: Iterable[tuple[Position, Block]], programs: Mapping[str, Program], complain: Complain
) -> Iterator[Provider]:
    """Every provider that has a block, a requirement or a program, each once."""
    required: dict[str, _Requirement] = {}
    declared: dict[str, tuple[Position, Block]] = {}
    for position, block in blocks:
        if block.type == "required_providers":
            for attribute in block.body.attributes:
                required.setdefault(attribute.name, _requirement(attribute, complain))
        elif block.type == "provider" and block.labels:
            declared.setdefault(block.labels[0].text, (position, block))
    for name in dict.fromkeys((*declared, *required, *programs)):
        yield _provider(name, declared.get(name), required.get(name), programs.get(name), complain)


def _provider(
    name: str,
    declared: tuple[Position, Block] | None,
    requirement: _Requirement | None,
    program: Program | None,
    complain: Complain,
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
        environment=() if block is None else tuple(environment.variables(block.body, complain)),
        body=Body() if block is None else environment.without(block.body),
    )


def _reach(program: Program) -> GoPlugin:
    return GoPlugin(argv=program.argv, method=METHOD, cookie=COOKIE, protocol_version=PROTOCOL_VERSION, cwd=program.cwd)


def _category(attribute: Attribute, complain: Complain) -> str | None:
    """A key that only we know, so that nothing about it is an error."""
    match attribute.expression:
        case Scalar(str() as value) if value in CATEGORIES:
            return value
        case Scalar(str() as value):
            fix = schema.nearest(value, CATEGORIES)
        case _:
            fix = f"use {schema.listed(CATEGORIES, 'or')}"
    message = f"{attribute.name} is none that there is, so the provider counts as a {DEFAULT_CATEGORY}"
    complain(problem("unknown-category", message, attribute.expression.place, fix=fix))
    return None


def _requirement(attribute: Attribute, complain: Complain) -> _Requirement:
    """What an entry requires. One that cannot be read still says that there is such a provider."""
    attribute = constant(attribute, complain)
    entries = members(attribute, complain, "an object with source and version")
    if entries is None:
        return _Requirement("", "", DEFAULT_CATEGORY, attribute.place)
    readers = {"source": text, "version": text, "category": _category}
    found: dict[str, str | None] = {}
    for entry in entries:
        key = entry.name.removeprefix(f"{attribute.name}.")
        if key in readers:
            found[key] = readers[key](entry, complain)
        else:
            message = f"{entry.name} is ignored"
            complain(problem("unknown-field", message, entry.place, fix=schema.nearest(key, readers)))
    missing = [key for key in ("source", "version") if key not in found]
    if missing:
        message = f"{attribute.name} has no {schema.listed(missing, 'and no')}"
        complain(problem("ErrMissingField", message, attribute.place))
    category = found.get("category") or DEFAULT_CATEGORY
    return _Requirement(found.get("source") or "", found.get("version") or "", category, attribute.place)
