"""What the blocks of an agent.hcl say, as values (spec C.1, C.5). They are read by `reading`, and judged elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, TypeAlias

from kernel.dialects.pluggable.points import Mode
from kernel.hcl import Attribute, Body
from kernel.reach import GoPlugin, Secret
from kernel.values import Place

LOG_LEVELS: Final = ("trace", "debug", "info", "warn", "error")
PROTOCOLS: Final = ("grpc", "http")
MATCH_KEYS: Final = ("tool_name", "provider", "risk", "kind")
"""What a policy rule can look at, the most specific first."""
RISKS: Final = ("read_only", "low", "moderate", "high", "critical")
KINDS: Final = ("resource", "data_source")
ACTIONS: Final = ("allow", "ask", "deny")
CATEGORIES: Final = ("model", "tool", "context", "memory", "frontend", "widget", "slashcommand")
DEFAULT_CATEGORY: Final = "tool"
CONTEXT: Final = "context"
"""The category of those that are asked for context at each turn."""

MOST_RETRIES: Final = 20
"""Retries of model calls in a whole session, whatever is configured (spec D.5)."""

NOWHERE: Final[Mapping[str, Place]] = MappingProxyType({})

Position: TypeAlias = tuple[int, int]
"""Rank of a file among its fellows and bytes before a block in it: sorting by it gives the order of declaration."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How the host repeats a call to a model."""

    base_delay_ms: int = 500
    backoff_factor: float = 2
    max_retries: int = 5


@dataclass(frozen=True, slots=True)
class Observability:
    """Where the host sends its telemetry."""

    endpoint: str = "localhost:4317"
    protocol: str = "grpc"
    sampling_ratio: float = 1.0
    traces_enabled: bool = True
    metrics_enabled: bool = True
    logs_enabled: bool = True
    export_interval_ms: int = 10_000
    service_name: str = "pluggableharness-agent"
    resource_attrs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class EventBus:
    subscribe_queue_bound: int = 1024


@dataclass(frozen=True, slots=True)
class DoomLoop:
    """When a model that repeats itself is taken to be caught in a loop."""

    window_size: int = 8
    threshold: int = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings block. Without one, everything that has a default has it and the rest is None."""

    default_frontend: str | None = None
    log_level: str | None = None
    telemetry: bool | None = None
    default_hook_timeout_ms: int = 5000
    default_tool_timeout_ms: int = 30_000
    max_depth: int | None = None
    """None is no limit; 0 is the limit 0."""
    retry: Retry = Retry()
    observability: Observability = Observability()
    event_bus: EventBus = EventBus()
    doom_loop: DoomLoop = DoomLoop()
    places: Mapping[str, Place] = field(default_factory=lambda: NOWHERE, compare=False, repr=False)
    """Where the values stand, by argument: `telemetry`, `retry.max_retries`; and the sub-blocks."""
    unread: frozenset[str] = field(default=frozenset(), compare=False)
    """The arguments, named like their places, that are there without a usable value: the default here means nothing."""


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """A policy block. What it looks for is None where it does not look; all None matches every call."""

    name: str
    tool_name: str | None
    provider: str | None
    risk: str | None
    kind: str | None
    action: str
    """`allow`, `ask` or `deny`."""
    place: Place

    @property
    def match(self) -> tuple[str | None, ...]:
        """What it looks for, in the order of MATCH_KEYS."""
        return (self.tool_name, self.provider, self.risk, self.kind)


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model of a provider."""

    provider: str
    id: str


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The model of a profile, and those that are tried when it cannot serve."""

    primary: ModelRef
    fallbacks: tuple[ModelRef, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """An agent_profile block; None is what it leaves open."""

    name: str
    tools: tuple[str, ...] = ()
    """`<provider>.<tool>` or `<provider>.*`; none grants nothing."""
    slash_commands: tuple[str, ...] = ()
    max_turns: int | None = None
    max_cost_usd: float | None = None
    max_wall_clock_s: int | None = None
    max_depth: int | None = None
    max_concurrent_subagents: int | None = None
    model: ModelChoice | None = None
    place: Place | None = None
    places: Mapping[str, Place] = field(default_factory=lambda: NOWHERE, compare=False, repr=False)
    """Where the values stand, by argument; `tools.<text>` for one in a list."""


def scope_parts(scope: str) -> tuple[str, str] | None:
    """Provider and tool (or `*`) of an entry of `tools`; None where the dot or a side of it is missing (spec C.7)."""
    provider, _, tool = scope.partition(".")
    return (provider, tool) if provider and tool else None


DEFAULT_PROFILE: Final = AgentProfile("default", max_turns=200, max_cost_usd=5.0, max_wall_clock_s=3600)
"""What an agent runs under when its configuration has no profile of this name (spec C.7)."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable for a provider's process: its value, or the expression that has it once ours are looked at."""

    name: str
    value: Secret | None
    taken_from: Attribute | None
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
    places: Mapping[str, Place] = field(default_factory=lambda: NOWHERE, compare=False, repr=False)
    """Where the point and the values stand, by argument."""


@dataclass(frozen=True, slots=True)
class AgentConfig:
    """What the files of one agent say, in the order of declaration."""

    files: tuple[str, ...] = ()
    providers: tuple[Provider, ...] = ()
    hooks: tuple[Hook, ...] = ()
    settings: Settings = Settings()
    policies: tuple[PolicyRule, ...] = ()
    profiles: tuple[AgentProfile, ...] = ()
