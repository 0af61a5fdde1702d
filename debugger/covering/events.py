"""Events with the secrets of a configuration covered, and a probe in front of others that shows them nothing else."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, TypeGuard, TypeVar

from debugger.covering.covering import Covering, covered_mapping, covering_of
from kernel.asking import Answer, Question, Resolver
from kernel.dialect import Dialect
from kernel.errors import BadInput
from kernel.facts import Asked, Event, Opened
from kernel.probe import Probe
from kernel.setup import Setup
from kernel.values import JSON, Answered, Outcome, Payload, Subscription


@dataclass(frozen=True, slots=True)
class Redacted:
    """A payload that its dialect would not take once the secrets in it are replaced: for people only."""

    view: JSON
    body: bytes
    digest: str


_OURS: Final = frozenset(
    (
        *("dialect", "point", "mode", "rule", "phase", "kind", "what", "stream", "category", "decision", "parent"),
        *("reach", "chain", "subscription", "subscriber", "by", "decided_by", "switches", "at", "number", "dispatch"),
        *("walk", "path", "name"),
    )
)
"""Fields with words of the dialect, of ours, or of the configuration itself, which keeps its secrets apart."""
_KEPT: Final = 256
"""Payloads that are remembered."""
_UNDER_WAY: Final = 10_000
"""Dispatches of which the point is remembered."""
T = TypeVar("T")


class CoveredEvents:
    """Covers events, whatever dispatch they are of. Not for use from several threads at once."""

    def __init__(self, covering: Covering, dialect: Dialect) -> None:
        self.covering = covering
        self._dialect = dialect
        self._payloads: OrderedDict[tuple[str, str], Payload] = OrderedDict()
        self._points: OrderedDict[str, str] = OrderedDict()
        """Of the dispatches that are told of, by id: several may want their ends covered."""
        self._last: tuple[Event, Event] | None = None
        """The event that came last, and as it is covered: several are told of it."""

    def in_front_of(self, probe: Probe) -> Probe:
        """A probe that tells this one everything covered; the same one where there is nothing to cover."""
        return CoveringProbe(self, probe) if self.covering else probe

    def event(self, event: Event) -> Event:
        """The event with its secrets covered; the same object where it has none."""
        if not self.covering:
            return event
        if self._last is None or self._last[0] is not event:
            self._last = (event, self._event_anew(event))
        return self._last[1]

    def _event_anew(self, event: Event) -> Event:
        if isinstance(event.fact, Opened):
            self._points[event.dispatch] = event.fact.chain.point
            if len(self._points) > _UNDER_WAY:
                self._points.popitem(last=False)
        fact = self.value(event.fact, self._points.get(event.dispatch, ""))
        return event if fact is event.fact else replace(event, fact=fact)

    def value(self, value: T, point: str = "") -> T:
        """A fact, an outcome, or any value made of such, covered; itself where there is nothing to cover."""
        if not self.covering:
            return value
        found: Any = self._any(value, point)
        return found  # type: ignore[no-any-return]  # of the same class as what was given

    def payload(self, payload: Payload, point: str) -> Payload:
        """A payload of the same dialect; for people only where its dialect would not take it covered."""
        key = (payload.digest, point)
        if key not in self._payloads:
            self._payloads[key] = self._payload_anew(payload, point)
            if len(self._payloads) > _KEPT:
                self._payloads.popitem(last=False)
        found = self._payloads[key]
        return payload if found.digest == payload.digest else found

    def uncovered_payload(self, payload: Payload, point: str) -> Payload:
        """A payload made of a covered one, as it is to be dispatched."""
        body = self.covering.uncovered_body(payload.body)
        return payload if body is payload.body else self._dialect.payload_from_body(point, body)

    def uncovered_outcome(self, outcome: Outcome) -> Outcome:
        """An outcome made of a covered one, as a walk is to take it."""
        if not isinstance(outcome, Answered):
            return outcome
        return replace(outcome, body=self.covering.uncovered_body(outcome.body))

    def _payload_anew(self, payload: Payload, point: str) -> Payload:
        body = self.covering.body(payload.body)
        if body is payload.body:
            return payload
        try:
            return self._dialect.payload_from_body(point, body)
        except BadInput:
            return Redacted(self.covering.json(payload.view), body, hashlib.sha256(body).hexdigest())

    def _any(self, value: object, point: str) -> object:
        match value:
            case Enum() | bool() | int() | float() | None:
                return value
            case str():
                return self.covering.text(value)
            case bytes():
                return self.covering.body(value)
            case Mapping():
                return covered_mapping(self.covering, value)
            case list():
                return self.covering.json(value)
            case tuple():
                items = tuple(self._any(item, point) for item in value)
                return value if all(now is before for now, before in zip(items, value, strict=True)) else items
        if _is_payload(value):
            return self.payload(value, point)
        if not dataclasses.is_dataclass(value) or isinstance(value, type):
            return value
        subscription = getattr(value, "subscription", None)
        if isinstance(subscription, Subscription):
            point = subscription.point
        found = {
            each.name: self._any(getattr(value, each.name), point)
            for each in dataclasses.fields(value)
            if each.name not in _OURS
        }
        if isinstance(value, Asked) and value.request == value.payload.body:
            found["request"] = self.payload(value.payload, point).body  # the members may be in another order
        changed = {name: now for name, now in found.items() if now is not getattr(value, name)}
        return replace(value, **changed) if changed else value


def _is_payload(value: object) -> TypeGuard[Payload]:
    return all(hasattr(type(value), name) for name in ("body", "view", "digest"))  # the type's: values may be costly


class CoveringProbe:
    """Tells others what it is told, with the secrets covered. What they break, they break themselves: see `Probes`."""

    def __init__(self, covered: CoveredEvents, inner: Probe) -> None:
        self._covered = covered
        self._inner = inner

    def see(self, event: Event) -> None:
        self._inner.see(self._covered.event(event))


class CoveringResolver:
    """Has somebody asked who sees the question covered."""

    def __init__(self, covered: CoveredEvents, inner: Resolver) -> None:
        self._covered = covered
        self._inner = inner

    async def resolve(self, question: Question) -> Answer:
        return await self._inner.resolve(self._covered.value(question))


def covered_events_of(setup: Setup) -> CoveredEvents:
    """What covers every secret that a configuration hands to its subscribers."""
    return CoveredEvents(covering_of(setup), setup.dialect)
