"""The values that cross every border of the kernel: frozen, compared by content, free of I/O.

A dialect gives them meaning, a transport carries them, the dispatch loop hands them around. What happened
during a dispatch is told in facts (`kernel/facts.py`), not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Protocol, TypeAlias

from kernel.reach import Reach

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""What a payload looks like to people, diffs and conditions."""


_NOTHING: Final[Mapping[str, JSON]] = MappingProxyType({})


class Payload(Protocol):
    """What a chain is asked about. Immutable: a changed payload is a new one."""

    @property
    def body(self) -> bytes:
        """The dialect's own form, as it is sent and kept."""
        ...

    @property
    def view(self) -> JSON:
        """The same as JSON, computed when first asked for. Callers must not change it."""
        ...

    @property
    def digest(self) -> str:
        """Hash of `body`: payloads with equal digests are kept once."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written: lines and columns count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Producer:
    """The exact build of a subscriber."""

    name: str
    version: str = ""
    source: str = ""
    category: str = ""
    protocol_version: int = 0


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscriber's seat in the chain of one point."""

    name: str
    point: str
    mode: str
    timeout_ms: int | None = None
    """Milliseconds for one answer; None where the dialect knows no deadline."""
    producer: Producer | None = None
    reach: Reach | None = None
    """How to reach the subscriber; None when the caller brings a live one."""
    place: Place | None = None
    id: str = ""
    """Tells several seats of one subscriber at one point apart; empty where the dialect sends no such thing."""
    options: Mapping[str, JSON] = field(default_factory=lambda: _NOTHING, hash=False)
    """What else the dialect knows of the seat, in its own words. Callers must not change it."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The ordered subscriptions of one point."""

    point: str
    subscriptions: tuple[Subscription, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """A walk's wish to have one subscriber asked now."""

    step: int
    """Number of this step in its dispatch, from 0; the identity of the ask."""
    subscription: Subscription
    payload: Payload
    request: bytes
    """What goes over the wire."""
    timeout_ms: int | None
    phase: str = ""
    """What the subscriber is asked to do, in dialects that ask one subscriber more than one thing."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """One handing over of a request, where a host hands it over again after a failure: then it happened twice."""

    request_id: int
    """As the transport numbers what it sends."""
    because: str = ""
    """What the one before came to; empty for the first."""
    attempt: int = 0
    """Number of the restart before it, counted as the host counts; 0 = none."""
    delay_ms: float = 0.0
    """How long the host waited before that restart."""
    pid: int | None = None
    """Of the process that it went to, where there was one."""
    at_ms: float = field(default=0.0, compare=False)
    """Milliseconds after the call began. Measured, and no part of what happened, like the next."""
    took_ms: float = field(default=0.0, compare=False)
    """Milliseconds until it was answered, or had failed."""
    restart_count: int = 0
    """How often the subscriber had been started again by then, ever."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer came, in the wire form in which the subscriber sent it."""

    body: bytes
    deliveries: tuple[Delivery, ...] = ()
    """Every one, where the subscriber had to be started again for it; empty where there was just one."""


@dataclass(frozen=True, slots=True)
class Empty:
    """The subscriber came back with nothing at all (in process: it returned None)."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The transport's own word for no answer."""

    code: str
    """A gRPC status name, a JSON-RPC code, an exception's class."""
    message: str
    deliveries: tuple[Delivery, ...] = ()
    """Every one, where the subscriber had to be started again for it; empty where there was just one."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The subscriber's process is gone."""

    message: str
    deliveries: tuple[Delivery, ...] = ()
    """Every one, where the subscriber had to be started again for it; empty where there was just one."""


@dataclass(frozen=True, slots=True)
class TimedOut:
    """No answer before the deadline."""

    after_ms: float


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The caller gave up on the whole dispatch; says nothing about the subscriber."""

    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """Whoever steers decided that this subscriber is left out."""

    by: str


Outcome: TypeAlias = Answered | Empty | Failed | Crashed | TimedOut | Cancelled | Skipped
"""What asking one subscriber gave. A closed set: matching it must be exhaustive."""


class Effect(StrEnum):
    """What the dialect makes of an outcome, for the rest of the chain."""

    CONTINUE = "continue"
    """The next subscriber is asked about the same payload."""
    REPLACE = "replace"
    """The next subscriber is asked about the payload this one gave."""
    STOP = "stop"
    """The chain ends here with a decision."""
    ABORT = "abort"
    """The chain ends here without one."""


class Status(StrEnum):
    """How one step ended, in the word that a row of the screen shows."""

    OK = "ok"
    CHANGED = "changed"
    DENIED = "denied"
    ERROR = "error"
    TIMED_OUT = "timed out"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"


class Ending(StrEnum):
    """How a dispatch ended."""

    FINISHED = "finished"
    """Every subscriber had its say, or one decided."""
    ABORTED = "aborted"
    """A failure left no usable payload."""
    CANCELLED = "cancelled"
    """The caller gave up, or was stopped."""
    REFUSED = "refused"
    """The payload could not be dispatched at all; nobody was asked."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a dispatch gives its caller."""

    ending: Ending
    payload: Payload | None
    decision: str
    """The dialect's word; `unspecified` means that there is no verdict."""
    decided_by: str = ""
    error: str = ""
    """The dialect's error name and its cause; empty when there is none."""
    rule: str = ""
    extras: Mapping[str, JSON] = field(default_factory=dict)
    """What only one dialect returns."""
    status: Status = Status.OK
    """How the decision is to be looked at, for people who do not know the dialect's words."""
