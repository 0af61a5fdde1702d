"""Playing a described session: what the host would do by itself is scripted, every hook is real.

A dialect says what a description means and in which order its points are reached (`Playable`); whoever plays it brings
the dispatches, the clock and somebody to ask (`Stage`). Neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from kernel.asking import Resolver
from kernel.clock import REAL, Caller, Clock
from kernel.control import Control
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.probe import Probes
from kernel.stretch import random_id
from kernel.subscriber import Subscriber
from kernel.values import JSON, Chain, Payload, Result


class Fire(Protocol):
    """Dispatches a payload at a point, inside the stretch named as parent, on the stage's clock."""

    async def __call__(self, point: str, payload: Payload, parent: str, caller: Caller) -> Result: ...


class Bring(Protocol):
    """Brings somebody whom the host asks outside of any chain, by name; one that died is started again first."""

    async def __call__(self, name: str) -> Subscriber: ...


async def _bring_nobody(name: str) -> Subscriber:
    raise KeyError(f"no live subscriber for {name!r}")


@dataclass(frozen=True, slots=True)
class Stage:
    """What a session is played on. Its clock has to be the one that `fire` dispatches on."""

    fire: Fire
    probes: Probes = field(default_factory=Probes)
    clock: Clock = REAL
    caller: Caller = field(default_factory=Caller)
    """Whoever wants the session; once it gives up, the session is cancelled."""
    resolver: Resolver | None = None
    """Before the description's own answers, which count when there is none here."""
    new_id: Callable[[], str] = random_id
    bring: Bring = _bring_nobody
    """For those in `Setup.others` only."""


@dataclass(frozen=True, slots=True)
class Played:
    """How a session ended."""

    is_fine: bool
    status: str
    """In the dialect's words."""
    reason: str
    why: str
    totals: Mapping[str, JSON]
    """What it came to, such as turns and cost."""


class Playable(Protocol):
    """A described session, read and checked; nothing of it has happened."""

    @property
    def details(self) -> frozenset[str]:
        """Kinds of stretches that a short account leaves out unless they went wrong."""
        ...

    def label(self, payload: Payload) -> str:
        """What a payload is about where its point does not say it, such as a tool; empty where it does."""
        ...

    async def play(self, stage: Stage) -> Played:
        """Play it to its end. A caller that gives up ends it early and is told the result like anybody else."""
        ...


def fire_with(
    dialect: Dialect,
    chains: Mapping[str, Chain],
    subscribers: Mapping[str, Subscriber],
    *,
    probes: Probes,
    control: Control | None = None,
    clock: Clock = REAL,
) -> Fire:
    """The plain way to dispatch: against these subscribers, whoever they are at that moment."""

    async def fire(point: str, payload: Payload, parent: str, caller: Caller) -> Result:
        return await dispatch(
            dialect,
            chains.get(point) or Chain(point),
            payload,
            subscribers,
            probes=probes,
            control=control,
            clock=clock,
            caller=caller,
            parent=parent,
        )

    return fire
