"""Context providers that are plugins: asked over the context service of their process (spec B.11)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final, NoReturn, assert_never

from google.protobuf.message import DecodeError

from kernel.clock import Caller, Clock
from kernel.consulting import consult
from kernel.dialects.pluggable import context_wire
from kernel.dialects.pluggable.agent_hcl.registry import context_providers, without_program
from kernel.dialects.pluggable.agent_hcl.settings import AgentConfig
from kernel.dialects.pluggable.points import CAPABILITIES, CONTEXT_ASSEMBLE
from kernel.dialects.pluggable.sections import Capabilities, ContextRequest, ContributeError, Contribution, late
from kernel.errors import BadInput, HookscopeError
from kernel.playing import Bring
from kernel.values import Answered, Cancelled, Crashed, Empty, Failed, Outcome, Producer, Skipped, TimedOut

MOST_LINES: Final = 50
"""Lines of what a provider prints during one call that are kept."""


@dataclass(frozen=True, slots=True)
class ContextPlugin:
    """A context provider of the configuration."""

    producer: Producer
    timeout_ms: int

    @property
    def name(self) -> str:
        return self.producer.name


def context_plugins(agent: AgentConfig, described: Collection[str]) -> tuple[ContextPlugin, ...]:
    """The context providers of a configuration. Those that are described need no program; raises BadInput for others.

    The specification knows no deadline for context; that of hooks is taken, so that nobody can hang a session.
    """
    providers = context_providers(agent)
    for each in providers:
        if each.reach is None and each.name not in described:
            missing = without_program(each, each.place)
            raise BadInput(missing.message, place=missing.place, fix=f"{missing.fix}, or describe what it contributes")
    return tuple(
        ContextPlugin(
            Producer(each.name, each.version, each.source, each.category), agent.settings.default_hook_timeout_ms
        )
        for each in providers
    )


class GaveUp(HookscopeError):
    """The caller gave up while a provider was asked: nobody's failure."""


@dataclass(frozen=True, slots=True)
class Link:
    """How plugins are asked during a session."""

    bring: Bring
    clock: Clock
    caller: Caller

    async def asked(self, plugin: ContextPlugin, point: str, request: bytes) -> tuple[Outcome, tuple[str, ...]]:
        """What a call gave, and what was printed meanwhile. One that died before is first started again."""
        printed: list[str] = []

        def hear(stream: str, line: str) -> None:
            if len(printed) < MOST_LINES:
                printed.append(line)

        subscriber = await self.bring(plugin.name)
        outcome = await consult(
            subscriber,
            point,
            request,
            timeout_ms=plugin.timeout_ms,
            clock=self.clock,
            caller=self.caller,
            printed=hear,
        )
        return outcome, tuple(printed)


async def capabilities(plugin: ContextPlugin, link: Link) -> Capabilities:
    """What a plugin says of itself; one that does not say anything is usual. Raises ContributeError, GaveUp."""
    outcome, printed = await link.asked(plugin, CAPABILITIES, b"")
    if isinstance(outcome, Failed) and outcome.code == "UNIMPLEMENTED":
        return Capabilities()
    body = _body(outcome, plugin, printed)
    try:
        return context_wire.decode_capabilities(body)
    except DecodeError:
        _invalid("its capabilities cannot be decoded", printed)


@dataclass(frozen=True, slots=True)
class PluginContext:
    """A plugin that contributes, with what it said of itself."""

    plugin: ContextPlugin
    link: Link
    capabilities: Capabilities

    @property
    def name(self) -> str:
        return self.plugin.name

    @property
    def token_budget(self) -> int:
        return self.capabilities.token_budget

    @property
    def is_compactor(self) -> bool:
        return self.capabilities.is_compactor

    async def contribute(self, request: ContextRequest) -> Contribution:
        """Ask once; raises ContributeError, or GaveUp."""
        outcome, printed = await self.link.asked(self.plugin, CONTEXT_ASSEMBLE, context_wire.encode(request))
        body = _body(outcome, self.plugin, printed)
        try:
            contribution = context_wire.decode(body)
        except DecodeError:
            _invalid("its answer cannot be decoded", printed)
        return Contribution(contribution.sections, contribution.rewritten_history, printed)


def _body(outcome: Outcome, plugin: ContextPlugin, printed: tuple[str, ...]) -> bytes:
    """The bytes of an answer; anything else is raised as what it means for the turn."""
    match outcome:
        case Answered(body):
            return body
        case Empty():
            _invalid("it came back with nothing", printed)
        case TimedOut():
            raise late(plugin.timeout_ms, printed)
        case Crashed(message):
            raise ContributeError(message, rule="PL-CONTEXT-CRASHED", failure="crashed", printed=printed)
        case Failed("DEADLINE_EXCEEDED"):
            why = "it ended the call as late by itself"
            raise ContributeError(why, rule="PL-CONTEXT-TIMEOUT", failure="timed_out", printed=printed)
        case Failed(code, message):
            category = context_wire.category_of(code)
            says = f"{code}: {message}" if message else code
            why = f"{says} ({category})" if category else says
            raise ContributeError(why, category=category or "", printed=printed)
        case Cancelled(reason):
            raise GaveUp(reason)
        case Skipped(by):
            raise AssertionError(f"nobody steers this call, and so {by} could not leave it out")
        case never:
            assert_never(never)


def _invalid(why: str, printed: tuple[str, ...]) -> NoReturn:
    raise ContributeError(why, rule="PL-CONTEXT-INVALID", failure="invalid", printed=printed)
