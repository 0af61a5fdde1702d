"""What a host stored about a session of its own, as values: the session, events, failed subscribers, decisions, cost.

A dialect whose host keeps such files reads them (`open_state` of its module in the registry, `kernel/dialects`).
Whoever shows them knows only what is here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol, Self, TypeAlias

from kernel.values import JSON, Producer

RUNNING: Final = "running"
"""The one status that is no end."""


@dataclass(frozen=True, slots=True)
class SessionMeta:
    """What is stored about the session as a whole."""

    session_id: str
    parent_session_id: str | None
    profile: str
    status: str
    depth: int
    """How many sessions are around it."""
    started_at: str
    ended_at: str | None
    """None while it goes on, and where the host never came to write it."""

    @property
    def is_over(self) -> bool:
        """Whether the status is an end."""
        return self.status != RUNNING


@dataclass(frozen=True, slots=True)
class Decoded:
    """A payload that could be read."""

    message: str
    """Name of its message."""
    summary: str
    """One line about it. Holds text from outside, as it came."""
    view: JSON = field(repr=False)


@dataclass(frozen=True, slots=True)
class HookFailure:
    """A payload that tells of a failed subscriber."""

    point: str
    mode: str
    category: str
    message: str
    subscriber: Producer
    form: str
    """Name of the message in which it is stored."""
    summary: str
    """One line about it."""
    view: JSON = field(repr=False)


@dataclass(frozen=True, slots=True)
class Undecodable:
    """A payload that is kept as bytes, and why."""

    reason: str

    @property
    def summary(self) -> str:
        return f"not decoded: {self.reason}"


EventPayload: TypeAlias = Decoded | HookFailure | Undecodable
"""What reading a payload gave. A closed set: matching it must be exhaustive."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event. `sequence` is the order; the timestamp is only for people."""

    sequence: int
    id: str
    timestamp: str
    kind: str
    producer: Producer
    schema_version: str
    size: int
    """Bytes of the payload."""
    payload: EventPayload
    body: bytes = field(repr=False)
    """The payload as it is stored; empty where it is too large to be read."""


@dataclass(frozen=True, slots=True)
class PlanItemRow:
    """What was decided about one item of a plan."""

    sequence: int
    event_sequence: int
    turn_id: str
    call_id: str
    provider: str
    operation: str
    decision: str
    decided_by: str


@dataclass(frozen=True, slots=True)
class CostTotal:
    """What one model of one provider cost altogether."""

    provider: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    cost_usd: float


class StateFile(Protocol):
    """A file open for reading: `with open_state(path) as session`. Belongs to the thread that opened it.

    Every method reads what is in the file at that moment and raises BadInput where the file turns out to be damaged.
    """

    @property
    def meta(self) -> SessionMeta | None:
        """None where the host has not written it."""
        ...

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many events there are of each kind, the most frequent first."""
        ...

    def events(self, *, kind: str | None = None, last: int | None = None) -> Iterator[StoredEvent]:
        """Every event in order; only the `last` ones if a number is given."""
        ...

    def failures(self) -> Iterator[StoredEvent]:
        """Those events in order that tell of a failed subscriber, readable or not."""
        ...

    def plan_items(self) -> Iterator[PlanItemRow]:
        """Every decision on an item of a plan, in the order in which they were stored."""
        ...

    def cost_totals(self) -> tuple[CostTotal, ...]:
        """Sums for each provider and model, the dearest first."""
        ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *raised: object) -> None: ...
