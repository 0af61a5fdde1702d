"""What a family of semantics offers to everybody else. The registry is `kernel/dialects/__init__.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from kernel.facts import Asked, Fact, Opened, Raised, Resolved
from kernel.faults import FaultKind
from kernel.values import JSON, Answered, Ask, Chain, Payload, Result
from kernel.walk import Walk


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule of a dialect."""

    id: str
    text: str
    """One sentence."""
    source: str
    """Section of the dialect's specification."""


class Spans(Protocol):
    """How a dialect's host names what it traces."""

    @property
    def scope(self) -> str:
        """Instrumentation scope."""
        ...

    @property
    def duration_metric(self) -> str: ...

    @property
    def errors_metric(self) -> str: ...

    def dispatch_span(self, opened: Opened) -> tuple[str, Mapping[str, str]]:
        """Name and attributes of the span of a dispatch."""
        ...

    def step_span(self, asked: Asked) -> tuple[str, Mapping[str, str]]:
        """Name and attributes of the span of one step."""
        ...

    def step_error(self, resolved: Resolved) -> str | None:
        """Message of the span's error, None when its status is OK."""
        ...

    def dispatch_error(self, result: Result) -> str | None:
        """Message of the span's error, None when its status is OK."""
        ...

    def duration_attributes(self, opened: Opened) -> Mapping[str, str]: ...

    def error_attributes(self, opened: Opened, raised: Raised) -> Mapping[str, str]: ...


class Dialect(Protocol):
    """A family of semantics: pure, so one instance serves any number of dispatches."""

    @property
    def name(self) -> str: ...

    @property
    def points(self) -> tuple[str, ...]:
        """Every point that can be dispatched, in the order of the host's loop."""
        ...

    @property
    def rules(self) -> Mapping[str, Rule]: ...

    @property
    def spans(self) -> Spans: ...

    @property
    def faults(self) -> tuple[FaultKind, ...]:
        """The fault catalogue for subscribers of this dialect."""
        ...

    @property
    def switches(self) -> Mapping[str, bool]:
        """What can be had one way or the other where hosts differ, and how it is now."""
        ...

    def switched(self, name: str, is_on: bool) -> Dialect:
        """The same dialect with one switch thrown; raises BadInput that names the switches there are."""
        ...

    def open(self, chain: Chain, payload: Payload) -> tuple[Walk, tuple[Fact, ...]]:
        """Begin a dispatch."""
        ...

    def payload_from_view(self, point: str, view: JSON) -> Payload:
        """The payload that a person wrote as JSON; raises BadInput that names the path."""
        ...

    def payload_from_body(self, point: str, body: bytes) -> Payload:
        """The payload that was kept; raises BadInput."""
        ...

    def answer_view(self, answer: Answered) -> JSON:
        """An answer as JSON for people, as it was on the wire; bytes that cannot be read are shown as such."""
        ...

    def proposed(self, answer: Answered) -> JSON:
        """The payload that an answer proposes, as JSON, whether or not it is acceptable; None where it has none."""
        ...

    def answer_from_view(self, ask: Ask, view: JSON) -> Answered:
        """The answer that a person wrote as JSON; raises BadInput that names the path."""
        ...
