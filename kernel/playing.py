"""Playing a described session: what the host would do by itself is scripted, every hook is real.

A dialect says what a description means and in which order its points are reached (`Playable`); whoever plays it brings
the dispatches, the clock and somebody to ask (`Stage`). Neither knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Protocol

from kernel.asking import Resolver
from kernel.clock import REAL, Caller, Clock
from kernel.control import Control
from kernel.dialect import Dialect
from kernel.dispatch import dispatch
from kernel.probe import Probes
from kernel.stretch import random_id
from kernel.subscriber import Subscriber
from kernel.values import JSON, Chain, Payload, Result


def _as_it_is(chain: Chain) -> Chain:
    return chain


@dataclass(frozen=True, slots=True)
class Course:
    """How a dispatch of a played session goes where it does not go as the configuration says."""

    switches: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    """Thrown for this dispatch only."""
    seats: Callable[[Chain], Chain] = _as_it_is
    """From the chain of the configuration to the chain as it is by now."""
    own: Mapping[str, Subscriber] = field(default_factory=lambda: MappingProxyType({}))
    """Who plays for the host itself in this dispatch, where nobody was brought for that."""
    room: dict[str, object] | None = None
    """What subscribers in our own process find there at its start; None is nothing."""


USUAL: Final = Course()
"""As the configuration says."""


class Fire(Protocol):
    """Dispatches a payload at a point, inside the stretch named as parent, on the stage's clock."""

    async def __call__(
        self, point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL
    ) -> Result: ...


class Bring(Protocol):
    """Brings somebody whom the host asks outside of any chain, by name; one that died is started again first."""

    async def __call__(self, name: str) -> Subscriber: ...


class Load(Protocol):
    """Ends the process of a subscriber, and starts another one where it is wanted again; says why there is none.

    Empty where all is well, and for somebody who has no process.
    """

    async def __call__(self, name: str, *, is_wanted: bool) -> str: ...


async def _bring_nobody(name: str) -> Subscriber:
    raise KeyError(f"no live subscriber for {name!r}")


async def _load_nobody(name: str, *, is_wanted: bool) -> str:
    return ""


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
    """For those in `Setup.others`, and for those with a seat."""
    load: Load = _load_nobody
    switches: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    """Those of the dialect that `fire` dispatches with."""
    chain: Callable[[str], Chain] = Chain
    """The chain of a point as `fire` has it, before any course."""
    refused: frozenset[str] = frozenset()
    """Names of those who could not be loaded before the session, and so sit nowhere."""


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
    seated: Callable[[Chain], Chain] = _as_it_is,
) -> Fire:
    """The plain way to dispatch: against these subscribers, whoever they are at that moment.

    `seated` is the chain as it is at that moment, before any course.
    """

    async def fire(point: str, payload: Payload, parent: str, caller: Caller, course: Course = USUAL) -> Result:
        return await dispatch(
            dialect,
            course.seats(seated(chains.get(point) or Chain(point))),
            payload,
            subscribers,
            probes=probes,
            control=control,
            clock=clock,
            caller=caller,
            parent=parent,
            switches=course.switches,
            own=course.own,
            room=course.room,
        )

    return fire
