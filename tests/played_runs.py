"""What tests of played sessions share: a session in a few words, stubs for its hooks, and everything it showed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dispatch_runs import MODES, on_virtual_time
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pluggable_answers import ANSWERS

from kernel import Caller, Chain, Probes, Subscription, VirtualClock
from kernel.asking import Resolver
from kernel.control import Control
from kernel.dialects.pluggable import PLUGGABLE
from kernel.dialects.pluggable.agent_hcl.settings import AgentProfile, Settings
from kernel.dialects.pluggable.sections import Contributor
from kernel.dialects.pluggable.session.contributing import ContextPlugin
from kernel.dialects.pluggable.session.loading import load
from kernel.dialects.pluggable.session.played import Script
from kernel.dialects.pluggable.session.policy import Rule
from kernel.facts import Decided, Entered, Event, Fact, Left, Opened, Raised
from kernel.faults import Die, FarSide, Hang, Refuse
from kernel.playing import Played, Stage, fire_with
from kernel.subscriber import Subscriber
from kernel.telemetry import Telemetry
from kernel.transports.stub import Stub
from kernel.values import JSON, Producer

TOOLS: list[JSON] = [
    {"name": "fs.write", "kind": "resource", "risk": "low"},
    {"name": "fs.close", "kind": "resource", "risk": "low", "terminates_turn": True},
    {"name": "shell.run", "kind": "resource", "risk": "high"},
    {"name": "fs.read", "kind": "data_source"},
    {"name": "ui.ask", "kind": "interactive"},
]


@dataclass(frozen=True)
class PolicyRule:
    """A policy rule as the configuration has it."""

    name: str
    action: str
    tool_name: str | None = None
    provider: str | None = None
    risk: str | None = None
    kind: str | None = None


ALLOW_ALL = (PolicyRule("all", "allow"),)


def calls(text: str) -> list[JSON]:
    """`fs.write a, fs.read b` as calls; the word is the call's id and its only argument."""
    found: list[JSON] = []
    for each in text.split(", "):
        tool, word = each.split()
        found.append({"tool": tool, "id": word, "arguments": {"word": word}})
    return found


def session(*turns: str | dict[str, Any], **more: JSON) -> dict[str, JSON]:
    """A description whose turns are calls in a line, or JSON; after them comes a plain answer."""
    said: list[JSON] = [{"calls": calls(each)} if isinstance(each, str) else each for each in turns]
    return {
        "session": "s",
        "profile": "test",
        "models": [{"provider": "p", "id": "m"}],
        "messages": [{"text": "hello"}],
        "tools": TOOLS,
        "turns": [*said, {"says": "done"}],
        **more,
    }


def script(  # every option is a part of a script that some test varies
    view: Mapping[str, JSON],
    *,
    rules: Sequence[Rule] = ALLOW_ALL,
    settings: Settings | None = None,
    contributors: tuple[Contributor, ...] | None = None,
    tools: tuple[str, ...] = ("fs.*", "shell.*", "ui.*"),
    profiles: tuple[AgentProfile, ...] = (),
    context_plugins: tuple[ContextPlugin, ...] = (),
    **bounds: Any,
) -> Script:
    profile = AgentProfile("test", tools, **bounds)
    return Script(
        load(dict(view), "test"),
        profile,
        tuple(rules),
        settings or Settings(),
        contributors,
        profiles,
        context_plugins,
    )


def chain(point: str, text: str) -> tuple[Chain, dict[str, Stub]]:
    """`A:v allow, B:o hang` as a chain of a point, and its subscribers."""
    seats, stubs = [], {}
    for each in filter(None, text.split(", ")):
        label, _, does = each.partition(" ")
        name, mode = label.split(":")
        seats.append(Subscription(name, point, MODES[mode], 1000, Producer(name.lower(), "1", category="tool")))
        stubs[name] = stub(does)
    return Chain(point, tuple(seats)), stubs


def stub(does: str) -> Stub:
    trouble: FarSide | None = None
    if does == "hang":
        trouble = Hang()
    elif does == "crash":
        trouble = Die()
    elif does.startswith("E "):
        trouble = Refuse(does[2:], "as told")
    return Stub(ANSWERS.get(does, lambda request: b""), 0, trouble)


def deny_word(word: str) -> Stub:
    """A veto at pre-tool-call that denies the call with this id only."""

    def reply(request: bytes) -> bytes | None:
        from pluggable_answers import given

        is_it = given(request).pre_tool_call.call.id == word
        return ANSWERS["deny" if is_it else "allow"](request)

    return Stub(reply)


@dataclass
class Run:
    """Everything that a played session showed."""

    events: list[Event] = field(default_factory=list)
    played: Played | None = None
    spans: list[ReadableSpan] = field(default_factory=list)
    reader: InMemoryMetricReader = field(default_factory=InMemoryMetricReader)
    took_ms: float = 0

    def see(self, event: Event) -> None:
        self.events.append(event)

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """By name and attributes, both without the prefix: how much, or for a histogram how many and their sum."""
        data = self.reader.get_metrics_data()
        return {
            metric.name.removeprefix("pluggableharness."): {
                _said(point.attributes or {}): point.value if hasattr(point, "value") else (point.count, point.sum)
                for point in metric.data.data_points
            }
            for resource in (data.resource_metrics if data else [])
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    @property
    def facts(self) -> list[Fact]:
        return [event.fact for event in self.events]

    def payloads(self, point: str) -> list[Any]:
        """What the chains of a point were asked about, as JSON."""
        return [each.payload.view for each in self.facts if isinstance(each, Opened) and each.chain.point == point]

    @property
    def hooks(self) -> list[str]:
        """The points that were reached, with the call where there is one."""
        found = []
        for fact in self.facts:
            if isinstance(fact, Opened):
                call = fact.payload.view.get("call")  # type: ignore[union-attr]
                found.append(f"{fact.chain.point}({call['id']})" if call else fact.chain.point)  # type: ignore[call-overload,index]
        return found

    @property
    def decided(self) -> list[str]:
        """Every decision of the host: about what, what, by whom."""
        return [f"{each.subject} {each.decision} {each.by}" for each in self.facts if isinstance(each, Decided)]

    @property
    def rules(self) -> list[str]:
        return [each.rule for each in self.facts if isinstance(each, Decided)]

    @property
    def raised(self) -> list[str]:
        return [f"{each.subscription.name} {each.category}" for each in self.facts if isinstance(each, Raised)]

    def stretches(self, kind: str) -> list[tuple[Entered, Left, float, float]]:
        """Every stretch of a kind: its ends, and when they were in milliseconds."""
        begun = {e.dispatch: e for e in self.events if isinstance(e.fact, Entered) and e.fact.kind == kind}
        over = {e.dispatch: e for e in self.events if isinstance(e.fact, Left)}
        return [
            (begun[key].fact, over[key].fact, begun[key].at_ns / 1e6, over[key].at_ns / 1e6)  # type: ignore[misc]
            for key in begun
        ]


def _said(attributes: Mapping[str, Any]) -> str:
    """`a=1 b=2`, without the prefix that they all have."""
    return " ".join(f"{key.removeprefix('pluggableharness.')}={value}" for key, value in sorted(attributes.items()))


Body = Callable[[VirtualClock], Awaitable[None]]


def run(
    played: Script,
    chains: Mapping[str, str] | None = None,
    *,
    resolver: Resolver | None = None,
    control: Control | None = None,
    gives_up_ms: float | None = None,
    stubs: Mapping[str, Stub] | None = None,
    others: Mapping[str, Subscriber] | None = None,
) -> Run:
    """Play a script on virtual time against stubs."""
    seen, exported = Run(), InMemorySpanExporter()
    tracers = TracerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(exported))
    telemetry = Telemetry({"pluggable": PLUGGABLE}, tracers, MeterProvider([seen.reader]))
    made: dict[str, Chain] = {}
    subscribers: dict[str, Stub] = {}
    for point, text in (chains or {}).items():
        made[point], fresh = chain(point, text)
        subscribers |= fresh
    subscribers |= stubs or {}

    async def body(clock: VirtualClock) -> None:
        probes, caller = Probes(seen, telemetry), Caller()
        if gives_up_ms is not None:
            clock.call_at(round(gives_up_ms * 1e6), lambda: caller.cancel("enough"))
        fire = fire_with(PLUGGABLE, made, subscribers, probes=probes, control=control, clock=clock)

        async def bring(name: str) -> Subscriber:
            return (others or {})[name]

        seen.played = await played.play(Stage(fire, probes, clock, caller, resolver, bring=bring))
        seen.took_ms = clock.now_ns() / 1e6

    on_virtual_time(body)
    seen.spans = list(exported.get_finished_spans())
    return seen
